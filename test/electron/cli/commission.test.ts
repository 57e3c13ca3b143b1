/** `braggbench commission`: a beam from a measured depth dose, saved as a scenario; and unusable files. */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { scratchFolder } from '../../scratch-folder.ts';
import { braggbench, braggbenchHere, environmentWith } from './command.ts';

const folder = scratchFolder('commission');
const at = (name: string): string => path.join(folder, name);

const topas = path.join(import.meta.dirname, '../../../assets/reference/topas-water-depth-dose.csv');
/** The Monte Carlo's beam of 112.42 MeV, depth in cm and dose in a unit of its own. */
const rows = readFileSync(topas, 'utf8')
  .split('\n')
  .filter((row) => row.startsWith('112.42'))
  .map((row) => row.split(',').map(Number))
  .map(([, depth_mm = 0, dose = 0]) => `${depth_mm / 10},${13 * dose}`);

test('a curve gives a beam with its errors, a scenario in the library, and a plot of residuals', async () => {
  writeFileSync(at('chamber.csv'), ['depth_cm,reading', ...rows].join('\n'));
  const words = ['commission', at('chamber.csv'), '--set', 'physics.stopping_power=icru90'];
  const done = await braggbench([...words, '--save', 'Gantry 1', '--svg', at('fit.svg')], {
    environment: environmentWith(folder),
  });
  expect(done.stderr).toBe('');
  expect(done.stdout).toMatch(/Energy 112\.\d{3} ± 0\.\d{3} MeV/);
  const kept = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith('Gantry 1.json'),
  );
  const saved = JSON.parse(readFileSync(at(kept ?? ''), 'utf8')) as { beam: Record<string, number>; notes: string };
  expect(saved.beam['energy_MeV']).toBeGreaterThan(112);
  expect(saved.beam['energy_MeV']).toBeLessThan(112.9);
  expect(saved.notes).toContain('from chamber.csv');
  expect(readFileSync(at('fit.svg'), 'utf8')).toContain('Fitted − measured');
});

test.each([
  ['empty.csv', '', 'empty.csv:1: 0 points; allowed'],
  ['text.csv', ['depth_cm,reading', ...rows, '99,high'].join('\n'), 'the dose "high" is not a number'],
  ['unit.csv', rows.join('\n'), 'nothing says the unit of depth; allowed: a column such as depth_mm'],
])('%s is bad input, with its line', async (name, text, says) => {
  writeFileSync(at(name), text);
  const { code, stderr } = await braggbenchHere(['commission', at(name)]);
  expect(stderr).toContain(says);
  expect(code).toBe(2);
});

test('a file that is not there is named', async () => {
  const { code, stderr } = await braggbenchHere(['commission', at('gone.csv')]);
  expect(stderr).toContain('gone.csv cannot be read: there is no such file');
  expect(code).toBe(2);
});

test.skipIf(process.platform === 'win32')('a pipe, and a file without end, are refused at once', async () => {
  execFileSync('mkfifo', [at('pipe.csv')]);
  for (const [file, says] of [
    [at('pipe.csv'), 'is a pipe, not a file'],
    ['/dev/zero', 'is larger than 1024 KiB, the most that is read'],
  ]) {
    const { code, stderr } = await braggbenchHere(['commission', file ?? '']);
    expect(stderr).toContain(says);
    expect(code).toBe(2);
  }
});
