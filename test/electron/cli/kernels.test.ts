/**
 * A kernel written from scratch, on the CPU: its problem folder is created, run, checked against its reference, and
 * found wrong. Reproducers as folders; `reproduce.long.test.ts` builds and runs them. User kernels on the command line,
 * as the README shows them.
 */
import { copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cacheWithUserKernels, fixedScratchFolder } from '../../scratch-folder.ts';
import { braggbenchInProcess, type CommandResult, environmentWith } from './command.ts';

describe('creating a kernel', () => {
  const folder = fixedScratchFolder('new-kernel');
  const cache = cacheWithUserKernels(folder);

  function run(...words: readonly string[]): Promise<CommandResult> {
    // The kernels compute little; their compilation takes most of the test's time.
    const more = { BRAGGBENCH_CACHE: cache, CXXFLAGS: '-O0' };
    return braggbenchInProcess(words, { cwd: folder, environment: environmentWith(join(folder, 'home'), more) });
  }

  const small = ['--set', 'problem.n=1003', '--trust'];

  test('creates a reduction with a TypeScript reference: correct against it, and wrong against another reference', async () => {
    const made = await run('new-kernel', 'reduction', 'my-sum.cpp', '--answer', 'typescript');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toContain('Measure it: braggbench bench my-sum --trust');
    expect((await readdir(join(folder, 'my-sum'))).sort()).toEqual(['my-sum.cpp', 'problem.json', 'reference.ts']);

    const untrusted = await run('run', 'my-sum', '--set', 'problem.n=1003');
    expect(untrusted).toMatchObject({ code: 2 });
    expect(untrusted.stderr).toContain('reference.ts, which computes its expected result, runs too.');
    expect(untrusted.stderr).toContain('--trust');
    const correct = await run('run', 'my-sum', ...small);
    expect(correct.stderr).not.toMatch(/^error/m);
    expect(correct.stdout).toContain('The user kernel is correct on this scenario.');

    // A changed reference is new content: it needs trust again, and the kernel is checked against it.
    const answer = join(folder, 'my-sum', 'reference.ts');
    await writeFile(answer, (await readFile(answer, 'utf8')).replace('value * value', '2 * value * value'));
    expect((await run('run', 'my-sum', '--set', 'problem.n=1003')).stderr).toContain('--trust');
    const wrong = await run('run', 'my-sum', ...small);
    expect(wrong.stdout).toContain('The user kernel is WRONG on this scenario.');

    await writeFile(answer, 'export const reference = () => [1, 2, 3];\n');
    const counted = await run('run', 'my-sum', ...small);
    expect(counted.stderr).toContain('results has 3 values; allowed: 1');
    await writeFile(answer, 'export const reference = () => { throw new Error("no idea"); };\n');
    const thrown = await run('run', 'my-sum', ...small);
    expect(thrown.stderr).toContain('reference.ts returned no result:');
    expect(thrown.stderr).toContain('no idea');
  });

  test('creates a stencil or a vector sum with a Python reference', { tags: 'slow' }, async () => {
    for (const template of ['stencil', 'vector-add']) {
      expect(await run('new-kernel', template, `${template}-mine.cpp`)).toMatchObject({ code: 0, stderr: '' });
      const correct = await run('run', `${template}-mine`, ...small);
      expect(correct.stderr).not.toMatch(/^error/m);
      expect(correct.stdout).toContain('The user kernel is correct on this scenario.');
    }
  });

  test('creates a GPU kernel with its launches', { tags: 'slow' }, async () => {
    expect(await run('new-kernel', 'reduction', 'on-gpu.cu')).toMatchObject({ code: 0, stderr: '' });
    const { candidates } = JSON.parse(await readFile(join(folder, 'on-gpu', 'problem.json'), 'utf8'));
    expect(candidates).toMatchObject([{ file: 'on-gpu.cu', launches: [{ kernel: 'sum_squares', block: [256] }] }]);
    // Without a GPU, the only error is the missing driver.
    const { stdout } = await run('validate', 'on-gpu');
    const errors = stdout.split('\n').filter((line) => line.startsWith('error') && !line.includes('NVIDIA'));
    expect(errors).toEqual([]);
  });

  test('overwrites no file, and lists the templates', async () => {
    await writeFile(join(folder, 'taken'), 'mine');
    const taken = await run('new-kernel', 'stencil', 'taken.cpp');
    expect(taken.stderr).toContain('taken exists; choose a free name');
    expect(await readFile(join(folder, 'taken'), 'utf8')).toBe('mine');
    const other = await run('new-kernel', 'fft', 'x.cu');
    expect(other.stderr).toContain('unknown template "fft"; allowed: reduction, stencil, vector-add');
    for (const name of ['x.txt', 'x.py']) {
      const refused = await run('new-kernel', 'stencil', name);
      expect(refused.stderr).toContain(`"${name}" cannot be the name of a kernel`);
    }
  });

  test('a study crosses an axis of the problem folder with its own axes', { tags: 'slow' }, async () => {
    expect(await run('new-kernel', 'vector-add', 'sized.cpp', '--answer', 'typescript')).toMatchObject({ code: 0 });
    const axes = [{ kind: 'list', path: 'problem.n', values: [100, 200] }];
    const study = { kind: 'study', version: 1, base: [{ file: 'sized' }], axes };
    await writeFile(join(folder, 'sizes.json'), JSON.stringify(study));
    const ended = await run('study', 'run', 'sizes.json', '--trust');
    expect(ended.stderr).not.toMatch(/^error/m);
    expect(ended.stdout).toContain('2 points solved');
  });
});

describe('braggbench reproduce', () => {
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

  const run = (...words: readonly string[]): Promise<CommandResult> =>
    braggbenchInProcess(words, { cwd: folder, environment: environmentWith(join(folder, 'home'), {}) });

  test('exports the kernel, its problem, its launch and its source files', async () => {
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

    // An existing folder is not overwritten.
    const again = await run('reproduce', 'reduction', '--variant', './my.cu', '--out', 'bug');
    expect(again.stderr).toMatch(/bug already exists\. Choose another name\./);
  });

  test('accepts a user kernel file with a scenario that fits it', { tags: 'slow' }, async () => {
    const shipped = await run('reproduce', 'reduction', '--variant', 'cuda-shuffle');
    expect(shipped.stderr).toContain('--variant is required: the .cu or .cpp file of the kernel to export');
    const other = await run('reproduce', 'scan', '--variant', './my.cu');
    expect(other.stderr).toContain('my.cu');
    expect(other.code).not.toBe(0);
  });
});

describe('user kernels', () => {
  const root = join(import.meta.dirname, '../../..');
  const small = {
    kind: 'transport',
    version: 1,
    name: 'Small',
    beam: { energy_MeV: 30 },
    geometry: { width_mm: 10, depth_mm: 10 },
    grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 80, energy: { kind: 'range', step_mm: 0.5 } },
    solver: { step_mm: 0.5 },
  };
  const folder = fixedScratchFolder('user-kernels-typed');
  const cache = cacheWithUserKernels(folder);

  beforeAll(async () => {
    await writeFile(join(folder, 'small.json'), JSON.stringify(small));
    await copyFile(join(root, 'kernels/transport/cpu/gather.cpp'), join(folder, 'my.cpp'));
    // The example in the handbook.
    const page = await readFile(join(root, 'assets/handbook/user-kernels.md'), 'utf8');
    const [, json = ''] = /```json\n(\{ "kind": "variant"[^`]*)```/.exec(page) ?? [];
    await writeFile(join(folder, 'my.json'), json);
  });

  function run(...words: readonly string[]): Promise<CommandResult> {
    // The kernels compute little; their compilation takes most of the test's time.
    const more = { BRAGGBENCH_CACHE: cache, CXXFLAGS: '-O0' };
    return braggbenchInProcess(words, { cwd: folder, environment: environmentWith(join(folder, 'home'), more) });
  }

  test('are run after the user has trusted them, and are reported as correct or wrong', async () => {
    const refused = await run('run', 'small.json', '--variant', './my.cpp');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/my\.cpp replaces kernels\/transport\/cpu\/gather\.cpp in gather\. .*--trust/);
    const trusted = await run('run', 'small.json', '--variant', './my.cpp', '--trust');
    expect(trusted.stderr).toBe('');
    expect(trusted.stdout).toMatch(/^my\.cpp, fp32/m);
    expect(trusted.stdout).toMatch(/Dose error +ok +Relative L2 difference of the dose from the FP64 reference/);
    expect(trusted.stdout).toContain('The user kernel is correct on this scenario.');
    expect(trusted.code).toBe(0);
    // A scenario can name the kernel too, and the trust is remembered.
    await writeFile(
      join(folder, 'named.json'),
      JSON.stringify({ ...small, solver: { ...small.solver, variant: 'my.cpp' } }),
    );
    const named = await run('run', 'named.json', '--json');
    expect(named.stderr).toBe('');
    expect(JSON.parse(named.stdout)).toMatchObject({ checks: { right: true, bitwise: true } });
  });

  test('are listed in their folder', async () => {
    const { stdout, stderr } = await run('variants');
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^my\.cpp +cpu .*gather +Blocks of rows as large as the first cache/m);
  });

  test('are benchmarked together with the shipped variants', { tags: 'slow' }, async () => {
    const { stdout, code } = await run(
      'bench',
      'small.json',
      '--variants',
      'gather,./my.cpp',
      '--trust',
      ...['--rounds', '3', '--processes', '1', '--json'],
    );
    expect(code).toBe(0);
    const { entries } = JSON.parse(stdout) as { entries: { label: string; status: string; title: string }[] };
    expect(entries.map(({ label, status, title }) => [label, status, title])).toEqual([
      ['gather', 'measured', 'Gather'],
      ['my.cpp', 'measured', 'My gather'],
    ]);
  });

  test('are reported as wrong if their answer is wrong, and with a position if they do not compile', async () => {
    const text = await readFile(join(folder, 'my.cpp'), 'utf8');
    const wrong = text.replace('    sum_ = {};\n', '    sum_ = {};\n    for (T& p : state_.psi) p *= T(1.001);\n');
    await writeFile(join(folder, 'my.cpp'), wrong);
    expect((await run('run', 'small.json', '--variant', './my.cpp')).stderr).toContain('--trust');
    const ended = await run('run', 'small.json', '--variant', './my.cpp', '--trust');
    expect(ended.stdout).toContain('The user kernel is WRONG on this scenario.');
    expect(ended.code).toBe(1);
    await writeFile(join(folder, 'my.cpp'), `oops\n${text}`);
    const broken = await run('run', 'small.json', '--variant', './my.cpp', '--trust');
    expect(broken.stderr).toMatch(/^error my\.cpp:1:1: /);
    expect(broken.code).toBe(2);
  });
});
