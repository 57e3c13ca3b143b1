/**
 * Dose across the beam at one depth, compared with the Gaussian predicted from the fluence's width. No React.
 * Least-squares fit of a Gaussian to a profile.
 */
import type { Curve, Interval } from '../../../electron/contract/fields.ts';
import type { Moments } from '../../../electron/contract/run.ts';
import { fixedDigits } from '../../../electron/domain/numbers.ts';
import { type Chart, type LineSeries, type Pane, paneArrays } from '../../drawing/charts/chart.ts';

interface GaussianFit {
  readonly height: number;
  readonly mean: number;
  readonly sigma: number;
}

/** Values below this share of the maximum are excluded from the fit, because no single Gaussian describes the tails. */
const FIT_FROM_SHARE = 0.1;
const MAX_STEPS = 50;
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

/** Gauss–Newton fit that starts from the profile's moments; null if the profile has no peak. */
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
  for (let step = 0; step < MAX_STEPS; step += 1) {
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
    // Limit a step that would make the width negative to half of the width.
    const width = Math.max(sigma / 2, sigma + change[2]);
    const done = Math.abs(change[1]) + Math.abs(width - sigma) < TOLERANCE * sigma;
    [height, centre, sigma] = [height + change[0], centre + change[1], width];
    if (done) break;
  }
  return Number.isFinite(sigma) && Number.isFinite(centre) ? { height, mean: centre, sigma } : null;
}

/** Moments of the protons' fluence crossing the plane. */
interface PlaneMoments {
  readonly depth_mm: number;
  readonly mean_x_mm: number;
  readonly sigma_x_mm: number;
}

/**
 * Moments at the plane nearest to the depth; null if no protons cross it, or cells are too wide to determine a width.
 */
export function momentsAt(moments: Moments, depth_mm: number): PlaneMoments | null {
  let best = -1;
  let distance = Number.POSITIVE_INFINITY;
  for (let i = 0; i < moments.depth_mm.length; i += 1) {
    const away = Math.abs((moments.depth_mm[i] ?? Number.NaN) - depth_mm);
    if (away < distance) [best, distance] = [i, away];
  }
  const found = {
    depth_mm: moments.depth_mm[best] ?? Number.NaN,
    mean_x_mm: moments.mean_x_mm[best] ?? Number.NaN,
    sigma_x_mm: moments.sigma_x_mm[best] ?? Number.NaN,
  };
  return Number.isFinite(found.sigma_x_mm) ? found : null;
}

/** Depth to show: at the pointer, or else half of R80, or else the middle of the extent. */
export function depthToShow(pointed_mm: number | null, r80_mm: number | null, extent_mm: number): number {
  const depth = pointed_mm ?? (r80_mm ?? extent_mm) / 2;
  // Stay inside the last cell, because the far edge belongs to it.
  return Math.min(Math.max(0, depth), extent_mm * (1 - 1e-9));
}

/** Samples per σ for the mean of a Gaussian over a cell. */
const SAMPLES = 8;
/** Minimum σ as a share of the cell width, because cells cannot resolve narrower beams. */
const MIN_WIDTH_SHARE = 1 / 32;

/** Cell averages of a Gaussian with the fluence's mean and width and the area of the dose. */
export function gaussian(curve: Curve, { mean_x_mm, sigma_x_mm }: PlaneMoments): Float64Array {
  const { positions, values } = curve;
  const cell = (positions[1] ?? 1) - (positions[0] ?? 0);
  const area = values.reduce((a, b) => a + b, 0) * cell;
  const sigma = Math.max(sigma_x_mm, MIN_WIDTH_SHARE * cell);
  const samples = Math.ceil((SAMPLES * cell) / sigma);
  const height = area / (samples * sigma * Math.sqrt(2 * Math.PI));
  return positions.map((x) => {
    let sum = 0;
    for (let i = 0; i < samples; i += 1) {
      const at = x + ((i + 0.5) / samples - 0.5) * cell;
      sum += Math.exp(-0.5 * ((at - mean_x_mm) / sigma) ** 2);
    }
    return height * sum;
  });
}

/** Lower end of a logarithmic axis as a share of the peak. */
const MIN_DOSE_SHARE = 1e-6;
const HEADROOM = 1.08;

/** A profile with its depth, the beam width from the fluence there, and the Gaussian fitted to the dose. */
export interface DepthProfile {
  readonly depth_mm: number;
  readonly curve: Curve;
  readonly plane: PlaneMoments | null;
  readonly fit: GaussianFit | null;
}

export function depthProfile(curve: Curve, depth_mm: number, moments: Moments): DepthProfile {
  return { depth_mm, curve, plane: momentsAt(moments, depth_mm), fit: fitGaussian(curve.positions, curve.values) };
}

/** Colours and dash patterns of the profiles: first at the crosshair, then at the retained depths. */
export const profileLooks = [
  { ink: 'series-1', dash: [] },
  { ink: 'series-3', dash: [7, 3] },
  { ink: 'series-4', dash: [2, 2] },
  { ink: 'series-5', dash: [8, 3, 2, 3] },
  { ink: 'series-6', dash: [4, 2] },
  { ink: 'series-7', dash: [9, 3] },
] as const satisfies readonly Pick<LineSeries, 'ink' | 'dash'>[];

export const depthName = (depth_mm: number): string => `z ${fixedDigits(depth_mm, 2)} mm`;

/** Chart of the first profile with a Gaussian of the fluence's width, and of the profiles at other depths. */
export function lateralChart(
  profiles: readonly DepthProfile[],
  window: Interval | undefined,
  kind: 'linear' | 'log',
): Chart | null {
  const [first, ...others] = profiles;
  if (first === undefined) return null;
  const { positions, unit } = first.curve;
  const half = positions.length > 1 ? ((positions[1] ?? 0) - (positions[0] ?? 0)) / 2 : 0.5;
  const [from, to] = window ?? [(positions[0] ?? 0) - half, (positions[positions.length - 1] ?? 0) + half];
  const expected = first.plane === null ? null : gaussian(first.curve, first.plane);
  const largest = (of: ArrayLike<number>): number => Array.from(of).reduce((a, b) => Math.max(a, b), 0);
  const peak = Math.max(...profiles.map(({ curve }) => largest(curve.values)), largest(expected ?? [])) || 1;
  const at = ({ curve, depth_mm }: DepthProfile, i: number): LineSeries => ({
    ...{ kind: 'line', name: `Dose at ${depthName(depth_mm)}`, ...(profileLooks[i] ?? profileLooks[0]) },
    ...{ x: curve.positions, y: curve.values },
  });
  const fluence: readonly LineSeries[] =
    expected === null
      ? []
      : [{ kind: 'line', name: 'Gaussian of the fluence', ink: 'series-2', dash: [5, 3], x: positions, y: expected }];
  const [low, high] = kind === 'log' ? [peak * MIN_DOSE_SHARE, peak * 2] : [0, peak * HEADROOM];
  return oneCurveChart('Dose across the beam', {
    x: { title: 'Across x', unit: 'mm', kind: 'linear', from, to },
    y: { title: 'Dose', unit, kind, from: low, to: high, fixed: true },
    series: [{ ...at(first, 0), fill: 'to zero' }, ...fluence, ...others.map((profile, i) => at(profile, i + 1))],
    tall: 1,
  });
}

/** The chart has no legend, because the panel has one in which curves can be removed. */
export function oneCurveChart(title: string, pane: Pane): Chart {
  return { title, panes: [pane], legend: 'none', arrays: paneArrays(pane), notes: {} };
}
