/** The gates of the distal falloff at one energy, on the program's default grid. */
import { expect } from 'vitest';
import type { Metrics } from '../../electron/contract/run.ts';
import { metricsOf } from '../../electron/host/workloads/transport/metrics/run-metrics.ts';
import { measuredRunOf } from '../../electron/host/workloads/transport/run-data.ts';
import { runScenario } from '../electron/host/small-run.ts';
import { expected } from './oracle/oracle.ts';

async function solveMetrics(energy_MeV: number, parts: object): Promise<Metrics> {
  return metricsOf(measuredRunOf(await runScenario({ kind: 'transport', version: 1, beam: { energy_MeV }, ...parts })));
}

/** Without angles: W80–20 and peak within 0.5 %, ranges within 0.02 mm, of the oracle's quadrature. */
export async function expectFalloffWithoutAngles(energy_MeV: number): Promise<void> {
  const { r80_mm, w80_20_mm, mean_range_mm, peak_to_entrance } = await solveMetrics(energy_MeV, {
    // The quadrature has no angles.
    physics: { scattering: 'off' },
    grid: { dtheta_mrad: 20, theta_max_mrad: 40 },
    solver: { stepping: 'depth' },
  });
  const of = (quantity: string): number => expected(`water-${energy_MeV}MeV`, quantity).value;
  expect(Math.abs((w80_20_mm ?? 0) / of('w80_20_mm') - 1)).toBeLessThan(0.005);
  expect(Math.abs((peak_to_entrance ?? 0) / of('peak_to_entrance') - 1)).toBeLessThan(0.005);
  expect(Math.abs((r80_mm ?? 0) - of('r80_mm'))).toBeLessThan(0.02);
  expect(Math.abs((mean_range_mm ?? 0) - of('mean_range_mm'))).toBeLessThan(0.02);
}

/** With angles, by both steppings: W80–20 within 1 %, R80 within 0.02 mm, of a run on cells of `dz_mm`. */
export async function expectFalloffOfFinerCells(energy_MeV: number, dz_mm: number): Promise<void> {
  const fine = await solveMetrics(energy_MeV, { grid: { dz_mm, dtheta_mrad: 10 }, solver: { stepping: 'depth' } });
  for (const stepping of ['depth', 'path']) {
    const found = await solveMetrics(energy_MeV, { solver: { stepping } });
    for (const wanted of [fine.w80_20_mm ?? 0, expected(`water-${energy_MeV}MeV`, 'w80_20_mm').value]) {
      expect(Math.abs((found.w80_20_mm ?? 0) / wanted - 1)).toBeLessThan(0.01);
    }
    expect(Math.abs((found.r80_mm ?? 0) - (fine.r80_mm ?? 0))).toBeLessThan(0.02);
  }
}

/** All gates on the physics need minutes: `npm run test:all -- gates` runs all, `npm test` a selection. */
export const allGates = process.env['BRAGGBENCH_GATES'] === 'all';
