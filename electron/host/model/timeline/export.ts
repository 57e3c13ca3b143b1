/**
 * Writes a timeline as Chrome Trace Event JSON, which Perfetto and Braggbench can open. The text is produced in pieces.
 */
import { spanArguments } from './details.ts';
import { endOf, kindOf, NO_STEP, spanCount, type Trace, trackOf } from './trace.ts';

// Viewers interpret the spans of a thread as nested calls, and drop or cut spans that overlap without nesting. A lane
// with such spans, such as concurrent requests, is therefore exported as several threads.

interface ExportThread {
  readonly lane: number;
  readonly name: string;
}

interface ExportThreads {
  readonly threads: readonly ExportThread[];
  /** Thread of each track, as an index into `threads`. */
  readonly ofTrack: Uint32Array;
}

/**
 * Start and end of a span as they are written, in whole nanoseconds. Rounding does not make the spans of a track
 * overlap.
 */
function roundedTimes(trace: Trace, span: number, lastOfTrack: number): readonly [start: number, end: number] {
  const next = span + 1 < lastOfTrack ? Math.round(trace.start[span + 1] ?? 0) : Number.POSITIVE_INFINITY;
  return [Math.round(trace.start[span] ?? 0), Math.min(next, Math.round(endOf(trace, span)))];
}

/** Whether spans of two tracks overlap without one of them containing the other. */
function overlapUnnested(trace: Trace, one: number, other: number): boolean {
  const { offsets } = trace;
  let [i, j] = [offsets[one] ?? 0, offsets[other] ?? 0];
  const [lastI, lastJ] = [offsets[one + 1] ?? 0, offsets[other + 1] ?? 0];
  while (i < lastI && j < lastJ) {
    const [fromI, toI] = roundedTimes(trace, i, lastI);
    const [fromJ, toJ] = roundedTimes(trace, j, lastJ);
    if ((fromI < fromJ && fromJ < toI && toI < toJ) || (fromJ < fromI && fromI < toJ && toJ < toI)) return true;
    if (toI < toJ) i += 1;
    else j += 1;
  }
  return false;
}

/** Assigns each track to a thread of its lane: the first one whose spans nest with those of the track. */
function exportThreads(trace: Trace): ExportThreads {
  const threads: ExportThread[] = [];
  const ofTrack = new Uint32Array(trace.laneOf.length);
  for (const [lane, { name, firstTrack, tracks }] of trace.lanes.entries()) {
    const own: { readonly thread: number; readonly tracks: number[] }[] = [];
    for (let track = firstTrack; track < firstTrack + tracks; track += 1) {
      let place = own.find((each) => each.tracks.every((other) => !overlapUnnested(trace, other, track)));
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

/** Number of events in a piece of text. */
const PIECE = 4096;

const categories = {
  other: 'span',
  kernel: 'kernel',
  copy: 'gpu_memcpy',
  memset: 'gpu_memset',
  graph: 'graph',
  call: 'cuda_driver',
  range: 'gpu_user_annotation',
} as const;

function exportedArguments(trace: Trace, span: number): Record<string, unknown> {
  const { grid, block, registers, staticShared_bytes, dynamicShared_bytes, shared_bytes, graphNode, more, ...rest } =
    spanArguments(trace.details[trace.detailOf[span] ?? 0] ?? '');
  const step = trace.step[span] ?? NO_STEP;
  return {
    ...(grid && { grid }),
    ...(block && { block }),
    ...(registers !== undefined && { 'registers per thread': registers }),
    ...(staticShared_bytes !== undefined && { 'static shared memory, bytes': staticShared_bytes }),
    ...(dynamicShared_bytes !== undefined && { 'dynamic shared memory, bytes': dynamicShared_bytes }),
    ...(shared_bytes !== undefined && { 'shared memory': shared_bytes }),
    ...rest,
    ...(graphNode !== undefined && { 'graph node': graphNode }),
    ...more,
    ...(step !== NO_STEP && { step }),
  };
}

/** Yields the text of the file in pieces. `within` restricts it to spans that overlap this time range. */
export function* chromeTraceText(trace: Trace, within: readonly [number, number] | null): Iterable<string> {
  const processes = [...new Set(trace.lanes.map(({ process }) => process))];
  const inside = (span: number): boolean =>
    within === null || ((trace.start[span] ?? 0) < within[1] && endOf(trace, span) > within[0]);
  const pid = (lane: number): number => processes.indexOf(trace.lanes[lane]?.process ?? '') + 1;
  const { threads, ofTrack } = exportThreads(trace);
  const place = (span: number): { readonly pid: number; readonly tid: number } => {
    const track = trackOf(trace, span);
    return { pid: pid(trace.laneOf[track] ?? 0), tid: ofTrack[track] ?? 0 };
  };
  const otherData = { name: trace.name, about: trace.about };
  yield `{"displayTimeUnit":"ns","otherData":${JSON.stringify(otherData)},"traceEvents":[\n`;
  let batch: string[] = [];
  let first = true;
  const flush = (): string => {
    const text = `${first ? '' : ',\n'}${batch.join(',\n')}`;
    first = false;
    batch = [];
    return text;
  };
  for (const [i, process] of processes.entries()) {
    batch.push(JSON.stringify({ ph: 'M', name: 'process_name', pid: i + 1, args: { name: process } }));
    batch.push(JSON.stringify({ ph: 'M', name: 'process_sort_index', pid: i + 1, args: { sort_index: i } }));
  }
  for (const [tid, { lane, name }] of threads.entries()) {
    const about = { pid: pid(lane), tid };
    batch.push(JSON.stringify({ ph: 'M', name: 'thread_name', ...about, args: { name } }));
    batch.push(JSON.stringify({ ph: 'M', name: 'thread_sort_index', ...about, args: { sort_index: tid } }));
  }
  const microseconds = (ns: number): number => Math.round(ns) / 1000;
  for (let span = 0; span < spanCount(trace); span += 1) {
    if (!inside(span)) continue;
    const [start, end] = roundedTimes(trace, span, trace.offsets[trackOf(trace, span) + 1] ?? 0);
    batch.push(
      JSON.stringify({
        ph: 'X',
        name: trace.names[trace.nameOf[span] ?? 0],
        cat: (trace.step[span] ?? NO_STEP) === NO_STEP ? categories[kindOf(trace, span)] : 'step',
        ...place(span),
        ts: microseconds(start),
        dur: microseconds(end - start),
        args: exportedArguments(trace, span),
      }),
    );
    if (batch.length >= PIECE) yield flush();
  }
  const { from, to } = trace.links;
  for (const [i, launching] of from.entries()) {
    const launched = to[i] ?? 0;
    if (!inside(launching) || !inside(launched)) continue;
    const end = (span: number): object => ({
      ...{ name: 'launch', cat: 'launch', id: i + 1 },
      ...place(span),
      ts: microseconds(trace.start[span] ?? 0),
    });
    batch.push(JSON.stringify({ ph: 's', ...end(launching) }), JSON.stringify({ ph: 'f', bp: 'e', ...end(launched) }));
    if (batch.length >= PIECE) yield flush();
  }
  if (batch.length > 0) yield flush();
  yield '\n]}\n';
}
