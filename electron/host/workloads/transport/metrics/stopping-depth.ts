/**
 * Depth at which protons begin to stop. The Bragg peak lies behind it, regardless of the energy absorbed in denser
 * matter upstream.
 */
import type { Moments } from '../../../../contract/run.ts';

/** This share of the protons that stop is left there; at the peak of a beam of one energy it is nine tenths. */
const STILL_UNDER_WAY = 0.999;

/**
 * Along the beam axis from the entrance, mm. 0 if it cannot be determined. 0 also if the axis is too far from +z: then
 * the number crossing planes of z does not measure range along it.
 */
export function stoppingFrom_mm(
  moments: Moments,
  beam: { readonly z_mm: number; readonly angle_rad: number },
  stopped: number,
): number {
  const cosine = Math.cos(beam.angle_rad);
  if (!(stopped > 0) || cosine < Math.cos(Math.PI / 3)) return 0;
  const { depth_mm, protons } = moments;
  const entered = protons.findIndex((number) => number >= STILL_UNDER_WAY * stopped);
  const first = protons.findIndex((number, i) => entered >= 0 && i > entered && number < STILL_UNDER_WAY * stopped);
  // The plane before is the last one that all of them reach.
  return first < 0 ? 0 : Math.max(0, ((depth_mm[first - 1] ?? 0) - beam.z_mm) / cosine);
}
