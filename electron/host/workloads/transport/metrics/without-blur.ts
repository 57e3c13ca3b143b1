/**
 * Removes the blur of scoring and spreading from a profile. A variance v that is narrow compared with the curve changes
 * it by v/2 of its second derivative. This amount is removed as flows between neighbouring bins, which conserves sums.
 *
 * At a border of media or of the beam the curve is not resolved, and second order fails. Flows are limited there so
 * that no bin leaves the values around it (Zalesak's flux-corrected transport). No bin turns negative and no border
 * overshoots. A peak that is round over three bins is resolved, and may rise.
 */
import type { AxisProfile } from './axis-profile.ts';

/** Share of the difference between neighbours in one pass; more at once would turn a bin's noise round. */
const MOST_AT_ONCE = 0.25;
/** Passes; wider blur is the grid's own resolution: it stays, and the profile says so. */
const MOST_PASSES = 4;
/** Room for a resolved extremum, in units of the smallest of the three second differences around it. */
const ROOM = 2;

/** `more_mm2`: variance along the axis that the profile does not know of. What stays is the new profile's `blur_mm2`. */
export function withoutBlur(profile: AxisProfile, more_mm2 = 0): AxisProfile {
  const { step_mm } = profile;
  const all = (profile.blur_mm2 + more_mm2) / (2 * step_mm * step_mm);
  if (!(all > 0)) return profile;
  const share = Math.min(all, MOST_AT_ONCE * MOST_PASSES);
  const passes = Math.ceil(share / MOST_AT_ONCE);
  let { values } = profile;
  for (let pass = 0; pass < passes; pass += 1) values = sharper(values, share / passes);
  return { ...profile, values, blur_mm2: (all - share) * 2 * step_mm * step_mm };
}

function sharper(values: Float64Array, share: number): Float64Array {
  const n = values.length;
  const at = (i: number): number => values[Math.min(n - 1, Math.max(0, i))] ?? 0;
  const bend = (i: number): number => at(i - 1) - 2 * at(i) + at(i + 1);
  /** From bin i to the next one. */
  const flow = (i: number): number => (i < 0 || i >= n - 1 ? 0 : share * (at(i + 1) - at(i)));
  /** Shares of a bin's gains and losses that keep it within its surroundings. */
  const [gain, loss] = [new Float64Array(n), new Float64Array(n)];
  for (let i = 0; i < n; i += 1) {
    const bends = [bend(i - 1), bend(i), bend(i + 1)];
    const room = ROOM * share * Math.min(...bends.map(Math.abs));
    const [peak, trough] = [bends.every((one) => one < 0), bends.every((one) => one > 0)];
    const highest = Math.max(at(i - 1), at(i), at(i + 1)) + (peak ? room : 0);
    const lowest = Math.max(Math.min(0, at(i)), Math.min(at(i - 1), at(i), at(i + 1)) - (trough ? room : 0));
    const [comes, goes] = [flow(i - 1), -flow(i)];
    gain[i] = part(highest - at(i), Math.max(0, comes) + Math.max(0, goes));
    loss[i] = part(at(i) - lowest, Math.max(0, -comes) + Math.max(0, -goes));
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

const part = (room: number, wanted: number): number => (wanted > room ? room / wanted : 1);
