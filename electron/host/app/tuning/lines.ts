/** Points of a study that tunes, as configurations. */
import { valueAt } from '../../../contract/scenario/index.ts';
import type { PlanHead, PlanLine, PointResult } from '../../../contract/study/index.ts';
import { parseConfigured } from '../../../contract/tuning/configured.ts';
import { type Candidate, candidatesOf } from '../../model/tuning/search.ts';
import { documentOf } from '../studies/documents.ts';

export function variantOf(head: Pick<PlanHead, 'bases'>, { base, settings }: PlanLine): string {
  const variant = valueAt(documentOf(head.bases[base]?.document, settings), ['solver', 'variant']);
  return typeof variant === 'string' ? variant : 'auto';
}

export function candidatesIn(head: Pick<PlanHead, 'bases'>, lines: readonly PlanLine[]): readonly Candidate[] {
  return candidatesOf(
    lines.map((line) => {
      const variant = variantOf(head, line);
      return { id: line.id, ...(parseConfigured(variant) ?? { variant, configuration: {} }) };
    }),
  );
}

/** Seconds; null for what failed or is wrong. */
export function timeOf({ status, measures }: Pick<PointResult, 'status' | 'measures'>): number | null {
  const kept = (name: string): unknown => measures.find((one) => one.name === name)?.value;
  const time = kept('time_s');
  return status === 'done' && kept('right') === 'yes' && typeof time === 'number' ? time : null;
}
