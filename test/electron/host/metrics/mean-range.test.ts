/** Mean range of real runs: the CSDA range of the table, also where steps are coarse and the cutoff is high. */
import { expect, test } from 'vitest';
import { metricsOf } from '../../../../electron/host/metrics/run-metrics.ts';
import { measured } from '../../../../electron/host/workloads/transport/run-data.ts';
import { runScenario } from '../small-run.ts';

test.each([
  ['70 MeV', 70, {}],
  ['70 MeV, depth stepping', 70, { solver: { stepping: 'depth' } }],
  ['150 MeV', 150, { solver: { stepping: 'depth' } }],
  ['70 MeV at 30 degrees', 70, { beam: { energy_MeV: 70, angle_deg: 30 }, grid: { dx_mm: 0.5, dz_mm: 0.2 } }],
  ['10 MeV, with a cutoff of 2 MeV', 10, { solver: { stepping: 'depth' } }],
])('%s', { timeout: 60_000 }, async (_name, energy_MeV, parts) => {
  const run = await runScenario({ kind: 'transport', version: 1, beam: { energy_MeV }, ...parts });
  const { mean_range_mm } = metricsOf(measured(run));
  // Scattering makes the way to a depth longer than the depth: 2 in 1000 in the plane.
  expect(mean_range_mm).toBeGreaterThan(0.997 * run.range_mm);
  expect(mean_range_mm).toBeLessThan(1.001 * run.range_mm);
});
