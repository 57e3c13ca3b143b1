import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ScenarioDocument,
  setPaths,
  sparse,
  writeScenarioText,
} from '../../../../electron/contract/scenario/index.ts';
import { anyDocument, anyJunk } from './arbitrary.ts';

describe('writeScenarioText', () => {
  test('orders keys as the schema does, keeps short objects on a line and unknown keys last', () => {
    const text = writeScenarioText({
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

  test('reads back as what was written, and writes the same text again', () => {
    fc.assert(
      fc.property(anyDocument, (document) => {
        const text = writeScenarioText(document);
        const back: unknown = JSON.parse(text);
        expect(back).toEqual(document);
        expect(writeScenarioText(back)).toBe(text);
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
        expect(writeScenarioText(reversed(document))).toBe(writeScenarioText(document));
      }),
      { numRuns: 100 },
    );
  });

  test('writes any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(writeScenarioText(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('keeps a line within 100 columns where it can be broken', () => {
    const regions = Array.from({ length: 20 }, (_, i) => ({ material: 'water', x_mm: [-i - 1, i], z_mm: [i, i + 1] }));
    const text = writeScenarioText({ kind: 'transport', version: 1, beam: { energy_MeV: 70 }, geometry: { regions } });
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });
});

describe('sparse', () => {
  /** Defaults of which one follows from another value, as the real ones do. */
  function complete(document: unknown): unknown {
    const {
      energy,
      box,
      list,
      kind = 'a',
    } = document as { energy?: number; box?: { w?: number; d?: number }; list?: { n?: number }[]; kind?: string };
    if (energy === undefined) return null;
    const w = box?.w ?? energy * 2;
    return { energy, box: { w, d: box?.d ?? w / 4 }, list: (list ?? []).map(({ n = 7 }) => ({ n })), kind };
  }

  test('leaves out what the defaults give back, also where they follow from other values', () => {
    const full = complete({ energy: 10 }) as Record<string, unknown>;
    expect(sparse(full, [], complete)).toEqual({ energy: 10 });
  });

  test('keeps what the user set, though it is the default', () => {
    const full = complete({ energy: 10 }) as Record<string, unknown>;
    expect(sparse(full, [['box', 'd'], ['kind']], complete)).toEqual({ energy: 10, box: { d: 5 }, kind: 'a' });
  });

  test('keeps what differs, and entries of lists', () => {
    const full = complete({ energy: 10, box: { w: 8 }, list: [{}, { n: 3 }] }) as Record<string, unknown>;
    expect(sparse(full, [], complete)).toEqual({ energy: 10, box: { w: 8 }, list: [{}, { n: 3 }] });
  });

  test('means the same as the whole', () => {
    const part = fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined });
    const document = fc.record({
      energy: fc.integer({ min: 1, max: 9 }),
      box: fc.record({ w: part, d: part }),
      list: fc.array(fc.record({ n: part })),
    });
    fc.assert(
      fc.property(document, (input) => {
        const full = complete(JSON.parse(JSON.stringify(input))) as Record<string, unknown>;
        expect(complete(sparse(full, [], complete))).toEqual(full);
      }),
    );
  });
});

test('setPaths names every value that a document sets', () => {
  const document = { kind: 'transport', beam: { energy_MeV: 70 }, geometry: { regions: [{ x_mm: [1, 2] }] } };
  expect(setPaths(document as unknown as ScenarioDocument)).toEqual([
    ['kind'],
    ['beam', 'energy_MeV'],
    ['geometry', 'regions', 0, 'x_mm', 0],
    ['geometry', 'regions', 0, 'x_mm', 1],
  ]);
  fc.assert(fc.property(anyJunk, (value) => Array.isArray(setPaths(value))));
});
