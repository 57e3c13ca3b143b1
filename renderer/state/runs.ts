/** The runs that the host knows, and how far the present one is. Numbers alone: fields are in data/. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { RunProgress } from '../../electron/contract/progress.ts';
import type { RunId, RunInfo, RunState } from '../../electron/contract/run.ts';

export interface RunsState {
  /** Newest first. */
  readonly runs: readonly RunInfo[];
  /** Those that hold the answer of a page in Live: in no list, and gone with it. */
  readonly live: readonly RunInfo[];
  readonly progress: Readonly<Record<RunId, RunProgress>>;
  /** False until the host has sent the first list. */
  readonly listed: boolean;
}

export type RunsStore = StoreApi<RunsState>;

export function createRunsStore(): RunsStore {
  return createStore<RunsState>(() => ({ runs: [], live: [], progress: {}, listed: false }));
}

export function isOver(state: RunState): boolean {
  return state === 'done' || state === 'cancelled' || state === 'failed';
}

/** Whether there is something to show of it: a run that failed has what was finished before, or nothing. */
export function hasResult({ state, wall_s }: Pick<RunInfo, 'state' | 'wall_s'>): boolean {
  return isOver(state) && wall_s !== null;
}

/** The run that computes now; the host runs one at a time. */
export function activeRun(state: RunsState): RunInfo | null {
  return state.runs.find((run) => run.state === 'running') ?? null;
}

/** The run that Stop is for: the one that computes, or else the next in the queue. */
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
