/** Lines by density: none is left out, and what is kept of an axis is what is drawn. */
import { expect, test } from 'vitest';
import { crossingsOf, densityOf, keptLines } from '../../../../renderer/panels/studies/line-density.ts';

const LINES = 2000;
const values = (of: (i: number) => number): number[] => Array.from({ length: LINES }, (_, i) => of(i));
const axes = [
  crossingsOf(
    values((i) => i),
    [0, LINES - 1],
  ),
  crossingsOf(
    values((i) => (i * 7919) % LINES),
    [0, LINES - 1],
  ),
  crossingsOf(
    values((i) => i % 2),
    [0, 1],
  ),
];
const size = { most: 200, height: 101 };
const columnSums = (counts: Uint32Array, width: number): number[] =>
  Array.from({ length: width }, (_, x) => {
    let sum = 0;
    for (let y = 0; y < size.height; y += 1) sum += counts[y * width + x] ?? 0;
    return sum;
  });

test('every line passes every column once', () => {
  const all = keptLines(axes, []);
  const { width, height, counts } = densityOf(axes, all, axes[2] ?? new Float32Array(), size);
  expect([width, height]).toEqual([200, 101]);
  expect(new Set(columnSums(counts, width))).toEqual(new Set([LINES]));
});

test('a line runs from where it crosses one axis to where it crosses the next, the largest above', () => {
  const one = [crossingsOf([0], [0, 1]), crossingsOf([1], [0, 1])];
  const { width, counts } = densityOf(one, new Uint8Array([1]), new Float32Array([1]), size);
  const heights = Array.from({ length: width }, (_, x) =>
    Array.from({ length: size.height }, (_, y) => counts[y * width + x] ?? 0).indexOf(1),
  );
  expect(heights[0]).toBe(100);
  expect(heights.at(-1)).toBe(0);
  expect(heights).toEqual(heights.toSorted((a, b) => b - a));
});

test('ranges that are kept of an axis leave the other lines out, and colours are means of those that pass', () => {
  const lower = keptLines(axes, [[[0, 0.1]]]);
  expect(lower.reduce((a, b) => a + b)).toBe(LINES / 10);
  const two = keptLines(axes, [
    [
      [0, 0.1],
      [0.9, 1],
    ],
    [],
    [[1, 1]],
  ]);
  expect(two.reduce((a, b) => a + b)).toBe(LINES / 10);
  const { width, counts, sums } = densityOf(axes, two, axes[2] ?? new Float32Array(), size);
  expect(new Set(columnSums(counts, width))).toEqual(new Set([LINES / 10]));
  for (const [i, count] of counts.entries()) if (count > 0) expect((sums[i] ?? 0) / count).toBe(1);
});

test('more lines are drawn on fewer columns, so that they take no longer', () => {
  const many = new Float32Array(1_000_000);
  const { width } = densityOf([many, many, many, many], new Uint8Array(many.length), many, { most: 1200, height: 2 });
  expect(width).toBeLessThan(100);
});

test('an axis of one value is crossed at one place', () => {
  expect([...crossingsOf([3, 3], [3, 3])]).toEqual([0, 0]);
});
