/** A table is queried repeatedly: cached results are used for the same query only. */
import { expect, test } from 'vitest';
import { type Look, lookAt } from '../../../../../electron/host/model/studies/look.ts';
import type { StudyTable } from '../../../../../electron/host/model/studies/table.ts';

const table = (values: readonly (readonly [string, number | null])[]): StudyTable => ({
  columns: [
    { name: 'solver.variant', unit: '', of: 'axis' },
    { name: 'time_s', unit: 's', of: 'measure' },
  ],
  rows: values,
  ...{ missing: 0, damaged: [], machines: [] },
});
const look: Look = { filter: '', sort: null, groups: [], from: 0, count: 10 };
const time = { key: 'measure time_s', descending: false };
const times = (of: StudyTable, asked: Partial<Look>): unknown[] =>
  lookAt(of, { ...look, ...asked }).rows.map((row) => row.at(-1));

test('order, direction, filter and part are each their own question', () => {
  const one = table([
    ['a', 3],
    ['b', 1],
    ['a', null],
    ['b', 2],
  ]);
  const all: [Partial<Look>, unknown[]][] = [
    [{}, [3, 1, null, 2]],
    [{ sort: time }, [1, 2, 3, null]],
    [{ sort: { ...time, descending: true } }, [3, 2, 1, null]],
    [{ sort: time, from: 1, count: 2 }, [2, 3]],
    [{ sort: time, filter: 'solver.variant == "b"' }, [1, 2]],
    [{ filter: 'solver.variant == "a"' }, [3, null]],
    [{ groups: ['axis solver.variant'] }, [3, 1.5]],
    [{ groups: ['axis solver.variant'], filter: 'time_s > 1' }, [3, 2]],
  ];
  for (const round of [0, 1, 2])
    for (const [asked, expected] of all)
      expect(times(one, asked), `${round} ${JSON.stringify(asked)}`).toEqual(expected);
  // A table that has grown is another one.
  expect(times(table([['c', 9]]), { sort: time })).toEqual([9]);
});

test('what is no condition is refused each time', () => {
  const one = table([['a', 1]]);
  for (const _ of [0, 1]) expect(() => lookAt(one, { ...look, filter: 'time_s >' })).toThrow(/no condition/);
});
