/** `braggbench sobp`: what it prints and writes, and what it refuses. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { scratchFolder } from '../../scratch-folder.ts';
import { braggbench, braggbenchHere } from './command.ts';

const folder = scratchFolder('sobp');

test('a spread-out peak is printed, and written as a scenario that is valid', async () => {
  const out = path.join(folder, 'field.json');
  const base = path.join(folder, 'base.json');
  writeFileSync(base, JSON.stringify({ kind: 'transport', version: 1, beam: { range_mm: 20, x_sigma_mm: 3 } }));
  const done = await braggbench(['sobp', base, '--range', '30', '--modulation', '6', '--width', '12', '--out', out]);
  expect(done.code).toBe(0);
  expect(done.stdout).toMatch(/R90 (30\.0|29\.9)\d mm, R80 30\.\d\d mm, M95 (6\.0|5\.9)\d mm/);
  expect(done.stdout).toMatch(/layers at 4 places/);
  const { beam } = JSON.parse(readFileSync(out, 'utf8')) as { beam: { spots: object[] } };
  expect(beam).toMatchObject({ x_sigma_mm: 3 });
  expect(beam).not.toHaveProperty('range_mm');
  expect(beam.spots.length % 4).toBe(0);
  expect((await braggbenchHere(['validate', out])).code).toBe(0);
  const again = await braggbenchHere(['sobp', base, '--range', '30', '--modulation', '6', '--out', out]);
  expect(again.stderr).toContain('--force');
});

test.each([
  [['--range', '30'], 'sobp needs --range and --modulation, in mm'],
  [['--range', 'far', '--modulation', '6'], '--range: far is no length; allowed: millimetres'],
  [['--range', '30', '--modulation', '25'], 'modulation_mm: 25 mm reaches the surface; allowed: at most 20 mm'],
])('%j is bad input', async (words, says) => {
  const { code, stderr } = await braggbenchHere(['sobp', ...words]);
  expect(stderr).toContain(says);
  expect(code).toBe(2);
});
