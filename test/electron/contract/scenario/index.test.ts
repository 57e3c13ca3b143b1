import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  formatScenario,
  formatScenarioInSteps,
  type JsonSchema,
  newDocument,
  publishedSchema,
  scenarioDifferences,
  scenarioKindNames,
  scenarioSchema,
  schemaOfKind,
  validateScenario,
  valueAt,
} from '../../../../electron/contract/scenario/index.ts';
import { unitOfKey } from '../../../../electron/domain/values/units.ts';
import { anyDocument, anyJunk } from './arbitrary.ts';

const base = {
  kind: 'transport',
  version: 1,
  beam: { energy_MeV: 70, angle_deg: 3 },
  geometry: { regions: [{ name: 'slab', material: 'bone-compact-icru', z_mm: [10, 20] }] },
};

describe('the differences of two scenarios', () => {
  it('name the field, and both values with their units', () => {
    const after = {
      ...base,
      beam: { energy_MeV: 150, angle_deg: 3, x_sigma_mm: 2 },
      geometry: { regions: [{ name: 'slab', material: 'bone-compact-icru', z_mm: [10, 25.5] }] },
    };
    expect(scenarioDifferences(base, after)).toEqual([
      { path: 'beam.energy_MeV', title: 'Energy', before: '70 MeV', after: '150 MeV', absent: null },
      { path: 'beam.x_sigma_mm', title: 'Beam width', before: 'default (0 mm)', after: '2 mm', absent: 'before' },
      {
        path: 'geometry.regions[0].z_mm',
        title: expect.any(String),
        before: '[10, 20] mm',
        after: '[10, 25.5] mm',
        absent: null,
      },
    ]);
  });

  it('are empty between an older document and the same scenario in a newer version', () => {
    const newer = { ...base, version: 2, physics: { nuclear: 'off' } };
    expect(scenarioDifferences(base, newer)).toEqual([]);
    expect(scenarioDifferences(newer, base)).toEqual([]);
    // Version 1 has no nuclear reactions by default, so the difference is reported as a field of version 2.
    const today = { ...base, version: 2 };
    expect(scenarioDifferences(base, today).map(({ path }) => path)).toEqual(['physics.nuclear']);
  });

  it('include values that only one side sets, and regions that only one side has', () => {
    const after = { kind: 'transport', version: 1, beam: { energy_MeV: 70 } };
    const found = scenarioDifferences(base, after);
    expect(found.map(({ path, absent }) => [path, absent])).toEqual([
      ['beam.angle_deg', 'after'],
      ['geometry.regions[0].name', 'after'],
      ['geometry.regions[0].material', 'after'],
      ['geometry.regions[0].z_mm', 'after'],
    ]);
    expect(found[0]).toMatchObject({ before: '3°', after: 'default (0°)' });
  });

  it('are empty between a document and itself, whatever the order of its keys', () => {
    const { beam, ...rest } = base;
    expect(scenarioDifferences(base, { beam, ...rest })).toEqual([]);
    fc.assert(fc.property(anyDocument, (document) => scenarioDifferences(document, document).length === 0));
  });

  it('are also reported for invalid documents', () => {
    expect(scenarioDifferences({ kind: 'other', a: 1 }, { kind: 'other', a: { b: null } })).toMatchObject([
      { path: 'a.b', after: 'null' },
    ]);
    fc.assert(
      fc.property(anyJunk, anyJunk, (before, after) => {
        for (const { path } of scenarioDifferences(before, after)) expect(typeof path).toBe('string');
      }),
    );
  });
});

describe('writeScenarioText', () => {
  test('orders keys as the schema does, keeps short objects on a line and unknown keys last', () => {
    const text = formatScenario({
      solver: { threads: 2, stepping: 'depth' },
      odd: [1, 2],
      beam: { weight: 2, energy_MeV: 70 },
      version: 1,
      geometry: { regions: [{ z_mm: [0, 1], material: 'lead', x_mm: [-1, 1] }] },
      kind: 'transport',
    });
    expect(text).toBe(
      `{
  "kind": "transport",
  "version": 1,
  "beam": { "energy_MeV": 70, "weight": 2 },
  "geometry": { "regions": [{ "material": "lead", "x_mm": [-1, 1], "z_mm": [0, 1] }] },
  "solver": { "stepping": "depth", "threads": 2 },
  "odd": [1, 2]
}
`,
    );
  });

  test('writes text that reads back as the same scenario and is written the same again', () => {
    fc.assert(
      fc.property(anyDocument, (document) => {
        const text = formatScenario(document);
        const back: unknown = JSON.parse(text);
        expect(back).toEqual(document);
        expect(formatScenario(back)).toBe(text);
      }),
      { numRuns: 200 },
    );
  });

  test('does not depend on the order in which keys were set', () => {
    const reversed = (value: unknown): unknown =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([key, item]) => [key, reversed(item)]),
          )
        : value;
    fc.assert(
      fc.property(anyDocument, (document) => {
        fc.pre(!('regions' in (document.geometry ?? {})));
        expect(formatScenario(reversed(document))).toBe(formatScenario(document));
      }),
      { numRuns: 100 },
    );
  });

  test('writes any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(formatScenario(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('keeps a line within 100 columns where it can be broken', () => {
    const regions = Array.from({ length: 20 }, (_, i) => ({ material: 'water', x_mm: [-i - 1, i], z_mm: [i, i + 1] }));
    const text = formatScenario({ kind: 'transport', version: 1, beam: { energy_MeV: 70 }, geometry: { regions } });
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  test('yields at least once per line, for fields inside and outside the schema', () => {
    const regions = Array.from({ length: 1000 }, (_, i) => ({ material: 'water', z_mm: [i, i + 1] }));
    for (const parts of [{ geometry: { regions } }, { extra: regions }]) {
      const document = { kind: 'transport', version: 1, beam: { energy_MeV: 70 }, ...parts };
      const pauses = [...formatScenarioInSteps(document)];
      expect(pauses.length).toBeGreaterThan(1000);
    }
  });
});

describe('versions of transport scenarios', () => {
  const beam = { energy_MeV: 150 };
  const nuclearOf = (document: Readonly<Record<string, unknown>>): unknown => {
    const found = validateScenario({ kind: 'transport', beam, ...document });
    expect(found.faults).toEqual([]);
    return valueAt(found.document, ['physics', 'nuclear']);
  };

  test('a scenario of version 1 keeps its meaning: no reactions unless it requests them', () => {
    expect(nuclearOf({ version: 1 })).toBe('off');
    expect(nuclearOf({ version: 1, physics: { straggling: 'off' } })).toBe('off');
    expect(nuclearOf({ version: 1, physics: { nuclear: 'attenuation' } })).toBe('attenuation');
  });

  test('reactions are followed in new scenarios, and in version 2 unless the scenario disables them', () => {
    expect(nuclearOf({ version: 2 })).toBeUndefined();
    expect(nuclearOf({ version: 2, physics: { nuclear: 'off' } })).toBe('off');
    expect(newDocument('transport')['version']).toBe(2);
  });

  test('an unknown physics key is reported in either version', () => {
    for (const version of [1, 2]) {
      for (const physics of ['off', 3, [], null]) {
        const { faults } = validateScenario({ kind: 'transport', version, beam, physics });
        expect(faults.map((fault) => fault.path)).toEqual([['physics']]);
      }
    }
  });
});

describe('the scenario schema', () => {
  const assets = join(import.meta.dirname, '../../../../assets');

  function ajvValidator() {
    const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
    ajv.addVocabulary(['unit']);
    return ajv.compile(publishedSchema());
  }

  const accepts = ajvValidator();

  describe('the published JSON Schema', () => {
    const shipped = readdirSync(join(assets, 'scenarios'), { recursive: true, encoding: 'utf8' });
    for (const file of shipped.filter((name) => name.endsWith('.json'))) {
      test(`accepts ${file}, as zod does`, () => {
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
      // JSON Schema cannot express that an interval must ascend, nor that a number must not be NaN.
      const expressible = (document: unknown): boolean =>
        JSON.stringify(document) === JSON.stringify(JSON.parse(JSON.stringify(document))) &&
        scenarioSchema.safeParse(document).error?.issues.every(({ code }) => code !== 'custom') !== false;
      fc.assert(
        fc.property(fc.oneof(anyDocument, damaged), (document) => {
          const plain: unknown = JSON.parse(JSON.stringify(document));
          fc.pre(expressible(plain));
          expect(accepts(plain)).toBe(scenarioSchema.safeParse(plain).success);
        }),
        { numRuns: 300 },
      );
    });
  });

  describe('every number in the schema', () => {
    interface SchemaLeaf {
      readonly path: string;
      readonly key: string;
      readonly schema: JsonSchema;
    }

    function schemaLeaves(schema: JsonSchema, path: string, key: string): readonly SchemaLeaf[] {
      const inner = [
        ...Object.entries(schema.properties ?? {}).map(([name, item]) => [item, `${path}.${name}`, name] as const),
        ...(schema.oneOf ?? schema.anyOf ?? []).map((item) => [item, path, key] as const),
        ...(schema.prefixItems ?? []).map((item) => [item, `${path}[]`, key] as const),
        ...(schema.items ? [[schema.items, `${path}[]`, key] as const] : []),
      ];
      return inner.length === 0 ? [{ path, key, schema }] : inner.flatMap((item) => schemaLeaves(...item));
    }

    const numbers = scenarioKindNames
      .flatMap((kind) => schemaLeaves(schemaOfKind(kind), kind, ''))
      .filter(({ schema }) => schema.const === undefined && (schema.type === 'number' || schema.type === 'integer'));

    test('is covered by this test', () => {
      expect(numbers.length).toBeGreaterThan(25);
    });

    test.each(numbers.map((leaf) => [leaf.path, leaf] as const))(
      'has bounds, and the unit that its key names: %s',
      (_path, leaf) => {
        expect(leaf.schema.minimum).toBeTypeOf('number');
        expect(leaf.schema.maximum).toBeTypeOf('number');
        expect(leaf.schema.unit).toBe(unitOfKey(leaf.key));
      },
    );
  });
});
