/** `braggbench project`: packed here, unpacked into another home. */
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { tinyScenario } from '../host/small-run.ts';
import { braggbenchHere, environmentWith } from './command.ts';

let folder: string;
const inFolder = (...names: readonly string[]): string => path.join(folder, ...names);
const call = (home: string, ...words: readonly string[]) =>
  braggbenchHere(words, { cwd: folder, environment: environmentWith(inFolder(home)) });

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'project-'));
  await writeFile(inFolder('tiny.json'), JSON.stringify(tinyScenario));
  const axes = [{ kind: 'list', path: 'beam.energy_MeV', values: [20, 24] }];
  await writeFile(
    inFolder('two.json'),
    JSON.stringify({ kind: 'study', version: 1, base: [{ file: 'tiny.json' }], axes }),
  );
});

test('a scenario and a study with its results go to a colleague, and are looked at there', {
  timeout: 120_000,
}, async () => {
  expect((await call('mine', 'study', 'run', 'two.json')).code).toBe(0);
  const packed = await call('mine', 'project', 'pack', 'ours.braggbench', 'tiny.json', 'two.study');
  expect([packed.code, packed.stdout]).toEqual([0, expect.stringMatching(/^ours\.braggbench: 1 file and 1 study in /)]);
  const unpacked = await call('theirs', 'project', 'unpack', 'ours.braggbench');
  expect(unpacked.stdout).toMatch(/scenario +tiny\.json +new\nstudy +two +new\nours lies in /);
  const { library } = JSON.parse((await call('theirs', 'project', 'unpack', 'ours.braggbench', '--json')).stdout) as {
    readonly library: string;
  };
  expect((await readdir(library)).toSorted()).toEqual(['studies', 'tiny.json']);
  const mine = await call('mine', 'study', 'export', 'two.study', 'mine.csv');
  const theirs = await call('theirs', 'study', 'export', path.join(library, 'studies', 'two.study'), 'theirs.csv');
  expect([mine.code, theirs.code]).toEqual([0, 0]);
  // All of that library, once more.
  expect((await call('theirs', 'project', 'pack', 'all.braggbench', '--library')).stdout).toMatch(/1 file and 1 study/);
});

test('what it does not know is refused, with what is allowed', async () => {
  const pack = (...words: readonly string[]) => call('mine', 'project', 'pack', ...words);
  expect(await pack('x.zip', 'tiny.json')).toMatchObject({ code: 2, stderr: expect.stringContaining('.braggbench') });
  expect(await pack('x.braggbench', 'nowhere')).toMatchObject({
    stderr: expect.stringContaining('nowhere is no such file'),
  });
  expect(await pack('x.braggbench')).toMatchObject({ code: 2, stderr: expect.stringContaining('--library') });
  expect(await call('mine', 'project', 'unpack', 'tiny.json')).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining('is no archive, or is damaged') },
  });
});
