/** Stable key order: the schema's, with keys that the schema does not know last and as they were. */
import { branchFor } from './fields.ts';
import { type JsonSchema, schemaOfKind } from './json-schema.ts';
import { isScenarioKind } from './kinds.ts';
import { valueAt } from './path.ts';

function orderedBy(schema: JsonSchema | undefined, value: unknown): unknown {
  // What the schema does not know stays as it is.
  if (schema === undefined) return value;
  if (Array.isArray(value)) {
    const items = schema.items;
    return value.map((item, i) => orderedBy(schema.prefixItems?.[i] ?? (items || undefined), item));
  }
  if (typeof value !== 'object' || value === null) return value;
  const properties = branchFor(schema, value).properties ?? {};
  const known = Object.keys(properties).filter((key) => Object.hasOwn(value, key));
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(properties, key));
  return Object.fromEntries(
    [...known, ...unknown].map((key) => [
      key,
      orderedBy(Object.hasOwn(properties, key) ? properties[key] : undefined, valueAt(value, [key])),
    ]),
  );
}

/** A copy with its keys in the order of the schema of its kind; of no known kind: as it is. */
export function inStableOrder(document: unknown): unknown {
  const kind = valueAt(document, ['kind']);
  return isScenarioKind(kind) ? orderedBy(schemaOfKind(kind), document) : document;
}
