/** Very many points go to WebGL where there is one; each keeps what it stands for. */
import { expect, test } from 'vitest';
import { type Chart, MANY_POINTS } from '../../../../renderer/drawing/charts/chart.ts';
import { chartPlot } from '../../../../renderer/drawing/charts/chart-plot.ts';
import type { Brush } from '../../../../renderer/drawing/charts/chart-traces.ts';

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
    ...{ x: numbers, y: numbers, ids: Array.from(numbers, String) },
  };
  return {
    ...{ title: 'n over n', hover: 'point', arrays: [], notes: {} },
    panes: [{ x: axis, y: axis, series: [series], tall: 20 }],
  };
}

const traceOf = (points: number, gl: boolean) =>
  chartPlot(chartOf(points), { width: 600, label: 11 }, 400, { ...brush, gl }).data[0] as Readonly<
    Record<string, unknown>
  >;

test('few are elements of the page, many are drawn by WebGL, and none is left out', () => {
  expect(traceOf(MANY_POINTS, true)['type']).toBe('scatter');
  const many = traceOf(MANY_POINTS + 1, true);
  expect(many['type']).toBe('scattergl');
  expect(many['x']).toHaveLength(MANY_POINTS + 1);
  expect((many['customdata'] as readonly string[])[7]).toBe('7');
  // Told by a template where there is no sentence for each.
  expect(many['hovertemplate']).toContain('%{y');
  expect(traceOf(MANY_POINTS + 1, false)['type']).toBe('scatter');
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
      panes: [{ ...pane, series: [{ ...line, ids: Array.from(numbers, String) }] }],
    };
    return chartPlot(chart, { width: 600, label: 11 }, 400, brush).data[0] as unknown as {
      readonly x: readonly number[];
      readonly customdata: readonly string[];
    };
  };
  const { x, customdata } = drawn('point');
  expect(x.length).toBeLessThan(4 * 600);
  expect([x[0], x.at(-1)]).toEqual([0, points - 1]);
  expect(customdata).toEqual(x.map(String));
  // Where values of all curves are told at one place, each point is wanted.
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
