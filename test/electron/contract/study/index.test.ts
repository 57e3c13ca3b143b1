import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { formatPath } from '../../../../electron/contract/scenario/index.ts';
import { publishedStudySchema, validateStudy } from '../../../../electron/contract/study/index.ts';

const valid = {
  kind: 'study',
  version: 1,
  base: [{ file: 'water-70MeV' }],
  axes: [
    { kind: 'log', path: 'beam.energy_MeV', from: 50, to: 200, count: 5 },
    { kind: 'latin', count: 4, axes: [{ kind: 'between', path: 'grid.dx_mm', from: 0.5, to: 1 }] },
  ],
  conditions: ['beam.energy_MeV < 100'],
};

test('the published JSON Schema is the one that the zod schema gives, and takes what zod takes', () => {
  const published = readFileSync(join(import.meta.dirname, '../../../../assets/schemas/study-1.schema.json'), 'utf8');
  expect(published).toBe(`${JSON.stringify(publishedStudySchema(), null, 2)}\n`);
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
  ajv.addVocabulary(['unit']);
  const accepts = ajv.compile(publishedStudySchema());
  expect(accepts(valid)).toBe(true);
  expect(validateStudy(valid).faults).toEqual([]);
  expect(accepts({ ...valid, base: [] })).toBe(false);
});

test.each([
  [{ ...valid, kind: 'transport' }, 'kind', /"study"/],
  [{ ...valid, base: [] }, 'base', /has 0 entries/],
  [{ ...valid, axis: [] }, 'axis', /did you mean axes/],
  [{ ...valid, axes: [{ kind: 'rnage', path: 'a' }] }, 'axes[0].kind', /did you mean range/],
  [{ ...valid, axes: [{ kind: 'range', path: 'a', from: 1, to: 2, count: 1.5 }] }, 'axes[0].count', /whole number/],
  [{ ...valid, axes: [{ kind: 'list', path: 'a' }] }, 'axes[0].values', /is missing/],
  [{ ...valid, conditions: ['1 +'] }, 'conditions[0]', /at character 4/],
  [{ ...valid, grids: 'shared', repeats: 5 }, 'repeats', /one by one/],
  [{ ...valid, grids: 'shared', timing: 'alone' }, 'timing', /one by one/],
  [[], '', /is not/],
])('%j is refused at its place', (document, place, message) => {
  const { study, faults } = validateStudy(document);
  expect(study).toBeNull();
  const found = faults.find(({ path }) => formatPath(path) === place);
  expect(found?.message, JSON.stringify(faults)).toMatch(message);
});
