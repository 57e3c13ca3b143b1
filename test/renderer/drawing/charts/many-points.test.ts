/** Very many points are stamped; each keeps what it stands for. */
import { expect, test } from 'vitest';
import { type Chart, MANY_POINTS } from '../../../../renderer/drawing/charts/chart.ts';
import { chartPlot } from '../../../../renderer/drawing/charts/chart-plot.ts';
import { type Brush, toldOfDot } from '../../../../renderer/drawing/charts/chart-traces.ts';

const brush: Brush = {
  color: () => '#123456',
  theme: {
    ...{ text: '#000', textMuted: '#444', axis: '#888', grid: '#ccc', surface: '#fff', paper: '#fff', accent: '#00f' },
    ...{ crosshair: '#000', crosshairHalo: '#fff', reference: '#080', family: 'sans-serif', labelSize: 11 },
  },
};

function chartOf(points: number): Chart {
  const numbers = Float64Array.from({ length: points }, (_, i) => i);
  const axis = { title: 'n', unit: '', kind: 'linear', from: 0, to: points } as const;
  const series = {
    ...({ kind: 'dots', form: 'round', radius: 0.3, name: 'all', ink: 'series-1' } as const),
    ...{ x: numbers, y: numbers, ids: numbers },
  };
  return {
    ...{ title: 'n over n', hover: 'point', arrays: [], notes: {} },
    panes: [{ x: axis, y: axis, series: [series], tall: 20 }],
  };
}

const plotOf = (points: number) => chartPlot(chartOf(points), { width: 600, label: 11 }, 400, brush);

test('few are elements of the page, many are stamped, and none is left out', () => {
  const few = plotOf(MANY_POINTS);
  expect(few.dots).toEqual([]);
  expect(Reflect.get(few.data[0] ?? {}, 'x')).toHaveLength(MANY_POINTS);
  const { data, dots, boxes } = plotOf(MANY_POINTS + 1);
  expect(dots.map(({ series, trace }) => [series.x.length, series.ids?.[7], trace])).toEqual([[MANY_POINTS + 1, 7, 0]]);
  expect(dots[0]?.box).toEqual(boxes[0]);
  // Its name alone: a point that is nowhere.
  expect(data).toMatchObject([{ type: 'scatter', name: 'all', x: [Number.NaN], hoverinfo: 'skip', showlegend: true }]);
});

test('many are many in whatever groups they stand', () => {
  const [pane] = chartOf(MANY_POINTS / 2 + 1).panes;
  const [half] = pane?.series ?? [];
  if (pane === undefined || half === undefined) throw new Error('no dots');
  const chart = { ...chartOf(2), panes: [{ ...pane, series: [half, { ...half, name: 'others' }] }] };
  expect(chartPlot(chart, { width: 600, label: 11 }, 400, brush).dots).toHaveLength(2);
});

test('a band goes from the plot with the name that it is of', () => {
  const [pane] = chartOf(3).panes;
  const [dots] = pane?.series ?? [];
  if (pane === undefined || dots === undefined) throw new Error('no series');
  const edge = { ...dots, name: 'all, low', kind: 'line', dash: [], silent: true, group: 'all' } as const;
  const chart = { ...chartOf(3), panes: [{ ...pane, series: [edge, dots] }] };
  const { data } = chartPlot(chart, { width: 600, label: 11 }, 400, brush);
  expect(data.map((trace) => Reflect.get(trace, 'legendgroup'))).toEqual(['all', 'all']);
});

test('dots of a small group beside a large one are stamped, too, and told by their numbers', () => {
  const [pane] = chartOf(MANY_POINTS + 1).panes;
  const [many] = pane?.series ?? [];
  if (pane === undefined || many?.kind !== 'dots') throw new Error('no dots');
  const small = { ...many, name: 'three', x: [1, 2, 30_003.5], y: [0.5, 1, 2] };
  const y = { ...pane.y, unit: 'mm' };
  const chart = { ...chartOf(MANY_POINTS + 1), panes: [{ ...pane, y, series: [many, small] }] };
  const { dots } = chartPlot(chart, { width: 600, label: 11 }, 400, brush);
  expect(dots.map(({ series, trace }) => [series.name, trace])).toEqual([
    ['all', 0],
    ['three', 1],
  ]);
  expect(toldOfDot(small, { ...pane, y }, 2)).toBe('2 mm at 30000');
  expect(toldOfDot({ ...small, tips: ['a < b'] }, pane, 0)).toBe('a &lt; b');
});

test('a long line is thinned to what its plot tells apart, with what its points stand for', () => {
  const points = 50_000;
  const numbers = Float64Array.from({ length: points }, (_, i) => i);
  const waves = Float64Array.from(numbers, (i) => (i * 31) % 97);
  const line = { kind: 'line', name: 'all', ink: 'series-1', dash: [], x: numbers, y: waves } as const;
  const pane = chartOf(points).panes[0];
  if (pane === undefined) throw new Error('no pane');
  const drawn = (hover: 'point' | 'values') => {
    const chart = {
      ...chartOf(points),
      hover,
      panes: [{ ...pane, series: [{ ...line, ids: numbers }] }],
    };
    return chartPlot(chart, { width: 600, label: 11 }, 400, brush).data[0] as unknown as {
      readonly x: readonly number[];
      readonly customdata: readonly number[];
    };
  };
  const { x, customdata } = drawn('point');
  expect(x.length).toBeLessThan(4 * 600);
  expect([x[0], x.at(-1)]).toEqual([0, points - 1]);
  expect(customdata).toEqual(x);
  // Hovering that lists the values of all curves at one position needs every point.
  expect(drawn('values').x).toHaveLength(points);
});

test('labels of many digits have room beside the title', () => {
  const boxOf = (to: number) => {
    const chart = chartOf(2);
    const panes = chart.panes.map((pane) => ({ ...pane, y: { ...pane.y, from: 40, to } }));
    return chartPlot({ ...chart, panes }, { width: 600, label: 11 }, 400, brush).boxes[0]?.left ?? 0;
  };
  expect(boxOf(40.002)).toBeGreaterThan(boxOf(50));
});

test('a group that has a silent line is named by its dots', () => {
  const [pane] = chartOf(3).panes;
  const [dots] = pane?.series ?? [];
  if (pane === undefined || dots === undefined) throw new Error('no series');
  const line = { ...dots, kind: 'line', dash: [], silent: true } as const;
  const chart = { ...chartOf(3), panes: [{ ...pane, series: [line, dots] }] };
  const { data } = chartPlot(chart, { width: 600, label: 11 }, 400, brush);
  expect(data.map((trace) => Reflect.get(trace, 'showlegend'))).toEqual([false, true]);
});
