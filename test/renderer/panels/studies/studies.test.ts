/**
 * Text of a study's forecast, and the condition for confirming a long study. Expanded groups, and the differences
 * between two points. Density of lines: none is left out, and the selected range of an axis is the drawn one. Heat maps
 * and parallel coordinates: every point counts.
 */
import { describe, expect, test } from 'vitest';
import {
  defaultViewSettings,
  type StudyColumnInfo,
  type StudyForecast,
} from '../../../../electron/contract/study/calls.ts';
import { idAt, packedIds } from '../../../../electron/contract/study/result.ts';
import { differenceChart, differenceRows } from '../../../../renderer/panels/studies/chosen-points.tsx';
import { heatCells } from '../../../../renderer/panels/studies/heat-map.ts';
import {
  densityOf,
  nearestLine,
  parallelPlotOf,
  selectedLines,
  ticksOf,
  valueTextAt,
} from '../../../../renderer/panels/studies/parallel.ts';
import { intervalEndKeys, plottedColumns } from '../../../../renderer/panels/studies/results-plot.tsx';
import { groupCondition, shownColumns } from '../../../../renderer/panels/studies/results-table.tsx';
import { mergeColumns, missingColumns, NO_VALUES } from '../../../../renderer/panels/studies/use-rows.ts';
import { columnTitle, forecastText, isTooLong } from '../../../../renderer/panels/studies/words.ts';
import { solvedPoint } from '../../../electron/host/model/studies/advice/solved.ts';

describe('wording of studies', () => {
  const DAY_S = 24 * 3600;
  const forecast: StudyForecast = {
    ...{ machine: 'desk', cpu: 'EPYC', cores: 2, gpus: 0, probed: 2, expected_s: 180, isLeast: false },
    ...{ at_once: 2, memory_bytes: 3 * 2 ** 20 },
  };

  test('a forecast states machine, time, memory and its source', () => {
    expect(forecastText(forecast, false)).toBe(
      'On desk (EPYC, 2 cores): about 3 min 00 s, 2 points at a time, up to 3.00 MiB, estimated from 2 trial points.',
    );
    const alone = { ...forecast, cores: 1, gpus: 1, probed: 1, expected_s: 3 * DAY_S, isLeast: true, at_once: 1 };
    expect(forecastText({ ...alone, memory_bytes: null }, false)).toBe(
      'On desk (EPYC, 1 core, 1 GPU): more than 3.0 days, one point at a time, estimated from one trial point.',
    );
    expect(forecastText({ ...forecast, expected_s: null }, false)).toContain('no forecast');
    expect(forecastText(null, true)).toContain('Solving trial points');
    expect(forecastText(null, false)).toBe('');
  });

  test('a study of more than a day needs a confirmation, and a budget ends it in any case', () => {
    expect(isTooLong({ least_s: 2 * DAY_S }, null)).toBe(true);
    expect(isTooLong({ least_s: 60 }, { expected_s: 2 * DAY_S })).toBe(true);
    expect(isTooLong({ least_s: 60 }, { expected_s: 600 })).toBe(false);
    expect(isTooLong({ least_s: null }, { expected_s: null })).toBe(false);
    expect(isTooLong({ least_s: 2 * DAY_S }, null, { minutes: 5 })).toBe(false);
  });
});

describe('cached values of points', () => {
  const numbers = Float64Array.of(1, Number.NaN, 3);
  const column = (key: string) => ({ key, numbers, texts: null });
  const points = packedIds(['00000000000000a0', 'ffffffff00000001', '0123456789abcdef']);
  const first = mergeColumns(NO_VALUES, { rows: 'all', points, columns: [column('a'), column('b')] }, ['a', 'b']);

  test('each point has its own value even if texts repeat', () => {
    const texts = { different: ['fp32', ''], of: Uint32Array.of(0, 1, 0) };
    const columns = [column('a'), { key: 'b', numbers: null, texts }];
    expect(mergeColumns(NO_VALUES, { rows: 'all', points, columns }, ['a', 'b'])).toEqual({
      rows: 'all',
      points,
      columns: [columns[0], { key: 'b', numbers: null, texts: ['fp32', '', 'fp32'] }],
    });
    expect(mergeColumns(NO_VALUES, { rows: 'none', points: new Uint32Array(), columns: [] }, [])).toEqual({
      ...{ rows: 'none', points: new Uint32Array(), columns: [] },
    });
  });

  test('columns of the same rows are reused, with their points', () => {
    expect(missingColumns(first, ['b', 'c'])).toEqual(['c']);
    const next = mergeColumns(first, { rows: 'all', points: null, columns: [column('c')] }, ['b', 'c']);
    expect(next.points).toBe(first.points);
    expect(missingColumns(next, ['a', 'b', 'c'])).toEqual([]);
  });

  test('columns of other rows are dropped', () => {
    const next = mergeColumns(first, { rows: 'fewer', points: points.slice(0, 2), columns: [column('c')] }, ['b', 'c']);
    expect(next.points).toHaveLength(2);
    expect([0, 1].map((i) => idAt(next.points, i))).toEqual(['00000000000000a0', null]);
    expect([1, 2].map((i) => idAt(points, i))).toEqual(['ffffffff00000001', '0123456789abcdef']);
    expect(missingColumns(next, ['b', 'c'])).toEqual(['b']);
  });

  test('hidden data is cached for some plots and then dropped; visible data stays', () => {
    let values = first;
    for (let k = 0; k < 20; k += 1)
      values = mergeColumns(values, { rows: 'all', points: null, columns: [column(`c${k}`)] }, ['a', `c${k}`]);
    expect(missingColumns(values, ['a', 'c19', 'c18'])).toEqual([]);
    expect(missingColumns(values, ['b', 'c0'])).toEqual(['b', 'c0']);
    expect(values.columns.length).toBeLessThan(12);
  });
});

describe('columns and points of studies', () => {
  const column = (of: StudyColumnInfo['of'], name: string, rest: Partial<StudyColumnInfo> = {}): StudyColumnInfo => ({
    ...{ key: `${of} ${name}`, name, unit: '', of, equal: false, numeric: true },
    ...rest,
  });

  test('a unit is not repeated if the name ends with it', () => {
    const titles = [
      ['r80_mm', 'mm'],
      ['plateau_MeV_per_mm', 'MeV/mm'],
      ['beam.energy_MeV', 'MeV'],
      ['threads', ''],
      ['atom', 'mm'],
    ] as const;
    expect(titles.map(([name, unit]) => columnTitle({ name, unit }))).toEqual([
      ...['r80_mm', 'plateau_MeV_per_mm', 'beam.energy_MeV', 'threads', 'atom [mm]'],
    ]);
  });

  test('a group has a condition, or none if it cannot be written', () => {
    const columns = [column('axis', 'solver.variant'), column('axis', 'problem.n')];
    const groups = ['axis solver.variant', 'axis problem.n'];
    expect(groupCondition(columns, ['a "b"', -2.5e-7], groups)).toBe(
      `solver.variant == 'a "b"' && problem.n == -2.5e-7`,
    );
    expect(groupCondition(columns, [null, 1], groups)).toBeNull();
    expect(groupCondition([column('axis', 'a+b')], ['x'], ['axis a+b'])).toBeNull();
  });

  test('visible columns always include groups and points, equal ones on request, and machines if grouped by them', () => {
    const columns = [
      ...[column('point', 'point', { equal: true }), column('axis', 'n', { equal: true }), column('where', 'machine')],
      ...[column('group', 'machines', { equal: true })],
    ];
    const names = (look: Partial<typeof defaultViewSettings>) =>
      shownColumns(columns, { ...defaultViewSettings, ...look }).map((one) => one.column.name);
    expect(names({})).toEqual(['point']);
    expect(names({ hideEqual: false })).toEqual(['point', 'n']);
    expect(names({ groups: ['where machine'] })).toEqual(['point', 'machine']);
  });

  test('two points show where and by how much they differ, with their common curves overlaid', () => {
    const pointOf = (time_s: number, r80_mm: number, y: readonly number[]) => {
      const { line, result } = solvedPoint({ at: { n: 1 }, time_s, readouts: { r80_mm, right: 'yes' } });
      const curve = {
        name: 'dose',
        unit: 'MeV/mm',
        axis: 'depth',
        axis_unit: 'mm',
        positions: [0, 1, 2],
        values: [...y],
      };
      return { id: line.id, settings: 'n = 1', result: { ...result, curves: [curve] } };
    };
    const [a, b] = [pointOf(2, 40, [1, 2, 3]), pointOf(3, 40, [1, 2, 4])];
    expect(differenceRows(a, b)).toEqual([
      { name: 'time_s', unit: 's', values: ['2.00000', '3.00000'], difference: '1.000', ratio: '1.500' },
    ]);
    expect(differenceRows(a, b, true).map(({ name }) => name)).toContain('r80_mm');
    const chart = differenceChart(a, b);
    expect(chart?.panes[0]?.series.map(({ y }) => Array.from(y))).toEqual([
      [1, 2, 3],
      [1, 2, 4],
    ]);
    expect(differenceChart(a, { ...b, result: { ...b.result, curves: [] } })).toBeNull();
  });
});

describe('the density of lines in parallel coordinates', () => {
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

  test('every line crosses every column once', () => {
    const { width, height, counts } = densityOf(axes, selectedLines(axes, []), halves, size);
    expect([width, height]).toEqual([200, 101]);
    expect(new Set(columnSums(counts, width))).toEqual(new Set([LINES]));
  });

  test('a line runs from its crossing of one axis to its crossing of the next, with the largest value at the top', () => {
    const one = [Float32Array.of(0), Float32Array.of(1)];
    const { width, counts } = densityOf(one, new Uint8Array([1]), new Float32Array([1]), size);
    const heights = Array.from({ length: width }, (_, x) =>
      Array.from({ length: size.height }, (_, y) => counts[y * width + x] ?? 0).indexOf(1),
    );
    expect(heights[0]).toBe(100);
    expect(heights.at(-1)).toBe(0);
    expect(heights).toEqual(heights.toSorted((a, b) => b - a));
  });

  test('a selected range on an axis hides the other lines, and colours are means of those that remain', () => {
    const lower = selectedLines(axes, [[0, 0.1]]);
    expect(lower.reduce((a, b) => a + b)).toBe(LINES / 10);
    const two = selectedLines(axes, [[0, 0.1], null, [1, 1]]);
    expect(two.reduce((a, b) => a + b)).toBe(LINES / 20);
    const { width, counts, sums } = densityOf(axes, two, halves, size);
    expect(new Set(columnSums(counts, width))).toEqual(new Set([LINES / 20]));
    for (const [i, count] of counts.entries()) if (count > 0) expect((sums[i] ?? 0) / count).toBe(1);
  });

  test('lines over the same pixels are drawn once, so that very many lines with few values keep every column', () => {
    const many = new Float32Array(1_000_000);
    const on = new Uint8Array(many.length).fill(1);
    const { width, counts } = densityOf([many, many, many], on, many, { most: 1200, height: 2 });
    expect(width).toBe(1200);
    expect(counts.at(-1)).toBe(many.length);
  });

  test('very many different lines are drawn on fewer columns to limit the time', () => {
    const many = Float32Array.from({ length: 400_000 }, (_, i) => (i % 1000) / 999);
    const others = Float32Array.from(many, (_, i) => Math.floor(i / 1000) / 399);
    const on = new Uint8Array(many.length).fill(1);
    const { width } = densityOf([many, others], on, many, { most: 1200, height: 1000 });
    expect(width).toBeLessThan(100);
  });

  test('a click selects the nearest visible line, but none far away', () => {
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
});

describe('plots of a study', () => {
  const info = (name: string, rest: Partial<StudyColumnInfo> = {}): StudyColumnInfo => ({
    ...{ key: `axis ${name}`, name, unit: '', of: 'axis', equal: false, numeric: true },
    ...rest,
  });
  const numbers = (name: string, ...values: number[]) => ({ info: info(name), numbers: Float64Array.from(values) });
  const texts = (name: string, ...values: string[]) => ({ info: info(name, { numeric: false }), texts: values });

  describe('a heat map', () => {
    test('shows the median of the points in a cell, and nothing in an empty cell', () => {
      const cells = heatCells(
        numbers('n', 64, 64, 64, 256, 64),
        texts('variant', 'tiled', 'tiled', 'tiled', 'plain', 'plain'),
        numbers('time', 1, 5, 3, 9, Number.NaN),
      );
      expect(cells).toEqual({
        ...{ across: ['64', '256'], up: ['plain', 'tiled'], binned: [] },
        values: [
          [null, 9],
          [3, null],
        ],
        counts: [
          [0, 1],
          [3, 0],
        ],
      });
    });

    test('bins very many values, reports the binning, and loses no value', () => {
      const many = Array.from({ length: 100_000 }, (_, i) => i / 7);
      const cells = heatCells(
        numbers('x', ...many.slice(0, 5000)),
        numbers('y', ...many.slice(0, 5000)),
        numbers('z', ...many.slice(0, 5000)),
      );
      expect(cells.binned).toEqual(['x', 'y']);
      expect(cells.counts.flat().reduce((sum, count) => sum + count)).toBe(5000);
    });
  });

  describe('parallel coordinates', () => {
    const sides = [
      texts('variant', 'tiled', 'plain', 'tiled', 'plain'),
      numbers('n', 1, 1000, 0, 10),
      numbers('time', 3, 4, 5, Number.NaN),
    ];
    const { axes, rows, omitted } = parallelPlotOf(sides, new Set(['axis n']));
    const [variant, n, time] = axes;
    if (variant === undefined || n === undefined || time === undefined) throw new Error('an axis is missing');

    test('omit points with a missing number or a number that an axis cannot show', () => {
      expect([...rows]).toEqual([0, 1]);
      expect(omitted).toBe(2);
      expect(axes.map(({ at }) => [...at])).toEqual([
        [1, 0],
        [0, 1],
        [0, 1],
      ]);
    });

    test('sort words, and give logarithmic axes decades', () => {
      expect(ticksOf(variant, 400, 11).ticks).toEqual([
        { at: 0, text: 'plain' },
        { at: 1, text: 'tiled' },
      ]);
      const labelled = ticksOf(n, 400, 11).ticks.filter(({ text }) => text !== '');
      expect(labelled.map(({ text }) => text)).toEqual(['10⁰', '10¹', '10²', '10³']);
      expect(labelled[1]?.at).toBeCloseTo(1 / 3);
      expect([valueTextAt(variant, 0.9), valueTextAt(n, 1 / 3), valueTextAt(time, 0.5)]).toEqual([
        'tiled',
        '10.00',
        '3.500',
      ]);
    });

    test('thin out words that exceed the height of an axis, and centre a single value', () => {
      const many = Array.from({ length: 100 }, (_, i) => `v${i}`);
      const [words, same] = parallelPlotOf(
        [texts('w', ...many), numbers('same', ...many.map(() => 7))],
        new Set(),
      ).axes;
      expect(words === undefined ? 0 : ticksOf(words, 140, 10).ticks.length).toBeLessThan(15);
      expect(new Set(same?.at)).toEqual(new Set([0.5]));
    });

    test('give a logarithmic axis of less than a decade linear ticks, at their logarithmic positions', () => {
      const [short] = parallelPlotOf([numbers('energy', 20, 29)], new Set(['axis energy'])).axes;
      const found = short === undefined ? [] : ticksOf(short, 400, 11).ticks;
      const [, second, third] = found;
      expect(found.map(({ text }) => text)).toEqual(['20', '21', '22', '23', '24', '25', '26', '27', '28', '29']);
      expect(second?.at).toBeCloseTo(Math.log(21 / 20) / Math.log(29 / 20));
      expect((third?.at ?? 0) - (second?.at ?? 0)).toBeLessThan(second?.at ?? 0);
    });

    test('put a power of ten that labels omit into the title', () => {
      const [large] = parallelPlotOf([numbers('bytes', 0, 3e9)], new Set()).axes;
      expect(large === undefined ? '' : ticksOf(large, 400, 11).title).toBe('bytes (10⁹)');
    });
  });

  test('the initial plot shows axes and measured values', () => {
    const columns = [
      info('point', { key: 'point point', of: 'point', numeric: false }),
      info('solver.variant', { numeric: false }),
      info('problem.n'),
      info('solve_s', { key: 'measure solve_s', of: 'measure' }),
      info('time_s', { key: 'measure time_s', of: 'measure' }),
    ];
    const { plot } = defaultViewSettings;
    expect(plottedColumns(columns, plot)).toMatchObject({
      x: 'axis problem.n',
      y: 'measure time_s',
      by: 'axis solver.variant',
    });
    expect(plottedColumns(columns, { ...plot, look: 'heat' })).toMatchObject({
      ...{ x: 'axis solver.variant', y: 'axis problem.n', value: 'measure time_s' },
    });
    expect(plottedColumns(columns, plot).along).toEqual(['axis solver.variant', 'axis problem.n', 'measure time_s']);
    expect(plottedColumns(columns, { ...plot, by: '', x: 'axis gone', y: 'measure solve_s' })).toMatchObject({
      ...{ x: 'axis problem.n', y: 'measure solve_s', by: '' },
    });
  });

  test('a Pareto front plots error against time, if a study has both', () => {
    const columns = [
      info('grid.dx_mm'),
      info('r80_mm', { key: 'measure r80_mm', of: 'measure' }),
      info('solve_s', { key: 'measure solve_s', of: 'measure' }),
      info('r80_mm', { key: 'error r80_mm', of: 'error' }),
    ];
    const plot = { ...defaultViewSettings.plot, look: 'pareto' as const };
    expect(plottedColumns(columns, plot)).toMatchObject({ x: 'measure solve_s', y: 'error r80_mm' });
    expect(plottedColumns(columns.slice(0, 3), plot)).toMatchObject({ x: 'measure solve_s', y: 'measure r80_mm' });
    expect(plottedColumns(columns, { ...plot, x: 'axis grid.dx_mm' }).x).toBe('axis grid.dx_mm');
    expect(plottedColumns(columns, { ...plot, look: 'lines' }).x).toBe('axis grid.dx_mm');
  });

  test('times have intervals, but two sides of a box have none', () => {
    expect(intervalEndKeys('measure solve_s')).toEqual(['measure solve_s_low', 'measure solve_s_high']);
    expect(intervalEndKeys('measure protons.escaped_x')).toEqual([]);
  });
});
