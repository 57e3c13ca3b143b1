/** Formulas of a problem at given sizes: numbers calculated by hand, and every issue at its location. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { validateScenario, withValueAt } from '../../../../../electron/contract/scenario/index.ts';
import { definitionSchema, USER_PROBLEM } from '../../../../../electron/contract/scenario/user-problem/index.ts';
import {
  formatArrays,
  formatLaunches,
  resolveProblem,
} from '../../../../../electron/contract/scenario/user-problem/resolve.ts';

const definition = definitionSchema.parse({
  axes: [{ name: 'rows' }, { name: 'columns', min: 2, max: 64 }],
  constraints: ['columns % 2 == 0'],
  arrays: [
    {
      name: 'x',
      role: 'input',
      type: 'fp16',
      shape: ['rows', 'columns / 2'],
      values: { kind: 'uniform', min: 0, max: 'rows' },
    },
    {
      name: 'ids',
      role: 'input',
      type: 'int32',
      shape: ['rows'],
      values: { kind: 'sorted', min: 0, max: 'columns - 1' },
    },
    { name: 'y', role: 'output', type: 'fp32', shape: ['rows'], tolerance: { roundings: 'columns' } },
  ],
  work: { flops: 'rows * columns' },
  reference: 'reference.py',
});

const issuesOf = (document: object, sizes = { rows: 3, columns: 4 }) =>
  resolveProblem(definitionSchema.parse({ ...definition, ...document }), sizes).faults.map(({ path, message }) => ({
    path: path.join('.'),
    message,
  }));

test('shapes, values, tolerances and work follow from the sizes', () => {
  const resolved = resolveProblem(definition, { rows: 3, columns: 4 });
  expect(resolved.faults).toEqual([]);
  // x has 3 × 2 values of 2 bytes, ids and y have 3 values of 4 bytes each.
  expect(resolved.bytes).toBe(36);
  expect(resolved.flops).toBe(12);
  // A row of x has two values; ids are ascending; the tolerance is four roundings of 2^-24.
  expect(formatArrays(resolved.arrays).split('\n')).toEqual([
    'in x fp16 3,2 2 0 0 0 uniform 0 3 0',
    'in ids int32 3 0 0 0 0 sorted 0 3 0',
    `out y fp32 3 1 0 0 ${4 * 2 ** -24} none 0 0 0`,
  ]);
});

test('a tolerance follows from the number of terms by default, and an explicit one replaces it', () => {
  const [x, ids, { tolerance: _, ...plain }] = definition.arrays as [object, object, { tolerance?: object }];
  const largest = (y: object) => {
    const parsed = definitionSchema.parse({ ...definition, arrays: [x, ids, y] });
    return resolveProblem(parsed, { rows: 3, columns: 4 }).arrays[2];
  };
  expect(largest({ ...plain, terms: '10 * columns' })).toMatchObject({ largest: 40 * 2 ** -24, absolute: 0 });
  const given = { ...plain, terms: '10 * columns', tolerance: { absolute: 0.5 } };
  expect(largest(given)).toMatchObject({ largest: 0, absolute: 0.5 });
  expect(issuesOf({ arrays: [x, ids, { ...plain, terms: 'columns - 4' }] })).toEqual([
    { path: 'arrays.2.terms', message: expect.stringContaining('1 or more') },
    { path: 'arrays.2.tolerance', message: expect.stringContaining('or terms, because fp32 is rounded') },
  ]);
  expect(issuesOf({ arrays: [{ ...x, terms: 3 }, ids, { ...plain, terms: 1 }] })).toEqual([
    { path: 'arrays.0.terms', message: expect.stringContaining('only for a rounded output') },
  ]);
});

test('arrays with a single row are resolved', () => {
  const { arrays } = resolveProblem(definition, { rows: 1, columns: 4 });
  expect(arrays[0]).toMatchObject({ shape: [1, 2], grain: 1 });
});

test('sizes that violate a constraint or a bound are rejected, with both named', () => {
  expect(issuesOf({}, { rows: 3, columns: 5 })).toMatchObject([
    { path: 'constraints.0', message: expect.stringContaining('does not hold at rows = 3, columns = 5') },
    { path: 'arrays.0.shape.1', message: expect.stringContaining('is 2.5 at these sizes') },
  ]);
  expect(issuesOf({}, { rows: 3, columns: 65 })).toEqual([
    { path: 'problem.columns', message: '65 is not a size of this axis; allowed: 2 to 64' },
  ]);
});

test.each([
  [
    'an unknown axis',
    { arrays: [{ ...definition.arrays[2], shape: ['depth'] }] },
    'arrays.0.shape.0',
    /depth is not set.*formula of rows, columns/,
  ],
  [
    'no tolerance',
    { arrays: [{ ...definition.arrays[2], tolerance: undefined }] },
    'arrays.0.tolerance',
    /a tolerance above 0/,
  ],
  ['no output', { arrays: definition.arrays.slice(0, 2) }, 'arrays', /has no result/],
  [
    'values of an output',
    { arrays: [{ ...definition.arrays[2], values: { kind: 'permutation' } }] },
    'arrays.0.values',
    /is only for inputs/,
  ],
  [
    'a name given twice',
    { arrays: [{ ...definition.arrays[2], name: 'rows' }] },
    'arrays.0.name',
    /already the name of an axis or array/,
  ],
  [
    'an interval that runs backwards',
    { arrays: [{ ...definition.arrays[0], values: { kind: 'uniform', min: 1, max: 0 } }, definition.arrays[2]] },
    'arrays.0.values.max',
    /below the minimum, 1/,
  ],
  [
    'a value that the type lacks',
    {
      arrays: [
        { ...definition.arrays[1], type: 'int8', values: { kind: 'integers', min: 0, max: 128 } },
        definition.arrays[2],
      ],
    },
    'arrays.0.values.max',
    /not a value of type int8; allowed: -128 to 127/,
  ],
])('an invalid definition is rejected: %s', (_, document, path, message) => {
  expect(issuesOf(document)).toEqual([{ path, message: expect.stringMatching(message) }]);
});

test('launches follow from sizes and constants', () => {
  const launches = definitionSchema.parse({
    ...definition,
    candidates: [
      {
        file: 'a.cu',
        launches: [{ kernel: 'sum', grid: ['ceil(rows / kBlock)'], block: ['kBlock'], shared_bytes: '4 * kBlock' }],
      },
    ],
  }).candidates[0]?.launches;
  expect(formatLaunches({ launches: launches ?? [] }, { rows: 300 }, { kBlock: 128 })).toEqual({
    text: 'sum 3 1 1 128 1 1 512',
    faults: [],
  });
});

/** Paths of all values in the document. */
function pathsOf(value: unknown, at: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [
    at,
    ...Object.entries(value).flatMap(([key, inner]) =>
      pathsOf(inner, [...at, Array.isArray(value) ? Number(key) : key]),
    ),
  ];
}

const folder = path.join(import.meta.dirname, '../../../../../assets/problems');
const junk = [
  null,
  -1,
  1.5,
  1e300,
  '',
  'a'.repeat(5000),
  '((((',
  'rows / 0',
  '__proto__',
  [],
  {},
  [[[]]],
  true,
  { kind: 'uniform' },
];

test.each(readdirSync(folder))(
  '%s: every damaged value is accepted or rejected with its path, and nothing throws',
  (name) => {
    const document: unknown = JSON.parse(readFileSync(path.join(folder, name, 'problem.json'), 'utf8'));
    let refused = 0;
    for (const place of pathsOf(document)) {
      for (const value of junk) {
        const { filled, faults } = validateScenario(withValueAt(document, place, value));
        const found =
          faults.length > 0 || filled?.kind !== USER_PROBLEM ? faults : resolveProblem(filled, filled.problem).faults;
        for (const { message } of found) expect(message.length).toBeGreaterThan(5);
        refused += found.length > 0 ? 1 : 0;
      }
    }
    expect(refused).toBeGreaterThan(100);
  },
);
