/**
 * The depth dose as a chart: curve, R80, range from the tables, distal falloff. Settings of the depth-dose plot, saved
 * per user.
 */
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
import type { Uncertainty } from '../../../electron/contract/beams/uncertainty.ts';
import type { Curve, Interval } from '../../../electron/contract/fields.ts';
import type { Quality } from '../../../electron/contract/quality.ts';
import { valueAt } from '../../../electron/contract/scenario/index.ts';
import type { ResolvedTransport } from '../../../electron/contract/scenario/transport/workload.ts';
import { fixedDigits } from '../../../electron/domain/numbers.ts';
import type { ShownDepthDose } from '../../data/run-data.ts';
import { MARGINS } from '../../drawing/axes.ts';
import type { Chart, ChartAxis, ChartMark, LineSeries, Pane } from '../../drawing/charts/chart.ts';
import { axisArray, curveArray, type FigureArray } from '../../drawing/export/figure.ts';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';

const schema = z.strictObject({
  /** Energy per depth, energy per mass, dose in Gy, or per cent of the peak. */
  unit: z.enum(['absolute', 'mass', 'gray', 'percent']),
  /** Quantity shown in addition to the dose, or instead of it, for runs that scored LET. */
  beside: z.enum(['none', 'let', 'rbe', 'spectra']),
});
export type DepthDoseState = Readonly<z.infer<typeof schema>>;
export type DepthDoseStore = StoreApi<DepthDoseState>;

export function createDepthDoseStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): DepthDoseStore {
  const initial: DepthDoseState = { unit: 'absolute', beside: 'none' };
  const withDefaults = (data: unknown) => ({ ...initial, ...(typeof data === 'object' ? data : {}) });
  return createPersisted<DepthDoseState>({
    storage,
    name: 'depth-dose',
    version: 2,
    schema,
    initial,
    migrations: { 1: withDefaults },
    onReset,
  });
}

type CurveStyle = Pick<LineSeries, 'ink' | 'dash'>;

const highestValue = (series: readonly LineSeries[]): number =>
  series.reduce((most, { y }) => Array.from(y).reduce((a, b) => (b > a ? b : a), most), 0);

const letStyles = [
  { name: 'letd', title: 'LETd, all protons', look: { ink: 'series-2', dash: [] } },
  { name: 'letd_primary', title: 'LETd, primary', look: { ink: 'series-2', dash: [6, 3] } },
  { name: 'lett', title: 'LETt, all protons', look: { ink: 'series-3', dash: [] } },
  { name: 'lett_primary', title: 'LETt, primary', look: { ink: 'series-3', dash: [6, 3] } },
] as const;

/**
 * Minimum dose, as a share of the peak, for which LET is drawn. Behind the Bragg peak a few protons determine the LET,
 * which may then have any value.
 */
const DOSE_SHARE = 0.01;

/** Pane of the LET below the dose. Shows empty axes if no LET was scored. */
function letPane(quality: Quality, x: ChartAxis, dose: ArrayLike<number>): Pane {
  const peak = Array.from(dose).reduce((a, b) => Math.max(a, b), 0);
  const series = letStyles.map(
    ({ name, title, look }): LineSeries => ({
      kind: 'line',
      name: title,
      ...look,
      width: 1.5,
      x: quality.depth_mm,
      y: quality[name].map((value, i) => ((dose[i] ?? 0) < DOSE_SHARE * peak ? Number.NaN : value)),
    }),
  );
  const to = 1.08 * highestValue(series) || 1;
  const y: ChartAxis = { title: 'LET in water', unit: 'keV/µm', kind: 'linear', fixed: true, from: 0, to };
  return { x, y, series, tall: 1 };
}

function letArrays(quality: Quality): readonly FigureArray[] {
  return [
    axisArray('let_depth', 'mm', 'depth along the beam axis', quality.depth_mm),
    ...letStyles.map(({ name, title }) => curveArray(name, 'keV/um', title, 'let_depth', quality[name])),
  ];
}

const rbeStyles: readonly CurveStyle[] = [
  { ink: 'series-2', dash: [6, 3] },
  { ink: 'series-3', dash: [2, 2] },
  { ink: 'series-4', dash: [9, 3] },
  { ink: 'series-5', dash: [6, 3, 2, 3] },
];

/** The displayed dose times the RBE of each model. */
function rbeSeries(quality: Quality, dose: ArrayLike<number>): readonly LineSeries[] {
  return quality.rbe.curves.map(({ title, rbe }, i) => ({
    kind: 'line',
    name: `RBE ${title}`,
    ...(rbeStyles[i] ?? { ink: 'series-6', dash: [] }),
    width: 1.5,
    x: quality.depth_mm,
    y: rbe.map((factor, depth) => factor * (dose[depth] ?? 0)),
  }));
}

const inks = ['series-1', 'series-2', 'series-3', 'series-4', 'series-5', 'series-6', 'series-7', 'series-8'] as const;
/** The energy axis ends where all spectra are below this share of their common maximum. */
const SPECTRUM_SHARE = 1e-3;

/** Fluence by energy, one curve per depth. Not scaled to equal peaks, which would misrepresent the numbers. */
function spectraChart({ spectra }: Quality): Chart {
  const series = spectra.map(({ depth_mm, energy_MeV, per_MeV }, i): LineSeries => {
    const ink = inks[i % inks.length] ?? 'series-1';
    const dash = i < inks.length ? [] : [6, 3];
    return { kind: 'line', name: `${fixedDigits(depth_mm, 2)} mm`, ink, dash, width: 1.5, x: energy_MeV, y: per_MeV };
  });
  const most = highestValue(series);
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
    room: { left: MARGINS.left, right: MARGINS.right },
    arrays: spectra.flatMap(({ depth_mm, energy_MeV, per_MeV }, i) => [
      axisArray(`energy_${i + 1}`, 'MeV', 'kinetic energy', energy_MeV),
      curveArray(`protons_${i + 1}`, '1/MeV', `at ${fixedDigits(depth_mm, 3)} mm`, `energy_${i + 1}`, per_MeV),
    ]),
    notes: {},
  };
}

/** A curve to overlay on the curve of the shown run. */
export interface OverlaidCurve {
  readonly name: string;
  readonly depth_mm: Float64Array;
  readonly dose: Float64Array;
  readonly unit: string | null;
  /** Dose by mass, for a run. */
  readonly perMass?: Float64Array | null;
  /** Index among all overlaid curves, for colour and dash pattern. */
  readonly styleIndex: number;
}

/** Unit of the plotted dose. */
export type DoseUnit = 'absolute' | 'mass' | 'gray' | 'percent';

/**
 * Curve of a run in the given unit. A run without densities, or without a dose in Gy, is shown as energy per depth.
 */
export function curveInUnit({ curve, perMass, final }: ShownDepthDose, unit: DoseUnit): Curve {
  if (unit === 'gray') return final !== null && 'curve' in final.gray ? final.gray.curve : curve;
  return unit === 'mass' ? (perMass ?? curve) : curve;
}

/** An overlaid curve in the plotted unit. The curve of a run is by mass if requested; that of a file is unchanged. */
export function overlayInUnit<T extends Pick<OverlaidCurve, 'dose' | 'unit' | 'perMass'>>(
  overlay: T,
  unit: DoseUnit,
): T {
  const { perMass } = overlay;
  return unit !== 'mass' || perMass == null ? overlay : { ...overlay, dose: perMass, unit: PER_MASS };
}

const PER_MASS = 'nGy mm²';

/** Colour and dash pattern of each overlaid curve, in order. */
export const overlayStyles = [
  { ink: 'series-2', dash: [6, 3] },
  { ink: 'series-3', dash: [2, 2] },
  { ink: 'series-4', dash: [6, 3, 2, 3] },
  { ink: 'series-5', dash: [9, 3] },
  { ink: 'series-6', dash: [9, 3, 2, 3] },
  { ink: 'series-7', dash: [6, 3] },
  { ink: 'series-8', dash: [2, 2] },
] as const satisfies readonly Pick<LineSeries, 'ink' | 'dash'>[];

/**
 * Scale factor of an overlaid dose. In per cent the overlay's own peak is 100. Otherwise, a curve in another unit than
 * the plot is scaled to the peak of the run.
 */
export function overlayFactor(
  { dose, unit }: Pick<OverlaidCurve, 'dose' | 'unit'>,
  shown: DoseUnit,
  peak: number,
): number {
  const own = dose.reduce((a, b) => Math.max(a, b), 0);
  if (!(own > 0)) return 1;
  if (shown === 'percent') return 100 / own;
  const same = shown === 'gray' ? false : unit === (shown === 'mass' ? PER_MASS : 'MeV/mm');
  return same || !(peak > 0) ? 1 : peak / own;
}

export interface ChartInput {
  readonly shown: ShownDepthDose | null;
  readonly resolved: ResolvedTransport | null;
  readonly unit: DoseUnit;
  readonly beside?: DepthDoseState['beside'];
  readonly overlays?: readonly OverlaidCurve[];
  /** One standard deviation around the run's dose, in MeV/mm or per cent. */
  readonly band?: Pick<Uncertainty, 'depth_mm' | 'dose' | 'dose_sigma'> | null;
  /** Visible part of the axis; null for all of it. */
  readonly window: Interval | null;
  /** Width of the whole figure, in label heights. */
  readonly width: number;
}

/** Factor of the dose axis above the curve's peak, for the labels of the lines. */
const HEADROOM = 1.14;
/** Average letter width relative to the font size. */
const GLYPH = 0.58;

/** Full range of the depth axis: that of the curve, or without a curve that of the geometry. */
export function fullDepthRange(shown: ShownDepthDose | null, resolved: ResolvedTransport | null): Interval {
  const positions = shown?.curve.positions;
  const last = positions?.[positions.length - 1];
  if (positions !== undefined && last !== undefined && last > 0) {
    // Points are at the centres of cells, but the axis ends at the cells' edges like the map's.
    const half = positions.length > 1 ? (last - (positions[0] ?? 0)) / (positions.length - 1) / 2 : 0;
    return [Math.min(0, (positions[0] ?? 0) - half), last + half];
  }
  const depth = valueAt(resolved?.scenario, ['geometry', 'depth_mm']);
  return [0, typeof depth === 'number' ? depth : 100];
}

/** Marks for R80, the falloff behind it, and the range from the tables. */
function marksOf({ shown, resolved, width }: ChartInput, [from, to]: Interval): readonly ChartMark[] {
  const { r80_mm = null, r20_mm = null } = shown?.final?.metrics ?? {};
  const marks: ChartMark[] = [];
  if (resolved !== null) {
    const { range_mm } = resolved;
    const regions = valueAt(resolved.scenario, ['geometry', 'regions']);
    // Regions outside the axis may contain other materials, in which the range differs.
    const text = [...(Array.isArray(regions) && regions.length > 0 ? ['Range on', 'the axis'] : ['Range'])];
    text.push(`${text.pop()} ${fixedDigits(range_mm, 2)} mm`);
    const longest = Math.max(...text.map((line) => line.length));
    const room = ((to - range_mm) / (to - from)) * (width - MARGINS.left - MARGINS.right);
    // If the axis leaves no room on the right, the label goes on the left, below that of R80.
    const label = {
      text,
      ...(room > longest * GLYPH ? { side: 'right' as const } : { side: 'left' as const, row: 1 }),
    };
    marks.push({ kind: 'line', axis: 'x', at: range_mm, ink: 'plot-reference', width: 1.25, dash: [5, 4], label });
  }
  if (r80_mm !== null) {
    const label = { text: [`R80 ${fixedDigits(r80_mm, 2)} mm`], side: 'left' } as const;
    marks.push({ kind: 'line', axis: 'x', at: r80_mm, ink: 'plot-r80', width: 1.25, label });
  }
  if (r80_mm !== null && r20_mm !== null) {
    marks.push({ kind: 'band', axis: 'x', from: r80_mm, to: r20_mm, ink: 'plot-curve', opacity: 0.12 });
  }
  return marks;
}

/** Whether the horizontal axis is energy instead of depth. */
export function showsSpectra(beside: DepthDoseState['beside'], shown: ShownDepthDose | null): boolean {
  return beside === 'spectra' && (shown?.final?.quality?.spectra.length ?? 0) > 0;
}

const scaleValues = (values: Float64Array, by: number): Float64Array => (by === 1 ? values : values.map((v) => v * by));

/** Axis from zero to above the highest line; without tick labels if there is no line. */
function doseAxis(unit: string, lines: readonly LineSeries[]): ChartAxis {
  const highest = lines.reduce((most, { y }) => Array.from(y).reduce((a, b) => Math.max(a, b), most), 0);
  const axis = { title: 'Dose', unit, kind: 'linear', fixed: true, from: 0 } as const;
  return highest > 0 ? { ...axis, to: highest * HEADROOM } : { ...axis, to: HEADROOM, format: () => '' };
}

/** Common unit of the overlaid curves, for a plot without a run. */
function unitWithoutRun(overlays: readonly OverlaidCurve[]): string {
  const units = new Set(overlays.map(({ unit }) => unit));
  const [first = 'MeV/mm'] = units;
  return units.size > 1 ? 'as in the files' : (first ?? 'arbitrary unit');
}

/** Arrays of an exported figure; with `quality` also those of the LET. */
function arraysOf(
  curve: Curve,
  overlays: readonly OverlaidCurve[],
  quality: Parameters<typeof letArrays>[0] | null,
): Chart['arrays'] {
  return [
    axisArray('depth', 'mm', 'depth along the beam axis', curve.positions),
    curveArray('dose', curve.unit, curve.quantity, 'depth', curve.values),
    ...overlays.flatMap(({ name, unit, depth_mm, dose }, i) => [
      axisArray(`depth_${i + 2}`, 'mm', `depth: ${name}`, depth_mm),
      curveArray(`dose_${i + 2}`, unit ?? '', name, `depth_${i + 2}`, dose),
    ]),
    ...(quality === null ? [] : letArrays(quality)),
  ];
}

/**
 * Edges of the uncertainty band around the run. Empty for dose per mass and in Gy, where densities add to the
 * uncertainty.
 */
function bandSeries({ band = null, unit }: ChartInput, factor: number): readonly LineSeries[] {
  if (band === null || unit === 'mass' || unit === 'gray') return [];
  const { depth_mm, dose, dose_sigma } = band;
  const at = (sigmas: number): Float64Array =>
    dose.map((value, i) => factor * Math.max(0, value + sigmas * (dose_sigma[i] ?? 0)));
  const edge = { kind: 'line', ink: 'series-3', dash: [], width: 1, x: depth_mm } as const;
  return [
    { ...edge, name: 'Less 1 σ', y: at(-1), silent: true, group: '± 1 σ' },
    { ...edge, name: '± 1 σ', y: at(1), fill: 'to the line before' },
  ];
}

export function depthDoseChart(input: ChartInput): Chart {
  const { shown, resolved, unit, window, beside = 'none' } = input;
  const quality = shown?.final?.quality ?? null;
  if (quality !== null && showsSpectra(beside, shown)) return spectraChart(quality);
  const overlays = (input.overlays ?? []).map((overlay) => overlayInUnit(overlay, unit));
  const curve = shown === null ? undefined : curveInUnit(shown, unit);
  const peak = curve === undefined ? 0 : curve.values.reduce((a, b) => Math.max(a, b), 0);
  const factor = unit === 'percent' && peak > 0 ? 100 / peak : 1;
  const [from, to] = window ?? fullDepthRange(shown, resolved);
  const run: LineSeries = {
    ...{ kind: 'line', name: 'This run', ink: 'plot-curve', dash: [], width: 1.75, fill: 'to zero' },
    x: curve?.positions ?? [],
    y: curve === undefined ? [] : scaleValues(curve.values, factor),
  };
  const laid = overlays.map((overlay): LineSeries => {
    const look = overlayStyles[overlay.styleIndex] ?? overlayStyles[6];
    const y = scaleValues(overlay.dose, overlayFactor(overlay, unit, peak));
    return { kind: 'line', name: overlay.name, ...look, width: 1.5, x: overlay.depth_mm, y };
  });
  const weighted = beside === 'rbe' && quality !== null ? rbeSeries(quality, run.y) : [];
  const lines = [run, ...bandSeries(input, factor), ...weighted, ...laid];
  const x: ChartAxis = { title: 'Depth along the beam axis', unit: 'mm', kind: 'linear', from, to };
  return {
    title: 'Depth dose',
    panes: [
      {
        x,
        y: doseAxis(unit === 'percent' ? '% of peak' : (curve?.unit ?? unitWithoutRun(overlays)), lines),
        series: lines,
        marks: marksOf(input, [from, to]),
        tall: beside === 'let' && quality !== null ? 1.4 : 1,
      },
      ...(beside === 'let' && quality !== null ? [letPane(quality, x, run.y)] : []),
    ],
    linked: true,
    legend: 'inside',
    room: { left: MARGINS.left, right: MARGINS.right },
    arrays: curve === undefined ? [] : arraysOf(curve, overlays, beside === 'none' ? null : quality),
    notes: {},
  };
}
