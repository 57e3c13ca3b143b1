/** The forecast of a run's time before it starts: from counted cells, and from earlier runs. */
import { expect, test } from 'vitest';
import { loadAddon } from '../../../../../../electron/host/io/addon/addon.ts';
import {
  expectedTime,
  expectedVisits,
  learnTime,
} from '../../../../../../electron/host/workloads/transport/bench/expected-time.ts';
import { openTestScenarios } from '../../../small-run.ts';

const addon = loadAddon();
const scenarios = await openTestScenarios();
const parts = { kind: 'transport', version: 2, physics: { nuclear: 'off' }, output: { keyframes: 0 } };

async function planScenario(document: object) {
  const reading = await scenarios.check(document, { name: 'expected', folder: null });
  const problem = scenarios.resolve(reading);
  const run = await addon.layTransport(problem);
  const ranges = { range_mm: reading.range_mm ?? 0, bins_mm: reading.waterRange_mm ?? 0 };
  return { problem, run, visits: expectedVisits(problem, run.plan, ranges) };
}

const depth = { stepping: 'depth', variant: 'depth' };
const path = { stepping: 'path', variant: 'window' };
const bone = { material: 'bone-compact-icru', x_mm: [-20, 20], z_mm: [10, 20] };
const metal = (formula: string, density_g_cm3: number) => ({
  background: 'metal',
  materials: [{ name: 'metal', formula, density_g_cm3 }],
});
const spots = [60, 70, 80].flatMap((energy_MeV) => [-6, 0, 6].map((x_mm) => ({ energy_MeV, x_mm, x_sigma_mm: 2 })));

test.each([
  ['70 MeV, depth', { beam: { energy_MeV: 70 }, solver: depth }],
  ['120 MeV of a width, depth', { beam: { energy_MeV: 120, x_sigma_mm: 4, energy_sigma_MeV: 0.8 }, solver: depth }],
  ['100 MeV through bone, depth', { beam: { energy_MeV: 100 }, geometry: { regions: [bone] }, solver: depth }],
  [
    '100 MeV behind 2 m of air, depth',
    {
      beam: { energy_MeV: 100, x_sigma_mm: 3 },
      geometry: { background: 'air', depth_mm: 2090, regions: [{ material: 'water', z_mm: [2000, 2090] }] },
      grid: { dz_mm: 1, dx_mm: 2 },
      solver: depth,
    },
  ],
  ['a field, depth', { beam: { spots }, solver: depth }],
  ['70 MeV in silver, depth', { beam: { energy_MeV: 70 }, geometry: metal('Ag', 10.5), solver: depth }],
  ['70 MeV in lead, depth', { beam: { energy_MeV: 70 }, geometry: { background: 'lead' }, solver: depth }],
  ['70 MeV in 1 mm, window', { beam: { energy_MeV: 70 }, grid: { dx_mm: 1, dz_mm: 1, dtheta_mrad: 15 }, solver: path }],
])(
  'the estimated number of cells is within a factor of two: %s',
  async (_name, document) => {
    const { run, visits } = await planScenario({ ...parts, ...document });
    const { cell_steps } = await run.start(() => undefined, { unwatched: true });
    expect((visits ?? 0) / cell_steps).toBeGreaterThan(1 / 2);
    expect((visits ?? 0) / cell_steps).toBeLessThan(2);
  },
  60_000,
);

test.each([
  ['silver', metal('Ag', 10.5)],
  ['osmium', metal('Os', 22.59)],
  ['lead', { background: 'lead' }],
])('a beam in %s visits less than twice as many cells of its grid as a beam in water', async (_name, geometry) => {
  const visited = async (of: object): Promise<number> => {
    const { visits } = await planScenario({ ...parts, beam: { energy_MeV: 100 }, ...of, solver: path });
    return visits ?? Number.NaN;
  };
  // The true ratio is 0.5. If the forecast used the beam's width in water, the ratio would be three to six.
  expect((await visited({ geometry })) / (await visited({}))).toBeLessThan(2);
});

test('variants that visit a different number of cells have no time estimate', async () => {
  const grid = { dx_mm: 2, dz_mm: 2, dtheta_mrad: 80 };
  const { visits } = await planScenario({ ...parts, beam: { energy_MeV: 40 }, grid, solver: { variant: 'fused' } });
  expect(visits).toBeNull();
});

test('the time of a run predicts the next run of its kind, and half the time for half its cells', async () => {
  const { problem, run, visits: found } = await planScenario({ ...parts, beam: { energy_MeV: 70 }, solver: depth });
  const visits = found ?? 0;
  // No other test uses a variant of this name.
  const plan = { ...run.plan, variant: 'of-this-test' };
  expect(expectedTime(problem, plan, visits, false).elsewhere).toBe('a server with AVX-512');
  expect(expectedTime(problem, plan, visits, true).elsewhere).toBe('an H100');
  learnTime(problem, plan, visits, 40);
  expect(expectedTime(problem, plan, visits, false)).toEqual({ seconds: 40, elsewhere: null });
  expect(expectedTime(problem, plan, visits / 2, false).seconds).toBeCloseTo(20, 9);
  learnTime(problem, plan, visits, 20);
  expect(expectedTime(problem, plan, visits, false).seconds).toBeCloseTo(30, 9);
  // Runs with reactions have a separate forecast.
  const other = { ...problem, physics: { ...problem.physics, nuclear: 'icru63' } as const };
  expect(expectedTime(other, plan, visits, false).elsewhere).not.toBeNull();
});
