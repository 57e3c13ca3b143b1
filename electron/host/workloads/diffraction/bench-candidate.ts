/**
 * Benchmarks of diffraction images: the variants, the session, the amount of work in an image, and requests to external
 * programs. Each timed image is computed from a newly prepared state.
 */

import type { Mode } from '../../../contract/bench/bench-session.ts';
import type { SessionTerms } from '../../../contract/bench/session.ts';
import { isUserKernelId } from '../../../contract/user-kernels.ts';
import { errorFromNative, type NativeAddon } from '../../io/addon/addon.ts';
import type {
  DiffractionPlan,
  DiffractionProblem,
  DiffractionResult,
  DiffractionVariant,
} from '../../io/addon/task.ts';
import { cachedLastAnswer } from '../../io/flow/once.ts';
import {
  type AnswerValues,
  type BenchCandidate,
  type BenchEntry,
  type BenchSetup,
  type CandidateFacts,
  candidateIdentity,
  type DeclaredWork,
  type Oracle,
  type TimedRun,
} from '../../model/bench/bench-candidate.ts';
import { parseVariantLabels, type RequestedVariant } from '../../model/bench/candidates.ts';
import { type Claim, claimApplies, readBenchmarkClaims } from '../../model/bench/claims.ts';
import { type ColdRunPlan, createColdStart, DEFAULT_PROCESSES } from '../../model/bench/cold/processes.ts';
import { judgeSessionClaims } from '../../model/bench/report-claims.ts';
import { type ProgramSettings, programEntries } from '../../model/external/program-candidate.ts';
import {
  type BenchmarkSupport,
  fastestRates,
  minSeconds,
  problemFor,
  type Work,
  type WorkAmount,
} from '../benchable.ts';
import { problemOf } from '../scenarios/scenarios.ts';
import { VariedRuns } from '../varied-runs.ts';
import { imageAccuracy, imageError } from './image-data.ts';
import { imageField } from './summary.ts';

export const imageSessionTerms: SessionTerms = {
  time: 'Image',
  timeTip: 'of one image, without its set-up',
  size: 'pixels',
  rate: 'Pixels',
};

interface ImageCandidate extends RequestedVariant<DiffractionVariant> {
  readonly problem: DiffractionProblem;
}

/** Returns the requested variants. Throws a BraggError if one is unknown or repeated. */
export function imageCandidates(
  problem: DiffractionProblem,
  labels: readonly string[],
  all: readonly DiffractionVariant[],
): readonly ImageCandidate[] {
  return parseVariantLabels(labels, all).map((requested) => {
    const { variant, gpu } = requested;
    const solver = { ...problem.solver, variant: variant.id, ...(gpu === null ? {} : { device: String(gpu) }) };
    return { ...requested, problem: { ...problem, solver } };
  });
}

export const REFERENCE = 'diffraction-reference';

/**
 * Minimum duration in seconds of a timed sample on a GPU. The image is repeated, because one is too short for the
 * clock's resolution.
 */
const SAMPLE_S = 0.02;

interface Rendering {
  readonly variant: string;
  readonly mode: Mode;
  readonly clocks?: boolean;
}

/**
 * Renders the image once. `clocks`: whether to read the GPU's clocks, which opens the device before the run does.
 * Throws a BraggError, also if the run is cancelled.
 */
export async function render(
  addon: NativeAddon,
  problem: DiffractionProblem,
  { variant, mode, clocks = false }: Rendering,
  signal?: AbortSignal,
) {
  const start = performance.now();
  try {
    const run = addon.createDiffraction({ ...problem, solver: { ...problem.solver, variant } });
    const cancel = (): void => run.cancel();
    signal?.addEventListener('abort', cancel);
    try {
      const started = run.start(() => undefined, { mode, clocks, atLeast_s: SAMPLE_S });
      if (signal?.aborted === true) cancel();
      const result = await started;
      return { plan: run.plan, result, wall_s: (performance.now() - start) / 1000 };
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  } catch (error) {
    throw errorFromNative(error);
  }
}

/** Calls that a cold process makes. Null for a user kernel. */
export function coldRunOf({ variant, problem }: ImageCandidate): ColdRunPlan | null {
  if (isUserKernelId(variant.id)) return null;
  const own = { ...problem, solver: { ...problem.solver, variant: variant.id } };
  return { factory: 'createDiffraction', problem: own, calls: [{ method: 'start', args: [{}], reports: true }] };
}

type DeclaredCosts = Pick<
  DiffractionVariant,
  'precision' | 'flopsPerTerm' | 'fp64FlopsPerTerm' | 'flopsPerBeam' | 'fp64FlopsPerBeam' | 'bytesPerTerm'
>;

/** Floating-point operations and bytes of one image, as declared by the variant. */
export function declaredWork(
  { flopsPerTerm, fp64FlopsPerTerm, flopsPerBeam, fp64FlopsPerBeam, bytesPerTerm, precision }: DeclaredCosts,
  { terms, width, height, orientations }: Pick<DiffractionPlan, 'width' | 'height' | 'orientations' | 'terms'>,
): DeclaredWork {
  const beams = terms / orientations;
  const fp64 = fp64FlopsPerTerm * terms + fp64FlopsPerBeam * beams;
  return {
    bytes: bytesPerTerm * terms + width * height * (precision === 'fp64' ? 8 : 4),
    fp32_flops: flopsPerTerm * terms + flopsPerBeam * beams - fp64,
    fp64_flops: fp64,
    other_flops: null,
  };
}

interface RenderedImage {
  readonly plan: DiffractionPlan;
  readonly result: DiffractionResult;
  readonly wall_s: number;
}

/**
 * Converts a rendering to a timed run. Its `wall_s` includes repetitions for GPU timing, so it is replaced by the time
 * of set-up and one image.
 */
function timedRunOf({ result }: RenderedImage): TimedRun {
  const { device_s, solve_s, setup_s, setup_parts, clocks, image } = result;
  return {
    time_s: device_s > 0 ? device_s : solve_s,
    repetitions: 1,
    device_s: device_s > 0 ? device_s : null,
    host_s: solve_s,
    setup_s,
    wall_s: setup_s + solve_s,
    parts: new Map(setup_parts.map(({ name, seconds }) => [name, seconds])),
    clocks,
    values: image,
  };
}

/**
 * Maximum relative change of the wavelength in a varied problem. It moves every spot but does not change the amount of
 * work.
 */
const MAX_LONGER_WAVE = 0.002;

const withLongerWave = (problem: DiffractionProblem, share: number): DiffractionProblem => ({
  ...problem,
  beam: { ...problem.beam, wavelength_m: problem.beam.wavelength_m * (1 + MAX_LONGER_WAVE * share) },
});

class ImageBenchCandidate implements BenchCandidate {
  readonly #addon: NativeAddon;
  readonly #candidate: ImageCandidate;
  readonly #signal: AbortSignal | undefined;
  /**
   * Runs on varied problems, which detect kernels that return stored results. Null for shipped variants, because the
   * parity tests check those.
   */
  readonly #varied: VariedRuns | null;
  #first: RenderedImage | null = null;

  constructor(addon: NativeAddon, candidate: ImageCandidate, signal: AbortSignal | undefined) {
    this.#addon = addon;
    this.#candidate = candidate;
    this.#signal = signal;
    this.#varied = isUserKernelId(candidate.variant.id) ? new VariedRuns(this.#variation()) : null;
  }

  async first(): Promise<TimedRun | null> {
    const rendered = await this.#render('warm', false);
    this.#first = rendered;
    return rendered && { ...timedRunOf(rendered), wall_s: rendered.wall_s };
  }

  async takeSample(mode: Mode): Promise<TimedRun | null> {
    const rendered = await this.#render(mode, true);
    if (rendered === null) return null;
    const taken = timedRunOf(rendered);
    if (mode === 'warm' && (await this.#varied?.afterSample(taken.time_s)) === false) return null;
    return taken;
  }

  async answer() {
    if ((await this.#varied?.check()) === false) return null;
    return { values: this.#rendered.result.image };
  }

  accuracy(oracle: AnswerValues | null) {
    const own =
      oracle === null ? [] : imageAccuracy(imageError(this.#rendered.result.image, Float32Array.from(oracle)), true);
    return [...own, ...(this.#varied?.accuracy() ?? [])];
  }

  facts(): readonly (readonly [string, string])[] {
    return this.#varied === null ? [] : [[`Audits of ${this.#candidate.label}`, this.#varied.summary]];
  }

  quantities(time_s: number) {
    const { plan, result } = this.#rendered;
    const ns_per_term = (time_s * result.threads * 1e9) / plan.terms;
    return [
      { id: 'rate', title: 'Pixels', value: (plan.width * plan.height) / time_s, unit: '1/s' },
      { id: 'per_term', title: 'Per lattice term and core', value: ns_per_term, unit: 'ns' },
    ];
  }

  properties(): CandidateFacts {
    const { plan, result } = this.#rendered;
    const { variant } = this.#candidate;
    return {
      threads: variant.device === 'cpu' ? result.threads : null,
      isa: result.isa,
      state_bytes: plan.estimate_bytes,
      size: plan.width * plan.height,
      work: declaredWork(variant, plan),
      repeats: null,
      note: null,
      compared: null,
    };
  }

  async close(): Promise<void> {}

  #variation(): ConstructorParameters<typeof VariedRuns>[0] {
    const { problem } = this.#candidate;
    return {
      title: (share) => `a wavelength ${(100 * MAX_LONGER_WAVE * share).toPrecision(2)} % longer`,
      run: async (share) => {
        const rendered = await this.#render('warm', false, withLongerWave(problem, share));
        return rendered && { values: rendered.result.image, time_s: timedRunOf(rendered).time_s };
      },
      judge: async ({ values }, share) => {
        const varied = withLongerWave(problem, share);
        const { result } = await render(this.#addon, varied, { variant: REFERENCE, mode: 'warm' }, this.#signal);
        return imageAccuracy(imageError(Float32Array.from(values), Float32Array.from(result.image)), true);
      },
    };
  }

  async #render(mode: Mode, clocks: boolean, problem = this.#candidate.problem): Promise<RenderedImage | null> {
    const { variant } = this.#candidate;
    const rendered = await render(this.#addon, problem, { variant: variant.id, mode, clocks }, this.#signal);
    return rendered.result.status === 'done' ? rendered : null;
  }

  get #rendered(): RenderedImage {
    if (this.#first === null) throw new Error(`${this.#candidate.label} was queried before its first image`);
    return this.#first;
  }
}

interface ImageBenchOptions {
  /** Ids of variants, or `id:gpu` for a variant on a certain GPU. */
  readonly variants: readonly string[];
  readonly claims?: readonly Claim[];
  /** Entries of external programs that are timed too. */
  readonly externalEntries?: readonly BenchEntry[];
  readonly signal?: AbortSignal | undefined;
}

/** Prepares the measurement. Throws a BraggError if a variant is unknown, or if no variant can run the problem. */
function imageBenchSetup(addon: NativeAddon, problem: DiffractionProblem, options: ImageBenchOptions): BenchSetup {
  const { claims = [], externalEntries = [], signal } = options;
  const all = imageCandidates(problem, options.variants, addon.diffractionVariants());
  const variant = REFERENCE;
  const { width, height, terms } = addon.createDiffraction({ ...problem, solver: { ...problem.solver, variant } }).plan;
  let known: Promise<Oracle> | null = null;
  return {
    bench: '',
    title: 'Diffraction image',
    benchEntries: [
      ...all.map((candidate) => ({
        head: candidateIdentity(candidate),
        createCandidate: () => new ImageBenchCandidate(addon, candidate, signal),
        cold: createColdStart(coldRunOf(candidate)),
      })),
      ...externalEntries,
    ],
    // One round, because the state is prepared again for each image.
    roundsPerInstance: 1,
    oracle: () => {
      const { solver: _, ...asked } = problem;
      known ??= cachedLastAnswer(
        addon,
        asked,
        () => render(addon, problem, { variant, mode: 'warm' }, signal),
        ({ result }) => result.status === 'done',
      ).then(({ result }) => ({ values: result.image, description: 'the FP64 reference' }));
      return known;
    },
    facts: () => [['Image', `${width} × ${height} pixels, ${terms} lattice terms`]],
    claims: (report) =>
      judgeSessionClaims(
        claims.filter((claim) => claimApplies(claim, { numbers: { pixels: width * height, terms }, words: {} })),
        report,
      ),
  };
}

function imageTerms(addon: NativeAddon, problem: DiffractionProblem): ProgramSettings {
  const { plan } = addon.createDiffraction({ ...problem, solver: { ...problem.solver, variant: REFERENCE } });
  const pixels = plan.width * plan.height;
  return {
    // Use the plan's oversampling, because external programs do not determine their own.
    request: { problem: { ...problem, detector: { ...problem.detector, oversample: plan.oversample } } },
    ...{ precision: 'fp64', samples: 'run', sample_s: 0, lengths: [pixels], size: pixels },
    accuracy: ({ arrays: [image] }, oracle) =>
      image === undefined || oracle === null
        ? []
        : imageAccuracy(imageError(Float32Array.from(image), Float32Array.from(oracle)), true),
    values: ([image]) => image ?? null,
    quantities: (_told, time_s) => [{ id: 'rate', title: 'Pixels', value: pixels / time_s, unit: '1/s' }],
  };
}

export function workOf(addon: NativeAddon, { variant, terms, threads }: DiffractionPlan): Work {
  const onGpu = addon.diffractionVariants().some(({ id, device }) => id === variant && device !== 'cpu');
  const rate = fastestRates.latticeTerms;
  return { variant, amount: terms, of: 'lattice factors', rate, threads: onGpu ? null : threads };
}

/**
 * Lattice factors per second and thread, measured on an EPYC server with AVX-512 for 128² pixels of a simple cubic
 * lattice.
 */
const typicalRates: Readonly<Record<string, number>> = {
  'diffraction-fp64': 1.2e8,
  'diffraction-in-loop': 9e6,
  'diffraction-unfused': 1.4e7,
  'diffraction-naive-fp32': 3.5e7,
  'diffraction-delta-fp32': 6.8e7,
  'diffraction-mixed': 7e7,
  'diffraction-chebyshev': 1e8,
  'diffraction-double-float': 2.9e7,
};

/** Amount of work in one image. Null if `id` is the plain reference or cannot run. */
async function amountFor(addon: NativeAddon, problem: DiffractionProblem, id: string): Promise<WorkAmount | null> {
  if (id === REFERENCE) return null;
  try {
    const own = { ...problem, solver: { ...problem.solver, variant: id } };
    const { amount, of, threads } = workOf(addon, addon.createDiffraction(own).plan);
    const right = addon.diffractionVariants().some((one) => one.id === id && one.brightError < 1);
    return { amount, of, threads, usualRate: typicalRates[id] ?? null, isCorrect: right };
  } catch {
    return null;
  }
}

/**
 * Sums lower bounds in seconds for one image by each variant. Variants that cannot run count as 0. `labels`: null for
 * all available variants.
 */
function sumOfMinSeconds(addon: NativeAddon, problem: DiffractionProblem, labels: readonly string[] | null): number {
  const able = addon.diffractionVariants().filter(({ available }) => available);
  const chosen = imageCandidates(problem, labels ?? able.map(({ id }) => id), addon.diffractionVariants());
  return chosen.reduce((sum_s, each) => {
    try {
      return sum_s + minSeconds(workOf(addon, addon.createDiffraction(each.problem).plan));
    } catch {
      return sum_s;
    }
  }, 0);
}

export const imageBenchable: BenchmarkSupport = {
  problem: (reading) => {
    if (reading.kind !== 'diffraction') throw new Error(`a scenario of kind ${reading.kind} was passed to diffraction`);
    return { kind: 'diffraction', problem: problemOf(reading) };
  },
  check: (addon, problem, variants) => {
    imageCandidates(problemFor('diffraction', problem), variants, addon.diffractionVariants());
  },
  least_s: async (addon, problem, variants) => sumOfMinSeconds(addon, problemFor('diffraction', problem), variants),
  amount: (addon, problem, variant) => amountFor(addon, problemFor('diffraction', problem), variant),
  usualProcesses: DEFAULT_PROCESSES,
  terms: () => imageSessionTerms,
  kernels: 'diffraction',
  readClaims: (assetsFolder) => readBenchmarkClaims(assetsFolder, { workload: 'diffraction', bench: '' }),
  setup: async (addon, any, options) => {
    const problem = problemFor('diffraction', any);
    const { external, signal } = options;
    const place = { workload: 'diffraction', bench: '' };
    const externalEntries = await programEntries({
      addon,
      external,
      ...place,
      terms: () => imageTerms(addon, problem),
      signal,
    });
    return imageBenchSetup(addon, problem, { ...options, externalEntries });
  },
  field: (problem, answer) => {
    const { width, height } = problemFor('diffraction', problem).detector;
    return imageField({ width, height, image: Float32Array.from(answer) });
  },
};
