/** Checks of a session with programs of assets/external: by the engine's reference, for images and small workloads. */
import { execFileSync } from 'node:child_process';
import { expect, type TestContext } from 'vitest';
import { type MeasuredSessionEntry, sessionReportSchema } from '../../../../../electron/contract/bench/session.ts';
import { extraStraggling, offersOf } from '../../../../../electron/host/io/addon/addon.ts';
import type { DiffractionProblem } from '../../../../../electron/host/io/addon/diffraction.ts';
import { forkChild } from '../../../../../electron/host/io/processes/link.ts';
import { limitsOf } from '../../../../../electron/host/model/bench/stopping.ts';
import { measureReport } from '../../../../../electron/host/workloads/bench.ts';
import { problemFor } from '../../../../../electron/host/workloads/benchable.ts';
import { hostWorkloads } from '../../../../../electron/host/workloads/index.ts';
import { openScenarios } from '../../../../../electron/host/workloads/scenarios/index.ts';
import { assetsFolder } from '../../small-run.ts';
import { addon, namedVariants } from '../scenarios/open.ts';

const all = await openScenarios({
  assetsFolder,
  rangeTable: addon.rangeTable,
  variants: namedVariants,
  workloads: hostWorkloads,
  extraStraggling: extraStraggling(addon),
  offers: offersOf(addon),
  memoryLimit_bytes: 2 ** 30,
});

function has(code: string): boolean {
  try {
    execFileSync('python3', ['-c', code], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const numpy = has('import numpy');
const torch = has('import torch');

function needsNumpy(ctx: TestContext): void {
  if (!numpy) ctx.skip('python3 with NumPy is not installed');
}

const entryOf = (entries: readonly { readonly label: string; readonly status: string }[], label: string) =>
  entries.find((one) => one.label === label && one.status === 'measured') as MeasuredSessionEntry | undefined;

async function session(
  document: Readonly<Record<string, unknown>>,
  variants: readonly string[],
  ids: readonly string[],
) {
  const reading = await all.check(document, { name: 's', folder: null });
  if (reading.kind === null) throw new Error(JSON.stringify(reading.issues));
  const { benchable } = hostWorkloads[reading.kind];
  const report = await measureReport(addon, benchable, benchable.problem(reading), {
    ...{ scenario: 'here', variants, seed: 1, limits: limitsOf(6, 60, {}), sample_s: 1e-4 },
    external: { assetsFolder, ids, scenario: reading.scenario },
    processes: { count: 1, startChild: forkChild },
  });
  return sessionReportSchema.parse(report);
}

export async function expectLayer(problem: object, ctx: TestContext): Promise<void> {
  needsNumpy(ctx);
  const ids = torch ? ['numpy', 'torch-cpu'] : ['numpy'];
  const document = { kind: 'linear-relu', version: 1, problem: { batch: 19, inputs: 33, outputs: 17, ...problem } };
  const { entries, stopped, rounds } = await session(document, ['cpu-blocked'], ids);
  expect([stopped, rounds]).toEqual(['rounds', 6]);
  for (const id of ids) {
    const own = entryOf(entries, id);
    expect(own?.accuracy.map(({ id: of, holds }) => [of, holds])).not.toContainEqual([expect.anything(), false]);
    expect(own?.samples.map(({ instance }) => instance)).toEqual([0, 0, 0, 1, 1, 1]);
    expect(own?.determinism).toMatchObject({ runs: 2, bitwise: true });
    expect(own?.process?.time_s).toBeGreaterThan(own?.time_s ?? Number.POSITIVE_INFINITY);
  }
}

/** A row of the table of claims: its numbers, the engine's variant, and the programs compared with it. */
export type Row = readonly [kind: string, numbers: object, variant: string, ids: readonly string[]];

export async function expectRow([kind, numbers, variant, ids]: Row, ctx: TestContext): Promise<void> {
  needsNumpy(ctx);
  const document = { kind: 'micro', version: 1, problem: { kind, ...numbers } };
  const asked = torch ? [...ids, 'torch-cpu'] : ids;
  const { entries } = await session(document, [variant], asked);
  for (const id of asked) {
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

/** A document of an image, with a small detector. */
const imageDocument = (more: Readonly<Record<string, unknown>> & { readonly detector?: object }) => ({
  ...{ kind: 'diffraction', version: 1, beam: { wavelength_A: 1 }, structure_factors: { default_electrons: 100 } },
  ...more,
  detector: { width: 40, height: 24, ...more.detector },
});

/** The problem in the form that a program receives. */
export async function imageProblem(more: Parameters<typeof imageDocument>[0]): Promise<DiffractionProblem> {
  const reading = await all.check(imageDocument(more), { name: 's', folder: null });
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
  const { entries } = await session(imageDocument(more), ['diffraction-fp64'], asked);
  for (const id of asked) {
    const own = entryOf(entries, id);
    expect(own?.accuracy.filter(({ holds }) => !holds)).toEqual([]);
    expect(own?.accuracy.find(({ id: of }) => of === 'rel_l2')?.value).toBeLessThan(1e-5);
    expect(own?.whole?.ratio.value).toBeGreaterThan(0);
    expect(own?.whole?.ratio.value).toBeLessThan(Number.POSITIVE_INFINITY);
  }
}
