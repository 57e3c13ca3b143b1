/** Properties of the schema field at a path, for forms and messages. */
import { formatNumber, type Unit, unitSymbols, withUnit } from '../units.ts';
import type { JsonSchema } from './json-schema.ts';
import { schemaOfKind } from './json-schema.ts';
import type { ScenarioKindName } from './kinds.ts';
import { type Path, valueAt } from './path.ts';

function branches(schema: JsonSchema): readonly JsonSchema[] {
  return schema.oneOf ?? schema.anyOf ?? [schema];
}

function fits(schema: JsonSchema, value: unknown): boolean {
  if (schema.const !== undefined) return schema.const === value;
  if (schema.enum) return schema.enum.includes(value);
  if (schema.type === 'array') return Array.isArray(value);
  if (schema.type === 'object') {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const kind = schema.properties?.['kind'];
    return kind === undefined || fits(kind, valueAt(value, ['kind']));
  }
  return true;
}

/** The branch of a union that `value` matches; otherwise its first object branch, else its first branch. */
export function branchFor(schema: JsonSchema, value: unknown): JsonSchema {
  const all = branches(schema);
  return (
    all.find((branch) => fits(branch, value)) ?? all.find((branch) => branch.type === 'object') ?? all[0] ?? schema
  );
}

/**
 * Schema of the field at `path` of a scenario of `kind`. Where the path passes
 * a union, `document` decides the branch. Null if no such field exists.
 */
export function schemaAt(kind: ScenarioKindName, path: Path, document: unknown): JsonSchema | null {
  return schemaWithin(schemaOfKind(kind), path, document);
}

/** The same below any schema. */
export function schemaWithin(root: JsonSchema, path: Path, document: unknown): JsonSchema | null {
  let schema: JsonSchema | undefined = root;
  for (const [depth, step] of path.entries()) {
    const here: JsonSchema = branchFor(schema, valueAt(document, path.slice(0, depth)));
    if (typeof step === 'number') schema = here.prefixItems?.[step] ?? (here.items || undefined);
    else if (here.properties && Object.hasOwn(here.properties, step)) schema = here.properties[step];
    else schema = typeof here.additionalProperties === 'object' ? here.additionalProperties : undefined;
    if (schema === undefined) return null;
  }
  return schema;
}

export function list(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** The unit of a number's schema; 1 for anything else. */
export function unitOf(schema: JsonSchema): Unit {
  return schema.unit !== undefined && schema.unit in unitSymbols ? (schema.unit as Unit) : '1';
}

/** Values that a schema allows, as text: `0.5 to 1000 MeV`; `path or depth`. */
export function allowedText(schema: JsonSchema): string {
  if (schema.$comment !== undefined) return schema.$comment;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return list(schema.enum.map(String));
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives) return list(alternatives.flatMap((branch) => branch.enum?.map(String) ?? [allowedText(branch)]));
  switch (schema.type) {
    case 'number':
      return `${formatNumber(schema.minimum ?? Number.NEGATIVE_INFINITY)} to ${withUnit(schema.maximum ?? Number.POSITIVE_INFINITY, unitOf(schema))}`;
    case 'integer':
      return `a whole number, ${formatNumber(schema.minimum ?? Number.NEGATIVE_INFINITY)} to ${formatNumber(schema.maximum ?? Number.POSITIVE_INFINITY)}`;
    case 'boolean':
      return 'true or false';
    case 'string':
      return `text of at most ${schema.maxLength} characters`;
    case 'array':
      if (schema.prefixItems) return `[from, to], each ${allowedText(schema.prefixItems[0] ?? {})}`;
      return `a list of at most ${schema.maxItems} entries`;
    default:
      return objectText(schema);
  }
}

function objectText(schema: JsonSchema): string {
  const keys = Object.keys(schema.properties ?? {});
  const kind = schema.properties?.['kind']?.const;
  if (kind !== undefined) return `{ kind: ${String(kind)}, … }`;
  return keys.length === 1 ? `{ ${keys[0]}: … }` : `an object with the keys ${keys.join(', ')}`;
}
