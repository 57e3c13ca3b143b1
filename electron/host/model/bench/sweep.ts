/** Fits time against size: fixed cost and slope of each variant over the reports of a sweep. */
import type { MeasuredSessionEntry, SessionFit, SessionReport } from '../../../contract/bench/session.ts';

type Point = SessionFit['points'][number];

/**
 * Least squares of time = fixed + slope × cells. The weights 1/time² give small sizes the same influence as large ones,
 * because timing errors are proportional to time. Null for fewer than two sizes.
 */
export function fitLine(
  points: readonly { readonly cells: number; readonly time_s: number }[],
): { readonly fixed_s: number; readonly slope_s_per_cell: number } | null {
  let [w, wx, wy, wxx, wxy] = [0, 0, 0, 0, 0];
  // Sizes are scaled by the largest, so that the sums stay within a few powers of ten.
  const unit = Math.max(...points.map(({ cells }) => cells));
  for (const { cells, time_s } of points) {
    const [weight, x] = [1 / (time_s * time_s), cells / unit];
    w += weight;
    wx += weight * x;
    wy += weight * time_s;
    wxx += weight * x * x;
    wxy += weight * x * time_s;
  }
  const determinant = w * wxx - wx * wx;
  if (!(determinant > 1e-12 * w * wxx)) return null;
  return {
    fixed_s: (wy * wxx - wx * wxy) / determinant,
    slope_s_per_cell: (w * wxy - wx * wy) / determinant / unit,
  };
}

/** One point of a sweep: the entry's own problem size if it has one, else the swept value. */
function pointOf(value: number, { size, time_s, setup_s, quantities }: MeasuredSessionEntry): Point {
  const rate = quantities.find(({ id }) => id === 'rate')?.value ?? null;
  return { value, size: size ?? value, time_s, setup_s, setup_share: setup_s / (setup_s + time_s), rate };
}

/** Fits each variant over a sweep; `reports[i]` belongs to `values[i]`. */
export function sweepFits(values: readonly number[], reports: readonly SessionReport[]): SessionFit[] {
  const labels = [...new Set(reports.flatMap(({ entries }) => entries.map(({ label }) => label)))];
  return labels.map((label) => {
    const points = reports.flatMap(({ entries }, i): Point[] => {
      const entry = entries.find((one) => one.label === label);
      return entry?.status === 'measured' ? [pointOf(values[i] ?? Number.NaN, entry)] : [];
    });
    const fit = points.length < 2 ? null : fitLine(points.map(({ size, time_s }) => ({ cells: size, time_s })));
    return { label, points, fixed_s: fit?.fixed_s ?? null, slope_s: fit?.slope_s_per_cell ?? null };
  });
}
