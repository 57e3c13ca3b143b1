/**
 * Products of reactions end where the beam does, in every matter: no dose behind the range, and a falloff as wide as that of
 * the protons that do not react. Planes of products made for water put 1.2 % of the peak of dense water at 1.06 ranges.
 */
import { expect, test } from 'vitest';
import { materialNames } from '../../electron/contract/scenario/index.ts';
import { metricsOf } from '../../electron/host/workloads/transport/metrics/run-metrics.ts';
import { measured, type RunData } from '../../electron/host/workloads/transport/run-data.ts';
import { runScenario } from '../electron/host/small-run.ts';

const METALS = [
  { name: 'titanium', formula: 'Ti', density_g_cm3: 4.54 },
  { name: 'iron', formula: 'Fe', density_g_cm3: 7.874 },
  { name: 'silver', formula: 'Ag', density_g_cm3: 10.5 },
  { name: 'gold', formula: 'Au', density_g_cm3: 19.32 },
];

function solved(background: string, nuclear: 'off' | 'icru63'): Promise<RunData> {
  return runScenario({
    kind: 'transport',
    version: 1,
    beam: { energy_MeV: 70 },
    geometry: { background, materials: METALS },
    grid: { dtheta_mrad: 40 },
    physics: { nuclear },
    solver: { stepping: 'depth' },
  });
}

/** Largest dose behind `depth_mm`, of the peak. */
function behind(run: RunData, depth_mm: number): number {
  const { nz, nx } = run.axes;
  const { dose } = measured(run);
  const rows = Array.from({ length: nz }, (_, z) => dose.slice(z * nx, (z + 1) * nx).reduce((a, b) => a + b, 0));
  const first = Math.ceil(depth_mm / run.axes.dz_mm);
  return Math.max(0, ...rows.slice(first)) / Math.max(...rows);
}

// Air has a range of 34 m.
test.each([...materialNames.filter((name) => name !== 'air'), ...METALS.map(({ name }) => name)])(
  '%s: no dose behind the range with products of reactions',
  async (material) => {
    const [off, icru63] = [await solved(material, 'off'), await solved(material, 'icru63')];
    const of = (run: RunData) => metricsOf(measured(run));
    const range_mm = of(off).r80_mm ?? 0;
    expect(range_mm).toBeGreaterThan(1);
    expect(behind(icru63, 1.06 * range_mm)).toBeLessThan(0.003);
    expect((of(icru63).w80_20_mm ?? 0) / (of(off).w80_20_mm ?? 1)).toBeLessThan(1.1);
  },
);
