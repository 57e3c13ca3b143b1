import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type JsonSchema,
  publishedSchema,
  scenarioKindNames,
  scenarioSchema,
  schemaOfKind,
  validateScenario,
} from '../../../../electron/contract/scenario/index.ts';
import { unitOfKey } from '../../../../electron/contract/units.ts';
import { anyDocument, anyJunk } from './arbitrary.ts';

const assets = join(import.meta.dirname, '../../../../assets');

function ajvValidator() {
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
  ajv.addVocabulary(['unit']);
  return ajv.compile(publishedSchema());
}

const accepts = ajvValidator();

test('the published JSON Schema is the one that the zod schema gives', () => {
  const published = readFileSync(join(assets, 'schemas/scenario-1.schema.json'), 'utf8');
  expect(published).toBe(`${JSON.stringify(publishedSchema(), null, 2)}\n`);
});

describe('the published JSON Schema', () => {
  const shipped = readdirSync(join(assets, 'scenarios'), { recursive: true, encoding: 'utf8' });
  for (const file of shipped.filter((name) => name.endsWith('.json'))) {
    test(`accepts ${file}, and so does zod`, () => {
      const document: unknown = JSON.parse(readFileSync(join(assets, 'scenarios', file), 'utf8'));
      accepts(document);
      expect(accepts.errors ?? []).toEqual([]);
      expect(validateScenario(document).faults).toEqual([]);
    });
  }

  test('agrees with zod on random documents and on damaged ones', () => {
    const damaged = fc.tuple(anyDocument, anyJunk, fc.nat(), fc.nat()).map(([document, junk, section, key]) => {
      const copy = structuredClone(document) as Record<string, unknown>;
      const names = Object.keys(copy);
      const name = names[section % names.length] ?? 'beam';
      const inner = copy[name];
      if (typeof inner === 'object' && inner !== null && !Array.isArray(inner)) {
        const keys = [...Object.keys(inner), 'unknown'];
        copy[name] = { ...inner, [keys[key % keys.length] ?? 'unknown']: junk };
      } else copy[name] = junk;
      return copy;
    });
    // JSON Schema cannot say that an interval runs forwards, nor that a number is not NaN.
    const sayable = (document: unknown): boolean =>
      JSON.stringify(document) === JSON.stringify(JSON.parse(JSON.stringify(document))) &&
      scenarioSchema.safeParse(document).error?.issues.every(({ code }) => code !== 'custom') !== false;
    fc.assert(
      fc.property(fc.oneof(anyDocument, damaged), (document) => {
        const plain: unknown = JSON.parse(JSON.stringify(document));
        fc.pre(sayable(plain));
        expect(accepts(plain)).toBe(scenarioSchema.safeParse(plain).success);
      }),
      { numRuns: 300 },
    );
  });
});

describe('every number', () => {
  interface Leaf {
    readonly path: string;
    readonly key: string;
    readonly schema: JsonSchema;
  }

  function leaves(schema: JsonSchema, path: string, key: string): readonly Leaf[] {
    const inner = [
      ...Object.entries(schema.properties ?? {}).map(([name, item]) => [item, `${path}.${name}`, name] as const),
      ...(schema.oneOf ?? schema.anyOf ?? []).map((item) => [item, path, key] as const),
      ...(schema.prefixItems ?? []).map((item) => [item, `${path}[]`, key] as const),
      ...(schema.items ? [[schema.items, `${path}[]`, key] as const] : []),
    ];
    return inner.length === 0 ? [{ path, key, schema }] : inner.flatMap((item) => leaves(...item));
  }

  const numbers = scenarioKindNames
    .flatMap((kind) => leaves(schemaOfKind(kind), kind, ''))
    .filter(({ schema }) => schema.const === undefined && (schema.type === 'number' || schema.type === 'integer'));

  test('is found by this test', () => {
    expect(numbers.length).toBeGreaterThan(25);
  });

  test.each(numbers.map((leaf) => [leaf.path, leaf] as const))(
    '%s has bounds and the unit that its key names',
    (_path, leaf) => {
      expect(leaf.schema.minimum).toBeTypeOf('number');
      expect(leaf.schema.maximum).toBeTypeOf('number');
      expect(leaf.schema.unit).toBe(unitOfKey(leaf.key));
    },
  );
});
