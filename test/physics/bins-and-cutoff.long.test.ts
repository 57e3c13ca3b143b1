/**
 * The grid of a user's scenario: bins as wide as the steps do not smear the range, and the program's cutoff has no
 * visible effect.
 */
import { describe, expect, test } from 'vitest';
import type { RunSummary } from '../../electron/contract/run.ts';
import { summaryOf } from '../../electron/host/workloads/transport/readouts.ts';
import { runScenario } from '../electron/host/small-run.ts';
import { expected } from './oracle/stored.ts';

const solved = async (parts: object): Promise<RunSummary> =>
  summaryOf(await runScenario({ kind: 'transport', version: 1, ...parts }));

test.each(['depth', 'path'] as const)(
  'PMMA at 140 MeV, bins and steps of 0.5 mm, %s stepping: W80–20 is 1.71 ± 0.05 mm',
  async (stepping) => {
    const { metrics } = await solved({
      beam: { energy_MeV: 140 },
      geometry: { background: 'pmma', width_mm: 60, depth_mm: 135 },
      grid: { dz_mm: 0.5, dtheta_mrad: 10, energy: { kind: 'range', step_mm: 0.5 } },
      solver: { stepping, step_mm: 0.5 },
    });
    expect(Math.abs((metrics.w80_20_mm ?? 0) - 1.71)).toBeLessThan(0.05);
    expect(Math.abs((metrics.w80_20_mm ?? 0) / expected('pmma-140MeV', 'w80_20_mm').value - 1)).toBeLessThan(0.01);
  },
);

describe('the cutoff that is taken', () => {
  test.each([
    [30, 'depth'],
    [30, 'path'],
    [65, 'depth'],
    [65, 'path'],
  ])(
    '%d MeV, %s stepping: peak to entrance within half a hundredth, R80 within 0.01 mm of cutoff to 0',
    async (energy, stepping) => {
      const beam = { energy_MeV: energy };
      const { metrics } = await solved({ beam, solver: { stepping } });
      // The limit: a line through two cutoffs by the range at them, which is what is cut off.
      const ratio = (0.4 / 0.2) ** 1.77; // Bragg and Kleeman
      const lower = await solved({ beam, solver: { stepping }, grid: { cutoff_MeV: 0.4 } });
      const lowest = await solved({ beam, solver: { stepping }, grid: { cutoff_MeV: 0.2 } });
      const limit = (of: 'r80_mm' | 'peak_to_entrance'): number =>
        (ratio * (lowest.metrics[of] ?? 0) - (lower.metrics[of] ?? 0)) / (ratio - 1);
      expect(Math.abs((metrics.peak_to_entrance ?? 0) / limit('peak_to_entrance') - 1)).toBeLessThan(0.005);
      expect(Math.abs((metrics.r80_mm ?? 0) - limit('r80_mm'))).toBeLessThan(0.01);
    },
  );
});
