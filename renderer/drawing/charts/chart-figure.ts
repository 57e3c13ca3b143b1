/** Converts a chart to shapes, for output without Plotly: reports and the command line. */

import type { Box } from '../axes.ts';
import { horizontalAxis, marginWidth, plotAxes, scaleOf } from '../figures/axes.ts';
import {
  type Figure,
  type FigureSize,
  type Ink,
  type Point,
  type Shape,
  shortenToFit,
  textWidth,
} from '../figures/figure.ts';
import type { Scale } from '../scale.ts';
import {
  type BarSeries,
  type Chart,
  type ChartMark,
  type DotSeries,
  type LineSeries,
  type MarginNote,
  type Pane,
  type Series,
  STEP_INKS,
  type WaterfallSeries,
} from './chart.ts';
import { LEGEND_LINE, LEGEND_SAMPLE, type LegendEntry, layOut, spreadLabels } from './layout.ts';

interface Plot {
  readonly box: Box;
  readonly x: Scale;
  readonly y: Scale;
  readonly label: number;
}

const BASELINE = 0.35;

function legendShapes({ series, left, top }: LegendEntry, { width, label }: FigureSize): readonly Shape[] {
  const middle = top + (LEGEND_LINE * label) / 2;
  const { kind, ink, name, legendNote } = series;
  const centre = [left + label, middle] as const;
  const sample: Shape =
    kind === 'line'
      ? { kind: 'line', from: [left, middle], to: [left + 2 * label, middle], ink, width: 2, dash: series.dash }
      : kind === 'dots'
        ? { kind: 'dot', at: centre, radius: series.radius * label, ink, form: series.form }
        : { kind: 'dot', at: centre, radius: 0.45 * label, ink, form: 'square' };
  const text = { kind: 'text', size: label } as const;
  const from = left + LEGEND_SAMPLE * label;
  const bold = legendNote !== undefined;
  const shapes: Shape[] = [sample, { ...text, at: [from, middle + BASELINE * label], text: name, ink: 'text', bold }];
  if (legendNote === undefined) return shapes;
  const at = from + textWidth(name, label) * 1.08 + label;
  const shownNote = shortenToFit(legendNote, width - at, label);
  return [...shapes, { ...text, at: [at, middle + BASELINE * label], text: shownNote, ink: 'text-muted' }];
}

/**
 * Splits a curve at its gaps into pieces in plot coordinates. If there are more points than pixels, the points farthest
 * from zero are used, so that peaks stay visible.
 */
function splitAtGaps({ x, y }: Series, { box, x: across, y: up }: Plot): readonly (readonly Point[])[] {
  const every = Math.max(1, Math.ceil(x.length / Math.max(2, box.width)));
  const out: Point[][] = [[]];
  for (let i = 0; i < x.length; i += every) {
    let best = i;
    for (let j = i; j < Math.min(x.length, i + every); j += 1) {
      if (Math.abs(y[j] ?? 0) > Math.abs(y[best] ?? 0)) best = j;
    }
    const at: Point = [across.toPixel(x[best] ?? Number.NaN), up.toPixel(y[best] ?? Number.NaN)];
    const within = (value: number, from: number, size: number): boolean =>
      value >= from - 0.5 && value <= from + size + 0.5;
    if (within(at[0], box.left, box.width) && within(at[1], box.top, box.height)) out.at(-1)?.push(at);
    else if (out.at(-1)?.length !== 0) out.push([]);
  }
  return out.filter((points) => points.length > 0);
}

function lineShapes(series: LineSeries, plot: Plot): readonly Shape[] {
  const { ink, dash, width = 1.5, fill } = series;
  const bottom = plot.box.top + plot.box.height;
  return splitAtGaps(series, plot).flatMap((points): readonly Shape[] => {
    const path: Shape = { kind: 'path', points, ink, dash, width };
    const [first, last] = [points[0], points.at(-1)];
    if (fill !== 'to zero' || first === undefined || last === undefined) return [path];
    return [{ kind: 'area', points: [...points, [last[0], bottom], [first[0], bottom]], ink, opacity: 0.12 }, path];
  });
}

function dotShapes(series: DotSeries, { x: across, y: up, label }: Plot): readonly Shape[] {
  const { ink, form, radius, opacity, intervals, tips } = series;
  return Array.from(series.x, (x, i): readonly Shape[] => {
    const at: Point = [across.toPixel(x), up.toPixel(series.y[i] ?? Number.NaN)];
    if (!at.every(Number.isFinite)) return [];
    const ends = intervals?.ends[i] ?? null;
    const scale = intervals?.along === 'x' ? across : up;
    const [low, high] = [scale.toPixel(ends?.low ?? 0), scale.toPixel(ends?.high ?? 0)];
    const line: Shape =
      intervals?.along === 'x'
        ? { kind: 'line', from: [low, at[1]], to: [high, at[1]], ink, width: 2 }
        : { kind: 'line', from: [at[0], low], to: [at[0], high], ink, width: 1 };
    const tip = tips?.[i];
    const dot: Shape = {
      ...{ kind: 'dot', at, radius: radius * label, ink, form },
      ...(opacity !== undefined && { opacity }),
      ...(tip !== undefined && { tip }),
    };
    return ends === null ? [dot] : [line, dot];
  }).flat();
}

function barShape(
  { ink, tips, thick }: BarSeries | WaterfallSeries,
  { x, y }: Plot,
  i: number,
  ends: { readonly from: number; readonly to: number; readonly row: number; readonly ink?: Ink },
): readonly Shape[] {
  const [a, b] = [x.toPixel(ends.from), x.toPixel(ends.to)];
  const [start, end] = [Number.isFinite(a) ? a : x.start, Number.isFinite(b) ? b : x.start];
  // Omit bars that would be at most 0.05 px long.
  if (Math.abs(end - start) <= 0.05 && ends.from !== ends.to) return [];
  const tall = Math.abs(y.toPixel(1) - y.toPixel(0)) * thick;
  const tip = tips?.[i];
  return [
    {
      ...{ kind: 'rect', x: Math.min(start, end), y: y.toPixel(ends.row) - tall / 2, height: tall },
      ...{ width: Math.max(1.5, Math.abs(end - start)), ink: ends.ink ?? ink, opacity: 0.85 },
      ...(tip !== undefined && { tip }),
    },
  ];
}

function waterfallShapes(series: WaterfallSeries, plot: Plot): readonly Shape[] {
  return Array.from(series.x, (to, i): readonly Shape[] => {
    const before = series.x[i - 1];
    const row = series.y[i] ?? i;
    const ink = before === undefined ? series.ink : to <= before ? STEP_INKS.down : STEP_INKS.up;
    const bar = barShape(series, plot, i, { from: before ?? 0, to, row, ink });
    if (i + 1 >= series.x.length) return bar;
    const [x, y, next] = [plot.x.toPixel(to), plot.y.toPixel(row), plot.y.toPixel(series.y[i + 1] ?? row)];
    return [...bar, { kind: 'line', from: [x, y], to: [x, next], ink: 'text-muted', dash: [2, 2] }];
  }).flat();
}

function seriesShapes(series: Series, plot: Plot): readonly Shape[] {
  switch (series.kind) {
    case 'line':
      return lineShapes(series, plot);
    case 'dots':
      return dotShapes(series, plot);
    case 'bars':
      return Array.from(series.x, (to, i) =>
        barShape(series, plot, i, { from: series.from[i] ?? 0, to, row: series.y[i] ?? i }),
      ).flat();
    case 'waterfall':
      return waterfallShapes(series, plot);
  }
}

/** Shapes of a mark behind the series. */
function markShapes(mark: ChartMark, { box, x, y, label }: Plot): readonly Shape[] {
  const [right, bottom] = [box.left + box.width, box.top + box.height];
  switch (mark.kind) {
    case 'line': {
      const at = (mark.axis === 'x' ? x : y).toPixel(mark.at);
      const { ink, width = 1, dash = [] } = mark;
      const ends: readonly [Point, Point] =
        mark.axis === 'x'
          ? [
              [at, box.top],
              [at, bottom],
            ]
          : [
              [box.left, at],
              [right, at],
            ];
      return [{ kind: 'line', from: ends[0], to: ends[1], ink, width, dash }];
    }
    case 'band': {
      const { ink, opacity, label: text } = mark;
      const scale = mark.axis === 'x' ? x : y;
      const [a, b] = [scale.toPixel(mark.from), scale.toPixel(mark.to)];
      const [start, size] = [Math.min(a, b), Math.max(1, Math.abs(a - b))];
      const place =
        mark.axis === 'x'
          ? { x: start, y: box.top, width: size, height: box.height }
          : { x: box.left, y: start, width: box.width, height: size };
      const tipped = text === undefined ? {} : { tip: text };
      const shape: Shape = { kind: 'rect', ...place, ink, opacity, ...tipped };
      if (text === undefined) return [shape];
      const words = { kind: 'text', text, ink, size: label } as const;
      if (mark.axis === 'y') {
        return [shape, { ...words, at: [right - label / 2, start + 1.2 * label], anchor: 'end' }];
      }
      const half = textWidth(text, label) / 2;
      const middle = Math.min(Math.max(start + size / 2, box.left + half), right - half);
      return [shape, { ...words, at: [middle, box.top - 0.6 * label], anchor: 'middle' }];
    }
    case 'text': {
      const [over, down] = mark.shift ?? [0, 0];
      const at = [x.toPixel(mark.at[0]) + over * label, y.toPixel(mark.at[1]) + (down + BASELINE) * label] as const;
      return [{ kind: 'text', at, text: mark.text, ink: mark.ink, size: label, anchor: mark.anchor }];
    }
  }
}

function marginShapes(asides: readonly MarginNote[], { box, x, y, label }: Plot): readonly Shape[] {
  const side = box.left + box.width + label * 0.8;
  const wanted = asides.map(({ at }) => y.toPixel(at[1]));
  const led = asides.some(({ at }) => at[0] !== null);
  const places = led ? spreadLabels(wanted, label * 1.35, box.top + label, box.top + box.height - label / 2) : wanted;
  return asides.flatMap(({ at, text, ink, bold = false }, i): readonly Shape[] => {
    const place = places[i] ?? 0;
    const words: Shape = { kind: 'text', at: [side, place + BASELINE * label], text, ink, size: label, bold };
    if (at[0] === null) return [words];
    const points: readonly Point[] = [
      [x.toPixel(at[0]), wanted[i] ?? 0],
      [side - label * 0.9, place],
      [side - label * 0.3, place],
    ];
    return [{ kind: 'path', points, ink, width: 0.75 }, words];
  });
}

function rowShapes({ y: { rows = [] } }: Pane, { box, y, label }: Plot): readonly Shape[] {
  const room = box.left - label;
  return rows.flatMap(({ name, under = '' }, row): readonly Shape[] => {
    const middle = y.toPixel(row);
    const apart = name !== '' && under !== '' ? 0.6 : 0;
    const words = (text: string, down: number, ink: Ink): Shape => ({
      ...{
        kind: 'text',
        at: [box.left - label * 0.7, middle + (down + BASELINE) * label],
        text: shortenToFit(text, room, label),
      },
      ...{ ink, size: label, anchor: 'end' },
    });
    return [words(name, -apart, 'text'), words(under, apart, 'text-muted')].filter(
      ({ kind }, i) => kind === 'text' && [name, under][i] !== '',
    );
  });
}

function paneShapes(pane: Pane, box: Box, label: number): readonly Shape[] {
  const x = scaleOf(pane.x, box.left, box.left + box.width);
  const y = scaleOf(pane.y, box.top + box.height, box.top);
  const plot = { box, x, y, label };
  const axes =
    pane.y.rows === undefined
      ? plotAxes(pane.x, pane.y, box, label, marginWidth(pane.y, label)).shapes
      : horizontalAxis(pane.x, box, label).shapes;
  return [
    ...axes,
    ...rowShapes(pane, plot),
    ...(pane.marks ?? []).flatMap((mark) => markShapes(mark, plot)),
    ...marginShapes(pane.asides ?? [], plot),
    ...pane.series.flatMap((series) => seriesShapes(series, plot)),
  ];
}

export function chartFigure(chart: Chart, size: FigureSize): Figure {
  const { width, height, legend, boxes } = layOut(chart, size, null);
  const shapes = [
    ...legend.flatMap((place) => legendShapes(place, size)),
    ...chart.panes.flatMap((pane, i) => {
      const box = boxes[i];
      return box === undefined ? [] : paneShapes(pane, box, size.label);
    }),
  ];
  return { width, height, title: chart.title, shapes, arrays: chart.arrays, notes: chart.notes };
}
