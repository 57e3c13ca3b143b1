/**
 * A queued or active run of a small measured workload. It measures all variants that this machine can run, and external
 * programs. The engine compares their results with its reference.
 */
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Session } from '../../../contract/bench/session.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { TaskKind } from '../../../contract/scenario/kinds.ts';
import { USER_PROBLEM } from '../../../contract/scenario/user-problem/index.ts';
import type { TaskProgress } from '../../../contract/task.ts';
import { isUserKernelId } from '../../../contract/user-kernels.ts';
import { countText } from '../../../domain/values/units.ts';
import { errorFromNative, type NativeAddon } from '../../io/addon/addon.ts';
import { defaultGpu } from '../../io/addon/gpu.ts';
import type { TaskProblem, TaskVariant } from '../../io/addon/task.ts';
import { ALL_LANES } from '../../io/flow/lanes.ts';
import { type BenchSetup, candidateIdentity } from '../../model/bench/bench-candidate.ts';
import type { Claim } from '../../model/bench/claims.ts';
import { createColdStart } from '../../model/bench/cold/processes.ts';
import { judgeSessionClaims } from '../../model/bench/report-claims.ts';
import { createLimits } from '../../model/bench/stopping.ts';
import { type ExternalRequest, type ProgramSettings, programEntries } from '../../model/external/program-candidate.ts';
import { leastInstances } from '../../model/verdicts/precision.ts';
import { benchTaskOf, fastestRates, minSeconds, throwIfTooLong, type Work, type WorkAmount } from '../benchable.ts';
import type { MeasureVariants, RunCallbacks, WorkloadRun } from '../workload.ts';
import { costOf, costText, taskAccuracy } from './audits.ts';
import { coldRunOf, defaultSample_s, TaskBenchCandidate, type TaskMeasurementOptions } from './bench-candidate.ts';
import {
  furtherProblems,
  hiddenSeed,
  measuredVariants,
  type TaskCandidate,
  taskCandidates,
  variantsFor,
} from './candidates.ts';
import { type TaskRunData, taskRunData } from './task-data.ts';
import { mayAlterInputs } from './user-problem/definition.ts';

/**
 * Checks a program's result by a variant of the same precision, whose error bounds fit the rounding of the program.
 */
async function checkAnswer(
  addon: NativeAddon,
  problem: TaskProblem,
  arrays: readonly Float64Array[],
  precision: string,
) {
  const able = variantsFor(problem, addon.taskVariants(problem.workload)).filter((one) => one.precision === precision);
  const judge = able.find(({ device }) => device === 'cpu') ?? able[0];
  if (judge === undefined)
    throw new BraggError('unsupported', `no variant can check results in ${precision}, the precision of the program`);
  try {
    const comparison = await addon.createTask({ ...problem, variant: judge.id }).compare(arrays);
    if (comparison === null) throw new BraggError('internal', `${judge.id} returned no result`);
    return { accuracy: taskAccuracy(comparison), compared: comparison.compared };
  } catch (error) {
    throw errorFromNative(error);
  }
}

function taskTerms(
  addon: NativeAddon,
  problem: TaskProblem,
  { sample_s, staysPrepared }: Pick<TaskMeasurementOptions, 'sample_s' | 'staysPrepared'>,
): ProgramSettings {
  return {
    request: { problem },
    ...{ precision: 'fp32', samples: staysPrepared ? 'prepared' : 'anew', sample_s, size: null },
    accuracy: () => [],
    checkWithEngine: (arrays, precision) => checkAnswer(addon, problem, arrays, precision),
    values: () => null,
    // Time of a single step. Variants whose repetition has several steps report it in the same way.
    quantities: (_told, time_s) => {
      const { steps } = problem.numbers;
      if (steps === undefined) return [];
      return [{ id: 'per-step', title: 'Time per step', value: (1e6 * time_s) / steps, unit: 'µs' }];
    },
  };
}

/**
 * Maximum share of the memory that all prepared variants may use together. If they need more, each is prepared again
 * for every sample.
 */
const preparedShare = 0.5;

/**
 * Number of rounds with the same instance. Three suffice for a median that is robust to one outlier. More would not
 * show more of the variation between instances.
 */
const ROUNDS_PER_INSTANCE = 3;

/** Number of hidden seeds of a user problem in a session. */
const MAX_SEPARATE_SEEDS = 3;

/**
 * Number of kinds of input alterations. The seed modulo this number selects the kind: see `alter` in
 * native/engine/cpu_task.cpp.
 */
const ALTERATION_KINDS = 3;

/** Variants that do not remain prepared have a new instance in each round. */
const roundsPerInstance = (staysPrepared: boolean): number => (staysPrepared ? ROUNDS_PER_INSTANCE : 1);

interface TaskBenchOptions {
  /** Ids of variants, or `id:gpu` for a variant on a certain GPU. */
  readonly variants: readonly string[];
  readonly claims?: readonly Claim[];
  /** External programs to time. */
  readonly external?: ExternalRequest | null;
  /** Minimum duration of a sample in seconds, reached by repetition. */
  readonly sample_s?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

function estimateMemory(addon: NativeAddon, { problem }: TaskCandidate): number {
  try {
    return addon.createTask(problem).plan.estimate_bytes;
  } catch {
    // The error is reported in the row of the variant.
    return 0;
  }
}

/**
 * Whether all candidates fit into memory together. The first one counts twice, because it is prepared a second time as
 * the control that measures noise.
 */
function allFitIntoMemory(addon: NativeAddon, problem: TaskProblem, all: readonly TaskCandidate[]): boolean {
  const memory = defaultGpu({ cuda: addon.driverDevices() })?.memory_bytes ?? null;
  const needs = (device: 'cpu' | 'cuda'): number =>
    [...all.slice(0, 1), ...all]
      .filter(({ variant }) => variant.device === device && variant.available)
      .reduce((sum, candidate) => sum + estimateMemory(addon, candidate), 0);
  const onCpu = needs('cpu') <= preparedShare * problem.memory_limit_bytes;
  return onCpu && (memory === null || needs('cuda') <= preparedShare * memory);
}

/** Prepares the measurement. Throws a BraggError if a variant is unknown. */
export async function taskBenchSetup(
  addon: NativeAddon,
  problem: TaskProblem,
  options: TaskBenchOptions,
): Promise<BenchSetup> {
  const { claims = [], external, sample_s = defaultSample_s, signal } = options;
  const variants = addon.taskVariants(problem.workload);
  const all = taskCandidates(problem, options.variants, variants);
  const staysPrepared = allFitIntoMemory(addon, problem, all);
  const { workload, bench } = problem;
  // The first instance has the scenario's inputs, unless there is a user kernel, which may know them in advance.
  const anyUserKernel = all.some(({ variant }) => isUserKernelId(variant.id));
  const seeds: number[] = [anyUserKernel ? hiddenSeed() : problem.seed];
  // The answer to a user problem is computed by a program, which needs time. A few seeds are therefore reused in random
  // order.
  const most = problem.workload === USER_PROBLEM ? MAX_SEPARATE_SEEDS : Number.POSITIVE_INFINITY;
  const seedOf = (instance: number): number => {
    while (seeds.length <= instance) {
      seeds.push(seeds.length < most ? hiddenSeed() : (seeds[randomInt(0, most)] ?? hiddenSeed()));
    }
    return seeds[instance] ?? problem.seed;
  };
  // The reference program must also compute answers for altered inputs. The first instance has the largest alteration.
  const alterations = new Map<number, number>();
  const alterationOf = (instance: number): number | undefined => {
    if (problem.workload !== USER_PROBLEM || !mayAlterInputs(problem)) return undefined;
    const seed = seedOf(instance);
    const known =
      alterations.get(seed) ?? ALTERATION_KINDS * randomInt(1, 2 ** 40) + (alterations.size % ALTERATION_KINDS);
    alterations.set(seed, known);
    return known;
  };
  const furtherSeeds = new Map<number, number>();
  const furtherSeed = (of: number): number => {
    const seed = furtherSeeds.get(of) ?? hiddenSeed();
    furtherSeeds.set(of, seed);
    return seed;
  };
  const candidates: TaskBenchCandidate[] = [];
  const auditCost = () => costOf(candidates.map((benchCandidate) => benchCandidate.auditCost));
  const terms = () => taskTerms(addon, problem, { sample_s, staysPrepared });
  const rivals = await programEntries({ addon, external, workload, bench, terms, signal });
  return {
    bench,
    title: variantsFor(problem, variants)[0]?.benchTitle ?? problem.workload,
    benchEntries: [
      ...all.map((candidate) => ({
        head: candidateIdentity(candidate),
        createCandidate: () => {
          const further = furtherProblems(candidate, furtherSeed);
          const measuring = { sample_s, staysPrepared, seedOf, alterationOf, further, signal };
          const benchCandidate = new TaskBenchCandidate(addon, candidate, measuring);
          candidates.push(benchCandidate);
          return benchCandidate;
        },
        cold: createColdStart(coldRunOf(candidate)),
      })),
      ...rivals,
    ],
    roundsPerInstance: roundsPerInstance(staysPrepared),
    oracle: async () => null,
    audits: auditCost,
    facts: () => {
      const cost = auditCost();
      return cost === null ? [] : [['Cost of audits', costText(cost)]];
    },
    claims: (report) => judgeSessionClaims(claims, report),
  };
}

/** Describes the number of rounds that a measurement has completed. */
export function roundsText({ reports }: { readonly reports: readonly { readonly rounds: number }[] }): string {
  return countText(reports[0]?.rounds ?? 0, 'round');
}

/**
 * Limits for the measurement in a run. There are enough rounds for medians and intervals, but it ends soon because a
 * user waits.
 */
const taskLimits = createLimits(40, 20, { precision: 0.01 });

interface TaskRunInputs {
  readonly kind: TaskKind;
  readonly problem: TaskProblem;
  readonly document: Readonly<Record<string, unknown>>;
  readonly name: string;
  readonly assetsFolder: string;
  readonly trace: boolean;
  readonly measure: MeasureVariants;
  readonly energy: boolean;
}

export class TaskWorkloadRun implements WorkloadRun {
  readonly variant: string;
  readonly precision: string;
  readonly device: string;
  /** Uses all lanes, because nothing else may run during a measurement. */
  readonly lane = ALL_LANES;
  readonly size: string;
  readonly before: TaskProgress;
  readonly #inputs: TaskRunInputs;
  readonly #variants: readonly TaskVariant[];
  readonly #stop = new AbortController();

  /** Throws if the engine rejects the problem. */
  constructor(addon: NativeAddon, inputs: TaskRunInputs) {
    const { problem, kind } = inputs;
    const { plan } = addon.createTask(problem);
    this.#inputs = inputs;
    this.#variants = measuredVariants(problem, addon.taskVariants(problem.workload));
    this.variant = plan.variant;
    this.precision = plan.precision;
    this.device = plan.device;
    this.size = countText(this.#variants.length, 'variant');
    this.before = { workload: kind, phase: 'first runs', what: '', round: 0, rounds: taskLimits.mostRounds };
  }

  /**
   * Runs on a worker thread like all benchmarks, so that statistics do not block pages and pages do not delay the
   * timing.
   */
  async start(around: RunCallbacks): Promise<TaskRunData> {
    const { kind, problem, document, name, assetsFolder, trace, measure, energy } = this.#inputs;
    const { saveCheckpoint } = around;
    const dataOf = (session: Session): TaskRunData => taskRunData(kind, around.context(), session) as TaskRunData;
    const { session } = await measure(
      benchTaskOf(
        { workload: kind, problems: [{ kind, problem }], documents: [document], scenarios: [] },
        {
          ...{ scenario: name, limits: taskLimits, assetsFolder, trace, energy, command: `bench ${name}` },
          variants: this.#variants.map(({ id }) => id),
        },
      ),
      ({ phase, variant, round, mostRounds, left_s }) => {
        around.reportProgress({ workload: kind, phase, what: variant, round, rounds: mostRounds }, left_s);
      },
      this.#stop.signal,
      saveCheckpoint === null ? undefined : (soFar) => void saveCheckpoint(dataOf(soFar), roundsText(soFar)),
    );
    return dataOf(session);
  }

  cancel(): void {
    this.#stop.abort();
  }

  /** Does nothing, because measurements have no live view. */
  showLive(): void {}

  endLive(): void {}
}

/**
 * Amount of work for a lower bound on the time. Layers are checked against the CPU, whatever variant is measured. All
 * other workloads are limited by the duration of samples.
 */
function workOf({ variant, numbers, threads }: TaskProblem): Work {
  const { batch = 0, inputs = 0, outputs = 0 } = numbers;
  const [amount, of] = [2 * batch * inputs * outputs, 'operations of a layer'];
  return { variant, amount, of, rate: fastestRates.flops, threads: threads || availableParallelism() };
}

/** Operations of a layer per second and thread, measured with 256 × 256 × 512 on an EPYC server with AVX-512. */
const typicalRates: Readonly<Record<string, number>> = { 'cpu-fp64': 1e9, 'cpu-blocked': 2.3e10 };

/**
 * Amount of work of a problem, in operations for a layer. Other workloads have amount 1 in a unit of exactly this
 * problem, so their times can be compared only between equal problems. Null if the variant is unknown.
 */
export async function amountFor(addon: NativeAddon, problem: TaskProblem, id: string): Promise<WorkAmount | null> {
  const own = variantsFor(problem, addon.taskVariants(problem.workload)).find((one) => one.id === id);
  if (own === undefined) return null;
  const { numbers, words, switches } = problem;
  const { amount, of, threads } = workOf(problem);
  return {
    amount: amount > 0 ? amount : 1,
    of: amount > 0 ? of : JSON.stringify([problem.bench, numbers, words, switches]),
    threads: own.device === 'cpu' ? threads : null,
    usualRate: typicalRates[id] ?? null,
    isCorrect: true,
  };
}

export const throwIfTaskTooLong = (problem: TaskProblem): void => throwIfTooLong(workOf(problem));

/**
 * Lower bound in seconds for one sample: the duration that the clock's resolution requires, or one repetition on the
 * fastest machine.
 */
function minSample_s(problem: TaskProblem, { device }: Pick<TaskVariant, 'device'>): number {
  const work = workOf(problem);
  return Math.max(defaultSample_s, minSeconds(device === 'cpu' ? work : { ...work, threads: null }));
}

/**
 * Lower bound in seconds for a run, from the minimum number of samples in a session and the minimum duration of each.
 */
export function minSecondsOfRun(addon: NativeAddon, problem: TaskProblem): number | null {
  const all = addon.taskVariants(problem.workload);
  const measured = measuredVariants(problem, all);
  const [first] = measured;
  if (first === undefined) return null;
  const labels = measured.map(({ id }) => id);
  const candidates = taskCandidates(problem, labels, all);
  const staysPrepared = allFitIntoMemory(addon, problem, candidates);
  const rounds = Math.min(taskLimits.mostRounds, leastInstances * roundsPerInstance(staysPrepared));
  const each = measured.map((variant) => minSample_s(problem, variant));
  const once_s = each.reduce((sum_s, one_s) => sum_s + one_s, 0);
  // Each round times the first variant twice, the second time as the control. A started round is always completed.
  const round_s = once_s + minSample_s(problem, first);
  const rounds_s = Math.min(rounds * round_s, Math.max(taskLimits.mostSeconds - once_s, round_s));
  return minSeconds(workOf(problem)) + once_s + rounds_s;
}

/** Lower bound in seconds for the reference answer and one repetition of each variant. */
export function sumOfMinSeconds(addon: NativeAddon, problem: TaskProblem, labels: readonly string[] | null): number {
  const all = addon.taskVariants(problem.workload);
  const able = variantsFor(problem, all).filter(({ available }) => available);
  const chosen = taskCandidates(problem, labels ?? able.map(({ id }) => id), all);
  const work = workOf(problem);
  const each = chosen.map(({ variant }) => minSeconds(variant.device === 'cpu' ? work : { ...work, threads: null }));
  return each.reduce((sum_s, one_s) => sum_s + one_s, minSeconds(work));
}
