import { expect, test } from 'vitest';
import { valuesOf } from '../../../../renderer/panels/studies/values.ts';

test('each point has its own of the texts that differ', () => {
  const numbers = Float64Array.of(1, Number.NaN, 3);
  const texts = { different: ['fp32', ''], of: Uint32Array.of(0, 1, 0) };
  const columns = [
    { key: 'a', numbers, texts: null },
    { key: 'b', numbers: null, texts },
  ];
  expect(valuesOf({ points: 'p0 p1 p2', columns })).toEqual({
    points: ['p0', 'p1', 'p2'],
    columns: [columns[0], { key: 'b', numbers: null, texts: ['fp32', '', 'fp32'] }],
  });
  expect(valuesOf({ points: '', columns: [] })).toEqual({ points: [], columns: [] });
});
