/** Positions of a chart's parts in CSS pixels; equal on the page and in files. */

import type { Box } from '../axes.ts';
import { horizontalAxisHeight, marginWidth } from '../figures/axes.ts';
import { type FigureSize, textWidth } from '../figures/figure.ts';
import { type Chart, legendOf, type Pane, type Series } from './chart.ts';

/** Height of a line in the legend, in label heights. */
export const LEGEND_LINE = 1.6;
/** Width of the line sample that precedes a legend name, including its gaps, in label heights. */
export const LEGEND_SAMPLE = 2.5;
const LEGEND_BETWEEN = 2;
/** Width factor, because bold letters and digits are wider than the estimate. */
const WIDTH_FACTOR = 1.08;
/** Maximum share of the width for row names and for text at the right. */
const MAX_ROW_NAMES = 0.4;
const MAX_SIDE_TEXT = 0.34;

export interface LegendEntry {
  readonly series: Series;
  readonly left: number;
  readonly top: number;
}

interface ChartLayout {
  readonly width: number;
  readonly height: number;
  readonly legend: readonly LegendEntry[];
  /** Plot area of each pane. */
  readonly boxes: readonly Box[];
}

function legendEntries(chart: Chart, { width, label }: FigureSize): readonly LegendEntry[] {
  const entries = chart.legend === 'inside' ? [] : legendOf(chart);
  const single = entries.some(({ legendNote }) => legendNote !== undefined);
  let [left, row] = [label / 2, 0];
  return entries.map((series, i) => {
    const need = textWidth(series.name, label) + (LEGEND_SAMPLE + LEGEND_BETWEEN) * label;
    if (i > 0 && (single || left + need > width)) [left, row] = [label / 2, row + 1];
    const place = { series, left, top: row * LEGEND_LINE * label };
    left += need;
    return place;
  });
}

interface Margins {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

function marginsOf({ y, marks = [], asides = [] }: Pane, { room }: Chart, { width, label }: FigureSize): Margins {
  const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => textWidth(text, label)));
  const names = (y.rows ?? []).flatMap(({ name, under = '' }) => [name, under]);
  const left =
    y.rows === undefined ? marginWidth(y, label) : Math.min(width * MAX_ROW_NAMES, widest(names) + 2 * label);
  const led = asides.some(({ at }) => at[0] !== null);
  const marginTextWidth = widest(asides.map(({ text }) => text)) * WIDTH_FACTOR + (led ? 3 : 1.5) * label;
  const right = asides.length === 0 ? label * 1.5 : Math.min(width * MAX_SIDE_TEXT, marginTextWidth);
  const above = marks.some((mark) => mark.kind === 'band' && mark.axis === 'x' && mark.label !== undefined);
  return {
    left: room === undefined ? left : Math.round(room.left * label),
    right: room === undefined ? right : Math.round(room.right * label),
    top: (above ? 1.9 : 1.2) * label,
    bottom: horizontalAxisHeight(label),
  };
}

/** `given_px`: height to fill in pixels; null to use the panes' preferred height. */
export function layOut(chart: Chart, size: FigureSize, given_px: number | null): ChartLayout {
  const { width, label } = size;
  const legend = legendEntries(chart, size);
  const lines = legend.length === 0 ? 0 : (legend.at(-1)?.top ?? 0) + LEGEND_LINE * label;
  const isSideBySide = chart.sideBySideFrom !== undefined && width >= chart.sideBySideFrom * label;
  const columns = isSideBySide ? chart.panes.length : 1;
  const across = width / columns;
  const rooms = chart.panes.map((pane) => marginsOf(pane, chart, { width: across, label }));
  const stacked = isSideBySide ? rooms.slice(0, 1) : rooms;
  const around = stacked.reduce((sum, { top, bottom }) => sum + top + bottom, 0);
  const wanted = stacked.reduce((sum, _, i) => sum + (chart.panes[i]?.tall ?? 0), 0);
  const unit = given_px === null ? label : Math.max(1, given_px - lines - around) / Math.max(1e-9, wanted);
  let top = lines;
  const boxes = chart.panes.map(({ tall }, i): Box => {
    const room = rooms[i] ?? { left: 0, right: 0, top: 0, bottom: 0 };
    const box = {
      left: (isSideBySide ? i * across : 0) + room.left,
      top: top + room.top,
      width: Math.max(1, across - room.left - room.right),
      height: Math.max(1, tall * unit),
    };
    if (!isSideBySide) top = box.top + box.height + room.bottom;
    return box;
  });
  const bottom = boxes.reduce((most, box, i) => Math.max(most, box.top + box.height + (rooms[i]?.bottom ?? 0)), 0);
  return { width, height: given_px ?? Math.round(bottom + label / 2), legend, boxes };
}

/** Places labels in a margin next to their points, in order and without overlap. */
export function spreadLabels(wanted: readonly number[], step: number, top: number, bottom: number): readonly number[] {
  const order = [...wanted.keys()].sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const places = [...wanted];
  let last = top - step;
  for (const i of order) {
    places[i] = Math.max(last + step, wanted[i] ?? 0);
    last = places[i] ?? last;
  }
  let next = bottom + step;
  for (const i of order.reverse()) {
    places[i] = Math.min(next - step, places[i] ?? 0);
    next = places[i] ?? next;
  }
  return places;
}
