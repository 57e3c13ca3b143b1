/**
 * Advice from a study: the fastest correct variant by region, the claims that hold, the coarsest grid that is fine
 * enough.
 */
import { describe, expect, test } from 'vitest';
import {
  deriveAdvice,
  fitConvergence,
  type StudyClaim,
} from '../../../../../../electron/host/model/studies/advice/index.ts';
import { findRegions, regionsText } from '../../../../../../electron/host/model/studies/advice/regions.ts';
import { head, type PointTimes, solvedPoint } from './solved.ts';

describe('regions of equal advice', () => {
  const told = (places: Parameters<typeof findRegions>[0]): string => regionsText(findRegions(places));

  test('have no condition if one label applies everywhere', () => {
    expect(
      told([
        { at: { n: 1 }, label: 'a' },
        { at: { n: 2 }, label: 'a' },
      ]),
    ).toBe('a');
  });

  test('are split along a number, with the tested values on both sides of each change', () => {
    const label = (n: number): string => (n < 30 ? 'small' : n < 300 ? 'middle' : 'large');
    const places = [10, 20, 40, 80, 160, 320].flatMap((n) =>
      ['fp32', 'fp64'].map((precision) => ({ at: { precision, n }, label: label(n) })),
    );
    expect(told(places)).toBe('small with n up to 20; middle with n from 40 to 160; large with n from 320');
  });

  test('are split along words, and by two values together', () => {
    const places = [1, 2, 3].flatMap((n) =>
      ['fp32', 'fp64'].map((precision) => ({ at: { n, precision }, label: precision === 'fp64' && n > 1 ? 'b' : 'a' })),
    );
    expect(told(places)).toBe(
      'a with precision is fp32; a with precision is not fp32, n up to 1; b with precision is not fp32, n from 2',
    );
  });

  test('count points that no condition distinguishes', () => {
    const places = ['a', 'a', 'b'].map((label) => ({ at: { n: 1 }, label }));
    expect(told(places)).toBe('a (2 of 3 points)');
  });
});

const ask = (rows: readonly PointTimes[], claims: readonly StudyClaim[] = [], study: object = {}, error_mm = 0.1) =>
  deriveAdvice(head(study), rows.map(solvedPoint), { claims, error_mm });

const at = (variant: string, n: number, time_s: number, rest: Partial<PointTimes> = {}): PointTimes => ({
  ...{ at: { 'solver.variant': variant, 'problem.n': n }, time_s, within: 0.01 * time_s },
  ...rest,
});

describe('the fastest correct variant', () => {
  test('is named by region, with its lead and the number of points', () => {
    const [line] = ask([at('plain', 64, 1), at('tiled', 64, 2), at('plain', 256, 9), at('tiled', 256, 3)]);
    expect(line?.text).toBe(
      'Fastest correct variant on desk, a CPU: plain with problem.n up to 64; tiled with problem.n from 256.',
    );
    expect(line?.evidence).toEqual([
      'plain: fastest at 1 of 2 points, 2× faster than the next',
      'tiled: fastest at 1 of 2 points, 3× faster than the next',
    ]);
  });

  test('is undecided if intervals overlap', () => {
    const [line] = ask([at('plain', 64, 1, { within: 0.2 }), at('tiled', 64, 1.1, { within: 0.2 })]);
    expect(line?.text).toContain('undecided');
    expect(line?.evidence).toContain('undecided at 1 point: the intervals of the two fastest overlap');
  });

  test('excludes a fast wrong one, whether it was checked or deviates from the others', () => {
    const checked = ask([
      at('fast', 64, 0.1, { readouts: { right: 'no' } }),
      at('slow', 64, 1, { readouts: { right: 'yes' } }),
    ]);
    expect(checked[0]?.text).toContain(': slow.');
    expect(checked[0]?.evidence.join()).toContain('excluded: fast at 1 point, because its result is wrong');
    const apart = ask([
      at('fast', 64, 0.1, { readouts: { r80_mm: 44 } }),
      at('slow', 64, 1, { readouts: { r80_mm: 40 } }),
      at('slower', 64, 2, { readouts: { r80_mm: 40.01 } }),
    ]);
    expect(apart[0]?.text).toContain(': slow.');
    expect(apart[0]?.evidence.join()).toContain('excluded: fast at 1 point');
  });

  test('is separate for each machine, with any doubts about the times', () => {
    const rows = [
      at('a', 1, 1),
      at('b', 1, 2),
      at('a', 1, 4, { machine: 'lab' }),
      at('b', 1, 3, { machine: 'lab', at_once: 2 }),
    ];
    expect(ask(rows).map(({ text }) => text)).toEqual([
      'Fastest correct variant on desk, a CPU: a.',
      'Fastest correct variant on lab, a CPU: b.',
    ]);
    expect(ask(rows)[1]?.evidence.at(-1)).toBe('times inflated at 1 point, because other points ran at the same time');
    const { within: _, ...once } = at('a', 1, 1);
    expect(ask([once, at('b', 1, 2)])[0]?.evidence.join()).toContain('fewer than five repeats');
  });

  test('is not named for a single variant', () => {
    expect(ask([at('a', 1, 1), at('a', 2, 1)])).toEqual([]);
  });
});

describe('claims evaluated on a study', () => {
  const claim: StudyClaim = {
    ...{ claim: 'Tiling', from: 2, to: 4, pairs: [{ slower: 'plain', faster: 'tiled', rival: false }] },
    appliesTo: () => true,
  };
  const rows = [
    ...[at('plain', 64, 1), at('tiled', 64, 0.9)],
    ...[at('plain', 256, 3), at('tiled', 256, 1)],
    ...[at('plain', 1024, 9), at('tiled', 1024, 1)],
  ];

  test('report where each claim holds, and where the gain is smaller or larger', () => {
    const found = ask(rows, [claim]).find(({ text }) => text.startsWith('Tiling'));
    expect(found?.text).toBe(
      'Tiling, claimed 2–4×: less with problem.n up to 64; as claimed with problem.n at 256; more with problem.n from 1024.',
    );
    expect(found?.evidence).toEqual(['plain → tiled: 1.11× to 9× at 3 points, desk, a CPU']);
  });

  test('are not judged from unrelated points, nor if they need another GPU', () => {
    const few = ask(rows, [{ ...claim, appliesTo: ({ settings }) => settings.some(({ value }) => value === 256) }]);
    expect(few.at(-1)?.text).toBe('Tiling, claimed 2–4×: as claimed.');
    const other = ask(rows, [{ ...claim, needs: 'a consumer GPU' }]).at(-1);
    expect(other?.text).toContain('not judged');
    expect(other?.evidence[1]).toBe('not judged here: needs a consumer GPU');
  });
});

describe('convergence of a study', () => {
  const study = { reference: { 'grid.dz_mm': 0.05, 'grid.dx_mm': 0.125 } };
  /** Second-order convergence in one step size, first-order in the other. */
  const r80 = (z: number, x: number): number => 40 + 2 * z ** 2 + 0.001 * x;
  const grid = (z: number, x: number): PointTimes => ({
    ...{ at: { 'grid.dz_mm': 0.05 * z, 'grid.dx_mm': 0.125 * x }, readouts: { r80_mm: r80(0.05 * z, 0.125 * x) } },
  });
  const rows = [grid(8, 8), grid(4, 4), grid(2, 2), grid(1, 1), grid(2, 4), grid(4, 2)];

  test('reports order, limit, the coarsest adequate grid, and the effect of each step alone', () => {
    const [line] = ask(rows, [], study, 0.1);
    expect(line?.text).toBe('r80_mm to 0.1 mm: grid.dz_mm = 0.2, grid.dx_mm = 0.5 is fine enough.');
    expect(line?.evidence[0]).toMatch(/^order 2(\.0)?, converges to 40\.0000/);
    expect(line?.evidence[2]).toMatch(/^halving one step alone changes it by -0\.06 mm \(grid\.dz_mm\), -0\.00025 mm/);
    expect(ask(rows, [], study, 0.001)[0]?.text).toContain('no grid in this study is fine enough');
  });

  test('finds the order of a scheme if there is one', () => {
    const answers = (f: (h: number) => number) => new Map([1, 2, 4, 8].map((h) => [h, f(h)] as const));
    const fit = fitConvergence(answers((h) => 7 - 0.3 * h ** 1.5));
    expect(fit?.order).toBeCloseTo(1.5, 9);
    expect(fit?.limit).toBeCloseTo(7, 9);
    expect(fit?.errors.get(4)).toBeCloseTo(0.3 * 8, 9);
    const uneven = fitConvergence(answers((h) => (h === 2 ? 5 : 4)));
    expect(uneven).toMatchObject({ order: null, limit: 4 });
    expect(uneven?.errors.get(1)).toBe(1);
    expect(
      fitConvergence(
        new Map([
          [1, 2],
          [3, 4],
        ]),
      ),
    ).toBeNull();
  });
});
