/**
 * Dose by mass of a real run, by hand: energy over mass, across a border between densities, and through a file. Mean
 * range of real runs, to 0.03 mm, for any grid, cutoff and last step. Expected: the CSDA range of the table (quadrature
 * of PSTAR, mm) minus the detour in the plane. The detour is the integral of 1 - exp(-σθ²/2) over the range with the
 * same scattering power. LET, spectra and RBE-weighted dose of real runs: through files, tables, maps and the summary.
 */
import { beforeAll, describe, expect, it, test } from 'vitest';
import { runPacker } from '../../../../../../electron/host/app/run-files/packer.ts';
import { runOf } from '../../../../../../electron/host/workloads/run-data.ts';
import { makeMap } from '../../../../../../electron/host/workloads/transport/display/maps.ts';
import { fluenceMoments, meanRange } from '../../../../../../electron/host/workloads/transport/metrics/mean-range.ts';
import { qualityOf } from '../../../../../../electron/host/workloads/transport/metrics/quality.ts';
import { depthDoseOf, metricsOf } from '../../../../../../electron/host/workloads/transport/metrics/run-metrics.ts';
import { exportRun, summaryOf } from '../../../../../../electron/host/workloads/transport/readouts.ts';
import { measuredRunOf, type RunData } from '../../../../../../electron/host/workloads/transport/run-data.ts';
import { writeRun } from '../../../../../../electron/host/workloads/transport/run-file-write.ts';
import { readRun, runScenario } from '../../../small-run.ts';

describe('dose per mass', () => {
  const slab = [{ material: 'water', density_scale: 0.5, x_mm: [-10, 10], z_mm: [2, 4] }];
  const parts = {
    beam: { energy_MeV: 30 },
    geometry: { width_mm: 20, depth_mm: 13, regions: slab },
    grid: { dz_mm: 0.25, dx_mm: 1, dtheta_mrad: 40 },
  };

  test('is continuous where only the density changes, and is twice the energy by depth in front', async () => {
    const run = await runScenario({ kind: 'transport', version: 1, ...parts });
    const { curve, perMass } = depthDoseOf(measuredRunOf(run));
    expect([curve.unit, perMass?.unit]).toEqual(['MeV/mm', 'nGy mm²']);
    const mass = perMass?.values ?? [];
    // Each cell by hand: MeV/mm with 1.602e-13 J/MeV, divided by mm · g/cm³ (1e-6 kg/mm³), in nGy.
    curve.values.forEach((value, i) => {
      const density = i >= 8 && i < 16 ? 0.5 : 1;
      expect(mass[i]).toBeCloseTo(((value * 1.602176634e-13) / (density * 1e-6)) * 1e9, 6);
    });
    // At 2 mm (30 MeV: 18.8 MeV cm²/g) the density halves: energy per depth halves too, but the dose is continuous.
    const [before, after] = [7, 8];
    expect((curve.values[after] ?? 0) / (curve.values[before] ?? 1)).toBeCloseTo(0.5, 1);
    expect((mass[after] ?? 0) / (mass[before] ?? 1)).toBeCloseTo(1, 1);
    // S = 18.76 MeV cm²/g at 30 MeV: 1.876 MeV/mm, 300.6 nGy mm² at the entrance.
    expect((mass[0] ?? 0) / 300.6).toBeCloseTo(1, 1);
    // Mass times dose is the energy: Σ ρ D dz equals the deposited energy.
    const energy = run.dose.reduce((a, b) => a + b, 0);
    const summed = Array.from(mass).reduce((sum, value, i) => sum + value * (i >= 8 && i < 16 ? 0.5 : 1) * 0.25, 0);
    expect(summed / 160.2176634 / energy).toBeCloseTo(1, 9);
  });

  test('is saved with the densities, and both are in the CSV', async () => {
    const run = await runScenario({ kind: 'transport', version: 1, ...parts });
    const again = runOf('transport', await runPacker.read(await runPacker.write(run), 'small.h5'));
    expect(again.axes.density_g_cm3).toEqual(run.axes.density_g_cm3);
    const csv = new TextDecoder().decode((await exportRun(run, 'depth-dose', runPacker)).bytes);
    expect(csv.split('\n')[0]).toBe('depth_mm,dose_MeV_per_mm,dose_per_mass_nGy_mm2');
  });
});

describe('fluence moments', () => {
  /** One plane's sums for protons of given x (mm) and θ (rad). */
  function planeSums(protons: readonly (readonly [weight: number, x: number, theta: number])[]): number[] {
    const out = [0, 0, 0, 0, 0, 0];
    for (const [w, x, t] of protons) {
      [w, w * x, w * x * x, w * t, w * t * t, w * x * t].forEach((term, i) => {
        out[i] = (out[i] ?? 0) + term;
      });
    }
    return out;
  }

  it('give widths about the mean, without the width due to the grid', () => {
    const plane = planeSums([
      [2, 1, 0.01],
      [2, 3, 0.03],
    ]);
    const moments = fluenceMoments(new Float64Array(plane), 0.5, 0.19);
    expect(moments.depth_mm[0]).toBe(0.25);
    expect(moments.protons[0]).toBe(4);
    expect(moments.mean_x_mm[0]).toBe(2);
    expect(moments.sigma_x_mm[0]).toBeCloseTo(Math.sqrt(1 - 0.19), 12);
    expect(moments.mean_theta_mrad[0]).toBeCloseTo(20, 12);
    expect(moments.theta_rms_mrad[0]).toBeCloseTo(10, 12);
    expect(moments.covariance_mm_mrad[0]).toBeCloseTo(10, 9);
  });

  it('exclude planes that no proton reaches, and have no width if the cells are too wide', () => {
    const crossing = new Float64Array([...planeSums([[1, 0, 0]]), ...planeSums([[1e-9, 5, 1]]), 0, 0, 0, 0, 0, 0]);
    const moments = fluenceMoments(crossing, 1, 0.5);
    expect([...moments.depth_mm]).toEqual([0.5]);
    expect([...moments.sigma_x_mm, ...moments.theta_rms_mrad]).toEqual([Number.NaN, 0]);
  });

  it('have empty columns for an empty run', () => {
    expect(fluenceMoments(new Float64Array(12), 1, 0).depth_mm.length).toBe(0);
  });

  it('the mean range is the mean depth of protons that stop, excluding those lost on the way', () => {
    // 20 % are lost on the way; the others stop around 40 mm.
    const planes = Array.from({ length: 50 }, (_, i) => {
      const z = i + 0.5;
      return planeSums([[(1 - 0.005 * Math.min(z, 40)) * 0.5 * (1 - Math.tanh(z - 40)), 0, 0]]);
    });
    const grid = { nz: 50, dz_mm: 1 };
    const end = { stopped: 0.8, excess_mm: 0, lostBehind: () => 0, escapedSideways: 0 };
    const moments = fluenceMoments(new Float64Array(planes.flat()), 1, 0);
    const [ahead, behind] = [
      { z_mm: 0, angle_rad: 0 },
      { z_mm: 2, angle_rad: 0 },
    ];
    expect(Math.abs((meanRange(moments, ahead, grid, end, 40) ?? 0) - 40)).toBeLessThan(0.03);
    expect(Math.abs((meanRange(moments, behind, grid, { ...end, excess_mm: 0.3 }, 38) ?? 0) - 37.7)).toBeLessThan(0.03);
    expect(meanRange(moments, ahead, grid, end, null)).toBeNull();
    // If protons leave through a side, the mean range of a straight beam is still known. That of a tilted beam is not,
    // because its axis may leave through that side.
    expect(meanRange(moments, ahead, grid, { ...end, escapedSideways: 0.1 }, 40)).not.toBeNull();
    expect(meanRange(moments, { ...ahead, angle_rad: 0.1 }, grid, { ...end, escapedSideways: 0.1 }, 40)).toBeNull();
    // The beam leaves the box at the 40th plane, where most protons are still in flight.
    const cut = fluenceMoments(new Float64Array(planes.slice(0, 40).flat()), 1, 0);
    expect(meanRange(cut, ahead, { nz: 40, dz_mm: 1 }, end, 38)).toBeNull();
  });
});

describe('mean range', () => {
  const straight = { scattering: 'off', straggling: 'off' } as const;
  const coarse = { dtheta_mrad: 10 };
  const depth = { stepping: 'depth' } as const;

  test.each([
    ['70 MeV', 40.779, { grid: coarse }],
    ['70 MeV, cells of 0.25 mm', 40.779, { grid: { ...coarse, dz_mm: 0.25 } }],
    ['70 MeV, a cutoff of 0.5 MeV', 40.779, { grid: { ...coarse, cutoff_MeV: 0.5 } }],
    ['70 MeV, neither scattering nor straggling', 40.801, { grid: coarse, physics: straight }],
    ['70 MeV, cells of half a step', 40.779, { grid: { ...coarse, dz_mm: 0.2 }, solver: { step_mm: 0.4 } }],
    ['70 MeV from inside', 40.779, { beam: { energy_MeV: 70, z_mm: 10.1 }, solver: depth }],
    ['150 MeV, nuclear attenuation', 157.666, { solver: depth, physics: { nuclear: 'attenuation' } }],
    // Losses in the first step after a plane once counted as stops, which gave 40.936 mm, beyond the CSDA range.
    ['70 MeV, of which nine in ten leave beyond 50 mrad', 40.785, { grid: { theta_max_mrad: 50 }, solver: depth }],
    ['300 MeV', 514.245, { solver: depth }],
    [
      '70 MeV in lung',
      158.58,
      { geometry: { background: 'lung' }, grid: { dtheta_mrad: 40, dx_mm: 2 }, solver: depth },
    ],
    ['10 MeV, with a cutoff of 2 MeV', 1.2295, { grid: { cutoff_MeV: 2 }, solver: depth }],
  ])('%s', async (name, expected_mm, parts) => {
    const beam = { energy_MeV: Number.parseFloat(name) };
    const run = await runScenario({ kind: 'transport', version: 1, beam, ...parts });
    const { mean_range_mm } = metricsOf(measuredRunOf(run));
    expect(Math.abs((mean_range_mm ?? Number.NaN) - expected_mm), `${mean_range_mm} mm`).toBeLessThan(0.03);
  });

  // CSDA ranges of 100 MeV, mm, by quadrature of the table.
  test.each([
    ['copper', 13.2292],
    ['water', 77.1749],
  ])('includes, with reactions, the other half of the detour due to scattering in %s', async (matter, csda_mm) => {
    const losses: number[] = [];
    for (const nuclear of ['off', 'icru63'] as const) {
      const geometry = { background: matter, width_mm: 20 };
      const parts = { beam: { energy_MeV: 100 }, geometry, physics: { nuclear }, solver: depth };
      const run = await runScenario({ kind: 'transport', version: 1, ...parts, grid: { dtheta_mrad: 20 } });
      const { mean_range_mm } = metricsOf(measuredRunOf(run));
      losses.push(1 - (mean_range_mm ?? Number.NaN) / csda_mm);
    }
    const [inPlane = Number.NaN, inSpace = Number.NaN] = losses;
    // A beam scatters along y as along x. Copper with the detour of water, 0.0005 of the range, would give 1.2.
    expect(Math.abs(inSpace / inPlane - 2), `${losses}`).toBeLessThan(0.15);
    if (matter === 'copper') expect(inPlane).toBeGreaterThan(0.002);
  });

  test('is off by a tenth of a millimetre at 70 MeV and 30 degrees, since planes of z miss sideways crossings', async () => {
    const parts = { beam: { energy_MeV: 70, angle_deg: 30 }, grid: { dx_mm: 0.5, dz_mm: 0.2, dtheta_mrad: 20 } };
    const run = await runScenario({ kind: 'transport', version: 1, ...parts });
    expect(Math.abs((metricsOf(measuredRunOf(run)).mean_range_mm ?? Number.NaN) - 40.779)).toBeLessThan(0.1);
  });

  test('does not exist near a side, where the remaining protons have scattered inwards, deeper than the CSDA range', async () => {
    const small = { geometry: { width_mm: 12, depth_mm: 6 }, grid: { dx_mm: 0.5, dz_mm: 0.05, dtheta_mrad: 20 } };
    const meanAt = async (x_mm: number): Promise<number | null> => {
      const beam = { energy_MeV: 20, angle_deg: 11, x_mm, x_sigma_mm: 0.6 };
      return metricsOf(measuredRunOf(await runScenario({ kind: 'transport', version: 1, beam, ...small })))
        .mean_range_mm;
    };
    expect(await meanAt(5.8)).toBeNull();
    expect(await meanAt(0)).toBeGreaterThan(4.2);
  });
});

describe('LET, spectra and RBE', () => {
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
    // Beyond the range there are no protons, so no average exists.
    expect(quality.letd[at(38)]).toBeNaN();
  });

  test('spectra are given at the requested depths, with the mean energy of the residual range', () => {
    const spectra = qualityOf(run)?.spectra ?? [];
    expect(spectra.map(({ depth_mm }) => depth_mm)).toEqual([5.125, 20.125]);
    for (const { energy_MeV, width_MeV, per_MeV, protons } of spectra) {
      const all = protons.reduce((a, b) => a + b, 0);
      // Without reactions and at small angles, every proton crosses each plane once.
      expect(all).toBeGreaterThan(0.999);
      expect(all).toBeLessThan(1.02);
      const mean = protons.reduce((sum, n, i) => sum + n * (energy_MeV[i] ?? 0), 0) / all;
      const integral = per_MeV.reduce((sum, n, i) => sum + n * (width_MeV[i] ?? 0), 0);
      expect(integral).toBeCloseTo(all, 9);
      expect(mean).toBeLessThan(60);
    }
    const five = spectra[0]?.protons ?? new Float64Array(0);
    const mean = five.reduce((sum, n, i) => sum + n * (spectra[0]?.energy_MeV[i] ?? 0), 0);
    // Range 30.93 mm minus 5.125 mm: 25.8 mm, which is the range of 54.2 MeV.
    expect(mean).toBeCloseTo(54.2, 0);
  });

  test('a run file stores them, and files without them are read', async () => {
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
    // The value on the axis at the entrance.
    expect(map.values[10 * run.axes.nz]).toBeCloseTo(quality?.letd[0] ?? 0, 1);
    await expect(makeMap({ axes: run.axes, dose: run.dose, marginals: null }, request)).rejects.toMatchObject({
      code: 'not-found',
    });
  });

  test('RBE-weighted dose is the dose times the RBE at the dose per fraction', () => {
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

  test('secondary protons contribute to the averages of all protons', async () => {
    const followed = await runScenario({ ...parts, physics: { nuclear: 'icru63' }, output: { let: true } });
    const quality = qualityOf(followed);
    expect(quality?.letd[40]).toBeGreaterThan(1.05 * (quality?.letd_primary[40] ?? 0));
  });

  test('a variant without LET, and depths outside the box, are rejected with their path', async () => {
    await expect(runScenario({ ...parts, output: { let: true, spectra_mm: [41] } })).rejects.toThrow(
      /output.spectra_mm/,
    );
  });
});
