/** Reproducers as folders; `reproduce.long.test.ts` builds and runs them. */
import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { braggbenchHere, type Ended, environmentWith } from './command.ts';

const root = join(import.meta.dirname, '../../..');
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'braggbench-reproduce-'));
  const description = { kind: 'variant', version: 1, workload: 'micro', bench: 'reduction', base: 'cuda-shuffle' };
  const replaces = 'kernels/micro/patterns/reduction.cu';
  const compile = { fast_math: true, defines: { TILE: 4 } };
  await copyFile(join(root, replaces), join(folder, 'my.cu'));
  await writeFile(join(folder, 'my.json'), JSON.stringify({ ...description, title: 'Mine', replaces, compile }));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (...words: readonly string[]): Promise<Ended> =>
  braggbenchHere(words, { cwd: folder, environment: environmentWith(join(folder, 'home'), {}) });

test('holds the kernel, its problem, its launch, and what is compiled with it', async () => {
  const made = await run('reproduce', 'reduction', '--variant', './my.cu', '--out', 'bug', '--set', 'problem.n=4096');
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(made.stdout).toContain('cmake -B build && cmake --build build && ./bin/reproduce');
  const read = (...parts: readonly string[]) => readFile(join(folder, 'bug', ...parts), 'utf8');
  expect(await read('my.cu')).toBe(await readFile(join(folder, 'my.cu'), 'utf8'));
  expect(JSON.parse(await read('problem.json'))).toMatchObject({
    ...{ title: 'Mine', kind: 'task', kernel: { workload: 'micro', name: 'my.cu' } },
    problem: { workload: 'micro', bench: 'reduction', variant: 'cuda-shuffle', numbers: { n: 4096 } },
  });
  expect(await read('kernel.cmake')).toBe(`set(BB_NAME "my.cu")
set(BB_MAIN "my.cu")
set(BB_BESIDE "kernels/source/micro/patterns")
set(BB_DEVICE "cuda")
set(BB_FLAGS "--use_fast_math" "-DTILE=4")
`);
  const readme = await read('README.md');
  for (const words of ['compute-sanitizer ./bin/reproduce --once', 'cuda-gdb --args ./bin/reproduce --once']) {
    expect(readme).toContain(words);
  }
  for (const file of ['CMakeLists.txt', 'scenario.json', 'program/main.cpp', 'include/engine/task.hpp']) {
    expect((await stat(join(folder, 'bug', file))).isFile()).toBe(true);
  }

  // A folder that is there stays as it is.
  const again = await run('reproduce', 'reduction', '--variant', './my.cu', '--out', 'bug');
  expect(again.stderr).toMatch(/bug exists already\. Choose another name\./);
});

test('is of a file, and of a scenario that it fits', async () => {
  const shipped = await run('reproduce', 'reduction', '--variant', 'cuda-shuffle');
  expect(shipped.stderr).toContain('--variant names the kernel that is exported; allowed: a .cu or .cpp file');
  const other = await run('reproduce', 'scan', '--variant', './my.cu');
  expect(other.stderr).toContain('my.cu');
  expect(other.code).not.toBe(0);
});
