/** User kernels of transport on the CPU, with the installed C++ compiler and real processes: what their tests share. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, vi } from 'vitest';
import { BraggError } from '../../../../../electron/contract/errors.ts';
import { UserKernels } from '../../../../../electron/host/app/user-kernels/user-kernels.ts';
import { loadAddon, type TransportProblem } from '../../../../../electron/host/io/addon/addon.ts';
import { forkChild } from '../../../../../electron/host/io/processes/link.ts';
import { kernelFolders } from '../../../../../electron/host/model/bench/ceilings.ts';
import { cacheWithUserKernels, sameScratchFolder } from '../../../../scratch-folder.ts';
import { openTestScenarios, tinyScenario } from '../../small-run.ts';

export const addon = loadAddon();
export const transport = { workload: 'transport', bench: '' };

export const description = {
  kind: 'variant',
  version: 1,
  base: 'gather',
  replaces: 'kernels/transport/cpu/gather.cpp',
  title: 'My gather',
};

export async function failure(work: Promise<unknown>): Promise<BraggError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof BraggError)) throw new Error(`expected a BraggError, got ${String(error)}`);
  return error;
}

/** Call at the top of a test file: they are there before its tests. */
export function useUserKernels(name: string) {
  const trusted = new Set<string>();
  const folder = sameScratchFolder(name);
  let original = '';
  let problem: TransportProblem;
  let userKernels: UserKernels;
  let processes = 0;

  beforeAll(async () => {
    // Compiling is most of the time. Without fused operations every optimisation gives the same bits.
    vi.stubEnv('CXXFLAGS', '-O0');
    original = await readFile(path.join(kernelFolders().sources, 'transport/cpu/gather.cpp'), 'utf8');
    const scenarios = await openTestScenarios(addon);
    problem = scenarios.resolve(await scenarios.check(tinyScenario, { name: 'test', folder: null }));
    userKernels = new UserKernels({
      addon,
      folders: { ...kernelFolders(), cache: cacheWithUserKernels(folder) },
      isTrusted: (sha256) => trusted.has(sha256),
      startChild: (program) => {
        processes += 1;
        return forkChild(program);
      },
    });
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    userKernels.close();
  });

  async function make(id: string, text: string, described: object = description) {
    await writeFile(path.join(folder, id), text);
    await writeFile(path.join(folder, id.replace(/\.\w+$/, '.json')), JSON.stringify(described));
    return userKernels.open(path.join(folder, id));
  }
  const problemFor = (variant: string): TransportProblem => ({ ...problem, solver: { ...problem.solver, variant } });

  return {
    folder,
    trusted,
    get original() {
      return original;
    },
    get userKernels() {
      return userKernels;
    },
    /** Number of processes started so far. */
    get processes() {
      return processes;
    },
    make,
    async trustedVariant(id: string, text: string, described?: object) {
      const made = await make(id, text, described);
      trusted.add(made.sha256);
      return made;
    },
    /** The original with a line at the beginning of every step. */
    withLine: (line: string): string =>
      original
        .replace('    sum_ = {};\n', `    sum_ = {};\n    ${line}\n`)
        .replace('#include <algorithm>', '#include <algorithm>\n#include <cstdio>'),
    get problem() {
      return problem;
    },
    problemFor,
    start: (id: string) => userKernels.addon.createTransport(problemFor(id)).start(() => undefined),
  };
}
