/**
 * Computes the weights of the layers of a spread-out Bragg peak by non-negative least squares, on a worker thread. Also
 * computes readouts of its depth dose: the plateau, and the depths at which the dose falls off.
 */
import type { WeightKind } from '../../../../contract/beams/sobp.ts';
import { BraggError } from '../../../../contract/errors.ts';
import { defineThreadTask } from '../../../io/threads/task.ts';
import { multiplyMatrix, nnls, nonIncreasingNnls, regularisedNnls } from '../../../model/beams/least-squares.ts';
import { cellCurve, falloffPosition, positionOnRise } from '../metrics/depth-readouts.ts';
import type { DepthDoses } from './depth-doses.ts';

interface Plateau {
  /** Mean dose between the requested depths. */
  readonly mean: number;
  /** Half of the difference between largest and smallest dose in the plateau, divided by its mean. */
  readonly flatness: number;
  readonly r90_mm: number;
  readonly r80_mm: number;
  /** Distance in mm from the proximal to the distal depth at 95 % of the plateau. */
  readonly m95_mm: number;
  /** Distance in mm over which the distal dose falls from 80 % to 20 %. */
  readonly falloff_mm: number;
}

/**
 * Computes the readouts of a depth dose. Its cells of `step_mm` start at the surface. The plateau extends from
 * `from_mm` to `to_mm`.
 */
export function plateauOf(values: Float64Array, step_mm: number, from_mm: number, to_mm: number): Plateau | null {
  const [first, last] = [Math.ceil(from_mm / step_mm - 0.5), Math.floor(to_mm / step_mm - 0.5)];
  if (first < 0 || last >= values.length || last < first) return null;
  const inside = values.subarray(first, last + 1);
  const mean = inside.reduce((sum, value) => sum + value, 0) / inside.length;
  const [least, largest] = [Math.min(...inside), Math.max(...inside)];
  const curve = cellCurve(0, step_mm, values);
  const at = (cell: number) => ({ position: (cell + 0.5) * step_mm, height: values[cell] ?? 0, cell });
  const falloffAt = (share: number): number | null => falloffPosition(curve, at(last), share * mean);
  const [r95, r90, r80, r20] = [falloffAt(0.95), falloffAt(0.9), falloffAt(0.8), falloffAt(0.2)];
  const p95 = positionOnRise(curve, at(first), 0.95 * mean) ?? 0;
  if (r95 === null || r90 === null || r80 === null || r20 === null) return null;
  return {
    mean,
    flatness: (largest - least) / (largest + least),
    r90_mm: r90,
    r80_mm: r80,
    m95_mm: r95 - p95,
    falloff_mm: r20 - r80,
  };
}

/** Number of bisection steps in the search for the requested modulation. */
const ROUNDS = 12;
/** Maximum distance of the proximal end from its nominal depth, in addition to a tenth of the modulation. */
const REACH_MM = 3;
const CLOSE_MM = 0.02;

const throwInvalid = (message: string): never => {
  throw new BraggError('invalid', message);
};

/** Depth doses of layers, and their ranges in mm, deepest layer first. */
type LayerDoses = Pick<DepthDoses, 'curves' | 'step_mm'> & { readonly ranges: readonly number[] };

interface Fit {
  readonly from_mm: number;
  readonly weights: Float64Array;
  readonly plateau: Plateau;
  readonly firstFlatness: number;
}

/**
 * Weight of the smoothing term. A second difference of 1 in the relative weights counts as much as this relative
 * deviation of the dose in every cell.
 */
const SMOOTHING_WEIGHT = 0.005;

/** Width of each layer's interval of ranges, which extends half-way to its neighbours. */
function rangeIntervalsOf(ranges: readonly number[]): readonly number[] {
  const gap = (k: number): number => (ranges[k] ?? Number.NaN) - (ranges[k + 1] ?? Number.NaN);
  return ranges.map((_, k) => {
    const [before, after] = [gap(k - 1), gap(k)];
    if (Number.isNaN(before)) return Number.isNaN(after) ? 1 : after;
    return Number.isNaN(after) ? before : (before + after) / 2;
  });
}

/**
 * Second differences of the weights relative to `start`. The deepest layer is excluded: it shapes the end of the
 * plateau, and its weight is several times that of its neighbour.
 */
function secondDifferences(start: readonly number[], cells: number): readonly Float64Array[] {
  const strength = SMOOTHING_WEIGHT * Math.sqrt(cells);
  return start.slice(3).map((_, i) => {
    const row = new Float64Array(start.length);
    for (const [j, part] of [1, -2, 1].entries()) row[i + 1 + j] = (strength * part) / (start[i + 1 + j] || 1);
    return row;
  });
}

interface WeightProblem {
  readonly columns: readonly Float64Array[];
  readonly wanted: Float64Array;
  readonly start: readonly number[];
  readonly ranges: readonly number[];
  readonly kind: WeightKind;
}

function weightsOf({ columns, wanted, start, ranges, kind }: WeightProblem): Float64Array {
  switch (kind) {
    case 'flattest':
      return nnls(columns, wanted, start);
    case 'smooth':
      return regularisedNnls(columns, wanted, secondDifferences(start, wanted.length), start);
    case 'monotone':
      return nonIncreasingNnls(columns, wanted, rangeIntervalsOf(ranges), start);
  }
}

/** Fits weights for a dose of 1 from `from_mm` to the peak of the deepest layer. */
function fitFromDepth({ doses, to_mm, first, kind }: FitRequest, from_mm: number): Fit | null {
  const { curves, step_mm, ranges } = doses;
  const [low, high] = [Math.max(0, Math.floor(from_mm / step_mm)), Math.floor(to_mm / step_mm - 0.5)];
  // Weight the first cell by the part of it that is inside, so that the result is continuous in `from_mm`.
  const share = (i: number): number => (i === 0 ? Math.sqrt(Math.min(1, low + 1 - from_mm / step_mm)) : 1);
  // Exclude layers that end before `from_mm`. They would raise the entrance dose, which the fit does not constrain.
  const reaching = ranges.filter((range) => range >= from_mm);
  const columns = reaching.map((_, k) =>
    (curves[k] ?? new Float64Array()).slice(low, high + 1).map((value, i) => share(i) * value),
  );
  if (columns.length === 0 || high < low) return null;
  const level = multiplyMatrix(columns, first).reduce((sum, value) => sum + value, 0) / (high + 1 - low);
  const start = first.map((weight) => weight / level);
  const wanted = Float64Array.from({ length: high + 1 - low }, (_, i) => share(i));
  const found = weightsOf({ columns, wanted, start: start.slice(0, reaching.length), ranges: reaching, kind });
  const weights = Float64Array.from(curves, (_, k) => found[k] ?? 0);
  const plateau = plateauOf(multiplyMatrix(curves, weights), step_mm, from_mm, to_mm);
  const before = plateauOf(multiplyMatrix(curves, start), step_mm, from_mm, to_mm);
  return plateau === null ? null : { from_mm, weights, plateau, firstFlatness: before?.flatness ?? Number.NaN };
}

/**
 * Interpolates between two fits. Between them a layer is added, which changes the modulation abruptly. A mixture of
 * both fits gives the values in between.
 */
function interpolateFits(
  { curves, step_mm }: LayerDoses,
  to_mm: number,
  [long, short]: readonly [Fit, Fit],
  part: number,
): Fit | null {
  const mix = (a: number, b: number): number => a + part * (b - a);
  const from_mm = mix(long.from_mm, short.from_mm);
  const weights = long.weights.map((weight, k) => mix(weight, short.weights[k] ?? 0));
  const plateau = plateauOf(multiplyMatrix(curves, weights), step_mm, from_mm, to_mm);
  return plateau === null ? null : { ...long, from_mm, weights, plateau };
}

interface FitRequest {
  readonly doses: LayerDoses;
  readonly modulation_mm: number;
  readonly to_mm: number;
  /** Weights to start the fit from. */
  readonly first: readonly number[];
  readonly kind: WeightKind;
}

/** Moves the proximal end of the fit until the modulation equals the requested one. */
function fitToModulation(wanted: FitRequest): Fit {
  const { doses, modulation_mm, to_mm } = wanted;
  const room = Math.min(modulation_mm / 2, REACH_MM + 0.1 * modulation_mm);
  const excess = (fit: Fit): number => fit.plateau.m95_mm - modulation_mm;
  let [low, high] = [Math.max(0, to_mm - modulation_mm - room), to_mm - modulation_mm + room];
  let [long, short]: [Fit | null, Fit | null] = [null, null];
  for (let round = 0; round < ROUNDS; round += 1) {
    const from_mm = (low + high) / 2;
    const fit = fitFromDepth(wanted, from_mm);
    if (fit === null) break;
    if (excess(fit) > 0) [low, long] = [from_mm, fit];
    else [high, short] = [from_mm, fit];
    if (Math.abs(excess(fit)) < CLOSE_MM) return fit;
  }
  if (long === null || short === null) {
    return (
      long ??
      short ??
      throwInvalid(
        `modulation_mm: ${modulation_mm} mm cannot be reached with these layers; allowed: more than the falloff`,
      )
    );
  }
  let [near, far, best]: [number, number, Fit] = [0, 1, long];
  for (let round = 0; round < ROUNDS; round += 1) {
    const part = (near + far) / 2;
    const fit = interpolateFits(doses, to_mm, [long, short], part);
    if (fit === null) break;
    best = fit;
    if (Math.abs(excess(fit)) < CLOSE_MM) break;
    if (excess(fit) > 0) near = part;
    else far = part;
  }
  return best;
}

const fitOnThread = defineThreadTask('fit a spread-out peak', fitToModulation);
/**
 * Number of terms (layers squared times cells) that a fit processes in about 10 ms, which is shorter than starting a
 * worker thread.
 */
const FEW_TERMS = 2e6;

/**
 * Fits weights with which the dose exceeds 95 % over the requested length. Throws BraggError `invalid` if there are
 * none.
 */
export async function fitLayers(wanted: FitRequest): Promise<Fit> {
  const { curves } = wanted.doses;
  const few = curves.length ** 2 * (curves[0]?.length ?? 0) < FEW_TERMS;
  return few ? fitToModulation(wanted) : fitOnThread(wanted);
}
