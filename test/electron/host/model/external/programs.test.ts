/** Programs outside: NumPy's answer is the engine's, and what cannot run says why. */
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { TransportProblem } from '../../../../../electron/host/io/addon/addon.ts';
import { relativeL2 } from '../../../../../electron/host/model/bench/parity.ts';
import { readNpz } from '../../../../../electron/host/model/external/npz.ts';
import { chooseBaselines, readRegistry } from '../../../../../electron/host/model/external/registry.ts';
import { runExternal } from '../../../../../electron/host/model/external/run.ts';
import { assetsFolder } from '../../small-run.ts';
import { addon, check, scenarios } from '../scenarios/open.ts';

function python(code: string): boolean {
  try {
    execFileSync('python3', ['-c', code], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const registry = await readRegistry(assetsFolder);
const coarse = { grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 50 }, geometry: { width_mm: 10, depth_mm: 10 } };

async function problemOf(parts: object): Promise<TransportProblem> {
  const problem = scenarios.resolve(await check({ ...coarse, ...parts }, 30));
  return { ...problem, keyframes: 0, solver: { ...problem.solver, variant: 'gather' } };
}

async function ask(id: string, problem: TransportProblem) {
  const [baseline] = chooseBaselines(registry, [id]);
  if (baseline === undefined) throw new Error(id);
  const stepsMax = addon.createTransport(problem).plan.steps_max;
  const how = { warmups: 0, repeats: 1, timeout_s: 60 };
  return runExternal({ baseline, folder: registry.folder, scenario: null, problem, stepsMax, ...how });
}

const cases = [
  ['water, fp32', {}, 'fp32', 1e-5],
  ['attenuation and two materials, fp64', { physics: { nuclear: 'attenuation' } }, 'fp64', 1e-12],
  // Their detour is so long that rows in depth are widened.
  ['many angles, fp64', { beam: { energy_MeV: 30, angle_sigma_mrad: 200 } }, 'fp64', 1e-12],
  ['an energy spread, fp64', { beam: { energy_MeV: 30, energy_sigma_MeV: 1.5, z_mm: 0.1 } }, 'fp64', 1e-12],
  ['an energy spread within a bin, fp64', { beam: { energy_MeV: 30, energy_sigma_MeV: 0.1 } }, 'fp64', 1e-12],
  ['along a side, fp64', { beam: { energy_MeV: 30, x_mm: 4.8, x_sigma_mm: 1 } }, 'fp64', 1e-12],
  ['along the other side, fp64', { beam: { energy_MeV: 30, x_mm: -4.8, x_sigma_mm: 1 } }, 'fp64', 1e-12],
] as const;

describe('numpy_transport.py', () => {
  test.for(cases)('%s: the engine’s dose, and a ledger that closes', async ([_name, parts, precision, limit], ctx) => {
    if (!python('import numpy')) ctx.skip('python3 with NumPy is not installed');
    const regions =
      precision === 'fp64'
        ? {
            geometry: { ...coarse.geometry, regions: [{ material: 'bone-compact-icru', x_mm: [0, 5], z_mm: [2, 4] }] },
          }
        : {};
    const problem = await problemOf({ ...parts, ...regions, solver: { precision, step_mm: 0.5 } });
    const [engine, answer] = [
      await addon.createTransport(problem).start(() => undefined),
      await ask('numpy-array', problem),
    ];
    expect(relativeL2(answer.dose, engine.dose)).toBeLessThan(limit);
    expect(answer.steps).toBe(engine.steps);
    expect(answer.ledger.number_error).toBeLessThan(1e-6);
    expect(answer.ledger.energy_error).toBeLessThan(1e-6);
    expect(answer.runs).toHaveLength(1);
  });
});

test('what is missing is said in one readable sentence', async (ctx) => {
  const problem = await problemOf({});
  const [baseline] = chooseBaselines(registry, ['numpy-array']);
  if (baseline === undefined) throw new Error('numpy-array is not registered');
  const absent = { ...baseline, command: ['braggbench-no-such-python', 'x.py'] };
  const rest = { folder: registry.folder, scenario: null, problem, stepsMax: 1, warmups: 0, repeats: 1, timeout_s: 20 };
  await expect(runExternal({ baseline: absent, ...rest })).rejects.toThrow(
    'braggbench-no-such-python is not installed, or not in PATH',
  );
  if (!python('import numpy')) ctx.skip('python3 with NumPy is not installed');
  const depth = { ...problem, solver: { ...problem.solver, stepping: 'depth' as const } };
  await expect(runExternal({ baseline, ...rest, problem: depth })).rejects.toThrow('the baselines offer path');
  if (python('import cupy')) ctx.skip('CuPy is installed here');
  await expect(ask('cupy-raw', problem)).rejects.toThrow(/^CuPy is not installed for this Python/);
});

test('a program that is not registered is refused with the list of those that are', () => {
  expect(() => chooseBaselines(registry, ['cupy'])).toThrow('allowed: numpy-array, cupy-array, ');
});

test('a file that is no NPZ says so', () => {
  expect(() => readNpz(new Uint8Array(4), 'dose')).toThrow('it has no directory');
  expect(() => readNpz(new Uint8Array(64), 'dose')).toThrow('it has no directory');
});
