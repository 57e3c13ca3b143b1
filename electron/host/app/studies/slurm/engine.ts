/**
 * Solves the points of a study on a Slurm cluster. This process only submits tasks and polls; all state is in files. It
 * may be killed at any time, because the next process finds the jobs by the journal.
 */
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlanLine, Study } from '../../../../contract/study/index.ts';
import { identifyThisMachine } from '../../../io/files/this-machine.ts';
import { Rate, type StudyEnd, type StudyOutcome, type StudyProgress } from '../local/engine.ts';
import type { SolvingHost } from '../plan.ts';
import { PointSolver } from '../points/solver.ts';
import { type EndedTask, type JobArrayOptions, JobArrays } from './arrays.ts';
import type { ClusterFacts } from './slurm.ts';
import { arraysOf, Journal, MAX_TRIES, type TaskSize, tasksOf } from './task.ts';

/** Interval between checks of the study's files. */
const CHECK_MS = 500;
const heartbeatName = (): string => `${hostname()}-${process.pid}`;

interface SlurmOptions extends JobArrayOptions {
  readonly host: SolvingHost;
  readonly lines: readonly PlanLine[];
  readonly size: TaskSize;
  readonly budget: Study['budget'];
  readonly onProgress: (progress: StudyProgress) => void;
}

interface Progress {
  readonly now: StudyProgress;
  readonly left: readonly PlanLine[];
}

export class SlurmEngine {
  readonly #options: SlurmOptions;
  readonly #journal: Journal;
  /** Number of failed attempts of each point. */
  readonly #tries = new Map<string, number>();
  readonly #rate = new Rate();
  /** Number of ended points that `#rate` already includes. */
  #counted = 0;
  readonly #started = new Date().toISOString();

  constructor(options: SlurmOptions) {
    this.#options = options;
    this.#journal = new Journal(options.folder);
  }

  /**
   * Solves the points. Throws errors that prevent every point from being solved. Aborting the signal leaves jobs
   * running; a stop request cancels them.
   */
  async run(): Promise<StudyOutcome> {
    const { folder, slurm, lines, budget, signal, onProgress } = this.#options;
    const facts = await slurm.probe();
    const begun_ms = performance.now();
    const wanted = lines.slice(0, budget.points ?? lines.length);
    const most_ms = (budget.minutes ?? Number.POSITIVE_INFINITY) * 60_000;
    await this.#forgetFailures(wanted);
    const arrays = new JobArrays(this.#options, this.#journal, facts);
    await arrays.recover();
    for (;;) {
      const { now, left } = await this.#progress(wanted);
      onProgress(now);
      await this.#sendHeartbeat(now);
      const requested = await folder.hasStopRequest();
      const late = performance.now() - begun_ms > most_ms;
      if (signal.aborted || requested || late || left.length === 0) {
        if (requested || late || left.length === 0) await arrays.waitForEnd(left.length > 0);
        const last = (await this.#progress(wanted)).now;
        await folder.removeHeartbeat(heartbeatName()).catch(() => undefined);
        const rest = lines.length - last.done - last.failed;
        const end: StudyEnd = requested ? 'stopped' : signal.aborted ? 'cancelled' : rest > 0 ? 'budget' : 'whole';
        return { ...last, end, wall_s: (performance.now() - begun_ms) / 1000 };
      }
      await arrays.poll(new Set(left.map(({ id }) => id)), (task) => this.#handleEndedTask(facts, task));
      await this.#submitLeft(arrays, facts, left);
      await sleep(CHECK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Deletes failures that are to be retried, because tasks skip points that have a result file. */
  async #forgetFailures(wanted: readonly PlanLine[]): Promise<void> {
    const { folder } = this.#options;
    const before = await folder.finishedPoints();
    for (const { id } of wanted) if (before.get(id) === 'failed') await folder.removeFailure(id);
  }

  async #progress(wanted: readonly PlanLine[]): Promise<Progress> {
    const ended = await this.#options.folder.finishedPoints();
    const states = wanted.map(({ id }) => ended.get(id));
    const done = states.filter((state) => state === 'done').length;
    const failed = states.filter((state) => state === 'failed').length;
    for (; this.#counted < done + failed; this.#counted += 1) this.#rate.count(performance.now());
    const per_s = this.#rate.per_s(performance.now());
    const rest = wanted.length - done - failed;
    const left_s = per_s === null || per_s === 0 ? null : rest / per_s;
    return {
      now: { done, failed, total: wanted.length, per_s, left_s },
      left: wanted.filter((_, i) => states[i] === undefined),
    };
  }

  /** Reports that this process watches the study. Rates are reported by the tasks. */
  #sendHeartbeat({ done, failed, total }: StudyProgress): Promise<void> {
    const who = {
      machine: hostname(),
      pid: process.pid,
      room: identifyThisMachine().processNamespaceId,
      job: null,
      started: this.#started,
    };
    return this.#options.folder.writeHeartbeat(heartbeatName(), {
      ...who,
      at: new Date().toISOString(),
      done,
      failed,
      total,
      per_s: null,
    });
  }

  /** Submits points that are not in an active task. */
  async #submitLeft(arrays: JobArrays, { maxArraySize }: ClusterFacts, left: readonly PlanLine[]): Promise<void> {
    const { size, signal, folder } = this.#options;
    const held = arrays.activePoints;
    const free = left.filter(({ id }) => !held.has(id));
    for (let attempt = 1; attempt <= MAX_TRIES; attempt += 1) {
      const own = free.filter(({ id }) => (this.#tries.get(id) ?? 0) + 1 === attempt);
      if (own.length === 0) continue;
      for (const tasks of arraysOf(tasksOf(own, attempt, size), maxArraySize)) {
        if (signal.aborted || arrays.isFull) return;
        await arrays.submit(tasks, attempt);
        if (await folder.hasStopRequest()) return;
      }
    }
  }

  /**
   * Handles a task that ended although points are left. They are tried again in smaller tasks, and finally recorded as
   * failed.
   */
  async #handleEndedTask(facts: ClusterFacts, { entry, job, index, ids }: EndedTask): Promise<void> {
    const { folder, host, lines, slurm, signal } = this.#options;
    const attempts = (await this.#journal.attempts(entry.tag)).filter(({ task }) => task === index);
    const last = attempts.at(-1);
    const reason = (await slurm.end(job, index, facts)) ?? 'reason not known';
    const end = `${last?.end ?? 'ended without a report'} (${reason})`;
    if (last !== undefined && last.end === null) {
      await this.#journal.writeAttempt(entry.tag, { ...last, finished: new Date().toISOString(), end });
    }
    const writer = new PointSolver({
      ...{ host, head: folder.head, study: folder.study, signal },
      ...{ mode: 'runs', slots: 1, threads: null, at_once: 1, job: `${job}_${index}` },
    });
    for (const id of ids) {
      const tries = (this.#tries.get(id) ?? entry.attempt - 1) + 1;
      this.#tries.set(id, tries);
      const line = lines.find((one) => one.id === id);
      if (tries < MAX_TRIES || line === undefined) continue;
      const where = last === undefined ? '' : ` on ${last.node}`;
      const says = `Its task ended ${tries} times without a result, the last time${where}: ${end}.`;
      await folder.writeResult(writer.failed(line, 'internal', says));
    }
  }
}
