/** Readouts of the depth dose of a spread-out peak: its plateau, and the depths at which the dose leaves it. */
import { cellCurve, fallsTo, risesTo } from '../metrics/cell-curve.ts';

export interface Plateau {
  /** Mean dose between the requested ends. */
  readonly mean: number;
  /** Half of what lies between the least and the largest dose there, over their mean. */
  readonly flatness: number;
  readonly r90_mm: number;
  readonly r80_mm: number;
  /** From the proximal to the distal depth at 95 % of the plateau. */
  readonly m95_mm: number;
  /** Distal, from 80 % to 20 %. */
  readonly falloff_mm: number;
}

/** A depth dose in cells of `step_mm` from the surface on; the plateau reaches from `from_mm` to `to_mm`. */
export function plateauOf(values: Float64Array, step_mm: number, from_mm: number, to_mm: number): Plateau | null {
  const [first, last] = [Math.ceil(from_mm / step_mm - 0.5), Math.floor(to_mm / step_mm - 0.5)];
  if (first < 0 || last >= values.length || last < first) return null;
  const inside = values.subarray(first, last + 1);
  const mean = inside.reduce((sum, value) => sum + value, 0) / inside.length;
  const [least, largest] = [Math.min(...inside), Math.max(...inside)];
  const curve = cellCurve(0, step_mm, values);
  const at = (cell: number) => ({ position: (cell + 0.5) * step_mm, height: values[cell] ?? 0, cell });
  const falls = (share: number): number | null => fallsTo(curve, at(last), share * mean);
  const [r95, r90, r80, r20] = [falls(0.95), falls(0.9), falls(0.8), falls(0.2)];
  const p95 = risesTo(curve, at(first), 0.95 * mean) ?? 0;
  if (r95 === null || r90 === null || r80 === null || r20 === null) return null;
  return {
    mean,
    flatness: (largest - least) / (largest + least),
    r90_mm: r90,
    r80_mm: r80,
    m95_mm: r95 - p95,
    falloff_mm: r20 - r80,
  };
}
