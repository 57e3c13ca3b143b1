/** Positions of the parts of a timeline in its canvas, in CSS pixels. */
import type { TimelineMetrics } from './rows.ts';
import type { TimeWindow } from './time-window.ts';

export interface TimelineFrame {
  readonly width: number;
  readonly height: number;
  /** Width of the column with the lanes' names. */
  readonly gutter: number;
  /** Height of the ruler above the lanes. */
  readonly ruler: number;
  readonly plotWidth: number;
  readonly plotHeight: number;
}

export function timelineFrame(width: number, height: number, labelSize: number): TimelineFrame {
  const gutter = Math.round(Math.min(17 * labelSize, Math.max(7 * labelSize, 0.24 * width)));
  const ruler = Math.round(2.5 * labelSize);
  return {
    width,
    height,
    gutter,
    ruler,
    plotWidth: Math.max(1, Math.floor(width - gutter)),
    plotHeight: Math.max(0, height - ruler),
  };
}

export function timelineMetrics(labelSize: number): TimelineMetrics {
  return { head: Math.round(2.1 * labelSize), track: Math.round(1.6 * labelSize), gap: Math.round(0.4 * labelSize) };
}

export const xOf = ({ gutter, plotWidth }: TimelineFrame, { from, to }: TimeWindow, ns: number): number =>
  gutter + ((ns - from) / (to - from)) * plotWidth;

export const timeOf = ({ gutter, plotWidth }: TimelineFrame, { from, to }: TimeWindow, x: number): number =>
  from + ((x - gutter) / plotWidth) * (to - from);
