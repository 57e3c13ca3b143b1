/** What a session gathers about one variant. */
import type { Mode } from '../../contract/bench.ts';
import type { Candidate } from './candidates.ts';
import type { Clocked } from './flags.ts';
import { type Measured, timeOf } from './measure.ts';
import type { Determinism } from './parity.ts';
import type { Timing } from './report.ts';

/** A sample before the session knows its highest clock. */
export interface RawSample extends Timing {
  readonly round: number;
  readonly position: number;
  readonly clocks: Clocked;
  readonly parts: ReadonlyMap<string, number>;
}

/** One series of samples: a contestant in one mode. */
export interface Series {
  readonly mode: Mode;
  readonly samples: RawSample[];
  /** Why this mode cannot be measured; null when it can. */
  readonly reason: string | null;
}

export interface Contestant {
  readonly candidate: Candidate;
  readonly first: Measured;
  readonly determinism: Determinism;
  readonly warm: Series;
  /** Cold and replayed, where they were asked for. */
  readonly others: readonly Series[];
}

export const timesOf = ({ samples }: { readonly samples: readonly RawSample[] }): readonly number[] =>
  samples.map(timeOf);

export function rawSample(measured: Measured, round: number, position: number): RawSample {
  const parts = new Map<string, number>();
  for (const { name, seconds } of measured.result.setup_parts) parts.set(name, (parts.get(name) ?? 0) + seconds);
  return { ...measured.timing, round, position, clocks: measured.clocks, parts };
}
