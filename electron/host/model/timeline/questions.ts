/** Queries on a timeline, by name; the same in the worker thread and in a separate process. */
import { gzipSync } from 'node:zlib';
import { BraggError } from '../../../contract/errors.ts';
import type { PlacedSpan, SpanDetails } from '../../../contract/timeline.ts';
import type { Params, Result } from '../../../contract/wire/methods.ts';
import { fieldsOf, spanArguments } from './details.ts';
import { chromeTraceText } from './export.ts';
import { launchedBySpan, launchersOf } from './links.ts';
import { selectionStatistics } from './statistics.ts';
import { traceSummary } from './summary.ts';
import { endOf, kindOf, NO_STEP, spanCount, type Trace, trackOf } from './trace.ts';
import { timelineWindow } from './window.ts';

// One span with everything that is known of it, and the launches in a window.

/** A graph launches thousands of nodes; at most this many linked spans are listed. */
const MOST_LINKED = 1000;

function placedSpan(trace: Trace, span: number): PlacedSpan {
  return {
    span,
    track: trackOf(trace, span),
    name: trace.names[trace.nameOf[span] ?? 0] ?? '',
    kind: kindOf(trace, span),
    start_ns: trace.start[span] ?? 0,
    duration_ns: trace.duration[span] ?? 0,
  };
}

/**
 * Bytes read plus bytes written in the GPU's memory per second; null where that
 * is not what the bytes mean. Copies across PCIe or NVLink have other ceilings;
 * within the device a byte copied is one read and one written. Steps carry what
 * their variant declares to read and write.
 */
function trafficOf({ kind, name }: PlacedSpan, rate: number | null): number | null {
  if (rate === null) return null;
  if (kind === 'copy') return /device.to.device|DtoD/i.test(name) ? 2 * rate : null;
  return kind === 'memset' || kind === 'range' ? rate : null;
}

/** `ceiling`: measured copy bandwidth of the trace's GPU, bytes read plus bytes written per second; null when unknown. */
export function spanDetails(trace: Trace, span: number, ceiling: number | null): SpanDetails {
  if (span >= spanCount(trace)) {
    throw new BraggError('bad-request', `There is no span ${span}; this timeline has ${spanCount(trace)}.`);
  }
  const placed = placedSpan(trace, span);
  const lane = trace.lanes[trace.laneOf[placed.track] ?? 0];
  const values = spanArguments(trace.details[trace.detailOf[span] ?? 0] ?? '');
  const bytes = values.bytes ?? null;
  const rate = bytes === null || placed.duration_ns <= 0 ? null : bytes / (placed.duration_ns * 1e-9);
  const traffic = trafficOf(placed, rate);
  const [first, last] = launchedBySpan(trace.links, span);
  const launched = trace.links.to.subarray(first, Math.min(last, first + MOST_LINKED));
  const step = trace.step[span] ?? NO_STEP;
  return {
    ...placed,
    lane: lane?.name ?? '',
    process: lane?.process ?? '',
    step: step === NO_STEP ? null : step,
    fields: fieldsOf(values),
    bytes,
    bytes_per_s: rate,
    shareOfCeiling: traffic === null || ceiling === null ? null : traffic / ceiling,
    launched: Array.from(launched, (to) => placedSpan(trace, to)),
    launchedBy: launchersOf(trace.links, span)
      .slice(0, MOST_LINKED)
      .map((from) => placedSpan(trace, from)),
    launchedCount: last - first,
  };
}

interface Arrows {
  readonly count: number;
  readonly fromTrack: Uint32Array;
  readonly toTrack: Uint32Array;
  readonly from_ns: Float64Array;
  readonly to_ns: Float64Array;
}

/** Launches with both ends on the tracks, and at least one end in the window. */
export function arrowsWithin(
  trace: Trace,
  window: {
    readonly from_ns: number;
    readonly to_ns: number;
    readonly tracks: readonly number[];
    readonly limit: number;
  },
): Arrows {
  const { links } = trace;
  const shown = new Set(window.tracks);
  const inside = (span: number): boolean =>
    (trace.start[span] ?? 0) < window.to_ns && endOf(trace, span) > window.from_ns;
  const found: number[] = [];
  let count = 0;
  for (let i = 0; i < links.from.length; i += 1) {
    const [from, to] = [links.from[i] ?? 0, links.to[i] ?? 0];
    if (!inside(from) && !inside(to)) continue;
    if (!shown.has(trackOf(trace, from)) || !shown.has(trackOf(trace, to))) continue;
    count += 1;
    if (count <= window.limit) found.push(i);
  }
  const kept = count > window.limit ? [] : found;
  const [from, to] = [kept.map((i) => links.from[i] ?? 0), kept.map((i) => links.to[i] ?? 0)];
  return {
    count,
    fromTrack: Uint32Array.from(from, (span) => trackOf(trace, span)),
    toTrack: Uint32Array.from(to, (span) => trackOf(trace, span)),
    from_ns: Float64Array.from(from, (span) => trace.start[span] ?? 0),
    to_ns: Float64Array.from(to, (span) => trace.start[span] ?? 0),
  };
}

/** The simulation's steps in time: what lets one scrubber move the timeline and the maps together. */
interface Steps {
  readonly step: Uint32Array;
  readonly start_ns: Float64Array;
  readonly end_ns: Float64Array;
}

/**
 * One row per step that spans name, ascending, from its first span's start to
 * its last one's end. Runs on the GPU name the first step of each batch: the
 * steps between two rows pass evenly in between.
 */
export function stepsOf(trace: Trace): Steps {
  const rows = new Map<number, { start: number; end: number }>();
  for (let span = 0; span < spanCount(trace); span += 1) {
    const step = trace.step[span] ?? NO_STEP;
    if (step === NO_STEP) continue;
    const [start, end] = [trace.start[span] ?? 0, endOf(trace, span)];
    const row = rows.get(step);
    if (row === undefined) rows.set(step, { start, end });
    else {
      row.start = Math.min(row.start, start);
      row.end = Math.max(row.end, end);
    }
  }
  const ordered = [...rows].sort(([a], [b]) => a - b);
  return {
    step: Uint32Array.from(ordered, ([step]) => step),
    start_ns: Float64Array.from(ordered, ([, { start }]) => start),
    end_ns: Float64Array.from(ordered, ([, { end }]) => end),
  };
}

/** Spans by a part of their name. */
interface Found {
  readonly count: number;
  readonly names: number;
  readonly sum_ns: number;
  readonly span: Uint32Array;
  readonly track: Uint32Array;
  readonly start_ns: Float64Array;
}

/** The first `limit` in order of time; count, names and sum are of all. */
export function searchTrace(trace: Trace, text: string, limit: number): Found {
  const wanted = text.toLowerCase();
  const matches = Uint8Array.from(trace.names, (name) => (name.toLowerCase().includes(wanted) ? 1 : 0));
  const found: number[] = [];
  let sum_ns = 0;
  for (let span = 0; span < spanCount(trace); span += 1) {
    if (matches[trace.nameOf[span] ?? 0] === 0) continue;
    found.push(span);
    sum_ns += trace.duration[span] ?? 0;
  }
  const inTime = Uint32Array.from(found).sort((a, b) => (trace.start[a] ?? 0) - (trace.start[b] ?? 0));
  const span = inTime.slice(0, limit);
  return {
    count: found.length,
    names: matches.reduce((sum, one) => sum + one, 0),
    sum_ns,
    span,
    track: Uint32Array.from(span, (each) => trackOf(trace, each)),
    start_ns: Float64Array.from(span, (each) => trace.start[each] ?? 0),
  };
}

export type Question =
  | 'window'
  | 'names'
  | 'span'
  | 'arrows'
  | 'search'
  | 'statistics'
  | 'steps'
  | 'summary'
  | 'export';
export type Asked<Q extends Question> = Omit<Params<`timeline.${Q}`>, 'trace'>;
export type Answer<Q extends Question> = Result<`timeline.${Q}`>;

type Answers = { readonly [Q in Question]: (trace: Trace, asked: Asked<Q>, ceiling: number | null) => Answer<Q> };

/** Above this a file of JSON is packed: Perfetto and the importer here open .json.gz too. */
const PACK_FROM_SPANS = 100_000;

function exported(trace: Trace, within: readonly [number, number] | null): Answer<'export'> {
  const stem = trace.name.replace(/\.(h5|json|gz|sqlite)$/gi, '').replace(/[^A-Za-z0-9._-]+/g, '-') || 'timeline';
  const pieces: Buffer[] = [];
  for (const text of chromeTraceText(trace, within)) pieces.push(Buffer.from(text));
  const bytes = Buffer.concat(pieces);
  if (spanCount(trace) < PACK_FROM_SPANS) {
    return { name: `${stem}-trace.json`, mime: 'application/json', bytes: new Uint8Array(bytes) };
  }
  return { name: `${stem}-trace.json.gz`, mime: 'application/gzip', bytes: new Uint8Array(gzipSync(bytes)) };
}

export const answers: Answers = {
  window: (trace, asked) => timelineWindow(trace, asked),
  names: (trace, { names }) => ({ texts: names.map((name) => trace.names[name] ?? '') }),
  span: (trace, { span }, ceiling) => spanDetails(trace, span, ceiling),
  arrows: (trace, asked) => arrowsWithin(trace, asked),
  search: (trace, { text, limit }) => searchTrace(trace, text, limit),
  statistics: (trace, asked) => {
    if (!(asked.to_ns >= asked.from_ns)) throw new BraggError('bad-request', 'The selection ends before it begins.');
    return selectionStatistics(trace, asked);
  },
  steps: (trace) => stepsOf(trace),
  summary: (trace) => traceSummary(trace),
  export: (trace, { within }) => exported(trace, within),
};
