/** A value as JSON, with pauses: megabytes at once would hold the host's loop. */
import type { Pausing } from '../../../contract/pausing.ts';

/** Parts this far down are written at once. */
const LEVELS = 7;

/** The same text as `JSON.stringify(value)` of plain values, of which `value` itself is no `undefined`. */
export function* jsonText(value: unknown, levels = LEVELS): Pausing<string> {
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
