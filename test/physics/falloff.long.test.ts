/**
 * The mean range of no beam exceeds the range of protons that neither scatter nor straggle. The distal falloff of a
 * straight beam on the program's default grid is compared with the oracle's quadrature and with finer grids. Neither
 * cells nor range bins may have a visible effect; `default-falloff.test.ts` covers 70 MeV. Products of reactions end
 * where the beam ends, in every material: no dose beyond the range, and a falloff as wide as that of unreacted protons.
 * Planes of products designed for water once put 1.2 % of the peak of dense water at 1.06 ranges.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { materialNames } from '../../electron/contract/scenario/index.ts';
import { loadAddon } from '../../electron/host/io/addon/addon.ts';
import { metricsOf } from '../../electron/host/workloads/transport/metrics/run-metrics.ts';
import { measuredRunOf, type RunData } from '../../electron/host/workloads/transport/run-data.ts';
import { assetsFolder, openTestScenarios, runScenario } from '../electron/host/small-run.ts';
import { allGates, expectFalloffOfFinerCells, expectFalloffWithoutAngles } from './falloff.ts';

describe('the CSDA bound of the falloff', async () => {
  const scenarios = await openTestScenarios(loadAddon());

  interface Ranges {
    readonly mean_mm: number;
    readonly longest_mm: number;
  }

  /** Mean range of a scenario, and its longest possible path: along the axis, or through the background material. */
  async function rangesOf(document: object): Promise<Ranges> {
    const reading = await scenarios.check(document, { name: 'bound', folder: null });
    const background = { ...reading.scenario?.geometry, regions: [] };
    const without = await scenarios.check({ ...reading.document, geometry: background }, { name: 'b', folder: null });
    const { mean_range_mm } = metricsOf(measuredRunOf(await runScenario(document)));
    return {
      mean_mm: mean_range_mm ?? Number.NaN,
      longest_mm: Math.max(reading.range_mm ?? 0, without.range_mm ?? 0),
    };
  }

  const folder = path.join(assetsFolder, 'scenarios');
  /** Whether a beam is solved quickly: with path stepping, tilted beams need ten times as long. */
  const quick = (name: string): boolean => !name.startsWith('tilted');
  const shipped = readdirSync(folder).filter((name) => name.endsWith('.json') && (allGates || quick(name)));

  test.each(shipped)('%s', async (name) => {
    const { document, scenario } = await scenarios.read(path.join(folder, name));
    if (document === null || scenario?.initial.kind !== 'beam') return;
    const solver = scenario.beam.angle_deg === 0 ? { ...document.solver, stepping: 'depth' } : document.solver;
    const { mean_mm, longest_mm } = await rangesOf({ ...document, solver });
    expect(mean_mm).toBeLessThan(longest_mm);
    expect(mean_mm).toBeGreaterThan(0.8 * longest_mm);
  });

  test('protons that react on the way are excluded, since the others stop where they would without reactions', async () => {
    const means: number[] = [];
    for (const nuclear of ['off', 'attenuation']) {
      const parts = { beam: { energy_MeV: 213.9 }, grid: { dtheta_mrad: 10 }, solver: { stepping: 'depth' } };
      const { mean_mm } = await rangesOf({ kind: 'transport', version: 1, ...parts, physics: { nuclear } });
      means.push(mean_mm);
    }
    const [none = Number.NaN, some = Number.NaN] = means;
    expect(Math.abs(some - none), `${some} and ${none} mm`).toBeLessThan(0.02);
  });

  const matter = fc.constantFrom('water', 'muscle-skeletal', 'pmma', 'bone-compact-icru', 'aluminium', 'lung');

  test('bounds beams of any energy, angle, material, step and bin', { timeout: 1_800_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          energy_MeV: fc.double({ min: 20, max: 70, noNaN: true }),
          angle_deg: fc.constantFrom(0, 0, 7, 10, 20, 30, 40),
          stepping: fc.constantFrom('path', 'depth'),
          background: matter,
          // Includes steps and bins that are no multiples of cells.
          coarser: fc.constantFrom(1, 1.37, 2),
        }),
        async ({ energy_MeV, angle_deg, stepping, background, coarser }) => {
          const grid = { dtheta_mrad: 40, theta_max_mrad: 320 };
          const parts = { kind: 'transport', version: 1, beam: { energy_MeV, angle_deg }, geometry: { background } };
          const reading = await scenarios.check({ ...parts, grid, solver: { stepping } }, { name: 'p', folder: null });
          const found = reading.scenario;
          if (found === null) throw new Error('not completed');
          const solver = stepping === 'path' ? { stepping, step_mm: coarser * found.solver.step_mm } : { stepping };
          const across = { ...grid, dx_mm: 2 * found.grid.dx_mm };
          const { mean_mm, longest_mm } = await rangesOf({ ...parts, grid: across, solver });
          expect(mean_mm).toBeLessThan(longest_mm);
          expect(mean_mm).toBeGreaterThan(0.97 * longest_mm);
        },
      ),
      { numRuns: allGates ? 100 : 8, seed: 20240607 },
    );
  });
});

describe('the falloff on default grids', () => {
  test.each([65, 90, 110, 150, 210])('%d MeV without angles has the theoretical falloff', expectFalloffWithoutAngles);

  test.each([
    [110, 0.1],
    [150, 0.2],
    [210, 0.25],
  ])('%d MeV with its angles has the theoretical falloff, on cells of %d mm', expectFalloffOfFinerCells);
});

describe('dose beyond the range', () => {
  const METALS = [
    { name: 'titanium', formula: 'Ti', density_g_cm3: 4.54 },
    { name: 'iron', formula: 'Fe', density_g_cm3: 7.874 },
    { name: 'silver', formula: 'Ag', density_g_cm3: 10.5 },
    { name: 'gold', formula: 'Au', density_g_cm3: 19.32 },
  ];

  function solveBackground(background: string, nuclear: 'off' | 'icru63'): Promise<RunData> {
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

  /** Largest dose beyond `depth_mm`, relative to the peak. */
  function largestDoseBeyond(run: RunData, depth_mm: number): number {
    const { nz, nx } = run.axes;
    const { dose } = measuredRunOf(run);
    const rows = Array.from({ length: nz }, (_, z) => dose.slice(z * nx, (z + 1) * nx).reduce((a, b) => a + b, 0));
    const first = Math.ceil(depth_mm / run.axes.dz_mm);
    return Math.max(0, ...rows.slice(first)) / Math.max(...rows);
  }

  // Leave out air, in which the range is 34 m.
  test.each([...materialNames.filter((name) => name !== 'air'), ...METALS.map(({ name }) => name)])(
    'is absent with products of reactions: %s',
    async (material) => {
      const [off, icru63] = [await solveBackground(material, 'off'), await solveBackground(material, 'icru63')];
      const of = (run: RunData) => metricsOf(measuredRunOf(run));
      const range_mm = of(off).r80_mm ?? 0;
      expect(range_mm).toBeGreaterThan(1);
      expect(largestDoseBeyond(icru63, 1.06 * range_mm)).toBeLessThan(0.003);
      expect((of(icru63).w80_20_mm ?? 0) / (of(off).w80_20_mm ?? 1)).toBeLessThan(1.1);
    },
  );
});
