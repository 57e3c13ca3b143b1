/**
 * Job arrays of a study on a Slurm cluster:
 *
 * - Divides points into tasks that last minutes, and tasks into arrays that the cluster accepts.
 * - Writes the script of the tasks. Its shell handles the warning signal before the time limit, and requeues the task.
 * - Solves the points of one task on its node, and records the outcome.
 * - Writes a journal of submissions in the study's folder. An entry with a unique job name is written before sbatch is
 *   called. After a crash, the job is found by that name, so that nothing is submitted twice.
 *
 * Files of the journal:
 *
 * - `slurm/TAG/submission`: the points of each task
 * - `slurm/TAG/job`: the job's id, once it is known
 * - `slurm/TAG/over`: exists if none of its tasks runs any more
 * - `slurm/TAG/attempts`: one file per start of a task, with node, times and end
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { availableParallelism, hostname } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { BraggError, messageOf } from '../../../../contract/errors.ts';
import type { PlanLine } from '../../../../contract/study/index.ts';
import { writeWithoutSync } from '../../../io/files/write-file.ts';
import type { StudyFolder } from '../../../model/studies/folder.ts';
import { entireMachine, solveLocally } from '../local/engine.ts';
import type { Share } from '../local/groups.ts';
import type { SolvingHost } from '../plan.ts';

const SLURM_FOLDER = 'slurm';

const entrySchema = z.strictObject({
  tag: z.string(),
  /** Time in ISO 8601. */
  created: z.string(),
  /** Number of the attempt to solve these points, counted from 1. */
  attempt: z.number().int().positive(),
  /** Ids of the points of each task. */
  tasks: z.array(z.array(z.string()).readonly()).readonly(),
});
export type JournalEntry = Readonly<z.infer<typeof entrySchema>>;

const attemptSchema = z.strictObject({
  node: z.string(),
  job: z.string(),
  task: z.number().int().nonnegative(),
  /** Number of times that the cluster restarted the task. */
  restart: z.number().int().nonnegative(),
  started: z.string(),
  /** Time in ISO 8601. Null while the task runs, and if it ended without a report. */
  finished: z.string().nullable(),
  end: z.string().nullable(),
  done: z.number().int().nonnegative(),
  failed: z.number().int().nonnegative(),
});
export type Attempt = Readonly<z.infer<typeof attemptSchema>>;

const textAt = (file: string): Promise<string | null> => readFile(file, 'utf8').catch(() => null);
const exists = async (file: string): Promise<boolean> => (await stat(file).catch(() => null)) !== null;

function parseJsonText<T>(text: string | null, schema: z.ZodType<T>): T | null {
  if (text === null) return null;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

interface OpenSubmission {
  readonly entry: JournalEntry;
  /** Id of the job. Null if it was not recorded. */
  readonly job: string | null;
}

export class Journal {
  readonly folder: string;

  constructor(study: StudyFolder) {
    this.folder = path.join(study.folder, SLURM_FOLDER);
  }

  pathOf(tag: string, ...names: readonly string[]): string {
    return path.join(this.folder, tag, ...names);
  }

  /** Writes the entry of a new submission. Call it before sbatch. Throws BraggError, for example `no-space`. */
  async recordSubmission(study: StudyFolder, tasks: JournalEntry['tasks'], attempt: number): Promise<JournalEntry> {
    const tag = `braggbench-${study.head.sha256.slice(0, 8)}-${randomBytes(4).toString('hex')}`;
    await mkdir(this.pathOf(tag, 'attempts'), { recursive: true });
    await mkdir(this.pathOf(tag, 'output'), { recursive: true });
    const entry: JournalEntry = { tag, created: new Date().toISOString(), attempt, tasks };
    await writeWithoutSync(this.pathOf(tag, 'submission'), JSON.stringify(entry));
    return entry;
  }

  async recordJob(tag: string, job: string): Promise<void> {
    await writeWithoutSync(this.pathOf(tag, 'job'), job);
  }

  async recordEnd(tag: string): Promise<void> {
    await writeWithoutSync(this.pathOf(tag, 'over'), '');
  }

  async entry(tag: string): Promise<JournalEntry | null> {
    return parseJsonText(await textAt(this.pathOf(tag, 'submission')), entrySchema);
  }

  /** Returns the submissions that may still run, oldest first. */
  async openSubmissions(): Promise<readonly OpenSubmission[]> {
    const known: OpenSubmission[] = [];
    for (const tag of await readdir(this.folder).catch(() => [])) {
      if (await exists(this.pathOf(tag, 'over'))) continue;
      const entry = await this.entry(tag);
      if (entry !== null) known.push({ entry, job: (await textAt(this.pathOf(tag, 'job')))?.trim() || null });
    }
    return known.toSorted((a, b) => a.entry.created.localeCompare(b.entry.created));
  }

  async writeAttempt(tag: string, attempt: Attempt): Promise<void> {
    await writeWithoutSync(
      this.pathOf(tag, 'attempts', `${attempt.task}-${attempt.restart}.json`),
      JSON.stringify(attempt),
    );
  }

  async attempts(tag: string): Promise<readonly Attempt[]> {
    const names = await readdir(this.pathOf(tag, 'attempts')).catch(() => []);
    const all = await Promise.all(names.map((name) => textAt(this.pathOf(tag, 'attempts', name))));
    return all
      .flatMap((text) => parseJsonText(text, attemptSchema) ?? [])
      .toSorted((a, b) => a.started.localeCompare(b.started));
  }

  /** Returns the attempts of all submissions that ended although points were left. */
  async failedAttempts(): Promise<readonly Attempt[]> {
    const tags = await readdir(this.folder).catch(() => []);
    const all = await Promise.all(tags.map((tag) => this.attempts(tag)));
    return all.flat().filter(({ end }) => end !== null && end !== ALL_POINTS_ENDED);
  }
}

/** Value of `end` if all points of an attempt have ended. */
const ALL_POINTS_ENDED = 'all points ended';

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
  /** False if points are left for a further attempt. */
  readonly whole: boolean;
}

function numberFrom(environment: NodeJS.ProcessEnv, name: string): number | null {
  const value = Number(environment[name]);
  return environment[name] !== undefined && Number.isFinite(value) ? value : null;
}

/**
 * Resources that Slurm has assigned to the task. If Slurm does not report memory, the task gets a share proportional to
 * its cores.
 */
function shareOfTask(host: SolvingHost, environment: NodeJS.ProcessEnv): Share {
  const all = availableParallelism();
  const requested =
    numberFrom(environment, 'SLURM_CPUS_PER_TASK') ?? numberFrom(environment, 'SLURM_CPUS_ON_NODE') ?? 1;
  const cores = Math.max(1, Math.min(requested, all));
  const { memoryLimit_bytes } = host.capabilities();
  const perCore = numberFrom(environment, 'SLURM_MEM_PER_CPU');
  const given = numberFrom(environment, 'SLURM_MEM_PER_NODE') ?? (perCore === null ? null : perCore * cores);
  // Slurm reports memory in MiB; 0 means all memory of the node.
  const part_bytes = given === null || given === 0 ? (memoryLimit_bytes * cores) / all : given * 2 ** 20;
  return entireMachine(host, { cores, memory_bytes: Math.min(part_bytes, memoryLimit_bytes) });
}

/** Solves the points of one task. Records and rethrows errors that prevent every point from being solved. */
export async function solveTask(options: TaskOptions): Promise<TaskOutcome> {
  const { host, folder, tag, environment, assetsFolder, signal } = options;
  const journal = new Journal(folder);
  const index = numberFrom(environment, 'SLURM_ARRAY_TASK_ID');
  const array = environment['SLURM_ARRAY_JOB_ID'];
  const ids = new Set(index === null ? [] : (await journal.entry(tag))?.tasks[index]);
  if (index === null || array === undefined || ids.size === 0) {
    throw new BraggError(
      'invalid',
      `${tag} has no such task: only a job array calls this command, and sets SLURM_ARRAY_TASK_ID.`,
    );
  }
  const ended = await folder.finishedPoints();
  const lines = (await folder.readLines()).filter(({ id }) => ids.has(id) && !ended.has(id));
  const begun: Attempt = {
    node: environment['SLURMD_NODENAME'] ?? hostname(),
    job: array,
    task: index,
    restart: numberFrom(environment, 'SLURM_RESTART_COUNT') ?? 0,
    ...{ started: new Date().toISOString(), finished: null, end: null, done: 0, failed: 0 },
  };
  const keep = (end: string, done: number, failed: number): Promise<void> =>
    journal.writeAttempt(tag, { ...begun, finished: new Date().toISOString(), end, done, failed });
  await journal.writeAttempt(tag, begun);
  if (await folder.hasStopRequest()) {
    await keep('a stop of the study was requested', 0, 0);
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
      end === 'whole'
        ? ALL_POINTS_ENDED
        : end === 'stopped'
          ? 'a stop of the study was requested'
          : 'stopped from outside',
      done,
      failed,
    );
    return { done, failed, whole };
  } catch (error) {
    const says = messageOf(error);
    // A full disk also prevents this record. Slurm's exit code then reports the failure.
    await keep(says, 0, 0).catch(() => undefined);
    throw error;
  }
}

/** Maximum number of points in a task. Larger tasks are not faster, and more points are lost when a task dies. */
const MAX_POINTS_OF_A_TASK = 5000;

/**
 * Divisors of the task size by attempt: the first attempt uses full-size tasks, the second an eighth, the third single
 * points.
 */
const TASK_SPLITS = [1, 8, Number.POSITIVE_INFINITY] as const;

/** Maximum number of attempts to solve a point, each in a different task. */
export const MAX_TRIES = TASK_SPLITS.length;

export interface TaskSize {
  /** Seconds per point on one core. Null if unknown. */
  readonly point_s: number | null;
  /** Number of points that a task solves at the same time. */
  readonly lanes: number;
  /** Intended duration of a task in seconds. */
  readonly task_s: number;
}

/** Divides points into tasks of about `task_s`. `attempt`: number of the attempt, from 1. */
export function tasksOf(lines: readonly PlanLine[], attempt: number, size: TaskSize): readonly (readonly string[])[] {
  const { point_s, lanes, task_s } = size;
  const wanted = point_s === null || point_s <= 0 ? lanes : Math.ceil((task_s * lanes) / point_s);
  const parts = TASK_SPLITS[Math.min(attempt, MAX_TRIES) - 1] ?? 1;
  const count = Math.max(1, Math.floor(Math.min(wanted, MAX_POINTS_OF_A_TASK) / parts));
  const tasks: string[][] = [];
  for (let i = 0; i < lines.length; i += count) tasks.push(lines.slice(i, i + count).map(({ id }) => id));
  return tasks;
}

/** Divides tasks into arrays. Slurm requires indices from 0 to less than `maxArraySize`. */
export function arraysOf<T>(tasks: readonly T[], maxArraySize: number): readonly (readonly T[])[] {
  const most = Math.max(1, maxArraySize);
  const arrays: (readonly T[])[] = [];
  for (let i = 0; i < tasks.length; i += most) arrays.push(tasks.slice(i, i + most));
  return arrays;
}

/** Quotes a word for a POSIX shell. */
export const quoteForShell = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Maximum number of restarts of a task that makes no progress. */
const MAX_RESTARTS = 3;

/**
 * Builds the script of a task. `program`: words that call the verb `study task` for the study and tag. `progressLeft`:
 * exit code if points are left but some have ended, so that a restart is worthwhile.
 */
export function taskScript(program: readonly string[], progressLeft: number): string {
  return `#!/bin/bash
# Written by Braggbench. Results are files, so a restarted task solves only points without a result.
requeue() {
  kill -TERM "$child" 2>/dev/null
  wait "$child"
  code=$?
  if [ "$code" = ${progressLeft} ] || [ "\${SLURM_RESTART_COUNT:-0}" -lt ${MAX_RESTARTS} ]; then
    scontrol requeue "\${SLURM_ARRAY_JOB_ID}_\${SLURM_ARRAY_TASK_ID}"
  fi
  exit "$code"
}
trap requeue USR1
${program.map(quoteForShell).join(' ')} &
child=$!
wait "$child"
`;
}
