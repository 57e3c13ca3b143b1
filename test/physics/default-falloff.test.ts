/**
 * The distal falloff of a beam straight ahead on the grid that the program chooses, against the quadrature of the
 * oracle: neither its cells nor its range bins show.
 */
import { expect, test } from 'vitest';
import { metricsOf } from '../../electron/host/workloads/transport/metrics/run-metrics.ts';
import { measured } from '../../electron/host/workloads/transport/run-data.ts';
import { runScenario } from '../electron/host/small-run.ts';
import { expected } from './oracle/stored.ts';

test.each([65, 70, 90, 110, 150, 210])(
  'W80–20 and peak within 0.5 %, R80 within 0.02 mm: %d MeV',
  async (energy_MeV) => {
    const run = await runScenario({
      kind: 'transport',
      version: 1,
      beam: { energy_MeV },
      // The quadrature has no angles.
      physics: { scattering: 'off' },
      grid: { dtheta_mrad: 20, theta_max_mrad: 40 },
      solver: { stepping: 'depth' },
    });
    const { r80_mm, w80_20_mm, mean_range_mm, peak_to_entrance } = metricsOf(measured(run));
    const of = (quantity: string): number => expected(`water-${energy_MeV}MeV`, quantity).value;
    expect(Math.abs((w80_20_mm ?? 0) / of('w80_20_mm') - 1)).toBeLessThan(0.005);
    expect(Math.abs((peak_to_entrance ?? 0) / of('peak_to_entrance') - 1)).toBeLessThan(0.005);
    expect(Math.abs((r80_mm ?? 0) - of('r80_mm'))).toBeLessThan(0.02);
    expect(Math.abs((mean_range_mm ?? 0) - of('mean_range_mm'))).toBeLessThan(0.02);
  },
);
