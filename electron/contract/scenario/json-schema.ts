/** The published JSON Schema, generated from the zod schemas. */
import { z } from 'zod';
import { type ScenarioKindName, scenarioKinds, scenarioSchema } from './kinds.ts';

/** The keywords of JSON Schema that the scenario schemas use. */
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

/** JSON Schema of what a file may hold. */
export function generate(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-2020-12',
    override: ({ zodSchema, jsonSchema }) => {
      // A tuple takes exactly its items; zod leaves that out for an input type.
      if (zodSchema._zod.def.type === 'tuple' && jsonSchema.prefixItems) {
        jsonSchema.minItems = jsonSchema.prefixItems.length;
        jsonSchema.maxItems = jsonSchema.prefixItems.length;
      }
    },
  }) as JsonSchema;
}

const cache = new Map<ScenarioKindName, JsonSchema>();

/** JSON Schema of one kind: the description that forms and messages read titles, units and bounds from. */
export function schemaOfKind(kind: ScenarioKindName): JsonSchema {
  const known = cache.get(kind);
  if (known) return known;
  const made = generate(scenarioKinds[kind].schema);
  cache.set(kind, made);
  return made;
}

/** The published file, scenario-1.schema.json. */
export function publishedSchema(): JsonSchema {
  const { $schema, ...body } = generate(scenarioSchema);
  return {
    $schema: $schema ?? 'https://json-schema.org/draft/2020-12/schema',
    $id: 'scenario-1.schema.json',
    title: 'Braggbench scenario',
    description:
      'A problem for Braggbench. Only kind, version and the energy of the beam are required; the rest has defaults. Keys carry their unit as a suffix.',
    ...body,
  };
}
