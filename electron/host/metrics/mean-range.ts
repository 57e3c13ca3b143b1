/**
 * Mean range: the depth that half of the protons reach which come as far as
 * the end of the track. Nuclear reactions along the way thus do not count.
 */
import type { Moments } from '../../contract/run.ts';

/** The falloff of the number begins no earlier than this share of R80, whatever the straggling. */
const TRACK_END = 0.9;

/** How the engine ends a track. */
export interface TrackEnd {
  /** Path of one step along the axis: the last one counts as crossing planes to its end, and is half gone on average. */
  readonly step_mm: number;
  /** Range left at the cutoff energy, where the engine deposits the rest. */
  readonly residual_mm: number;
}

/**
 * Along the beam axis from the entrance; null where the number does not fall
 * to half (the beam left first), or where the axis is so far from +z that the
 * number crossing planes of z no longer measures range along it.
 */
export function meanRange(
  moments: Moments,
  beam: { readonly z_mm: number; readonly angle_rad: number },
  { step_mm, residual_mm }: TrackEnd,
  r80_mm: number | null,
): number | null {
  const cosine = Math.cos(beam.angle_rad);
  if (r80_mm === null || cosine < Math.cos(Math.PI / 3)) return null;
  const { depth_mm, protons } = moments;
  const along = (i: number): number => ((depth_mm[i] ?? 0) - beam.z_mm) / cosine;
  const end = depth_mm.findIndex((_, i) => along(i) >= TRACK_END * r80_mm);
  if (end < 0) return null;
  const half = (protons[end] ?? 0) / 2;
  for (let i = end + 1; i < protons.length; i += 1) {
    const [before, after] = [protons[i - 1] ?? 0, protons[i] ?? 0];
    if (after > half) continue;
    const crossed = along(i - 1) + ((before - half) / (before - after)) * (along(i) - along(i - 1));
    return crossed - step_mm / 2 + residual_mm;
  }
  return null;
}
