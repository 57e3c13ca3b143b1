/** Dose in Gy: against the plane's energy, for a round beam against its other axis, through files; and why there is none. */
import { beforeAll, expect, test } from 'vitest';
import { grayField, grayOnAxis } from '../../../../../../electron/host/workloads/transport/metrics/gray.ts';
import { momentsOf } from '../../../../../../electron/host/workloads/transport/metrics/run-metrics.ts';
import { summaryOf } from '../../../../../../electron/host/workloads/transport/readouts.ts';
import { measured, type RunData } from '../../../../../../electron/host/workloads/transport/run-data.ts';
import { writeRun } from '../../../../../../electron/host/workloads/transport/run-file-write.ts';
import { readRun } from '../../../read-transport.ts';
import { runScenario } from '../../../small-run.ts';

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

test('summed over y it is the energy of the plane', () => {
  const { nx, nz, dz_mm, dx_mm } = run.axes;
  let [energy, deposited] = [0, 0];
  const step = 0.25;
  for (let y = -60; y <= 60; y += step) {
    const dose = values(run, y);
    // Through the bone as well: Gy times mass is energy.
    for (let i = 0; i < nz * nx; i += 1) energy += (dose[i] ?? 0) * (run.axes.density_g_cm3?.[i] ?? 0) * step;
  }
  for (const each of run.dose) deposited += each;
  // Gy · g/cm³ · mm³ of 1e9 protons: 1e-6 kg/mm³ and 1.602e-13 J/MeV; the run has five protons.
  const perProton_MeV = (energy * dz_mm * dx_mm * 1e-6) / 1.602176634e-13 / 1e9;
  expect(perProton_MeV / (deposited / 5)).toBeCloseTo(1, 4);
});

test('a round beam is as wide across y as it is in the plane', () => {
  const { acrossY } = run;
  if (acrossY === null || 'reason' in acrossY) throw new Error('no width');
  const { depth_mm, sigma_x_mm } = momentsOf(measured(run));
  for (const depth of [5, 15, 25, 40, 55]) {
    const row = depth_mm.findIndex((z) => z >= depth);
    expect((acrossY.sigma_y_mm[row] ?? 0) / (sigma_x_mm[row] ?? 1)).toBeGreaterThan(0.97);
    expect((acrossY.sigma_y_mm[row] ?? 0) / (sigma_x_mm[row] ?? 1)).toBeLessThan(1.03);
  }
  // So dose is the same as far away on either axis.
  const row = depth_mm.findIndex((z) => z >= 40) * run.axes.nx;
  const [centre, aside] = [run.axes.nx / 2, run.axes.nx / 2 + 8];
  const onAxis = ((values(run, 0)[row + centre] ?? 0) + (values(run, 0)[row + centre - 1] ?? 0)) / 2;
  const inPlane = (values(run, 0)[row + aside] ?? 0) / onAxis;
  const acrossPlane = (values(run, 4.25)[row + centre] ?? 0) / onAxis;
  expect(acrossPlane / inPlane).toBeCloseTo(1, 1);
});

test('at the entrance it is fluence times stopping power', () => {
  const dose = grayOnAxis(run);
  if ('reason' in dose) throw new Error(dose.reason);
  // 1e9 protons in a spot of 3 mm: 1e9/(2π 9 mm²) · 7.289 MeV cm²/g = 2.065 Gy; cells are means over 0.5 mm.
  expect(dose.curve.values[0]).toBeCloseTo(2.065, 1);
  const { gray } = summaryOf(run);
  expect(gray).toMatchObject({ entrance_Gy: dose.curve.values[0] });
});

test('a file keeps the width, and the reason', async () => {
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
  ['a tilted beam', { beam: { ...parts.beam, angle_deg: 10 } }, /not along z/],
  ['a pencil', { beam: { energy_MeV: 100 } }, /no width/],
  [
    'spots of two energies',
    { beam: { x_sigma_mm: 3, spots: [{ energy_MeV: 90 }, { energy_MeV: 100 }] } },
    /spots differ/,
  ],
])('%s has none, and says why', async (_name, change, why) => {
  const other = await runScenario({ ...parts, grid: { dz_mm: 0.5, dx_mm: 1, dtheta_mrad: 20 }, ...change });
  expect(grayOnAxis(other)).toEqual({ reason: expect.stringMatching(why) });
  expect(summaryOf(other).gray).toHaveProperty('reason');
});
