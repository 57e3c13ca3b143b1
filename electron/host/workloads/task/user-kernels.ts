/**
 * User kernels of small measured workloads. The task object implements the engine's interface, but the process of the
 * user's kernel computes the result. That process never knows the answer: it returns results, and this process compares
 * them.
 */
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { SessionReport } from '../../../contract/bench/session.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { TaskKind } from '../../../contract/scenario/kinds.ts';
import { USER_PROBLEM } from '../../../contract/scenario/user-problem/index.ts';
import { type UserKernelVerdict, userKernelVerdict } from '../../../contract/user-kernels/checks.ts';
import { errorFromNative, type NativeAddon } from '../../io/addon/addon.ts';
import type {
  NativeTask,
  PreparedTask,
  TaskProblem,
  TaskQuantity,
  TaskSample,
  TaskSampleOptions,
  TaskVariant,
  TaskVerdict,
} from '../../io/addon/task.ts';
import { ANSWER_FILE } from '../../model/reproducer/reproducer.ts';
import { readConstants } from '../../model/tuning/constants.ts';
import type { UserKernel } from '../../model/user-kernels/file.ts';
import { addUserKernels, type LoadedUserKernel, type ProcessLease } from '../../model/user-kernels/loaded.ts';
import { runOf } from '../run-data.ts';
import { problemOf } from '../scenarios/scenarios.ts';
import { kernelReplacementError, replaceableRule, type UserKernelWorkload } from '../workload.ts';
import { isTask } from './scenario/index.ts';
import { withLaunches } from './user-problem/definition.ts';

type Report = Pick<TaskVerdict, 'checks' | 'compared'>;

/** Maximum number of cached answers from users' reference programs. Adding another one evicts the oldest. */
const MAX_JUDGES = 16;
const judges = new Map<string, NativeTask>();

/**
 * Suffix of the name of a number in the engine's problem. The number is the seed that alters the inputs; without it
 * they are unaltered.
 */
const ALTERED_SUFFIX = '.altered';

/** Engine variant that candidates on the CPU replace. It also compares results with the answer. */
const JUDGE = 'problem-cpu';

/** Builds the engine's problem with the variant that the kernel replaces, and with the launches of a candidate. */
function engineProblem({ id, base, candidate, expandedText }: UserKernel, problem: TaskProblem): TaskProblem {
  const own = { ...problem, variant: base.id };
  return candidate === undefined
    ? own
    : withLaunches(own, id, candidate, readConstants(expandedText, candidate.constants, id));
}

/**
 * Returns the worse value of each check, because a kernel with an intermittent error is wrong. Null means NaN, which is
 * worst.
 */
function worseReport(a: Report, b: Report): Report {
  if (a.checks.length === 0) return b;
  const checks = a.checks.map((check, i) => {
    const other = b.checks[i] ?? check;
    return other.value === null || (check.value !== null && other.value > check.value) ? other : check;
  });
  return { checks, compared: a.compared };
}

/**
 * Whether all values of an answer are finite. Infinities cannot be checked, because programs may represent them
 * differently.
 */
async function hasFiniteValues(answer: string): Promise<boolean> {
  const bytes = new Uint8Array(await readFile(answer));
  return new Float64Array(bytes.buffer).every(Number.isFinite);
}

/** Maximum number of comparisons that a task records. Sessions make some tens. */
const MAX_COMPARISONS = 10_000;
/** Step index of spans that do not belong to a step, as in native/engine/spans.hpp. */
const NO_STEP = 2 ** 32 - 1;

class UserKernelTask implements NativeTask {
  readonly plan: NativeTask['plan'];
  readonly #engine: NativeAddon;
  readonly #session: LoadedUserKernel;
  readonly #problem: TaskProblem;
  #lease: ProcessLease | null = null;
  /** Engine task that has the answer to the prepared problem and compares results with it. */
  #judge: NativeTask | null = null;
  /** Engine task with the answer for altered inputs. Null if there is none. */
  #alteredJudge: NativeTask | null = null;
  #cancelled = false;
  /** Time intervals in which this process compared results, by the machine's monotonic clock. */
  readonly #compared: { readonly start_ns: number; readonly end_ns: number }[] = [];

  /** Throws if the engine rejects the problem. Does not run the user's code. */
  constructor(engine: NativeAddon, session: LoadedUserKernel, problem: TaskProblem) {
    const { kernel } = session;
    this.#engine = engine;
    this.#session = session;
    this.#problem = engineProblem(kernel, problem);
    this.plan = { ...engine.createTask(this.#problem).plan, variant: kernel.id };
  }

  async prepare(seed: number = this.#problem.seed, altered?: number): Promise<PreparedTask | null> {
    if (this.#cancelled) return null;
    this.#lease?.discard();
    const problem = { ...this.#problem, seed };
    this.#judge = await this.#answerTask(problem);
    this.#alteredJudge = altered === undefined ? null : await this.#alteredAnswerTask(problem, altered);
    this.#lease = await this.#session.lease('createTask', problem, this.plan.estimate_bytes);
    return this.#call('prepare', []);
  }

  async sample({ audit, ...options }: TaskSampleOptions): Promise<TaskSample | null> {
    const handed = audit === undefined ? options : { ...options, audit: 'handed-over' };
    const sample = await this.#call<TaskSample>('sample', [handed]);
    if (sample === null) return null;
    const received_ns = Number(process.hrtime.bigint());
    const between = this.#lease?.process.takeUsageBetweenCalls();
    const timedSample = { ...sample, received_ns, ...(between !== undefined && { between }) };
    if (sample.audit === null) return this.#withComparisons(timedSample);
    const judging = performance.now();
    const report = await this.#compareWithAnswer(sample.audit.results);
    const { altered, ...audited } = sample.audit;
    const others = altered === undefined ? null : await this.#compare(this.#alteredJudge, altered);
    const seconds = sample.audit.seconds + (performance.now() - judging) / 1000;
    const judged = { ...audited, ...report, ...(others !== null && { alteredChecks: others.checks }) };
    return this.#withComparisons({ ...timedSample, audit: { ...judged, results: [], seconds } });
  }

  async check(runs: number): Promise<TaskVerdict | null> {
    const verdict = await this.#call<TaskVerdict>('check', [runs, false]);
    if (verdict === null) return null;
    let report: Report = { checks: [], compared: '' };
    for (const results of verdict.unjudged) report = worseReport(report, await this.#compareWithAnswer(results));
    return { ...verdict, ...report, holds: report.checks.every(({ holds }) => holds), unjudged: [] };
  }

  told(): Promise<readonly TaskQuantity[] | null> {
    return this.#call('told', []);
  }

  inputs() {
    return this.#engine.createTask(this.#problem).inputs();
  }

  /** Compares results by the variant that the kernel is based on. */
  compare(results: readonly Float64Array[]) {
    return this.#engine.createTask(this.#problem).compare(results);
  }

  async close(): Promise<void> {
    const lease = this.#lease;
    this.#lease = null;
    if (lease === null) return;
    if (!lease.process.isUsable) return lease.discard();
    await lease.process.call('close', []);
    lease.release();
  }

  cancel(): void {
    this.#cancelled = true;
    this.#lease?.process.cancel();
  }

  /**
   * Returns the engine task with the answer to a problem, which is computed once for all kernels with the same program.
   * Its file is then removed, because a kernel could read it with the user's permissions.
   */
  async #answerTask(problem: TaskProblem): Promise<NativeTask> {
    const { variant, numbers, seed, words } = problem;
    const { referenceProgram: program, sha256 } = this.#session.kernel;
    const key = JSON.stringify([variant, program ?? sha256, numbers, seed, words]);
    const found = judges.get(key);
    if (found !== undefined) return found;
    const answer = await this.#session.answer(problem);
    // The CPU compares results with the answer of a reference program, even if they come from a GPU.
    const judge = this.#engine.createTask(
      answer === null ? problem : { ...problem, variant: JUDGE, words: { ...words, answer } },
    );
    if (answer !== null) {
      const isKnown = !(ALTERED_SUFFIX in numbers) || (await hasFiniteValues(answer));
      if (isKnown) await judge.compare([]);
      if (seed !== this.#problem.seed || ALTERED_SUFFIX in numbers)
        await rm(path.dirname(answer), { recursive: true, force: true });
      if (!isKnown) throw new BraggError('unsupported', 'the altered inputs have no finite result');
      const [oldest] = judges.keys();
      if (judges.size >= MAX_JUDGES && oldest !== undefined) judges.delete(oldest);
      judges.set(key, judge);
    }
    return judge;
  }

  /** Computes the answer for altered inputs. Null if the reference program rejects them. */
  async #alteredAnswerTask(problem: TaskProblem, altered: number): Promise<NativeTask | null> {
    if (this.#session.kernel.referenceProgram === null) return null;
    try {
      return await this.#answerTask({ ...problem, numbers: { ...problem.numbers, [ALTERED_SUFFIX]: altered } });
    } catch (error) {
      const { code } = errorFromNative(error);
      if (code === 'invalid' || code === 'unsupported') return null;
      throw error;
    }
  }

  async #compareWithAnswer(results: readonly Float64Array[]): Promise<Report> {
    const report = await this.#compare(this.#judge, results);
    if (report === null) throw new Error('results were sent before the task was prepared');
    return report;
  }

  async #compare(judge: NativeTask | null, results: readonly Float64Array[]): Promise<Report | null> {
    const start_ns = Number(process.hrtime.bigint());
    const report = (await judge?.compare(results)) ?? null;
    if (this.#compared.length < MAX_COMPARISONS)
      this.#compared.push({ start_ns, end_ns: Number(process.hrtime.bigint()) });
    return report;
  }

  /** Adds comparisons by this process to the spans of the kernel's process, on the lane of its calls. */
  #withComparisons(sample: TaskSample): TaskSample {
    const { spans } = sample;
    const since = this.#compared.filter(({ start_ns }) => start_ns >= sample.origin_ns);
    // The recording of a GPU begins after all comparisons, so include the latest one before it.
    const all = since.length > 0 ? since : this.#compared.slice(-1);
    const origin_ns = Math.min(sample.origin_ns, ...all.map(({ start_ns }) => start_ns));
    if (all.length === 0) return sample;
    const later_ns = sample.origin_ns - origin_ns;
    const extended = <T extends Uint16Array | Uint32Array | Float64Array>(column: T, values: readonly number[]): T => {
      const out = new (column.constructor as new (length: number) => T)(column.length + values.length);
      out.set(column);
      out.set(values, column.length);
      return out;
    };
    const repeatValue = (value: number): readonly number[] => all.map(() => value);
    return {
      ...sample,
      origin_ns,
      spans: {
        ...spans,
        names: [...spans.names, 'compare'],
        name: extended(spans.name, repeatValue(spans.names.length)),
        thread: extended(spans.thread, repeatValue(0)),
        step: extended(spans.step, repeatValue(NO_STEP)),
        start_ns: extended(
          spans.start_ns.map((at) => at + later_ns),
          all.map(({ start_ns }) => start_ns - origin_ns),
        ),
        end_ns: extended(
          spans.end_ns.map((at) => at + later_ns),
          all.map(({ end_ns }) => end_ns - origin_ns),
        ),
      },
    };
  }

  /**
   * Calls the kernel's process with a time limit. After an error the state of the process is unknown, so it is
   * discarded.
   */
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

/**
 * Source files that a user kernel cannot replace, because the engine itself uses them: `row.cpp` lists variants;
 * `layer.cpp` and `work.cpp` contain the reference for comparisons.
 */
const engine = ['registry.cpp', 'row.cpp', 'layer.cpp', 'work.cpp'];

/** Returns the checks of a variant in a report. Null if it was not measured. */
export function taskVerdict({ entries }: Pick<SessionReport, 'entries'>, variant: string): UserKernelVerdict | null {
  const entry = entries.find((one) => one.variant === variant);
  if (entry?.status !== 'measured') return null;
  const { runs = 0, bitwise = false } = entry.determinism ?? {};
  return userKernelVerdict(entry.accuracy, { runs, bitwise, spread: null });
}

/**
 * Error for a user kernel that is not a variant of the engine. The reason does not contain its name, so the message
 * begins with it.
 */
export function unknownUserKernelError(variant: string, reason: string): BraggError {
  return new BraggError('device', reason.startsWith(variant) ? reason : `${variant}: ${reason}`);
}

/** Replaces the engine's variants of a user problem, which are placeholders, by the candidates. */
function replaceByCandidates(shipped: readonly TaskVariant[], candidates: readonly UserKernel[]): TaskVariant[] {
  const seats = shipped.filter(({ workload }) => workload === USER_PROBLEM);
  const others = shipped.filter(({ workload }) => workload !== USER_PROBLEM);
  const mine = candidates.flatMap(({ id, description, base }) => {
    const seat = seats.find((one) => one.id === base.id);
    if (seat === undefined) return [];
    const { title, changes, bench } = description;
    return [{ ...seat, id, bench, benchTitle: bench, title, changes: changes || title, buildsOn: null, source: id }];
  });
  return [...others, ...mine];
}

export function taskUserKernels(kind: TaskKind): UserKernelWorkload {
  return {
    bases: (addon) => addon.taskVariants(kind),
    replaceable: replaceableRule({ engine }),
    fixed: (base) => {
      const library = 'library' in base && typeof base.library === 'string' ? base.library : null;
      if (library !== null)
        return `${base.id} calls ${library}, whose source is not available: there is nothing to copy.`;
      return kernelReplacementError(base);
    },
    reproducedProblem: (_addon, reading, kernel) => {
      if (!isTask(reading)) throw new Error(`a scenario of kind ${reading.kind} was passed to ${kind}`);
      const problem = engineProblem(kernel, problemOf(reading));
      if (kernel.referenceProgram === null) return { kind: 'task', problem, check: null };
      const words = { ...problem.words, answer: ANSWER_FILE };
      return { kind: 'task', problem: { ...problem, words }, referenceProblem: problem, check: null };
    },
    extendEngine: (engine, known) => ({
      taskVariants: (workload) => {
        const shipped = engine.taskVariants(workload);
        if (workload !== undefined && workload !== kind) return shipped;
        return kind === USER_PROBLEM
          ? replaceByCandidates(shipped, known.list(kind))
          : addUserKernels(shipped, known.list(kind));
      },
      createTask: (problem) => {
        const isAuto = kind === USER_PROBLEM && problem.workload === kind && problem.variant === 'auto';
        const [first] = isAuto ? known.list(kind).filter(({ base }) => base.bench === problem.bench) : [];
        const kernel = first ?? (problem.workload === kind ? known.find(kind, problem.variant) : null);
        const fits = kernel !== null && kernel.base.bench === problem.bench;
        return fits ? new UserKernelTask(engine, known.loaded(kernel), problem) : engine.createTask(problem);
      },
    }),
    // The run has already repeated and compared its results.
    check: async (_addon, _reading, run) => {
      const { session, variant } = runOf(kind, run);
      const [report] = session.reports;
      return report === undefined ? null : taskVerdict(report, variant);
    },
  };
}
