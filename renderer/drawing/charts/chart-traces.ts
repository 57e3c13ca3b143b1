/** Converts a series of a chart to a Plotly trace. */
import type { Ink } from '../figures/figure.ts';
import type { DrawingTheme } from '../theme.ts';
import {
  type BarSeries,
  type Chart,
  type ChartAxis,
  type DotSeries,
  type LineSeries,
  MANY_POINTS,
  type Pane,
  type Series,
  STEP_INKS,
  type WaterfallSeries,
} from './chart.ts';

export interface Brush {
  readonly theme: DrawingTheme;
  readonly color: (ink: Ink) => string;
}

export type Options = Readonly<Record<string, unknown>>;

const SYMBOLS = { round: 'circle', square: 'square', ring: 'circle-open' } as const;
const FILLS = { 'to zero': 'tozeroy', 'to the line before': 'tonexty' } as const;
const FAINT = 0.12;

export const escapeHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

export function dashOf(dash: readonly number[]): string {
  return dash.length === 0 ? 'solid' : dash.map((pixels) => `${pixels}px`).join(',');
}

/** Hover text of a point. */
function hoverText({ name, tips, silent, x: points }: Series, { x, y }: Pane, hover: Chart['hover']): Options {
  if (tips !== undefined) return { hovertext: tips.map(escapeHtml), hoverinfo: 'text' };
  const isTold = hover === 'values' || (hover === 'point' && points.length > MANY_POINTS);
  if (!isTold || silent === true) return { hoverinfo: 'skip' };
  return { hovertemplate: `%{y:.4~g}${unitOf(y)} at %{x:.4~g}${unitOf(x)}<extra>${escapeHtml(name)}</extra>` };
}

const unitOf = ({ unit }: ChartAxis): string => (unit === '' ? '' : ` ${escapeHtml(unit)}`);

/** Hover text of a dot that is drawn outside Plotly. */
export function hoverTextOfDot({ tips, x: xs, y: ys }: DotSeries, { x, y }: Pane, i: number): string {
  const tip = tips?.[i];
  if (tip !== undefined) return escapeHtml(tip);
  const number = (value = Number.NaN): string => String(Number(value.toPrecision(4)));
  return `${number(ys[i])}${unitOf(y)} at ${number(xs[i])}${unitOf(x)}`;
}

/** Half-lengths of the error bars of dots that have intervals. */
function errorBars({ x, y, ink, intervals }: DotSeries, color: Brush['color']): Options {
  if (intervals === undefined) return {};
  const isAcross = intervals.along === 'x';
  const reach = (end: 'low' | 'high'): readonly number[] =>
    intervals.ends.map((ends, i) => (ends === null ? 0 : Math.abs(ends[end] - ((isAcross ? x : y)[i] ?? 0))));
  const bars = {
    ...{ type: 'data', symmetric: false, array: reach('high'), arrayminus: reach('low') },
    ...{ color: color(ink), thickness: isAcross ? 2 : 1, width: 0 },
  };
  return isAcross ? { error_x: bars } : { error_y: bars };
}

function dotsTrace(series: DotSeries, { color, theme }: Brush): Options {
  const marker = {
    color: color(series.ink),
    symbol: SYMBOLS[series.form],
    size: 2 * series.radius * theme.labelSize,
    opacity: series.opacity ?? 1,
  };
  return { mode: 'markers', cliponaxis: false, marker, ...errorBars(series, color) };
}

function lineTrace({ ink, width = 1.6, dash, fill }: LineSeries, { color }: Brush): Options {
  const line = { color: color(ink), width, dash: dashOf(dash) };
  return {
    mode: 'lines',
    line,
    ...(fill === undefined ? {} : { fill: FILLS[fill], fillcolor: faintColor(color(ink)) }),
  };
}

function barsTrace({ x, y, from, thick, ink }: BarSeries, { color }: Brush): Options {
  return {
    ...{ type: 'bar', orientation: 'h', y: Array.from(y), base: from, width: thick },
    x: Array.from(x, (to, i) => to - (from[i] ?? 0)),
    marker: { color: color(ink), opacity: 0.85 },
  };
}

function waterfallTrace({ x, y, thick, ink }: WaterfallSeries, { color }: Brush): Options {
  const from = Array.from(x, (_, i) => x[i - 1] ?? 0);
  const inks = from.map((before, i) => (i === 0 ? ink : (x[i] ?? 0) <= before ? STEP_INKS.down : STEP_INKS.up));
  return {
    ...{ type: 'bar', orientation: 'h', y: Array.from(y), base: from, width: thick },
    x: from.map((before, i) => (x[i] ?? 0) - before),
    marker: { color: inks.map(color), opacity: 0.85 },
  };
}

/** Lines from the end of each bar of a waterfall to the next bar, as shapes in the units of `axes`. */
export function connectorLines({ x, y, thick }: WaterfallSeries, axes: Options, { theme }: Brush): readonly Options[] {
  const line = { color: theme.textMuted, width: 1, dash: dashOf([2, 2]) };
  return Array.from(x).flatMap((to, i) => {
    const [row, next] = [y[i], y[i + 1]];
    if (row === undefined || next === undefined) return [];
    return [{ type: 'line', ...axes, x0: to, x1: to, y0: row + thick / 2, y1: next - thick / 2, line }];
  });
}

const pointsOf = ({ x, y }: Series): Options => ({ type: 'scatter', x: Array.from(x), y: Array.from(y) });

function traceOfKind(series: Series, brush: Brush): Options {
  switch (series.kind) {
    case 'line':
      return { ...pointsOf(series), ...lineTrace(series, brush) };
    case 'dots':
      return { ...pointsOf(series), ...dotsTrace(series, brush) };
    case 'bars':
      return barsTrace(series, brush);
    case 'waterfall':
      return waterfallTrace(series, brush);
  }
}

export function traceOf(series: Series, pane: Pane, hover: Chart['hover'], brush: Brush): Options {
  const { name, legendNote, ids } = series;
  return {
    ...traceOfKind(series, brush),
    name: legendNote === undefined ? escapeHtml(name) : `${escapeHtml(name)}:  ${escapeHtml(legendNote)}`,
    legendgroup: series.kind === 'line' ? (series.group ?? name) : name,
    ...(ids === undefined ? {} : { customdata: Array.from(ids) }),
    ...hoverText(series, pane, hover),
  };
}

/** A trace without points that adds the series to the legend: the dots themselves are drawn into an image. */
export function legendTrace({ tips: _, ids: __, ...series }: DotSeries, pane: Pane, brush: Brush): Options {
  return traceOf({ ...series, x: [Number.NaN], y: [Number.NaN] }, pane, undefined, brush);
}

/** The colour with low opacity, as `#rrggbb` plus alpha. */
function faintColor(color: string): string {
  return /^#[0-9a-f]{6}$/i.test(color)
    ? `${color}${Math.round(FAINT * 255)
        .toString(16)
        .padStart(2, '0')}`
    : color;
}
