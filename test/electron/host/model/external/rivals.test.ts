/** Programs of assets/external on images and small workloads: contestants of a session, held to the engine's reference. */
import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { type MeasuredSessionEntry, sessionReportSchema } from '../../../../../electron/contract/bench/session.ts';
import { extraStraggling } from '../../../../../electron/host/io/addon/addon.ts';
import { limitsOf } from '../../../../../electron/host/model/bench/stopping.ts';
import { readRegistry } from '../../../../../electron/host/model/external/registry.ts';
import { forkChild } from '../../../../../electron/host/model/user-kernels/process/link.ts';
import { measureReport } from '../../../../../electron/host/workloads/bench.ts';
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

let numpy = false;
let torch = false;
beforeAll(() => {
  numpy = has('import numpy');
  torch = has('import torch');
});

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

describe('the linear layer', () => {
  const layer = (problem: object) => ({
    kind: 'linear-relu',
    version: 1,
    problem: { batch: 19, inputs: 33, outputs: 17, ...problem },
  });

  test.for([
    [{}, 1],
    [{ direction: 'backward' }, 2],
    [{ bias: false, values: 'with-nan' }, 1],
    [{ direction: 'backward', bias: false }, 1],
  ] as const)('%o', async ([problem], ctx) => {
    if (!numpy) ctx.skip('python3 with NumPy is not installed');
    const ids = torch ? ['numpy', 'torch-cpu'] : ['numpy'];
    const { entries, stopped, rounds } = await session(layer(problem), ['cpu-blocked'], ids);
    expect([stopped, rounds]).toEqual(['rounds', 6]);
    for (const id of ids) {
      const own = entryOf(entries, id);
      expect(own?.accuracy.map(({ id: of, holds }) => [of, holds])).not.toContainEqual([expect.anything(), false]);
      expect(own?.samples.map(({ instance }) => instance)).toEqual([0, 0, 0, 1, 1, 1]);
      expect(own?.determinism).toMatchObject({ runs: 2, bitwise: true });
      expect(own?.process?.time_s).toBeGreaterThan(own?.time_s ?? Number.POSITIVE_INFINITY);
    }
  });
});

describe('rows of the table of claims', () => {
  test.for([
    ['elementwise', { n: 70_001 }, 'cpu-fused', ['numpy']],
    ['launch', { n: 1001, steps: 3 }, 'cpu-passes', ['numpy']],
    ['reduction', { n: 100_001 }, 'cpu-chains', ['numpy']],
    ['host-loop', { rows: 7, length: 65, radius: 3 }, 'cpu-rows', ['numpy', 'numpy-rows']],
    ['gemm', { m: 70, n: 65, k: 33 }, 'cpu-rows', ['numpy']],
  ] as const)('%s', async ([kind, numbers, variant, ids], ctx) => {
    if (!numpy) ctx.skip('python3 with NumPy is not installed');
    const document = { kind: 'micro', version: 1, problem: { kind, ...numbers } };
    const asked = torch ? [...ids, 'torch-cpu'] : ids;
    const { entries } = await session(document, [variant], asked);
    for (const id of asked) {
      const own = entryOf(entries, id);
      expect(own?.accuracy).not.toHaveLength(0);
      expect(own?.accuracy.filter(({ holds }) => !holds)).toEqual([]);
      expect(own?.verdict).not.toBe('wrong');
    }
  });
});

describe('images', () => {
  const image = ({ detector = {}, ...more }: Readonly<Record<string, unknown>> & { readonly detector?: object }) => ({
    kind: 'diffraction',
    version: 1,
    beam: { wavelength_A: 1 },
    structure_factors: { default_electrons: 100 },
    ...more,
    detector: { width: 40, height: 24, ...detector },
  });
  const lattice = { kind: 'cell', a_A: 70, b_A: 80, c_A: 90, alpha_deg: 75, beta_deg: 85, gamma_deg: 95 };
  const cells = { a: 5, b: 6, c: 7 };

  test.for([
    ['square', { crystal: { lattice, cells } }],
    ['round', { crystal: { lattice, cells, shape: 'round' } }],
    ['gauss', { crystal: { lattice, cells, shape: 'gauss' } }],
    ['tophat', { crystal: { lattice, cells, shape: 'tophat' } }],
    [
      'turning blocks',
      {
        crystal: { lattice, cells, mosaic_spread_deg: 1, mosaic_domains: 3 },
        rotation: { oscillation_deg: 1, steps: 2 },
      },
    ],
    [
      'sub-pixels and polarised light',
      {
        crystal: { lattice, cells },
        detector: { oversample: 2, corrections: 'subpixel' },
        beam: { wavelength_A: 1, polarisation: 0.5 },
      },
    ],
  ] as const)('%s', async ([_name, more], ctx) => {
    if (!numpy) ctx.skip('python3 with NumPy is not installed');
    const asked = torch
      ? ['numpy-image', 'numpy-image-mixed', 'torch-image-cpu']
      : ['numpy-image', 'numpy-image-mixed'];
    const { entries } = await session(image(more), ['diffraction-fp64'], asked);
    for (const id of asked) {
      const own = entryOf(entries, id);
      expect(own?.accuracy.filter(({ holds }) => !holds)).toEqual([]);
      expect(own?.accuracy.find(({ id: of }) => of === 'rel_l2')?.value).toBeLessThan(1e-5);
      expect(own?.whole?.verdict).toBeDefined();
    }
  });
});

test('every program of the registry is where it says, and its scenarios are known', async () => {
  const { baselines } = await readRegistry(assetsFolder);
  expect(new Set(baselines.map(({ id }) => id)).size).toBe(baselines.length);
  const rows = new Set(addon.taskVariants('micro').map(({ bench }) => `micro/${bench}`));
  for (const { solves } of baselines) {
    for (const name of solves) expect(rows.has(name) || name in hostWorkloads).toBe(true);
  }
});
