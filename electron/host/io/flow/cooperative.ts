/**
 * Runs generators in short slices, between which the event loop can handle other work. Also writes megabytes of JSON in
 * slices.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { YieldingTask } from '../../../domain/values/pausing.ts';

/** Maximum duration of a slice in milliseconds. */
const MAX_SLICE_MS = 4;

/**
 * Runs a generator in slices. A slice ends by the clock, not after an amount of work, because code runs fifty times
 * slower the first time.
 */
export async function runInSlices<T>(work: YieldingTask<T>): Promise<T> {
  let begun_ms = performance.now();
  let next = work.next();
  while (!next.done) {
    if (performance.now() - begun_ms >= MAX_SLICE_MS) {
      await nextTurn();
      begun_ms = performance.now();
    }
    next = work.next();
  }
  return next.value;
}

/** Number of levels of nesting at which the writer yields; deeper parts are written at once. */
const YIELDING_LEVELS = 7;

/** Returns the text of `JSON.stringify(value)` for plain values; `value` itself must not be undefined. */
export function* jsonTextInSlices(value: unknown, levels = YIELDING_LEVELS): YieldingTask<string> {
  yield;
  if (levels === 0 || typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value) parts.push(yield* jsonTextInSlices(item, levels - 1));
    return `[${parts.join(',')}]`;
  }
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    parts.push(`${JSON.stringify(key)}:${yield* jsonTextInSlices(item, levels - 1)}`);
  }
  return `{${parts.join(',')}}`;
}
