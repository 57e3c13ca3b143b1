/** Dose across the beam at one depth, compared with the Gaussian predicted from the fluence's width. No React. */
import type { Curve, Interval } from '../../../electron/contract/fields.ts';
import type { Moments } from '../../../electron/contract/run.ts';
import { fitGaussian, type GaussianFit } from '../../base/gaussian-fit.ts';
import { fixed } from '../../base/numbers.ts';
import { type Chart, type LineSeries, type Pane, paneArrays } from '../../drawing/charts/chart.ts';

/** Moments of the protons' fluence crossing the plane. */
interface PlaneMoments {
  readonly depth_mm: number;
  readonly mean_x_mm: number;
  readonly sigma_x_mm: number;
}

/** Moments at the plane nearest to the depth; null where no protons cross it, or cells are too wide to tell a width. */
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

/** Without a pointed depth: half of the distal range, otherwise the middle of the depths. */
export function depthToShow(pointed_mm: number | null, r80_mm: number | null, extent_mm: number): number {
  const depth = pointed_mm ?? (r80_mm ?? extent_mm) / 2;
  // The far edge belongs to the last cell.
  return Math.min(Math.max(0, depth), extent_mm * (1 - 1e-9));
}

/** Samples of a Gaussian in its σ, for its mean over a cell. */
const SAMPLES = 8;
/** Cells tell no narrower one, as a share of theirs. */
const NARROWEST = 1 / 32;

/** Cell averages of a Gaussian with the fluence's mean and width and the area of the dose. */
export function gaussian(curve: Curve, { mean_x_mm, sigma_x_mm }: PlaneMoments): Float64Array {
  const { positions, values } = curve;
  const cell = (positions[1] ?? 1) - (positions[0] ?? 0);
  const area = values.reduce((a, b) => a + b, 0) * cell;
  const sigma = Math.max(sigma_x_mm, NARROWEST * cell);
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

/** Share of the peak down to which a logarithmic axis reaches. */
const DECADES = 1e-6;
const HEADROOM = 1.08;

/** A profile with its depth, what the fluence says of the beam's width there, and what the dose itself does. */
export interface DepthProfile {
  readonly depth_mm: number;
  readonly curve: Curve;
  readonly plane: PlaneMoments | null;
  readonly fit: GaussianFit | null;
}

export function depthProfile(curve: Curve, depth_mm: number, moments: Moments): DepthProfile {
  return { depth_mm, curve, plane: momentsAt(moments, depth_mm), fit: fitGaussian(curve.positions, curve.values) };
}

/** Colours and dash patterns: the crosshair's profile first, then those at retained depths. */
export const profileLooks = [
  { ink: 'series-1', dash: [] },
  { ink: 'series-3', dash: [7, 3] },
  { ink: 'series-4', dash: [2, 2] },
  { ink: 'series-5', dash: [8, 3, 2, 3] },
  { ink: 'series-6', dash: [4, 2] },
  { ink: 'series-7', dash: [9, 3] },
] as const satisfies readonly Pick<LineSeries, 'ink' | 'dash'>[];

export const depthName = (depth_mm: number): string => `z ${fixed(depth_mm, 2)} mm`;

/** The first profile with the Gaussian of the fluence's width, and those at the other depths. */
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
  const [low, high] = kind === 'log' ? [peak * DECADES, peak * 2] : [0, peak * HEADROOM];
  return oneCurveChart('Dose across the beam', {
    x: { title: 'Across x', unit: 'mm', kind: 'linear', from, to },
    y: { title: 'Dose', unit, kind, from: low, to: high, fixed: true },
    series: [{ ...at(first, 0), fill: 'to zero' }, ...fluence, ...others.map((profile, i) => at(profile, i + 1))],
    tall: 1,
  });
}

/** The legend is part of the panel, which can also remove curves. */
export function oneCurveChart(title: string, pane: Pane): Chart {
  return { title, panes: [pane], legend: 'none', arrays: paneArrays(pane), notes: {} };
}
