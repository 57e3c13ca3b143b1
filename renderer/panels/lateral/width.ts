/** The beam's width against depth: of the run's fluence, in Fermi–Eyges theory, and as fitted to the dose. No React. */
import type { Curve, Interval } from '../../../electron/contract/fields.ts';
import type { Moments } from '../../../electron/contract/run.ts';
import type { Chart, Series } from '../../drawing/charts/chart.ts';
import { type DepthProfile, oneCurveChart } from './profile.ts';

/** The legend stands above the curves. */
const HEADROOM = 1.3;
/** Planes that fewer protons than this share of the most cross have the width of a few stragglers. */
const LEAST_SHARE = 1e-3;

/** σx of the fluence where protons cross, with gaps elsewhere. */
export function fluenceWidth({ protons, sigma_x_mm }: Moments): Float64Array {
  const most = protons.reduce((a, b) => Math.max(a, b), 0);
  return sigma_x_mm.map((sigma, i) => ((protons[i] ?? 0) >= LEAST_SHARE * most ? sigma : Number.NaN));
}

export function widthChart(
  moments: Moments,
  theory: Curve | null,
  profiles: readonly DepthProfile[],
  window: Interval | undefined,
): Chart {
  const width = fluenceWidth(moments);
  const depths = moments.depth_mm;
  const fitted = profiles
    .flatMap(({ depth_mm, fit }) => (fit === null ? [] : [{ depth_mm, sigma: fit.sigma }]))
    .sort((a, b) => a.depth_mm - b.depth_mm);
  const largest = Math.max(
    ...Array.from(width).filter(Number.isFinite),
    ...Array.from(theory?.values ?? []),
    ...fitted.map(({ sigma }) => sigma),
    0,
  );
  const last = depths[depths.length - 1] ?? 1;
  const cell = depths.length > 1 ? (depths[1] ?? 0) - (depths[0] ?? 0) : 1;
  const [from, to] = window ?? [0, last + cell / 2];
  const series: Series[] = [
    { kind: 'line', name: 'σx of the fluence', ink: 'series-1', dash: [], x: depths, y: width },
  ];
  if (theory !== null) {
    const { positions, values } = theory;
    series.push({ kind: 'line', name: 'Fermi–Eyges', ink: 'series-2', dash: [5, 3], x: positions, y: values });
  }
  if (fitted.length > 0) {
    series.push({
      ...{ kind: 'dots', name: 'Fitted to the dose', ink: 'series-3', form: 'round', radius: 0.32 },
      x: fitted.map(({ depth_mm }) => depth_mm),
      y: fitted.map(({ sigma }) => sigma),
    });
  }
  return oneCurveChart('Width of the beam', {
    x: { title: 'Depth z', unit: 'mm', kind: 'linear', from, to },
    y: { title: 'Width σx', unit: 'mm', kind: 'linear', from: 0, to: (largest || 1) * HEADROOM, fixed: true },
    series,
    tall: 1,
  });
}
