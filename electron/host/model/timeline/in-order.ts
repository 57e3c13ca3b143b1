/** Goes through spans of several tracks in order of their starts. Each track is in order already, so this merges them. */
import { spansWithin, type Trace } from './trace.ts';

interface Chosen {
  readonly tracks: readonly number[];
  /** Spans with a part in [from, to]; the whole trace by default. */
  readonly from?: number;
  readonly to?: number;
  /** Which spans count. */
  readonly accept?: (span: number) => boolean;
}

/** Two that start together come in the order of their tracks: a caller before what it calls. */
export function inOrder(trace: Trace, chosen: Chosen, visit: (span: number) => void): void {
  const { tracks, from = 0, to = trace.duration_ns, accept = () => true } = chosen;
  const cursors = tracks.map((track) => {
    const [next, last] = spansWithin(trace, track, from, to);
    return { next, last };
  });
  const skip = (cursor: { next: number; last: number }): void => {
    while (cursor.next < cursor.last && !accept(cursor.next)) cursor.next += 1;
  };
  cursors.forEach(skip);
  let live = cursors.filter(({ next, last }) => next < last);
  while (live.length > 0) {
    let first = live[0] as { next: number; last: number };
    for (const cursor of live) if ((trace.start[cursor.next] ?? 0) < (trace.start[first.next] ?? 0)) first = cursor;
    visit(first.next);
    first.next += 1;
    skip(first);
    if (first.next >= first.last) live = live.filter((cursor) => cursor !== first);
  }
}

export const tracksOf = (lane: { readonly firstTrack: number; readonly tracks: number }): readonly number[] =>
  Array.from({ length: lane.tracks }, (_, row) => lane.firstTrack + row);
