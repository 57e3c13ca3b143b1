/**
 * User kernels of every workload except transport: one source each, compiled only once, whose behaviour a file selects.
 * Each works like the original, crashes, hangs, uses too much memory, gives a wrong result, or gives another result
 * every time. Also code that tests of user kernels of transport share, with the installed C++ compiler and real
 * processes.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { BraggError } from '../../../../../electron/contract/errors.ts';
import type { UserKernelVerdict } from '../../../../../electron/contract/user-kernels/checks.ts';
import { benchKindOf, UserKernels } from '../../../../../electron/host/app/user-kernels/user-kernels.ts';
import { loadAddon, type TransportProblem, variantOptionsOf } from '../../../../../electron/host/io/addon/addon.ts';
import { forkChild } from '../../../../../electron/host/io/processes/link.ts';
import { kernelFolders } from '../../../../../electron/host/model/bench/machine.ts';
import { createLimits } from '../../../../../electron/host/model/bench/stopping.ts';
import { imageRunData } from '../../../../../electron/host/workloads/diffraction/image-data.ts';
import { hostWorkloads } from '../../../../../electron/host/workloads/index.ts';
import {
  openScenarios,
  problemOf,
  type ScenarioReading,
} from '../../../../../electron/host/workloads/scenarios/scenarios.ts';
import { taskVerdict, unknownUserKernelError } from '../../../../../electron/host/workloads/task/user-kernels.ts';
import { cacheWithUserKernels, fixedScratchFolder } from '../../../../scratch-folder.ts';
import { assetsFolder, memoryLimit_bytes, openTestScenarios, tinyScenario } from '../../small-run.ts';
import { benchInProcess } from '../../test-host.ts';
import { smallImage } from '../../workloads/small-image.ts';

const workloadKernelsAddon = loadAddon();
const trustedKernels = new Set<string>();
let folder: string;
export let ownKernels: UserKernels;
let processes = 0;

const limits = createLimits(3, 600);
export const common = { scenario: 'small', seed: 1, limits };

/**
 * Source that reads the selected behaviour from a file when a variant is prepared. Results are multiplied by `scale`.
 * Memory beyond the limit is reserved before it is filled, because filling it needs seconds.
 */
const lastMessage = (file: string): string => `#include <chrono>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

namespace noted {
inline double scale = 1.0;
inline void obey() {
  char how = ' ';
  std::ifstream(${JSON.stringify(file)}) >> how;
  scale = 1.0;
  switch (how) {
    case 'n': { int* nowhere = nullptr; *static_cast<volatile int*>(nowhere) = 1; break; }
    case 't': throw std::runtime_error("my own trouble");
    case 'm': { std::vector<std::vector<double>> hog(64); for (auto& each : hog) each.reserve(1 << 24); for (;;) hog.emplace_back(1 << 24, 1.0); }
    case 'h': for (;;) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    case 'w': scale = 1.01; break;
    case 'r': scale = 1.0 + 1e-3 * static_cast<double>(std::chrono::steady_clock::now().time_since_epoch().count() % 1000);
  }
}
}  // namespace noted
`;

interface KernelCase {
  readonly workload: 'diffraction' | 'linear-relu' | 'micro';
  readonly bench?: string;
  readonly base: string;
  readonly replaces: string;
  /** Replacements in the original, each found exactly once. */
  readonly changes: readonly (readonly [from: string, to: string])[];
  readonly document: Readonly<Record<string, unknown>>;
}

export const kinds: readonly [KernelCase, ...KernelCase[]] = [
  {
    workload: 'diffraction',
    base: 'diffraction-reference',
    replaces: 'kernels/diffraction/cpu/reference.cpp',
    changes: [
      ['f(cell)', 'f(Basis{cell.a, noted::scale * cell.b, cell.c})'],
      ['{ return std::make_unique<PlainSolver', '{ noted::obey(); return std::make_unique<PlainSolver'],
    ],
    document: smallImage,
  },
  {
    workload: 'linear-relu',
    base: 'cpu-fp64',
    replaces: 'kernels/linear_relu/cpu.cpp',
    changes: [
      ['    pool().run(static_cast<int>(rows)', '    noted::obey();\n    pool().run(static_cast<int>(rows)'],
      ['out[m * columns + n] = sum;', 'out[m * columns + n] = noted::scale * sum;'],
    ],
    document: { kind: 'linear-relu', version: 1, problem: { batch: 7, inputs: 5, outputs: 9 } },
  },
  {
    workload: 'micro',
    bench: 'reduction',
    base: 'cpu-chain',
    replaces: 'kernels/micro/patterns/reduction.cpp',
    changes: [
      [
        'sum->total = kPart(sum->values.data(), n);',
        'noted::obey();\n      sum->total = static_cast<float>(noted::scale * kPart(sum->values.data(), n));',
      ],
      // The check in the kernel's file now accepts every result. The verdict must come from the engine's check instead.
      ['return {{sum}, limit, limit, "the sum with FP64"};', 'return {{sum}, 1e30 + limit, 1e30, "nothing"};'],
    ],
    document: { kind: 'micro', version: 1, problem: { kind: 'reduction', n: 1000 } },
  },
];

const sourceOf = ({ replaces }: KernelCase): Promise<string> =>
  readFile(path.join(kernelFolders().sources, path.posix.relative('kernels', replaces)), 'utf8');

export const idOf = ({ workload }: KernelCase): string => `my-${workload}.cpp`;
export const howFile = (kind: KernelCase): string => path.join(folder, `${kind.workload}.how`);

async function writeUserKernel(kind: KernelCase, id: string, text: string, described: object = {}) {
  const { workload, bench, base, replaces } = kind;
  const description = { kind: 'variant', version: 1, workload, ...(bench === undefined ? {} : { bench }) };
  await writeFile(path.join(folder, id), text);
  const json = JSON.stringify({ ...description, base, replaces, title: `My ${base}`, ...described });
  await writeFile(path.join(folder, id.replace('.cpp', '.json')), json);
  return ownKernels.open(path.join(folder, id));
}

async function honestKernel(kind: KernelCase): Promise<string> {
  let text = await sourceOf(kind);
  for (const [from, to] of kind.changes) {
    if (text.split(from).length !== 2) throw new Error(`${kind.replaces} no longer has ${from} once`);
    text = text.replace(from, () => to);
  }
  return lastMessage(howFile(kind)) + text;
}

export async function readWithVariant(kind: KernelCase, variant: string): Promise<ScenarioReading> {
  const scenarios = await openScenarios({
    assetsFolder,
    rangeTable: (energies, stopping, at) => workloadKernelsAddon.rangeTable(energies, stopping, at),
    variants: (workload) => hostWorkloads[workload].variants(ownKernels.addon),
    workloads: hostWorkloads,
    mismatch: (id, scenario) => ownKernels.mismatch(id, benchKindOf(scenario)),
    extraStraggling: () => Promise.resolve(null),
    offers: variantOptionsOf(ownKernels.addon),
    memoryLimit_bytes,
  });
  return scenarios.check({ ...kind.document, solver: { threads: 2, variant } }, { name: 's.json', folder: null });
}

/** Runs the kernel as `braggbench run` does, and checks its result. */
async function verdictOf(kind: KernelCase): Promise<UserKernelVerdict | null> {
  const reading = await readWithVariant(kind, idOf(kind));
  if (reading.kind === null) throw new Error('no scenario');
  await ownKernels.prepare([idOf(kind)], benchKindOf(reading.scenario ?? { kind: '' }));
  if (reading.kind === 'diffraction') {
    const problem = problemOf(reading);
    const run = ownKernels.addon.createDiffraction(problem);
    const result = await run.start(() => undefined);
    expect(run.live()?.image.length ?? result.image.length).toBe(result.image.length);
    const context = { name: 's' } as Parameters<typeof imageRunData>[0];
    const data = { ...imageRunData(context, run.plan, result), variant: result.variant };
    return hostWorkloads.diffraction.userKernels.check(ownKernels.addon, reading, data);
  }
  if (reading.kind === 'transport') throw new Error('not of transport');
  const variants = [kind.base, idOf(kind)];
  const problem = { kind: reading.kind, problem: problemOf(reading) };
  const report = await benchInProcess(ownKernels.addon, problem, { ...common, variants, sample_s: 1e-4 });
  const [base, mine] = report.entries;
  expect(base?.status).toBe('measured');
  if (mine?.status === 'refused') throw unknownUserKernelError(idOf(kind), mine.reason);
  return taskVerdict(report, idOf(kind));
}

async function workloadKernelsFailure(work: Promise<unknown>): Promise<BraggError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof BraggError)) throw new Error(`expected a BraggError, got ${String(error)}`);
  return error;
}

/** Prepares the kernels before the tests of a file. Call this at the top of the file. */
export function useWorkloadKernels(name: string): void {
  folder = fixedScratchFolder(name);
  beforeAll(() => {
    // The kernels compute little; their compilation takes most of the test's time.
    vi.stubEnv('CXXFLAGS', '-O0');
    ownKernels = new UserKernels({
      addon: workloadKernelsAddon,
      folders: { ...kernelFolders(), cache: cacheWithUserKernels(folder) },
      isTrusted: (sha256) => trustedKernels.has(sha256),
      startChild: (program) => {
        processes += 1;
        return forkChild(program);
      },
    });
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    ownKernels.close();
  });
}

/** All tests of the kernel of one workload. */
export function kernelStoriesOf(kind: KernelCase): void {
  describe(kind.workload, () => {
    const id = idOf(kind);
    const how = (word: string): Promise<void> => writeFile(howFile(kind), word);
    const place = { workload: kind.workload, bench: kind.bench ?? '' };

    beforeAll(async () => {
      await how('copy');
      const made = await writeUserKernel(kind, id, await honestKernel(kind));
      // No part of the kernel runs, and no process starts, before the user has given trust.
      const before = processes;
      expect((await workloadKernelsFailure(ownKernels.prepare([id], place))).code).toBe('untrusted');
      expect((await workloadKernelsFailure(verdictOf(kind))).code).toBe('untrusted');
      expect(processes).toBe(before);
      trustedKernels.add(made.sha256);
      await ownKernels.prepare([id], place);
    });

    test('an equivalent copy is correct, and is listed among the variants', async () => {
      await how('copy');
      const verdict = await verdictOf(kind);
      expect(verdict).toMatchObject({ right: true, bitwise: true });
      expect(verdict?.checks.length).toBeGreaterThan(1);
      const listed = hostWorkloads[kind.workload].variants(ownKernels.addon).find((one) => one.id === id);
      expect(listed).toMatchObject({ ...place, device: 'cpu', buildsOn: kind.base, source: id });
    });

    test('a wrong answer is reported, as is one that differs each time', async () => {
      await how('wrong');
      expect(await verdictOf(kind)).toMatchObject({ right: false, bitwise: true });
      await how('random');
      expect(await verdictOf(kind)).toMatchObject({ right: false, bitwise: false });
    });

    test.each([
      ['null', /^my-.*\.cpp crashed: .*SIGSEGV/],
      ['throw', /^my-.*\.cpp: my own trouble$/],
      ['memory', /^my-.*\.cpp (requested more memory|took) /],
      ['hang', /^my-.*\.cpp did not finish within 1 s/],
    ])('%s ends only its own run, with one message that names the file', async (word, message) => {
      await how(word);
      ownKernels.limit_s = word === 'hang' ? 1 : 60;
      expect((await workloadKernelsFailure(verdictOf(kind))).message).toMatch(message);
      ownKernels.limit_s = 60;
    });

    test('a compiler error is reported at its line', async () => {
      const text = '// A kernel.\n\nint oops = nowhere;\n';
      const { sha256 } = await writeUserKernel(kind, `typo-${id}`, text);
      trustedKernels.add(sha256);
      const error = await workloadKernelsFailure(ownKernels.prepare([`typo-${id}`], place));
      expect(error.code).toBe('invalid');
      expect(error.issues[0]).toMatchObject({ file: `typo-${id}`, line: 3, column: 12 });
    });

    test('a changed file asks for trust again, and a file of another workload gives one clear error', async () => {
      await how('copy');
      const text = await honestKernel(kind);
      await writeUserKernel(kind, id, `${text}// changed\n`);
      expect((await workloadKernelsFailure(verdictOf(kind))).code).toBe('untrusted');
      await writeUserKernel(kind, id, text);
      for (const other of kinds.filter((one) => one !== kind)) {
        const error = await readWithVariant(other, id);
        expect(error.issues.map(({ path: field, message }) => `${field} ${message}`)).toEqual([
          expect.stringMatching(
            new RegExp(`^solver\\.variant ".*is based on ${kind.base} of ${kind.workload}.* of kind ${other.workload}`),
          ),
        ]);
      }
    });
  });
}

export const addon = loadAddon();
export const transport = { workload: 'transport', bench: '' };

export const description = {
  kind: 'variant',
  version: 1,
  base: 'gather',
  replaces: 'kernels/transport/cpu/gather.cpp',
  title: 'My gather',
};

export async function failureOf(work: Promise<unknown>): Promise<BraggError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof BraggError)) throw new Error(`expected a BraggError, got ${String(error)}`);
  return error;
}

/** Prepares the user kernels before the tests of a file. Call this at the top of the file. */
export function useUserKernels(name: string) {
  const trusted = new Set<string>();
  const folder = fixedScratchFolder(name);
  let original = '';
  let problem: TransportProblem;
  let userKernels: UserKernels;
  let processes = 0;

  beforeAll(async () => {
    // Compilation takes most of the test's time. Without fused operations every optimisation level gives the same bits.
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

  async function writeTransportKernel(id: string, text: string, described: object = description) {
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
    make: writeTransportKernel,
    async trustedVariant(id: string, text: string, described?: object) {
      const made = await writeTransportKernel(id, text, described);
      trusted.add(made.sha256);
      return made;
    },
    /** The original kernel with a line added at the beginning of every step. */
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
