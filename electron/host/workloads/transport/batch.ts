/**
 * Solves many beams separately. On the CPU each beam has one thread. On a GPU several beams are in progress, so that
 * one is set up while another runs. Results equal those of single runs on one thread, bit for bit.
 */
import { availableParallelism } from 'node:os';
import { BraggError } from '../../../contract/errors.ts';
import type { Curve } from '../../../contract/fields.ts';
import type { RunSummary } from '../../../contract/run.ts';
import { valueAt } from '../../../contract/scenario/index.ts';
import { isUserKernelId } from '../../../contract/user-kernels.ts';
import { errorFromNative, type NativeAddon, type TransportProblem, type TransportRun } from '../../io/addon/addon.ts';
import { defaultGpu } from '../../io/addon/gpu.ts';
import { lazyValue } from '../../io/flow/once.ts';
import { ResourceBudget } from '../../io/flow/queues.ts';
import { type Candidate, makeCandidate, makeCandidates } from '../../model/bench/candidates.ts';
import {
  fastestRates,
  minSeconds,
  throwIfSumTooLong,
  throwIfTooLong,
  type Work,
  type WorkAmount,
} from '../benchable.ts';
import type { RunContext } from '../run-context.ts';
import {
  invalidScenarioError,
  problemOf,
  type ScenarioReading,
  type TransportReading,
} from '../scenarios/scenarios.ts';
import { expectedTime, expectedVisits, learnTime, type Ranges, rangesOf } from './bench/expected-time.ts';
import type { AxisProfile } from './metrics/depth-readouts.ts';
import { depthProfile, profileCurve } from './metrics/run-metrics.ts';
import { summaryOf } from './readouts.ts';
import { axesOf, measuredRunOf, type RunData, runData } from './run-data.ts';
import { readingForReadouts } from './variants.ts';

/** A plan of the engine. `device` is looked up if it is absent. */
type EnginePlan = Parameters<typeof expectedVisits>[1] &
  Pick<TransportRun['plan'], 'estimate_bytes' | 'steps_max'> & { readonly device?: 'cpu' | 'cuda' };

/**
 * Amount of work of a run. Variants that follow the beam visit only `visits` cells instead of the complete state.
 * `visits`: null if unknown.
 */
function workOf(addon: NativeAddon, plan: EnginePlan, visits: number | null): Work {
  const { variant, precision, estimate_bytes, steps_max, threads } = plan;
  const device = plan.device ?? addon.variants().find(({ id }) => id === variant)?.device ?? 'cpu';
  // Divide the bytes by twice the size of a value, because the state is stored twice.
  const all = (estimate_bytes / (precision === 'fp64' ? 16 : 8)) * steps_max;
  return {
    variant,
    amount: visits !== null && visits < all ? visits : all,
    of: 'cell-steps',
    rate: fastestRates.cellSteps,
    threads: device === 'cpu' ? threads : null,
  };
}

/** Lower bound in seconds for a run. */
export function minSecondsOf(addon: NativeAddon, problem: TransportProblem, plan: EnginePlan, ranges: Ranges): number {
  return minSeconds(workOf(addon, plan, expectedVisits(problem, plan, ranges)));
}

/** A run that is prepared but not started. */
interface PreparedRun {
  readonly native: TransportRun;
  /** Expected number of visited cells over all steps. Null for variants that do not follow the beam. */
  readonly visits: number | null;
  /** Lower bound in seconds that holds for every current machine. */
  readonly least_s: number;
}

/**
 * Prepares a run. `memory`: whether to plan the memory too. Throws if the engine rejects the problem, and a BraggError
 * if it would need too long.
 */
export async function prepareRun(
  addon: NativeAddon,
  problem: TransportProblem,
  ranges: Ranges,
  memory = false,
): Promise<PreparedRun> {
  const native = await addon.layTransport(problem, memory);
  const visits = expectedVisits(problem, native.plan, ranges);
  const work = workOf(addon, native.plan, visits);
  throwIfTooLong(work);
  return { native, visits, least_s: minSeconds(work) };
}

/**
 * Number of bins that the moments solver visits for one beam. It is constant, because bins and planes scale with the
 * range.
 */
const BINS_OF_MARCH = 13_000;
/** Factor on the number of bins if reaction products are followed, which have separate bins, angles and planes. */
const BINS_OF_PRODUCTS = 8;
/** Bins per second and thread, including scoring, measured with 70 MeV in water on an EPYC server with AVX-512. */
const MOMENTS_RATE = 3e7;

/** Amount of work of the moments solver. Spots that differ only in x and weight are solved together on one thread. */
function amountOfMoments({ beam, spots = [beam], physics }: TransportProblem): WorkAmount {
  const kinds = new Set(
    spots.map((spot) => [spot.energy_MeV, spot.energy_sigma_MeV, spot.angle_sigma_rad, spot.x_sigma_mm].join(' ')),
  );
  const each = BINS_OF_MARCH * (physics.nuclear === 'icru63' ? BINS_OF_PRODUCTS : 1);
  return { amount: kinds.size * each, of: 'bins of marches', threads: 1, usualRate: MOMENTS_RATE, isCorrect: true };
}

/**
 * Cells times steps per second and thread in FP32, measured with 30 MeV in water and cells of 0.5 mm, on an EPYC server
 * with AVX-512.
 */
const typicalRates: Readonly<Record<string, number>> = {
  scatter: 7e7,
  gather: 1.2e8,
  fused: 4.5e8,
};

/**
 * Amount of work of a variant. Null if `id` is the plain reference, or the reason if the engine rejects the problem.
 * For variants that follow the beam, it is computed by the forecast that the scenario form shows. The forecast counts
 * visited cells and learns from completed runs.
 */
export async function amountFor(
  addon: NativeAddon,
  problem: TransportProblem,
  id: string,
  ranges: Ranges | null,
): Promise<WorkAmount | string | null> {
  const variant = addon.variants().find((one) => one.id === id);
  if (variant === undefined || id === 'reference') return null;
  const own = makeCandidate(problem, variant).problem;
  const plan = await planFor(addon, own);
  if (typeof plan === 'string') return plan;
  if (id === 'moments') return amountOfMoments(own);
  const threads = variant.device === 'cpu' ? own.solver.threads || availableParallelism() : null;
  const planned = { ...plan, variant: id, threads: threads ?? plan.threads };
  const visits = ranges === null ? null : expectedVisits(own, planned, ranges);
  if (visits !== null) {
    const { seconds, elsewhere } = expectedTime(own, planned, visits, threads === null);
    return {
      ...{ amount: visits, of: 'visits of cells', threads, isCorrect: true },
      usualRate: threads === null && elsewhere !== null ? null : visits / (seconds * (threads ?? 1)),
      ...(elsewhere !== null && { learn: (seconds) => learnTime(own, planned, visits, seconds) }),
    };
  }
  const work = workOf(addon, plan, null);
  const rate = typicalRates[id] ?? null;
  return {
    ...{ amount: work.amount, of: work.of, threads },
    isCorrect: true,
    usualRate: rate === null ? null : own.solver.precision === 'fp64' ? rate / 2 : rate,
  };
}

/** Variant name and axis sizes in messages of the engine. They are removed in lists of variants. */
const REASON_PREFIX = /^solver\.variant = [\w-]+: | for [\d x]+ cells \([^)]*\)/g;

/** Returns the plan, or the reason if the engine rejects the problem. */
async function planFor(addon: NativeAddon, problem: TransportProblem): Promise<EnginePlan | string> {
  try {
    return (await addon.layTransport(problem)).plan;
  } catch (error) {
    return errorFromNative(error).message.replace(REASON_PREFIX, '');
  }
}

/**
 * Sums lower bounds in seconds for one run of each variant. Variants that cannot run count as 0. By default, all that
 * can run are included.
 */
export async function sumOfMinSeconds(
  addon: NativeAddon,
  problem: TransportProblem,
  labels: readonly string[] | null,
  ranges: Ranges | null,
): Promise<number> {
  const able = addon.variants().filter(({ available }) => available);
  const fitting = able.filter(({ id, steppings }) => id !== 'reference' && steppings.includes(problem.solver.stepping));
  const chosen: readonly Candidate[] =
    labels === null
      ? fitting.map((variant) => makeCandidate(problem, variant))
      : makeCandidates(problem, labels, addon.variants()).filter(({ variant }) => variant.available);
  // Variants with equal stepping have the same cells and steps, so one plan serves all of them.
  const plans = new Map<string, Promise<EnginePlan | string>>();
  let sum_s = 0;
  for (const { variant, problem: theirs } of chosen) {
    const { stepping, precision, threads } = theirs.solver;
    const alike = `${stepping} ${precision}`;
    const known = plans.get(alike) ?? planFor(addon, theirs);
    plans.set(alike, known);
    const plan = await known;
    if (typeof plan === 'string') continue;
    const own = { ...plan, variant: variant.id, threads: threads || availableParallelism() };
    sum_s += minSeconds(workOf(addon, own, ranges === null ? null : expectedVisits(theirs, own, ranges)));
  }
  return sum_s;
}

/** Number of beams in progress on a GPU: one runs while others are set up or read back. */
const BEAMS_PER_GPU = 4;
/**
 * Share of a GPU's memory for states. The remaining memory is for its driver, tables, and data that remain between
 * beams.
 */
const SHARE_OF_A_GPU = 0.5;

export interface BatchBeam {
  readonly name: string;
  /**
   * Reads the scenario. Called just before the beam is solved, so that a thousand beams do not need memory at the same
   * time.
   */
  readonly read: () => Promise<ScenarioReading>;
  /** Whether to solve on the phase-space grid, because a study varies it. */
  readonly onGrid?: boolean;
}

export interface SolvedBeam {
  readonly summary: RunSummary;
  /** Dose integrated across the beam axis. */
  readonly depthDose: Curve;
}

export interface BatchOptions {
  readonly addon: NativeAddon;
  /** Maximum memory in bytes of all states together. */
  readonly memoryLimit_bytes: number;
  readonly signal: AbortSignal;
  readonly program: RunContext['program'];
  readonly machine: Omit<RunContext['machine'], 'device'>;
  readonly gpu: () => string | null;
  /** Called when a beam ends. Beams end in any order. */
  readonly onEnded: (index: number, outcome: SolvedBeam | BraggError) => void;
}

/** Beams on one thread share a process. Beams on several threads and user kernels have separate processes. */
export function concurrencyOf(document: unknown): 'beams' | 'runs' {
  const variant = valueAt(document, ['solver', 'variant']);
  const threads = valueAt(document, ['solver', 'threads']);
  if (typeof variant === 'string' && isUserKernelId(variant)) return 'runs';
  return typeof threads === 'number' && threads > 1 ? 'runs' : 'beams';
}

const batchProblem = (problem: TransportProblem): TransportProblem => ({
  ...problem,
  keyframes: 0,
  solver: { ...problem.solver, threads: 1 },
});

/** Returns the reading if it is a transport scenario. Throws its issues, or an error for another kind. */
export function requireBeam(name: string, reading: ScenarioReading): TransportReading {
  if (reading.kind === 'transport') return reading;
  if (reading.kind === null) throw invalidScenarioError(reading.issues);
  throw new BraggError('unsupported', `${name} is a scenario of kind ${reading.kind}, but a batch needs beams.`);
}

/** Reads a beam and selects the variant for `auto`. */
async function readBeam({ name, read, onGrid = false }: BatchBeam, addon: NativeAddon): Promise<TransportReading> {
  const reading = requireBeam(name, await read());
  return onGrid ? reading : readingForReadouts(addon, reading);
}

/** Readouts and depth dose of a run of one beam. `known`: its profile, if it was computed before. */
export function solvedBeamOf(run: RunData, from = measuredRunOf(run), known: AxisProfile | null = null): SolvedBeam {
  const profile = known ?? depthProfile(from);
  return { summary: summaryOf(run, from, profile), depthDose: profileCurve(profile) };
}

/** Solves beams, several at a time, within the memory of the machine and of the GPU. */
export class BeamSolver {
  readonly #options: Omit<BatchOptions, 'onEnded'>;
  readonly #memory: ResourceBudget;
  readonly #lanes: ResourceBudget;
  readonly #gpu = new ResourceBudget(BEAMS_PER_GPU);
  /** Memory of the GPU, queried when the first beam runs on it. */
  readonly #gpuMemory = lazyValue(() => {
    const memory_bytes = defaultGpu({ cuda: this.#options.addon.driverDevices() })?.memory_bytes ?? 0;
    return new ResourceBudget(SHARE_OF_A_GPU * memory_bytes);
  });
  readonly #active = new Set<TransportRun>();

  /** `lanes`: number of beams solved on the CPU at the same time. Meanwhile the next beams are read and prepared. */
  constructor(options: Omit<BatchOptions, 'onEnded'>, lanes = Number.POSITIVE_INFINITY) {
    this.#options = options;
    this.#lanes = new ResourceBudget(lanes);
    this.#memory = new ResourceBudget(options.memoryLimit_bytes);
    options.signal.addEventListener('abort', () => {
      for (const run of this.#active) run.cancel();
    });
  }

  async #reserveGpu(bytes: number): Promise<() => void> {
    const turn = await this.#gpu.reserve(1);
    const memory = await this.#gpuMemory().reserve(bytes);
    return () => {
      memory();
      turn();
    };
  }

  async #reserveCpu(bytes: number): Promise<() => void> {
    const lane = await this.#lanes.reserve(1);
    const memory = await this.#memory.reserve(bytes);
    return () => {
      memory();
      lane();
    };
  }

  /** Solves a beam without keyframes. Its time excludes waiting for a lane. Throws the engine's errors. */
  async solve(beam: BatchBeam): Promise<RunData> {
    const { name } = beam;
    const { addon, program, machine, gpu } = this.#options;
    const created = new Date().toISOString();
    const begun_ms = performance.now();
    const reading = await readBeam(beam, addon);
    const problem = batchProblem(problemOf(reading));
    const { native } = await prepareRun(addon, problem, rangesOf(reading));
    const { plan } = native;
    const onGpu = addon.variants().find(({ id }) => id === plan.variant)?.device === 'cuda';
    const read_ms = performance.now() - begun_ms;
    const bytes = plan.estimate_bytes;
    const release = onGpu ? await this.#reserveGpu(bytes) : await this.#reserveCpu(bytes);
    const solving_ms = performance.now();
    this.#active.add(native);
    if (this.#options.signal.aborted) native.cancel();
    try {
      const result = await native.start(() => undefined, { unwatched: true });
      const context = {
        program,
        machine: { ...machine, device: onGpu ? gpu() : null },
        name,
        created,
        finished: new Date().toISOString(),
        scenario: { ...reading.document },
        completeScenario: { ...reading.scenario },
        wall_s: (read_ms + performance.now() - solving_ms) / 1000,
        table: reading.table ?? '',
      };
      return runData(context, problem, axesOf(problem, plan), result, []);
    } finally {
      this.#active.delete(native);
      release();
    }
  }
}

/** Lower bound in seconds for a beam. 0 if it cannot be solved, which is reported later. */
async function minSecondsOfBeam(beam: BatchBeam, addon: NativeAddon): Promise<number> {
  try {
    const reading = await readBeam(beam, addon);
    const problem = batchProblem(problemOf(reading));
    const { plan } = await addon.layTransport(problem);
    return minSecondsOf(addon, problem, plan, rangesOf(reading));
  } catch {
    return 0;
  }
}

/**
 * Solves all beams, `lanes` at a time. If one beam fails, the others continue. Aborting the signal stops within one
 * step. Throws BraggError `invalid` before anything runs if all beams together would exceed the time limit.
 */
export async function solveBatch(beams: readonly BatchBeam[], lanes: number, options: BatchOptions): Promise<void> {
  const solver = new BeamSolver(options);
  const sideBySide = Math.max(1, Math.min(lanes, beams.length));
  await throwIfSumTooLong('the batch', beams, (beam) => minSecondsOfBeam(beam, options.addon), { sideBySide });
  let next = 0;
  const solveNext = async (): Promise<void> => {
    while (!options.signal.aborted) {
      const index = next;
      const beam = beams[index];
      if (beam === undefined) return;
      next += 1;
      let outcome: SolvedBeam | BraggError;
      try {
        outcome = solvedBeamOf(await solver.solve(beam));
      } catch (error) {
        outcome = errorFromNative(error);
      }
      options.onEnded(index, outcome);
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, solveNext));
}
