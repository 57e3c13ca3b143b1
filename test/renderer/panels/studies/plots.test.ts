/** Heat maps and parallel coordinates: every point counts. */
import { describe, expect, test } from 'vitest';
import type { StudyColumnInfo } from '../../../../electron/contract/study/calls.ts';
import { plainLook } from '../../../../electron/contract/study/views.ts';
import { heatCells } from '../../../../renderer/panels/studies/heat-map.ts';
import { parallelOf, ticksOf, wordsAt } from '../../../../renderer/panels/studies/parallel.ts';
import { chosenOf, endKeys } from '../../../../renderer/panels/studies/results-plot.tsx';

const info = (name: string, rest: Partial<StudyColumnInfo> = {}): StudyColumnInfo => ({
  ...{ key: `axis ${name}`, name, unit: '', of: 'axis', equal: false, numeric: true },
  ...rest,
});
const numbers = (name: string, ...values: number[]) => ({ info: info(name), numbers: Float64Array.from(values) });
const texts = (name: string, ...values: string[]) => ({ info: info(name, { numeric: false }), texts: values });

describe('a heat map', () => {
  test('has the median of what meets in a cell, and nothing where nothing is', () => {
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

  test('puts very many values into bins, says so, and loses none', () => {
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
  const { axes, rows, left } = parallelOf(sides, new Set(['axis n']));
  const [variant, n, time] = axes;
  if (variant === undefined || n === undefined || time === undefined) throw new Error('an axis is missing');

  test('points without a number on some axis, or none that it can show, have no line', () => {
    expect([...rows]).toEqual([0, 1]);
    expect(left).toBe(2);
    expect(axes.map(({ at }) => [...at])).toEqual([
      [1, 0],
      [0, 1],
      [0, 1],
    ]);
  });

  test('words stand in order, logarithmic axes have decades', () => {
    expect(ticksOf(variant, 400, 11).ticks).toEqual([
      { at: 0, text: 'plain' },
      { at: 1, text: 'tiled' },
    ]);
    const labelled = ticksOf(n, 400, 11).ticks.filter(({ text }) => text !== '');
    expect(labelled.map(({ text }) => text)).toEqual(['10⁰', '10¹', '10²', '10³']);
    expect(labelled[1]?.at).toBeCloseTo(1 / 3);
    expect([wordsAt(variant, 0.9), wordsAt(n, 1 / 3), wordsAt(time, 0.5)]).toEqual(['tiled', '10.00', '3.500']);
  });

  test('more words than an axis has lines are thinned; one value stands in the middle', () => {
    const many = Array.from({ length: 100 }, (_, i) => `v${i}`);
    const [words, same] = parallelOf([texts('w', ...many), numbers('same', ...many.map(() => 7))], new Set()).axes;
    expect(words === undefined ? 0 : ticksOf(words, 140, 10).ticks.length).toBeLessThan(15);
    expect(new Set(same?.at)).toEqual(new Set([0.5]));
  });

  test('a logarithmic axis within a decade has plain steps, as they lie on its scale', () => {
    const [short] = parallelOf([numbers('energy', 20, 29)], new Set(['axis energy'])).axes;
    const found = short === undefined ? [] : ticksOf(short, 400, 11).ticks;
    const [, second, third] = found;
    expect(found.map(({ text }) => text)).toEqual(['20', '21', '22', '23', '24', '25', '26', '27', '28', '29']);
    expect(second?.at).toBeCloseTo(Math.log(21 / 20) / Math.log(29 / 20));
    expect((third?.at ?? 0) - (second?.at ?? 0)).toBeLessThan(second?.at ?? 0);
  });

  test('a power of ten that labels leave out stands in the title', () => {
    const [large] = parallelOf([numbers('bytes', 0, 3e9)], new Set()).axes;
    expect(large === undefined ? '' : ticksOf(large, 400, 11).title).toBe('bytes (10⁹)');
  });
});

test('what is plotted before anybody chooses: axes, and what was measured', () => {
  const columns = [
    info('point', { key: 'point point', of: 'point', numeric: false }),
    info('solver.variant', { numeric: false }),
    info('problem.n'),
    info('solve_s', { key: 'measure solve_s', of: 'measure' }),
    info('time_s', { key: 'measure time_s', of: 'measure' }),
  ];
  const { plot } = plainLook;
  expect(chosenOf(columns, plot)).toMatchObject({
    x: 'axis problem.n',
    y: 'measure time_s',
    by: 'axis solver.variant',
  });
  expect(chosenOf(columns, { ...plot, look: 'heat' })).toMatchObject({
    ...{ x: 'axis solver.variant', y: 'axis problem.n', value: 'measure time_s' },
  });
  expect(chosenOf(columns, plot).along).toEqual(['axis solver.variant', 'axis problem.n', 'measure time_s']);
  expect(chosenOf(columns, { ...plot, by: '', x: 'axis gone', y: 'measure solve_s' })).toMatchObject({
    ...{ x: 'axis problem.n', y: 'measure solve_s', by: '' },
  });
});

test('a Pareto front is of error against time, where a study has both', () => {
  const columns = [
    info('grid.dx_mm'),
    info('r80_mm', { key: 'measure r80_mm', of: 'measure' }),
    info('solve_s', { key: 'measure solve_s', of: 'measure' }),
    info('r80_mm', { key: 'error r80_mm', of: 'error' }),
  ];
  const plot = { ...plainLook.plot, look: 'pareto' as const };
  expect(chosenOf(columns, plot)).toMatchObject({ x: 'measure solve_s', y: 'error r80_mm' });
  expect(chosenOf(columns.slice(0, 3), plot)).toMatchObject({ x: 'measure solve_s', y: 'measure r80_mm' });
  expect(chosenOf(columns, { ...plot, x: 'axis grid.dx_mm' }).x).toBe('axis grid.dx_mm');
  expect(chosenOf(columns, { ...plot, look: 'lines' }).x).toBe('axis grid.dx_mm');
});

test('times have intervals; two sides of a box are none', () => {
  expect(endKeys('measure solve_s')).toEqual(['measure solve_s_low', 'measure solve_s_high']);
  expect(endKeys('measure protons.escaped_x')).toEqual([]);
});
