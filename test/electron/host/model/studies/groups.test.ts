/** Rows put together: how many, medians with their spans, and how many machines a time is of. */
import { describe, expect, test } from 'vitest';
import { lookAt } from '../../../../../electron/host/model/studies/look.ts';
import type { StudyTable } from '../../../../../electron/host/model/studies/table.ts';

const table: StudyTable = {
  columns: [
    { name: 'point', unit: '', of: 'point' },
    { name: 'solver.variant', unit: '', of: 'axis' },
    { name: 'problem.n', unit: '', of: 'axis' },
    { name: 'time_s', unit: 's', of: 'measure' },
    { name: 'machine', unit: '', of: 'where' },
  ],
  rows: [
    ['a1', 'tiled', 64, 4, 'one'],
    ['a2', 'tiled', 256, 6, 'one'],
    ['a3', 'plain', 64, 1, 'one'],
    ['a4', 'tiled', 1024, 20, 'two'],
    ['a5', 'plain', 256, null, 'one'],
  ],
  ...{ missing: 0, damaged: [], machines: [] },
};
const look = { filter: '', sort: null, groups: ['axis solver.variant'], from: 0, count: 10 };

describe('grouped by a column', () => {
  test('medians, their spans, and numbers of rows and machines', () => {
    const { columns, rows, spans, shown, matching } = lookAt(table, look);
    expect(columns.map(({ key }) => key)).toEqual([
      ...['axis solver.variant', 'group rows', 'group machines', 'axis problem.n', 'measure time_s'],
    ]);
    expect(rows).toEqual([
      ['tiled', 3, 2, 256, 6],
      ['plain', 2, 1, 160, 1],
    ]);
    expect(spans.map((row) => row[4])).toEqual([[4, 20], null]);
    expect([shown, matching]).toEqual([2, 5]);
  });

  test('machines are a column to see only where some group is of several', () => {
    expect(lookAt(table, look).columns[2]).toMatchObject({ key: 'group machines', equal: false });
    expect(lookAt(table, { ...look, filter: 'machine == "one"' }).columns[2]).toMatchObject({ equal: true });
  });

  test('sorted by a median, in parts; an order of a column that groups lack is their own order', () => {
    const sorted = lookAt(table, { ...look, sort: { key: 'measure time_s', descending: false }, count: 1 });
    expect(sorted.rows.map(([name]) => name)).toEqual(['plain']);
    expect(sorted.shown).toBe(2);
    expect(lookAt(table, { ...look, sort: { key: 'point point', descending: true } }).rows[0]?.[0]).toBe('tiled');
  });

  test('by two columns each combination that is there', () => {
    const both = lookAt(table, { ...look, groups: ['axis solver.variant', 'axis problem.n'] });
    expect(both.rows.map(([variant, n]) => [variant, n])).toEqual([
      ['tiled', 64],
      ['tiled', 256],
      ['plain', 64],
      ['tiled', 1024],
      ['plain', 256],
    ]);
  });

  test('a column that is not there is refused by name', () => {
    expect(() => lookAt(table, { ...look, groups: ['axis no'] })).toThrow('The study has no column "axis no".');
  });
});
