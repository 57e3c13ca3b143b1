/** The launch explorer's figures say what the launch does. */
import { describe, expect, it } from 'vitest';
import { type Extent, explainLaunch, type LaunchRequest } from '../../../../electron/contract/launch/launch.ts';
import { publishedFor } from '../../../../electron/contract/launch/limits.ts';
import { reductionOf } from '../../../../electron/contract/launch/reduction.ts';
import { occupancyChart } from '../../../../renderer/drawing/charts/occupancy-curve.ts';
import type { Figure } from '../../../../renderer/drawing/figures/figure.ts';
import { reductionFigure } from '../../../../renderer/drawing/figures/reduction-tree.ts';
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
