/**
 * Fits orientation and unit cell of a crystal to a measured image by least squares: Gauss–Newton steps, with damping
 * after Marquardt (J. SIAM 11 (1963) 431) if a step increases the error. Scale and background are fitted too, because
 * detectors have arbitrary units of counts. Excluded pixels are ignored.
 *
 * Also imports measured images, compares them with the scenario, and subtracts the fit.
 */
import { BraggError } from '../../../contract/errors.ts';
import type { DiffractionScenario } from '../../../contract/scenario/diffraction/index.ts';
import {
  type CrystalUnknown,
  crystalUnknowns,
  type RefinedPart,
  type RefineIteration,
} from '../../../contract/scenario/diffraction/refining.ts';
import type { YieldingTask } from '../../../domain/values/pausing.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import type { DiffractionProblem } from '../../io/addon/task.ts';
import { runInSlices } from '../../io/flow/cooperative.ts';
import { defineArrayTask, defineThreadTask } from '../../io/threads/task.ts';
import type { DiffractionReading, ScenarioReading } from '../scenarios/scenarios.ts';
import { render } from './bench-candidate.ts';
import { type MaskedImage, maskExcluded, readImage, readNexusImage } from './images/read.ts';
import type { Header } from './images/read-cbf.ts';
import type { Image } from './summary.ts';

/** Sums over all measured pixels, from the residuals r and their derivatives J at given values of the unknowns. */
export interface NormalEquations {
  /** Jᵀ J, row-major. */
  readonly square: Float64Array;
  /** Jᵀ r. */
  readonly right: Float64Array;
  /** rᵀ r. */
  readonly residual: number;
}

/** Returns the lower triangle of the Cholesky decomposition. Null if the matrix is not positive definite. */
function cholesky(square: Float64Array, count: number): Float64Array | null {
  const lower = new Float64Array(count * count);
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column <= row; column += 1) {
      let rest = square[row * count + column] ?? 0;
      for (let k = 0; k < column; k += 1) rest -= (lower[row * count + k] ?? 0) * (lower[column * count + k] ?? 0);
      if (row > column) lower[row * count + column] = rest / (lower[column * count + column] ?? 1);
      else if (rest > 0) lower[row * count + row] = Math.sqrt(rest);
      else return null;
    }
  }
  return lower;
}

/** Solves a linear system with a symmetric matrix. Null if the matrix is not positive definite. */
export function solveCholesky(square: Float64Array, right: Float64Array): Float64Array | null {
  const count = right.length;
  const lower = cholesky(square, count);
  if (lower === null) return null;
  const out = Float64Array.from(right);
  for (let row = 0; row < count; row += 1) {
    for (let k = 0; k < row; k += 1) out[row] = (out[row] ?? 0) - (lower[row * count + k] ?? 0) * (out[k] ?? 0);
    out[row] = (out[row] ?? 0) / (lower[row * count + row] ?? 1);
  }
  for (let row = count - 1; row >= 0; row -= 1) {
    for (let k = row + 1; k < count; k += 1) out[row] = (out[row] ?? 0) - (lower[k * count + row] ?? 0) * (out[k] ?? 0);
    out[row] = (out[row] ?? 0) / (lower[row * count + row] ?? 1);
  }
  return out;
}

interface FitLimits {
  readonly iterations: number;
  /** The fit has converged if every component of the step is smaller than this. */
  readonly step: number;
}

interface Fit {
  readonly unknowns: Float64Array;
  /** Normal equations at the end of the fit. */
  readonly equations: NormalEquations;
  /** Number of times that the normal equations were computed. */
  readonly iterations: number;
  readonly converged: boolean;
}

/**
 * Damping of the fit: its value after the first failed step, the factors after each further failed and each successful
 * step, and its maximum.
 */
const DAMPING = { first: 1e-3, rise: 10, fall: 0.3, most: 1e8 } as const;

function dampedStep({ square, right }: NormalEquations, damping: number): Float64Array | null {
  const damped = Float64Array.from(square);
  for (let k = 0; k < right.length; k += 1) {
    const at = k * right.length + k;
    // If the residuals do not depend on an unknown, its diagonal element is 0. Use 1, so that the unknown does not
    // change.
    damped[at] = (damped[at] ?? 0) * (1 + damping) || 1;
  }
  return solveCholesky(damped, right)?.map((part) => -part) ?? null;
}

/**
 * Minimises the sum of squared residuals from `start`. `at` computes the normal equations for given values of the
 * unknowns.
 */
export async function gaussNewton(
  start: Float64Array,
  limits: FitLimits,
  at: (unknowns: Float64Array) => Promise<NormalEquations>,
): Promise<Fit> {
  let unknowns = start;
  let equations = await at(start);
  let damping = 0;
  for (let iterations = 1; ; iterations += 1) {
    const step = dampedStep(equations, damping);
    const small = step?.every((part) => Math.abs(part) < limits.step) ?? false;
    if (small || damping > DAMPING.most) return { unknowns, equations, iterations, converged: small };
    if (iterations >= limits.iterations) return { unknowns, equations, iterations, converged: false };
    const next = step === null ? null : unknowns.map((one, k) => one + (step[k] ?? 0));
    const tried = next === null ? null : await at(next);
    if (next !== null && tried !== null && tried.residual <= equations.residual) {
      unknowns = next;
      equations = tried;
      damping = damping < DAMPING.first ? 0 : damping * DAMPING.fall;
    } else {
      damping = damping === 0 ? DAMPING.first : damping * DAMPING.rise;
    }
  }
}

export interface RefineOptions {
  readonly fit: readonly RefinedPart[];
  readonly iterations: number;
  readonly signal?: AbortSignal;
  /** Called after each iteration. */
  readonly onIteration?: (iteration: RefineIteration) => void;
}

export interface RefinementResult {
  readonly unknowns: readonly (CrystalUnknown & {
    readonly start: number;
    readonly value: number;
    /** Standard deviation from the residuals. Null if the image does not determine the parameter. */
    readonly sigma: number | null;
  })[];
  readonly iterations: number;
  readonly converged: boolean;
  readonly images: number;
  /** Number of pixels used in the fit. */
  readonly pixels: number;
  /** Counts per photon, and background in counts. */
  readonly scale: number;
  readonly background: number;
  /** Correlation of the computed with the measured image, before and after the fit. */
  readonly correlation: { readonly start: number; readonly end: number };
  readonly iteration_s: number;
  /** Photons computed for the fitted crystal. */
  readonly image: Float32Array;
}

/**
 * Scales of the unknown angles and cell edges for a crystal of one cell. For N cells they are divided by N, so that a
 * spot is about three units wide. Five cells give 0.05° and 0.1 %.
 */
const TURN_DEG = 0.25;
const STRETCH = 5e-3;
/**
 * Step of finite differences, in the scaled units of the unknowns. With pixels in FP32, derivatives are then accurate
 * to some percent.
 */
const STEP = 0.1;
/**
 * The fit ends if all steps are smaller than this, in scaled units. It is the resolution of differences between FP32
 * images.
 */
const CONVERGED_STEP = 1e-3;
const DEG = Math.PI / 180;
/** Number of pixels that are processed before yielding. */
const PIXELS_PER_SLICE = 8192;

type Values = readonly number[];

function startValues({ crystal }: DiffractionProblem): Values {
  if (!('cell' in crystal)) {
    throw new BraggError(
      'unsupported',
      'crystal.lattice: an orientation matrix cannot be refined; allowed: a unit cell',
    );
  }
  const { a_m, b_m, c_m, alpha_rad, beta_rad, gamma_rad } = crystal.cell;
  const angles = [alpha_rad, beta_rad, gamma_rad].map((angle) => angle / DEG);
  return [...[...crystal.misset_rad].map((angle) => angle / DEG), a_m * 1e10, b_m * 1e10, c_m * 1e10, ...angles];
}

function problemWithValues(problem: DiffractionProblem, values: Values): DiffractionProblem {
  const [x = 0, y = 0, z = 0, a = 1, b = 1, c = 1, alpha = 90, beta = 90, gamma = 90] = values;
  const cell = {
    ...{ a_m: a * 1e-10, b_m: b * 1e-10, c_m: c * 1e-10 },
    ...{ alpha_rad: alpha * DEG, beta_rad: beta * DEG, gamma_rad: gamma * DEG },
  };
  const misset_rad = Float64Array.of(x * DEG, y * DEG, z * DEG);
  return { ...problem, crystal: { ...problem.crystal, cell, misset_rad } };
}

/** Returns the scale of each unknown. */
function unknownScales({ crystal }: DiffractionProblem, start: Values): Values {
  const most = Math.max(...crystal.cells);
  return crystalUnknowns.map(({ unit }, k) => (unit === '°' ? TURN_DEG / most : (STRETCH / most) * (start[k] ?? 1)));
}

/** Fits a line through computed photons and measured counts, over all pixels that are not excluded. */
function* fitLine(image: Float32Array, { counts, excluded }: MaskedImage): YieldingTask<Line> {
  let [n, x, y, xx, xy, yy] = [0, 0, 0, 0, 0, 0];
  for (let i = 0; i < counts.length; i += 1) {
    if (i % PIXELS_PER_SLICE === 0) yield;
    if (excluded[i] === 1) continue;
    const [photons, counted] = [image[i] ?? 0, counts[i] ?? 0];
    n += 1;
    x += photons;
    y += counted;
    xx += photons * photons;
    xy += photons * counted;
    yy += counted * counted;
  }
  const [ofImage, together, ofCounts] = [xx - (x * x) / n, xy - (x * y) / n, yy - (y * y) / n];
  const scale = ofImage > 0 ? together / ofImage : 0;
  return {
    pixels: n,
    scale,
    background: (y - scale * x) / n,
    correlation: ofImage > 0 && ofCounts > 0 ? together / Math.sqrt(ofImage * ofCounts) : 0,
  };
}

interface Line {
  readonly pixels: number;
  readonly scale: number;
  readonly background: number;
  readonly correlation: number;
}

/**
 * Normal equations for the crystal's unknowns alone. Scale and background are those of the best line. Derivatives with
 * respect to them are projected out (Golub and Pereyra, after Kaufman).
 */
function* projectedEquations(
  images: readonly Float32Array[],
  measured: MaskedImage,
  line: Line,
): YieldingTask<NormalEquations> {
  const [here = new Float32Array(), ...further] = images;
  const { scale, background, pixels } = line;
  const unknowns = further.length;
  // Columns of a row: the derivatives, the image, the constant, and the residual.
  const columns = unknowns + 2;
  const sums = new Float64Array((columns + 1) * (columns + 1));
  const row = new Float64Array(columns + 1);
  for (let i = 0; i < measured.counts.length; i += 1) {
    if (i % PIXELS_PER_SLICE === 0) yield;
    if (measured.excluded[i] === 1) continue;
    const photons = here[i] ?? 0;
    for (let k = 0; k < unknowns; k += 1) row[k] = (scale * ((further[k]?.[i] ?? 0) - photons)) / STEP;
    row[unknowns] = photons;
    row[unknowns + 1] = 1;
    row[columns] = scale * photons + background - (measured.counts[i] ?? 0);
    for (let u = 0; u <= columns; u += 1) {
      const own = row[u] ?? 0;
      if (own === 0) continue;
      for (let v = 0; v <= u; v += 1)
        sums[u * (columns + 1) + v] = (sums[u * (columns + 1) + v] ?? 0) + own * (row[v] ?? 0);
    }
  }
  const sum = (u: number, v: number): number => sums[Math.max(u, v) * (columns + 1) + Math.min(u, v)] ?? 0;
  // Remove the components of the sums along the image and the constant.
  const [ii, io, oo] = [sum(unknowns, unknowns), sum(unknowns, unknowns + 1), pixels];
  const determinant = ii * oo - io * io || 1;
  const projected = (u: number, v: number): number => {
    const [ui, uo, vi, vo] = [sum(u, unknowns), sum(u, unknowns + 1), sum(v, unknowns), sum(v, unknowns + 1)];
    return sum(u, v) - (oo * ui * vi - io * (ui * vo + uo * vi) + ii * uo * vo) / determinant;
  };
  const square = new Float64Array(unknowns * unknowns);
  const right = new Float64Array(unknowns);
  for (let u = 0; u < unknowns; u += 1) {
    for (let v = 0; v < unknowns; v += 1) square[u * unknowns + v] = projected(u, v);
    right[u] = projected(u, columns);
  }
  return { square, right, residual: sum(columns, columns) };
}

export async function refineCrystal(
  addon: NativeAddon,
  problem: DiffractionProblem,
  measured: MaskedImage,
  { fit, iterations, signal, onIteration }: RefineOptions,
): Promise<RefinementResult> {
  const { width, height } = problem.detector;
  if (measured.width !== width || measured.height !== height) {
    throw new BraggError(
      'unsupported',
      `the image has ${measured.width} × ${measured.height} pixels, but the detector of the scenario has ${width} × ${height}; set detector.width and detector.height`,
    );
  }
  const start = startValues(problem);
  const units = unknownScales(problem, start);
  const fitted = crystalUnknowns.flatMap(({ of }, k) => (fit.includes(of) ? [k] : []));
  const valuesOf = (unknowns: ArrayLike<number>): Values =>
    start.map((value, k) => value + (unknowns[fitted.indexOf(k)] ?? 0) * (units[k] ?? 0));
  const imageOf = async (unknowns: Float64Array): Promise<Float32Array> => {
    signal?.throwIfAborted();
    const { variant } = problem.solver;
    const { result } = await render(
      addon,
      problemWithValues(problem, valuesOf(unknowns)),
      { variant, mode: 'warm' },
      signal,
    );
    return result.image;
  };
  const lines: Line[] = [];
  const begun = performance.now();
  let [last, least] = [begun, Number.POSITIVE_INFINITY];
  const found = await gaussNewton(
    new Float64Array(fitted.length),
    { iterations, step: CONVERGED_STEP },
    async (unknowns) => {
      const images = [await imageOf(unknowns)];
      const line = await runInSlices(fitLine(images[0] ?? new Float32Array(), measured));
      if (lines.length === 0 && !(line.scale > 0)) {
        throw new BraggError(
          'unsupported',
          "no spot of the image is near a spot of the scenario's image. Start closer: set crystal.misset and crystal.lattice",
        );
      }
      lines.push(line);
      for (let k = 0; k < fitted.length; k += 1)
        images.push(await imageOf(unknowns.map((one, u) => (u === k ? one + STEP : one))));
      const equations = await runInSlices(projectedEquations(images, measured, line));
      const taken = equations.residual <= least;
      least = Math.min(least, equations.residual);
      const [now, values] = [performance.now(), valuesOf(unknowns)];
      onIteration?.({
        ...{ state: 'iteration', iteration: lines.length, rms: Math.sqrt(equations.residual / line.pixels) },
        ...{ correlation: line.correlation, taken, values: fitted.map((k) => values[k] ?? 0) },
        seconds: (now - last) / 1000,
      });
      last = now;
      return equations;
    },
  );
  const iteration_s = (performance.now() - begun) / 1000 / lines.length;
  const image = await imageOf(found.unknowns);
  const end = await runInSlices(fitLine(image, measured));
  const values = valuesOf(found.unknowns);
  const variance = found.equations.residual / Math.max(1, end.pixels - fitted.length - 2);
  const sigmas = sigmasOf(found.equations, variance);
  return {
    unknowns: fitted.flatMap((k, u) => {
      const unknown = crystalUnknowns[k];
      const sigma = sigmas?.[u];
      if (unknown === undefined) return [];
      return [
        {
          ...unknown,
          ...{ start: start[k] ?? 0, value: values[k] ?? 0 },
          sigma: sigma === undefined ? null : sigma * (units[k] ?? 0),
        },
      ];
    }),
    ...{ iterations: found.iterations, converged: found.converged, images: fitted.length + 1, pixels: end.pixels },
    ...{ scale: end.scale, background: end.background, iteration_s, image },
    correlation: { start: lines[0]?.correlation ?? 0, end: end.correlation },
  };
}

/** Standard deviations of the unknowns, in the scaled units of the fit. */
function sigmasOf({ square, right }: NormalEquations, variance: number): Values | null {
  const all = Array.from(right, (_, k) => {
    const one = new Float64Array(right.length);
    one[k] = 1;
    return solveCholesky(square, one)?.[k];
  });
  return all.every((each) => each !== undefined) ? all.map((each = 0) => Math.sqrt(variance * each)) : null;
}

/** Converts a computed image to the form of measured ones. Its counts are photons, and no pixel is excluded. */
export const maskedImageOf = ({ width, height, image }: Image): MaskedImage =>
  maskExcluded({ width, height, counts: image, full: Number.POSITIVE_INFINITY, header: {} });

/** Large images are processed on a worker thread, because every pixel is visited. */
export const processImage = defineArrayTask('import an image', maskedImageOf);
export const readImageFile = defineThreadTask(
  'read an image file',
  ({ bytes, name, size }: { readonly bytes: Uint8Array; readonly name: string; readonly size: [number, number] }) =>
    readImage(bytes, name, size),
);

interface NamedImage {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export const readNexusFile = defineThreadTask(
  'read an image of NXmx',
  ({ bytes, name, linked }: NamedImage & { readonly linked: readonly NamedImage[] }) =>
    readNexusImage(bytes, name, async (wanted) => linked.find((one) => one.name === wanted)?.bytes ?? null),
);

export interface FittedImage {
  readonly photons: Float32Array;
  /** Counts per photon, and background in counts. */
  readonly scale: number;
  readonly background: number;
}

interface LoadedImage {
  readonly measured: Pick<MaskedImage, 'counts' | 'excluded'>;
  /** Null if no fit is subtracted. */
  readonly fitted: FittedImage | null;
}

/** Returns the counts, minus those of the fit if there is one. Excluded pixels are 0. */
export const residualCounts = defineArrayTask('subtract a fit', ({ measured, fitted }: LoadedImage): Float32Array => {
  const { counts, excluded } = measured;
  return counts.map((count, i) => {
    if (excluded[i] === 1) return 0;
    return fitted === null ? count : count - fitted.scale * (fitted.photons[i] ?? 0) - fitted.background;
  });
});

export const countExcluded = defineArrayTask('count ignored pixels', (excluded: Uint8Array): number =>
  excluded.reduce((sum, one) => sum + one, 0),
);

/** Returns the reading if it describes a crystal. Throws BraggError otherwise. */
export function requireCrystal(reading: ScenarioReading): DiffractionReading {
  if (reading.kind === 'diffraction') return reading;
  throw new BraggError('unsupported', 'Only a crystal can be fitted to an image; this scenario is of another kind.');
}

/** Lists values that differ by more than a thousandth between the file's header and the scenario. */
export function headerMismatches(header: Header, { detector, beam }: DiffractionScenario): readonly string[] {
  const said = [
    ['detector.distance_mm', header.distance_mm, detector.distance_mm],
    ['detector.pixel_mm', header.pixel_mm, detector.pixel_mm],
    ['beam.wavelength_A', header.wavelength_A, beam.wavelength_A],
  ] as const;
  return said.flatMap(([place, file, own]) =>
    file === undefined || Math.abs(file / own - 1) < 1e-3
      ? []
      : [`${place} is ${own} in the scenario, but ${file} in the header of the image`],
  );
}
