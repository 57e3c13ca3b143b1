/** Least-squares fit of a Gaussian to a profile. */

export interface GaussianFit {
  readonly height: number;
  readonly mean: number;
  readonly sigma: number;
}

/** Values below this share of the largest are tails that no single Gaussian describes: they are left out. */
const FIT_FROM_SHARE = 0.1;
const MOST_STEPS = 50;
const TOLERANCE = 1e-10;

/** Solves a symmetric 3 × 3 system; null where it is singular. */
function solve(m: readonly (readonly number[])[], b: readonly number[]): readonly [number, number, number] | null {
  const a = m.map((row, i) => [...row, b[i] ?? 0]);
  const at = (row: number, column: number): number => a[row]?.[column] ?? 0;
  for (let k = 0; k < 3; k += 1) {
    const pivot = [0, 1, 2]
      .slice(k)
      .reduce((best, row) => (Math.abs(at(row, k)) > Math.abs(at(best, k)) ? row : best), k);
    const [from, to] = [a[pivot], a[k]];
    if (from === undefined || to === undefined || Math.abs(at(pivot, k)) < 1e-300) return null;
    [a[k], a[pivot]] = [from, to];
    for (let row = 0; row < 3; row += 1) {
      if (row === k) continue;
      const factor = at(row, k) / at(k, k);
      a[row] = (a[row] ?? []).map((value, column) => value - factor * at(k, column));
    }
  }
  return [at(0, 3) / at(0, 0), at(1, 3) / at(1, 1), at(2, 3) / at(2, 2)];
}

/** By Gauss and Newton from the profile's own moments; null where there is nothing that looks like a peak. */
export function fitGaussian(positions: ArrayLike<number>, values: ArrayLike<number>): GaussianFit | null {
  const peak = Math.max(...Array.from(values));
  if (!(peak > 0)) return null;
  const points = Array.from(values, (value, i) => ({ x: positions[i] ?? 0, y: value })).filter(
    ({ y }) => y >= FIT_FROM_SHARE * peak,
  );
  if (points.length < 4) return null;
  const sum = points.reduce((s, { y }) => s + y, 0);
  const mean = points.reduce((s, { x, y }) => s + x * y, 0) / sum;
  const variance = points.reduce((s, { x, y }) => s + y * (x - mean) ** 2, 0) / sum;
  let [height, centre, sigma] = [peak, mean, Math.sqrt(variance)];
  if (!(sigma > 0)) return null;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const normal = [
      [0, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
    ];
    const right = [0, 0, 0];
    for (const { x, y } of points) {
      const u = (x - centre) / sigma;
      const shape = Math.exp(-0.5 * u * u);
      const slopes = [shape, (height * shape * u) / sigma, (height * shape * u * u) / sigma];
      for (let i = 0; i < 3; i += 1) {
        right[i] = (right[i] ?? 0) + (slopes[i] ?? 0) * (y - height * shape);
        const row = normal[i] ?? [];
        for (let j = 0; j < 3; j += 1) row[j] = (row[j] ?? 0) + (slopes[i] ?? 0) * (slopes[j] ?? 0);
      }
    }
    const change = solve(normal, right);
    if (change === null) return null;
    // A step that would turn the width over is taken half way.
    const width = Math.max(sigma / 2, sigma + change[2]);
    const done = Math.abs(change[1]) + Math.abs(width - sigma) < TOLERANCE * sigma;
    [height, centre, sigma] = [height + change[0], centre + change[1], width];
    if (done) break;
  }
  return Number.isFinite(sigma) && Number.isFinite(centre) ? { height, mean: centre, sigma } : null;
}
