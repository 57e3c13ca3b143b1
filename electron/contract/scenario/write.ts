/** The text of a scenario file. */
import { inStableOrder } from './order.ts';

/** Objects and lists that fit into this many columns stay on one line. */
const lineWidth = 100;
const indentStep = '  ';

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${oneLine(item)}`);
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
  }
  return JSON.stringify(value);
}

function print(value: unknown, indent: string, before: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (indent !== '') {
    const line = oneLine(value);
    if (before + line.length <= lineWidth) return line;
  }
  const inner = indent + indentStep;
  const items = Array.isArray(value)
    ? value.map((item) => `${inner}${print(item, inner, inner.length + 1)}`)
    : Object.entries(value).map(([key, item]) => {
        const name = `${inner}${JSON.stringify(key)}: `;
        return name + print(item, inner, name.length + 1);
      });
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return items.length === 0 ? `${open}${close}` : `${open}\n${items.join(',\n')}\n${indent}${close}`;
}

/**
 * The document as JSON: keys in the order of the schema, short objects on one
 * line, a line feed at the end. What is in the document is written and nothing
 * else, also when it is at fault.
 */
export function writeScenarioText(document: unknown): string {
  return `${print(inStableOrder(document), '', 0)}\n`;
}
