import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scenarioTextInSteps, writeScenarioText } from '../../../../electron/contract/scenario/index.ts';
import { anyDocument } from './arbitrary.ts';

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

  test('pauses at every part that takes a line, whether the schema knows it or not', () => {
    const regions = Array.from({ length: 1000 }, (_, i) => ({ material: 'water', z_mm: [i, i + 1] }));
    for (const parts of [{ geometry: { regions } }, { extra: regions }]) {
      const document = { kind: 'transport', version: 1, beam: { energy_MeV: 70 }, ...parts };
      const pauses = [...scenarioTextInSteps(document)];
      expect(pauses.length).toBeGreaterThan(1000);
    }
  });
});
