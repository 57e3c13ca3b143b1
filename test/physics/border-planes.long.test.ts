/**
 * Borders of regions between those of cells, on default grids, against the Monte Carlo of the oracle, which has exact
 * borders: 0.1 mm of lead in cells of 0.2 mm, a slab and a half slab of bone that end inside of cells.
 */
import { describe, expect, test } from 'vitest';
import type { Moments } from '../../electron/contract/run.ts';
import { depthReadouts } from '../../electron/host/workloads/transport/metrics/depth-readouts.ts';
import { metricsOf, momentsOf } from '../../electron/host/workloads/transport/metrics/run-metrics.ts';
import { measured, type RunData } from '../../electron/host/workloads/transport/run-data.ts';
import { runScenario } from '../electron/host/small-run.ts';
import { expected } from './oracle/stored.ts';

const transport = (parts: object): Promise<RunData> => runScenario({ kind: 'transport', version: 1, ...parts });

function at(moments: Moments, column: 'sigma_x_mm' | 'theta_rms_mrad', depth_mm: number): number {
  const after = moments.depth_mm.findIndex((depth) => depth >= depth_mm);
  const [from = 0, to = 0] = [moments.depth_mm[after - 1], moments.depth_mm[after]];
  const [low = 0, high = 0] = [moments[column][after - 1], moments[column][after]];
  return low + ((depth_mm - from) / (to - from)) * (high - low);
}

describe('0.1 mm of lead at 70 MeV', () => {
  test.each([
    ['thin-lead-70MeV', [10, 10.1], 'depth'],
    ['thin-lead-70MeV', [10, 10.1], 'path'],
    ['thin-lead-70MeV-off-planes', [10.07, 10.17], 'depth'],
  ] as const)('%s at %j, %s stepping', async (name, z_mm, stepping) => {
    const regions = [{ material: 'lead', x_mm: [-15, 15], z_mm }];
    const run = measured(await transport({ beam: { energy_MeV: 70 }, geometry: { regions }, solver: { stepping } }));
    const { r80_mm, w80_20_mm, mean_range_mm } = metricsOf(run);
    expect(Math.abs((r80_mm ?? 0) - expected(name, 'r80_mm').value)).toBeLessThan(0.02);
    expect(Math.abs((mean_range_mm ?? 0) - expected(name, 'mean_range_mm').value)).toBeLessThan(0.01);
    expect(Math.abs((w80_20_mm ?? 0) / expected(name, 'w80_20_mm').value - 1)).toBeLessThan(0.03);
    const moments = momentsOf(run);
    for (const depth of [12, 20, 30]) {
      const [sigma, theta] = [at(moments, 'sigma_x_mm', depth), at(moments, 'theta_rms_mrad', depth)];
      expect(Math.abs(sigma / expected(name, `sigma_x_at_${depth}_mm`).value - 1)).toBeLessThan(0.03);
      expect(Math.abs(theta / expected(name, `theta_rms_mrad_at_${depth}_mm`).value - 1)).toBeLessThan(0.01);
    }
  });
});

describe('bone at 150 MeV', () => {
  const beam = { energy_MeV: 150 };
  const coarse = { dtheta_mrad: 10 };

  test('a slab of 20 mm that begins and ends inside of cells', async () => {
    const regions = [{ material: 'bone-compact-icru', x_mm: [-80, 80], z_mm: [40.17, 60.17] }];
    const geometry = { width_mm: 160, depth_mm: 160, regions };
    const run = measured(await transport({ beam, geometry, grid: coarse, solver: { stepping: 'depth' } }));
    const { r80_mm } = metricsOf(run);
    expect(Math.abs((r80_mm ?? 0) - expected('slab-bone-150MeV', 'r80_mm').value)).toBeLessThan(0.05);
    const theta = at(momentsOf(run), 'theta_rms_mrad', 70);
    expect(Math.abs(theta / expected('slab-bone-150MeV', 'theta_rms_mrad_at_70_mm').value - 1)).toBeLessThan(0.01);
  });

  test('half a slab, whose edge lies inside of cells too', async () => {
    const regions = [{ material: 'bone-compact-icru', x_mm: [0.2, 40], z_mm: [40.17, 60.17] }];
    const geometry = { width_mm: 80, depth_mm: 176, regions };
    const wide = { ...beam, x_sigma_mm: 5 };
    const grid = { ...coarse, dx_mm: 0.5 };
    const { axes, dose } = await transport({ beam: wide, geometry, grid, solver: { stepping: 'depth' } });
    const inColumns = (from: number, to: number): Float64Array =>
      Float64Array.from({ length: axes.nz }, (_, z) => {
        const row = dose.subarray(z * axes.nx, (z + 1) * axes.nx);
        return row.reduce((sum, value, x) => {
          const centre = (x + 0.5 - axes.nx / 2) * axes.dx_mm;
          return sum + (centre > from && centre < to ? value : 0);
        }, 0);
      });
    for (const [from, to] of [
      [-15, -5],
      [5, 15],
    ] as const) {
      const values = inColumns(from, to);
      const { r80_mm } = depthReadouts({ start_mm: 0, step_mm: axes.dz_mm, values }, 0, 100);
      const wanted = expected('half-slab-bone-150MeV', `r80_mm_x_from_${from}_to_${to}`).value;
      expect(Math.abs((r80_mm ?? 0) - wanted)).toBeLessThan(0.1);
    }
  });
});
