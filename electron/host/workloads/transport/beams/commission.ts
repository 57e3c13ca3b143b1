/**
 * Fits energy and energy spread of a beam to a measured depth dose, on a worker thread. The measurement is a CSV table
 * with a known unit of depth, in which the dose falls beyond the peak.
 *
 * Depth doses of a few energies are solved in water. Between these energies, curves are interpolated with aligned
 * ranges; a spread is a sum over energies. The least-squares fit uses the peak and the points behind it, and the scale
 * of the dose is free.
 */
import type { BeamFit, depthUnits } from '../../../../contract/beams/commission.ts';
import { BraggError } from '../../../../contract/errors.ts';
import { readCurveCsv } from '../../../../domain/dose/curve-csv.ts';
import { isMissingMark, largestUnmarked } from '../../../../domain/values/csv.ts';
import { defineThreadTask } from '../../../io/threads/task.ts';
import { type CellCurve, cellCurve, falloffPosition, peakOf } from '../metrics/depth-readouts.ts';
import { rangeStraggling_mm } from '../scenario/context.ts';
import { type DepthDoses, depthDoses, energiesBetween, type WaterPhysics } from './depth-doses.ts';

interface MeasuredCurve {
  readonly depth_mm: Float64Array;
  readonly dose: Float64Array;
}

interface CurveWithMetadata extends MeasuredCurve {
  /** Unit of the dose in the header. Null if it is not stated. */
  readonly unit: string | null;
  /** Facts about the file that the user should know. */
  readonly notes: readonly string[];
}

interface LineError {
  readonly line: number;
  readonly message: string;
}

type CurveParseResult =
  | { readonly ok: true; readonly curve: CurveWithMetadata }
  | { readonly ok: false; readonly faults: readonly LineError[] };

/** Minimum and maximum number of points. Fewer do not describe a peak, and more are not a measurement. */
const POINTS = [10, 20_000] as const;
/**
 * Largest allowed negative dose, as a share of the maximum. Detectors report values slightly below zero after
 * background subtraction.
 */
const LARGEST_NOISE = 0.05;
export type DepthUnit = (typeof depthUnits)[number];

const rejectedCurve = (line: number, message: string): CurveParseResult => ({ ok: false, faults: [{ line, message }] });

type ParsedCsv = ReturnType<typeof readCurveCsv>;
const parseCurve = (text: string, unit: DepthUnit | null): ParsedCsv => readCurveCsv(text, unit ?? 'asked');

function completeCurve(read: ParsedCsv): CurveParseResult {
  if (!read.ok) return read;
  const { depth_mm, dose, unit, firstLine, lastLine, notes } = read.curve;
  if (dose.length < POINTS[0] || dose.length > POINTS[1]) {
    return rejectedCurve(firstLine, `${dose.length} points; allowed: ${POINTS[0]} to ${POINTS[1]}`);
  }
  const largest = largestUnmarked(dose);
  const mark = dose.findIndex((one) => isMissingMark(one, largest));
  if (mark >= 0) {
    const allowed = 'one line for each measured dose, and no lines without a measurement';
    return rejectedCurve(
      firstLine,
      `the dose is ${dose[mark]} at ${depth_mm[mark]} mm, a mark for a missing value; allowed: ${allowed}`,
    );
  }
  const top = dose.reduce((most, one) => Math.max(most, one), 0);
  if (!(top > 0) || (dose.at(-1) ?? 0) > 0.2 * top) {
    return rejectedCurve(
      lastLine,
      'the dose does not fall to 20 % of its maximum; allowed: a curve that continues beyond its peak',
    );
  }
  const low = dose.findIndex((one) => one < -LARGEST_NOISE * top);
  if (low >= 0) {
    const allowed = `${-100 * LARGEST_NOISE} % of its largest value or more`;
    return rejectedCurve(firstLine, `the dose is ${dose[low]} at ${depth_mm[low]} mm; allowed: ${allowed}`);
  }
  return { ok: true, curve: { depth_mm, dose, unit, notes } };
}

/** Parses a curve. `unit` applies if the file does not state a unit of depth. */
export const readCurve = (text: string, unit: DepthUnit | null): CurveParseResult =>
  completeCurve(parseCurve(text, unit));

/**
 * Parses a curve. Rejects a file whose header states another unit than the requested one, because some beam also fits a
 * tenfold depth. Depths in other materials are rejected too, because the fit computes depth doses in water.
 */
export function readOneCurve(text: string, unit: DepthUnit | null): CurveParseResult {
  const read = parseCurve(text, unit);
  if (read.ok && read.curve.matter !== null) {
    const allowed = 'depths in water, in a column such as depth_mm';
    return rejectedCurve(
      read.curve.firstLine,
      `its depths are in ${read.curve.matter}, but the fit is in water; allowed: ${allowed}`,
    );
  }
  const told = read.ok ? read.curve.depthUnit?.toLowerCase() : undefined;
  if (read.ok && unit !== null && told !== undefined && told !== unit) {
    return rejectedCurve(
      read.curve.firstLine,
      `the depth column is in ${told}, but ${unit} was selected; allowed: a column in ${unit} or without a unit`,
    );
  }
  return completeCurve(read);
}

/** Points before the peak are used if their dose is at least this share of the maximum. */
const FROM_SHARE = 0.6;
const NODES = 7;
/** Half width of the energy spectrum in standard deviations, and number of energies in its sum. */
const REACH = 4;
const ENERGIES = 41;
const ROUNDS = 40;
/** Distance from 80 % to 20 % of the maximum dose, divided by the standard deviation of ranges. */
const FALLOFF = 1.312;

const throwInvalid = (message: string): never => {
  throw new BraggError('invalid', message);
};

/** Depth in mm beyond the peak at which the measured curve falls to `share` of its maximum. */
function falloffDepth({ depth_mm, dose }: MeasuredCurve, share: number): number {
  const top = dose.reduce((a, b) => Math.max(a, b));
  for (let i = dose.indexOf(top); i + 1 < dose.length; i += 1) {
    const [a, b] = [dose[i] ?? 0, dose[i + 1] ?? 0];
    if (b > share * top) continue;
    const part = (a - share * top) / (a - b);
    return (depth_mm[i] ?? 0) + part * ((depth_mm[i + 1] ?? 0) - (depth_mm[i] ?? 0));
  }
  return throwInvalid('the curve does not fall beyond its peak');
}

interface Node {
  readonly energy_MeV: number;
  readonly r80_mm: number;
  readonly curve: CellCurve;
}

/** Value of the parabola that matches a cell's edge values and mean. Constant outside of the curve. */
function valueAt({ step, means, edges }: CellCurve, depth: number): number {
  const at = Math.min(means.length - 1e-9, Math.max(0, depth / step));
  const cell = Math.floor(at);
  const t = at - cell;
  const [a, b, mean] = [edges[cell] ?? 0, edges[cell + 1] ?? 0, means[cell] ?? 0];
  return a + t * (b - a) + 6 * t * (1 - t) * (mean - (a + b) / 2);
}

/** Depth doses for any energy and energy spread, interpolated between the solved energies. */
class InterpolatedDoses {
  private readonly nodes: readonly Node[];

  constructor({ spots, curves, step_mm }: SolvedDoses) {
    this.nodes = curves.map((values, k) => {
      const curve = cellCurve(0, step_mm, values);
      const peak = peakOf(curve);
      const r80_mm = peak === null ? null : falloffPosition(curve, peak, 0.8 * peak.height);
      return {
        energy_MeV: spots[k]?.energy_MeV ?? 0,
        r80_mm: r80_mm ?? throwInvalid('a depth dose has no peak in the water'),
        curve,
      };
    });
  }

  private doseAt(energy: number, depth: number): number {
    const after = Math.min(
      this.nodes.length - 1,
      Math.max(
        1,
        this.nodes.findIndex((node) => node.energy_MeV >= energy),
      ),
    );
    const [a, b] = [this.nodes[after - 1], this.nodes[after]];
    if (a === undefined || b === undefined) return 0;
    const f = (energy - a.energy_MeV) / (b.energy_MeV - a.energy_MeV);
    // Interpolate the range by a power law, because it is nearly a power of the energy.
    const power = Math.log(b.r80_mm / a.r80_mm) / Math.log(b.energy_MeV / a.energy_MeV);
    const range = a.r80_mm * (energy / a.energy_MeV) ** power;
    return (1 - f) * valueAt(a.curve, depth - range + a.r80_mm) + f * valueAt(b.curve, depth - range + b.r80_mm);
  }

  dose(energy: number, variance: number, depths: Float64Array): Float64Array {
    const sigma = Math.sqrt(Math.max(0, variance));
    const steps = sigma > 0 ? ENERGIES : 1;
    const offs = Array.from({ length: steps }, (_, i) => (steps === 1 ? 0 : REACH * ((2 * i) / (steps - 1) - 1)));
    const weights = offs.map((off) => Math.exp(-0.5 * off * off));
    const total = weights.reduce((a, b) => a + b);
    return depths.map((depth) =>
      offs.reduce((sum, off, i) => sum + ((weights[i] ?? 0) / total) * this.doseAt(energy + off * sigma, depth), 0),
    );
  }
}

/** Differences between model and measurement at the best scale, as shares of the maximum dose. */
function residuals(
  model: Float64Array,
  measured: Float64Array,
): { readonly scale: number; readonly values: Float64Array } {
  let [cross, square] = [0, 0];
  model.forEach((value, i) => {
    cross += value * (measured[i] ?? 0);
    square += value * value;
  });
  const scale = cross / square;
  return { scale, values: model.map((value, i) => scale * value - (measured[i] ?? 0)) };
}

const squares = (values: Float64Array): number => values.reduce((sum, value) => sum + value * value, 0);

/** Estimates from the measured curve alone, before the fit. */
interface FirstGuess {
  readonly r80_mm: number;
  /** Ranges in mm of the depth doses that the fit needs. */
  readonly ranges_mm: readonly number[];
  /** Depth of the water in mm that the fit needs. */
  readonly depth_mm: number;
}

function examineCurve(curve: MeasuredCurve) {
  const top = curve.dose.reduce((a, b) => Math.max(a, b));
  const [r80, r20] = [falloffDepth(curve, 0.8), falloffDepth(curve, 0.2)];
  const straggling = rangeStraggling_mm(r80);
  const slope = (1.77 * r80) / (10 * (r80 / 1.23) ** 0.565);
  const spread_mm = Math.sqrt(Math.max(0, ((r20 - r80) / FALLOFF) ** 2 - straggling ** 2));
  // Margin on the range in mm: the spread on both sides, and the error of the first guess.
  const room_mm = 6 * spread_mm + 4 * straggling + 0.02 * r80;
  if (!(r80 - room_mm > 1))
    throwInvalid(`the curve falls to 80 % at ${r80.toFixed(1)} mm; allowed: a peak deeper in the water`);
  return { top, r20, r80, straggling, slope, spread_mm, room_mm };
}

function firstGuess(curve: MeasuredCurve): FirstGuess {
  const { r80, room_mm } = examineCurve(curve);
  return {
    r80_mm: r80,
    ranges_mm: Array.from({ length: NODES }, (_, k) => r80 + room_mm * ((2 * k) / (NODES - 1) - 1)),
    depth_mm: Math.ceil(r80 + 2 * room_mm + 10),
  };
}

type FittedSpectrum = Omit<BeamFit, 'notes'>;
type SolvedDoses = Pick<DepthDoses, 'spots' | 'step_mm' | 'curves'>;

function fitSpectrum({ curve, doses }: { readonly curve: MeasuredCurve; readonly doses: SolvedDoses }): FittedSpectrum {
  const { top, r20, r80, straggling, slope, spread_mm, room_mm } = examineCurve(curve);
  const family = new InterpolatedDoses(doses);

  const peak = curve.dose.indexOf(top);
  let first = peak;
  while (first > 0 && (curve.dose[first - 1] ?? 0) > FROM_SHARE * top) first -= 1;
  const used = curve.dose.map((_, i) => (i >= first && (curve.depth_mm[i] ?? 0) < r20 + room_mm ? 1 : 0));
  const depths = curve.depth_mm.filter((_, i) => used[i] === 1);
  const measured = curve.dose.filter((_, i) => used[i] === 1).map((value) => value / top);
  if (depths.length < 6) throwInvalid(`the peak has ${depths.length} points; allowed: at least 6`);
  const residualsAt = (energy: number, variance: number) => residuals(family.dose(energy, variance, depths), measured);

  let energy = 10 * (r80 / 1.23) ** 0.565;
  // The power law has an error of about a percent, so start from the best of many energies around it.
  const lowest = energy;
  for (let i = -40; i <= 40; i += 1) {
    const tried = lowest * (1 + 0.001 * i);
    const variance = (spread_mm / slope) ** 2;
    if (squares(residualsAt(tried, variance).values) < squares(residualsAt(energy, variance).values)) energy = tried;
  }
  let variance = (spread_mm / slope) ** 2;
  const [byEnergy, byVariance] = [0.01 * (straggling / slope), 0.02 * (straggling / slope) ** 2];
  const derivatives = () => {
    const now = residualsAt(energy, variance).values;
    const e = residualsAt(energy + byEnergy, variance).values.map((value, i) => (value - (now[i] ?? 0)) / byEnergy);
    const v = residualsAt(energy, variance + byVariance).values.map((value, i) => (value - (now[i] ?? 0)) / byVariance);
    const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
    const [ee, ev, vv] = [dot(e, e), dot(e, v), dot(v, v)];
    return { ee, ev, vv, re: dot(now, e), rv: dot(now, v), determinant: ee * vv - ev * ev, sum: squares(now) };
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    const { ee, ev, vv, re, rv, determinant, sum } = derivatives();
    let [de, dv] = [(-re * vv + rv * ev) / determinant, (-rv * ee + re * ev) / determinant];
    if (variance + dv < 0) [de, dv] = [-re / ee, -variance];
    let step = 1;
    while (step > 1e-4 && squares(residualsAt(energy + step * de, Math.max(0, variance + step * dv)).values) > sum)
      step /= 2;
    energy += step * de;
    variance = Math.max(0, variance + step * dv);
    if (Math.abs(step * de) < 1e-6 * energy && Math.abs(step * dv) < 1e-6 * (straggling / slope) ** 2) break;
  }
  const { ee, vv, determinant, sum } = derivatives();
  const noise = sum / Math.max(1, depths.length - 3);
  const sigma = Math.sqrt(variance);
  const all = family.dose(energy, variance, curve.depth_mm);
  const { scale } = residualsAt(energy, variance);
  return {
    energy_MeV: energy,
    energy_sigma_MeV: sigma,
    energy_error_MeV: Math.sqrt((noise * vv) / determinant),
    sigma_error_MeV: Math.sqrt(variance + Math.sqrt((noise * ee) / determinant)) - sigma,
    residual: Math.sqrt(sum / depths.length),
    points: [...curve.depth_mm].map((depth_mm, i) => ({
      depth_mm,
      measured: (curve.dose[i] ?? 0) / top,
      fitted: scale * (all[i] ?? 0),
      residual: scale * (all[i] ?? 0) - (curve.dose[i] ?? 0) / top,
      used: used[i] === 1,
    })),
  };
}

const fitBeam: (requested: { readonly curve: MeasuredCurve; readonly doses: SolvedDoses }) => Promise<FittedSpectrum> =
  defineThreadTask('fit a beam', fitSpectrum);

/** Parses a measured curve on a worker thread, because 20,000 points need some time. */
export const readMeasured = defineThreadTask(
  'read a measured depth dose',
  ({ text, unit }: { readonly text: string; readonly unit: DepthUnit | null }) => readOneCurve(text, unit),
);

export async function commission(
  tools: WaterPhysics,
  curve: MeasuredCurve,
  signal: AbortSignal,
): Promise<FittedSpectrum> {
  const { ranges_mm, depth_mm } = firstGuess(curve);
  const energyAt = await energiesBetween(tools, [ranges_mm[0] ?? 0, ranges_mm.at(-1) ?? 0]);
  const wanted = ranges_mm.map((range_mm) => ({ energy_MeV: energyAt(range_mm) }));
  const doses = await depthDoses(tools, wanted, { depth_mm, signal });
  signal.throwIfAborted();
  return fitBeam({ curve, doses });
}
