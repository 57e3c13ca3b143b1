/**
 * Solves the points of a study on a Slurm cluster. All state is in files: this process only submits tasks and polls. It
 * may be killed at any time; the next process finds the jobs by the journal.
 */
import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { BraggError, messageOf } from '../../../../contract/errors.ts';
import type { PlanLine, Study } from '../../../../contract/study/index.ts';
import { identifyThisMachine } from '../../../io/files/this-machine.ts';
import type { StudyFolder } from '../../../model/studies/folder.ts';
import { Rate, type StudyEnd, type StudyOutcome, type StudyProgress } from '../local/engine.ts';
import type { SolvingHost } from '../plan.ts';
import { PointSolver } from '../points/solver.ts';
import type { ClusterFacts, ClusterTask, Slurm } from './slurm.ts';
import { arraysOf, type Entry, Journal, MAX_TRIES, type TaskSize, taskScript, tasksOf } from './task.ts';

const LOOK_MS = 500;
const beatName = (): string => `${hostname()}-${process.pid}`;
/**
 * Interval between queries of an array: longer after each query without a change, and longest while Slurm does not
 * answer.
 */
const POLL_MS = { soonest: 1000, latest: 30_000, away: 60_000 } as const;
/**
 * Maximum number of arrays submitted at the same time, because Slurm keeps a record of each task and each array is
 * polled.
 */
const MAX_ARRAYS = 8;
/** Maximum number of calls of sbatch while Slurm does not accept the job. */
const MAX_SUBMITS = 8;
/** Longest wait of a stopped study for its jobs to end. */
const LEAVE_MS = 20_000;
/** A task without a report for this long is not considered active; active tasks report every second. */
const ACTIVE_MS = 10_000;
/** Time for a task to exit after its points have ended. */
const END_MS = 5000;

interface SlurmOptions {
  readonly host: SolvingHost;
  readonly folder: StudyFolder;
  readonly lines: readonly PlanLine[];
  readonly slurm: Slurm;
  /** Words that start this command line on a node. */
  readonly program: readonly string[];
  /** Exit code of the task if points are left and some have ended. */
  readonly progressLeft: number;
  readonly size: TaskSize;
  readonly atOnce: number | null;
  readonly cores: number | null;
  readonly warning_s: number;
  /** A running task that has not reported for this long is abandoned. */
  readonly silent_s: number;
  readonly more: readonly string[];
  readonly budget: Study['budget'];
  readonly signal: AbortSignal;
  readonly onProgress: (progress: StudyProgress) => void;
  readonly say: (line: string) => void;
}

/** Present knowledge of a submitted array. */
interface Active {
  readonly entry: Entry;
  readonly job: string;
  /** Tasks that were absent in the last query; their files may still appear with a delay. */
  absent: ReadonlySet<number>;
  readonly left: Set<number>;
  /** Last report of each running task, and the time when it was seen. */
  readonly signs: Map<number, { at: string; seen_ms: number }>;
  readonly cancelled: Set<number>;
  ask_ms: number;
  next_ms: number;
}

export class SlurmEngine {
  readonly #options: SlurmOptions;
  readonly #journal: Journal;
  readonly #active: Active[] = [];
  /** Number of failed attempts of each point. */
  readonly #tries = new Map<string, number>();
  readonly #rate = new Rate();
  readonly #started = new Date().toISOString();

  constructor(options: SlurmOptions) {
    this.#options = options;
    this.#journal = new Journal(options.folder);
  }

  /**
   * Throws errors that prevent every point from being solved. Aborting the signal leaves jobs running; a stop request
   * cancels them.
   */
  async run(): Promise<StudyOutcome> {
    const { folder, slurm, lines, budget, signal, onProgress } = this.#options;
    const facts = await slurm.probe();
    const begun_ms = performance.now();
    const wanted = lines.slice(0, budget.points ?? lines.length);
    const most_ms = (budget.minutes ?? Number.POSITIVE_INFINITY) * 60_000;
    // Tasks check only the files, so delete the failures that are to be retried.
    const before = await folder.ended();
    for (const { id } of wanted) if (before.get(id) === 'failed') await folder.forgetFailure(id);
    await this.#recover(facts);
    let counted = 0;
    const progress = async (): Promise<{ readonly now: StudyProgress; readonly left: readonly PlanLine[] }> => {
      const ended = await folder.ended();
      const states = wanted.map(({ id }) => ended.get(id));
      const done = states.filter((state) => state === 'done').length;
      const failed = states.filter((state) => state === 'failed').length;
      for (; counted < done + failed; counted += 1) this.#rate.count(performance.now());
      const per_s = this.#rate.per_s(performance.now());
      const rest = wanted.length - done - failed;
      const left_s = per_s === null || per_s === 0 ? null : rest / per_s;
      return {
        now: { done, failed, total: wanted.length, per_s, left_s },
        left: wanted.filter((_, i) => states[i] === undefined),
      };
    };
    for (;;) {
      const { now, left } = await progress();
      onProgress(now);
      await this.#beat(now);
      const requested = await folder.hasStopRequest();
      const late = performance.now() - begun_ms > most_ms;
      if (signal.aborted || requested || late || left.length === 0) {
        if (requested || late || left.length === 0) await this.#leave(left.length > 0);
        const last = (await progress()).now;
        await folder.endBeat(beatName()).catch(() => undefined);
        const rest = lines.length - last.done - last.failed;
        const end: StudyEnd = requested ? 'stopped' : signal.aborted ? 'cancelled' : rest > 0 ? 'budget' : 'whole';
        return { ...last, end, wall_s: (performance.now() - begun_ms) / 1000 };
      }
      await this.#look(facts, left);
      await this.#submitLeft(facts, left);
      await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Records that this process watches the study; rates are reported by the tasks. */
  #beat({ done, failed, total }: StudyProgress): Promise<void> {
    const who = {
      machine: hostname(),
      pid: process.pid,
      room: identifyThisMachine().processRoomId,
      job: null,
      started: this.#started,
    };
    return this.#options.folder.beat(beatName(), {
      ...who,
      at: new Date().toISOString(),
      done,
      failed,
      total,
      per_s: null,
    });
  }

  /** Recovers jobs of an earlier process, by name if it died before recording their ids. */
  async #recover(facts: ClusterFacts): Promise<void> {
    for (const { entry, job } of await this.#journal.open()) {
      const found = job ?? (await this.#find(entry.tag, facts));
      if (this.#options.signal.aborted) return;
      if (found === null) {
        // Never submitted, or already over: points without a result are submitted again.
        await this.#journal.noteOver(entry.tag);
        continue;
      }
      if (job === null) await this.#journal.noteJob(entry.tag, found);
      // The job disappeared while nobody watched. The reason is unknown, possibly a full disk, so its tasks do not
      // count as attempts.
      if ((await this.#options.slurm.tasks(found))?.size === 0) await this.#journal.noteOver(entry.tag);
      else this.#add(entry, found);
    }
  }

  /** Waits until Slurm answers. Null if it has no such job. */
  async #find(tag: string, facts: ClusterFacts): Promise<string | null> {
    const { slurm, signal, say } = this.#options;
    for (let wait_ms: number = POLL_MS.soonest; !signal.aborted; wait_ms = Math.min(2 * wait_ms, POLL_MS.away)) {
      const found = await slurm.find(tag, facts);
      if (found !== undefined) return found;
      say('Slurm does not respond; trying again.');
      await sleep(wait_ms, undefined, { signal }).catch(() => undefined);
    }
    return null;
  }

  #add(entry: Entry, job: string): void {
    const now_ms = performance.now();
    this.#active.push({
      ...{ entry, job, absent: new Set<number>(), left: new Set(), signs: new Map(), cancelled: new Set() },
      ...{ ask_ms: POLL_MS.soonest, next_ms: now_ms + POLL_MS.soonest },
    });
  }

  /** Submits points that are not in an active task. */
  async #submitLeft(facts: ClusterFacts, left: readonly PlanLine[]): Promise<void> {
    const { size } = this.#options;
    const held = new Set(
      this.#active.flatMap(({ entry, left: gone }) =>
        entry.tasks.flatMap((ids, index) => (gone.has(index) ? [] : ids)),
      ),
    );
    const free = left.filter(({ id }) => !held.has(id));
    for (let attempt = 1; attempt <= MAX_TRIES; attempt += 1) {
      const own = free.filter(({ id }) => (this.#tries.get(id) ?? 0) + 1 === attempt);
      if (own.length === 0) continue;
      for (const tasks of arraysOf(tasksOf(own, attempt, size), facts.maxArraySize)) {
        if (this.#options.signal.aborted || this.#active.length >= MAX_ARRAYS) return;
        await this.#submit(facts, tasks, attempt);
        if (await this.#options.folder.hasStopRequest()) return;
      }
    }
  }

  async #submit(facts: ClusterFacts, tasks: Entry['tasks'], attempt: number): Promise<void> {
    const { slurm, folder, program, atOnce, cores, warning_s, more, say, signal } = this.#options;
    const entry = await this.#journal.begin(folder, tasks, attempt);
    const { tag } = entry;
    const script = this.#journal.of(tag, 'task.sh');
    await writeFile(script, taskScript([...program, tag], this.#options.progressLeft), { mode: 0o755 });
    const output = this.#journal.of(tag, 'output', '%a.txt');
    let wait_ms: number = POLL_MS.soonest;
    for (let i = 1; ; i += 1) {
      try {
        const job = await slurm.submit({ tag, script, tasks: tasks.length, atOnce, cores, warning_s, output, more });
        await this.#journal.noteJob(tag, job);
        this.#add(entry, job);
        return;
      } catch (error) {
        // The job may have been accepted before the response was lost, so search for it before submitting again.
        const job = await slurm.find(tag, facts);
        if (typeof job === 'string') {
          await this.#journal.noteJob(tag, job);
          this.#add(entry, job);
          return;
        }
        if (
          i >= MAX_SUBMITS ||
          signal.aborted ||
          (job === null && error instanceof BraggError && error.code === 'invalid')
        ) {
          if (job === null) await this.#journal.noteOver(tag);
          throw error;
        }
        say(`${messageOf(error)}; trying again.`);
        await sleep(wait_ms, undefined, { signal }).catch(() => undefined);
        wait_ms = Math.min(2 * wait_ms, POLL_MS.away);
      }
    }
  }

  /** Polls every array that is due. */
  async #look(facts: ClusterFacts, left: readonly PlanLine[]): Promise<void> {
    const missing = new Set(left.map(({ id }) => id));
    for (const active of [...this.#active]) {
      const now_ms = performance.now();
      if (now_ms < active.next_ms) continue;
      const tasks = await this.#options.slurm.tasks(active.job);
      if (tasks === undefined) {
        active.ask_ms = Math.min(2 * active.ask_ms, POLL_MS.away);
      } else {
        const changed = await this.#take(facts, active, tasks, missing);
        active.ask_ms = changed ? POLL_MS.soonest : Math.min(1.5 * active.ask_ms, POLL_MS.latest);
      }
      active.next_ms = performance.now() + active.ask_ms;
    }
  }

  /** Returns true if anything has changed since the last query. */
  async #take(
    facts: ClusterFacts,
    active: Active,
    tasks: ReadonlyMap<number, ClusterTask>,
    missing: ReadonlySet<string>,
  ): Promise<boolean> {
    const { entry, job } = active;
    await this.#listen(active);
    let changed = await this.#giveUpSilent(active, tasks, missing);
    const absent = new Set<number>();
    for (const [index, ids] of entry.tasks.entries()) {
      // A restarted controller may have forgotten a task that still works.
      if (tasks.has(index) || active.left.has(index) || isActive(active, index)) continue;
      absent.add(index);
      // Only tasks that were absent twice have ended, because files may appear with a delay.
      if (!active.absent.has(index)) {
        changed = true;
        continue;
      }
      active.left.add(index);
      changed = true;
      const undone = ids.filter((id) => missing.has(id));
      if (undone.length > 0) await this.#lost(facts, { entry, job }, index, undone);
    }
    active.absent = absent;
    if (active.left.size === entry.tasks.length) await this.#over(active);
    return changed;
  }

  /**
   * Handles a task that ended with points left: they are tried again in smaller tasks, and finally recorded as failed.
   */
  async #lost(
    facts: ClusterFacts,
    { entry, job }: Pick<Active, 'entry' | 'job'>,
    index: number,
    ids: readonly string[],
  ) {
    const { folder, host, lines, slurm, signal } = this.#options;
    const attempts = (await this.#journal.attempts(entry.tag)).filter(({ task }) => task === index);
    const last = attempts.at(-1);
    const told = (await slurm.end(job, index, facts)) ?? 'reason not known';
    const end = `${last?.end ?? 'without a word'} (${told})`;
    if (last !== undefined && last.end === null) {
      await this.#journal.keepAttempt(entry.tag, { ...last, finished: new Date().toISOString(), end });
    }
    const writer = new PointSolver({
      ...{ host, head: folder.head, study: folder.study, signal },
      ...{ as: 'runs', slots: 1, threads: null, at_once: 1, job: `${job}_${index}` },
    });
    for (const id of ids) {
      const tries = (this.#tries.get(id) ?? entry.attempt - 1) + 1;
      this.#tries.set(id, tries);
      const line = lines.find((one) => one.id === id);
      if (tries < MAX_TRIES || line === undefined) continue;
      const where = last === undefined ? '' : ` on ${last.node}`;
      const says = `Its task ended ${tries} times without a result, the last time${where}: ${end}.`;
      await folder.write(writer.failed(line, 'internal', says));
    }
  }

  /** Records reports of the job's tasks. Clocks of nodes differ, so only a change of a report's time counts. */
  async #listen({ job, signs }: Active): Promise<void> {
    for (const { job: whose, at } of (await this.#options.folder.beats()).values()) {
      const [array, index] = whose?.split('_') ?? [];
      if (array !== job || index === undefined || signs.get(Number(index))?.at === at) continue;
      signs.set(Number(index), { at, seen_ms: performance.now() });
    }
  }

  /**
   * Abandons tasks that Slurm lists as running although their processes are dead, such as after its own monitor process
   * was killed.
   */
  async #giveUpSilent(
    { job, signs, cancelled, entry }: Active,
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

  /** Waits a limited time for all jobs to end, and cancels jobs that still run without work. */
  async #leave(atOnce: boolean): Promise<void> {
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
        if (tasks.size === 0) await this.#over(active);
      }
      await sleep(LOOK_MS);
    }
  }

  async #over(active: Active): Promise<void> {
    await this.#journal.noteOver(active.entry.tag);
    this.#active.splice(this.#active.indexOf(active), 1);
  }
}

/** Whether a task has reported recently. */
function isActive({ signs }: Active, index: number): boolean {
  const sign = signs.get(index);
  return sign !== undefined && sign.at !== '' && performance.now() - sign.seen_ms < ACTIVE_MS;
}
