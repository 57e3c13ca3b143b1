/** Readouts of a depth-dose curve: R80, W80–20, peak, width, peak to entrance. Depths from the entrance. */
import type { AxisProfile } from './axis-profile.ts';
import { cellCurve, fallsTo, peakOf, risesTo } from './cell-curve.ts';

export interface DepthReadouts {
  readonly r80_mm: number | null;
  readonly r20_mm: number | null;
  /** Distal depths at 90 and 50 %, and at 10 %: the practical range (ICRU Report 78). */
  readonly r90_mm: number | null;
  readonly r50_mm: number | null;
  readonly practical_range_mm: number | null;
  /** Mean dose from 20 to 50 % of R80, in the curve's unit. */
  readonly plateau: number | null;
  readonly peak_mm: number | null;
  readonly w80_20_mm: number | null;
  readonly fwhm_mm: number | null;
  readonly peak_to_entrance: number | null;
}

export const noReadouts: DepthReadouts = {
  r80_mm: null,
  r20_mm: null,
  r90_mm: null,
  r50_mm: null,
  practical_range_mm: null,
  plateau: null,
  peak_mm: null,
  w80_20_mm: null,
  fwhm_mm: null,
  peak_to_entrance: null,
};

/** The plateau is straight over its first millimetres; a tenth of the range where that is less. */
const ENTRANCE_MM = 2;
const ENTRANCE_SHARE = 0.1;

/**
 * Dose at the entrance point: a straight line through the first cells, taken
 * to depth 0. `blur` is left out because a tilted grid mixes what lies before
 * the entrance into it.
 */
function entranceDose(profile: Omit<AxisProfile, 'blur_mm2'>, peak_mm: number, blur_mm: number): number | null {
  const { start_mm, step_mm, values } = profile;
  const from = Math.max(0, Math.ceil((blur_mm - start_mm) / step_mm - 1e-9));
  const count = Math.max(1, Math.round(Math.min(ENTRANCE_MM, ENTRANCE_SHARE * peak_mm) / step_mm));
  const used = values.subarray(from, from + count);
  if (used.length < 3) return used[0] ?? null;
  const centre = start_mm + (from + used.length / 2) * step_mm;
  let [mean, slope, spread] = [0, 0, 0];
  for (const value of used) mean += value / used.length;
  used.forEach((value, i) => {
    const offset = start_mm + (from + i + 0.5) * step_mm - centre;
    slope += offset * (value - mean);
    spread += offset * offset;
  });
  return mean - (slope / spread) * centre;
}

/** Depths of the plateau, as fractions of R80: behind the build-up, before the rise. */
const PLATEAU = [0.2, 0.5] as const;

function plateauOf({ start_mm, step_mm, values }: Omit<AxisProfile, 'blur_mm2'>, r80: number | null): number | null {
  if (r80 === null) return null;
  // A loop, as in fluenceMoments().
  let [sum, used] = [0, 0];
  for (let i = 0; i < values.length; i += 1) {
    const depth = start_mm + (i + 0.5) * step_mm;
    if (depth < PLATEAU[0] * r80 || depth > PLATEAU[1] * r80) continue;
    sum += values[i] ?? 0;
    used += 1;
  }
  return used === 0 ? null : sum / used;
}

/**
 * blur_mm: width of one cell's shadow on the axis beyond a bin, 0 along +z. from_mm: where the search for the peak
 * begins; matter that is denser than what the beam stops in may hold more energy per millimetre before.
 */
export function depthReadouts(profile: Omit<AxisProfile, 'blur_mm2'>, blur_mm: number, from_mm = 0): DepthReadouts {
  const curve = cellCurve(profile.start_mm, profile.step_mm, profile.values);
  const peak = peakOf(curve, from_mm);
  if (peak === null) return noReadouts;
  const r80 = fallsTo(curve, peak, 0.8 * peak.height);
  const r20 = fallsTo(curve, peak, 0.2 * peak.height);
  const distalHalf = fallsTo(curve, peak, 0.5 * peak.height);
  const proximalHalf = risesTo(curve, peak, 0.5 * peak.height);
  const entrance = entranceDose(profile, peak.position, blur_mm);
  return {
    r80_mm: r80,
    r20_mm: r20,
    r90_mm: fallsTo(curve, peak, 0.9 * peak.height),
    r50_mm: distalHalf,
    practical_range_mm: fallsTo(curve, peak, 0.1 * peak.height),
    plateau: plateauOf(profile, r80),
    peak_mm: peak.position,
    w80_20_mm: r80 === null || r20 === null ? null : r20 - r80,
    fwhm_mm: distalHalf === null || proximalHalf === null ? null : distalHalf - proximalHalf,
    peak_to_entrance: entrance === null || !(entrance > 0) ? null : peak.height / entrance,
  };
}
