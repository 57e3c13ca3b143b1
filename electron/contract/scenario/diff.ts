/** What is different between two scenarios, field by field, as a person reads it. */
import { formatNumber, unitSymbols, withUnit } from '../units.ts';
import { schemaAt, unitOf } from './fields.ts';
import type { JsonSchema } from './json-schema.ts';
import { isScenarioKind } from './kinds.ts';
import { asOfToday } from './migrate.ts';
import { inStableOrder } from './order.ts';
import { formatPath, type Path, valueAt } from './path.ts';

interface Difference {
  /** As in files: `beam.energy_MeV`. */
  readonly path: string;
  /** As the form calls it: `Energy`; the last key of the path where the schema has no word for it. */
  readonly title: string;
  /** With units. */
  readonly before: string;
  readonly after: string;
  /** Which side says nothing, so that the default holds there. */
  readonly absent: 'before' | 'after' | null;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isListOfObjects = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.some(isObject);

/** Paths of all leaves of either document; an interval is one leaf, a list of regions is not. */
function leaves(before: unknown, after: unknown, path: Path): readonly Path[] {
  if (isObject(before) || isObject(after)) {
    const keys = new Set([
      ...Object.keys(isObject(before) ? before : {}),
      ...Object.keys(isObject(after) ? after : {}),
    ]);
    return [...keys].flatMap((key) => leaves(valueAt(before, [key]), valueAt(after, [key]), [...path, key]));
  }
  if (isListOfObjects(before) || isListOfObjects(after)) {
    const length = Math.max(...[before, after].map((list) => (Array.isArray(list) ? list.length : 0)));
    return Array.from({ length }, (_, i) => leaves(valueAt(before, [i]), valueAt(after, [i]), [...path, i])).flat();
  }
  return [path];
}

function shown(value: unknown, schema: JsonSchema | null): string {
  if (typeof value === 'number') return schema === null ? formatNumber(value) : withUnit(value, unitOf(schema));
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((each) => typeof each === 'number')) {
    const unit = schema?.prefixItems?.[0] ?? (schema?.items || null);
    const numbers = value.map((each) => formatNumber(each)).join(', ');
    return `[${numbers}] ${unit === null ? '' : unitSymbols[unitOf(unit)]}`.trim();
  }
  return JSON.stringify(value) ?? '';
}

function side(value: unknown, schema: JsonSchema | null): string {
  if (value !== undefined) return shown(value, schema);
  return schema?.default === undefined ? 'default' : `default (${shown(schema.default, schema)})`;
}

/**
 * In the order of the schema. Documents are compared as written, in the newest version: a default that is written out
 * is a difference, and a version that says the same in other words is none.
 */
export function scenarioDifferences(before: unknown, after: unknown): readonly Difference[] {
  const [a, b] = [inStableOrder(asOfToday(before)), inStableOrder(asOfToday(after))];
  const kind = valueAt(b, ['kind']) ?? valueAt(a, ['kind']);
  // Fields of both, so that one that only one side has stands where the schema puts it.
  const order = leaves(inStableOrder(merged(a, b)), undefined, []).map(formatPath);
  return leaves(a, b, [])
    .flatMap((path): readonly Difference[] => {
      const [old, now] = [valueAt(a, path), valueAt(b, path)];
      if (JSON.stringify(old) === JSON.stringify(now)) return [];
      const schemaIn = (document: unknown): JsonSchema | null =>
        isScenarioKind(kind) ? schemaAt(kind, path, document) : null;
      const [schemaBefore, schemaAfter] = [schemaIn(a), schemaIn(b)];
      const title = (schemaAfter ?? schemaBefore)?.title ?? String(path.at(-1) ?? '');
      const absent = old === undefined ? 'before' : now === undefined ? 'after' : null;
      return [
        {
          path: formatPath(path),
          title,
          before: side(old, schemaBefore ?? schemaAfter),
          after: side(now, schemaAfter ?? schemaBefore),
          absent,
        },
      ];
    })
    .sort((x, y) => order.indexOf(x.path) - order.indexOf(y.path));
}

/** Every key of either. */
function merged(a: unknown, b: unknown): unknown {
  if (isObject(a) && isObject(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return Object.fromEntries(keys.map((key) => [key, merged(a[key], b[key])]));
  }
  if (isListOfObjects(a) && isListOfObjects(b)) {
    return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => merged(a[i], b[i]));
  }
  return b ?? a;
}
