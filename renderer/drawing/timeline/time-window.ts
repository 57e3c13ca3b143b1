/** The part of time that is shown, and how it is moved. Nanoseconds on the common axis of all blocks. */

export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** Ten nanoseconds across the plot: below that no clock resolves anything. */
export const SHORTEST_NS = 10;
/** Margin on either side, as a share of the whole, so that the first and last spans do not touch the edges. */
const MARGIN = 0.02;

/** All of `whole` with a margin. */
export function fitted(whole: TimeWindow): TimeWindow {
  const margin = Math.max((whole.to - whole.from) * MARGIN, SHORTEST_NS / 2);
  return { from: whole.from - margin, to: whole.to + margin };
}

/** Clamped to the whole and to the shortest span. */
export function bounded(window: TimeWindow, whole: TimeWindow): TimeWindow {
  const all = fitted(whole);
  const span = Math.min(Math.max(window.to - window.from, SHORTEST_NS), all.to - all.from);
  const centre = (window.from + window.to) / 2;
  const from = Math.min(Math.max(centre - span / 2, all.from), all.to - span);
  return { from, to: from + span };
}

/** Scaled by `factor` around a moment that stays where it is. */
export function zoomedAt(window: TimeWindow, whole: TimeWindow, at: number, factor: number): TimeWindow {
  const all = fitted(whole);
  const span = Math.min(Math.max((window.to - window.from) * factor, SHORTEST_NS), all.to - all.from);
  const share = (at - window.from) / (window.to - window.from);
  return bounded({ from: at - share * span, to: at + (1 - share) * span }, whole);
}

export function movedBy(window: TimeWindow, whole: TimeWindow, delta: number): TimeWindow {
  return bounded({ from: window.from + delta, to: window.to + delta }, whole);
}

/** Centred on a moment, so that `span` around it is a tenth of what is shown unless it is visible enough already. */
export function revealing(window: TimeWindow, whole: TimeWindow, start: number, length: number): TimeWindow {
  const shown = window.to - window.from;
  const visible = start >= window.from && start + length <= window.to;
  if (visible && length > shown / 200) return window;
  const span = length > shown / 200 && length < shown ? shown : Math.max(SHORTEST_NS, length * 10);
  const centre = start + length / 2;
  return bounded({ from: centre - span / 2, to: centre + span / 2 }, whole);
}

/** The scroll position, in pixels, that shows a row: unchanged where all of it is in sight, else the row in the middle. */
export function scrolledTo(
  row: { readonly y: number; readonly height: number },
  scroll: number,
  shown: number,
): number {
  const inSight = row.y >= scroll && row.y + row.height <= scroll + shown;
  return inSight ? scroll : row.y - shown / 2;
}
