/** A warning before a run if energy bins widen the beam, with the amount. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { assetsFolder, check, lines, scenarios } from './open.ts';

const bins = (step_mm: number, solverStep_mm = 0.2) => ({
  geometry: { width_mm: 20, depth_mm: 50 },
  grid: { dx_mm: 0.5, dz_mm: solverStep_mm, energy: { kind: 'range', step_mm } },
  solver: { step_mm: solverStep_mm },
});

test('a step of a whole number of range bins in water adds nothing and is not warned of', async () => {
  for (const step of [0.1, 0.05]) expect(lines(await check(bins(step)))).toEqual([]);
});

test('bins that would show in the range are taken in parts, and the run gets those', async () => {
  const reading = await check(bins(0.2, 0.1));
  expect(lines(reading)).toEqual([
    'warning grid.energy.step_mm: 0.2 mm is taken in 2 parts of 0.1 mm: wider ones would show in the range and its falloff',
  ]);
  expect(reading.problem?.().grid.energy).toEqual({ kind: 'range', step_mm: 0.1 });
  // Wide compared with the straggling, too, though a step is a whole number of them.
  expect((await check(bins(0.5, 0.5))).problem?.().grid.energy).toEqual({ kind: 'range', step_mm: 0.1 });
  const pmma = await check({
    beam: { energy_MeV: 140 },
    geometry: { background: 'pmma', width_mm: 40, depth_mm: 140 },
    grid: { dz_mm: 0.5, energy: { kind: 'range', step_mm: 0.5 } },
    solver: { step_mm: 0.5 },
  });
  expect(pmma.problem?.().grid.energy).toEqual({ kind: 'range', step_mm: 0.5 / 5 });
  expect(lines(pmma).join()).not.toContain('range spread');
});

test('a tilted beam has steps of whole cells in depth; from plane to plane as many bins as its paths need', async () => {
  const tilted = { beam: { energy_MeV: 150, angle_deg: 30 }, geometry: { width_mm: 200 }, grid: { dz_mm: 0.5 } };
  const path = await check(tilted);
  const way = 0.5 / Math.cos(Math.PI / 6);
  expect(path.scenario?.solver.step_mm).toBeCloseTo(way, 9);
  expect(lines(path)).toEqual([]);
  for (const angle_deg of [10, 30, 45]) {
    const beam = { energy_MeV: 150, angle_deg };
    expect(lines(await check({ ...tilted, beam, solver: { stepping: 'depth' } }))).toEqual([]);
  }
  const apart = lines(await check({ ...tilted, solver: { step_mm: 0.5 } })).join();
  expect(apart).toContain('0.5 mm at 30° is not a whole number of cells in depth');
});

test('a uniform grid states what its two-bin split adds', async () => {
  const reading = await scenarios.read(join(assetsFolder, 'scenarios/uniform-grid-70MeV.json'));
  expect(lines(reading).join('\n')).toMatch(/grid\.energy\.step_MeV: 0\.2 MeV adds \d\.\d\d mm \(σ\) of range spread/);
});

test('without straggling and energy spread any added spread counts', async () => {
  const [line = ''] = lines(await check({ ...bins(0.2, 0.1), physics: { straggling: 'off' } }));
  expect(line).toMatch(/this beam has none of its own/);
  const spread = { beam: { energy_MeV: 70, energy_sigma_MeV: 10 } };
  // 10 MeV are 10 mm of range: a beam that wide hides what the bins add.
  expect(lines(await check({ ...bins(0.08, 0.1), ...spread }))).toEqual([]);
});

test('no shipped beam scenario on a range grid is warned of', async () => {
  const folder = join(assetsFolder, 'scenarios');
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.json')) continue;
    const reading = await scenarios.read(join(folder, name));
    if (reading.scenario?.grid.energy.kind !== 'range') continue;
    expect(
      lines(reading).filter((line) => line.includes('range spread')),
      name,
    ).toEqual([]);
  }
});

test.each(['water', 'pmma', 'aluminium', 'copper', 'lead'])(
  '%s: bins that the program filled in are as good when a file says them',
  async (background) => {
    for (const [stepping, angle_deg] of [
      ['depth', 0],
      ['path', 0],
      ['depth', 20],
    ] as const) {
      const beam = { energy_MeV: 100, angle_deg };
      const chosen = await check({ beam, geometry: { background }, solver: { stepping } });
      const again = await check({ ...chosen.scenario });
      expect(again.problem?.().grid.energy).toEqual(chosen.problem?.().grid.energy);
      expect(lines(again).filter((line) => line.includes('parts'))).toEqual([]);
    }
  },
);
