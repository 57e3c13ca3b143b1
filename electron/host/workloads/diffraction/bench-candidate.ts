/**
 * A variant of the diffraction workload as a session measures it: each timed image is computed from a newly prepared
 * state. Its error relative to the reference image is several numbers, because correlation hides errors of half a
 * bright pixel.
 */
import type { Mode } from '../../../contract/bench/bench-session.ts';
import type { Accuracy, Words } from '../../../contract/bench/session.ts';
import { BRIGHT_PARITY, type ImageError } from '../../../contract/image.ts';
import { isUserKernelId } from '../../../contract/user-kernels.ts';
import { errorFromNative, type NativeAddon } from '../../io/addon/addon.ts';
import type {
  DiffractionPlan,
  DiffractionProblem,
  DiffractionResult,
  DiffractionVariant,
} from '../../io/addon/task.ts';
import type {
  BenchCandidate,
  CandidateFacts,
  DeclaredWork,
  TimedRun,
  Values,
} from '../../model/bench/bench-candidate.ts';
import { type Requested, requestedVariants } from '../../model/bench/candidates.ts';
import type { ColdRun } from '../../model/bench/cold/processes.ts';
import { VariedRuns } from '../varied-runs.ts';

export const imageWords: Words = {
  time: 'Image',
  timeTip: 'of one image, without its set-up',
  size: 'pixels',
  rate: 'Pixels',
};

const columns = [
  { id: 'rel_l2', title: 'relL2', tip: 'Norm of the difference from the FP64 image divided by its norm' },
  { id: 'max', title: 'max / max', tip: 'Largest difference divided by the largest pixel of the FP64 image' },
  {
    id: 'bright',
    title: 'Bright pixels',
    tip: `Largest relative error of the pixels above a thousandth of the largest; correct if at most ${BRIGHT_PARITY}`,
  },
  { id: 'sum', title: 'Sum', tip: 'Relative difference of the sums' },
  { id: 'mean', title: 'Mean', tip: 'Mean relative error of the pixels above a thousandth of the largest' },
  { id: 'correlation', title: 'Correlation', tip: 'With the FP64 image, over all pixels' },
] as const;

/** Accuracy columns of an image. `judged`: both images are of one problem, so that a difference is an error. */
export function imageAccuracy(error: Partial<ImageError>, judged: boolean): Accuracy[] {
  return columns.flatMap(({ id, title, tip }) => {
    const value = error[id];
    if (value === undefined) return [];
    const bound = judged && id === 'bright' ? BRIGHT_PARITY : null;
    return { id, title, tip, unit: '', value, bound, holds: bound === null || (value !== null && value <= bound) };
  });
}

const BRIGHT = 1e-3;

/** Converts NaN and infinity to null, because JSON cannot represent them. */
const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** Throws a RangeError for images of different sizes. */
export function imageError(got: Float32Array | Float64Array, reference: Float32Array | Float64Array): ImageError {
  if (got.length !== reference.length) throw new RangeError('images of different sizes');
  let largest = 0;
  // Loop by index, because an iterator creates an object for each of up to a hundred million pixels.
  for (let i = 0; i < reference.length; i += 1) largest = Math.max(largest, reference[i] ?? 0);
  let [difference, norm, own, together, sum, referenceSum] = [0, 0, 0, 0, 0, 0];
  let [max, bright, relative, counted] = [0, 0, 0, 0];
  for (let i = 0; i < reference.length; i += 1) {
    const wanted = reference[i] ?? Number.NaN;
    const is = got[i] ?? Number.NaN;
    const off = Math.abs(is - wanted);
    difference += off * off;
    norm += wanted * wanted;
    own += is * is;
    together += is * wanted;
    sum += is;
    referenceSum += wanted;
    max = Math.max(max, off);
    if (wanted > BRIGHT * largest) {
      bright = Math.max(bright, off / wanted);
      relative += off / wanted;
      counted += 1;
    }
  }
  const pixels = reference.length;
  const covariance = together - (sum * referenceSum) / pixels;
  const variances = (own - (sum * sum) / pixels) * (norm - (referenceSum * referenceSum) / pixels);
  return {
    rel_l2: finite(Math.sqrt(difference / norm)),
    max: finite(max / largest),
    bright: Number.isNaN(difference) || largest === 0 ? null : bright,
    sum: finite(Math.abs(sum / referenceSum - 1)),
    mean: Number.isNaN(difference) ? null : finite(relative / counted),
    // Rounding can put the correlation of equal images slightly above 1.
    correlation: finite(Math.min(1, covariance / Math.sqrt(variances))),
  };
}

const worseOf = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : Math.max(a, b);

/** Larger error in each column; null counts as the largest. */
export function worstOf(a: ImageError, b: ImageError): ImageError {
  return {
    rel_l2: worseOf(a.rel_l2, b.rel_l2),
    max: worseOf(a.max, b.max),
    bright: worseOf(a.bright, b.bright),
    sum: worseOf(a.sum, b.sum),
    mean: worseOf(a.mean, b.mean),
    correlation: a.correlation === null || b.correlation === null ? null : Math.min(a.correlation, b.correlation),
  };
}

interface ImageCandidate extends Requested<DiffractionVariant> {
  readonly problem: DiffractionProblem;
}

/** Throws a BraggError for an unknown or repeated variant. */
export function imageCandidates(
  problem: DiffractionProblem,
  labels: readonly string[],
  all: readonly DiffractionVariant[],
): readonly ImageCandidate[] {
  return requestedVariants(labels, all).map((requested) => {
    const { variant, gpu } = requested;
    const solver = { ...problem.solver, variant: variant.id, ...(gpu === null ? {} : { device: String(gpu) }) };
    return { ...requested, problem: { ...problem, solver } };
  });
}

export const REFERENCE = 'diffraction-reference';

/**
 * Duration of a timed sample on a GPU, by repetition of the image; one image is too short for the clock's resolution.
 */
const SAMPLE_S = 0.02;

interface Rendering {
  readonly variant: string;
  readonly mode: Mode;
  readonly clocks?: boolean;
}

/**
 * Renders once. `clocks`: whether to read the GPU's clocks, which opens the device before the run does. Throws a
 * BraggError, including for a cancelled run.
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

/** Null if the variant is a user kernel. */
export function coldRunOf({ variant, problem }: ImageCandidate): ColdRun | null {
  if (isUserKernelId(variant.id)) return null;
  const own = { ...problem, solver: { ...problem.solver, variant: variant.id } };
  return { factory: 'createDiffraction', problem: own, calls: [{ method: 'start', args: [{}], reports: true }] };
}

type DeclaredCosts = Pick<
  DiffractionVariant,
  'precision' | 'flopsPerTerm' | 'fp64FlopsPerTerm' | 'flopsPerBeam' | 'fp64FlopsPerBeam' | 'bytesPerTerm'
>;

/** Declared operations and bytes of one image. */
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
 * The rendering's `wall_s` includes the repetitions that GPU timing needs. An end-to-end run is set-up and one image.
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

/** Largest relative change of the wavelength for a varied problem: every spot moves, and the work is unchanged. */
const MAX_LONGER_WAVE = 0.002;

const withLongerWave = (problem: DiffractionProblem, share: number): DiffractionProblem => ({
  ...problem,
  beam: { ...problem.beam, wavelength_m: problem.beam.wavelength_m * (1 + MAX_LONGER_WAVE * share) },
});

export class ImageBenchCandidate implements BenchCandidate {
  readonly #addon: NativeAddon;
  readonly #candidate: ImageCandidate;
  readonly #signal: AbortSignal | undefined;
  /** Null if the variant is shipped, because the parity tests check those. */
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

  async take(mode: Mode): Promise<TimedRun | null> {
    const rendered = await this.#render(mode, true);
    if (rendered === null) return null;
    const taken = timedRunOf(rendered);
    if (mode === 'warm' && (await this.#varied?.sampled(taken.time_s)) === false) return null;
    return taken;
  }

  async answer() {
    if ((await this.#varied?.check()) === false) return null;
    return { values: this.#rendered.result.image };
  }

  accuracy(oracle: Values | null) {
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

  known(): CandidateFacts {
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
      title: (share) => `${(100 * MAX_LONGER_WAVE * share).toPrecision(2)} % more wavelength`,
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
