/** A measured depth dose with what was fitted to it, and below them their difference. */
import { axisArray, curveArray } from '../export/figure.ts';
import type { Chart, Pane } from './chart.ts';

export interface FittedPoint {
  readonly depth_mm: number;
  /** Shares of the largest measured dose. */
  readonly measured: number;
  readonly fitted: number;
  readonly residual: number;
  /** Whether the fit took it. */
  readonly used: boolean;
}

/** Heights of the plots, in label heights. */
const TALL = { dose: 16, residual: 8 } as const;
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
      y: { title: 'Dose over its largest', unit: '', kind: 'linear', from: 0, to: highest },
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
      tall: TALL.dose,
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
      tall: TALL.residual,
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
        'dose over its largest',
        index.name,
        points.map(({ measured }) => measured),
      ),
      curveArray(
        'fitted',
        '',
        'dose over the largest measured',
        index.name,
        points.map(({ fitted }) => fitted),
      ),
      curveArray('residual', '%', 'fitted less measured', index.name, percent),
    ],
    notes: {},
  };
}
