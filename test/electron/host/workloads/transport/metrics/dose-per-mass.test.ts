/** Dose per mass of a real run, by hand: energy over mass, across a border between densities, and through a file. */
import { expect, test } from 'vitest';
import { runPacker } from '../../../../../../electron/host/app/run-files/packer.ts';
import { runOf } from '../../../../../../electron/host/workloads/run-data.ts';
import { exportRun } from '../../../../../../electron/host/workloads/transport/export.ts';
import { depthDoseOf } from '../../../../../../electron/host/workloads/transport/metrics/run-metrics.ts';
import { measured } from '../../../../../../electron/host/workloads/transport/run-data.ts';
import { runScenario } from '../../../small-run.ts';

const slab = [{ material: 'water', density_scale: 0.5, x_mm: [-10, 10], z_mm: [2, 4] }];
const parts = {
  beam: { energy_MeV: 30 },
  geometry: { width_mm: 20, depth_mm: 13, regions: slab },
  grid: { dz_mm: 0.25, dx_mm: 1, dtheta_mrad: 40 },
};

test('no jump where only the density changes, twice the energy by depth in front of it', async () => {
  const run = await runScenario({ kind: 'transport', version: 1, ...parts });
  const { curve, perMass } = depthDoseOf(measured(run));
  expect([curve.unit, perMass?.unit]).toEqual(['MeV/mm', 'nGy mm²']);
  const mass = perMass?.values ?? [];
  // Each cell by hand: MeV/mm of 1.602e-13 J, by mm of g/cm³ (1e-6 kg/mm³), in nGy.
  curve.values.forEach((value, i) => {
    const density = i >= 8 && i < 16 ? 0.5 : 1;
    expect(mass[i]).toBeCloseTo(((value * 1.602176634e-13) / (density * 1e-6)) * 1e9, 6);
  });
  // 2 mm into the water (30 MeV: 18.8 MeV cm²/g) the energy by depth halves, the dose goes on.
  const [before, after] = [7, 8];
  expect((curve.values[after] ?? 0) / (curve.values[before] ?? 1)).toBeCloseTo(0.5, 1);
  expect((mass[after] ?? 0) / (mass[before] ?? 1)).toBeCloseTo(1, 1);
  // S = 18.76 MeV cm²/g at 30 MeV: 1.876 MeV/mm, 300.6 nGy mm² at the entrance.
  expect((mass[0] ?? 0) / 300.6).toBeCloseTo(1, 1);
  // Mass times dose is the energy: Σ ρ D dz is what was deposited.
  const energy = run.dose.reduce((a, b) => a + b, 0);
  const summed = Array.from(mass).reduce((sum, value, i) => sum + value * (i >= 8 && i < 16 ? 0.5 : 1) * 0.25, 0);
  expect(summed / 160.2176634 / energy).toBeCloseTo(1, 9);
});

test('a file keeps the densities, and CSV has both', async () => {
  const run = await runScenario({ kind: 'transport', version: 1, ...parts });
  const again = runOf('transport', await runPacker.read(await runPacker.write(run), 'small.h5'));
  expect(again.axes.density_g_cm3).toEqual(run.axes.density_g_cm3);
  const csv = new TextDecoder().decode((await exportRun(run, 'depth-dose', runPacker)).bytes);
  expect(csv.split('\n')[0]).toBe('depth_mm,dose_MeV_per_mm,dose_per_mass_nGy_mm2');
});
