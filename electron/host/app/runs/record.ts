/** Record of one run in the host, from its start to the removal of its result. */
import type { WireError } from '../../../contract/errors.ts';
import type { NamedFile } from '../../../contract/files.ts';
import type { ProgressDetail, RunInfo, RunProgress, RunState } from '../../../contract/run.ts';
import type { Headline, WorkloadName } from '../../../contract/workload.ts';
import { FrameSubscribers } from '../../io/flow/subscribers.ts';
import type { HostPart } from '../../model/timeline/import/host-parts.ts';
import type { WorkloadRun } from '../../workloads/index.ts';

export interface RunRecord {
  readonly id: string;
  readonly workload: WorkloadName;
  readonly name: string;
  readonly variant: string;
  readonly precision: string;
  readonly device: string;
  readonly created: string;
  readonly size: string;
  readonly scenario: Readonly<Record<string, unknown>>;
  state: RunState;
  finished: string | null;
  file: NamedFile | null;
  headline: Headline | null;
  wall_s: number | null;
  error: WireError | null;
  /** Data of the run while it is active, or null after its end. */
  active: ActiveRunData | null;
  /** Whether the result is the newest answer of a Live session. */
  readonly live: boolean;
  /** Whether the run is internal and not listed, for example to forecast the duration of a study. */
  readonly unlisted: boolean;
  readonly progress: FrameSubscribers<RunProgress>;
  /** Last progress. Later subscribers receive it first. */
  lastProgress: RunProgress;
}

/** Data of a run that is queued or computing. */
export interface ActiveRunData {
  readonly run: WorkloadRun;
  readonly completeScenario: Readonly<Record<string, unknown>>;
  /** Value of performance.now() in ms when the run left the queue. Null before. */
  begun_ms: number | null;
  /** Stages of the host before the run was queued, with their times. */
  readonly before: readonly HostPart[];
}

export function runInfo(record: RunRecord, queuePosition: number | null): RunInfo {
  const { id, workload, name, state, variant, precision, device, created, finished, file, size } = record;
  const { headline, wall_s, error } = record;
  const known = { id, workload, name, state, variant, precision, device, created, finished, file, size };
  const wire = error === null ? null : { ...error, issues: [...error.issues] };
  const live = record.live ? ({ live: true } as const) : {};
  return { ...known, headline, wall_s, queuePosition, error: wire, ...live };
}

export function elapsed_s({ active, wall_s }: RunRecord): number {
  const begun = active?.begun_ms ?? null;
  return begun === null ? (wall_s ?? 0) : (performance.now() - begun) / 1000;
}

/** Returns the last progress with the current elapsed time. `from`: newer progress reported by the run. */
export function progressOf(
  record: RunRecord,
  from: { readonly detail: ProgressDetail; readonly eta_s: number | null } | null,
): RunProgress {
  return { ...record.lastProgress, ...from, state: record.state, elapsed_s: elapsed_s(record) };
}

export function newRecord(
  fixed: Omit<RunRecord, 'progress' | 'lastProgress' | 'live' | 'unlisted'>,
  detail: ProgressDetail,
  { live = false, unlisted = false }: Partial<Pick<RunRecord, 'live' | 'unlisted'>> = {},
): RunRecord {
  return {
    ...fixed,
    live,
    unlisted,
    progress: new FrameSubscribers(),
    lastProgress: { run: fixed.id, state: fixed.state, elapsed_s: 0, eta_s: null, detail },
  };
}
