import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AxisName, Interval } from '../../../../electron/contract/fields.ts';
import { gridAxes } from '../../../../electron/host/display/grid-axes.ts';
import { makeMap } from '../../../../electron/host/display/maps.ts';
import { sampling } from '../../../../electron/host/display/reduce.ts';

const axes = {
  nz: 10,
  nx: 6,
  ntheta: 5,
  dz_mm: 0.5,
  dx_mm: 1,
  dtheta_rad: 0.01,
  theta_centre_rad: 0.1,
  energies_MeV: new Float64Array([1, 2, 4, 8]),
};
const numbered = (n: number): Float32Array => Float32Array.from({ length: n }, (_, i) => i);
const fields = {
  axes,
  dose: Float64Array.from({ length: 60 }, (_, i) => i),
  marginals: { step: 3, depth_mm: 1, zx: numbered(60), xtheta: numbered(30), etheta: numbered(20), ez: numbered(40) },
};

function request(
  quantity: 'dose' | 'protons',
  horizontal: AxisName,
  vertical: AxisName,
  pixels: [number, number],
  window: [Interval | null, Interval | null] = [null, null],
) {
  const [h, v] = window.map((w) => (w === null ? null : ([w[0], w[1]] as [number, number])));
  return { quantity, horizontal, vertical, viewport: { horizontal: h ?? null, vertical: v ?? null, pixels } };
}

describe('maps', () => {
  it('at full resolution are the cells themselves, either way round', () => {
    const upright = makeMap(fields, request('protons', 'x', 'z', [100, 100]));
    expect([...upright.values]).toEqual([...numbered(60)]);
    const lying = makeMap(fields, request('protons', 'z', 'x', [100, 100]));
    expect([lying.horizontal.count, lying.vertical.count]).toEqual([10, 6]);
    // Row x, column z.
    expect(lying.values[2 * 10 + 7]).toBe(7 * 6 + 2);
    expect(lying).toMatchObject({ min: 0, max: 59, minPositive: 1, unit: 'protons per cell' });
  });

  it('carry dose per area, so that grids compare', () => {
    const map = makeMap(fields, request('dose', 'x', 'z', [100, 100]));
    expect(map.values[59]).toBe(59 / (0.5 * 1));
    expect(map.unit).toBe('MeV/mm²');
  });

  it('reduced to pixels are means, with the last sample over fewer cells', () => {
    const map = makeMap(fields, request('protons', 'z', 'x', [4, 3]));
    expect(map.horizontal).toMatchObject({ count: 4, cellsPerSample: 3, from: 0, to: 5 });
    expect([...(map.horizontal.edges ?? [])]).toEqual([0, 1.5, 3, 4.5, 5]);
    expect(map.vertical).toMatchObject({ count: 3, cellsPerSample: 2, edges: null });
    // z cells 0–2, x cells 0–1: indices 0, 1, 6, 7, 12, 13.
    expect(map.values[0]).toBeCloseTo((0 + 1 + 6 + 7 + 12 + 13) / 6, 6);
    // The last z sample is cell 9 alone.
    expect(map.values[3]).toBe((54 + 55) / 2);
  });

  it('show the axes in display units', () => {
    const made = gridAxes(axes);
    expect([...made.x.edges]).toEqual([-3, -2, -1, 0, 1, 2, 3]);
    expect(made.theta.edges[0]).toBeCloseTo(75, 12);
    expect(made.theta.edges[5]).toBeCloseTo(125, 12);
    expect([...made.e.edges]).toEqual([0.5, 1.5, 3, 6, 10]);
    const energy = makeMap(fields, request('protons', 'z', 'e', [100, 100]));
    expect([...(energy.vertical.edges ?? [])]).toEqual([0.5, 1.5, 3, 6, 10]);
  });

  it('refuse what is not there', () => {
    expect(() => makeMap(fields, request('dose', 'z', 'theta', [10, 10]))).toThrow(/z and x only/);
    expect(() => makeMap(fields, request('protons', 'z', 'theta', [10, 10]))).toThrow(/not kept/);
    expect(() => makeMap({ ...fields, marginals: null }, request('protons', 'z', 'x', [10, 10]))).toThrow(
      /no keyframes/,
    );
    expect(() => makeMap({ ...fields, dose: null }, request('dose', 'z', 'x', [10, 10]))).toThrow(/not dose/);
  });
});

describe('a window', () => {
  const axis = gridAxes({ ...axes, nz: 1000, dz_mm: 0.2 }).z;

  it('is covered by cells and no more: never more samples than pixels', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -20, max: 220, noNaN: true }),
        fc.double({ min: 0.001, max: 300, noNaN: true }),
        fc.integer({ min: 1, max: 2000 }),
        (from, width, pixels) => {
          const part = sampling(axis, [from, from + width], pixels);
          expect(part.count).toBeGreaterThanOrEqual(1);
          expect(part.count).toBeLessThanOrEqual(pixels);
          expect(part.first % part.cells).toBe(0);
          expect(part.end).toBeLessThanOrEqual(1000);
          const inside = (at: number): number => Math.min(200, Math.max(0, at));
          expect(axis.edges[part.first] ?? 0).toBeLessThanOrEqual(inside(from) + 1e-9);
          expect(axis.edges[part.end] ?? 0).toBeGreaterThanOrEqual(inside(from + width) - 0.2 - 1e-9);
        },
      ),
    );
  });

  it('that is moved by less than a sample keeps its samples', () => {
    const [one, two] = [sampling(axis, [10, 90], 100), sampling(axis, [10.3, 90.3], 100)];
    expect(two.cells).toBe(one.cells);
    expect(two.first % two.cells).toBe(0);
  });

  it('that ends on an edge shows nothing of the next cell', () => {
    expect(sampling(axis, [10, 20], 1000)).toMatchObject({ first: 50, end: 100, cells: 1 });
  });
});
