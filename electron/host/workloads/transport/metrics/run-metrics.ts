/**
 * Computes all readouts of a run from its stored arrays.
 *
 * The lateral penumbra is the distance between 80 % and 20 % of the dose at the sides of a beam, in one row of depth.
 *
 * The Bragg peak is searched behind the depth at which protons begin to stop, regardless of the energy absorbed in
 * denser matter upstream.
 *
 * The blur of scoring and spreading is removed from profiles: a small variance v changes a curve by v/2 times its
 * second derivative. This amount is removed as flows between neighbouring bins, which conserves the sum. The
 * approximation fails at borders of media or of the beam, where the curve is not resolved. There flows are limited so
 * that no bin exceeds the values around it (Zalesak's flux-corrected transport). Bins thus remain non-negative, and
 * borders do not overshoot. A peak that is round over three bins is resolved and may rise.
 */
import type { DepthDose, Metrics, Moments } from '../../../../contract/run.ts';
import {
  type CurveReadouts,
  liveReadouts,
  noReadouts,
  summaryReadouts,
} from '../../../../contract/scenario/transport/readouts.ts';
import { type AxisGeometry, type AxisProfile, axisProfile, depthReadouts, spreadLength_mm } from './depth-readouts.ts';
import { massUnits } from './dose-per-mass.ts';
import { fluenceMoments, meanRange, type TrackEnd } from './mean-range.ts';

/** Position between two neighbouring cells at which linear interpolation gives `level`. */
function crossingPosition(values: Float64Array, low: number, high: number, level: number): number {
  const [a, b] = [values[low] ?? 0, values[high] ?? 0];
  return low + ((high - low) * (level - a)) / (b - a || 1);
}

/**
 * Interpolated position in cells at which the dose first falls below `level`, from the middle outwards. Null if it does
 * not before the edge.
 */
function fallPosition(values: Float64Array, from: number, side: -1 | 1, level: number): number | null {
  for (let i = from; i + side >= 0 && i + side < values.length; i += side) {
    if ((values[i] ?? 0) >= level && (values[i + side] ?? 0) < level)
      return crossingPosition(values, i, i + side, level);
  }
  return null;
}

/**
 * Penumbra in mm, as the mean of both sides, relative to the largest dose in row `row` of z. Null if the dose reaches
 * the edge of the grid, or if the falloff is within one cell and thus not resolved.
 */
export function penumbra_mm(dose: Float64Array, nx: number, row: number, dx_mm: number): number | null {
  const values = dose.subarray(row * nx, (row + 1) * nx);
  // Use a loop for speed, as in fluenceMoments().
  let [highest, middle] = [0, -1];
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] ?? 0;
    if (value > highest) [highest, middle] = [value, i];
  }
  if (middle < 0) return null;
  const sides = ([-1, 1] as const).map((side) => {
    const [inner, outer] = [
      fallPosition(values, middle, side, 0.8 * highest),
      fallPosition(values, middle, side, 0.2 * highest),
    ];
    return inner === null || outer === null ? null : Math.abs(outer - inner);
  });
  const [left = null, right = null] = sides;
  if (left === null || right === null || left < 1 || right < 1) return null;
  return ((left + right) / 2) * dx_mm;
}

/**
 * Share of the stopping protons that are still moving at the depth where stopping begins. At the peak of a
 * monoenergetic beam, nine tenths are.
 */
const STILL_MOVING = 0.999;

/**
 * Depth in mm at which protons begin to stop, along the beam axis from the entrance. 0 if it cannot be determined, for
 * example because the axis is too far from +z for crossings of z planes to measure it.
 */
function stoppingFrom_mm(
  moments: Moments,
  beam: { readonly z_mm: number; readonly angle_rad: number },
  stopped: number,
): number {
  const cosine = Math.cos(beam.angle_rad);
  if (!(stopped > 0) || cosine < Math.cos(Math.PI / 3)) return 0;
  const { depth_mm, protons } = moments;
  const entered = protons.findIndex((number) => number >= STILL_MOVING * stopped);
  const first = protons.findIndex((number, i) => entered >= 0 && i > entered && number < STILL_MOVING * stopped);
  // The preceding plane is the last one that all stopping protons cross.
  return first < 0 ? 0 : Math.max(0, ((depth_mm[first - 1] ?? 0) - beam.z_mm) / cosine);
}

/**
 * Maximum share of the difference between neighbours that one pass removes. A larger share would invert the noise of a
 * bin.
 */
const MAX_AT_ONCE = 0.25;
/** Maximum number of passes. Blur that remains after them is the resolution of the grid, which the profile reports. */
const MAX_PASSES = 4;
/** Maximum rise of a resolved extremum, in units of the smallest of the three second differences around it. */
const ALLOWED_RISE = 2;

/**
 * Removes blur from a profile. `more_mm2`: further variance along the axis that the profile does not state. The
 * remaining variance is `blur_mm2` of the result.
 */
export function deblurProfile(profile: AxisProfile, more_mm2 = 0): AxisProfile {
  const { step_mm } = profile;
  const all = (profile.blur_mm2 + more_mm2) / (2 * step_mm * step_mm);
  if (!(all > 0)) return profile;
  const share = Math.min(all, MAX_AT_ONCE * MAX_PASSES);
  const passes = Math.ceil(share / MAX_AT_ONCE);
  let { values } = profile;
  for (let pass = 0; pass < passes; pass += 1) values = removeBlurOnce(values, share / passes);
  return { ...profile, values, blur_mm2: (all - share) * 2 * step_mm * step_mm };
}

function removeBlurOnce(values: Float64Array, share: number): Float64Array {
  const n = values.length;
  const at = (i: number): number => values[Math.min(n - 1, Math.max(0, i))] ?? 0;
  const secondDifference = (i: number): number => at(i - 1) - 2 * at(i) + at(i + 1);
  /** Amount that flows from bin i to the next one. */
  const flow = (i: number): number => (i < 0 || i >= n - 1 ? 0 : share * (at(i + 1) - at(i)));
  /** Factors below 1 on the gain and loss of each bin, so that its new value stays between those of its neighbours. */
  const [gain, loss] = [new Float64Array(n), new Float64Array(n)];
  for (let i = 0; i < n; i += 1) {
    const bends = [secondDifference(i - 1), secondDifference(i), secondDifference(i + 1)];
    const room = ALLOWED_RISE * share * Math.min(...bends.map(Math.abs));
    const [peak, trough] = [bends.every((one) => one < 0), bends.every((one) => one > 0)];
    const highest = Math.max(at(i - 1), at(i), at(i + 1)) + (peak ? room : 0);
    const lowest = Math.max(Math.min(0, at(i)), Math.min(at(i - 1), at(i), at(i + 1)) - (trough ? room : 0));
    const [comes, goes] = [flow(i - 1), -flow(i)];
    gain[i] = limitFactor(highest - at(i), Math.max(0, comes) + Math.max(0, goes));
    loss[i] = limitFactor(at(i) - lowest, Math.max(0, -comes) + Math.max(0, -goes));
  }
  const sharp = Float64Array.from(values);
  for (let i = 0; i < n - 1; i += 1) {
    const wanted = flow(i);
    const [to, from] = wanted > 0 ? [i + 1, i] : [i, i + 1];
    const moved = wanted * Math.min(gain[to] ?? 0, loss[from] ?? 0);
    sharp[i] = (sharp[i] ?? 0) - moved;
    sharp[i + 1] = (sharp[i + 1] ?? 0) + moved;
  }
  return sharp;
}

const limitFactor = (room: number, wanted: number): number => (wanted > room ? room / wanted : 1);

/** The parts of a run that readouts need. */
export interface MeasuredRun {
  readonly geometry: AxisGeometry;
  /** Dose in MeV per cell, in rows of z. */
  readonly dose: Float64Array;
  readonly doseRow: (z: number) => Float64Array;
  /** Returns the dose in nGy mm³ per cell. Null if densities are unknown. */
  readonly dosePerMass: () => Float64Array | null;
  readonly crossing: Float64Array;
  readonly x_variance_of_representation_mm2: number;
  readonly energyDeposited_MeV: number;
  readonly trackEnd: TrackEnd;
  /** Share of the beam that is still moving at the end, from 0 to 1. */
  readonly weightLeft: number;
  /** False if phase space was filled with synthetic numbers, so that there is no beam. */
  readonly hasBeam: boolean;
}

/** Share of moving protons above which a stopped run has no Bragg peak yet. */
const MAX_IN_FLIGHT = 1e-3;

/**
 * Depth in mm behind the entrance of a tilted beam, up to which the profile also contains the region before the
 * entrance.
 */
function entranceBlur_mm(g: AxisGeometry): number {
  if (Math.sin(g.angle_rad) === 0) return 0;
  return (spreadLength_mm(g) + Math.abs(g.dx_mm * Math.sin(g.angle_rad))) / 2 + g.dz_mm;
}

function isComplete(run: MeasuredRun): boolean {
  return run.hasBeam && run.weightLeft <= MAX_IN_FLIGHT;
}

export function depthProfile(run: MeasuredRun): AxisProfile {
  return axisProfile(run.dose, run.geometry);
}

/** Profile for readouts, from which blur is removed as far as possible. */
function profileForReadouts(run: MeasuredRun, profile: AxisProfile): AxisProfile {
  // A beam narrower than the cells starts wider. If it is tilted, a part of this width is along the axis.
  const started_mm2 = run.x_variance_of_representation_mm2 * Math.sin(run.geometry.angle_rad) ** 2;
  return deblurProfile(profile, started_mm2);
}

/** Computes the readouts of a complete run. */
function readoutsOf(run: MeasuredRun, profile: AxisProfile, moments = momentsOf(run)): CurveReadouts {
  const from = stoppingFrom_mm(moments, run.geometry, run.trackEnd.stopped);
  return depthReadouts(profile, entranceBlur_mm(run.geometry), from);
}

export function depthDoseOf(run: MeasuredRun): Omit<DepthDose, 'quality' | 'gray'> {
  const profile = depthProfile(run);
  const { geometry } = run;
  const readouts = isComplete(run) ? readoutsOf(run, profileForReadouts(run, profile)) : noReadouts;
  return {
    curve: profileCurve(profile),
    perMass: massCurve(run.dosePerMass(), geometry),
    entrance_mm: { z: geometry.z_mm, x: geometry.x_mm },
    angle_deg: (geometry.angle_rad * 180) / Math.PI,
    metrics: liveReadouts(readouts),
  };
}

export function profileCurve(profile: AxisProfile): DepthDose['curve'] {
  const { start_mm, step_mm, values } = profile;
  // Use a loop for speed, as in fluenceMoments().
  const positions = new Float64Array(values.length);
  for (let i = 0; i < positions.length; i += 1) positions[i] = start_mm + (i + 0.5) * step_mm;
  return {
    quantity: 'dose integrated across the beam axis',
    unit: 'MeV/mm',
    axis: 'depth along the beam axis',
    axisUnit: 'mm',
    positions,
    values,
  };
}

/** Depth curve of a dose in nGy mm³ per cell. Null if densities are unknown. */
export function massCurve(perMass: Float64Array | null, geometry: AxisGeometry): DepthDose['curve'] | null {
  return perMass === null ? null : perMassCurve(axisProfile(perMass, geometry));
}

export function perMassCurve(profile: AxisProfile): DepthDose['curve'] {
  const quantity = 'dose per mass integrated across the beam axis';
  return { ...profileCurve(profile), quantity, unit: massUnits.depth };
}

export function momentsOf(run: MeasuredRun): Moments {
  return fluenceMoments(run.crossing, run.geometry.dz_mm, run.x_variance_of_representation_mm2);
}

/** Penumbra at a depth from the entrance. Null if the beam is tilted. */
function penumbraAt({ geometry, doseRow }: MeasuredRun, depth_mm: number | null): number | null {
  const { nz, nx, dz_mm, dx_mm, z_mm, angle_rad } = geometry;
  if (depth_mm === null || angle_rad !== 0) return null;
  const row = Math.floor((z_mm + depth_mm) / dz_mm);
  return row >= 0 && row < nz ? penumbra_mm(doseRow(row), nx, 0, dx_mm) : null;
}

export function metricsOf(run: MeasuredRun): Metrics {
  return readMetrics(run, depthProfile(run)).metrics;
}

/**
 * Computes the metrics of a run. `whole`: depth profile of the run. `blur_mm`: standard deviation along the axis by
 * which wide cells blur the readouts of a tilted beam.
 */
export function readMetrics(
  run: MeasuredRun,
  whole: AxisProfile,
): { readonly metrics: Metrics; readonly blur_mm: number } {
  const moments = momentsOf(run);
  if (!isComplete(run)) return { metrics: metricsFrom(run, noReadouts, moments), blur_mm: 0 };
  const profile = profileForReadouts(run, whole);
  const readouts = readoutsOf(run, profile, moments);
  return { metrics: metricsFrom(run, readouts, moments), blur_mm: Math.sqrt(profile.blur_mm2) };
}

function metricsFrom(run: MeasuredRun, readouts: CurveReadouts, moments: Moments): Metrics {
  return {
    ...summaryReadouts(readouts, {
      penumbra_half_mm: penumbraAt(run, readouts.r80_mm === null ? null : readouts.r80_mm / 2),
      penumbra_peak_mm: penumbraAt(run, readouts.peak_mm),
    }),
    sigma_x: { depth_mm: moments.depth_mm, sigma_x_mm: moments.sigma_x_mm },
    theta_rms: { depth_mm: moments.depth_mm, theta_rms_mrad: moments.theta_rms_mrad },
    energy_deposited_MeV: run.energyDeposited_MeV,
    mean_range_mm: meanRange(moments, run.geometry, run.geometry, run.trackEnd, readouts.r80_mm),
  };
}
