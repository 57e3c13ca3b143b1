/** The README's first commands, as a newcomer types them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { defaultBenchOptions } from '../../../electron/contract/bench/options.ts';
import { isIncorrect, type SessionReport } from '../../../electron/contract/bench/session.ts';
import { scratchFolder } from '../../scratch-folder.ts';
import { braggbench, environmentWith } from './command.ts';

const folder = scratchFolder('newcomer');
const readme = readFileSync(path.join(import.meta.dirname, '../../../README.md'), 'utf8');
const [commands = ''] = /(?:^npx braggbench .*\n)+/m.exec(readme) ?? [];
const typed = commands
  .trim()
  .split('\n')
  .map((line) => line.split(' ').slice(2));

const call = (words: readonly string[]) =>
  braggbench(words, { cwd: folder, environment: environmentWith(path.join(folder, 'home')) });

it('the README has three commands', () => {
  expect(typed).toEqual([['examples'], ['run', 'water-70MeV'], ['bench', 'water-70MeV']]);
});

it.each(typed.slice(0, 2).map((words) => [words.join(' '), words] as const))(
  '%s ends with code 0',
  async (_, words) => {
    expect(await call(words)).toMatchObject({ code: 0 });
  },
);

it('bench measures at least two variants within a minute, and their answers are correct', async () => {
  expect(defaultBenchOptions.time_s).toBeLessThanOrEqual(60);
  const { code, stdout } = await call([...(typed[2] ?? []), '--json']);
  expect(code).toBe(0);
  const { entries } = JSON.parse(stdout) as SessionReport;
  const measured = entries.flatMap((entry) => (entry.status === 'measured' ? [entry] : []));
  expect(measured.length).toBeGreaterThanOrEqual(2);
  expect(measured.filter(({ verdict }) => isIncorrect(verdict)).map(({ label }) => label)).toEqual([]);
});
