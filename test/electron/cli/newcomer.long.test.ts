/** The README's first commands, as a newcomer types them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { defaultBenchOptions } from '../../../electron/contract/bench/options.ts';
import { scratchFolder } from '../../scratch-folder.ts';
import { braggbench, comparedRows, environmentWith } from './command.ts';

const folder = scratchFolder('newcomer');
const readme = readFileSync(path.join(import.meta.dirname, '../../../README.md'), 'utf8');
const [commands = ''] = /(?:^npx braggbench .*\n)+/m.exec(readme) ?? [];
const typedCommands = commands
  .trim()
  .split('\n')
  .map((line) => line.split(' ').slice(2));

const call = (words: readonly string[]) =>
  braggbench(words, { cwd: folder, environment: environmentWith(path.join(folder, 'home')) });

it('the README has three commands', () => {
  expect(typedCommands).toEqual([['examples'], ['run', 'water-70MeV'], ['bench', 'water-70MeV']]);
});

it.each(typedCommands.slice(0, 2).map((words) => [words.join(' '), words] as const))(
  '%s exits with code 0',
  async (_, words) => {
    expect(await call(words)).toMatchObject({ code: 0 });
  },
);

it('bench prints the fastest variant, and a table that compares at least two correct ones', async () => {
  expect(defaultBenchOptions.time_s).toBeLessThanOrEqual(60);
  const { code, stdout } = await call(typedCommands[2] ?? []);
  expect(code).toBe(0);
  const text = stdout.replace(/\s+/g, ' ');
  expect(text).toMatch(/\w+ (?:(?:is the|looks|is among the) fastest|are equally fast) .* Its answer is correct \(/);
  const rows = comparedRows(stdout);
  expect(rows.length).toBeGreaterThanOrEqual(2);
  expect(rows[0]?.verdict).toBe('reference');
  expect(rows.filter(({ verdict }) => /^(?:wrong|not checked|impossible)/.test(verdict))).toEqual([]);
  expect(stdout.split('\n').filter((line) => [...line].length > 120 && !line.startsWith('Measured '))).toEqual([]);
});
