/** User kernels of other workloads on the command line. */
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cacheWithUserKernels, fixedScratchFolder } from '../../scratch-folder.ts';
import { braggbenchInProcess, type CommandResult, environmentWith } from './command.ts';

const root = join(import.meta.dirname, '../../..');
const folder = fixedScratchFolder('user-kernels-of-any');
const cache = cacheWithUserKernels(folder);

function run(...words: readonly string[]): Promise<CommandResult> {
  // The kernels compute little; their compilation takes most of the test's time.
  const more = { BRAGGBENCH_CACHE: cache, CXXFLAGS: '-O0' };
  return braggbenchInProcess(words, { cwd: folder, environment: environmentWith(join(folder, 'home'), more) });
}

test('a user kernel of any workload is run and benchmarked, and rejected for a scenario of another workload', async () => {
  const describe = (name: string, about: object): Promise<void> =>
    writeFile(join(folder, `${name}.json`), JSON.stringify({ kind: 'variant', version: 1, title: 'Mine', ...about }));
  await copyFile(join(root, 'kernels/diffraction/cpu/reference.cpp'), join(folder, 'lattice.cpp'));
  const replaces = 'kernels/diffraction/cpu/reference.cpp';
  await describe('lattice', { workload: 'diffraction', base: 'diffraction-reference', replaces });
  const sum = await readFile(join(root, 'kernels/micro/patterns/reduction.cpp'), 'utf8');
  await writeFile(join(folder, 'sum.cpp'), sum.replace('sum->total = kPart', 'sum->total = 1.01f * kPart'));
  await describe('sum', {
    ...{ workload: 'micro', bench: 'reduction', base: 'cpu-chain', replaces: 'kernels/micro/patterns/reduction.cpp' },
  });

  const small = ['--set', 'detector.width=16', '--set', 'detector.height=16'];
  const image = await run('run', 'simple-cubic-1024', '--variant', './lattice.cpp', '--trust', ...small);
  expect(image.stderr).toBe('');
  expect(image.stdout).toMatch(/Bright pixels +ok .*: 0\.0e\+0, 2\.0e-5 allowed/);
  expect(image.code).toBe(0);
  const variants = ['--variants', 'diffraction-fp64,./lattice.cpp', '--rounds', '3', '--processes', '0', '--json'];
  const { entries } = JSON.parse((await run('bench', 'simple-cubic-1024', ...variants, ...small)).stdout) as {
    entries: { variant: string; verdict: string }[];
  };
  expect(entries.map(({ variant, verdict }) => [variant, verdict !== 'wrong'])).toEqual([
    ['diffraction-fp64', true],
    ['lattice.cpp', true],
  ]);

  const wrong = await run('run', 'reduction', '--variant', './sum.cpp', '--trust', '--set', 'problem.n=1000', '--json');
  expect(JSON.parse(wrong.stdout)).toMatchObject({ checks: { right: false, bitwise: true } });
  expect(wrong.code).toBe(1);
  const foreign = await run('run', 'simple-cubic-1024', '--variant', './sum.cpp', '--trust');
  expect(foreign.stderr).toBe(
    'error sum.cpp is based on cpu-chain of micro reduction, but the scenario is of kind diffraction; allowed: variants of diffraction\n',
  );
  expect(foreign.code).toBe(2);
  const { stdout } = await run('variants');
  expect(stdout).toMatch(/^lattice\.cpp +cpu +fp64 .*diffraction-reference/m);
  expect(stdout).toMatch(/^reduction +sum\.cpp +cpu .*cpu-chain/m);
});
