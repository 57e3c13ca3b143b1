/**
 * Charts of depth doses: overlaid curves with their differences from the reference below, and a measured curve with its
 * fit and their difference.
 */
import type { Curve } from '../../../electron/contract/fields.ts';
import { axisArray, curveArray, identifier } from '../export/figure.ts';
import type { Ink } from '../figures/figure.ts';
import type { Chart, ChartAxis, LineSeries, Pane } from './chart.ts';

export interface NamedCurve {
  readonly name: string;
  readonly ink: Ink;
  readonly dash: readonly number[];
  readonly curve: Curve;
  /** Null if the curve is the reference. */
  readonly residual: Curve | null;
}

/** Heights of the plots, in label heights. */
const [DOSE, RESIDUAL] = [22, 15];

function largestMagnitude(values: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i < values.length; i += 1) most = Math.max(most, Math.abs(values[i] ?? 0));
  return most;
}

export function curvesChart(curves: readonly NamedCurve[]): Chart {
  const ends = curves.flatMap(({ curve }) => [curve.positions[0] ?? 0, curve.positions.at(-1) ?? 1]);
  const [from, to] = [Math.min(0, ...ends), Math.max(1e-9, ...ends)];
  const depth: ChartAxis = { title: 'Depth along the beam', unit: 'mm', kind: 'linear', from, to };
  const peak = Math.max(1e-300, ...curves.map(({ curve }) => largestMagnitude(curve.values)));
  const unit = curves[0]?.curve.unit ?? 'MeV/mm';
  const line = ({ name, ink, dash }: NamedCurve, { positions, values }: Curve): LineSeries => ({
    ...{ kind: 'line', name, ink, dash, x: positions, y: values },
  });
  const dose: Pane = {
    x: depth,
    y: { title: 'Dose', unit, kind: 'linear', from: 0, to: peak * 1.06 },
    series: curves.map((one) => line(one, one.curve)),
    tall: DOSE,
  };
  const residuals = curves.flatMap((one) => (one.residual === null ? [] : [line(one, one.residual)]));
  const largest = Math.max(0, ...residuals.map(({ y }) => largestMagnitude(y))) || peak * 1e-12;
  const less: Pane = {
    x: depth,
    y: { title: 'Minus the reference', unit, kind: 'linear', from: -largest * 1.1, to: largest * 1.1 },
    series: residuals,
    marks: [{ kind: 'line', axis: 'y', at: 0, ink: 'text-muted' }],
    tall: RESIDUAL,
  };
  return {
    title: 'Depth dose, and its difference',
    panes: residuals.length === 0 ? [dose] : [dose, less],
    linked: true,
    hover: 'values',
    arrays: curves.flatMap(({ name, curve, residual }, row) => {
      const prefix = `${identifier(name)}_${row + 1}`;
      const depths = axisArray(`${prefix}_depth_mm`, 'mm', `depth, ${name}`, curve.positions);
      const values = curveArray(`${prefix}_dose`, unit, `dose, ${name}`, depths.name, curve.values);
      if (residual === null) return [depths, values];
      const places = axisArray(`${prefix}_residual_depth_mm`, 'mm', `depth, ${name}`, residual.positions);
      const words = `dose minus the reference's, ${name}`;
      return [depths, values, places, curveArray(`${prefix}_residual`, unit, words, places.name, residual.values)];
    }),
    notes: {},
  };
}

export interface FittedPoint {
  readonly depth_mm: number;
  /** Measured dose as a share of its maximum. */
  readonly measured: number;
  readonly fitted: number;
  readonly residual: number;
  /** Whether the fit used the point. */
  readonly used: boolean;
}

/** Heights of the plots, in label heights. */
const PANE_HEIGHTS = { dose: 16, residual: 8 } as const;
const ROOM = 1.1;

export function fitResidualsChart(points: readonly FittedPoint[]): Chart {
  const depths = points.map(({ depth_mm }) => depth_mm);
  const [from, to] = [Math.min(0, depths[0] ?? 0), depths.at(-1) ?? 1];
  const percent = points.map(({ residual }) => 100 * residual);
  const highest = ROOM * Math.max(...points.map(({ measured, fitted }) => Math.max(measured, fitted)));
  const widest = Math.max(1, ROOM * Math.max(...percent.map(Math.abs)));
  const used = points.filter((point) => point.used);
  const x = { title: 'Depth', unit: 'mm', kind: 'linear', from, to } as const;
  const panes: readonly Pane[] = [
    {
      x,
      y: { title: 'Dose relative to its maximum', unit: '', kind: 'linear', from: 0, to: highest },
      series: [
        {
          ...{ kind: 'dots', name: 'measured', ink: 'text-muted', form: 'ring', radius: 0.25 },
          ...{ x: depths, y: points.map(({ measured }) => measured) },
        },
        {
          ...{ kind: 'line', name: 'fitted', ink: 'accent', width: 2, dash: [] },
          ...{ x: depths, y: points.map(({ fitted }) => fitted) },
        },
      ],
      tall: PANE_HEIGHTS.dose,
    },
    {
      x,
      y: { title: 'Fitted − measured', unit: '%', kind: 'linear', from: -widest, to: widest },
      series: [
        {
          ...{ kind: 'dots', name: 'of the fit', silent: true, ink: 'accent', form: 'round', radius: 0.2 },
          ...{ x: used.map(({ depth_mm }) => depth_mm), y: used.map(({ residual }) => 100 * residual) },
        },
        {
          ...{ kind: 'line', name: 'everywhere', silent: true, ink: 'text-muted', width: 1, dash: [] },
          ...{ x: depths, y: percent },
        },
      ],
      marks: [{ kind: 'line', axis: 'y', at: 0, ink: 'text-muted' }],
      tall: PANE_HEIGHTS.residual,
    },
  ];
  const index = axisArray('depth', 'mm', 'depth', depths);
  return {
    title: 'Measured and fitted depth dose',
    panes,
    linked: true,
    arrays: [
      index,
      curveArray(
        'measured',
        '',
        'dose relative to its maximum',
        index.name,
        points.map(({ measured }) => measured),
      ),
      curveArray(
        'fitted',
        '',
        'dose relative to the measured maximum',
        index.name,
        points.map(({ fitted }) => fitted),
      ),
      curveArray('residual', '%', 'fitted minus measured', index.name, percent),
    ],
    notes: {},
  };
}
