/** LET, spectra and RBE-weighted dose of real runs: through files, tables, maps and the summary. */
import { beforeAll, expect, test } from 'vitest';
import { runPacker } from '../../../../../../electron/host/app/run-files/packer.ts';
import { makeMap } from '../../../../../../electron/host/workloads/transport/display/maps.ts';
import { exportRun } from '../../../../../../electron/host/workloads/transport/export.ts';
import { qualityOf } from '../../../../../../electron/host/workloads/transport/metrics/quality.ts';
import { summaryOf } from '../../../../../../electron/host/workloads/transport/readouts.ts';
import type { RunData } from '../../../../../../electron/host/workloads/transport/run-data.ts';
import { writeRun } from '../../../../../../electron/host/workloads/transport/run-file-write.ts';
import { readRun } from '../../../read-transport.ts';
import { runScenario } from '../../../small-run.ts';

const parts = {
  kind: 'transport',
  version: 1,
  beam: { energy_MeV: 60 },
  geometry: { width_mm: 20, depth_mm: 40 },
  grid: { dz_mm: 0.25, dx_mm: 1, dtheta_mrad: 40 },
  solver: { stepping: 'depth' },
} as const;

let run: RunData;
beforeAll(async () => {
  run = await runScenario({ ...parts, output: { let: true, spectra_mm: [5, 20], alpha_beta_Gy: 3 } });
});

test('LET rises from the stopping power at the entrance to that of slow protons', () => {
  const quality = qualityOf(run);
  if (quality === null) throw new Error('no LET');
  // 60 MeV in water: 10.78 MeV cm²/g.
  expect(quality.lett[0]).toBeCloseTo(1.08, 2);
  const at = (depth: number): number => Array.from(quality.depth_mm).findIndex((z) => z >= depth);
  for (let i = 1; i < at(30); i += 1) expect(quality.letd[i]).toBeGreaterThan(quality.letd[i - 1] ?? 0);
  for (let i = 0; i < at(30); i += 1)
    expect(quality.letd[i]).toBeGreaterThanOrEqual((quality.lett[i] ?? 0) * (1 - 1e-9));
  expect(quality.letd[at(30.8)]).toBeGreaterThan(6);
  // Behind the range there are no protons, and so no average.
  expect(quality.letd[at(38)]).toBeNaN();
});

test('spectra are at the depths asked for, and their mean energy is that of the range that is left', () => {
  const spectra = qualityOf(run)?.spectra ?? [];
  expect(spectra.map(({ depth_mm }) => depth_mm)).toEqual([5.125, 20.125]);
  for (const { energy_MeV, width_MeV, per_MeV, protons } of spectra) {
    const all = protons.reduce((a, b) => a + b, 0);
    // Without reactions every proton comes by, under small angles.
    expect(all).toBeGreaterThan(0.999);
    expect(all).toBeLessThan(1.02);
    const mean = protons.reduce((sum, n, i) => sum + n * (energy_MeV[i] ?? 0), 0) / all;
    const integral = per_MeV.reduce((sum, n, i) => sum + n * (width_MeV[i] ?? 0), 0);
    expect(integral).toBeCloseTo(all, 9);
    expect(mean).toBeLessThan(60);
  }
  const five = spectra[0]?.protons ?? new Float64Array(0);
  const mean = five.reduce((sum, n, i) => sum + n * (spectra[0]?.energy_MeV[i] ?? 0), 0);
  // Range 30.93 mm less 5.125: 25.8 mm, 54.2 MeV.
  expect(mean).toBeCloseTo(54.2, 0);
});

test('a file keeps it, and a file without it is read', async () => {
  const bytes = await writeRun(run);
  expect(await readRun(bytes, 'let.h5')).toEqual(run);
  const without = await runScenario(parts);
  expect(without.tracks).toBeNull();
  expect(qualityOf(await readRun(await writeRun(without), 'none.h5'))).toBeNull();
});

test('tables, map and summary show the same numbers', async () => {
  const quality = qualityOf(run);
  const text = async (of: RunData, what: 'let' | 'spectra') =>
    new TextDecoder().decode((await exportRun(of, what, runPacker)).bytes).split('\n');
  const [head = '', first = ''] = await text(run, 'let');
  expect(head.split(',').slice(0, 5)).toEqual([
    'depth_mm',
    'lett_primary_keV_per_um',
    'letd_primary_keV_per_um',
    'lett_keV_per_um',
    'letd_keV_per_um',
  ]);
  expect(Number(first.split(',')[4])).toBe(quality?.letd[0]);
  const [spectra = ''] = await text(run, 'spectra');
  expect(spectra).toBe('energy_MeV,width_MeV,protons_per_MeV_at_5.125_mm,protons_per_MeV_at_20.125_mm');
  const without = { ...run, tracks: null };
  await expect(text(without, 'let')).rejects.toMatchObject({ code: 'unsupported' });
  const summary = summaryOf(run);
  expect(summary.let?.map(({ at }) => at)).toEqual(['entrance', 'half', 'peak', 'r80']);
  expect(summary.let?.[0]?.letd).toBe(quality?.letd[0]);
  const viewport = { horizontal: null, vertical: null, pixels: [1000, 1000] as [number, number] };
  const request = { quantity: 'letd', horizontal: 'z', vertical: 'x', viewport } as const;
  const map = await makeMap({ axes: run.axes, dose: run.dose, marginals: null, tracks: run.tracks }, request);
  expect(map.unit).toBe('keV/µm');
  // On the axis at the entrance.
  expect(map.values[10 * run.axes.nz]).toBeCloseTo(quality?.letd[0] ?? 0, 1);
  await expect(makeMap({ axes: run.axes, dose: run.dose, marginals: null }, request)).rejects.toMatchObject({
    code: 'not-found',
  });
});

test('RBE-weighted dose is the dose times the RBE at the dose of the fraction', () => {
  const { rbe } = qualityOf(run) ?? { rbe: null };
  expect(rbe?.alpha_beta_Gy).toBe(3);
  expect(rbe?.curves.map(({ model }) => model)).toEqual(['constant', 'mcnamara', 'wedenberg', 'carabe']);
  const constant = rbe?.curves[0];
  expect(constant?.rbe[10]).toBeCloseTo(1.1, 12);
  for (const { rbe: factor, weighted_MeV_per_mm } of rbe?.curves ?? []) {
    const dose = (constant?.weighted_MeV_per_mm[10] ?? 0) / 1.1;
    expect(weighted_MeV_per_mm[10]).toBeCloseTo((factor[10] ?? 0) * dose, 10);
  }
});

test('secondary protons have a part in the averages of all protons', async () => {
  const followed = await runScenario({ ...parts, physics: { nuclear: 'icru63' }, output: { let: true } });
  const quality = qualityOf(followed);
  expect(quality?.letd[40]).toBeGreaterThan(1.05 * (quality?.letd_primary[40] ?? 0));
});

test('a variant without LET, and depths outside, are refused with their place', async () => {
  await expect(runScenario({ ...parts, output: { let: true, spectra_mm: [41] } })).rejects.toThrow(/output.spectra_mm/);
});
