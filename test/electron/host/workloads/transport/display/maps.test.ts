import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AxisName, Interval } from '../../../../../../electron/contract/fields.ts';
import { reducePlane, sampleAxis } from '../../../../../../electron/host/model/fields/field.ts';
import {
  gridAxes,
  liveMaps,
  makeDifference,
  makeMap,
  planeOf,
} from '../../../../../../electron/host/workloads/transport/display/maps.ts';

const axes = {
  nz: 10,
  nx: 6,
  ntheta: 5,
  dz_mm: 0.5,
  dx_mm: 1,
  dtheta_rad: 0.01,
  theta_centre_rad: 0.1,
  energies_MeV: new Float64Array([1, 2, 4, 8]),
  density_g_cm3: null,
};
const numberedValues = (n: number): Float32Array => Float32Array.from({ length: n }, (_, i) => i);
const fields = {
  axes,
  dose: Float64Array.from({ length: 60 }, (_, i) => i),
  marginals: {
    step: 3,
    depth_mm: 1,
    zx: numberedValues(60),
    xtheta: numberedValues(30),
    etheta: numberedValues(20),
    ez: numberedValues(40),
    ex: numberedValues(24),
    ztheta: numberedValues(50),
  },
};

function request(
  quantity: 'dose' | 'dose-per-mass' | 'protons',
  horizontal: AxisName,
  vertical: AxisName,
  pixels: [number, number],
  window: [Interval | null, Interval | null] = [null, null],
) {
  const [h, v] = window.map((w) => (w === null ? null : ([w[0], w[1]] as [number, number])));
  return { quantity, horizontal, vertical, viewport: { horizontal: h ?? null, vertical: v ?? null, pixels } };
}

describe('cuts of live maps', () => {
  const cut = { ...request('protons', 'x', 'z', [100, 100]), cuts: [{ axis: 'e' as const, index: 2 }] };
  const plane = { slow: 'z', fast: 'x', cut: [2, -1, -1, -1], values: numberedValues(60) } as const;

  it('are shown only from the plane that the engine computed', async () => {
    expect(planeOf(cut)).toEqual({ slow: 'z', fast: 'x', cut: [2, -1, -1, -1] });
    expect([...(await makeMap({ ...fields, planes: [plane] }, cut)).values]).toEqual([...numberedValues(60)]);
    const other = { ...plane, cut: [3, -1, -1, -1] } as const;
    await expect(makeMap({ ...fields, planes: [other] }, cut)).rejects.toThrow(/A saved run contains only sums/);
    const shown = { ...cut, cuts: [{ axis: 'x' as const, index: 0 }] };
    await expect(makeMap(fields, shown)).rejects.toThrow('The axis x is shown, so it cannot be cut.');
  });

  it('arrive one frame later', async () => {
    const plain = request('protons', 'x', 'z', [100, 100]);
    const first = await liveMaps(fields, [plain, cut]);
    expect([first[0]?.quantity, first[1]]).toEqual(['protons', null]);
    expect((await liveMaps({ ...fields, planes: [plane] }, [cut]))[0]?.max).toBe(59);
  });
});

describe('dose per mass', () => {
  const whole = request('dose-per-mass', 'z', 'x', [100, 100]);

  it("divides each cell's energy by its own density, in Gy times mm of y", async () => {
    // Half the density from the fifth plane on.
    const density_g_cm3 = Float64Array.from({ length: 60 }, (_, i) => (i < 24 ? 1 : 0.5));
    const dense = { ...fields, axes: { ...axes, density_g_cm3 } };
    const [mass, area] = [await makeMap(dense, whole), await makeMap(dense, request('dose', 'z', 'x', [100, 100]))];
    expect([mass.quantity, mass.unit, area.unit]).toEqual(['dose per mass', 'nGy mm', 'MeV/mm²']);
    // 1 MeV in 0.5 mm × 1 mm × 1 mm of 1 g/cm³: 1.602e-13 J in 0.5e-6 kg.
    const nGy = (1.602176634e-13 / 0.5e-6) * 1e9;
    mass.values.forEach((value, i) => {
      const MeV = (area.values[i] ?? 0) * 0.5;
      const z = i % 10;
      expect(value / (MeV * nGy * (z < 4 ? 1 : 2) || 1)).toBeCloseTo(MeV === 0 ? 0 : 1, 5);
    });
    expect((await makeDifference(dense, dense, whole)).unit).toBe('nGy mm');
  });

  it('is rejected for a run without densities, with a plain explanation', async () => {
    await expect(makeMap(fields, whole)).rejects.toThrow('This run was stored without the densities of its cells.');
  });
});

describe('differences of maps', () => {
  const wanted = request('protons', 'x', 'z', [100, 100]);

  it('are computed cell by cell, before cells are merged', async () => {
    const other = { ...fields, marginals: { ...fields.marginals, zx: numberedValues(60).map((value) => 59 - value) } };
    const map = await makeDifference(fields, other, wanted);
    expect([map.values[0], map.values[59], map.min, map.max]).toEqual([-59, 59, -59, 59]);
    expect([map.quantity, map.unit]).toEqual(['protons difference', 'protons per cell']);
    const itself = await makeDifference(fields, fields, request('dose', 'z', 'x', [3, 3]));
    expect([...itself.values].every((value) => value === 0)).toBe(true);
  });

  it('are rejected between different grids, naming both', async () => {
    const other = { ...fields, axes: { ...axes, dz_mm: 0.25 } };
    await expect(makeDifference(fields, other, wanted)).rejects.toThrow(
      'The grids differ: 10 cells of z from 0 to 5 mm, and 10 cells of z from 0 to 2.5 mm.',
    );
  });
});

describe('maps of a run', () => {
  it('consist of the cells themselves at full resolution, in either orientation', async () => {
    const upright = await makeMap(fields, request('protons', 'x', 'z', [100, 100]));
    expect([...upright.values]).toEqual([...numberedValues(60)]);
    const lying = await makeMap(fields, request('protons', 'z', 'x', [100, 100]));
    expect([lying.horizontal.count, lying.vertical.count]).toEqual([10, 6]);
    // Row x, column z.
    expect(lying.values[2 * 10 + 7]).toBe(7 * 6 + 2);
    expect(lying).toMatchObject({ min: 0, max: 59, minPositive: 1, unit: 'protons per cell' });
  });

  it('contain dose per area, so that different grids can be compared', async () => {
    const map = await makeMap(fields, request('dose', 'x', 'z', [100, 100]));
    expect(map.values[59]).toBe(59 / (0.5 * 1));
    expect(map.unit).toBe('MeV/mm²');
  });

  it('average cells when reduced to pixels, with fewer cells in the last sample', async () => {
    const map = await makeMap(fields, request('protons', 'z', 'x', [4, 3]));
    expect(map.horizontal).toMatchObject({ count: 4, cellsPerSample: 3, from: 0, to: 5 });
    expect([...(map.horizontal.edges ?? [])]).toEqual([0, 1.5, 3, 4.5, 5]);
    expect(map.vertical).toMatchObject({ count: 3, cellsPerSample: 2, edges: null });
    // z cells 0–2, x cells 0–1: indices 0, 1, 6, 7, 12, 13.
    expect(map.values[0]).toBeCloseTo((0 + 1 + 6 + 7 + 12 + 13) / 6, 6);
    // The last z sample is cell 9 only.
    expect(map.values[3]).toBe((54 + 55) / 2);
  });

  it('show their axes in display units', async () => {
    const made = gridAxes(axes);
    expect([...made.x.edges]).toEqual([-3, -2, -1, 0, 1, 2, 3]);
    expect(made.theta.edges[0]).toBeCloseTo(75, 12);
    expect(made.theta.edges[5]).toBeCloseTo(125, 12);
    expect([...made.e.edges]).toEqual([0.5, 1.5, 3, 6, 10]);
    const energy = await makeMap(fields, request('protons', 'z', 'e', [100, 100]));
    expect([...(energy.vertical.edges ?? [])]).toEqual([0.5, 1.5, 3, 6, 10]);
  });

  it('reject unknown names', async () => {
    await expect(makeMap(fields, request('dose', 'z', 'theta', [10, 10]))).rejects.toThrow(/z and x only/);
    const older = { ...fields, marginals: { ...fields.marginals, ztheta: new Float32Array(0) } };
    await expect(makeMap(older, request('protons', 'z', 'theta', [10, 10]))).rejects.toThrow(
      'Protons over z and theta are not saved; available: z–x, x–theta, e–theta, e–z, e–x.',
    );
    await expect(makeMap(fields, request('protons', 'z', 'z', [10, 10]))).rejects.toThrow(/not z twice/);
    await expect(makeMap({ ...fields, marginals: null }, request('protons', 'z', 'x', [10, 10]))).rejects.toThrow(
      /no saved keyframes/,
    );
    await expect(makeMap({ ...fields, dose: null }, request('dose', 'z', 'x', [10, 10]))).rejects.toThrow(/not dose/);
  });
});

describe('the reduction of a field', () => {
  const cells = (count: number) => ({ first: 0, end: count, cells: 1, count });

  it('has the extremes of the complete field, which are computed once', async () => {
    const values = Float32Array.of(-1, 0, 3, 2);
    const plane = { values, strideHorizontal: 1, strideVertical: 2 };
    const first = await reducePlane(plane, cells(1), cells(1), 'mean', 2);
    expect(first).toMatchObject({ min: -2, max: 6, minPositive: 4 });
    values[0] = -9;
    const second = await reducePlane(plane, cells(2), cells(2), 'mean', 1);
    expect(second).toMatchObject({ min: -1, max: 3, minPositive: 2 });
    expect([...second.values]).toEqual([-9, 0, 3, 2]);
  });

  it('shows NaN as NaN, in means, peaks and extremes', async () => {
    const plane = { values: Float64Array.of(1, Number.NaN, 3, -5), strideHorizontal: 1, strideVertical: 2 };
    const one = { first: 0, end: 2, cells: 2, count: 1 };
    const peaks = await reducePlane(plane, one, cells(2), 'max', 2);
    expect([...peaks.values]).toEqual([Number.NaN, -10]);
    expect(peaks).toMatchObject({ min: Number.NaN, max: Number.NaN, minPositive: 2 });
    expect([...(await reducePlane(plane, one, cells(2), 'mean', 1)).values]).toEqual([Number.NaN, -1]);
  });

  it('rejects samples beyond the field, and divisors of a different length', async () => {
    const values = new Float64Array(4);
    const plane = { values, strideHorizontal: 1, strideVertical: 2 };
    await expect(reducePlane(plane, cells(2), cells(3), 'mean', 1)).rejects.toThrow('beyond the field');
    const per = { divisor: new Float64Array(3), factor: 1 };
    await expect(reducePlane({ ...plane, per }, cells(2), cells(2), 'mean', 1)).rejects.toThrow(
      'one value for each cell',
    );
  });

  it('yields to the event loop', async () => {
    const side = 4000;
    const plane = { values: new Float32Array(side * side), strideHorizontal: 1, strideVertical: side };
    const whole = { first: 0, end: side, cells: 10, count: side / 10 };
    const pictures = Promise.all([1, 2, 3, 4, 5].map(() => reducePlane(plane, whole, whole, 'mean', 1)));
    let [turns, made] = [0, false];
    void pictures.finally(() => {
      made = true;
    });
    while (!made) {
      await nextTurn();
      turns += 1;
    }
    await pictures;
    // Without yielding, 16 million cells would block the event loop for milliseconds; its free iterations need
    // microseconds.
    expect(turns).toBeGreaterThan(20);
  });
});

describe('a window of a map', () => {
  const axis = gridAxes({ ...axes, nz: 1000, dz_mm: 0.2 }).z;

  it('is covered by cells without excess, and never has more samples than pixels', async () => {
    fc.assert(
      fc.property(
        fc.double({ min: -20, max: 220, noNaN: true }),
        fc.double({ min: 0.001, max: 300, noNaN: true }),
        fc.integer({ min: 1, max: 2000 }),
        (from, width, pixels) => {
          const part = sampleAxis(axis, [from, from + width], pixels);
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

  it('keeps its samples when it is moved by less than one sample', async () => {
    const [one, two] = [sampleAxis(axis, [10, 90], 100), sampleAxis(axis, [10.3, 90.3], 100)];
    expect(two.cells).toBe(one.cells);
    expect(two.first % two.cells).toBe(0);
  });

  it('shows nothing of the next cell if it ends on a cell edge', async () => {
    expect(sampleAxis(axis, [10, 20], 1000)).toMatchObject({ first: 50, end: 100, cells: 1 });
  });
});
