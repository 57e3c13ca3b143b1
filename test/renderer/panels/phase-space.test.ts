import { describe, expect, it } from 'vitest';
import type { AxisName, FieldMap, MapAxis } from '../../../electron/contract/fields.ts';
import {
  axisDecimals,
  commonLimits,
  limitsOf,
  phaseMaps,
  phaseScene,
} from '../../../renderer/panels/phase-space/maps.ts';

const axis = (name: AxisName, from: number, to: number, count: number): MapAxis => ({
  name,
  unit: 'mm',
  from,
  to,
  count,
  cellsPerSample: 1,
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
  minPositive,
});

describe('the maps of phase space', () => {
  it('share an axis with the map above and with the map beside', () => {
    const [a, b, c, d] = phaseMaps;
    expect([a?.horizontal, b?.horizontal]).toEqual([c?.horizontal, d?.horizontal]);
    expect([a?.vertical, c?.vertical]).toEqual([b?.vertical, d?.vertical]);
    expect(new Set(phaseMaps.map(({ key }) => key)).size).toBe(4);
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
    const config = { colorMap: 'viridis', scale: 'linear', matched: false } as const;
    expect(limitsOf([field(0, 2, 1)], config)).toBeNull();
    expect(limitsOf([field(0, 2, 1)], { ...config, matched: true })).toEqual({ low: 0, high: 2 });
  });

  it.each([
    [50, 100, 2],
    [800, 160, 1],
    [0.001, 100, 4],
  ])('tell two cells of %s over %s apart', (extent, count, digits) => {
    expect(axisDecimals({ from: 0, to: extent, count })).toBe(digits);
  });
});
