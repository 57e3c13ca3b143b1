/** What the host knows of one run, from the queue to its end. */
import type { WireError } from '../../contract/errors.ts';
import type { NamedFile } from '../../contract/files.ts';
import type { GridSize, LiveFrame, Precision, RunInfo, RunProgress, RunState } from '../../contract/run.ts';
import type { Measuring, NativeLive, NativeProgress, TransportProblem, TransportRun } from '../addon.ts';
import type { LiveView } from './live.ts';
import { Subscribers } from './subscribers.ts';

export interface RunRecord {
  readonly id: string;
  readonly name: string;
  readonly variant: string;
  readonly precision: Precision;
  readonly device: string;
  readonly created: string;
  readonly grid: GridSize | null;
  readonly scenario: Readonly<Record<string, unknown>>;
  state: RunState;
  finished: string | null;
  file: NamedFile | null;
  r80_mm: number | null;
  wall_s: number | null;
  error: WireError | null;
  /** Present until the run has ended. */
  active: ActivePart | null;
  readonly progress: Subscribers<RunProgress>;
  readonly live: Subscribers<LiveFrame>;
  /** The last progress, for those who come later. */
  lastProgress: RunProgress;
}

/** The native half of a run that waits or computes. */
export interface ActivePart {
  readonly native: TransportRun;
  readonly problem: TransportProblem;
  readonly table: string;
  readonly completeScenario: Readonly<Record<string, unknown>>;
  readonly measuring: Measuring;
  /** performance.now() when it left the queue; null before. */
  begun_ms: number | null;
  latest: NativeLive | null;
  revision: number;
  /** performance.now() before which no live frame is made; see live.ts. */
  liveRest_ms: number;
  /** What those who watch it look at. */
  readonly views: Set<LiveView>;
}

export function runInfo(record: RunRecord, queuePosition: number | null): RunInfo {
  const { id, name, state, variant, precision, device, created, finished, file, grid, r80_mm, wall_s, error } = record;
  const known = { id, name, state, variant, precision, device, created, finished, file, grid, r80_mm, wall_s };
  return { ...known, queuePosition, error: error === null ? null : { ...error, issues: [...error.issues] } };
}

export function progressOf(record: RunRecord, from: NativeProgress | null): RunProgress {
  const begun = record.active?.begun_ms ?? null;
  const elapsed_s = begun === null ? (record.wall_s ?? 0) : (performance.now() - begun) / 1000;
  if (from === null) return { ...record.lastProgress, state: record.state, elapsed_s };
  const { step, steps_max, depth_mm, weight_left, ledger_error, steps_per_s, eta_s } = from;
  // Before the first step there is no rate, and the estimate is of no use.
  const eta = Number.isFinite(eta_s) && steps_per_s > 0 ? eta_s : null;
  const numbers = { step, steps_max, depth_mm, weight_left, ledger_error, steps_per_s, eta_s: eta };
  return { run: record.id, state: record.state, ...numbers, elapsed_s };
}

export function newRecord(fixed: Omit<RunRecord, 'progress' | 'live' | 'lastProgress'>, steps_max: number): RunRecord {
  return {
    ...fixed,
    progress: new Subscribers(),
    live: new Subscribers(),
    lastProgress: {
      run: fixed.id,
      state: fixed.state,
      step: 0,
      steps_max,
      depth_mm: 0,
      weight_left: 1,
      ledger_error: 0,
      steps_per_s: 0,
      eta_s: null,
      elapsed_s: 0,
    },
  };
}
