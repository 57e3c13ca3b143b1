/**
 * A task of a user kernel, as the host sees every task: the engine's object in the kernel's process. That process
 * never has an answer: it hands its results over, and this one compares them.
 */

import { rm } from 'node:fs/promises';
import path from 'node:path';
import { USER_PROBLEM } from '../../../contract/scenario/user-problem/index.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import type {
  NativeTask,
  TaskPreparation,
  TaskProblem,
  TaskQuantity,
  TaskSample,
  TaskSampling,
  TaskVerdict,
} from '../../io/addon/task.ts';
import { constantsOf } from '../../model/tuning/constants.ts';
import type { UserKernel } from '../../model/user-kernels/file.ts';
import type { Lease, LoadedUserKernel } from '../../model/user-kernels/loaded.ts';
import { forCandidate } from './user-problem/definition.ts';

type Report = Pick<TaskVerdict, 'checks' | 'compared'>;

/** Answers of users' programs in memory, the newest. */
const MOST_JUDGES = 16;
const judges = new Map<string, NativeTask>();

/** The seat of candidates on the CPU. */
const JUDGE = 'problem-cpu';

/** With the variant that the kernel replaces, and a candidate's launches. */
function engineProblem({ id, base, candidate, whole }: UserKernel, problem: TaskProblem): TaskProblem {
  const own = { ...problem, variant: base.id };
  return candidate === undefined ? own : forCandidate(own, id, candidate, constantsOf(whole, candidate.constants, id));
}

/** One that is wrong now and then is wrong; null is not a number, which is the worst. */
function worstOf(a: Report, b: Report): Report {
  if (a.checks.length === 0) return b;
  const checks = a.checks.map((check, i) => {
    const other = b.checks[i] ?? check;
    return other.value === null || (check.value !== null && other.value > check.value) ? other : check;
  });
  return { checks, compared: a.compared };
}

export class UserKernelTask implements NativeTask {
  readonly plan: NativeTask['plan'];
  readonly #engine: NativeAddon;
  readonly #session: LoadedUserKernel;
  readonly #problem: TaskProblem;
  #lease: Lease | null = null;
  /** Knows the answer to the problem as it is prepared. */
  #judge: NativeTask | null = null;
  #cancelled = false;

  /** Throws what the engine throws of a problem that it refuses. Runs no code of the variant. */
  constructor(engine: NativeAddon, session: LoadedUserKernel, problem: TaskProblem) {
    const { kernel } = session;
    this.#engine = engine;
    this.#session = session;
    this.#problem = engineProblem(kernel, problem);
    this.plan = { ...engine.createTask(this.#problem).plan, variant: kernel.id };
  }

  async prepare(seed: number = this.#problem.seed): Promise<TaskPreparation | null> {
    if (this.#cancelled) return null;
    this.#lease?.discard();
    const problem = { ...this.#problem, seed };
    this.#judge = await this.#judgeOf(problem);
    this.#lease = await this.#session.lease('createTask', problem, this.plan.estimate_bytes);
    return this.#call('prepare', []);
  }

  async sample({ audit, ...options }: TaskSampling): Promise<TaskSample | null> {
    const handed = audit === undefined ? options : { ...options, audit: 'handed-over' };
    const sample = await this.#call<TaskSample>('sample', [handed]);
    if (sample === null) return null;
    const received_ns = Number(process.hrtime.bigint());
    if (sample.audit === null) return { ...sample, received_ns };
    const judging = performance.now();
    const report = await this.#judged(sample.audit.results);
    const seconds = sample.audit.seconds + (performance.now() - judging) / 1000;
    return { ...sample, received_ns, audit: { ...sample.audit, ...report, results: [], seconds } };
  }

  async check(runs: number): Promise<TaskVerdict | null> {
    const verdict = await this.#call<TaskVerdict>('check', [runs, false]);
    if (verdict === null) return null;
    let report: Report = { checks: [], compared: '' };
    for (const results of verdict.unjudged) report = worstOf(report, await this.#judged(results));
    return { ...verdict, ...report, holds: report.checks.every(({ holds }) => holds), unjudged: [] };
  }

  told(): Promise<readonly TaskQuantity[] | null> {
    return this.#call('told', []);
  }

  inputs() {
    return this.#engine.createTask(this.#problem).inputs();
  }

  /** By what it was made from. */
  compare(results: readonly Float64Array[]) {
    return this.#engine.createTask(this.#problem).compare(results);
  }

  async close(): Promise<void> {
    const lease = this.#lease;
    this.#lease = null;
    if (lease === null) return;
    if (!lease.process.usable) return lease.discard();
    await lease.process.call('close', []);
    lease.release();
  }

  cancel(): void {
    this.#cancelled = true;
    this.#lease?.process.cancel();
  }

  /** The answer is computed once for all kernels that have its program; its file is removed, as the kernel may read what its user may. */
  async #judgeOf(problem: TaskProblem): Promise<NativeTask> {
    const { variant, numbers, seed, words } = problem;
    const { answer: program, sha256 } = this.#session.kernel;
    const key = JSON.stringify([variant, program ?? sha256, numbers, seed, words]);
    const found = judges.get(key);
    if (found !== undefined) return found;
    const answer = await this.#session.answer(problem);
    // Answers of a reference are compared on the CPU, whatever computes the results.
    const judge = this.#engine.createTask(
      answer === null
        ? problem
        : { ...problem, ...(problem.workload === USER_PROBLEM && { variant: JUDGE }), words: { ...words, answer } },
    );
    if (answer !== null) {
      await judge.compare([]);
      if (seed !== this.#problem.seed) await rm(path.dirname(answer), { recursive: true, force: true });
      const [oldest] = judges.keys();
      if (judges.size >= MOST_JUDGES && oldest !== undefined) judges.delete(oldest);
      judges.set(key, judge);
    }
    return judge;
  }

  async #judged(results: readonly Float64Array[]): Promise<Report> {
    const report = (await this.#judge?.compare(results)) ?? null;
    if (report === null) throw new Error('results were handed over before the task was prepared');
    return report;
  }

  /** Each within the time limit. After one that failed nothing is known of the process. */
  async #call<T>(method: string, args: readonly unknown[]): Promise<T | null> {
    const lease = this.#lease;
    if (this.#cancelled || lease === null) return null;
    try {
      return (await lease.run(method, args)) as T | null;
    } catch (error) {
      this.#lease = null;
      lease.discard();
      throw error;
    }
  }
}
