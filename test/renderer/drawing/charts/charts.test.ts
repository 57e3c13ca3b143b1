/**
 * A thinned line gives the same picture: in each pixel column it enters, leaves and extends as the complete line does.
 * Dots are drawn at the pixels of their values, and none is left out. Very many dots are drawn into one picture, and
 * each can still be hovered.
 */
import { describe, expect, test } from 'vitest';
import { type Chart, MANY_POINTS } from '../../../../renderer/drawing/charts/chart.ts';
import { chartPlot, visibleIndices } from '../../../../renderer/drawing/charts/chart-plot.ts';
import { type Brush, hoverTextOfDot } from '../../../../renderer/drawing/charts/chart-traces.ts';
import { dotPositions, nearestDot, stampDots } from '../../../../renderer/drawing/charts/dots-layer.ts';
import { DrawingCache } from '../../../../renderer/drawing/charts/plotly.ts';

describe('redrawing a figure', () => {
  test('is skipped while the figure is unchanged, until another one is shown', () => {
    const last = new DrawingCache();
    const spec = (to: number) => [[{ x: [1, 2], y: [3, to] }], { width: 400 }];
    expect(last.isNew(spec(4))).toBe(true);
    expect(last.isNew(spec(4))).toBe(false);
    expect(last.isNew(spec(5))).toBe(true);
    expect(last.isNew(spec(4))).toBe(true);
    last.forget();
    expect(last.isNew(spec(4))).toBe(true);
  });
});

describe('thinning and dots of charts', () => {
  const axis = (from: number, to: number, kind: 'linear' | 'log' = 'linear') => ({
    title: '',
    unit: '',
    kind,
    from,
    to,
  });
  const WIDTH = 100;
  const POINTS = 10_000;
  const xs = Float64Array.from({ length: POINTS }, (_, i) => i);
  /** Uneven values, so that no two columns are alike. */
  const ys = Float64Array.from({ length: POINTS }, (_, i) => ((i * 7919) % 1009) + i / 100);

  /** First, lowest, highest and last of the given points in each column. */
  function columnsOf(rows: Iterable<number>, pixelOf: (x: number) => number) {
    const columns = new Map<number, { first: number; low: number; high: number; last: number }>();
    for (const i of rows) {
      const [at, y] = [Math.floor(pixelOf(xs[i] ?? 0)), ys[i] ?? 0];
      const known = columns.get(at) ?? { first: y, low: y, high: y, last: y };
      columns.set(at, { ...known, low: Math.min(known.low, y), high: Math.max(known.high, y), last: y });
    }
    return columns;
  }

  test('every pixel column keeps its first, last, minimum and maximum point, and no others', () => {
    const kept = visibleIndices(xs, ys, { x: axis(0, POINTS), y: axis(0, 2000) }, { width: WIDTH }) ?? [];
    const pixel = (x: number): number => (x * WIDTH) / POINTS;
    expect(columnsOf(kept, pixel)).toEqual(columnsOf(xs.keys(), pixel));
    expect(kept.length).toBeLessThanOrEqual(4 * WIDTH);
    expect([...kept]).toEqual([...kept].toSorted((a, b) => a - b));
  });

  test('a window keeps the points that lead into it from either side, and all points inside if there is space', () => {
    const kept = visibleIndices(xs, ys, { x: axis(500, 520), y: axis(0, 2000) }, { width: WIDTH }) ?? new Uint32Array();
    expect([...kept].filter((i) => i >= 500 && i < 520)).toEqual(Array.from({ length: 20 }, (_, k) => 500 + k));
    expect(kept).toContain(499);
    expect(kept).toContain(520);
    // The last point is also retained, because the line continues to it.
    expect([kept[0], kept.at(-1)]).toEqual([0, POINTS - 1]);
  });

  test('a logarithmic axis has its own columns, and values it cannot show become one gap', () => {
    const gaps = Float64Array.from(ys, (y, i) => (i >= 4000 && i < 4100 ? 0 : y + 1));
    const kept =
      visibleIndices(xs, gaps, { x: axis(1, POINTS, 'log'), y: axis(1, 2000, 'log') }, { width: WIDTH }) ?? [];
    expect([...kept].filter((i) => i >= 4000 && i < 4100)).toEqual([4000]);
    expect([...kept].slice(0, 4)).toEqual([0, 1, 2, 3]);
    expect(kept).toContain(3999);
    expect(kept).toContain(4100);
  });

  test('a line that runs backwards is unchanged', () => {
    expect(visibleIndices([0, 2, 1], [1, 2, 3], { x: axis(0, 2), y: axis(0, 3) }, { width: WIDTH })).toBeNull();
  });

  test.each(['low', 'high'] as const)(
    'the %s edge of a band keeps that extreme of each column, and the points that lead in',
    (edge) => {
      const axes = { x: axis(1000, 2000), y: axis(0, 2000) };
      const kept = visibleIndices(xs, ys, axes, { width: WIDTH }, edge) ?? new Uint32Array();
      const within = [...kept].filter((i) => i >= 1000 && i < 2000);
      const ends = [...columnsOf(xs.keys(), (x) => (x - 1000) / 10)].filter(([at]) => at >= 0 && at < WIDTH);
      expect(within.map((i) => ys[i])).toEqual(ends.map(([, column]) => column[edge]));
      expect([...kept]).toEqual(expect.arrayContaining([0, 999, 2000, POINTS - 1]));
    },
  );
});

describe('a layer of dots', () => {
  const axis = (from: number, to: number, kind: 'linear' | 'log' = 'linear') => ({
    title: '',
    unit: '',
    kind,
    from,
    to,
  });
  const box = { width: 100, height: 50 };

  test('places dots by the axes, including logarithmic ones, and omits invalid dots and those outside', () => {
    const numbers = { x: [0, 5, 10, 11, Number.NaN], y: [1, 10, 100, 10, 10] };
    const { x, y } = dotPositions(numbers, { x: axis(0, 10), y: axis(1, 100, 'log') }, box);
    expect([...x]).toEqual([0, 50, 100, Number.NaN, Number.NaN]);
    expect([...y].slice(0, 3)).toEqual([50, 25, 0]);
    const none = dotPositions({ x: [1, 2], y: [0, -1] }, { x: axis(0, 10), y: axis(1, 100, 'log') }, box);
    expect([...none.x, ...none.y].every(Number.isNaN)).toBe(true);
  });

  function pictureOf(places: readonly (readonly [number, number])[], more: object = {}) {
    const picture = { data: new Uint8ClampedArray(4 * 40 * 20), width: 40, height: 20 };
    const at = { x: Float32Array.from(places, ([x]) => x), y: Float32Array.from(places, ([, y]) => y) };
    const stamp = { form: 'round', radius: 2, opacity: 1, color: [200, 100, 0], scale: 1, pad: 0 } as const;
    stampDots(picture, at, { ...stamp, ...more });
    const pixel = (x: number, y: number): readonly number[] => [
      ...picture.data.slice(4 * (y * 40 + x), 4 * (y * 40 + x) + 4),
    ];
    let area = 0;
    for (let i = 3; i < picture.data.length; i += 4) area += (picture.data[i] ?? 0) / 255;
    return { pixel, area };
  }

  test.each([
    ['round', Math.PI * 9],
    ['square', 36],
    ['ring', 2 * Math.PI * 3],
  ] as const)('a %s dot covers the pixels of its shape', (form, area) => {
    const found = pictureOf([[10.3, 9.8]], { form, radius: 3 });
    expect(found.area / area).toBeGreaterThan(0.95);
    expect(found.area / area).toBeLessThan(1.05);
  });

  test('overlapping dots combine their opacities in any order and keep their colour', () => {
    const { pixel } = pictureOf(
      [
        [10.5, 10.5],
        [30, 10],
        [10.5, 10.5],
        [10.5, 10.5],
      ],
      { opacity: 0.5 },
    );
    expect(pixel(10, 10)).toEqual([200, 100, 0, Math.round(255 * 0.875)]);
    expect(pixel(20, 10)).toEqual([0, 0, 0, 0]);
  });

  test('a dot of a later colour is drawn above an earlier one', () => {
    const picture = { data: new Uint8ClampedArray(4 * 9), width: 3, height: 3 };
    const one = { x: Float32Array.of(1.5), y: Float32Array.of(1.5) };
    const stamp = { form: 'square', radius: 3, scale: 1, pad: 0 } as const;
    stampDots(picture, one, { ...stamp, opacity: 1, color: [0, 0, 255] });
    stampDots(picture, one, { ...stamp, opacity: 0.5, color: [255, 0, 0] });
    expect([...picture.data.slice(16, 20)]).toEqual([128, 0, 128, 255]);
  });

  test('a dot at an edge is clipped, and one without a position is not drawn', () => {
    expect(pictureOf([[0, 10]]).area).toBeCloseTo(pictureOf([[20, 10]]).area / 2, 0);
    expect(pictureOf([[Number.NaN, Number.NaN]]).area).toBe(0);
  });

  test('at a finer resolution a dot keeps its position and margin', () => {
    const { pixel } = pictureOf([[10, 4]], { scale: 2, pad: 8, radius: 1 });
    expect(pixel(28, 16)[3]).toBeGreaterThan(0);
    expect(pixel(10, 4)[3]).toBe(0);
  });

  test('among equally near dots the last one counts as nearest, since it is on top', () => {
    const places = { x: Float32Array.of(10, 30, 10, Number.NaN), y: Float32Array.of(10, 30, 10, Number.NaN) };
    expect(nearestDot(places, [12, 10], 20)).toEqual({ i: 2, far: 2 });
    expect(nearestDot(places, [60, 30], 20)).toBeNull();
  });
});

describe('plots with many points', () => {
  const brush: Brush = {
    color: () => '#123456',
    theme: {
      ...{
        text: '#000',
        textMuted: '#444',
        axis: '#888',
        grid: '#ccc',
        surface: '#fff',
        paper: '#fff',
        accent: '#00f',
      },
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

  test('draw few points as page elements and many as pixels, and omit none', () => {
    const few = plotOf(MANY_POINTS);
    expect(few.dots).toEqual([]);
    expect(Reflect.get(few.data[0] ?? {}, 'x')).toHaveLength(MANY_POINTS);
    const { data, dots, boxes } = plotOf(MANY_POINTS + 1);
    expect(dots.map(({ series, trace }) => [series.x.length, series.ids?.[7], trace])).toEqual([
      [MANY_POINTS + 1, 7, 0],
    ]);
    expect(dots[0]?.box).toEqual(boxes[0]);
    // The trace only has a name for the legend, and its point has no position.
    expect(data).toMatchObject([
      { type: 'scatter', name: 'all', x: [Number.NaN], hoverinfo: 'skip', showlegend: true },
    ]);
  });

  test('count points over all groups', () => {
    const [pane] = chartOf(MANY_POINTS / 2 + 1).panes;
    const [half] = pane?.series ?? [];
    if (pane === undefined || half === undefined) throw new Error('no dots');
    const chart = { ...chartOf(2), panes: [{ ...pane, series: [half, { ...half, name: 'others' }] }] };
    expect(chartPlot(chart, { width: 600, label: 11 }, 400, brush).dots).toHaveLength(2);
  });

  test('remove a band together with its series', () => {
    const [pane] = chartOf(3).panes;
    const [dots] = pane?.series ?? [];
    if (pane === undefined || dots === undefined) throw new Error('no series');
    const edge = { ...dots, name: 'all, low', kind: 'line', dash: [], silent: true, group: 'all' } as const;
    const chart = { ...chartOf(3), panes: [{ ...pane, series: [edge, dots] }] };
    const { data } = chartPlot(chart, { width: 600, label: 11 }, 400, brush);
    expect(data.map((trace) => Reflect.get(trace, 'legendgroup'))).toEqual(['all', 'all']);
  });

  test('draw a small group next to a large one as pixels too, and distinguish them by their numbers', () => {
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
    expect(hoverTextOfDot(small, { ...pane, y }, 2)).toBe('2 mm at 30000');
    expect(hoverTextOfDot({ ...small, tips: ['a < b'] }, pane, 0)).toBe('a &lt; b');
  });

  test('thin a long line to the resolution of the plot, and state what its points represent', () => {
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

  test('leave space between labels with many digits and the title', () => {
    const boxOf = (to: number) => {
      const chart = chartOf(2);
      const panes = chart.panes.map((pane) => ({ ...pane, y: { ...pane.y, from: 40, to } }));
      return chartPlot({ ...chart, panes }, { width: 600, label: 11 }, 400, brush).boxes[0]?.left ?? 0;
    };
    expect(boxOf(40.002)).toBeGreaterThan(boxOf(50));
  });

  test('label a group with a hidden line by its dots', () => {
    const [pane] = chartOf(3).panes;
    const [dots] = pane?.series ?? [];
    if (pane === undefined || dots === undefined) throw new Error('no series');
    const line = { ...dots, kind: 'line', dash: [], silent: true } as const;
    const chart = { ...chartOf(3), panes: [{ ...pane, series: [line, dots] }] };
    const { data } = chartPlot(chart, { width: 600, label: 11 }, 400, brush);
    expect(data.map((trace) => Reflect.get(trace, 'showlegend'))).toEqual([false, true]);
  });
});
