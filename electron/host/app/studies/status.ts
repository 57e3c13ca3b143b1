/** Determines the progress of a study from its files. */
import type { Heartbeat } from '../../../contract/study/index.ts';
import { identifyThisMachine, isProcessAlive } from '../../io/files/this-machine.ts';
import type { StudyFolder } from '../../model/studies/folder.ts';
import { readTarget, type StudyTarget } from '../../model/studies/folder-state.ts';
import { type Attempt, Journal } from './slurm/task.ts';

/**
 * Time without a report after which a process counts as lost. Processes report every second, but a file server may
 * delay their files.
 */
const SILENT_MS = 60_000;

interface Failure {
  readonly id: string;
  readonly message: string;
}

export interface StudyStatus {
  readonly name: string;
  readonly folder: string;
  readonly points: number;
  readonly done: number;
  readonly failed: number;
  readonly stopping: boolean;
  readonly working: readonly Heartbeat[];
  /** Processes that ended without a final report, in the order of their last report. */
  readonly lost: readonly Heartbeat[];
  /** The first few failures. */
  readonly failures: readonly Failure[];
  /** Most recent cluster tasks that ended although points were left. */
  readonly attempts: readonly Attempt[];
  /** Cluster of the last submission. Null for this machine. */
  readonly on: StudyTarget | null;
}

const MAX_REPORTED_FAILURES = 10;

/** Whether a process still runs. On this machine its process id is checked, elsewhere the age of its last report. */
function isWorkerAlive({ room, pid, at }: Heartbeat): boolean {
  if (room === identifyThisMachine().processNamespaceId && !isProcessAlive(pid)) return false;
  return Date.now() - Date.parse(at) < SILENT_MS;
}

export async function statusOf(folder: StudyFolder): Promise<StudyStatus> {
  const { done, failed } = await folder.tally();
  const beats = [...(await folder.readHeartbeats()).values()];
  const failures = await Promise.all(
    failed.slice(0, MAX_REPORTED_FAILURES).map(async (id) => ({
      id,
      message: (await folder.readResult(id, 'failed'))?.error?.message ?? 'its file is damaged',
    })),
  );
  return {
    name: folder.head.name,
    folder: folder.folder,
    points: folder.head.points,
    done,
    failed: failed.length,
    stopping: await folder.hasStopRequest(),
    working: beats.filter(isWorkerAlive),
    lost: beats.filter((beat) => !isWorkerAlive(beat)),
    failures,
    on: await readTarget(folder.folder),
    attempts: (await new Journal(folder).failedAttempts()).slice(-MAX_REPORTED_FAILURES),
  };
}
