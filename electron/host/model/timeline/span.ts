/** One span with everything that is known of it, and the launches in a window. */

import { BraggError } from '../../../contract/errors.ts';
import type { PlacedSpan, SpanDetails } from '../../../contract/timeline.ts';
import { fieldsOf, spanArguments } from './details.ts';
import { launchedBySpan, launchersOf } from './links.ts';
import { endOf, kindOf, NO_STEP, spanCount, type Trace, trackOf } from './trace.ts';

/** A graph launches thousands of nodes; more ends of arrows than this are not told apart. */
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

/** Launches whose ends stand on the tracks and of which one is in the window. */
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
