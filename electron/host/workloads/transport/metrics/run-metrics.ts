/** All readouts of a run from its stored arrays. */
import type { DepthDose, Metrics, Moments } from '../../../../contract/run.ts';
import { type AxisGeometry, type AxisProfile, axisProfile, reachOf } from './axis-profile.ts';
import { type DepthReadouts, depthReadouts, noReadouts } from './depth-readouts.ts';
import { massUnits } from './dose-per-mass.ts';
import { fluenceMoments } from './fluence-moments.ts';
import { meanRange, type TrackEnd } from './mean-range.ts';
import { penumbra_mm } from './penumbra.ts';
import { stoppingFrom_mm } from './stopping-depth.ts';
import { withoutBlur } from './without-blur.ts';

/** Parts of a run that the readouts need. */
export interface MeasuredRun {
  readonly geometry: AxisGeometry;
  /** MeV per cell, [z][x]. */
  readonly dose: Float64Array;
  /** nGy mm³ per cell; null where densities are not known. */
  readonly dosePerMass: () => Float64Array | null;
  readonly crossing: Float64Array;
  readonly x_variance_of_representation_mm2: number;
  readonly energyDeposited_MeV: number;
  readonly trackEnd: TrackEnd;
  /** Share of the beam still in flight at the end, 0 to 1. */
  readonly weightLeft: number;
  /** False where phase space was filled with numbers: there is no beam to measure. */
  readonly hasBeam: boolean;
}

/**
 * A run that stopped with more than this under way has no Bragg peak yet: its
 * dose ends where it was stopped.
 */
const MOST_IN_FLIGHT = 1e-3;

/** Behind the entrance of a tilted beam, mm: so far the profile mixes what lies before it, and its blur the jump. */
function blur(g: AxisGeometry): number {
  if (Math.sin(g.angle_rad) === 0) return 0;
  return (reachOf(g) + Math.abs(g.dx_mm * Math.sin(g.angle_rad))) / 2 + g.dz_mm;
}

function isComplete(run: MeasuredRun): boolean {
  return run.hasBeam && run.weightLeft <= MOST_IN_FLIGHT;
}

export function depthProfile(run: MeasuredRun): AxisProfile {
  return axisProfile(run.dose, run.geometry);
}

/** The profile as it is read: without the blur that can be taken out. */
function readable(run: MeasuredRun, profile: AxisProfile): AxisProfile {
  // A beam narrower than the cells was started wider; tilted, its entry plane takes part of that along the axis.
  const started_mm2 = run.x_variance_of_representation_mm2 * Math.sin(run.geometry.angle_rad) ** 2;
  return withoutBlur(profile, started_mm2);
}

/** Metrics of a run that is complete. */
function readoutsOf(run: MeasuredRun, profile: AxisProfile, moments = momentsOf(run)): DepthReadouts {
  const from = stoppingFrom_mm(moments, run.geometry, run.trackEnd.stopped);
  return depthReadouts(profile, blur(run.geometry), from);
}

export function depthDoseOf(run: MeasuredRun): Omit<DepthDose, 'quality' | 'gray'> {
  const profile = depthProfile(run);
  const { geometry } = run;
  const { r80_mm, r20_mm, peak_mm, w80_20_mm, fwhm_mm, peak_to_entrance } = isComplete(run)
    ? readoutsOf(run, readable(run, profile))
    : noReadouts;
  return {
    curve: profileCurve(profile),
    perMass: massCurve(run.dosePerMass(), geometry),
    entrance_mm: { z: geometry.z_mm, x: geometry.x_mm },
    angle_deg: (geometry.angle_rad * 180) / Math.PI,
    metrics: { r80_mm, r20_mm, peak_mm, w80_20_mm, fwhm_mm, peak_to_entrance },
  };
}

export function profileCurve(profile: AxisProfile): DepthDose['curve'] {
  const { start_mm, step_mm, values } = profile;
  // A loop, as in fluenceMoments().
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

/** The curve from nGy mm³ per cell; null where densities are not known. */
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

/** Null if the beam is tilted. `depth_mm` is from its entrance. */
function penumbraAt({ geometry, dose }: MeasuredRun, depth_mm: number | null): number | null {
  const { nz, nx, dz_mm, dx_mm, z_mm, angle_rad } = geometry;
  if (depth_mm === null || angle_rad !== 0) return null;
  const row = Math.floor((z_mm + depth_mm) / dz_mm);
  return row >= 0 && row < nz ? penumbra_mm(dose, nx, row, dx_mm) : null;
}

export function metricsOf(run: MeasuredRun): Metrics {
  return readMetrics(run, depthProfile(run)).metrics;
}

/**
 * `whole`: the run's profile. `blur_mm`: standard deviation along the axis by which cells that are wide compared with
 * their depth blur the readouts of a tilted beam.
 */
export function readMetrics(
  run: MeasuredRun,
  whole: AxisProfile,
): { readonly metrics: Metrics; readonly blur_mm: number } {
  const moments = momentsOf(run);
  if (!isComplete(run)) return { metrics: metricsFrom(run, noReadouts, moments), blur_mm: 0 };
  const profile = readable(run, whole);
  const readouts = readoutsOf(run, profile, moments);
  return { metrics: metricsFrom(run, readouts, moments), blur_mm: Math.sqrt(profile.blur_mm2) };
}

function metricsFrom(run: MeasuredRun, readouts: DepthReadouts, moments: Moments): Metrics {
  return {
    r80_mm: readouts.r80_mm,
    peak_mm: readouts.peak_mm,
    w80_20_mm: readouts.w80_20_mm,
    peak_to_entrance: readouts.peak_to_entrance,
    fwhm_mm: readouts.fwhm_mm,
    r90_mm: readouts.r90_mm,
    r50_mm: readouts.r50_mm,
    practical_range_mm: readouts.practical_range_mm,
    plateau_MeV_per_mm: readouts.plateau,
    penumbra_half_mm: penumbraAt(run, readouts.r80_mm === null ? null : readouts.r80_mm / 2),
    penumbra_peak_mm: penumbraAt(run, readouts.peak_mm),
    sigma_x: { depth_mm: moments.depth_mm, sigma_x_mm: moments.sigma_x_mm },
    theta_rms: { depth_mm: moments.depth_mm, theta_rms_mrad: moments.theta_rms_mrad },
    energy_deposited_MeV: run.energyDeposited_MeV,
    mean_range_mm: meanRange(moments, run.geometry, run.geometry, run.trackEnd, readouts.r80_mm),
  };
}
