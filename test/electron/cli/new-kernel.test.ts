/** A user kernel from scratch, on the CPU: created, run, checked against the answer of a program, and found wrong. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cacheWithUserKernels, sameScratchFolder } from '../../scratch-folder.ts';
import { braggbenchHere, type Ended, environmentWith } from './command.ts';

const folder = sameScratchFolder('new-kernel');
const cache = cacheWithUserKernels(folder);

function run(...words: readonly string[]): Promise<Ended> {
  // The kernels compute little, and compiling them is most of the time.
  const more = { BRAGGBENCH_CACHE: cache, CXXFLAGS: '-O0' };
  return braggbenchHere(words, { cwd: folder, environment: environmentWith(join(folder, 'home'), more) });
}

const small = ['--set', 'problem.n=1003', '--trust'];

test('begins as a reduction with an answer in TypeScript, is right, and wrong when the answer is another', async () => {
  const made = await run('new-kernel', 'reduction', 'my-sum.cpp', '--answer', 'typescript');
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(made.stdout).toContain('Run it: braggbench run my-sum-problem.json --variant ./my-sum.cpp');
  const files = (await readdir(folder)).filter((name) => name.startsWith('my-sum'));
  expect(files.sort()).toEqual(['my-sum-problem.json', 'my-sum.cpp', 'my-sum.json', 'my-sum.ts']);

  const untrusted = await run('run', 'my-sum-problem.json', '--set', 'problem.n=1003');
  expect(untrusted).toMatchObject({ code: 2 });
  expect(untrusted.stderr).toContain('--trust');
  const right = await run('run', 'my-sum-problem.json', ...small);
  expect(right.stderr).not.toMatch(/^error/m);
  expect(right.stdout).toContain('all 1 results with the expected answer');
  expect(right.stdout).toContain('The user kernel is correct on this scenario.');

  // A changed answer is new content: it needs trust again, and the kernel is checked against it.
  const answer = join(folder, 'my-sum.ts');
  await writeFile(answer, (await readFile(answer, 'utf8')).replace('value * value', '2 * value * value'));
  expect((await run('run', 'my-sum-problem.json', '--set', 'problem.n=1003')).stderr).toContain('--trust');
  const wrong = await run('run', 'my-sum-problem.json', ...small);
  expect(wrong.stdout).toContain('The user kernel is WRONG on this scenario.');

  await writeFile(answer, 'export const expected = () => [1, 2, 3];\n');
  const counted = await run('run', 'my-sum-problem.json', ...small);
  expect(counted.stderr).toContain('my-sum.ts gave 3 of 1 results.');
  await writeFile(answer, 'export const expected = () => { throw new Error("no idea"); };\n');
  const thrown = await run('run', 'my-sum-problem.json', ...small);
  expect(thrown.stderr).toContain('my-sum.ts gave no answer:');
  expect(thrown.stderr).toContain('no idea');
});

test('begins as a stencil or a sum of vectors with an answer in Python', async () => {
  for (const template of ['stencil', 'vector-add']) {
    const file = `${template}-mine.cpp`;
    expect(await run('new-kernel', template, file)).toMatchObject({ code: 0, stderr: '' });
    const more = ['--set', 'problem.results=1003'];
    const right = await run('run', `${template}-mine-problem.json`, ...more, ...small);
    expect(right.stderr).not.toMatch(/^error/m);
    expect(right.stdout).toContain('all 1003 results with the expected answer');
    expect(right.stdout).toContain('The user kernel is correct on this scenario.');
  }
});

test('replaces nothing, and says what there is to begin with', async () => {
  await writeFile(join(folder, 'taken.py'), 'mine');
  const taken = await run('new-kernel', 'stencil', 'taken.cpp');
  expect(taken.stderr).toContain('taken.py');
  expect((await readdir(folder)).filter((name) => name.startsWith('taken'))).toEqual(['taken.py']);
  const other = await run('new-kernel', 'fft', 'x.cu');
  expect(other.stderr).toContain('unknown template "fft"; allowed: vector-add, reduction, stencil');
  const name = await run('new-kernel', 'stencil', 'x.txt');
  expect(name.stderr).toContain('"x.txt" cannot be the name of a kernel');
});
