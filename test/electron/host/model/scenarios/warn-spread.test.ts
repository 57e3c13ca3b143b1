/** Energy bins that widen the beam are told before a run, with how much they add. */
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
  for (const step of [0.2, 0.1, 0.05]) expect(lines(await check(bins(step)))).toEqual([]);
});

test('half a bin a step is warned of, with the spread that the run then states', async () => {
  const reading = await check(bins(0.2, 0.1));
  const [line = '', ...others] = lines(reading);
  expect(others).toEqual([]);
  expect(line).toMatch(
    /^warning grid\.energy\.step_mm: 0\.2 mm adds 1\.\d\d mm \(σ\) of range spread, physics gives 0\.47 mm; W80–20 is \d\.\d\d×: a solver step of a whole number of bins/,
  );
  expect(reading.problem).not.toBeNull();
  // Defaults of other materials are no round numbers.
  const copper = await check({ beam: { energy_MeV: 150 }, geometry: { background: 'copper' } });
  expect(lines(copper).join('\n')).toContain(': 0.1507 mm adds');
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
