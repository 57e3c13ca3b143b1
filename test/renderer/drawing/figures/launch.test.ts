/** The launch explorer's figures say what the launch does. */
import { describe, expect, it } from 'vitest';
import { type Extent, explainLaunch, type LaunchRequest } from '../../../../electron/contract/launch/launch.ts';
import { publishedFor } from '../../../../electron/contract/launch/limits.ts';
import { reducedValues, reductionOf } from '../../../../electron/contract/launch/reduction.ts';
import { occupancyChart } from '../../../../renderer/drawing/charts/occupancy-curve.ts';
import type { Figure } from '../../../../renderer/drawing/figures/figure.ts';
import { reductionFigure } from '../../../../renderer/drawing/figures/reduction-tree.ts';
import { reductionValuesFigure } from '../../../../renderer/drawing/figures/reduction-values.ts';
import { strideFigure, turnsOf } from '../../../../renderer/drawing/figures/stride-loop.ts';
import { threadMapFigure } from '../../../../renderer/drawing/figures/thread-map.ts';

const h200 = publishedFor('sm_90');
if (h200 === null) throw new Error('sm_90 is not in the table');
const kernel = { registers: 40, shared_bytes: 0, barriers: 1 };
const launchOf = (more: Partial<LaunchRequest>) =>
  explainLaunch(kernel, h200, {
    elements: [1000, 1, 1] as Extent,
    block: [96, 1, 1],
    mapping: 'one-per-thread',
    blocks: null,
    dynamic_bytes: 0,
    ...more,
  });
const size = { width: 860, label: 11 };
const values = (figure: Pick<Figure, 'arrays'>, name: string): readonly number[] =>
  Array.from(figure.arrays.find((one) => one.name === name)?.values ?? []);
const tips = (figure: Figure): readonly string[] =>
  figure.shapes.flatMap((shape) => (shape.kind === 'rect' && shape.tip !== undefined ? [shape.tip] : []));

describe('the map of threads', () => {
  it('holds every element of a small problem once, and the threads without one', () => {
    const figure = threadMapFigure(launchOf({ elements: [700, 1, 1] }), 3, size);
    // Eight blocks of 96.
    expect(values(figure, 'element')).toEqual(Array.from({ length: 768 }, (_, i) => i));
    expect(values(figure, 'thread').slice(0, 700)).toEqual(Array.from({ length: 700 }, (_, i) => i));
    expect(values(figure, 'thread').slice(700).every(Number.isNaN)).toBe(true);
    expect(tips(figure)[97]).toBe('element 97: block 1, thread 1 (warp 0, lane 1)');
    expect(tips(figure)[750]).toContain('no element');
  });

  it('of a long grid-stride loop shows the ends, and every turn of the chosen thread', () => {
    const launch = launchOf({ elements: [100_000_000, 1, 1], mapping: 'grid-stride', blocks: 500, block: [256, 1, 1] });
    const figure = threadMapFigure(launch, 130, size);
    const elements = values(figure, 'element');
    const framed = elements.filter((_, i) => values(figure, 'thread')[i] === 130);
    expect(framed).toEqual([0, 1, 2, 3, 4].map((turn) => 130 + turn * 128_000));
    expect(elements.at(-1)).toBe(99_999_999);
    expect(elements.length).toBeLessThan(64 * 15);
  });
});

it('the curve of occupancy ends in what the launch has', () => {
  const launch = launchOf({ block: [256, 1, 1] });
  const figure = occupancyChart(kernel, h200, launch);
  const at = values(figure, 'threads').indexOf(256);
  expect(values(figure, 'occupancy')[at]).toBe(launch.occupancy.share);
  expect(values(figure, 'registers_blocks')[at]).toBe(launch.occupancy.allows.registers);
});

it('the tree of a sum has a cell for each warp of each step', () => {
  const figure = reductionFigure(reductionOf('divergent', 256), 256, size);
  expect(tips(figure)).toContain('warp 0: 16 of 32 lanes add, divergent');
  expect(tips(figure)).toContain('warp 7: 0 of 32 lanes add');
  expect(values(figure, 'threads')).toEqual([128, 64, 32, 16, 8, 4, 2, 1]);
});

describe('the values of a sum', () => {
  const ones = (threads: number): readonly number[] => new Array<number>(threads).fill(1);

  it('says in each cell what was added to what', () => {
    const figure = reductionValuesFigure('sequential', reducedValues('sequential', ones(64)), 2, size);
    expect(tips(figure)).toContain('s[0] = 4: 2 + 2 of s[16]');
    expect(tips(figure)).toContain('s[63] = 1');
    expect(values(figure, 'value').slice(0, 20)).toEqual([...new Array(16).fill(4), 2, 2, 2, 2]);
    expect(values(figure, 'added_from')[1]).toBe(17);
    expect(values(figure, 'added_from')[17]).toBeNaN();
    const frames = figure.shapes.filter((shape) => shape.kind === 'frame');
    // Sixteen that were read, and the legend's.
    expect(frames.length).toBe(17);
  });

  it('tells lanes that ask beyond their warp, and lanes that are not there', () => {
    const whole = reductionValuesFigure('shuffle', reducedValues('shuffle', ones(32)), 1, size);
    expect(tips(whole)).toContain('thread 20: v = 2: the lane asked beyond its warp and got its own value again');
    const five = reductionValuesFigure('shuffle', reducedValues('shuffle', ones(5)), 1, size);
    expect(tips(five)).toContain('thread 2: v = 1: thread 6 is not there');
  });

  it('shows a value only where its digits have room', () => {
    const numbers = Array.from({ length: 1024 }, (_, t) => t);
    const figure = reductionValuesFigure('sequential', reducedValues('sequential', numbers), 10, size);
    const words = figure.shapes.flatMap((shape) => (shape.kind === 'text' ? [shape.text] : []));
    expect(words).toContain('524k');
    expect(tips(figure)[0]).toContain('s[0] = 523\u202f776');
  });
});

describe('the loop over the data', () => {
  const launch = launchOf({ elements: [1000, 1, 1], mapping: 'grid-stride', blocks: 4, block: [96, 1, 1] });

  it('shows the stretch of a turn by its blocks, and the element of the chosen thread', () => {
    expect(turnsOf(launch)).toBe(3);
    const figure = strideFigure(launch, 100, 1, size);
    expect(tips(figure)).toContain('turn 2: elements 384 to 767');
    expect(tips(figure)).toContain('block 3');
    expect(tips(figure)).toContain('thread 4 does element 484; warp 0, lane 4');
    expect(values(figure, 'element')).toEqual([100, 484, 868]);
  });

  it('says which threads leave the loop in its last turn', () => {
    const none = strideFigure(launch, 300, 2, size);
    expect(tips(none)).toContain('block 2');
    const words = none.shapes.flatMap((shape) => (shape.kind === 'text' ? [shape.text] : []));
    expect(words).toContain('Block 3 has no element in this turn: its threads leave the loop.');
    expect(tips(strideFigure(launch, 240, 2, size))).toContain('thread 48 has none left; warp 1, lane 16');
    expect(values(none, 'element')[2]).toBeNaN();
  });

  it('joins blocks that cannot be told apart, and stays small', () => {
    const long = launchOf({ elements: [2 ** 31, 1, 1], mapping: 'grid-stride', blocks: 100_000, block: [256, 1, 1] });
    const figure = strideFigure(long, 0, 3, size);
    expect(figure.shapes.length).toBeLessThan(1000);
    expect(tips(figure).some((tip) => /^blocks 0 to \d+$/.test(tip))).toBe(true);
  });
});
