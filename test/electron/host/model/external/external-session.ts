/**
 * Checks of a session with programs of assets/external against the engine's reference, for images and small workloads.
 * Also runs kernels of these programs without a GPU. The programs are the real ones: Numba's kernels run in its
 * simulator, and g++ compiles CuPy's kernels for cupy-on-host. Each is checked against the array program, which is
 * checked against the engine.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, type TestContext } from 'vitest';
import { type MeasuredSessionEntry, sessionReportSchema } from '../../../../../electron/contract/bench/session.ts';
import { extraStragglingOf, variantOptionsOf } from '../../../../../electron/host/io/addon/addon.ts';
import type { DiffractionProblem } from '../../../../../electron/host/io/addon/task.ts';
import { forkChild } from '../../../../../electron/host/io/processes/link.ts';
import { createLimits } from '../../../../../electron/host/model/bench/stopping.ts';
import { measureReport } from '../../../../../electron/host/workloads/bench.ts';
import { problemFor } from '../../../../../electron/host/workloads/benchable.ts';
import { hostWorkloads } from '../../../../../electron/host/workloads/index.ts';
import { openScenarios } from '../../../../../electron/host/workloads/scenarios/scenarios.ts';
import { assetsFolder } from '../../small-run.ts';
import { addon, namedVariants } from '../scenarios/open.ts';

const scenarioParts = await openScenarios({
  assetsFolder,
  rangeTable: addon.rangeTable,
  variants: namedVariants,
  workloads: hostWorkloads,
  extraStraggling: extraStragglingOf(addon),
  offers: variantOptionsOf(addon),
  memoryLimit_bytes: 2 ** 30,
});

function isInstalled(code: string): boolean {
  try {
    execFileSync('python3', ['-c', code], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const numpy = isInstalled('import numpy');
const torch = isInstalled('import torch');

function needsNumpy(ctx: TestContext): void {
  if (!numpy) ctx.skip('python3 with NumPy is not installed');
}

const entryOf = (entries: readonly { readonly label: string; readonly status: string }[], label: string) =>
  entries.find((one) => one.label === label && one.status === 'measured') as MeasuredSessionEntry | undefined;

export async function benchWithPrograms(
  document: Readonly<Record<string, unknown>>,
  variants: readonly string[],
  ids: readonly string[],
  more: { readonly registryIn?: string; readonly mostSeconds?: number } = {},
) {
  const reading = await scenarioParts.check(document, { name: 's', folder: null });
  if (reading.kind === null) throw new Error(JSON.stringify(reading.issues));
  const { benchable } = hostWorkloads[reading.kind];
  const report = await measureReport(addon, benchable, benchable.problem(reading), {
    ...{ scenario: 'here', variants, seed: 1, limits: createLimits(6, more.mostSeconds ?? 60, {}), sample_s: 1e-4 },
    external: { assetsFolder: more.registryIn ?? assetsFolder, ids, scenario: reading.scenario },
    processes: { count: 1, startChild: forkChild },
  });
  return sessionReportSchema.parse(report);
}

export async function expectLayer(problem: object, ctx: TestContext): Promise<void> {
  needsNumpy(ctx);
  const ids = torch ? ['numpy', 'torch-cpu'] : ['numpy'];
  const document = { kind: 'linear-relu', version: 1, problem: { batch: 19, inputs: 33, outputs: 17, ...problem } };
  const { entries, stopped, rounds } = await benchWithPrograms(document, ['cpu-blocked'], ids);
  expect([stopped, rounds]).toEqual(['rounds', 6]);
  for (const id of ids) {
    const own = entryOf(entries, id);
    expect(own?.accuracy.map(({ id: of, holds }) => [of, holds])).not.toContainEqual([expect.anything(), false]);
    expect(own?.samples.map(({ instance }) => instance)).toEqual([0, 0, 0, 1, 1, 1]);
    expect(own?.determinism).toMatchObject({ runs: 2, bitwise: true });
    expect(own?.process?.time_s).toBeGreaterThan(own?.time_s ?? Number.POSITIVE_INFINITY);
  }
}

/** A row of the table of claims: kind, problem sizes, the engine's variant, and the programs compared with it. */
export type ClaimRow = readonly [kind: string, numbers: object, variant: string, ids: readonly string[]];

export async function expectRow([kind, numbers, variant, ids]: ClaimRow, ctx: TestContext): Promise<void> {
  needsNumpy(ctx);
  const document = { kind: 'micro', version: 1, problem: { kind, ...numbers } };
  const requested = torch ? [...ids, 'torch-cpu'] : ids;
  const { entries } = await benchWithPrograms(document, [variant], requested);
  for (const id of requested) {
    const own = entryOf(entries, id);
    expect(own?.accuracy).not.toHaveLength(0);
    expect(own?.accuracy.filter(({ holds }) => !holds)).toEqual([]);
    expect(own?.verdict).not.toBe('wrong');
  }
}

export const crystal = {
  lattice: { kind: 'cell', a_A: 70, b_A: 80, c_A: 90, alpha_deg: 75, beta_deg: 85, gamma_deg: 95 },
  cells: { a: 5, b: 6, c: 7 },
};

/** A scenario of an image with a small detector. */
const imageDocument = (more: Readonly<Record<string, unknown>> & { readonly detector?: object }) => ({
  ...{ kind: 'diffraction', version: 1, beam: { wavelength_A: 1 }, structure_factors: { default_electrons: 100 } },
  ...more,
  detector: { width: 40, height: 24, ...more.detector },
});

/** The problem of an image in the form that a program receives. */
async function imageProblem(more: Parameters<typeof imageDocument>[0]): Promise<DiffractionProblem> {
  const reading = await scenarioParts.check(imageDocument(more), { name: 's', folder: null });
  const problem = problemFor('diffraction', hostWorkloads.diffraction.benchable.problem(reading));
  const { oversample } = addon.createDiffraction(problem).plan;
  return { ...problem, detector: { ...problem.detector, oversample } };
}

export async function expectImage(
  more: Readonly<Record<string, unknown>> & { readonly detector?: object },
  ctx: TestContext,
): Promise<void> {
  needsNumpy(ctx);
  const asked = torch ? ['numpy-image', 'numpy-image-mixed', 'torch-image-cpu'] : ['numpy-image', 'numpy-image-mixed'];
  const { entries } = await benchWithPrograms(imageDocument(more), ['diffraction-fp64'], asked);
  for (const id of asked) {
    const own = entryOf(entries, id);
    expect(own?.accuracy.filter(({ holds }) => !holds)).toEqual([]);
    expect(own?.accuracy.find(({ id: of }) => of === 'rel_l2')?.value).toBeLessThan(1e-5);
    expect(own?.whole?.ratio.value).toBeGreaterThan(0);
    expect(own?.whole?.ratio.value).toBeLessThan(Number.POSITIVE_INFINITY);
  }
}

/**
 * Python program: computes the image of the problem on standard input with the array program and with another one.
 * Prints the relative L2 norm of the difference.
 */
const DRAWN = `
import json, sys
import numpy as np
from diffraction_array import ImageProgram
from numpy_diffraction import Library
import %MODULE%

request = json.load(sys.stdin)
images = []
for program in (ImageProgram(request, Library(), "fp64"), %MODULE%.program(request)):
    program.prepare()
    program.repeat(1)
    images.append(np.asarray(program.answer()["image"], float))
print(json.dumps(float(np.linalg.norm(images[1] - images[0]) / np.linalg.norm(images[0]))))
`;

const plainArrays = (_: string, value: unknown) => (ArrayBuffer.isView(value) ? [...(value as Float64Array)] : value);

export function runPython(code: string, asked: object, environment: Readonly<Record<string, string>>): unknown {
  const printed = execFileSync('python3', ['-c', code], {
    cwd: path.join(assetsFolder, 'external'),
    input: JSON.stringify(asked, plainArrays),
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...environment },
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  return JSON.parse(printed);
}

const missingModules = new Map<string, boolean>();

/** Skips the test if Python or one of the modules is missing. */
export function needsPython(ctx: TestContext, ...modules: readonly string[]): void {
  const wanted = modules.join(', ');
  if (!missingModules.has(wanted)) {
    missingModules.set(wanted, spawnSync('python3', ['-c', `import ${wanted}`], { stdio: 'ignore' }).status !== 0);
  }
  if (missingModules.get(wanted) === true) ctx.skip(`python3 with ${modules.join(' and ')} is not installed`);
}

const images = {
  'square crystals, all alike': { crystal },
  round: { crystal: { ...crystal, shape: 'round' } },
  gauss: { crystal: { ...crystal, shape: 'gauss' } },
  tophat: { crystal: { ...crystal, shape: 'tophat' } },
  'turning blocks, more than a tile of them': {
    crystal: { ...crystal, mosaic_spread_deg: 1, mosaic_domains: 40 },
    rotation: { oscillation_deg: 1, steps: 2 },
  },
  'sub-pixels, polarised light of two colours': {
    crystal,
    detector: { oversample: 2, corrections: 'subpixel' },
    beam: { wavelength_A: 1, polarisation: 0.5, dispersion_percent: 1, dispersion_steps: 2 },
  },
  'listed reflections': { crystal },
} as const;
export const imageNames = Object.keys(images) as readonly (keyof typeof images)[];

const reflections = [-3, -2, -1, 0, 1, 2].flatMap((h) =>
  [-2, -1, 0, 1].flatMap((k) => [-1, 0, 1].map((l) => [h, k, l, 10 + h + 2 * k - l])),
);

/** Relative L2 norm of the difference between the images of that program and of the array program. */
export async function imageDifference(
  name: keyof typeof images,
  { module, style }: { readonly module: string; readonly style: string },
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  const problem = await imageProblem(images[name]);
  const factors = { ...problem.structure_factors, reflections: reflections.flat(), default: 3 };
  const asked = name === 'listed reflections' ? { ...problem, structure_factors: factors } : problem;
  return runPython(DRAWN.replaceAll('%MODULE%', module), { problem: asked, style }, environment) as number;
}
