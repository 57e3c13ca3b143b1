/**
 * Contents of a timeline as plain data, assembled by the panel. Positions of blocks, lanes and tracks are in CSS
 * pixels of the canvas. The visible time window is in nanoseconds on the common axis of all blocks.
 */
import type { Lane, TimelineWindow } from '../../../electron/contract/timeline.ts';

interface BlockLanes {
  readonly trace: string;
  readonly lanes: readonly Lane[];
}

export interface TimelineMetrics {
  /** Heights in CSS pixels. */
  readonly head: number;
  readonly track: number;
  readonly gap: number;
}

interface HeadRow {
  readonly kind: 'head';
  readonly trace: string;
  readonly y: number;
  readonly height: number;
}

export interface LaneRow {
  readonly kind: 'lane';
  readonly trace: string;
  /** Index of the lane in the trace. */
  readonly lane: number;
  readonly y: number;
  readonly height: number;
  /** Shown tracks, and number of tracks that are folded away. */
  readonly tracks: readonly number[];
  readonly folded: number;
}

export type Row = HeadRow | LaneRow;

/** Number of tracks that a folded lane shows. */
export const FOLDED_TRACKS = 6;

export const laneKey = (trace: string, lane: number): string => `${trace} ${lane}`;

/** `unfolded`: keys of lanes that show all their tracks. `folded`: keys of lanes that show one. */
export function rowsOf(
  blocks: readonly BlockLanes[],
  metrics: TimelineMetrics,
  unfolded: ReadonlySet<string>,
  folded: ReadonlySet<string>,
): { readonly rows: readonly Row[]; readonly height: number } {
  const rows: Row[] = [];
  let y = 0;
  for (const { trace, lanes } of blocks) {
    rows.push({ kind: 'head', trace, y, height: metrics.head });
    y += metrics.head;
    for (const [lane, { firstTrack, tracks }] of lanes.entries()) {
      const key = laneKey(trace, lane);
      const shown = unfolded.has(key) ? tracks : Math.min(tracks, folded.has(key) ? 1 : FOLDED_TRACKS);
      const height = shown * metrics.track + metrics.gap;
      rows.push({
        kind: 'lane',
        trace,
        lane,
        y,
        height,
        tracks: Array.from({ length: shown }, (_, row) => firstTrack + row),
        folded: tracks - shown,
      });
      y += height;
    }
    y += metrics.gap;
  }
  return { rows, height: y };
}

/** Vertical position of a track; null if it is not shown. */
export function trackPosition(
  rows: readonly Row[],
  metrics: TimelineMetrics,
  trace: string,
  track: number,
): { readonly y: number; readonly shown: boolean } | null {
  for (const row of rows) {
    if (row.kind !== 'lane' || row.trace !== trace) continue;
    const at = row.tracks.indexOf(track);
    if (at >= 0) return { y: row.y + at * metrics.track, shown: true };
    const last = row.tracks.at(-1) ?? 0;
    // A folded-away track is represented by the last shown one.
    if (track > last && track <= last + row.folded)
      return { y: row.y + (row.tracks.length - 1) * metrics.track, shown: false };
  }
  return null;
}

export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** Length of the shortest window that zooming can reach, in nanoseconds. */
export const SHORTEST_NS = 10;
/** Margin on either side as a share of the full range, so that the first and last spans do not touch the edges. */
const MARGIN = 0.02;

/** Window of all of `whole`, with a margin. */
export function fitWindow(whole: TimeWindow): TimeWindow {
  const margin = Math.max((whole.to - whole.from) * MARGIN, SHORTEST_NS / 2);
  return { from: whole.from - margin, to: whole.to + margin };
}

/** `window` clamped to the full range and to the shortest span. */
export function clampWindow(window: TimeWindow, whole: TimeWindow): TimeWindow {
  const all = fitWindow(whole);
  const span = Math.min(Math.max(window.to - window.from, SHORTEST_NS), all.to - all.from);
  const centre = (window.from + window.to) / 2;
  const from = Math.min(Math.max(centre - span / 2, all.from), all.to - span);
  return { from, to: from + span };
}

/** Scales `window` by `factor` around a moment that stays at its position. */
export function zoomedAt(window: TimeWindow, whole: TimeWindow, at: number, factor: number): TimeWindow {
  const all = fitWindow(whole);
  const span = Math.min(Math.max((window.to - window.from) * factor, SHORTEST_NS), all.to - all.from);
  const share = (at - window.from) / (window.to - window.from);
  return clampWindow({ from: at - share * span, to: at + (1 - share) * span }, whole);
}

export function shiftedWindow(window: TimeWindow, whole: TimeWindow, delta: number): TimeWindow {
  return clampWindow({ from: window.from + delta, to: window.to + delta }, whole);
}

/**
 * Window that shows a span: unchanged if the span is visible and not too short. Otherwise centred on the span, and
 * zoomed if the span would be too short or too long.
 */
export function windowRevealing(window: TimeWindow, whole: TimeWindow, start: number, length: number): TimeWindow {
  const shown = window.to - window.from;
  const visible = start >= window.from && start + length <= window.to;
  if (visible && length > shown / 200) return window;
  const span = length > shown / 200 && length < shown ? shown : Math.max(SHORTEST_NS, length * 10);
  const centre = start + length / 2;
  return clampWindow({ from: centre - span / 2, to: centre + span / 2 }, whole);
}

/**
 * Scroll position, in pixels, that shows a row: unchanged if the row is fully visible, else with the row in the middle.
 */
export function scrolledTo(
  row: { readonly y: number; readonly height: number },
  scroll: number,
  shown: number,
): number {
  const inSight = row.y >= scroll && row.y + row.height <= scroll + shown;
  return inSight ? scroll : row.y - shown / 2;
}

export interface SceneBlock {
  readonly trace: string;
  readonly title: string;
  readonly about: string;
  readonly lanes: readonly Lane[];
  /** Time of the trace at zero of the common axis. */
  readonly origin_ns: number;
  /** Newest response of the host; it may be for another window or resolution. Null if none has arrived. */
  readonly window: TimelineWindow | null;
  /** Text of a name; null if it is not loaded. */
  nameOf(name: number): string | null;
  /** Time of the step that the maps show, on the common axis. */
  readonly playhead_ns: number | null;
}

/** Arrow from a launch to its span, with times on the common axis. */
export interface SceneArrow {
  readonly trace: string;
  readonly fromTrack: number;
  readonly toTrack: number;
  readonly from_ns: number;
  readonly to_ns: number;
}

export interface SceneMark {
  readonly trace: string;
  readonly track: number;
  readonly from_ns: number;
  readonly to_ns: number;
}

export interface TimelineScene {
  readonly blocks: readonly SceneBlock[];
  readonly rows: readonly Row[];
  readonly metrics: TimelineMetrics;
  readonly view: TimeWindow;
  /** Scroll offset from the top, in CSS pixels. */
  readonly scroll: number;
  /** Search terms in lower case; empty for no search. */
  readonly search: string;
}

/** Marks that move independently of the spans and are drawn above them. */
export interface TimelineMarks {
  readonly cursor_ns: number | null;
  readonly selection: TimeWindow | null;
  readonly hovered: SceneMark | null;
  readonly chosen: SceneMark | null;
  readonly arrows: readonly SceneArrow[];
  /** Arrows of the chosen span, which are emphasised. */
  readonly chosenArrows: readonly SceneArrow[];
  /** Times of the search hits in ascending order, on the common axis. */
  readonly hits: Float64Array;
  readonly currentHit_ns: number | null;
  /** Parts of timelines that are not dimmed, in order of time; null to dim nothing. */
  readonly undimmed: readonly (TimeWindow & { readonly trace: string })[] | null;
  readonly notes: readonly (TimeWindow & { readonly text: string })[];
}

export const NO_MARKS: TimelineMarks = {
  cursor_ns: null,
  selection: null,
  hovered: null,
  chosen: null,
  arrows: [],
  chosenArrows: [],
  hits: new Float64Array(),
  currentHit_ns: null,
  undimmed: null,
  notes: [],
};

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

export function layOutTimeline(width: number, height: number, labelSize: number): TimelineFrame {
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
