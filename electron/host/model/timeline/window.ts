/**
 * The spans of a window reduced to its pixels: O(pixels · log n) whatever lies
 * in it. Spans of at least a pixel stay as they are; those that share a pixel
 * become one rectangle with the name of the longest.
 */
import { BraggError } from '../../../contract/errors.ts';
import type { TimelineWindow } from '../../../contract/timeline.ts';
import { longestIn } from './longest.ts';
import { endOf, spansWithin, type Trace } from './trace.ts';

interface WindowRequest {
  readonly from_ns: number;
  readonly to_ns: number;
  readonly pixels: number;
  readonly tracks: readonly number[];
}

/** Rectangles of all tracks, grown as needed: most tracks have far fewer than two per pixel. */
class Rectangles {
  left = new Float32Array(1024);
  right = new Float32Array(1024);
  span = new Uint32Array(1024);
  count = new Uint32Array(1024);
  busy = new Uint8Array(1024);
  length = 0;

  push(left: number, right: number, span: number, count: number, busy: number): void {
    const i = this.length;
    if (i === this.left.length) this.#grow();
    this.left[i] = left;
    this.right[i] = right;
    this.span[i] = span;
    this.count[i] = count;
    this.busy[i] = busy;
    this.length = i + 1;
  }

  #grow(): void {
    const size = this.length * 2;
    const larger = <T extends Float32Array | Uint32Array | Uint8Array>(to: T, from: T): T => {
      to.set(from);
      return to;
    };
    this.left = larger(new Float32Array(size), this.left);
    this.right = larger(new Float32Array(size), this.right);
    this.span = larger(new Uint32Array(size), this.span);
    this.count = larger(new Uint32Array(size), this.count);
    this.busy = larger(new Uint8Array(size), this.busy);
  }
}

/** First index in (from, high) whose start is at least `limit`, by steps that double: near in dense places. */
function gallop(start: Float64Array, limit: number, from: number, high: number): number {
  let step = 1;
  let low = from;
  while (low + step < high && (start[low + step] ?? 0) < limit) {
    low += step;
    step *= 2;
  }
  let top = Math.min(high, low + step);
  low += 1;
  while (low < top) {
    const middle = (low + top) >>> 1;
    if ((start[middle] ?? 0) >= limit) top = middle;
    else low = middle + 1;
  }
  return top;
}

function reduceTrack(
  trace: Trace,
  track: number,
  from_ns: number,
  to_ns: number,
  pixel: number,
  out: Rectangles,
): void {
  const { start, duration, before, longest } = trace;
  const [first, last] = spansWithin(trace, track, from_ns, to_ns);
  // A pixel on either side is beyond the edge, and near enough for 32 bits.
  const clip = (at: number): number => Math.min((to_ns - from_ns) / pixel + 1, Math.max(-1, (at - from_ns) / pixel));
  let i = first;
  while (i < last) {
    const begin = start[i] ?? 0;
    if ((duration[i] ?? 0) >= pixel) {
      out.push(clip(begin), clip(endOf(trace, i)), i, 1, 255);
      i += 1;
      continue;
    }
    const column = Math.floor((begin - from_ns) / pixel);
    const columnEnd = from_ns + (column + 1) * pixel;
    let next = gallop(start, columnEnd, i, last);
    // Only the last that begins in the pixel can be long: then it stands for itself.
    if (next > i + 1 && (duration[next - 1] ?? 0) >= pixel) next -= 1;
    if (next === i + 1) out.push(clip(begin), clip(endOf(trace, i)), i, 1, 255);
    else {
      const share = ((before[next] ?? 0) - (before[i] ?? 0)) / pixel;
      const busy = Math.max(1, Math.min(255, Math.round(share * 255)));
      out.push(column, column + 1, longestIn(longest, duration, i, next), next - i, busy);
    }
    i = next;
  }
}

/** Throws BraggError `bad-request` for an empty window or a track that is not there. */
export function timelineWindow(trace: Trace, request: WindowRequest): TimelineWindow {
  const { from_ns, to_ns, pixels, tracks } = request;
  if (!(to_ns > from_ns)) throw new BraggError('bad-request', `The window from ${from_ns} to ${to_ns} ns is empty.`);
  const pixel = (to_ns - from_ns) / pixels;
  const out = new Rectangles();
  const offsets = new Uint32Array(tracks.length + 1);
  for (const [i, track] of tracks.entries()) {
    if (track >= trace.laneOf.length) {
      throw new BraggError('bad-request', `There is no track ${track}; this timeline has ${trace.laneOf.length}.`);
    }
    reduceTrack(trace, track, from_ns, to_ns, pixel, out);
    offsets[i + 1] = out.length;
  }
  const size = out.length;
  const span = out.span.slice(0, size);
  const name = Uint32Array.from(span, (each) => trace.nameOf[each] ?? 0);
  return {
    from_ns,
    to_ns,
    pixels,
    tracks: [...tracks],
    offsets,
    left: out.left.slice(0, size),
    right: out.right.slice(0, size),
    span,
    name,
    count: out.count.slice(0, size),
    tint: Uint8Array.from(name, (each) => trace.tints[each] ?? 0),
    busy: out.busy.slice(0, size),
  };
}
