/** Puts the spans of a lane into rows so that none overlap: calls below their callers, concurrent work side by side. */

/** Deeper than any call stack that a reader could follow; what has no row of its own shares the last one. */
export const MAX_ROWS = 128;

/** Numbers of the spans of one lane in the order of their starts, the longer first where they start together. */
export function byStart(spans: Uint32Array, start: Float64Array, duration: Float64Array): void {
  const before = (a: number, b: number): number =>
    (start[a] ?? 0) - (start[b] ?? 0) || (duration[b] ?? 0) - (duration[a] ?? 0) || a - b;
  // Most files are in order already.
  for (let i = 1; i < spans.length; i += 1) {
    if (before(spans[i - 1] ?? 0, spans[i] ?? 0) > 0) {
      spans.sort(before);
      return;
    }
  }
}

/** Files write microseconds with three decimals: ends and starts of neighbours differ by their rounding. */
const ROUNDING_NS = 0.75;

interface Rows {
  /** Row of each span, in the order given. */
  readonly row: Uint8Array;
  readonly count: number;
  /** Spans cut short or left out of their place because more than MAX_ROWS overlap. */
  readonly crowded: number;
}

/**
 * Each span, in the order of `byStart`, takes the first row that is free at
 * its start. For calls that nest this is their depth. Clips `duration` of a
 * span that would overlap in the last row, so that no two spans of a row do.
 */
export function assignRows(spans: Uint32Array, start: Float64Array, duration: Float64Array): Rows {
  const row = new Uint8Array(spans.length);
  const ends: number[] = [];
  /** Latest span in each row. */
  const last: number[] = [];
  let crowded = 0;
  for (const [i, span] of spans.entries()) {
    const [from, length] = [start[span] ?? 0, duration[span] ?? 0];
    let place = 0;
    while (place < ends.length && (ends[place] ?? 0) > from + ROUNDING_NS) place += 1;
    if (place === MAX_ROWS) {
      place -= 1;
      crowded += 1;
      // The earlier one gives way: it ends where this one begins.
      const earlier = last[place] ?? 0;
      duration[earlier] = from - (start[earlier] ?? 0);
    }
    row[i] = place;
    ends[place] = from + length;
    last[place] = span;
  }
  return { row, count: ends.length, crowded };
}
