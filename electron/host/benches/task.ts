/** A benchmark as it goes to its thread, and what comes back. */
import type { BenchReport } from '../../contract/bench.ts';
import type { Mode } from '../../contract/bench-session.ts';
import type { WireError } from '../../contract/errors.ts';
import type { TransportProblem } from '../addon.ts';
import type { BenchProgress, StoppingLimits } from '../bench/index.ts';
import type { OwnVariant } from '../own/file.ts';
import type { FromRelay, ToRelay } from '../own/process/relay.ts';

export interface BenchTask {
  readonly scenario: string;
  readonly document: Readonly<Record<string, unknown>>;
  /** One; of a sweep one per value. */
  readonly problems: readonly TransportProblem[];
  /** As many: what other programs are given, every default filled in. */
  readonly scenarios: readonly unknown[];
  /** Ids of the registry. */
  readonly external: readonly string[];
  readonly variants: readonly string[];
  readonly modes: readonly Mode[];
  readonly seed: number;
  readonly limits: StoppingLimits;
  readonly assetsFolder: string;
  /** Those of the variants that are the user's own, each trusted; and what a run of theirs may take. */
  readonly own: readonly OwnVariant[];
  readonly ownLimit_s: number;
}

/** Dose of each label, MeV per cell [z][x]. */
export type Doses = ReadonlyMap<string, Float64Array>;

export interface BenchOutcome {
  readonly reports: readonly BenchReport[];
  /** As many as reports. */
  readonly doses: readonly Doses[];
}

export type FromBench =
  | { readonly kind: 'progress'; readonly progress: BenchProgress; readonly report: number }
  | { readonly kind: 'done'; readonly outcome: BenchOutcome }
  | { readonly kind: 'failed'; readonly error: WireError }
  | FromRelay;

export type ToBench = { readonly kind: 'start'; readonly task: BenchTask } | { readonly kind: 'cancel' } | ToRelay;
