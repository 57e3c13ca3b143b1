/** Time, set-up share and rate against size, with the fitted fixed cost and slope. */

import type { SweepFit } from '../../../electron/contract/bench.ts';
import { measuredTime, tickTime } from '../../base/measured.ts';
import { compact, percent } from '../../base/numbers.ts';
import { axisArray, curveArray, type FigureArray, identifier } from '../export/figure.ts';
import { type FigureAxis, horizontalRoom, logLimits, plotAxes, verticalRoom } from './axes.ts';
import { type Figure, type FigureSize, type Point, type Shape, seriesInk, textWidth } from './figure.ts';

type SweepPoint = SweepFit['points'][number];

interface Quantity {
  readonly axis: Omit<FigureAxis, 'from' | 'to'>;
  readonly limits: readonly [number, number] | null;
  readonly of: (point: SweepPoint) => number;
  readonly text: (value: number) => string;
}

const quantities: readonly Quantity[] = [
  {
    axis: { title: 'Time of the steps', unit: '', kind: 'log', format: tickTime },
    limits: null,
    of: ({ time_s }) => time_s,
    text: measuredTime,
  },
  {
    axis: { title: 'Share of set-up', unit: '', kind: 'linear', format: (value) => `${Math.round(100 * value)} %` },
    limits: [0, 1],
    of: ({ setup_share }) => setup_share,
    text: percent,
  },
  {
    axis: { title: 'Cell-steps per second', unit: '1/s', kind: 'log' },
    limits: null,
    of: ({ cell_steps_per_s }) => cell_steps_per_s,
    text: (value) => `${compact(value)}/s`,
  },
];

/** Sizes at which a fitted line is drawn: it bends on logarithmic axes. */
const FIT_POINTS = 48;

export function sweepFigure(fits: readonly SweepFit[], { width, label }: FigureSize): Figure {
  const drawn = fits.filter(({ points }) => points.length > 0);
  const columns = width >= 62 * label ? 3 : 1;
  const legend = drawn.length * 1.5 * label + label;
  const panel = width / columns;
  const tall = 17 * label;
  const cells = drawn.flatMap(({ points }) => points.map((point) => point.cells));
  const [from, to] = logLimits(cells, 1.6);
  const shapes: Shape[] = [];
  drawn.forEach(({ label: name, fixed_s, slope_s_per_cell }, i) => {
    const y = (i + 0.8) * 1.5 * label;
    shapes.push({ kind: 'line', from: [label, y], to: [3 * label, y], ink: seriesInk(i), width: 2 });
    const fit =
      fixed_s === null || slope_s_per_cell === null
        ? 'too few sizes for a fit'
        : `${measuredTime(Math.max(0, fixed_s))} fixed, ${measuredTime(slope_s_per_cell * 1e6)} per million cells`;
    shapes.push({
      kind: 'text',
      at: [3.6 * label, y + 0.35 * label],
      text: name,
      ink: 'text',
      size: label,
      bold: true,
    });
    const after = 3.6 * label + textWidth(name, label) * 1.08 + label;
    shapes.push({ kind: 'text', at: [after, y + 0.35 * label], text: fit, ink: 'text-muted', size: label });
  });
  quantities.forEach((quantity, q) => {
    const [column, row] = columns === 3 ? [q, 0] : [0, q];
    const box = {
      left: column * panel + verticalRoom(label),
      top: legend + row * (tall + horizontalRoom(label) + label) + label / 2,
      width: panel - verticalRoom(label) - label,
      height: tall,
    };
    const values = drawn.flatMap(({ points }) => points.map(quantity.of));
    const [low, high] = quantity.limits ?? logLimits(values, 1.5);
    const across = { title: 'Cells', unit: '', kind: 'log', from, to } as const;
    const plot = plotAxes(across, { ...quantity.axis, from: low, to: high }, box, label);
    shapes.push(...plot.shapes);
    drawn.forEach((fit, i) => {
      const ink = seriesInk(i);
      const { fixed_s, slope_s_per_cell } = fit;
      if (q === 0 && fixed_s !== null && slope_s_per_cell !== null) {
        const line = Array.from({ length: FIT_POINTS }, (_, k): Point => {
          const size = from * (to / from) ** (k / (FIT_POINTS - 1));
          return [plot.x.toPixel(size), plot.y.toPixel(fixed_s + slope_s_per_cell * size)];
        }).filter(([, y]) => y >= box.top && y <= box.top + box.height);
        shapes.push({ kind: 'path', points: line, ink, width: 1.25, dash: [4, 3] });
      } else {
        const points = [...fit.points].sort((a, b) => a.cells - b.cells);
        const line = points.map((point): Point => [plot.x.toPixel(point.cells), plot.y.toPixel(quantity.of(point))]);
        shapes.push({ kind: 'path', points: line, ink, width: 1.25 });
      }
      for (const point of fit.points) {
        const value = quantity.of(point);
        const tip = `${fit.label}: ${compact(point.cells)} cells, ${quantity.text(value)}`;
        const at: Point = [plot.x.toPixel(point.cells), plot.y.toPixel(value)];
        shapes.push({ kind: 'dot', at, radius: label * 0.34, ink, form: i % 2 === 0 ? 'round' : 'square', tip });
      }
    });
  });
  const bands = columns === 3 ? 1 : 3;
  const height = Math.round(legend + bands * (tall + horizontalRoom(label) + label));
  return {
    width,
    height,
    title: 'Time, set-up and rate against size',
    shapes,
    arrays: drawn.flatMap(({ label: name, points }) => {
      const prefix = identifier(name);
      const sizes = axisArray(
        `${prefix}_cells`,
        '',
        `cells, ${name}`,
        points.map((point) => point.cells),
      );
      const column = (what: string, unit: string, words: string, of: (point: SweepPoint) => number): FigureArray =>
        curveArray(`${prefix}_${what}`, unit, `${words}, ${name}`, sizes.name, points.map(of));
      return [
        sizes,
        column('time_s', 's', 'median time of the steps', ({ time_s }) => time_s),
        column('setup_share', '', 'share of set-up', ({ setup_share }) => setup_share),
        column('cell_steps_per_s', '1/s', 'rate', ({ cell_steps_per_s }) => cell_steps_per_s),
      ];
    }),
    notes: Object.fromEntries(
      drawn.map(({ label: name, fixed_s, slope_s_per_cell }) => [
        `fit of ${name}`,
        `fixed ${fixed_s ?? 'not known'} s, slope ${slope_s_per_cell ?? 'not known'} s per cell`,
      ]),
    ),
  };
}
