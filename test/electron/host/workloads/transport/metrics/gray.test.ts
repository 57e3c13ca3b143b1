/**
 * Dose in Gy: compared with the plane's energy, along both axes of a round beam, and after reading from files; and
 * reasons for its absence.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { loadAddon } from '../../../../../../electron/host/io/addon/addon.ts';
import { lateralWidths } from '../../../../../../electron/host/workloads/transport/metrics/across-y.ts';
import { grayField, grayOnAxis } from '../../../../../../electron/host/workloads/transport/metrics/gray.ts';
import { momentsOf } from '../../../../../../electron/host/workloads/transport/metrics/run-metrics.ts';
import { hasKinds, yKinds } from '../../../../../../electron/host/workloads/transport/metrics/y-kinds.ts';
import { summaryOf } from '../../../../../../electron/host/workloads/transport/readouts.ts';
import { measuredRunOf, type RunData } from '../../../../../../electron/host/workloads/transport/run-data.ts';
import { writeRun } from '../../../../../../electron/host/workloads/transport/run-file-write.ts';
import { openTestScenarios, readRun, runScenario } from '../../../small-run.ts';

const parts = {
  kind: 'transport',
  version: 1,
  beam: { energy_MeV: 100, x_sigma_mm: 3, angle_sigma_mrad: 4, weight: 5 },
  geometry: { width_mm: 40, depth_mm: 90 },
  grid: { dz_mm: 0.5, dx_mm: 0.5, dtheta_mrad: 10 },
  solver: { stepping: 'depth' },
} as const;
const slab = { material: 'bone-compact-icru', x_mm: [-20, 20], z_mm: [20, 30] };

let run: RunData;
beforeAll(async () => {
  run = await runScenario({ ...parts, geometry: { ...parts.geometry, regions: [slab] } });
});

const values = (of: RunData, y_mm: number): Float64Array => {
  const field = grayField(of, y_mm);
  if ('reason' in field) throw new Error(field.reason);
  return field.values;
};

test('the dose in Gy, summed over y, is the energy of the plane', () => {
  const { nx, nz, dz_mm, dx_mm } = run.axes;
  let [energy, deposited] = [0, 0];
  const step = 0.25;
  for (let y = -60; y <= 60; y += step) {
    const dose = values(run, y);
    // Dose times mass is energy, in water and in bone.
    for (let i = 0; i < nz * nx; i += 1) energy += (dose[i] ?? 0) * (run.axes.density_g_cm3?.[i] ?? 0) * step;
  }
  for (const each of run.dose) deposited += each;
  // Gy · g/cm³ · mm³ per 1e9 protons, with 1e-6 kg/mm³ and 1.602e-13 J/MeV; the run has five protons.
  const perProton_MeV = (energy * dz_mm * dx_mm * 1e-6) / 1.602176634e-13 / 1e9;
  expect(perProton_MeV / (deposited / 5)).toBeCloseTo(1, 4);
});

test('a round beam has the same width across y as in the plane', () => {
  const { acrossY } = run;
  if (acrossY === null || !('sigma_y_mm' in acrossY)) throw new Error('no width');
  const { depth_mm, sigma_x_mm } = momentsOf(measuredRunOf(run));
  for (const depth of [5, 15, 25, 40, 55]) {
    const row = depth_mm.findIndex((z) => z >= depth);
    expect((acrossY.sigma_y_mm[row] ?? 0) / (sigma_x_mm[row] ?? 1)).toBeGreaterThan(0.97);
    expect((acrossY.sigma_y_mm[row] ?? 0) / (sigma_x_mm[row] ?? 1)).toBeLessThan(1.03);
  }
  // A round beam has the same dose at equal distances on both axes.
  const row = depth_mm.findIndex((z) => z >= 40) * run.axes.nx;
  const [centre, aside] = [run.axes.nx / 2, run.axes.nx / 2 + 8];
  const onAxis = ((values(run, 0)[row + centre] ?? 0) + (values(run, 0)[row + centre - 1] ?? 0)) / 2;
  const inPlane = (values(run, 0)[row + aside] ?? 0) / onAxis;
  const acrossPlane = (values(run, 4.25)[row + centre] ?? 0) / onAxis;
  expect(acrossPlane / inPlane).toBeCloseTo(1, 1);
});

test('the dose in Gy at the entrance is fluence times stopping power', () => {
  const dose = grayOnAxis(run);
  if ('reason' in dose) throw new Error(dose.reason);
  // 1e9 protons in a spot of 3 mm: 1e9/(2π 9 mm²) · 7.289 MeV cm²/g = 2.065 Gy; cells are means over 0.5 mm.
  expect(dose.curve.values[0]).toBeCloseTo(2.065, 1);
  const { gray } = summaryOf(run);
  expect(gray).toMatchObject({ entrance_Gy: dose.curve.values[0] });
});

test('a file stores the width, or the reason why there is none', async () => {
  expect((await readRun(await writeRun(run), 'gy.h5')).acrossY).toEqual(run.acrossY);
  const without = { ...run, acrossY: { reason: 'there is none' } };
  expect((await readRun(await writeRun(without), 'none.h5')).acrossY).toEqual({ reason: 'there is none' });
  expect(grayOnAxis({ ...run, acrossY: null })).toHaveProperty('reason');
});

test.each([
  [
    'an edge in the beam',
    { geometry: { ...parts.geometry, regions: [{ ...slab, x_mm: [0, 20] }] } },
    /not layered: at z = 20.25 mm water and/,
  ],
  ['a tilted beam', { beam: { ...parts.beam, angle_deg: 10 } }, /a beam is tilted: .* only for beams along z/],
  ['a pencil', { beam: { energy_MeV: 100 } }, /the beam has no width/],
  [
    'spots of two energies',
    { beam: { x_sigma_mm: 3, spots: [{ energy_MeV: 90 }, { energy_MeV: 100 }] } },
    /spots differ/,
  ],
])('%s has no dose in Gy, with the reason', async (_name, change, why) => {
  const grid = { dz_mm: 0.5, dx_mm: 1, dtheta_mrad: 20, energy: { kind: 'uniform', step_MeV: 1 } };
  const other = await runScenario({ ...parts, grid, ...change });
  expect(grayOnAxis(other)).toEqual({ reason: expect.stringMatching(why) });
  expect(summaryOf(other).gray).toHaveProperty('reason');
});

describe('a field with different spots', () => {
  const beam = { x_sigma_mm: 3, angle_sigma_mrad: 3 };
  const spots = [
    { energy_MeV: 90, x_mm: -5, weight: 2, x_sigma_mm: 3 },
    { energy_MeV: 90, x_mm: 5, weight: 3, x_sigma_mm: 3 },
    { energy_MeV: 80, x_mm: 0, weight: 2, x_sigma_mm: 5 },
    { energy_MeV: 65, x_mm: -2, weight: 1, x_sigma_mm: 7 },
  ];
  const field = { ...parts, beam: { ...beam, spots }, geometry: { ...parts.geometry, regions: [slab] } };

  /** The run, with separate sums for its kinds of spots, as with output.gray true. */
  async function runWithKinds(document: object): Promise<RunData> {
    const scenarios = await openTestScenarios();
    const problem = scenarios.resolve(await scenarios.check(document, { name: 'field', folder: null }));
    expect(hasKinds(problem)).toBe(true);
    return {
      ...(await runScenario(document)),
      acrossY: await yKinds(loadAddon(), problem, new AbortController().signal),
    };
  }

  test("has the sum of the spots' doses, each with its own width across y", async () => {
    const whole = await runWithKinds(field);
    // Each spot alone on the common grid: a single width is correct for it.
    const alone = await Promise.all(
      spots.map((_, i) => {
        const others = spots.map((spot, k) => ({ ...spot, weight: k === i ? spot.weight : 0 }));
        return runScenario({ ...field, beam: { ...beam, spots: others } });
      }),
    );
    const scenarios = await openTestScenarios();
    for (const y of [0, 4, 9]) {
      const sum = new Float64Array(whole.dose.length);
      for (const [i, run] of alone.entries()) {
        const [spot] = spots.slice(i, i + 1);
        const single = { ...field, beam: { ...beam, ...spot, weight: 1 } };
        const problem = scenarios.resolve(await scenarios.check(single, { name: 'one', folder: null }));
        const grid = { ...problem.grid, nz: run.axes.nz };
        const own = values(
          { ...run, acrossY: lateralWidths({ ...problem, grid }), beam: { ...run.beam, weight: 8 } },
          y,
        );
        for (const [cell, value] of own.entries()) sum[cell] = (sum[cell] ?? 0) + value;
      }
      const peak = sum.reduce((a, b) => Math.max(a, b), 0);
      const got = values(whole, y);
      const off = got.reduce((most, value, i) => Math.max(most, Math.abs(value - (sum[i] ?? 0)) / peak), 0);
      expect(off, `y = ${y}`).toBeLessThan(0.01);
    }
    // With a single lateral width for all spots, the dose on the axis would be off by more than 10 %.
    const { acrossY: apart } = whole;
    if (apart === null || !('kinds' in apart)) throw new Error('the kinds of spots are not distinguished');
    expect(apart.kinds.map(({ x_mm }) => x_mm.length)).toEqual([2, 1, 1]);
    const narrow = values({ ...whole, acrossY: { kinds: apart.kinds.slice(0, 1) } }, 0);
    const right = values(whole, 0);
    const row = 20 * whole.axes.nx + whole.axes.nx / 2;
    expect(Math.abs((narrow[row] ?? 0) / (right[row] ?? 1) - 1)).toBeGreaterThan(0.1);
  });

  test('has doses that sum over y to the deposited energy, and its run file stores the kinds of spots', async () => {
    const whole = await runWithKinds(field);
    const { nx, nz } = whole.axes;
    const sum = new Float64Array(nx * nz);
    for (let y = -80; y <= 80; y += 0.5) {
      for (const [i, value] of values(whole, y).entries()) sum[i] = (sum[i] ?? 0) + 0.5 * value;
    }
    const cell = 30 * nx + nx / 2 - 8;
    const plane = ((whole.dose[cell] ?? 0) * 160.2176634) / (0.25 * 8 * (whole.axes.density_g_cm3?.[cell] ?? 1));
    expect((sum[cell] ?? 0) / plane).toBeCloseTo(1, 4);
    expect((await readRun(await writeRun(whole), 'field.h5')).acrossY).toEqual(whole.acrossY);
    expect(grayOnAxis(whole)).toHaveProperty('curve');
  });

  test('gives the reason if its spots cannot be distinguished or no dose in Gy was requested', async () => {
    const plain = await runScenario(field);
    expect(plain.acrossY).toEqual({ reason: expect.stringContaining('set output.gray to separate them') });
    const scenarios = await openTestScenarios();
    const many = Array.from({ length: 301 }, (_, i) => ({ energy_MeV: 60 + i / 20, x_mm: 0, weight: 1 }));
    const problem = scenarios.resolve(
      await scenarios.check({ ...field, beam: { ...beam, spots: many } }, { name: 'many', folder: null }),
    );
    expect(await yKinds(loadAddon(), problem, new AbortController().signal)).toEqual({
      reason: 'the spots have 301 kinds at 301 positions; allowed: 300 kinds at 4000 positions',
    });
    expect(
      await yKinds(loadAddon(), { ...problem, spots: problem.spots?.slice(0, 2) ?? [] }, AbortSignal.abort()),
    ).toEqual({
      reason: 'the run was stopped before its spots were separated',
    });
    const aside = { ...slab, x_mm: [-20, 0] };
    const mixed = { ...field, geometry: { ...parts.geometry, regions: [aside] } };
    expect(hasKinds(scenarios.resolve(await scenarios.check(mixed, { name: 'mixed', folder: null })))).toBe(false);
  });
});
