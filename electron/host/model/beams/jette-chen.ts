/**
 * Initial layer weights for a spread-out Bragg peak (SOBP), by D. Jette and W. Chen, Phys. Med. Biol. 56 (2011) N131.
 * They use the analytic weights of T. Bortfeld and W. Schlegel, Phys. Med. Biol. 41 (1996) 1331, with a power p that
 * they fitted to real depth doses.
 */

const ENERGIES = [50, 100, 150, 200, 250] as const;
/** Widths of the modulated region (the plateau of the SOBP), as fractions of the range. */
const MODULATION_FRACTIONS = [0.15, 0.2, 0.25, 0.3, 0.35, 0.4] as const;
const POWERS = [
  [1.72, 1.71, 1.71, 1.71, 1.71, 1.73],
  [1.63, 1.68, 1.68, 1.67, 1.68, 1.68],
  [1.69, 1.68, 1.66, 1.66, 1.64, 1.62],
  [1.62, 1.6, 1.58, 1.56, 1.54, 1.53],
  [1.57, 1.56, 1.53, 1.52, 1.51, 1.48],
] as const;

/**
 * Position of `value` in an ascending list, for linear interpolation between two entries. Values outside are clamped to
 * the ends.
 */
function locateInList(list: readonly number[], value: number): { readonly index: number; readonly share: number } {
  const found = list.findIndex((one) => one > value);
  const index = found < 0 ? list.length - 2 : Math.max(0, found - 1);
  const [a, b] = [list[index] ?? 0, list[index + 1] ?? 1];
  return { index, share: Math.min(1, Math.max(0, (value - a) / (b - a))) };
}

export function jetteChenPower(energy_MeV: number, share: number): number {
  const [e, s] = [locateInList(ENERGIES, energy_MeV), locateInList(MODULATION_FRACTIONS, share)];
  const at = (i: number, j: number): number => POWERS[e.index + i]?.[s.index + j] ?? 0;
  const row = (i: number): number => at(i, 0) + s.share * (at(i, 1) - at(i, 0));
  return row(0) + e.share * (row(1) - row(0));
}

/**
 * Weights of layers with these ranges (mm, descending); their sum is 1. `energy_MeV` is the energy of the deepest
 * layer.
 */
export function jetteChenWeights(energy_MeV: number, ranges_mm: readonly number[]): readonly number[] {
  const [high, low] = [ranges_mm[0] ?? 1, ranges_mm.at(-1) ?? 1];
  const width = high - low;
  if (!(width > 0)) return ranges_mm.map(() => 1 / ranges_mm.length);
  const power = 1 - 1 / jetteChenPower(energy_MeV, width / high);
  // Ranges closer to this layer than to its neighbours count as ranges of this layer.
  const border = (k: number): number => {
    if (k < 0) return 0;
    if (k >= ranges_mm.length - 1) return width;
    return high - ((ranges_mm[k] ?? 0) + (ranges_mm[k + 1] ?? 0)) / 2;
  };
  return ranges_mm.map((_, k) => (border(k) / width) ** power - (border(k - 1) / width) ** power);
}
