/** Energy and spread found again from depth doses: the program's own with noise, and those of a Monte Carlo. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commission } from '../../../../../../electron/host/workloads/transport/beams/commission.ts';
import { depthDose, waterProblem } from '../../../../../../electron/host/workloads/transport/beams/depth-doses.ts';
import { readCurve } from '../../../../../../electron/host/workloads/transport/beams/measured-curve.ts';
import { addon, assetsFolder, scenarios } from '../../../model/scenarios/open.ts';

const check = (document: unknown) => scenarios.check(document, { name: 's', folder: null });
const { signal } = new AbortController();

/** Normal numbers from a seed. */
function normals(seed: number): () => number {
  let state = seed;
  const uniform = (): number => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return (state + 0.5) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

describe('commissioning', () => {
  test.each([
    [100, 0.6, 0.01, 1],
    [150, 1.2, 0.01, 2],
    [150, 0.5, 0.003, 3],
  ])(
    '%d MeV, spread %d MeV, noise of %d: found within three of the stated errors',
    async (energy, sigma, noise, seed) => {
      const tools = { physics: {}, check, addon };
      const { problem } = await waterProblem(tools, [{ energy_MeV: energy, energy_sigma_MeV: sigma }]);
      const { curve } = await depthDose(tools, problem, signal);
      const { dz_mm } = problem.grid;
      const normal = normals(seed);
      const top = Math.max(...curve);
      const measured = {
        depth_mm: Float64Array.from(curve, (_, i) => (i + 0.5) * dz_mm),
        dose: curve.map((value) => 7 * (value + noise * top * normal())),
      };
      const found = await commission(tools, measured, signal);
      expect(Math.abs(found.energy_MeV - energy)).toBeLessThan(3 * found.energy_error_MeV + 2e-4 * energy);
      expect(Math.abs(found.energy_sigma_MeV - sigma)).toBeLessThan(3 * found.sigma_error_MeV + 0.02 * sigma);
      expect(found.energy_error_MeV).toBeLessThan(0.1);
      expect(found.residual).toBeLessThan(1.4 * noise);
    },
    60_000,
  );

  test('the Monte Carlo’s beams: energies to 0.2 %, spread no more than W80–20 allows', async () => {
    const rows = readFileSync(join(assetsFolder, 'reference/topas-water-depth-dose.csv'), 'utf8').split('\n');
    const all = rows.filter((row) => /^\d/.test(row)).map((row) => row.split(',').map(Number));
    const energies = [...new Set(all.map(([energy]) => energy ?? 0))];
    expect(energies).toHaveLength(8);
    const physics = { nuclear: 'icru63', stopping_power: 'icru90' } as const;
    for (const energy of energies) {
      const mine = all.filter((row) => row[0] === energy);
      const measured = {
        depth_mm: Float64Array.from(mine, (row) => row[1] ?? 0),
        dose: Float64Array.from(mine, (row) => row[2] ?? 0),
      };
      const found = await commission({ physics, check, addon }, measured, signal);
      expect(Math.abs(found.energy_MeV / energy - 1), `${energy} MeV`).toBeLessThan(0.002);
      expect(found.energy_sigma_MeV, `${energy} MeV`).toBeLessThan(0.0035 * energy);
    }
  }, 240_000);
});

describe('a measured curve', () => {
  const peak = [10, 10, 11, 12, 14, 18, 30, 60, 100, 70, 20, 2, 0];
  const csv = (unit: number) => peak.map((dose, i) => `${(i + 1) * unit},${dose}`).join('\n');

  test('is read in mm and cm, with commas, semicolons or blanks', () => {
    const wanted = Float64Array.from(peak, (_, i) => 10 * (i + 1));
    for (const text of [
      `depth_mm,dose\n${csv(10)}`,
      `# a chamber\nDepth (cm);Dose\r\n${csv(1).replaceAll(',', ';').replaceAll('\n', '\r\n')}\r\n`,
      `z [mm]\tdose\n${csv(10).replaceAll(',', ' ')}`,
    ]) {
      const read = readCurve(text, null);
      expect(read.ok && [...read.curve.depth_mm]).toEqual([...wanted]);
    }
    const read = readCurve(csv(1), 'cm');
    expect(read.ok && [...read.curve.depth_mm]).toEqual([...wanted]);
  });

  test.each([
    ['', 1, 'the file is empty'],
    [csv(10), 1, 'nothing says the unit of depth'],
    ['depth_mm,dose\n1,2\n2,3\n', 1, '2 points; allowed: 10 to'],
    [`depth_mm,dose\n${csv(10)}\nx,3`, 15, 'x is not a finite number'],
    [`depth_mm,dose\n${csv(10)}\n130,`, 15, 'nothing is not a finite number'],
    [`depth_mm,dose\n${csv(10)}\n130,0`, 15, 'depth 130 does not ascend'],
    [`depth_mm,dose\n${csv(10).split('\n').slice(0, 10).join('\n')}`, 11, 'does not fall to 20 %'],
  ])('%j is refused at its line', (text, line, says) => {
    const read = readCurve(text, null);
    expect(!read.ok && read.faults[0]?.line).toBe(line);
    expect(!read.ok && read.faults[0]?.message).toContain(says);
  });
});
