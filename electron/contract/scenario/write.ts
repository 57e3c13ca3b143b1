/** The text of a scenario file. */
import { atOnce, type Pausing } from '../pausing.ts';
import { stableOrderInSteps } from './order.ts';

/** Objects and lists that fit into this many columns stay on one line. */
const lineWidth = 100;
const indentStep = '  ';

/** Null where it takes more than `room` columns: no more of it is laid out than that. */
function oneLine(value: unknown, room: number): string | null {
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(value);
    return text.length <= room ? text : null;
  }
  const isList = Array.isArray(value);
  const parts: string[] = [];
  let left = room - (isList ? 2 : 4);
  for (const [key, item] of isList ? value.entries() : Object.entries(value)) {
    const name = isList ? '' : `${JSON.stringify(key)}: `;
    const comma = parts.length === 0 ? 0 : 2;
    const text = oneLine(item, left - comma - name.length);
    if (text === null) return null;
    parts.push(name + text);
    left -= comma + name.length + text.length;
  }
  if (parts.length === 0) return room < 2 ? null : isList ? '[]' : '{}';
  return isList ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`;
}

function* print(value: unknown, indent: string, before: number): Pausing<string> {
  yield;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (indent !== '') {
    const line = oneLine(value, lineWidth - before);
    if (line !== null) return line;
  }
  const inner = indent + indentStep;
  const isList = Array.isArray(value);
  const items: string[] = [];
  for (const [key, item] of isList ? value.entries() : Object.entries(value)) {
    const name = isList ? inner : `${inner}${JSON.stringify(key)}: `;
    items.push(name + (yield* print(item, inner, name.length + 1)));
  }
  const [open, close] = isList ? '[]' : '{}';
  return items.length === 0 ? `${open}${close}` : `${open}\n${items.join(',\n')}\n${indent}${close}`;
}

/**
 * The document as JSON: keys in the order of the schema, short objects on one
 * line, a line feed at the end. What is in the document is written and nothing
 * else, also when it is at fault.
 */
export function writeScenarioText(document: unknown): string {
  return atOnce(scenarioTextInSteps(document));
}

/** The same with pauses: whoever has other things to do gets a turn. */
export function* scenarioTextInSteps(document: unknown): Pausing<string> {
  return `${yield* print(yield* stableOrderInSteps(document), '', 0)}\n`;
}
