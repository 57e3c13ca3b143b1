/**
 * Borders of regions under the pointer, and the result of dragging one. Initial selection of variants and sessions,
 * before the user chooses. Inputs to a gamma index of an overlaid depth dose: curves as drawn, relative to their peaks,
 * or in absolute terms.
 */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  type BenchInfo,
  type ExpectedTime,
  minSessionDuration_s,
  suggestedVariants,
} from '../../../electron/contract/bench/benches.ts';
import type { AxisName, FieldMap, MapAxis } from '../../../electron/contract/fields.ts';
import { gammaOfCurves } from '../../../electron/domain/dose/gamma-curve.ts';
import type { ShownDepthDose } from '../../../renderer/data/run-data.ts';
import { sessionToOffer } from '../../../renderer/panels/compare/compare-panel.tsx';
import { expectedText } from '../../../renderer/panels/compare/expected.ts';
import { selectedVariants, withoutSelection, withSelection } from '../../../renderer/panels/compare/store.ts';
import { gammaPairOf, protonsOf } from '../../../renderer/panels/depth-dose/overlays.tsx';
import { borderAt, borderEdit } from '../../../renderer/panels/dose-map/scene.ts';
import {
  axisDecimals,
  commonLimits,
  cutsFor,
  defaultAxes,
  hiddenText,
  limitsOf,
  phaseScene,
  positionOf,
  slots,
  withAxis,
} from '../../../renderer/panels/phase-space/maps.ts';
import { createComparisonStore } from '../../../renderer/state/comparison.ts';

const scenario = {
  geometry: {
    regions: [
      { name: 'slab', z_mm: [10, 16], x_mm: [-12, 12] },
      { name: 'rod', z_mm: [14, 20], x_mm: [-2, 2] },
    ],
  },
};
const near = { z: 0.5, x: 0.5 };
const pixel = { z: 0.07, x: 0.07 };

describe('the border under the pointer', () => {
  it('is the nearer end, along the axis that it bounds, of the topmost region', () => {
    expect(borderAt(scenario, { z: 10.3, x: 5 }, near)).toEqual({ axis: 'z', region: 0, end: 0 });
    expect(borderAt(scenario, { z: 15.8, x: 5 }, near)).toEqual({ axis: 'z', region: 0, end: 1 });
    expect(borderAt(scenario, { z: 17, x: 2.2 }, near)).toEqual({ axis: 'x', region: 1, end: 1 });
    expect(borderAt(scenario, { z: 14, x: 0 }, near)).toEqual({ axis: 'z', region: 1, end: 0 });
  });

  it('is absent inside a region, outside all of them, or where a border is not a number', () => {
    expect(borderAt(scenario, { z: 12, x: 5 }, near)).toBeNull();
    expect(borderAt(scenario, { z: 10, x: 20 }, near)).toBeNull();
    const typed = { geometry: { regions: [{ z_mm: [10, 'a'], x_mm: [-12, 12] }] } };
    expect(borderAt(typed, { z: 10, x: 0 }, near)).toBeNull();
    expect(borderAt({ geometry: {} }, { z: 10, x: 0 }, near)).toBeNull();
  });
});

describe('dragging a border', () => {
  it('moves in rounded steps of about one pixel', () => {
    const edit = borderEdit(scenario, { axis: 'z', region: 0, end: 0 }, { z: 11.2345, x: 0 }, pixel, [0, 48]);
    expect(edit).toEqual({ path: ['geometry', 'regions', 0, 'z_mm'], value: [11.2, 16] });
  });

  it('stays within the geometry and does not reach the other end, wherever the pointer is', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e3, max: 1e3, noNaN: true }),
        fc.double({ min: 0.001, max: 1, noNaN: true }),
        fc.constantFrom<0 | 1>(0, 1),
        (to, mm, end) => {
          const size = { z: mm, x: mm };
          const edit = borderEdit(scenario, { axis: 'z', region: 0, end }, { z: to, x: 0 }, size, [0, 48]);
          const [from, until] = edit?.value ?? [Number.NaN, Number.NaN];
          expect(from).toBeLessThan(until);
          expect(until).toBeLessThanOrEqual(48);
          expect(end === 0 ? until : from).toBe(end === 0 ? 16 : 10);
          expect(String(end === 0 ? from : until).length).toBeLessThan(9);
        },
      ),
    );
  });

  it('does nothing once the region is gone', () => {
    const border = { axis: 'x', region: 5, end: 1 } as const;
    expect(borderEdit(scenario, border, { z: 0, x: 0 }, pixel, [0, 48])).toBeNull();
  });
});

const knownVariants = ['scatter', 'gather', 'window', 'cuda-window', 'wrong'].map((id) => ({
  id,
  available: id !== 'cuda-window',
}));
const time = (variant: string, run_s: number | null, more: Partial<ExpectedTime> = {}): [string, ExpectedTime] => [
  variant,
  { variant, run_s, like: null, right: true, able: true, ...more },
];
const times = new Map([
  time('scatter', 20),
  time('gather', 0.5),
  time('window', 0.01),
  time('cuda-window', 0.001),
  time('wrong', 0.001, { right: false }),
]);
const place = { workload: 'transport', bench: '' } as const;
const savedConfig = { variants: ['diffraction-fp64'], touched: [], time_s: 60 };

describe('initially selected variants', () => {
  test('are the available, correct ones that fit the time limit, in the order of the ladder', () => {
    expect(suggestedVariants(knownVariants, times, 60)).toEqual(['gather', 'window']);
    expect(suggestedVariants(knownVariants, times, 600)).toEqual(['scatter', 'gather', 'window']);
    expect(suggestedVariants(knownVariants, times, 0.3)).toEqual(['window']);
    expect(suggestedVariants(knownVariants, new Map([time('gather', null)]), 600)).toEqual([]);
  });

  test('are all candidates of a user problem that this machine can run', () => {
    const candidates = ['a.cpp', 'b.py', 'c.cu'].map((id) => ({ id, available: id !== 'c.cu' }));
    expect(suggestedVariants(candidates, new Map(), 60)).toEqual(['a.cpp', 'b.py']);
  });

  test('include their first run, five rounds, five processes, and once more the reference in each', () => {
    expect(minSessionDuration_s([2, 1])).toBe(11 * 3 + 10 * 2);
  });

  test("keep the user's choice once one was changed, separately for each user", () => {
    expect(selectedVariants(savedConfig, place, knownVariants, times)).toEqual(['gather', 'window']);
    const changed = { ...savedConfig, ...withSelection(savedConfig, place, knownVariants, ['window']) };
    expect(changed.variants).toEqual(['diffraction-fp64', 'window']);
    expect(selectedVariants(changed, place, knownVariants, times)).toEqual(['window']);
    const none = { ...savedConfig, ...withSelection(savedConfig, place, knownVariants, []) };
    expect(selectedVariants(none, place, knownVariants, times)).toEqual([]);
    expect(selectedVariants({ ...none, ...withoutSelection(none, place) }, place, knownVariants, times)).toEqual([
      'gather',
      'window',
    ]);
  });

  test('show their time, and the source of the time', () => {
    expect(expectedText(undefined)).toBe('');
    expect(expectedText({ variant: 'a', run_s: 0.02384, like: null, right: true, able: true })).toBe(
      'about 24 ms per run',
    );
    expect(expectedText({ variant: 'a', run_s: 0.5, like: 'NVIDIA H200', right: false, able: true })).toBe(
      'about 500 ms per run, as on NVIDIA H200, its result is wrong',
    );
    expect(expectedText({ variant: 'a', run_s: null, like: null, right: true, able: true })).toBe('time not known');
    const reason = 'needs about 19.7 GiB, the limit is 17.7 GiB';
    expect(expectedText({ variant: 'a', run_s: null, like: null, right: true, able: false, reason })).toBe(reason);
  });
});

describe('a session shown without a GPU', () => {
  const info = (id: string, more: Partial<BenchInfo> = {}): BenchInfo =>
    ({
      id,
      workload: 'transport',
      bench: '',
      recorded: true,
      sweep: null,
      scenario: id,
      subjects: [],
      refused: [],
      ...more,
    }) as BenchInfo;

  test('is a shipped one, of the scenario in the form if available', () => {
    const stored = [
      info('mine', { recorded: false }),
      info('sweep', { sweep: 'grid.dx_mm' }),
      info('image', { workload: 'diffraction' }),
      info('other'),
      info('another', { subjects: [{ title: 'a', subject: { kind: 'run', run: 'a' } }] }),
      info('Water, 70 MeV'),
    ];
    expect(sessionToOffer(stored, place, 'Water, 70 MeV')?.id).toBe('Water, 70 MeV');
    expect(sessionToOffer(stored, place, 'new')?.id).toBe('another');
    expect(sessionToOffer(stored, { workload: 'micro', bench: 'atomics' }, 'new')).toBeNull();
  });

  test('disappears as soon as a selection is made, and does not return', () => {
    const store = createComparisonStore();
    const entry = (label: string) => ({ kind: 'entry', bench: 'b', report: 0, label }) as const;
    store.offer('transport', [entry('a'), entry('b')]);
    expect(store.getState().chosen.map(({ offered }) => offered)).toEqual([true, true]);
    store.add('micro', [entry('m')]);
    expect(store.getState().chosen).toHaveLength(3);
    store.add('transport', [entry('c')]);
    expect(store.getState().chosen.map(({ key }) => key)).toEqual(['entry b 0 m', 'entry b 0 c']);
    expect(store.getState().offered).toEqual(['transport']);
  });
});

describe('the gamma comparison of two doses', () => {
  const positions = Float64Array.of(0, 1, 2, 3);
  const values = Float64Array.of(1, 2, 4, 1);
  /** 1 MeV/mm in water is 160.2 nGy mm². */
  const nGy = 160.2176634;
  const curve = { quantity: 'depth dose', axis: 'depth', axisUnit: 'mm', positions };
  const shown = {
    curve: { ...curve, unit: 'MeV/mm', values },
    perMass: { ...curve, unit: 'nGy mm²', values: values.map((value) => value * nGy) },
    final: {},
  } as unknown as ShownDepthDose;

  const file = (factor: number, unit: string | null) => ({
    depth_mm: positions,
    dose: values.map((value) => value * factor),
    unit,
  });

  function passRate(
    overlay: ReturnType<typeof file>,
    scale: 'drawn' | 'peak' | 'absolute',
    protons = 1,
  ): number | string {
    const pair = gammaPairOf(shown, overlay, { unit: 'absolute', scale, protons });
    return typeof pair === 'string' ? pair : gammaOfCurves(...pair, { dose: 0.001, distance_mm: 0.001 }).passed;
  }

  test('passes over the peak for a dose 5 % too high, and fails in absolute terms', () => {
    expect(passRate(file(1.05, 'MeV/mm'), 'peak')).toBe(1);
    expect(passRate(file(1.05, 'MeV/mm'), 'absolute')).toBe(0);
    expect(passRate(file(1, 'MeV/mm'), 'absolute')).toBe(1);
  });

  test("compares a dose by mass with the run's dose by mass: that of one proton times the number of protons", () => {
    // MeV cm² g⁻¹ is a tenth of MeV/mm in water.
    expect(passRate(file(10, 'MeV cm2/g'), 'absolute')).toBe(1);
    expect(passRate(file(10, 'MeV cm2/g per proton'), 'absolute', 5)).toBe(0);
    expect(passRate(file(2, 'MeV cm2/g per proton'), 'absolute', 5)).toBe(1);
    expect(passRate(file(nGy, 'Gy mm² per 10⁹ protons'), 'absolute')).toBe(1);
  });

  test("uses the number of protons from the run's scenario", () => {
    const of = (scenario: object) => protonsOf({ scenario } as unknown as Parameters<typeof protonsOf>[0]);
    expect([of({ beam: { weight: 5 } }), of({}), protonsOf(null)]).toEqual([5, 1, 1]);
  });

  test('distinguishes files with and without an absolute unit, and runs without densities', () => {
    expect(passRate(file(1, null), 'absolute')).toMatch(/^the file gives no unit; allowed in its header: MeV\/mm/);
    expect(passRate(file(1, '%'), 'absolute')).toMatch(/^% is not an absolute unit/);
    expect(passRate(file(1, null), 'drawn')).toBe(1);
    const old = { ...shown, perMass: null } as unknown as ShownDepthDose;
    const reason = gammaPairOf(old, file(10, 'MeV cm2/g'), { unit: 'absolute', scale: 'absolute', protons: 1 });
    expect(reason).toMatch(/stored without densities/);
  });
});

const axis = (name: AxisName, from: number, to: number, count: number): MapAxis => ({
  name,
  unit: 'mm',
  from,
  to,
  count,
  cellsPerSample: 1,
  lastCells: 1,
  fullFrom: from,
  fullTo: to,
  edges: null,
});

const field = (min: number, max: number, minPositive: number): FieldMap => ({
  quantity: 'protons',
  unit: 'protons per cell',
  horizontal: axis('z', 0, 50, 100),
  vertical: axis('x', -20, 20, 80),
  values: new Float32Array(8000),
  min,
  max,
  statistic: 'mean',
  minPositive,
});

describe('the maps of phase space', () => {
  it('show every pair of x, angle and energy; depth, which has one value per keyframe, is only offered as the last axis', () => {
    const pairs = slots.map((slot) => new Set(Object.values(defaultAxes[slot])));
    expect(pairs).toEqual([new Set(['theta', 'x']), new Set(['e', 'x']), new Set(['theta', 'e']), new Set(['z', 'x'])]);
  });

  it('swap the axes of a map if the chosen one is already used', () => {
    expect(withAxis({ horizontal: 'z', vertical: 'x' }, 'horizontal', 'e')).toEqual({ horizontal: 'e', vertical: 'x' });
    expect(withAxis({ horizontal: 'z', vertical: 'x' }, 'horizontal', 'x')).toEqual({ horizontal: 'x', vertical: 'z' });
  });

  it('state how the hidden axes are reduced', () => {
    const axes = { horizontal: 'z', vertical: 'x' } as const;
    const cuts = [
      { axis: 'e', index: 40 },
      { axis: 'x', index: 3 },
    ] as const;
    // A cut along an axis that is now shown is discarded.
    expect(cutsFor(axes, cuts)).toEqual([{ axis: 'e', index: 40 }]);
    expect(hiddenText(axes, [{ axis: 'e', index: 40 }], ({ index }) => `at ${index}`)).toBe('Σθ, E at 40');
  });

  it('find the position of an axis cell from any map that shows the axis', () => {
    const shown = field(0, 1, 1e-3);
    expect(positionOf('z', 10, 100, [shown])).toBe(5.25);
    expect(positionOf('e', 10, 100, [shown])).toBeNull();
    const energy = { ...axis('e', 1, 8, 3), edges: Float64Array.of(1, 2, 4, 8) };
    expect(positionOf('e', 1, 3, [{ ...shown, vertical: energy }])).toBe(3);
    // Null if the map shows only some of the uneven cells of an axis.
    expect(positionOf('e', 1, 6, [{ ...shown, vertical: energy }])).toBeNull();
  });

  it('have limits around zero for a difference', () => {
    const difference = { ...field(-1, 0.5, 1e-3), quantity: 'protons difference' };
    expect(commonLimits([difference], 'log')).toEqual({ low: -1, high: 1 });
  });

  it('show the zoomed window of an axis, or the complete axis', () => {
    const shown = { run: 'a', field: field(0, 1, 1e-3), step: 1, depth_mm: 1 };
    const { horizontal, vertical } = phaseScene(shown, { z: [10, 20] });
    expect([horizontal.from, horizontal.to]).toEqual([10, 20]);
    expect([vertical.from, vertical.to]).toEqual([-20, 20]);
  });

  it('have common limits that cover every value of every map', () => {
    const fields = [field(0, 2, 1e-6), field(-1, 0.5, 1e-3)];
    expect(commonLimits(fields, 'linear')).toEqual({ low: -1, high: 2 });
    // On a logarithmic scale: values above zero in any field, over at most five decades.
    const log = commonLimits([field(0, 2, 1e-3), field(0, 0.5, 1e-4)], 'log');
    expect(log).toEqual({ low: 1e-4, high: 2 });
    expect(commonLimits([field(0, 2, 0)], 'log')?.low).toBeCloseTo(2e-5, 12);
    expect(commonLimits([], 'log')).toBeNull();
  });

  it('have separate limits until they are matched', () => {
    const config = { scale: 'linear', matched: false } as const;
    expect(limitsOf([field(0, 2, 1)], config)).toBeNull();
    expect(limitsOf([field(0, 2, 1)], { ...config, matched: true })).toEqual({ low: 0, high: 2 });
    // Limits set by dragging take precedence over both.
    expect(limitsOf([field(0, 2, 1)], { ...config, matched: true }, { low: 0.5, high: 1 })).toEqual({
      low: 0.5,
      high: 1,
    });
  });

  it.each([
    [50, 100, 2],
    [800, 160, 1],
    [0.001, 100, 4],
  ])('distinguish two cells of %s by %s', (extent, count, digits) => {
    expect(axisDecimals({ from: 0, to: extent, count })).toBe(digits);
  });
});
