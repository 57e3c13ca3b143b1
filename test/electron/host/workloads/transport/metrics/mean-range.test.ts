/**
 * Mean range of real runs, to 0.03 mm: the CSDA range of the table (quadrature of PSTAR, mm) less the detour in the
 * plane: the integral of 1 - exp(-σθ²/2) over the range with the same scattering power. Whatever grid, cutoff and step
 * the tracks end on.
 */
import { expect, test } from 'vitest';
import { metricsOf } from '../../../../../../electron/host/workloads/transport/metrics/run-metrics.ts';
import { measured } from '../../../../../../electron/host/workloads/transport/run-data.ts';
import { runScenario } from '../../../small-run.ts';

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
  // Losses of the step that begins in a plane were taken for stops in it: 40.936 mm, beyond the CSDA range.
  ['70 MeV, of which nine in ten leave beyond 50 mrad', 40.785, { grid: { theta_max_mrad: 50 }, solver: depth }],
  ['300 MeV', 514.245, { solver: depth }],
  ['70 MeV in lung', 158.58, { geometry: { background: 'lung' }, grid: { dtheta_mrad: 40, dx_mm: 2 }, solver: depth }],
  ['10 MeV, with a cutoff of 2 MeV', 1.2295, { grid: { cutoff_MeV: 2 }, solver: depth }],
])('%s', async (name, expected_mm, parts) => {
  const beam = { energy_MeV: Number.parseFloat(name) };
  const run = await runScenario({ kind: 'transport', version: 1, beam, ...parts });
  const { mean_range_mm } = metricsOf(measured(run));
  expect(Math.abs((mean_range_mm ?? Number.NaN) - expected_mm), `${mean_range_mm} mm`).toBeLessThan(0.03);
});

test('70 MeV at 30 degrees: a tenth of a millimetre, planes of z count what crosses them aside', async () => {
  const parts = { beam: { energy_MeV: 70, angle_deg: 30 }, grid: { dx_mm: 0.5, dz_mm: 0.2, dtheta_mrad: 20 } };
  const run = await runScenario({ kind: 'transport', version: 1, ...parts });
  expect(Math.abs((metricsOf(measured(run)).mean_range_mm ?? Number.NaN) - 40.779)).toBeLessThan(0.1);
});

test('tilted towards a side it has none: what is left has scattered inwards, deeper than the CSDA range', async () => {
  const small = { geometry: { width_mm: 12, depth_mm: 6 }, grid: { dx_mm: 0.5, dz_mm: 0.05, dtheta_mrad: 20 } };
  const meanAt = async (x_mm: number): Promise<number | null> => {
    const beam = { energy_MeV: 20, angle_deg: 11, x_mm, x_sigma_mm: 0.6 };
    return metricsOf(measured(await runScenario({ kind: 'transport', version: 1, beam, ...small }))).mean_range_mm;
  };
  expect(await meanAt(5.8)).toBeNull();
  expect(await meanAt(0)).toBeGreaterThan(4.2);
});
