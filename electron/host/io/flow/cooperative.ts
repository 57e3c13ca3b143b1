/**
 * Cooperative work: it yields to the event loop between slices.
 *
 * JSON of megabytes is also written in slices.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { YieldingTask } from '../../../domain/values/pausing.ts';

/** Longest slice before yielding to other work, in milliseconds. */
const SLICE_MS = 4;

/** Slices end by the clock, not by the amount of work, because code on its first run is fifty times slower. */
export async function runInSlices<T>(work: YieldingTask<T>): Promise<T> {
  let begun_ms = performance.now();
  let next = work.next();
  while (!next.done) {
    if (performance.now() - begun_ms >= SLICE_MS) {
      await nextTurn();
      begun_ms = performance.now();
    }
    next = work.next();
  }
  return next.value;
}

/** Parts below this depth are written without yielding. */
const LEVELS = 7;

/** Returns the text of `JSON.stringify(value)` for plain values; `value` itself must not be undefined. */
export function* jsonText(value: unknown, levels = LEVELS): YieldingTask<string> {
  yield;
  if (levels === 0 || typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value) parts.push(yield* jsonText(item, levels - 1));
    return `[${parts.join(',')}]`;
  }
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    parts.push(`${JSON.stringify(key)}:${yield* jsonText(item, levels - 1)}`);
  }
  return `{${parts.join(',')}}`;
}
