/** The bound for all runs is the CSDA range, and a run beyond it is reported. */
import { describe, expect, test } from 'vitest';
import {
  loadAddon,
  type NativeAddon,
  type TransportBeams,
  type TransportProblem,
  type TransportResult,
  type TransportRun,
} from '../../electron/host/io/addon/addon.ts';
import { openTestScenarios } from '../electron/host/small-run.ts';
import { holdRuns } from './held-runs.ts';
import { lengthsOf, longestWay_mm } from './longest-way.ts';

const scenarios = await openTestScenarios(loadAddon());

async function problemOf(angle_deg: number, geometry: object = {}, beam: object = {}): Promise<TransportProblem> {
  const grid = { dx_mm: 0.5, dz_mm: 0.2, dtheta_mrad: 40, theta_max_mrad: 400 };
  const parts = { beam: { energy_MeV: 70, angle_deg, ...beam }, geometry, grid, solver: { stepping: 'depth' } };
  const reading = await scenarios.check({ kind: 'transport', version: 1, ...parts }, { name: 'way', folder: null });
  return scenarios.resolve(reading);
}

const slab = (material: string, x_mm: readonly number[], z_mm: readonly number[]) => ({
  width_mm: 20,
  depth_mm: 52,
  regions: [{ material, x_mm, z_mm }],
});

describe('the longest way', () => {
  test('is the CSDA range in water, straight and tilted', async () => {
    expect(Math.abs(longestWay_mm(await problemOf(0)) / 40.8 - 1)).toBeLessThan(1e-3);
    expect(Math.abs(longestWay_mm(await problemOf(30)) / 40.8 - 1)).toBeLessThan(1e-3);
  });

  test('is shorter behind bone, longer beside air, and infinite where the box ends', async () => {
    const behind = longestWay_mm(await problemOf(0, slab('bone-compact-icru', [-10, 10], [10, 20])));
    expect(behind).toBeGreaterThan(40.8 - 9);
    expect(behind).toBeLessThan(40.8 - 6);
    expect(Math.abs(longestWay_mm(await problemOf(0, slab('air', [5, 7], [10, 12]))) - 42.8)).toBeLessThan(0.1);
    expect(longestWay_mm(await problemOf(0, { width_mm: 20, depth_mm: 30 }))).toBe(Number.POSITIVE_INFINITY);
  });

  test('grows with a spread of energy, as the range grows faster than the energy', async () => {
    const spread = longestWay_mm(await problemOf(0, {}, { energy_sigma_MeV: 1.4 })) / longestWay_mm(await problemOf(0));
    expect(Math.abs(spread - (1 + 0.5 * 1.75 * 0.75 * 0.02 ** 2))).toBeLessThan(1e-4);
  });
});

/** Every plane's protons one plane, of 0.2 mm, further on. */
function shifted(result: TransportResult): TransportResult {
  const crossing = new Float64Array(result.crossing);
  const row = 6;
  crossing.copyWithin(row, 0);
  crossing.copyWithin(0, row, 2 * row);
  return { ...result, crossing };
}

/** An addon whose runs all leave `result`. */
function leaving(result: TransportResult, tell: (reason: string) => void) {
  const run = (): TransportRun => ({ start: () => Promise.resolve(result) }) as Partial<TransportRun> as TransportRun;
  const beams = { start: (ended: (answer: object) => void) => Promise.resolve(ended({ beam: 0, result })) };
  const addon = {
    createTransport: run,
    layTransport: () => Promise.resolve(run()),
    layBeams: () => Promise.resolve(beams as Partial<TransportBeams> as TransportBeams),
  };
  holdRuns(addon, tell);
  return addon as Pick<NativeAddon, keyof typeof addon>;
}

test.each([0, 30])('at %d degrees: a run is held; one plane of 0.2 mm too far is told', async (angle_deg) => {
  const problem = await problemOf(angle_deg);
  const result = await loadAddon()
    .createTransport(problem)
    .start(() => undefined);
  expect(lengthsOf(problem, result)).toMatchObject({ mean_mm: expect.any(Number) });
  const told: string[] = [];
  const solve = async (left: TransportResult): Promise<void> => {
    const addon = leaving(left, (reason) => told.push(reason));
    await addon.createTransport(problem).start(() => undefined);
    await (await addon.layTransport(problem)).start(() => undefined);
    await (await addon.layBeams(problem)).start(() => undefined);
  };
  await solve(result);
  expect(told).toEqual([]);
  await solve(shifted(result));
  const words = /^a beam of 70 MeV .* mean range of 4[01]\.\d+ mm; its protons come no further than 40\.[78]/;
  expect(told).toEqual([1, 2, 3].map(() => expect.stringMatching(words)));
});
