/** A task of a job array: solves its points on the node that it is on, and keeps what became of it. */
import { availableParallelism, hostname } from 'node:os';
import { BraggError, messageOf } from '../../../../contract/errors.ts';
import type { StudyFolder } from '../../../model/studies/folder.ts';
import { solveLocally, wholeMachine } from '../local/engine.ts';
import type { Share } from '../local/groups.ts';
import type { SolvingHost } from '../solving-host.ts';
import { type Attempt, Journal, WHOLE } from './journal.ts';

interface TaskOptions {
  readonly host: SolvingHost;
  readonly folder: StudyFolder;
  readonly tag: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly assetsFolder: string;
  readonly signal: AbortSignal;
}

interface TaskOutcome {
  readonly done: number;
  readonly failed: number;
  /** False: what is left is for another attempt. */
  readonly whole: boolean;
}

function numberIn(environment: NodeJS.ProcessEnv, name: string): number | null {
  const value = Number(environment[name]);
  return environment[name] !== undefined && Number.isFinite(value) ? value : null;
}

/**
 * Resources that Slurm has given the task. If Slurm reports no memory, the task gets memory in proportion to its cores.
 */
function shareOfTask(host: SolvingHost, environment: NodeJS.ProcessEnv): Share {
  const all = availableParallelism();
  const asked = numberIn(environment, 'SLURM_CPUS_PER_TASK') ?? numberIn(environment, 'SLURM_CPUS_ON_NODE') ?? 1;
  const cores = Math.max(1, Math.min(asked, all));
  const { memoryLimit_bytes } = host.capabilities();
  const perCore = numberIn(environment, 'SLURM_MEM_PER_CPU');
  const given = numberIn(environment, 'SLURM_MEM_PER_NODE') ?? (perCore === null ? null : perCore * cores);
  // Slurm says MiB, and 0 for all of it.
  const part_bytes = given === null || given === 0 ? (memoryLimit_bytes * cores) / all : given * 2 ** 20;
  return wholeMachine(host, { cores, memory_bytes: Math.min(part_bytes, memoryLimit_bytes) });
}

/** Throws errors that keep every point from being solved, after recording them. */
export async function solveTask(options: TaskOptions): Promise<TaskOutcome> {
  const { host, folder, tag, environment, assetsFolder, signal } = options;
  const journal = new Journal(folder);
  const index = numberIn(environment, 'SLURM_ARRAY_TASK_ID');
  const array = environment['SLURM_ARRAY_JOB_ID'];
  const ids = new Set(index === null ? [] : (await journal.entry(tag))?.tasks[index]);
  if (index === null || array === undefined || ids.size === 0) {
    throw new BraggError('invalid', `${tag} has no such task: a job array calls this, with SLURM_ARRAY_TASK_ID.`);
  }
  const ended = await folder.ended();
  const lines = (await folder.lines()).filter(({ id }) => ids.has(id) && !ended.has(id));
  const begun: Attempt = {
    node: environment['SLURMD_NODENAME'] ?? hostname(),
    job: array,
    task: index,
    restart: numberIn(environment, 'SLURM_RESTART_COUNT') ?? 0,
    ...{ started: new Date().toISOString(), finished: null, end: null, done: 0, failed: 0 },
  };
  const keep = (end: string, done: number, failed: number): Promise<void> =>
    journal.keepAttempt(tag, { ...begun, finished: new Date().toISOString(), end, done, failed });
  await journal.keepAttempt(tag, begun);
  if (await folder.isAskedToStop()) {
    await keep('the study was asked to stop', 0, 0);
    return { done: 0, failed: 0, whole: true };
  }
  try {
    const { done, failed, end } = await solveLocally({
      ...{ host, folder, lines, assetsFolder, signal },
      share: shareOfTask(host, environment),
      budget: {},
      job: `${array}_${index}`,
      onProgress: () => undefined,
    });
    const whole = end === 'whole' || end === 'stopped';
    await keep(
      end === 'whole' ? WHOLE : end === 'stopped' ? 'the study was asked to stop' : 'stopped from outside',
      done,
      failed,
    );
    return { done, failed, whole };
  } catch (error) {
    const says = messageOf(error);
    // A full disk prevents the record too; Slurm's exit code then reports the failure.
    await keep(says, 0, 0).catch(() => undefined);
    throw error;
  }
}
