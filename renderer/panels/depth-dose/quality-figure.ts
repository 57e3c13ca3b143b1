/** LET, RBE-weighted dose and spectra as curves beside the depth dose. */
import type { Quality } from '../../../electron/contract/quality.ts';
import { fixed } from '../../base/numbers.ts';
import type { Chart, ChartAxis, LineSeries, Pane } from '../../drawing/charts/chart.ts';
import { axisArray, curveArray, type FigureArray } from '../../drawing/export/figure.ts';
import { ROOM } from '../../drawing/plot-frame.ts';

type Look = Pick<LineSeries, 'ink' | 'dash'>;

const highest = (series: readonly LineSeries[]): number =>
  series.reduce((most, { y }) => Array.from(y).reduce((a, b) => (b > a ? b : a), most), 0);

const letLooks = [
  { name: 'letd', title: 'LETd, all protons', look: { ink: 'series-2', dash: [] } },
  { name: 'letd_primary', title: 'LETd, primary', look: { ink: 'series-2', dash: [6, 3] } },
  { name: 'lett', title: 'LETt, all protons', look: { ink: 'series-3', dash: [] } },
  { name: 'lett_primary', title: 'LETt, primary', look: { ink: 'series-3', dash: [6, 3] } },
] as const;

/** Behind the beam a few protons have any LET: the axis ends at what its tracks have where there is dose. */
const DOSE_SHARE = 0.01;

/** The pane below the dose; nothing but its axes without a LET. */
export function letPane(quality: Quality, x: ChartAxis, dose: ArrayLike<number>): Pane {
  const peak = Array.from(dose).reduce((a, b) => Math.max(a, b), 0);
  const series = letLooks.map(
    ({ name, title, look }): LineSeries => ({
      kind: 'line',
      name: title,
      ...look,
      width: 1.5,
      x: quality.depth_mm,
      y: quality[name].map((value, i) => ((dose[i] ?? 0) < DOSE_SHARE * peak ? Number.NaN : value)),
    }),
  );
  const to = 1.08 * highest(series) || 1;
  const y: ChartAxis = { title: 'LET in water', unit: 'keV/µm', kind: 'linear', fixed: true, from: 0, to };
  return { x, y, series, tall: 1 };
}

export function letArrays(quality: Quality): readonly FigureArray[] {
  return [
    axisArray('let_depth', 'mm', 'depth along the beam axis', quality.depth_mm),
    ...letLooks.map(({ name, title }) => curveArray(name, 'keV/um', title, 'let_depth', quality[name])),
  ];
}

const rbeLooks: readonly Look[] = [
  { ink: 'series-2', dash: [6, 3] },
  { ink: 'series-3', dash: [2, 2] },
  { ink: 'series-4', dash: [9, 3] },
  { ink: 'series-5', dash: [6, 3, 2, 3] },
];

/** The shown dose times the RBE of each model. */
export function rbeSeries(quality: Quality, dose: ArrayLike<number>): readonly LineSeries[] {
  return quality.rbe.curves.map(({ title, rbe }, i) => ({
    kind: 'line',
    name: `RBE ${title}`,
    ...(rbeLooks[i] ?? { ink: 'series-6', dash: [] }),
    width: 1.5,
    x: quality.depth_mm,
    y: rbe.map((factor, depth) => factor * (dose[depth] ?? 0)),
  }));
}

const inks = ['series-1', 'series-2', 'series-3', 'series-4', 'series-5', 'series-6', 'series-7', 'series-8'] as const;
/** Less than this share of its most is the axis' end. */
const SPECTRUM_SHARE = 1e-3;

/** Fluence by energy, a curve for each depth; each as high as its own most would be a lie of numbers, so none is scaled. */
export function spectraChart({ spectra }: Quality): Chart {
  const series = spectra.map(({ depth_mm, energy_MeV, per_MeV }, i): LineSeries => {
    const ink = inks[i % inks.length] ?? 'series-1';
    const dash = i < inks.length ? [] : [6, 3];
    return { kind: 'line', name: `${fixed(depth_mm, 2)} mm`, ink, dash, width: 1.5, x: energy_MeV, y: per_MeV };
  });
  const most = highest(series);
  const shown = spectra.flatMap(({ energy_MeV, per_MeV }) =>
    Array.from(energy_MeV).filter((_, i) => (per_MeV[i] ?? 0) > SPECTRUM_SHARE * most),
  );
  const [from, to] = shown.reduce(([a, b], energy) => [Math.min(a, energy), Math.max(b, energy)], [1e9, 0]);
  const x: ChartAxis = { title: 'Energy', unit: 'MeV', kind: 'linear', from: Math.max(0, from - 2), to: to + 2 };
  const y: ChartAxis = { title: 'Primary protons', unit: '1/MeV', kind: 'linear', from: 0, to: 1.1 * most || 1 };
  return {
    title: 'Energy spectra',
    panes: [{ x, y: { ...y, fixed: true }, series, tall: 1 }],
    legend: 'inside',
    hover: 'values',
    room: { left: ROOM.left, right: ROOM.right },
    arrays: spectra.flatMap(({ depth_mm, energy_MeV, per_MeV }, i) => [
      axisArray(`energy_${i + 1}`, 'MeV', 'kinetic energy', energy_MeV),
      curveArray(`protons_${i + 1}`, '1/MeV', `at ${fixed(depth_mm, 3)} mm`, `energy_${i + 1}`, per_MeV),
    ]),
    notes: {},
  };
}
