/** What a transport session gathers about one variant. */
import type { Candidate } from './candidates.ts';
import type { Marked, Ranked, Series } from './comparison.ts';
import { type Measured, timeOf } from './measure.ts';
import type { Determinism } from './parity.ts';
import type { Timing } from './report.ts';

/** A sample before the session knows its highest clock. */
export interface RawSample extends Timing, Marked {
  readonly round: number;
  readonly position: number;
  readonly parts: ReadonlyMap<string, number>;
}

export interface Contestant {
  readonly candidate: Candidate;
  readonly first: Measured;
  readonly determinism: Determinism;
  readonly warm: Series<RawSample>;
  /** Cold and replayed, where they were asked for. */
  readonly others: readonly Series<RawSample>[];
}

export const timesOf = ({ samples }: { readonly samples: readonly RawSample[] }): readonly number[] =>
  samples.map(timeOf);

export function rawSample(measured: Measured, round: number, position: number): RawSample {
  const parts = new Map<string, number>();
  for (const { name, seconds } of measured.result.setup_parts) parts.set(name, (parts.get(name) ?? 0) + seconds);
  return { ...measured.timing, round, position, clocks: measured.clocks, parts };
}

export function ranked({ candidate, first, warm, others }: Contestant): Ranked<RawSample> {
  const { label, variant } = candidate;
  return { label, buildsOn: variant.buildsOn, first: rawSample(first, 0, 0), warm, others };
}
