/** Adds work of the host before the start and after the end of a run's engine, as spans of the run's first thread. */
import type { Recording } from '../../recording/recording.ts';
import { NO_STEP } from '../trace.ts';

export interface HostPart {
  readonly name: string;
  readonly seconds: number;
}

interface AddedSpans {
  readonly name: string;
  readonly start_ns: number;
  readonly end_ns: number;
}

/** Joins typed arrays. `push(...array)` would fail, because the arrays are too long for arguments. */
function concatenate<A extends Uint16Array | Uint32Array | Float64Array>(
  empty: A,
  first: readonly number[],
  rest: A,
): A {
  empty.set(first);
  empty.set(rest, first.length);
  return empty;
}

function appendSpans(spans: Recording['spans'], added: readonly AddedSpans[]): Recording['spans'] {
  const names = [...new Set([...spans.names, ...added.map(({ name }) => name)])];
  const count = added.length + spans.name.length;
  const of = (value: (one: AddedSpans) => number): readonly number[] => added.map(value);
  return {
    ...spans,
    names,
    name: concatenate(
      new Uint16Array(count),
      of(({ name }) => names.indexOf(name)),
      spans.name,
    ),
    thread: concatenate(
      new Uint16Array(count),
      of(() => 0),
      spans.thread,
    ),
    step: concatenate(
      new Uint32Array(count),
      of(() => NO_STEP),
      spans.step,
    ),
    start_ns: concatenate(
      new Float64Array(count),
      of(({ start_ns }) => start_ns),
      spans.start_ns,
    ),
    end_ns: concatenate(
      new Float64Array(count),
      of(({ end_ns }) => end_ns),
      spans.end_ns,
    ),
  };
}

/** Inserts spans of consecutive parts before a recording, which is shifted by their total duration. */
export function prependHostParts<R extends Recording>(recording: R, parts: readonly HostPart[]): R {
  const { spans, trace } = recording;
  if (spans.threads === 0 || parts.length === 0) return recording;
  let begun = 0;
  const added = parts.map(({ name, seconds }) => {
    const start_ns = begun;
    begun += seconds * 1e9;
    return { name, start_ns, end_ns: begun };
  });
  const later = (times: Float64Array): Float64Array => {
    const moved = new Float64Array(times);
    // An indexed loop: a long run has millions of times, and a function call for each would block the event loop.
    for (let i = 0; i < moved.length; i += 1) moved[i] = (moved[i] ?? 0) + begun;
    return moved;
  };
  return {
    ...recording,
    spans: appendSpans({ ...spans, start_ns: later(spans.start_ns), end_ns: later(spans.end_ns) }, added),
    trace: trace && { ...trace, start_ns: later(trace.start_ns), end_ns: later(trace.end_ns) },
  };
}

/** Adds a span for a part that follows after the end of a recording. */
export function appendHostPart<R extends Recording>(recording: R, { name, seconds }: HostPart): R {
  const { spans } = recording;
  if (spans.threads === 0) return recording;
  const start_ns = spans.end_ns.reduce((last, end) => Math.max(last, end), 0);
  return { ...recording, spans: appendSpans(spans, [{ name, start_ns, end_ns: start_ns + seconds * 1e9 }]) };
}
