/** Stable key order: the schema's, with keys that the schema does not know last and as they were. */
import { atOnce, type Pausing } from '../pausing.ts';
import { branchFor } from './fields.ts';
import { type JsonSchema, schemaOfKind } from './json-schema.ts';
import { isScenarioKind } from './kinds.ts';
import { valueAt } from './path.ts';

function* orderedBy(schema: JsonSchema | undefined, value: unknown): Pausing<unknown> {
  // Values unknown to the schema remain unchanged.
  if (schema === undefined) return value;
  yield;
  if (Array.isArray(value)) {
    const items = schema.items;
    const list: unknown[] = [];
    for (const [i, item] of value.entries()) {
      list.push(yield* orderedBy(schema.prefixItems?.[i] ?? (items || undefined), item));
    }
    return list;
  }
  if (typeof value !== 'object' || value === null) return value;
  const properties = branchFor(schema, value).properties ?? {};
  const known = Object.keys(properties).filter((key) => Object.hasOwn(value, key));
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(properties, key));
  const entries: [string, unknown][] = [];
  for (const key of [...known, ...unknown]) {
    const below = Object.hasOwn(properties, key) ? properties[key] : undefined;
    entries.push([key, yield* orderedBy(below, valueAt(value, [key]))]);
  }
  return Object.fromEntries(entries);
}

/** A copy with its keys in the order of the schema of its kind; of no known kind: as it is. */
export function inStableOrder(document: unknown): unknown {
  return atOnce(stableOrderInSteps(document));
}

/** The same with pauses: whoever has other things to do gets a turn. */
export function* stableOrderInSteps(document: unknown): Pausing<unknown> {
  const kind = valueAt(document, ['kind']);
  return isScenarioKind(kind) ? yield* orderedBy(schemaOfKind(kind), document) : document;
}
