/** Random valid documents, generated from the JSON Schema so that new fields are included automatically. */
import fc from 'fast-check';
import { type JsonSchema, schemaOfKind, type TransportDocument } from '../../../../electron/contract/scenario/index.ts';

function numberFrom(schema: JsonSchema): fc.Arbitrary<number> {
  const [min, max] = [schema.minimum ?? 0, schema.maximum ?? 1];
  if (schema.type === 'integer') return fc.integer({ min, max });
  return fc
    .double({ min, max, noNaN: true, noDefaultInfinity: true })
    .map((value) => (Object.is(value, -0) ? 0 : value));
}

function intervalFrom(schema: JsonSchema): fc.Arbitrary<readonly number[]> {
  const end = numberFrom(schema);
  return fc
    .tuple(end, end)
    .filter(([a, b]) => a !== b)
    .map(([a, b]) => [Math.min(a, b), Math.max(a, b)]);
}

const WORDS = ['auto', 'window', 'tables/mine.csv', 'a.csv', 'fused-2', '1.2.826.0.1.3680043'] as const;

/** One of the sample words that match `pattern`. Throws if none does. */
function matchingWord(pattern: string): fc.Arbitrary<string> {
  const allowed = new RegExp(pattern, 'u');
  const words = WORDS.filter((word) => allowed.test(word));
  if (words.length === 0) throw new Error(`no word matches ${pattern}: add one`);
  return fc.constantFrom(...words);
}

function anyValueOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const branches = schema.oneOf ?? schema.anyOf;
  if (branches) return fc.oneof(...branches.map(anyValueOf));
  switch (schema.type) {
    case 'number':
    case 'integer':
      return numberFrom(schema);
    case 'string':
      return schema.pattern ? matchingWord(schema.pattern) : fc.string({ maxLength: 20, unit: 'grapheme' });
    case 'array':
      if (schema.prefixItems) return intervalFrom(schema.prefixItems[0] ?? {});
      return fc.array(anyValueOf(schema.items || {}), { maxLength: 4 });
    default:
      return fc.record(
        Object.fromEntries(Object.entries(schema.properties ?? {}).map(([key, item]) => [key, anyValueOf(item)])),
        { requiredKeys: [...(schema.required ?? [])], noNullPrototype: true },
      );
  }
}

/** Documents that are valid against the schema; not every one is a solvable problem. */
export const anyDocument = anyValueOf(schemaOfKind('transport')) as fc.Arbitrary<TransportDocument>;

/** Any JSON value, and numbers that JSON cannot represent. */
export const anyJunk: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 1e308, '', 'water', null, true, [], {}),
);
