/**
 * A smooth curve from the means of equal cells: the derivative of the cubic
 * spline through the running integral at the cell edges. Piecewise quadratic,
 * continuous with its slope, and its mean over each cell is that cell's value.
 * So positions and heights can be read below the cell size without the bias of
 * taking cell means for point values.
 */
export interface CellCurve {
  readonly start: number;
  readonly step: number;
  readonly means: Float64Array;
  /** Values at the edges, means.length + 1. */
  readonly edges: Float64Array;
}

/** Slope zero at both ends; at least one cell. */
export function cellCurve(start: number, step: number, means: Float64Array): CellCurve {
  const n = means.length;
  const edges = new Float64Array(n + 1);
  // Equal slopes on both sides of each edge: a[i-1] + 4 a[i] + a[i+1] = 3 (m[i-1] + m[i]). Thomas' algorithm.
  const upper = new Float64Array(n + 1);
  upper[0] = 1 / 2;
  edges[0] = (3 * (means[0] ?? 0)) / 2;
  for (let i = 1; i <= n; i += 1) {
    const last = i === n;
    const right = 3 * ((means[i - 1] ?? 0) + (last ? 0 : (means[i] ?? 0)));
    const pivot = (last ? 2 : 4) - (upper[i - 1] ?? 0);
    upper[i] = 1 / pivot;
    edges[i] = (right - (edges[i - 1] ?? 0)) / pivot;
  }
  for (let i = n - 1; i >= 0; i -= 1) edges[i] = (edges[i] ?? 0) - (upper[i] ?? 0) * (edges[i + 1] ?? 0);
  return { start, step, means, edges };
}

/** Value inside cell i at t, 0 to 1. */
function inCell(curve: CellCurve, i: number, t: number): number {
  const [a, b, m] = [curve.edges[i] ?? 0, curve.edges[i + 1] ?? 0, curve.means[i] ?? 0];
  return a * (1 - 4 * t + 3 * t * t) + b * (-2 * t + 3 * t * t) + m * (6 * t - 6 * t * t);
}

interface Peak {
  readonly position: number;
  readonly height: number;
  readonly cell: number;
}

/** The highest point from `from` on; null where the highest cell is the last one, so that the peak may lie beyond. */
export function peakOf(curve: CellCurve, from = curve.start): Peak | null {
  const { means, edges, start, step } = curve;
  const first = Math.min(means.length - 1, Math.max(0, Math.floor((from - start) / step)));
  let top = first;
  for (let i = first + 1; i < means.length; i += 1) if ((means[i] ?? 0) > (means[top] ?? 0)) top = i;
  if (means.length < 3 || top === means.length - 1 || !((means[top] ?? 0) > 0)) return null;
  let best: Peak = { position: start + (top + 0.5) * step, height: inCell(curve, top, 0.5), cell: top };
  for (const cell of [top - 1, top, top + 1]) {
    if (cell < first || cell >= means.length) continue;
    const [a, b, m] = [edges[cell] ?? 0, edges[cell + 1] ?? 0, means[cell] ?? 0];
    const curvature = 6 * (a + b - 2 * m);
    const vertex = curvature < 0 ? (4 * a + 2 * b - 6 * m) / curvature : 0;
    for (const t of [0, Math.min(1, Math.max(0, vertex)), 1]) {
      const height = inCell(curve, cell, t);
      if (height > best.height) best = { position: start + (cell + t) * step, height, cell };
    }
  }
  return best;
}

/** First position beyond the peak where the curve falls to `level`; null when it does not. */
export function fallsTo(curve: CellCurve, peak: Peak, level: number): number | null {
  for (let i = peak.cell; i < curve.means.length; i += 1) {
    if ((curve.edges[i + 1] ?? 0) <= level) {
      const from = i === peak.cell ? (peak.position - curve.start) / curve.step - i : 0;
      return curve.start + (i + solve(curve, i, level, Math.min(1, Math.max(0, from)), 1)) * curve.step;
    }
  }
  return null;
}

/** Last position before the peak where the curve rises through `level`; null when it is higher from the start. */
export function risesTo(curve: CellCurve, peak: Peak, level: number): number | null {
  for (let i = peak.cell; i >= 0; i -= 1) {
    if ((curve.edges[i] ?? 0) <= level) {
      const to = i === peak.cell ? (peak.position - curve.start) / curve.step - i : 1;
      return curve.start + (i + solve(curve, i, level, Math.min(1, Math.max(0, to)), 0)) * curve.step;
    }
  }
  return null;
}

/** Bisection inside a cell between a place above the level and one below it, to 1e-12 of a cell. */
function solve(curve: CellCurve, cell: number, level: number, above: number, below: number): number {
  let [high, low] = [above, below];
  for (let k = 0; k < 40; k += 1) {
    const middle = (high + low) / 2;
    if (inCell(curve, cell, middle) > level) high = middle;
    else low = middle;
  }
  return (high + low) / 2;
}
