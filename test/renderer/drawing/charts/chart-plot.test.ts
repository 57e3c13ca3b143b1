/** A thinned line is the same picture: in each column of pixels it enters, leaves and reaches as the whole does. */
import { expect, test } from 'vitest';
import { thinned } from '../../../../renderer/drawing/charts/chart-plot.ts';

const axis = (from: number, to: number, kind: 'linear' | 'log' = 'linear') => ({ title: '', unit: '', kind, from, to });
const WIDTH = 100;
const POINTS = 10_000;
const xs = Float64Array.from({ length: POINTS }, (_, i) => i);
/** Far from even, so that no two columns are alike. */
const ys = Float64Array.from({ length: POINTS }, (_, i) => ((i * 7919) % 1009) + i / 100);

/** First, lowest, highest and last of each column, among the points given. */
function columnsOf(rows: Iterable<number>, pixelOf: (x: number) => number) {
  const columns = new Map<number, { first: number; low: number; high: number; last: number }>();
  for (const i of rows) {
    const [at, y] = [Math.floor(pixelOf(xs[i] ?? 0)), ys[i] ?? 0];
    const known = columns.get(at) ?? { first: y, low: y, high: y, last: y };
    columns.set(at, { ...known, low: Math.min(known.low, y), high: Math.max(known.high, y), last: y });
  }
  return columns;
}

test('every column of pixels keeps its ends, its least and its most, and no more than these', () => {
  const kept = thinned(xs, ys, { x: axis(0, POINTS), y: axis(0, 2000) }, { width: WIDTH }) ?? [];
  const pixel = (x: number): number => (x * WIDTH) / POINTS;
  expect(columnsOf(kept, pixel)).toEqual(columnsOf(xs.keys(), pixel));
  expect(kept.length).toBeLessThanOrEqual(4 * WIDTH);
  expect([...kept]).toEqual([...kept].toSorted((a, b) => a - b));
});

test('a window keeps the points that lead into it from either side, and all within where there is room', () => {
  const kept = thinned(xs, ys, { x: axis(500, 520), y: axis(0, 2000) }, { width: WIDTH }) ?? new Uint32Array();
  expect([...kept].filter((i) => i >= 500 && i < 520)).toEqual(Array.from({ length: 20 }, (_, k) => 500 + k));
  expect(kept).toContain(499);
  expect(kept).toContain(520);
  // The last of all as well: where the line goes on to.
  expect([kept[0], kept.at(-1)]).toEqual([0, POINTS - 1]);
});

test('a logarithmic axis has columns of its own, and what it cannot show is one gap', () => {
  const gaps = Float64Array.from(ys, (y, i) => (i >= 4000 && i < 4100 ? 0 : y + 1));
  const kept = thinned(xs, gaps, { x: axis(1, POINTS, 'log'), y: axis(1, 2000, 'log') }, { width: WIDTH }) ?? [];
  expect([...kept].filter((i) => i >= 4000 && i < 4100)).toEqual([4000]);
  expect([...kept].slice(0, 4)).toEqual([0, 1, 2, 3]);
  expect(kept).toContain(3999);
  expect(kept).toContain(4100);
});

test('a line that turns back is left as it is', () => {
  expect(thinned([0, 2, 1], [1, 2, 3], { x: axis(0, 2), y: axis(0, 3) }, { width: WIDTH })).toBeNull();
});

test.each(['low', 'high'] as const)(
  'the %s edge of a band keeps that end of each column, and what leads in',
  (edge) => {
    const axes = { x: axis(1000, 2000), y: axis(0, 2000) };
    const kept = thinned(xs, ys, axes, { width: WIDTH }, edge) ?? new Uint32Array();
    const within = [...kept].filter((i) => i >= 1000 && i < 2000);
    const ends = [...columnsOf(xs.keys(), (x) => (x - 1000) / 10)].filter(([at]) => at >= 0 && at < WIDTH);
    expect(within.map((i) => ys[i])).toEqual(ends.map(([, column]) => column[edge]));
    expect([...kept]).toEqual(expect.arrayContaining([0, 999, 2000, POINTS - 1]));
  },
);
