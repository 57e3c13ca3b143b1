/** Weights of the layers of a spread-out Bragg peak, by non-negative least squares on a worker thread. */
import { BraggError } from '../../../../contract/errors.ts';
import { aside } from '../../../io/aside/task.ts';
import { combined } from '../../../model/beams/least-squares.ts';
import { nnls } from '../../../model/beams/nnls.ts';
import type { DepthDoses } from './depth-doses.ts';
import { type Plateau, plateauOf } from './plateau.ts';

/** Bisection steps of the search for the requested modulation. */
const ROUNDS = 12;
/** Largest distance of the proximal end from its nominal depth, in addition to a tenth of the modulation. */
const REACH_MM = 3;
const CLOSE_MM = 0.02;

const refuse = (message: string): never => {
  throw new BraggError('invalid', message);
};

/** Depth doses of layers with these ranges. */
type Layered = Pick<DepthDoses, 'curves' | 'step_mm'> & { readonly ranges: readonly number[] };

interface Fit {
  readonly from_mm: number;
  readonly weights: Float64Array;
  readonly plateau: Plateau;
  readonly firstFlatness: number;
}

/** Weights for a dose of 1 from `from_mm` to the peak of the deepest layer. */
function fitted(doses: Layered, from_mm: number, to_mm: number, first: readonly number[]): Fit | null {
  const { curves, step_mm, ranges } = doses;
  const [low, high] = [Math.max(0, Math.floor(from_mm / step_mm)), Math.floor(to_mm / step_mm - 0.5)];
  // The first cell counts by what of it lies inside: the result then follows `from_mm` without jumps.
  const share = (i: number): number => (i === 0 ? Math.sqrt(Math.min(1, low + 1 - from_mm / step_mm)) : 1);
  // Layers that end before it would fill the entrance, which nothing here holds down.
  const cut = curves.map((curve, k) =>
    curve.slice(low, high + 1).map((value, i) => ((ranges[k] ?? 0) < from_mm ? 0 : share(i) * value)),
  );
  const level = combined(cut, first).reduce((sum, value) => sum + value, 0) / (high + 1 - low);
  const start = first.map((weight) => weight / level);
  const weights = nnls(
    cut,
    Float64Array.from({ length: high + 1 - low }, (_, i) => share(i)),
    start,
  );
  const plateau = plateauOf(combined(curves, weights), step_mm, from_mm, to_mm);
  const before = plateauOf(combined(curves, start), step_mm, from_mm, to_mm);
  return plateau === null ? null : { from_mm, weights, plateau, firstFlatness: before?.flatness ?? Number.NaN };
}

/** A fit between two: the modulation jumps where a further layer comes in, and what lies between is a mixture. */
function between(
  { curves, step_mm }: Layered,
  to_mm: number,
  [long, short]: readonly [Fit, Fit],
  part: number,
): Fit | null {
  const mixed = (a: number, b: number): number => a + part * (b - a);
  const from_mm = mixed(long.from_mm, short.from_mm);
  const weights = long.weights.map((weight, k) => mixed(weight, short.weights[k] ?? 0));
  const plateau = plateauOf(combined(curves, weights), step_mm, from_mm, to_mm);
  return plateau === null ? null : { ...long, from_mm, weights, plateau };
}

interface Wanted {
  readonly doses: Layered;
  readonly modulation_mm: number;
  readonly to_mm: number;
  /** Weights to begin with. */
  readonly first: readonly number[];
}

/** Moves the proximal end of the fit until the modulation is the requested one. */
function fittedTo({ doses, modulation_mm, to_mm, first }: Wanted): Fit {
  const room = Math.min(modulation_mm / 2, REACH_MM + 0.1 * modulation_mm);
  const excess = (fit: Fit): number => fit.plateau.m95_mm - modulation_mm;
  let [low, high] = [Math.max(0, to_mm - modulation_mm - room), to_mm - modulation_mm + room];
  let [long, short]: [Fit | null, Fit | null] = [null, null];
  for (let round = 0; round < ROUNDS; round += 1) {
    const from_mm = (low + high) / 2;
    const fit = fitted(doses, from_mm, to_mm, first);
    if (fit === null) break;
    if (excess(fit) > 0) [low, long] = [from_mm, fit];
    else [high, short] = [from_mm, fit];
    if (Math.abs(excess(fit)) < CLOSE_MM) return fit;
  }
  if (long === null || short === null) {
    return (
      long ??
      short ??
      refuse(`modulation_mm: ${modulation_mm} mm cannot be made of these layers; allowed: more than the falloff`)
    );
  }
  let [near, far, best]: [number, number, Fit] = [0, 1, long];
  for (let round = 0; round < ROUNDS; round += 1) {
    const part = (near + far) / 2;
    const fit = between(doses, to_mm, [long, short], part);
    if (fit === null) break;
    best = fit;
    if (Math.abs(excess(fit)) < CLOSE_MM) break;
    if (excess(fit) > 0) near = part;
    else far = part;
  }
  return best;
}

/** Weights for which the dose above 95 % has the requested length. Throws BraggError `invalid` if there are none. */
export const fitLayers = aside('fit a spread-out peak', fittedTo);
