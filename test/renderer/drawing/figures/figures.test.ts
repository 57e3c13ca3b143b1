/**
 * Labelled ticks of a figure's axis. Tables as figures: their cells, and the exported numbers. The launch explorer's
 * figures agree with the launch.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Extent, explainLaunch, type LaunchRequest } from '../../../../electron/domain/launch/launch.ts';
import { publishedLimitsOf } from '../../../../electron/domain/launch/occupancy.ts';
import { explainReduction, valuesAfterSteps } from '../../../../electron/domain/launch/reduction.ts';
import { deriveSession, parseSession, readCurrentRules } from '../../../../electron/host/app/sessions/index.ts';
import { occupancyChart } from '../../../../renderer/drawing/charts/occupancy-curve.ts';
import { figureCsv } from '../../../../renderer/drawing/export/figure.ts';
import {
  type FigureAxis,
  horizontalTicks,
  limitWithMargin,
  scaleOf,
} from '../../../../renderer/drawing/figures/axes.ts';
import { claimsFigure } from '../../../../renderer/drawing/figures/claims.ts';
import type { Figure } from '../../../../renderer/drawing/figures/figure.ts';
import { reductionFigure, reductionValuesFigure } from '../../../../renderer/drawing/figures/reduction.ts';
import { tableFigure } from '../../../../renderer/drawing/figures/table.ts';
import { iterationsOf, strideFigure, threadMapFigure } from '../../../../renderer/drawing/figures/thread-map.ts';

describe('axes and labels', () => {
  const LABEL = 11;
  const time: FigureAxis = { title: 'Time', unit: '', kind: 'log', from: 15, to: 170, format: (us) => `${us} µs` };
  const box = (width: number) => ({ left: 0, top: 0, width, height: 50 });

  /** Free pixels between neighbouring labels; `width` is the width of a digit. */
  function labelGaps(axis: FigureAxis, width: number): readonly number[] {
    const { toPixel } = scaleOf(axis, 0, width);
    const labels = horizontalTicks(axis, box(width), LABEL).ticks.filter(({ label }) => label !== '');
    return labels.slice(1).map(({ value, label }, i) => {
      const before = labels[i];
      if (before === undefined) return 0;
      return toPixel(value) - toPixel(before.value) - 0.29 * 2 * LABEL * ((label.length + before.label.length) / 2);
    });
  }

  it('a logarithmic axis leaves the requested pixels beyond its largest value', () => {
    // A quarter of 200 pixels stays free if the two decades fill three quarters: the axis ends at 100 · 100^(1/3).
    const to = limitWithMargin(1, 100, 200, 50);
    expect(to).toBeCloseTo(464.159, 3);
    expect(scaleOf({ ...time, from: 1, to }, 0, 200).toPixel(100)).toBeCloseTo(150, 9);
  });

  describe('labels of a horizontal axis', () => {
    it.each([300, 500, 800, 1200])('never touch on a logarithmic axis of %d pixels', (width) => {
      for (const gap of labelGaps(time, width)) expect(gap).toBeGreaterThan(0.5 * LABEL);
    });

    it('are as many as fit without touching', () => {
      const labels = (width: number) =>
        horizontalTicks(time, box(width), LABEL).ticks.flatMap(({ label }) => label || []);
      expect(labels(1600)).toEqual(['20', '30', '40', '50', '60', '70', '80', '90', '100'].map((n) => `${n} µs`));
      expect(labels(600)).toEqual(['20', '30', '50', '100'].map((n) => `${n} µs`));
      expect(labels(180)).toEqual(['20', '50', '100'].map((n) => `${n} µs`));
    });

    it('do not touch on a linear axis either', () => {
      const long: FigureAxis = { ...time, kind: 'linear', from: 0, to: 10, format: (x) => `${x.toFixed(1)} thousand` };
      for (const gap of labelGaps(long, 500)) expect(gap).toBeGreaterThan(0.5 * LABEL);
      expect(labelGaps(long, 500).length).toBeGreaterThan(0);
    });
  });
});

describe('figures of tables', () => {
  const texts = (figure: Figure) => figure.shapes.flatMap((shape) => (shape.kind === 'text' ? [shape] : []));

  describe('a table as a figure', () => {
    const figure = tableFigure(
      'Balance',
      [
        { title: '', align: 'left', texts: ['In', 'Escaped at the sides', 'at low x'], numbers: null },
        {
          title: 'Protons',
          align: 'right',
          texts: ['1', '0.25', ''],
          numbers: { name: 'protons', unit: '', description: 'protons', values: [1, 0.25, Number.NaN] },
        },
      ],
      [{ strong: true }, {}, { part: true }],
      'Water, window, fp32',
      11,
    );

    it('is wide enough for its longest text, and indents sub-rows', () => {
      const all = texts(figure);
      const at = (text: string) => all.find((shape) => shape.text === text)?.at[0] ?? Number.NaN;
      expect(at('at low x')).toBe(at('In') + 11);
      expect(at('Protons')).toBe(at('0.25'));
      expect(at('0.25')).toBeLessThanOrEqual(figure.width);
      expect(all.find(({ text }) => text === 'In')?.bold).toBe(true);
      expect(all.at(-1)?.text).toBe('Water, window, fp32');
    });

    it('puts its numbers into columns, and its words into notes', () => {
      expect(figureCsv(figure.arrays).split('\n').slice(0, 3)).toEqual(['row,protons', '1,1', '2,0.25']);
      expect(figure.notes).toMatchObject({ row_1: 'In', row_3: 'at low x' });
    });
  });

  it('has a line for every claim of a recorded session, with the claimed and the measured value', async () => {
    const file = path.resolve(import.meta.dirname, '../../../../assets/runs/h200-uniform-grid-70MeV.json');
    const current = await readCurrentRules(path.resolve(import.meta.dirname, '../../../../assets'));
    const [report] = deriveSession(parseSession(readFileSync(file, 'utf8'), file), current).reports;
    const claims = (report?.claims ?? []).map((claim) => ({ ...claim, values: [] }));
    const figure = claimsFigure(claims, 'NVIDIA H200', 11);
    const lines = claims.reduce((sum, { pairs }) => sum + Math.max(1, pairs.length), 0);
    const measured = figure.arrays.find(({ name }) => name === 'measured')?.values ?? [];
    expect(measured).toHaveLength(lines);
    const gains = claims.flatMap(({ pairs }) => pairs.flatMap(({ gain }) => gain?.value ?? []));
    // The figure draws a claim's other candidates after its own pairs.
    const sorted = (values: Iterable<number>) => [...values].sort((a, b) => a - b);
    expect(sorted(measured.filter(Number.isFinite))).toEqual(sorted(gains));
    expect(gains.length).toBeGreaterThan(3);
  });
});

describe('figures of launches', () => {
  const h200 = publishedLimitsOf('sm_90');
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
    it('shows every element of a small problem once, and the threads without an element', () => {
      const figure = threadMapFigure(launchOf({ elements: [700, 1, 1] }), 3, size);
      // Eight blocks of 96 threads.
      expect(values(figure, 'element')).toEqual(Array.from({ length: 768 }, (_, i) => i));
      expect(values(figure, 'thread').slice(0, 700)).toEqual(Array.from({ length: 700 }, (_, i) => i));
      expect(values(figure, 'thread').slice(700).every(Number.isNaN)).toBe(true);
      expect(tips(figure)[97]).toBe('element 97: block 1, thread 1 (warp 0, lane 1)');
      expect(tips(figure)[750]).toContain('no element');
    });

    it('shows the ends of a long grid-stride loop, and every pass of the chosen thread', () => {
      const launch = launchOf({
        elements: [100_000_000, 1, 1],
        mapping: 'grid-stride',
        blocks: 500,
        block: [256, 1, 1],
      });
      const figure = threadMapFigure(launch, 130, size);
      const elements = values(figure, 'element');
      const framed = elements.filter((_, i) => values(figure, 'thread')[i] === 130);
      expect(framed).toEqual([0, 1, 2, 3, 4].map((turn) => 130 + turn * 128_000));
      expect(elements.at(-1)).toBe(99_999_999);
      expect(elements.length).toBeLessThan(64 * 15);
    });
  });

  it('the occupancy curve ends at the occupancy of the launch', () => {
    const launch = launchOf({ block: [256, 1, 1] });
    const figure = occupancyChart(kernel, h200, launch);
    const at = values(figure, 'threads').indexOf(256);
    expect(values(figure, 'occupancy')[at]).toBe(launch.occupancy.share);
    expect(values(figure, 'registers_blocks')[at]).toBe(launch.occupancy.allows.registers);
  });

  it('the tree of a sum has a cell for each warp in each step', () => {
    const figure = reductionFigure(explainReduction('divergent', 256), 256, size);
    expect(tips(figure)).toContain('warp 0: 16 of 32 lanes add, divergent');
    expect(tips(figure)).toContain('warp 7: 0 of 32 lanes add');
    expect(values(figure, 'threads')).toEqual([128, 64, 32, 16, 8, 4, 2, 1]);
  });

  describe('the values of a sum', () => {
    const ones = (threads: number): readonly number[] => new Array<number>(threads).fill(1);

    it('are shown in each cell with what was added', () => {
      const figure = reductionValuesFigure('sequential', valuesAfterSteps('sequential', ones(64)), 2, size);
      expect(tips(figure)).toContain('s[0] = 4: 2 + 2 of s[16]');
      expect(tips(figure)).toContain('s[63] = 1');
      expect(values(figure, 'value').slice(0, 20)).toEqual([...new Array(16).fill(4), 2, 2, 2, 2]);
      expect(values(figure, 'added_from')[1]).toBe(17);
      expect(values(figure, 'added_from')[17]).toBeNaN();
      const frames = figure.shapes.filter((shape) => shape.kind === 'frame');
      // Sixteen frames for the elements that were read, and one in the legend.
      expect(frames.length).toBe(17);
    });

    it('marks lanes that read beyond their warp, and missing lanes', () => {
      const whole = reductionValuesFigure('shuffle', valuesAfterSteps('shuffle', ones(32)), 1, size);
      expect(tips(whole)).toContain('thread 20: v = 2: the lane read beyond its warp and got its own value');
      const five = reductionValuesFigure('shuffle', valuesAfterSteps('shuffle', ones(5)), 1, size);
      expect(tips(five)).toContain('thread 2: v = 1: thread 6 does not exist');
    });

    it('are shown only if their digits fit', () => {
      const numbers = Array.from({ length: 1024 }, (_, t) => t);
      const figure = reductionValuesFigure('sequential', valuesAfterSteps('sequential', numbers), 10, size);
      const words = figure.shapes.flatMap((shape) => (shape.kind === 'text' ? [shape.text] : []));
      expect(words).toContain('524k');
      expect(tips(figure)[0]).toContain('s[0] = 523\u202f776');
    });
  });

  describe('a grid-stride loop', () => {
    const launch = launchOf({ elements: [1000, 1, 1], mapping: 'grid-stride', blocks: 4, block: [96, 1, 1] });

    it('shows the range of each pass by its blocks, and the element of the chosen thread', () => {
      expect(iterationsOf(launch)).toBe(3);
      const figure = strideFigure(launch, 100, 1, size);
      expect(tips(figure)).toContain('iteration 2: elements 384 to 767');
      expect(tips(figure)).toContain('block 3');
      expect(tips(figure)).toContain('thread 4 processes element 484; warp 0, lane 4');
      expect(values(figure, 'element')).toEqual([100, 484, 868]);
    });

    it('shows which threads exit in its last pass', () => {
      const none = strideFigure(launch, 300, 2, size);
      expect(tips(none)).toContain('block 2');
      const words = none.shapes.flatMap((shape) => (shape.kind === 'text' ? [shape.text] : []));
      expect(words).toContain('Block 3 has no element in this iteration: its threads leave the loop.');
      expect(tips(strideFigure(launch, 240, 2, size))).toContain('thread 48 has no element left; warp 1, lane 16');
      expect(values(none, 'element')[2]).toBeNaN();
    });

    it('merges blocks that cannot be distinguished, and stays small', () => {
      const long = launchOf({ elements: [2 ** 31, 1, 1], mapping: 'grid-stride', blocks: 100_000, block: [256, 1, 1] });
      const figure = strideFigure(long, 0, 3, size);
      expect(figure.shapes.length).toBeLessThan(1000);
      expect(tips(figure).some((tip) => /^blocks 0 to \d+$/.test(tip))).toBe(true);
    });
  });
});
