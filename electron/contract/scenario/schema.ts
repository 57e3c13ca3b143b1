/**
 * JSON Schema generated from the zod schemas, for publication, forms and messages: properties of the field at a path,
 * and the order of keys. Known keys are in schema order, followed by unknown keys in their original order.
 */
import { z } from 'zod';
import { type Path, valueAt } from '../../domain/values/path.ts';
import { runToCompletion, type YieldingTask } from '../../domain/values/pausing.ts';
import { formatNumber, formatWithUnit, type Unit, unitSymbols } from '../../domain/values/units.ts';
import { isScenarioKind, type ScenarioKindName, scenarioKinds, scenarioSchema } from './kinds.ts';

/** Subset of JSON Schema keywords that the scenario schemas use. */
export interface JsonSchema {
  readonly $schema?: string;
  readonly $id?: string;
  readonly $comment?: string;
  readonly title?: string;
  readonly description?: string;
  readonly unit?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema | false;
  readonly prefixItems?: readonly JsonSchema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
}

/** Generates the JSON Schema of an input file. */
export function generateJsonSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-2020-12',
    override: ({ zodSchema, jsonSchema }) => {
      // Zod does not state the length of a tuple of an input type, so add it.
      if (zodSchema._zod.def.type === 'tuple' && jsonSchema.prefixItems) {
        jsonSchema.minItems = jsonSchema.prefixItems.length;
        jsonSchema.maxItems = jsonSchema.prefixItems.length;
      }
    },
  }) as JsonSchema;
}

const cache = new Map<ScenarioKindName, JsonSchema>();

/** JSON Schema of one kind. Forms and messages take titles, units and bounds from it. */
export function schemaOfKind(kind: ScenarioKindName): JsonSchema {
  const known = cache.get(kind);
  if (known) return known;
  const made = generateJsonSchema(scenarioKinds[kind].schema);
  cache.set(kind, made);
  return made;
}

/** Contents of the published file scenario-1.schema.json. */
export function publishedSchema(): JsonSchema {
  const { $schema, ...body } = generateJsonSchema(scenarioSchema);
  return {
    $schema: $schema ?? 'https://json-schema.org/draft/2020-12/schema',
    $id: 'scenario-1.schema.json',
    title: 'Braggbench scenario',
    description:
      'A problem for Braggbench. Only kind, version and the energy of the beam are required; everything else has a default. Keys carry their unit as a suffix.',
    ...body,
  };
}

function branches(schema: JsonSchema): readonly JsonSchema[] {
  return schema.oneOf ?? schema.anyOf ?? [schema];
}

function matchesSchema(schema: JsonSchema, value: unknown): boolean {
  if (schema.const !== undefined) return schema.const === value;
  if (schema.enum) return schema.enum.includes(value);
  if (schema.type === 'array') return Array.isArray(value);
  if (schema.type === 'object') {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const kind = schema.properties?.['kind'];
    return kind === undefined || matchesSchema(kind, valueAt(value, ['kind']));
  }
  return true;
}

/** Branch of a union that `value` matches. If there is none, the first object branch, or else the first branch. */
export function branchFor(schema: JsonSchema, value: unknown): JsonSchema {
  const all = branches(schema);
  return (
    all.find((branch) => matchesSchema(branch, value)) ??
    all.find((branch) => branch.type === 'object') ??
    all[0] ??
    schema
  );
}

/**
 * Schema of the field at `path` in scenarios of `kind`; null if there is no such field. In a union, the value in
 * `document` selects the branch.
 */
export function schemaAt(kind: ScenarioKindName, path: Path, document: unknown): JsonSchema | null {
  return schemaAtPath(schemaOfKind(kind), path, document);
}

/** Generalises `schemaAt` to any root schema. */
export function schemaAtPath(root: JsonSchema, path: Path, document: unknown): JsonSchema | null {
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

export function joinWithOr(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** Unit of a numeric field; 1 for other fields. */
export function unitOf(schema: JsonSchema): Unit {
  return schema.unit !== undefined && schema.unit in unitSymbols ? (schema.unit as Unit) : '1';
}

/** Describes the values that a schema allows: `0.5 to 1000 MeV`; `path or depth`. */
export function describeAllowed(schema: JsonSchema): string {
  if (schema.$comment !== undefined) return schema.$comment;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return joinWithOr(schema.enum.map(String));
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives)
    return joinWithOr(alternatives.flatMap((branch) => branch.enum?.map(String) ?? [describeAllowed(branch)]));
  switch (schema.type) {
    case 'number':
      return `${formatNumber(schema.minimum ?? Number.NEGATIVE_INFINITY)} to ${formatWithUnit(schema.maximum ?? Number.POSITIVE_INFINITY, unitOf(schema))}`;
    case 'integer':
      return `a whole number, ${formatNumber(schema.minimum ?? Number.NEGATIVE_INFINITY)} to ${formatNumber(schema.maximum ?? Number.POSITIVE_INFINITY)}`;
    case 'boolean':
      return 'true or false';
    case 'string':
      return `text of at most ${schema.maxLength} characters`;
    case 'array':
      if (schema.prefixItems) return `[from, to], each ${describeAllowed(schema.prefixItems[0] ?? {})}`;
      return `a list of at most ${schema.maxItems} entries`;
    default:
      return describeObject(schema);
  }
}

function describeObject(schema: JsonSchema): string {
  const keys = Object.keys(schema.properties ?? {});
  const kind = schema.properties?.['kind']?.const;
  if (kind !== undefined) return `{ kind: ${String(kind)}, … }`;
  return keys.length === 1 ? `{ ${keys[0]}: … }` : `an object with the keys ${keys.join(', ')}`;
}

function* orderBySchema(schema: JsonSchema | undefined, value: unknown): YieldingTask<unknown> {
  // Leave values without a schema unchanged.
  if (schema === undefined) return value;
  yield;
  if (Array.isArray(value)) {
    const items = schema.items;
    const list: unknown[] = [];
    for (const [i, item] of value.entries()) {
      list.push(yield* orderBySchema(schema.prefixItems?.[i] ?? (items || undefined), item));
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
    entries.push([key, yield* orderBySchema(below, valueAt(value, [key]))]);
  }
  return Object.fromEntries(entries);
}

/** Returns a copy with its keys in schema order. A document of unknown kind is returned unchanged. */
export function orderKeys(document: unknown): unknown {
  return runToCompletion(orderKeysInSteps(document));
}

/** Cooperative version of `orderKeys`: it yields regularly, so that large documents do not block the event loop. */
export function* orderKeysInSteps(document: unknown): YieldingTask<unknown> {
  const kind = valueAt(document, ['kind']);
  return isScenarioKind(kind) ? yield* orderBySchema(schemaOfKind(kind), document) : document;
}
