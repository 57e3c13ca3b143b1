import { expect, test } from 'vitest';
import { LastDrawn } from '../../../../renderer/drawing/charts/last-drawn.ts';

test('the same is drawn once, until something else stands there', () => {
  const last = new LastDrawn();
  const spec = (to: number) => [[{ x: [1, 2], y: [3, to] }], { width: 400 }];
  expect(last.isNew(spec(4))).toBe(true);
  expect(last.isNew(spec(4))).toBe(false);
  expect(last.isNew(spec(5))).toBe(true);
  expect(last.isNew(spec(4))).toBe(true);
  last.forget();
  expect(last.isNew(spec(4))).toBe(true);
});
