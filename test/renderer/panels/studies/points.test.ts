/** Groups that are opened, and what two points differ by. */
import { expect, test } from 'vitest';
import type { StudyColumnInfo } from '../../../../electron/contract/study/calls.ts';
import { plainLook } from '../../../../electron/contract/study/views.ts';
import { conditionOf, shownColumns } from '../../../../renderer/panels/studies/cells.tsx';
import { differenceChart, differenceRows } from '../../../../renderer/panels/studies/chosen-points.tsx';
import { solved } from '../../../electron/host/model/studies/advice/solved.ts';

const column = (of: StudyColumnInfo['of'], name: string, rest: Partial<StudyColumnInfo> = {}): StudyColumnInfo => ({
  ...{ key: `${of} ${name}`, name, unit: '', of, equal: false, numeric: true },
  ...rest,
});

test('the condition of a group; none where it cannot be written', () => {
  const columns = [column('axis', 'solver.variant'), column('axis', 'problem.n')];
  const groups = ['axis solver.variant', 'axis problem.n'];
  expect(conditionOf(columns, ['a "b"', -2.5e-7], groups)).toBe(`solver.variant == 'a "b"' && problem.n == -2.5e-7`);
  expect(conditionOf(columns, [null, 1], groups)).toBeNull();
  expect(conditionOf([column('axis', 'a+b')], ['x'], ['axis a+b'])).toBeNull();
});

test('columns to see: groups and points always, equal ones when asked for, machines when grouped by', () => {
  const columns = [
    ...[column('point', 'point', { equal: true }), column('axis', 'n', { equal: true }), column('where', 'machine')],
    ...[column('group', 'machines', { equal: true })],
  ];
  const names = (look: Partial<typeof plainLook>) =>
    shownColumns(columns, { ...plainLook, ...look }).map((one) => one.column.name);
  expect(names({})).toEqual(['point']);
  expect(names({ hideEqual: false })).toEqual(['point', 'n']);
  expect(names({ groups: ['where machine'] })).toEqual(['point', 'machine']);
});

test('two points: what differs, by how much; curves that both have over each other', () => {
  const pointOf = (time_s: number, r80_mm: number, y: readonly number[]) => {
    const { line, result } = solved({ at: { n: 1 }, time_s, readouts: { r80_mm, right: 'yes' } });
    const curve = {
      name: 'dose',
      unit: 'MeV/mm',
      axis: 'depth',
      axis_unit: 'mm',
      positions: [0, 1, 2],
      values: [...y],
    };
    return { id: line.id, settings: 'n = 1', result: { ...result, curves: [curve] } };
  };
  const [a, b] = [pointOf(2, 40, [1, 2, 3]), pointOf(3, 40, [1, 2, 4])];
  expect(differenceRows(a, b)).toEqual([
    { name: 'time_s', unit: 's', values: ['2.00000', '3.00000'], less: '1.000', over: '1.500' },
  ]);
  expect(differenceRows(a, b, true).map(({ name }) => name)).toContain('r80_mm');
  const chart = differenceChart(a, b);
  expect(chart?.panes[0]?.series.map(({ y }) => Array.from(y))).toEqual([
    [1, 2, 3],
    [1, 2, 4],
  ]);
  expect(differenceChart(a, { ...b, result: { ...b.result, curves: [] } })).toBeNull();
});
