/**
 * Complete data of an ended diffraction run, as stored in its run file. All readouts are computed from them.
 *
 * Also computes the error of an image relative to a reference. It consists of several numbers, because the correlation
 * can be close to 1 although a bright pixel is wrong by half of its value.
 */
import type { Accuracy } from '../../../contract/bench/session.ts';
import { BRIGHT_PARITY, type ImageError } from '../../../contract/image.ts';
import type { DiffractionPlan, DiffractionResult } from '../../io/addon/task.ts';
import { peakMemory_bytes } from '../../io/peak-memory.ts';
import { NO_SPANS, type Recording } from '../../model/recording/recording.ts';
import type { RunContext } from '../run-context.ts';

/** The part of the engine's result that a run retains. */
type RetainedResult = Omit<DiffractionResult, 'clocks' | 'traceReason' | 'brightest' | keyof Recording>;

export interface ImageRunData extends RunContext, Recording, RetainedResult {
  readonly workload: 'diffraction';
  /** Always null, because an incomplete image is not stored as a run. */
  readonly error: null;
  readonly peak_rss_bytes: number;
  readonly width: number;
  readonly height: number;
  readonly oversample: number;
  readonly sources: number;
  readonly orientations: number;
  readonly layers: number;
  /** Photons in the brightest pixel. Absent if not computed. */
  readonly brightest?: number;
}

/**
 * Returns the photons in the brightest pixel. Loops by index, because an iterator would create an object for each
 * pixel.
 */
export function brightestPixelPhotons(image: Float32Array): number {
  let max = 0;
  for (let i = 0; i < image.length; i += 1) max = Math.max(max, image[i] ?? 0);
  return max;
}

/** Data of a run that is still computing, as if it were cancelled now. Contains the rows computed so far. */
export function partialImage(
  context: RunContext,
  plan: DiffractionPlan,
  { image, done }: Pick<DiffractionResult, 'image' | 'done'>,
): ImageRunData {
  const { variant, precision, threads, terms } = plan;
  return imageRunData(context, plan, {
    status: 'cancelled',
    done,
    variant,
    precision,
    threads,
    isa: '',
    setup_s: 0,
    solve_s: context.wall_s,
    device_s: 0,
    setup_parts: [],
    terms: done * terms,
    scratch_bytes: 0,
    image,
    spans: NO_SPANS,
    trace: null,
  });
}

/** The part of the engine's result that is stored in a run file. */
type ImageOutcome = RetainedResult & Recording & Partial<Pick<DiffractionResult, 'brightest'>>;

export function imageRunData(context: RunContext, plan: DiffractionPlan, result: ImageOutcome): ImageRunData {
  const { width, height, oversample, sources, orientations, layers } = plan;
  return {
    workload: 'diffraction',
    ...context,
    ...result,
    error: null,
    peak_rss_bytes: peakMemory_bytes(),
    width,
    height,
    oversample,
    sources,
    orientations,
    layers,
  };
}

export function isImageRun(run: { readonly workload: string }): run is ImageRunData {
  return run.workload === 'diffraction';
}

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

/**
 * Returns the accuracy columns of an image. `judged`: whether both images are of the same problem, so that a difference
 * is an error.
 */
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

/** Computes the error of an image. Throws a RangeError if the images have different sizes. */
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
    // Rounding errors can make the correlation of equal images slightly larger than 1.
    correlation: finite(Math.min(1, covariance / Math.sqrt(variances))),
  };
}

const largerOrNull = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : Math.max(a, b);

/** Returns the larger of two errors in each column. Null counts as the largest. */
export function largerErrors(a: ImageError, b: ImageError): ImageError {
  return {
    rel_l2: largerOrNull(a.rel_l2, b.rel_l2),
    max: largerOrNull(a.max, b.max),
    bright: largerOrNull(a.bright, b.bright),
    sum: largerOrNull(a.sum, b.sum),
    mean: largerOrNull(a.mean, b.mean),
    correlation: a.correlation === null || b.correlation === null ? null : Math.min(a.correlation, b.correlation),
  };
}
