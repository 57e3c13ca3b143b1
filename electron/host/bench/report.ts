/** What a benchmark says. Plain JSON: the command line prints it as it is. */
import type { Precision } from '../../contract/run.ts';
import type { Timing } from './measure.ts';
import type { Interval } from './statistics.ts';
import type { StopReason } from './stopping.ts';
import type { Verdict } from './verdict.ts';

/** A ratio of medians with its 95 % bootstrap interval; null for too few rounds. */
export interface Ratio {
  readonly value: number;
  readonly interval: Interval | null;
}

export interface Sample extends Timing {
  readonly round: number;
  /** Place in the shuffled order of its round. */
  readonly position: number;
}

interface EntryHead {
  readonly variant: string;
  readonly title: string;
  readonly builds_on: string | null;
  readonly stepping: 'path' | 'depth';
  readonly precision: Precision;
  /** What differs from the scenario because the variant offers nothing else. */
  readonly note: string | null;
}

/** A variant that could not run: the reason stands where its numbers would. */
export interface RefusedEntry extends EntryHead {
  readonly status: 'refused';
  readonly reason: string;
}

export interface MeasuredEntry extends EntryHead {
  readonly status: 'measured';
  readonly threads: number;
  readonly isa: string;
  /** The first run in this process, before the rounds. */
  readonly first: Timing;
  /** Medians over the rounds. */
  readonly setup_s: number;
  readonly solve_s: number;
  readonly wall_s: number;
  /** Median absolute deviation of `solve_s` over its median. */
  readonly solve_spread: number;
  readonly steps: number;
  readonly cell_steps: number;
  readonly cell_steps_per_s: number;
  readonly peak_state_bytes: number;
  /** Time over the time of the first variant. */
  readonly ratio: Ratio;
  readonly verdict: Verdict | 'reference' | 'wrong';
  /** Time over the time of the variant that it builds on, where that was measured too. */
  readonly rung: Ratio | null;
  /** Relative L2 difference of the dose from the FP64 reference; null where there is none. */
  readonly rel_l2: number | null;
  readonly rel_l2_limit: number;
  /** Larger of the ledgers' relative errors. */
  readonly ledger_error: number;
  readonly determinism: {
    readonly runs: number;
    readonly bitwise: boolean;
    readonly spread: number;
    readonly hash: string;
  };
  readonly samples: readonly Sample[];
}

export type BenchEntry = MeasuredEntry | RefusedEntry;

export interface BenchReport {
  readonly scenario: string;
  readonly machine: { readonly cpu: string; readonly logical_cores: number; readonly isa: string; readonly os: string };
  readonly program: { readonly version: string; readonly build: string; readonly compiler: string };
  /** The variant that ratios are against: the first that could run. */
  readonly reference: string | null;
  readonly seed: number;
  readonly rounds: number;
  readonly stopped: StopReason | 'refused';
  readonly elapsed_s: number;
  /** The first variant against itself in the same rounds. */
  readonly noise: { readonly ratio: Ratio | null; readonly floor: number | null };
  /** What doses were compared with, per stepping; the reason where there was nothing. */
  readonly oracles: readonly {
    readonly stepping: 'path' | 'depth';
    readonly variant: string | null;
    readonly reason: string | null;
  }[];
  readonly entries: readonly BenchEntry[];
}
