/** Fits a line to time against size, for each variant in a sweep: a fixed cost and a slope. */
import type { MeasuredSessionEntry, SessionFit, SessionReport } from '../../../contract/bench/session.ts';

type FitPoint = SessionFit['points'][number];

/**
 * Weighted least-squares fit of time = fixed + slope × cells. Weights of 1/time² give all sizes the same influence,
 * because errors of times are proportional to the times. Null for fewer than two sizes.
 */
export function fitLine(
  points: readonly { readonly cells: number; readonly time_s: number }[],
): { readonly fixed_s: number; readonly slope_s_per_cell: number } | null {
  let [w, wx, wy, wxx, wxy] = [0, 0, 0, 0, 0];
  // Sizes are divided by the largest, so that the sums have similar magnitudes and lose no precision.
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

/** Point of a fit: the problem size from the entry if it reports one, otherwise the value of the sweep. */
function toFitPoint(value: number, { size, time_s, setup_s, quantities }: MeasuredSessionEntry): FitPoint {
  const rate = quantities.find(({ id }) => id === 'rate')?.value ?? null;
  return { value, size: size ?? value, time_s, setup_s, setup_share: setup_s / (setup_s + time_s), rate };
}

/** Fits each variant over a sweep. `reports[i]` is the report for `values[i]`. */
export function fitSweep(values: readonly number[], reports: readonly SessionReport[]): SessionFit[] {
  const labels = [...new Set(reports.flatMap(({ entries }) => entries.map(({ label }) => label)))];
  return labels.map((label) => {
    const points = reports.flatMap(({ entries }, i): FitPoint[] => {
      const entry = entries.find((one) => one.label === label);
      return entry?.status === 'measured' ? [toFitPoint(values[i] ?? Number.NaN, entry)] : [];
    });
    const fit = points.length < 2 ? null : fitLine(points.map(({ size, time_s }) => ({ cells: size, time_s })));
    return { label, points, fixed_s: fit?.fixed_s ?? null, slope_s: fit?.slope_s_per_cell ?? null };
  });
}
