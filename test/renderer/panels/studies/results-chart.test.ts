import { expect, test } from 'vitest';
import type { StudyColumnInfo } from '../../../../electron/contract/study/calls.ts';
import { type PlottedResults, paretoOf, resultsChart } from '../../../../renderer/panels/studies/results-chart.ts';

const info = (name: string, unit: string): StudyColumnInfo => ({
  ...{ key: `measure ${name}`, name, unit, of: 'measure', equal: false, numeric: true },
});
const column = (name: string, unit: string, ...numbers: number[]) => ({
  info: info(name, unit),
  numbers: Float64Array.from(numbers),
});

const plotted: PlottedResults = {
  ends: null,
  x: column('time_s', 's', 3, 1, 2, Number.NaN, 0),
  y: column('error', '%', 1, 5, 9, 1, 2),
  groups: { title: 'variant', of: ['a', 'b', 'a', 'b', 'b'] },
  logX: false,
  logY: false,
  look: 'lines',
};

test('each group has a line with its points from left to right, without invalid numbers', () => {
  const { panes, title } = resultsChart(plotted);
  expect(title).toBe('error over time_s');
  const series = panes[0]?.series ?? [];
  expect(series.map(({ kind, name, x, y }) => [kind, name, [...Array.from(x)], [...Array.from(y)]])).toEqual([
    ['line', 'a', [2, 3], [9, 1]],
    ['dots', 'a', [2, 3], [9, 1]],
    ['line', 'b', [0, 1], [2, 5]],
    ['dots', 'b', [0, 1], [2, 5]],
  ]);
  expect(panes[0]?.x).toMatchObject({ title: 'time_s', unit: 's', kind: 'linear' });
});

test('a logarithmic axis shows only positive values', () => {
  const { panes } = resultsChart({ ...plotted, logX: true, look: 'points' });
  expect(panes[0]?.series.flatMap(({ x }) => Array.from(x)).toSorted()).toEqual([1, 2, 3]);
  expect(panes[0]?.x.from).toBeGreaterThan(0);
  expect(panes[0]?.x.to).toBeGreaterThanOrEqual(3);
});

test('the Pareto front contains the points that no other point beats in both values', () => {
  expect(
    paretoOf([
      [3, 1],
      [1, 5],
      [2, 9],
      [2, 4],
      [4, 1],
      [0.5, 7],
    ]),
  ).toEqual([5, 1, 3, 0]);
  expect(paretoOf([])).toEqual([]);
  const { panes } = resultsChart({ ...plotted, look: 'pareto' });
  const front = panes[0]?.series.find(({ name }) => name.startsWith('no point'));
  expect(Array.from(front?.x ?? [])).toEqual([0, 3]);
});

test('intervals are drawn at their points, which are identified by id, and the axis includes them', () => {
  const ends = { low: Float64Array.of(0.5, 4, 8, 1, 1), high: Float64Array.of(2, 6, 20, Number.NaN, 3) };
  const [pane] = resultsChart({ ...plotted, ends, groups: null, look: 'points' }).panes;
  const [dots] = pane?.series ?? [];
  expect(dots).toMatchObject({
    kind: 'dots',
    ids: Uint32Array.of(4, 1, 2, 0),
    intervals: {
      along: 'y',
      ends: [
        { low: 1, high: 3 },
        { low: 4, high: 6 },
        { low: 8, high: 20 },
        { low: 0.5, high: 2 },
      ],
    },
  });
  expect(dots?.tips?.[1]).toContain('95 % interval: 4.0000 to 6.0000');
  expect(pane?.y.to).toBeGreaterThan(20);
});

test('very many points are all drawn, smaller and without individual tooltips', () => {
  const many = Float64Array.from({ length: 100_000 }, (_, i) => i);
  const [pane] = resultsChart({
    ...{ ...plotted, groups: null, look: 'points' },
    x: { info: info('x', ''), numbers: many },
    y: { info: info('y', ''), numbers: many },
  }).panes;
  expect(pane?.series[0]?.x).toHaveLength(100_000);
  expect(pane?.series[0]?.tips).toBeUndefined();
});

test('intervals of very many points become a band with its extremes on the axis, for each line', () => {
  const count = 3000;
  const numbers = (of: (i: number) => number): Float64Array => Float64Array.from({ length: count }, (_, i) => of(i));
  const chart = resultsChart({
    ...{ ...plotted, look: 'lines' },
    x: { info: info('x', ''), numbers: numbers((i) => count - i) },
    y: { info: info('y', ''), numbers: numbers((i) => 10 + i) },
    ends: { low: numbers((i) => 5 + i), high: numbers((i) => (i === 7 ? Number.NaN : 5000 + i)) },
    groups: { title: 'side', of: Array.from({ length: count }, (_, i) => (i % 2 === 0 ? 'a' : 'b')) },
  });
  const [pane] = chart.panes;
  const named = (name: string) => pane?.series.find((one) => one.name === name);
  expect(pane?.series.map(({ kind, name }) => `${kind} ${name}`)).toEqual(
    ['a', 'b'].flatMap((name) => [`line ${name}, low`, `line ${name}, high`, `line ${name}`, `dots ${name}`]),
  );
  expect(named('a, high')).toMatchObject({ fill: 'to the line before', edge: 'high', silent: true, group: 'a' });
  expect(named('a')?.x).toHaveLength(count / 2);
  // Lines of many points are thinned when drawn; the dots of their points can be hovered and clicked.
  expect(pane?.series.filter(({ silent }) => silent !== true).map(({ kind }) => kind)).toEqual(['dots', 'dots']);
  expect(named('b, low')?.y).toHaveLength(count / 2 - 1);
  expect(Array.from(named('b, low')?.y ?? []).slice(0, 2)).toEqual([5 + count - 1, 5 + count - 3]);
  expect(pane?.y.to).toBeGreaterThan(5000 + count - 1);
});

test('a logarithmic axis accepts more points than a function may have arguments', () => {
  const many = Float64Array.from({ length: 300_000 }, (_, i) => i);
  const [pane] = resultsChart({
    ...{ ...plotted, groups: null, look: 'points', logX: true, logY: true },
    x: { info: info('x', ''), numbers: many },
    y: { info: info('y', ''), numbers: many },
  }).panes;
  expect(pane?.x.to).toBeGreaterThan(299_999);
  expect(pane?.series[0]?.x).toHaveLength(299_999);
});

test('groups beyond the number of colours share the last colour', () => {
  const many = Array.from({ length: 20 }, (_, i) => i);
  const { panes } = resultsChart({
    ...plotted,
    x: column('x', '', ...many),
    y: column('y', '', ...many),
    groups: { title: 'n', of: many.map(String) },
    look: 'points',
  });
  expect(panes[0]?.series.map(({ name }) => name)).toHaveLength(13);
  expect(panes[0]?.series.at(-1)?.x).toHaveLength(8);
});

test('the front of many grouped points is that of all of them, and keeps the first of equal points', () => {
  const count = 5000;
  // A generator with few distinct values, so that many points coincide.
  let state = 7;
  const next = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % 97;
  };
  const [x, y] = [Float64Array.from({ length: count }, next), Float64Array.from({ length: count }, next)];
  const lifted = y.map((value, i) => value + 3000 / (20 + (x[i] ?? 0)));
  const { panes } = resultsChart({
    ...{ ...plotted, look: 'pareto' },
    x: { info: info('x', ''), numbers: x },
    y: { info: info('y', ''), numbers: lifted },
    groups: { title: 'side', of: Array.from(x, (_, i) => `${i % 3}`) },
  });
  const front = panes[0]?.series.find(({ name }) => name.startsWith('no point'));
  const whole = paretoOf(Array.from(x, (value, i) => [value, lifted[i] ?? 0] as const));
  expect(whole.length).toBeGreaterThan(5);
  expect(Array.from(front?.x ?? [])).toEqual(whole.map((i) => x[i]));
  expect(Array.from(front?.y ?? [])).toEqual(whole.map((i) => lifted[i]));
});
