/** Lines by density: none is left out, and the range selected on an axis is the one drawn. */
import { expect, test } from 'vitest';
import { densityOf, keptLines, nearestLine } from '../../../../renderer/panels/studies/line-density.ts';

const LINES = 2000;
const values = (of: (i: number) => number): Float32Array => Float32Array.from({ length: LINES }, (_, i) => of(i));
const halves = values((i) => i % 2);
const axes = [values((i) => i / (LINES - 1)), values((i) => ((i * 7919) % LINES) / (LINES - 1)), halves];
const size = { most: 200, height: 101 };
const columnSums = (counts: Uint32Array, width: number): number[] =>
  Array.from({ length: width }, (_, x) => {
    let sum = 0;
    for (let y = 0; y < size.height; y += 1) sum += counts[y * width + x] ?? 0;
    return sum;
  });

test('every line passes every column once', () => {
  const { width, height, counts } = densityOf(axes, keptLines(axes, []), halves, size);
  expect([width, height]).toEqual([200, 101]);
  expect(new Set(columnSums(counts, width))).toEqual(new Set([LINES]));
});

test('a line runs from where it crosses one axis to where it crosses the next, the largest above', () => {
  const one = [Float32Array.of(0), Float32Array.of(1)];
  const { width, counts } = densityOf(one, new Uint8Array([1]), new Float32Array([1]), size);
  const heights = Array.from({ length: width }, (_, x) =>
    Array.from({ length: size.height }, (_, y) => counts[y * width + x] ?? 0).indexOf(1),
  );
  expect(heights[0]).toBe(100);
  expect(heights.at(-1)).toBe(0);
  expect(heights).toEqual(heights.toSorted((a, b) => b - a));
});

test('a range that is kept of an axis leaves the other lines out, and colours are means of those that pass', () => {
  const lower = keptLines(axes, [[0, 0.1]]);
  expect(lower.reduce((a, b) => a + b)).toBe(LINES / 10);
  const two = keptLines(axes, [[0, 0.1], null, [1, 1]]);
  expect(two.reduce((a, b) => a + b)).toBe(LINES / 20);
  const { width, counts, sums } = densityOf(axes, two, halves, size);
  expect(new Set(columnSums(counts, width))).toEqual(new Set([LINES / 20]));
  for (const [i, count] of counts.entries()) if (count > 0) expect((sums[i] ?? 0) / count).toBe(1);
});

test('lines that take the same pixels are drawn once: very many of few values keep every column', () => {
  const many = new Float32Array(1_000_000);
  const on = new Uint8Array(many.length).fill(1);
  const { width, counts } = densityOf([many, many, many], on, many, { most: 1200, height: 2 });
  expect(width).toBe(1200);
  expect(counts.at(-1)).toBe(many.length);
});

test('very many lines of their own are drawn on fewer columns, so that they take no longer', () => {
  const many = Float32Array.from({ length: 400_000 }, (_, i) => (i % 1000) / 999);
  const others = Float32Array.from(many, (_, i) => Math.floor(i / 1000) / 399);
  const on = new Uint8Array(many.length).fill(1);
  const { width } = densityOf([many, others], on, many, { most: 1200, height: 1000 });
  expect(width).toBeLessThan(100);
});

test('a click finds the line that passes nearest, of those that are kept, and none from afar', () => {
  const two = [Float32Array.of(0, 0.9), Float32Array.of(1, 0.9), Float32Array.of(0, 0.9)];
  const at = (across: number, up: number, on = Uint8Array.of(1, 1)): number | null =>
    nearestLine(two, on, { across, up, reach: 0.02 });
  expect(at(0.25, 0.51)).toBe(0);
  expect(at(0.75, 0.49)).toBe(0);
  expect(at(0.25, 0.9)).toBe(1);
  expect(at(1, 0.9)).toBe(1);
  expect(at(0.25, 0.9, Uint8Array.of(1, 0))).toBeNull();
  expect(at(0.25, 0.7)).toBeNull();
});
