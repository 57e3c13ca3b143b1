import { expect, test } from 'vitest';
import { idAt, packedIds } from '../../../../electron/contract/study/point-ids.ts';
import { missingOf, NO_VALUES, withAnswer } from '../../../../renderer/panels/studies/values.ts';

const numbers = Float64Array.of(1, Number.NaN, 3);
const column = (key: string) => ({ key, numbers, texts: null });
const points = packedIds(['00000000000000a0', 'ffffffff00000001', '0123456789abcdef']);
const first = withAnswer(NO_VALUES, { rows: 'all', points, columns: [column('a'), column('b')] }, ['a', 'b']);

test('each point has its own of the texts that differ', () => {
  const texts = { different: ['fp32', ''], of: Uint32Array.of(0, 1, 0) };
  const columns = [column('a'), { key: 'b', numbers: null, texts }];
  expect(withAnswer(NO_VALUES, { rows: 'all', points, columns }, ['a', 'b'])).toEqual({
    rows: 'all',
    points,
    columns: [columns[0], { key: 'b', numbers: null, texts: ['fp32', '', 'fp32'] }],
  });
  expect(withAnswer(NO_VALUES, { rows: 'none', points: new Uint32Array(), columns: [] }, [])).toEqual({
    ...{ rows: 'none', points: new Uint32Array(), columns: [] },
  });
});

test('columns of the same rows are there already, with their points', () => {
  expect(missingOf(first, ['b', 'c'])).toEqual(['c']);
  const next = withAnswer(first, { rows: 'all', points: null, columns: [column('c')] }, ['b', 'c']);
  expect(next.points).toBe(first.points);
  expect(missingOf(next, ['a', 'b', 'c'])).toEqual([]);
});

test('of other rows nothing stays', () => {
  const next = withAnswer(first, { rows: 'fewer', points: points.slice(0, 2), columns: [column('c')] }, ['b', 'c']);
  expect(next.points).toHaveLength(2);
  expect([0, 1].map((i) => idAt(next.points, i))).toEqual(['00000000000000a0', null]);
  expect([1, 2].map((i) => idAt(points, i))).toEqual(['ffffffff00000001', '0123456789abcdef']);
  expect(missingOf(next, ['b', 'c'])).toEqual(['b']);
});

test('what nobody looks at is kept for some plots, and goes then; what is wanted stays', () => {
  let values = first;
  for (let k = 0; k < 20; k += 1)
    values = withAnswer(values, { rows: 'all', points: null, columns: [column(`c${k}`)] }, ['a', `c${k}`]);
  expect(missingOf(values, ['a', 'c19', 'c18'])).toEqual([]);
  expect(missingOf(values, ['b', 'c0'])).toEqual(['b', 'c0']);
  expect(values.columns.length).toBeLessThan(12);
});
