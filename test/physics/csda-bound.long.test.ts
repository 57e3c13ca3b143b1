/** No beam goes further in the mean than protons that neither scatter nor straggle. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadAddon } from '../../electron/host/io/addon/addon.ts';
import { metricsOf } from '../../electron/host/workloads/transport/metrics/run-metrics.ts';
import { measured } from '../../electron/host/workloads/transport/run-data.ts';
import { assetsFolder, openTestScenarios, runScenario } from '../electron/host/small-run.ts';
import { allGates } from './gates.ts';

const scenarios = await openTestScenarios(loadAddon());

interface Ranges {
  readonly mean_mm: number;
  readonly longest_mm: number;
}

/** Mean range of a scenario, and the longest way that its matter leaves: along the axis, or through the background. */
async function ranges(document: object): Promise<Ranges> {
  const reading = await scenarios.check(document, { name: 'bound', folder: null });
  const background = { ...reading.scenario?.geometry, regions: [] };
  const without = await scenarios.check({ ...reading.document, geometry: background }, { name: 'b', folder: null });
  const { mean_range_mm } = metricsOf(measured(await runScenario(document)));
  return {
    mean_mm: mean_range_mm ?? Number.NaN,
    longest_mm: Math.max(reading.range_mm ?? 0, without.range_mm ?? 0),
  };
}

const folder = path.join(assetsFolder, 'scenarios');
/** By path stepping a tilted beam takes ten times as long. */
const quick = (name: string): boolean => !name.startsWith('tilted');
const shipped = readdirSync(folder).filter((name) => name.endsWith('.json') && (allGates || quick(name)));

test.each(shipped)('%s', async (name) => {
  const { document, scenario } = await scenarios.read(path.join(folder, name));
  if (document === null || scenario?.initial.kind !== 'beam') return;
  const solver = scenario.beam.angle_deg === 0 ? { ...document.solver, stepping: 'depth' } : document.solver;
  const { mean_mm, longest_mm } = await ranges({ ...document, solver });
  expect(mean_mm).toBeLessThan(longest_mm);
  expect(mean_mm).toBeGreaterThan(0.8 * longest_mm);
});

test('protons that react on the way count as neither: the others go as far as where none reacts', async () => {
  const means: number[] = [];
  for (const nuclear of ['off', 'attenuation']) {
    const parts = { beam: { energy_MeV: 213.9 }, grid: { dtheta_mrad: 10 }, solver: { stepping: 'depth' } };
    const { mean_mm } = await ranges({ kind: 'transport', version: 1, ...parts, physics: { nuclear } });
    means.push(mean_mm);
  }
  const [none = Number.NaN, some = Number.NaN] = means;
  expect(Math.abs(some - none), `${some} and ${none} mm`).toBeLessThan(0.02);
});

const matter = fc.constantFrom('water', 'muscle-skeletal', 'pmma', 'bone-compact-icru', 'aluminium', 'lung');

test('beams of any energy, angle, matter, step and bin', { timeout: 1_800_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        energy_MeV: fc.double({ min: 20, max: 70, noNaN: true }),
        angle_deg: fc.constantFrom(0, 0, 7, 10, 20, 30, 40),
        stepping: fc.constantFrom('path', 'depth'),
        background: matter,
        // Steps of parts of cells, and bins of parts of steps, among them.
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
        const { mean_mm, longest_mm } = await ranges({ ...parts, grid: across, solver });
        expect(mean_mm).toBeLessThan(longest_mm);
        expect(mean_mm).toBeGreaterThan(0.97 * longest_mm);
      },
    ),
    { numRuns: allGates ? 100 : 8, seed: 20240607 },
  );
});
