/** `braggbench run --uncertainty`: the band, each input's part of it, and what is refused. */
import { expect, test } from 'vitest';
import type { Uncertainty } from '../../../electron/contract/beams/uncertainty.ts';
import { braggbenchHere } from './command.ts';

type Printed = { uncertainty: Omit<Uncertainty, 'depth_mm' | 'dose' | 'dose_sigma'> & { curve: Curve } };
interface Curve {
  readonly depth_mm: readonly number[];
  readonly dose_MeV_per_mm: readonly number[];
  readonly sigma_MeV_per_mm: readonly number[];
}

const quick = ['--variant', 'moments', '--set', 'solver.stepping=depth'];

async function found(...words: readonly string[]): Promise<Printed['uncertainty']> {
  const { code, stdout, stderr } = await braggbenchHere(['run', ...words, '--uncertainty', '--json']);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return (JSON.parse(stdout) as Printed).uncertainty;
}

const only = (input: string): readonly string[] =>
  ['beam_range_mm', 'mean_excitation_eV', 'density_percent']
    .filter((name) => name !== input)
    .flatMap((name) => ['--vary', `${name}=0`]);

test('in water a range is as uncertain as theory has it, and shares add up', async () => {
  const { r80_mm, r80_sigma_mm, parts, differences_because } = await found('water-70MeV', ...quick);
  expect(differences_because).toBeNull();
  const by = new Map(parts.map((part) => [part.input, part]));
  // R80 is inverse to the density, and 0.2 mm of range are 0.2 mm.
  expect(by.get('density_percent')?.r80_mm).toBeCloseTo(-0.01 * (r80_mm ?? 0), 2);
  expect(by.get('beam_range_mm')?.r80_mm).toBeCloseTo(0.2, 2);
  // From 75 to 78 eV the range of 70 MeV becomes 0.56 % longer (ICRU Report 90).
  expect((by.get('mean_excitation_eV')?.r80_mm ?? 0) / (r80_mm ?? 1)).toBeCloseTo((0.0056 * 2) / 3, 3);
  const sum = parts.reduce((all, part) => all + (part.r80_mm ?? 0) ** 2, 0);
  expect(r80_sigma_mm).toBeCloseTo(Math.sqrt(sum), 6);
  expect(parts.reduce((all, part) => all + (part.share ?? 0), 0)).toBeCloseTo(1, 6);
});

test('derivatives and differences of whole runs give the same band', async () => {
  const words = ['bone-slab-150MeV', ...quick, ...only('density_percent')];
  const tangents = await found(...words, '--set', 'physics.nuclear=off');
  expect(tangents.parts.map(({ title }) => title)).toEqual(['Density, water', 'Density, bone-compact-icru']);
  const differences = await found(...words, '--set', 'physics.nuclear=icru63');
  expect(differences.differences_because).toBe('products of reactions are followed');
  for (const [i, part] of differences.parts.entries()) {
    expect(part.r80_mm).toBeCloseTo(tangents.parts[i]?.r80_mm ?? 0, 1);
  }
});

test('the band is widest in the falloff', async () => {
  const { curve, r80_mm } = await found('water-70MeV', ...quick);
  const widest = curve.sigma_MeV_per_mm.indexOf(Math.max(...curve.sigma_MeV_per_mm));
  expect(Math.abs((curve.depth_mm[widest] ?? 0) - (r80_mm ?? 0))).toBeLessThan(1);
});

test('a table names every input with its source, and the margin of clinics', async () => {
  const { stdout } = await braggbenchHere([
    'run',
    'water-70MeV',
    ...quick,
    '--uncertainty',
    '--vary',
    'density_percent=2',
  ]);
  expect(stdout).toMatch(/R80 40\.\d\d ± 0\.\d\d mm/);
  expect(stdout).toMatch(/Density, water +± 2 % .*as given/);
  expect(stdout).toMatch(/Mean excitation energy, water +± 2 eV .*ICRU Report 90/);
  // 3.5 % of 40.8 mm and 1 mm.
  expect(stdout).toContain('3.5 % of the range and 1 mm is 2.43 mm');
});

test.each([
  [['water-70MeV', '--vary', 'density_percent=2'], '--vary needs --uncertainty'],
  [['water-70MeV', '--uncertainty', '--vary', 'weight=1'], '--vary: weight=1: allowed inputs: beam_range_mm'],
  [
    ['water-70MeV', '--uncertainty', '--vary', 'density_percent=much'],
    '--vary: density_percent=much; allowed: an input',
  ],
  [['simple-cubic-1024', '--uncertainty'], '--uncertainty is for scenarios of transport; this one is of diffraction'],
])('%j is refused', async (words, says) => {
  const { code, stderr } = await braggbenchHere(['run', ...words]);
  expect(stderr).toContain(says);
  expect(code).toBe(2);
});
