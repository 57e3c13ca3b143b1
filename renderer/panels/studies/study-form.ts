/** What is kept of each point, and how points go beside each other. */
import type { MeasureGroup, StudyDocument } from '../../../electron/contract/study/index.ts';

export type Form = Pick<StudyDocument, 'measures' | 'timing' | 'repeats'>;
export const blank: Form = { measures: ['readouts', 'ledger', 'times', 'memory'], timing: 'shared', repeats: 1 };

/** With what is kept: a counter knows no points, so that energy is measured one point at a time. */
export function keeping(form: Form, measures: readonly MeasureGroup[]): Form {
  return { ...form, measures: [...measures], ...(measures.includes('energy') && { timing: 'alone' as const }) };
}

/** Points at the same time have no energy of their own. */
export function timed(form: Form, timing: NonNullable<Form['timing']>): Form {
  const measures = form.measures?.filter((one) => timing === 'alone' || one !== 'energy');
  return { ...form, timing, ...(measures !== undefined && { measures }) };
}
