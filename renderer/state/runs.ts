/**
 * Runs that the host knows, and progress of the current one. Contains metadata only; fields are in data/. Separate
 * stores contain the switch for GPU traces of new runs, and the state and last answer of Live mode. The switch is not
 * saved, because recording also slows later runs of the program.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { DeviceReport } from '../../electron/contract/capabilities.ts';
import type { RunId, RunInfo, RunProgress, RunState } from '../../electron/contract/run.ts';
import type { WhatIfAnswer } from '../../electron/contract/scenario/transport/what-if.ts';

export interface RunsState {
  /** Listed runs, newest first. */
  readonly runs: readonly RunInfo[];
  /** Runs that contain answers of Live mode. They are in no list, and are removed with their page. */
  readonly live: readonly RunInfo[];
  readonly progress: Readonly<Record<RunId, RunProgress>>;
  /** False until the host has sent the first list. */
  readonly listed: boolean;
}

export type RunsStore = StoreApi<RunsState>;

export function createRunsStore(): RunsStore {
  return createStore<RunsState>(() => ({ runs: [], live: [], progress: {}, listed: false }));
}

export function hasEnded(state: RunState): boolean {
  return state === 'done' || state === 'cancelled' || state === 'failed';
}

/** Whether a run has results to show. A failed run has those completed before the failure, or none. */
export function hasResult({ state, wall_s }: Pick<RunInfo, 'state' | 'wall_s'>): boolean {
  return hasEnded(state) && wall_s !== null;
}

/** The run that is computing; the host runs one at a time. */
export function activeRun(state: RunsState): RunInfo | null {
  return state.runs.find((run) => run.state === 'running') ?? null;
}

/** The run that Stop applies to: the computing one, or else the next in the queue. */
export function stoppableRun(state: RunsState): RunInfo | null {
  return activeRun(state) ?? state.runs.find((run) => run.queuePosition === 1) ?? null;
}

export function runOf(state: RunsState, id: RunId | null): RunInfo | null {
  if (id === null) return null;
  const own = (run: RunInfo): boolean => run.id === id;
  return state.runs.find(own) ?? state.live.find(own) ?? null;
}

/** Notes on a run for exported figures. */
export function runNotes(run: RunInfo | null): Readonly<Record<string, string>> {
  if (run === null) return {};
  const { name, variant, precision, device, created } = run;
  return { run: name, variant, precision, device, created };
}

interface TracingState {
  readonly on: boolean;
}

export type TracingStore = StoreApi<TracingState>;

export function createTracingStore(): TracingStore {
  return createStore<TracingState>(() => ({ on: false }));
}

/** Whether GPU traces can be recorded, and a sentence with the method or the reason why not. */
export function tracingOf({ cuda, cupti }: Pick<DeviceReport, 'cuda' | 'cupti'>): {
  readonly possible: boolean;
  readonly explanation: string;
} {
  if (!cuda.available) {
    const why = cuda.reason ?? 'there is none.';
    return { possible: false, explanation: `GPU work cannot be recorded: ${why} CPU work is always recorded.` };
  }
  const what = 'Record GPU kernels, copies and driver calls in the next runs';
  const how = cupti.available
    ? 'this slows launches until the program exits.'
    : `by events around every launch, which slows it: ${cupti.reason ?? 'CUPTI is missing.'}`;
  return { possible: true, explanation: `${what}; ${how}` };
}

type ShownAnswer = Pick<WhatIfAnswer, 'sequence' | 'full' | 'way' | 'solve_ms' | 'total_ms'>;

interface WhatIfState {
  readonly on: boolean;
  /** Run with the last answer; null before the first. */
  readonly run: RunId | null;
  readonly answer: ShownAnswer | null;
  /** Status of the newest request. */
  readonly phase: 'solving' | 'waiting' | 'refused' | 'answered';
  /** True if the user has stopped dragging and the full answer was requested. */
  readonly resting: boolean;
  /** Reason why the newest request was rejected, in one line. */
  readonly refusal: string | null;
  /** Latency in ms from the last answered edit until its answer was drawn. */
  readonly latency_ms: number | null;
  /** Answers drawn in the last second of a drag; null when no value is dragged. */
  readonly perSecond: number | null;
}

export type WhatIfStore = StoreApi<WhatIfState>;

export const whatIfOff: WhatIfState = {
  on: false,
  run: null,
  answer: null,
  phase: 'solving',
  resting: false,
  refusal: null,
  latency_ms: null,
  perSecond: null,
};

export function createWhatIfStore(): WhatIfStore {
  return createStore<WhatIfState>(() => whatIfOff);
}
