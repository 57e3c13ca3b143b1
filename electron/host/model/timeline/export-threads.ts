/**
 * Threads of an exported trace. Viewers take the spans of a thread as calls, one
 * within the other. They drop or cut what begins in one span and ends after it:
 * a lane whose spans overlap so, such as concurrent requests, is written as
 * several threads.
 */
import { endOf, type Trace } from './trace.ts';

interface ExportThread {
  readonly lane: number;
  readonly name: string;
}

interface ExportThreads {
  readonly threads: readonly ExportThread[];
  /** Index into threads, by track. */
  readonly ofTrack: Uint32Array;
}

/** Start and end as they are written, whole nanoseconds: spans of a track follow each other after rounding, too. */
export function writtenTimes(trace: Trace, span: number, lastOfTrack: number): readonly [start: number, end: number] {
  const next = span + 1 < lastOfTrack ? Math.round(trace.start[span + 1] ?? 0) : Number.POSITIVE_INFINITY;
  return [Math.round(trace.start[span] ?? 0), Math.min(next, Math.round(endOf(trace, span)))];
}

/** Whether a span of one track begins within one of the other and ends after it. */
function cross(trace: Trace, one: number, other: number): boolean {
  const { offsets } = trace;
  let [i, j] = [offsets[one] ?? 0, offsets[other] ?? 0];
  const [lastI, lastJ] = [offsets[one + 1] ?? 0, offsets[other + 1] ?? 0];
  while (i < lastI && j < lastJ) {
    const [fromI, toI] = writtenTimes(trace, i, lastI);
    const [fromJ, toJ] = writtenTimes(trace, j, lastJ);
    if ((fromI < fromJ && fromJ < toI && toI < toJ) || (fromJ < fromI && fromI < toJ && toJ < toI)) return true;
    if (toI < toJ) i += 1;
    else j += 1;
  }
  return false;
}

/** Each track joins the first thread of its lane with which it nests. */
export function exportThreads(trace: Trace): ExportThreads {
  const threads: ExportThread[] = [];
  const ofTrack = new Uint32Array(trace.laneOf.length);
  for (const [lane, { name, firstTrack, tracks }] of trace.lanes.entries()) {
    const own: { readonly thread: number; readonly tracks: number[] }[] = [];
    for (let track = firstTrack; track < firstTrack + tracks; track += 1) {
      let place = own.find((each) => each.tracks.every((other) => !cross(trace, other, track)));
      if (place === undefined) {
        place = { thread: threads.length, tracks: [] };
        own.push(place);
        threads.push({ lane, name: own.length === 1 ? name : `${name} (${own.length})` });
      }
      place.tracks.push(track);
      ofTrack[track] = place.thread;
    }
  }
  return { threads, ofTrack };
}
