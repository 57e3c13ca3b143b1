/** Reproducers are built by CMake and run without the workbench. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findNvcc } from '../../../electron/build/steps/kernels.mjs';
import { onPosix, unless } from '../../unless.ts';
import { braggbenchInProcess, environmentWith } from './command.ts';

const root = join(import.meta.dirname, '../../..');
const perform = promisify(execFile);
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'braggbench-reproduced-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const MINUTES = 600_000;
const testEnvironment = () => ({ BRAGGBENCH_CACHE: join(folder, 'cache') });

async function exportReproducer(scenario: unknown, file: string, description: Readonly<Record<string, unknown>>) {
  const stem = file.replace(/\.\w+$/, '');
  await copyFile(join(root, String(description['replaces'])), join(folder, file));
  const all = { kind: 'variant', version: 1, title: `My ${stem}`, ...description };
  await writeFile(join(folder, `${stem}.json`), JSON.stringify(all));
  await writeFile(join(folder, `${stem}-scenario.json`), JSON.stringify(scenario));
  return runReproduce(`${stem}-scenario.json`, file);
}

async function runReproduce(scenario: string, file: string, ...words: readonly string[]): Promise<string> {
  const out = `${basename(file)}-out`;
  const all = ['reproduce', scenario, '--variant', `./${file}`, '--out', out, ...words];
  const made = await braggbenchInProcess(all, {
    cwd: folder,
    environment: environmentWith(join(folder, 'home'), testEnvironment()),
  });
  expect(made).toMatchObject({ code: 0, stderr: '' });
  return join(folder, out);
}

async function buildReproducer(at: string, ...definitions: readonly string[]): Promise<void> {
  // Builds without optimisation, which would take most of the time and is not under test.
  await perform('cmake', ['-B', 'build', '-DCMAKE_BUILD_TYPE=Debug', ...definitions], { cwd: at });
  await perform('cmake', ['--build', 'build', '--parallel', '2'], { cwd: at, maxBuffer: 2 ** 26 });
}

interface ReproducerRun {
  readonly code: number;
  readonly stdout: string;
}

const reproduce = (at: string, ...words: readonly string[]): Promise<ReproducerRun> =>
  perform(join(at, 'bin', 'reproduce'), words, { cwd: tmpdir() }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
  );

const beam = {
  ...{ kind: 'transport', version: 2, name: 'Small beam', beam: { energy_MeV: 30 } },
  geometry: { width_mm: 12, depth_mm: 11 },
  grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 80, theta_max_mrad: 400, energy: { kind: 'uniform', step_MeV: 0.5 } },
  solver: { step_mm: 0.5, variant: 'gather' },
};

describe('a reproducer', onPosix, () => {
  test('judges a copy of a beam kernel as correct and a changed one as wrong', { timeout: MINUTES }, async () => {
    const base = { workload: 'transport', base: 'gather', replaces: 'kernels/transport/cpu/gather.cpp' };
    const at = await exportReproducer(beam, 'mine.cpp', base);
    await buildReproducer(at);
    const right = await reproduce(at);
    expect(right.stdout).toMatch(
      /ok +relative L2 difference of the dose from the FP64 reference: [\d.e-]+, 1e-05 allowed/,
    );
    expect(right.code).toBe(0);
    expect((await reproduce(at, '--once')).stdout).not.toContain('reference');
    const file = join(at, 'mine.cpp');
    await writeFile(file, `${await readFile(file, 'utf8')}\n#error changed here\n`);
    await expect(buildReproducer(at)).rejects.toThrow('changed here');
  });

  test('compares the pixels of an image', { timeout: MINUTES }, async () => {
    const image = {
      ...{ kind: 'diffraction', version: 1, name: 'Small image', beam: { wavelength_A: 6.2 } },
      crystal: { lattice: { kind: 'cell', a_A: 100, b_A: 100, c_A: 100 }, cells: { a: 5, b: 5, c: 5 } },
      ...{ structure_factors: { default_electrons: 100 }, detector: { width: 64, height: 48 } },
    };
    const replaces = 'kernels/diffraction/cpu/reference.cpp';
    const at = await exportReproducer(image, 'pixels.cpp', {
      workload: 'diffraction',
      base: 'diffraction-reference',
      replaces,
    });
    await buildReproducer(at);
    const { code, stdout } = await reproduce(at);
    expect(stdout).toMatch(/ok +largest relative error of bright pixels from the FP64 reference: 0, /);
    expect(code).toBe(0);
  });

  test('checks a kernel from a template against its reference', { timeout: MINUTES }, async () => {
    const environment = environmentWith(join(folder, 'home'), testEnvironment());
    const made = await braggbenchInProcess(['new-kernel', 'stencil', 'mean.cpp'], { cwd: folder, environment });
    expect(made.code).toBe(0);
    const at = await runReproduce('mean', 'mean/mean.cpp', '--set', 'problem.n=1003', '--trust');
    await buildReproducer(at);
    const { code, stdout } = await reproduce(at);
    expect(stdout).toContain('Largest error of results relative to its tolerance');
    expect(code).toBe(0);
    const kernel = join(at, 'mean.cpp');
    await writeFile(kernel, (await readFile(kernel, 'utf8')).replace('/ 3.0f', '/ 3.1f'));
    await buildReproducer(at);
    const wrong = await reproduce(at);
    expect(wrong.stdout).toContain('WRONG');
    expect(wrong.code).toBe(1);
  });

  test('compiles a CUDA kernel for the named GPU', {
    timeout: MINUTES,
    ...unless(findNvcc() === null && 'nvcc is not installed'),
  }, async () => {
    const problem = { kind: 'micro', version: 1, name: 'Sum', problem: { kind: 'reduction', n: 4096 } };
    const replaces = 'kernels/micro/patterns/reduction.cu';
    const at = await exportReproducer(problem, 'sum.cu', {
      workload: 'micro',
      bench: 'reduction',
      base: 'cuda-shuffle',
      replaces,
    });
    await buildReproducer(at, '-DGPU_ARCH=sm_90');
    expect(existsSync(join(at, 'bin', 'kernel.cubin'))).toBe(true);
    // Without a GPU the program says so, and reports no error in the kernel.
    const { code, stdout } = await reproduce(at);
    if (code !== 0) expect(stdout).toBe('My sum\n');
  });
});
