/**
 * The job arrays of a study on a Slurm cluster: submits them, finds those of an earlier process, and polls them until
 * their tasks have ended. A task that has ended although points are left is passed to the caller.
 */
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { BraggError, messageOf } from '../../../../contract/errors.ts';
import type { StudyFolder } from '../../../model/studies/folder.ts';
import type { ClusterFacts, ClusterTask, Slurm } from './slurm.ts';
import { type Journal, type JournalEntry, taskScript } from './task.ts';

/** Interval between queries while a stopped study waits for its jobs. */
const LEAVE_POLL_MS = 500;
/**
 * Intervals in ms between queries of an array. They grow after each query without a change, and are longest while Slurm
 * does not answer.
 */
const POLL_MS = { soonest: 1000, latest: 30_000, away: 60_000 } as const;
/**
 * Maximum number of arrays submitted at the same time. Slurm stores a record of each task, and each array must be
 * polled.
 */
const MAX_ARRAYS = 8;
/** Maximum number of attempts to submit an array while Slurm does not accept it. */
const MAX_SUBMITS = 8;
/** Maximum time to wait for the jobs of a stopped study to end. */
const LEAVE_MS = 20_000;
/** Time without a report after which a task does not count as active. Active tasks report every second. */
const ACTIVE_MS = 10_000;
/** Time for a task to exit after all its points have ended. */
const END_MS = 5000;

export interface JobArrayOptions {
  readonly folder: StudyFolder;
  readonly slurm: Slurm;
  /** Words that start this command line on a node of the cluster. */
  readonly program: readonly string[];
  /** Exit code of a task if points are left but some have ended. */
  readonly progressLeft: number;
  readonly atOnce: number | null;
  readonly cores: number | null;
  readonly warning_s: number;
  /** Time without a report, in seconds, after which a running task is cancelled. */
  readonly silent_s: number;
  readonly more: readonly string[];
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** State of a submitted array, as known from the latest queries. */
interface ActiveArray {
  readonly entry: JournalEntry;
  readonly job: string;
  /** Tasks that the last query did not list. Their files may still appear with a delay. */
  absent: ReadonlySet<number>;
  readonly left: Set<number>;
  /** Last report of each running task, and the time when this process saw it. */
  readonly signs: Map<number, { at: string; seen_ms: number }>;
  readonly cancelled: Set<number>;
  ask_ms: number;
  next_ms: number;
}

/** A task that has ended although points are left. */
export interface EndedTask {
  readonly entry: JournalEntry;
  readonly job: string;
  readonly index: number;
  readonly ids: readonly string[];
}

export class JobArrays {
  readonly #options: JobArrayOptions;
  readonly #journal: Journal;
  readonly #facts: ClusterFacts;
  readonly #active: ActiveArray[] = [];

  constructor(options: JobArrayOptions, journal: Journal, facts: ClusterFacts) {
    this.#options = options;
    this.#journal = journal;
    this.#facts = facts;
  }

  /** Whether no further array may be submitted now. */
  get isFull(): boolean {
    return this.#active.length >= MAX_ARRAYS;
  }

  /** Ids of the points in tasks that have not ended. */
  get activePoints(): ReadonlySet<string> {
    return new Set(
      this.#active.flatMap(({ entry, left }) => entry.tasks.flatMap((ids, index) => (left.has(index) ? [] : ids))),
    );
  }

  /** Adds the jobs that an earlier process submitted. A job whose id was not recorded is found by its name. */
  async recover(): Promise<void> {
    for (const { entry, job } of await this.#journal.openSubmissions()) {
      const found = job ?? (await this.#findJob(entry.tag));
      if (this.#options.signal.aborted) return;
      if (found === null) {
        // The job was never submitted or is over. Its points without a result are submitted again.
        await this.#journal.recordEnd(entry.tag);
        continue;
      }
      if (job === null) await this.#journal.recordJob(entry.tag, found);
      // The job ended while no process watched the study. The reason is unknown, for example a full disk, so its tasks
      // do not count as attempts.
      if ((await this.#options.slurm.tasks(found))?.size === 0) await this.#journal.recordEnd(entry.tag);
      else this.#addArray(entry, found);
    }
  }

  /** Finds a job by its name, and waits until Slurm answers. Null if there is no such job. */
  async #findJob(tag: string): Promise<string | null> {
    const { slurm, signal, say } = this.#options;
    for (let wait_ms: number = POLL_MS.soonest; !signal.aborted; wait_ms = Math.min(2 * wait_ms, POLL_MS.away)) {
      const found = await slurm.find(tag, this.#facts);
      if (found !== undefined) return found;
      say('Slurm does not respond; trying again.');
      await sleep(wait_ms, undefined, { signal }).catch(() => undefined);
    }
    return null;
  }

  #addArray(entry: JournalEntry, job: string): void {
    const now_ms = performance.now();
    this.#active.push({
      ...{ entry, job, absent: new Set<number>(), left: new Set(), signs: new Map(), cancelled: new Set() },
      ...{ ask_ms: POLL_MS.soonest, next_ms: now_ms + POLL_MS.soonest },
    });
  }

  async submit(tasks: JournalEntry['tasks'], attempt: number): Promise<void> {
    const { folder, program, progressLeft, say, signal } = this.#options;
    const entry = await this.#journal.recordSubmission(folder, tasks, attempt);
    const script = taskScript([...program, entry.tag], progressLeft);
    await writeFile(this.#journal.pathOf(entry.tag, 'task.sh'), script, { mode: 0o755 });
    let wait_ms: number = POLL_MS.soonest;
    for (let i = 1; ; i += 1) {
      try {
        await this.#recordAccepted(entry, await this.#callSbatch(entry));
        return;
      } catch (error) {
        // Slurm may have accepted the job although its response was lost, so search for it before submitting again.
        const job = await this.#options.slurm.find(entry.tag, this.#facts);
        if (typeof job === 'string') {
          await this.#recordAccepted(entry, job);
          return;
        }
        if (
          i >= MAX_SUBMITS ||
          signal.aborted ||
          (job === null && error instanceof BraggError && error.code === 'invalid')
        ) {
          if (job === null) await this.#journal.recordEnd(entry.tag);
          throw error;
        }
        say(`${messageOf(error)}; trying again.`);
        await sleep(wait_ms, undefined, { signal }).catch(() => undefined);
        wait_ms = Math.min(2 * wait_ms, POLL_MS.away);
      }
    }
  }

  /** Calls sbatch. Returns the id of the job. */
  #callSbatch({ tag, tasks }: JournalEntry): Promise<string> {
    const { slurm, atOnce, cores, warning_s, more } = this.#options;
    const output = this.#journal.pathOf(tag, 'output', '%a.txt');
    const script = this.#journal.pathOf(tag, 'task.sh');
    return slurm.submit({ tag, script, tasks: tasks.length, atOnce, cores, warning_s, output, more });
  }

  async #recordAccepted(entry: JournalEntry, job: string): Promise<void> {
    await this.#journal.recordJob(entry.tag, job);
    this.#addArray(entry, job);
  }

  /**
   * Queries each array whose interval is over. `missing`: points without a result. `handleEnded` is awaited before the
   * array is removed.
   */
  async poll(missing: ReadonlySet<string>, handleEnded: (task: EndedTask) => Promise<void>): Promise<void> {
    for (const active of [...this.#active]) {
      if (performance.now() < active.next_ms) continue;
      const tasks = await this.#options.slurm.tasks(active.job);
      if (tasks === undefined) {
        active.ask_ms = Math.min(2 * active.ask_ms, POLL_MS.away);
      } else {
        const changed = await this.#updateArray(active, tasks, missing, handleEnded);
        active.ask_ms = changed ? POLL_MS.soonest : Math.min(1.5 * active.ask_ms, POLL_MS.latest);
      }
      active.next_ms = performance.now() + active.ask_ms;
    }
  }

  /** Updates the state of an array. Returns true if anything has changed since the last query. */
  async #updateArray(
    active: ActiveArray,
    tasks: ReadonlyMap<number, ClusterTask>,
    missing: ReadonlySet<string>,
    handleEnded: (task: EndedTask) => Promise<void>,
  ): Promise<boolean> {
    const { entry, job } = active;
    await this.#recordReports(active);
    let changed = await this.#cancelSilent(active, tasks, missing);
    const absent = new Set<number>();
    for (const [index, ids] of entry.tasks.entries()) {
      // Skip active tasks, which a restarted controller may have forgotten.
      if (tasks.has(index) || active.left.has(index) || isActive(active, index)) continue;
      absent.add(index);
      // A task has ended only if two queries did not list it, because files may appear with a delay.
      if (!active.absent.has(index)) {
        changed = true;
        continue;
      }
      active.left.add(index);
      changed = true;
      const undone = ids.filter((id) => missing.has(id));
      if (undone.length > 0) await handleEnded({ entry, job, index, ids: undone });
    }
    active.absent = absent;
    if (active.left.size === entry.tasks.length) await this.#removeArray(active);
    return changed;
  }

  /** Records the reports of a job's tasks. Clocks of nodes differ, so only a change in the time of a report counts. */
  async #recordReports({ job, signs }: ActiveArray): Promise<void> {
    for (const { job: whose, at } of (await this.#options.folder.readHeartbeats()).values()) {
      const [array, index] = whose?.split('_') ?? [];
      if (array !== job || index === undefined || signs.get(Number(index))?.at === at) continue;
      signs.set(Number(index), { at, seen_ms: performance.now() });
    }
  }

  /**
   * Cancels tasks that Slurm lists as running although their processes are dead. This happens if Slurm's own monitor
   * process was killed.
   */
  async #cancelSilent(
    { job, signs, cancelled, entry }: ActiveArray,
    tasks: ReadonlyMap<number, ClusterTask>,
    missing: ReadonlySet<string>,
  ): Promise<boolean> {
    const { slurm, silent_s, say } = this.#options;
    const running = [...tasks].filter(([, { state }]) => state === 'R');
    let changed = false;
    for (const [index, { node }] of running) {
      const sign = signs.get(index) ?? { at: '', seen_ms: performance.now() };
      signs.set(index, sign);
      if (performance.now() - sign.seen_ms < silent_s * 1000 || cancelled.has(index)) continue;
      cancelled.add(index);
      changed = true;
      const undone = (entry.tasks[index] ?? []).filter((id) => missing.has(id)).length;
      say(
        `Task ${job}_${index} on ${node} has reported nothing for ${silent_s} s, with ${undone} points left: it is cancelled.`,
      );
      await slurm.cancel(`${job}_${index}`);
    }
    return changed;
  }

  /** Waits a limited time for all jobs to end. Cancels jobs that still run although their points have ended. */
  async waitForEnd(atOnce: boolean): Promise<void> {
    const { slurm } = this.#options;
    const begun_ms = performance.now();
    let cancelled = false;
    while (this.#active.length > 0 && performance.now() - begun_ms < LEAVE_MS) {
      if (!cancelled && (atOnce || performance.now() - begun_ms > END_MS)) {
        cancelled = true;
        for (const { job } of this.#active) await slurm.cancel(job);
      }
      for (const active of [...this.#active]) {
        const tasks = await slurm.tasks(active.job);
        if (tasks === undefined) return;
        if (tasks.size === 0) await this.#removeArray(active);
      }
      await sleep(LEAVE_POLL_MS);
    }
  }

  async #removeArray(active: ActiveArray): Promise<void> {
    await this.#journal.recordEnd(active.entry.tag);
    this.#active.splice(this.#active.indexOf(active), 1);
  }
}

/** Whether a task has reported recently. */
function isActive({ signs }: ActiveArray, index: number): boolean {
  const sign = signs.get(index);
  return sign !== undefined && sign.at !== '' && performance.now() - sign.seen_ms < ACTIVE_MS;
}
