/** What a transport session gathers about one variant. */
import type { Candidate } from './candidates.ts';
import type { Marked, Ranked, Series } from './comparison.ts';
import type { Measured } from './measure.ts';
import type { Determinism } from './parity.ts';
import type { Timing } from './report.ts';
import type { Where } from './rounds.ts';

/** A sample before the session knows its highest clock. */
export interface RawSample extends Timing, Marked, Where {
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

/** Where a first run stands, which is of no round. */
export const beforeRounds: Where = { instance: 0, round: 0, position: 0 };

export function rawSample(measured: Measured, where: Where): RawSample {
  const parts = new Map<string, number>();
  for (const { name, seconds } of measured.result.setup_parts) parts.set(name, (parts.get(name) ?? 0) + seconds);
  return { ...measured.timing, ...where, clocks: measured.clocks, parts };
}

export function ranked({ candidate, first, warm, others }: Contestant): Ranked<RawSample> {
  const { label, variant } = candidate;
  return { label, buildsOn: variant.buildsOn, first: rawSample(first, beforeRounds), warm, others };
}
