import { describe, expect, it } from 'vitest';
import type { AxisName, FieldMap, MapAxis } from '../../../electron/contract/fields.ts';
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
  it('share an axis with the map above and with the map beside', () => {
    const [a, b, c, d] = slots.map((slot) => defaultAxes[slot]);
    expect([a?.horizontal, b?.horizontal]).toEqual([c?.horizontal, d?.horizontal]);
    expect([a?.vertical, c?.vertical]).toEqual([b?.vertical, d?.vertical]);
  });

  it('take any two axes: the one that is taken from the other place goes where this one was', () => {
    expect(withAxis({ horizontal: 'z', vertical: 'x' }, 'horizontal', 'e')).toEqual({ horizontal: 'e', vertical: 'x' });
    expect(withAxis({ horizontal: 'z', vertical: 'x' }, 'horizontal', 'x')).toEqual({ horizontal: 'x', vertical: 'z' });
  });

  it('say what became of the axes that they do not show', () => {
    const axes = { horizontal: 'z', vertical: 'x' } as const;
    const cuts = [
      { axis: 'e', index: 40 },
      { axis: 'x', index: 3 },
    ] as const;
    // A cut of an axis that is shown now is forgotten.
    expect(cutsFor(axes, cuts)).toEqual([{ axis: 'e', index: 40 }]);
    expect(hiddenText(axes, [{ axis: 'e', index: 40 }], ({ index }) => `at ${index}`)).toBe('Σθ, E at 40');
  });

  it('know where a cell of an axis lies from any map that shows the axis', () => {
    const shown = field(0, 1, 1e-3);
    expect(positionOf('z', 10, 100, [shown])).toBe(5.25);
    expect(positionOf('e', 10, 100, [shown])).toBeNull();
    const energy = { ...axis('e', 1, 8, 3), edges: Float64Array.of(1, 2, 4, 8) };
    expect(positionOf('e', 1, 3, [{ ...shown, vertical: energy }])).toBe(3);
    // Not from a part of it.
    expect(positionOf('e', 1, 6, [{ ...shown, vertical: energy }])).toBeNull();
  });

  it('of a difference have limits around zero', () => {
    const difference = { ...field(-1, 0.5, 1e-3), quantity: 'protons difference' };
    expect(commonLimits([difference], 'log')).toEqual({ low: -1, high: 1 });
  });

  it('show the window of an axis, or all of it', () => {
    const shown = { run: 'a', field: field(0, 1, 1e-3), step: 1, depth_mm: 1 };
    const { horizontal, vertical } = phaseScene(shown, { z: [10, 20] });
    expect([horizontal.from, horizontal.to]).toEqual([10, 20]);
    expect([vertical.from, vertical.to]).toEqual([-20, 20]);
  });

  it('have common limits that hold every value of every map', () => {
    const fields = [field(0, 2, 1e-6), field(-1, 0.5, 1e-3)];
    expect(commonLimits(fields, 'linear')).toEqual({ low: -1, high: 2 });
    // On a logarithmic scale: what is above zero anywhere, five decades of it.
    const log = commonLimits([field(0, 2, 1e-3), field(0, 0.5, 1e-4)], 'log');
    expect(log).toEqual({ low: 1e-4, high: 2 });
    expect(commonLimits([field(0, 2, 0)], 'log')?.low).toBeCloseTo(2e-5, 12);
    expect(commonLimits([], 'log')).toBeNull();
  });

  it('keep their own limits until they are matched', () => {
    const config = { scale: 'linear', matched: false } as const;
    expect(limitsOf([field(0, 2, 1)], config)).toBeNull();
    expect(limitsOf([field(0, 2, 1)], { ...config, matched: true })).toEqual({ low: 0, high: 2 });
    // Limits set by dragging override both.
    expect(limitsOf([field(0, 2, 1)], { ...config, matched: true }, { low: 0.5, high: 1 })).toEqual({
      low: 0.5,
      high: 1,
    });
  });

  it.each([
    [50, 100, 2],
    [800, 160, 1],
    [0.001, 100, 4],
  ])('tell two cells of %s over %s apart', (extent, count, digits) => {
    expect(axisDecimals({ from: 0, to: extent, count })).toBe(digits);
  });
});
