/**
 * The oracle's program reproduces its stored numbers. Cells that are coarse compared with the falloff contain the mean
 * of finer cells. Range bins as wide as a step once caused oscillations in the last cells, with R80 beyond the CSDA
 * range. The CSDA range limits the mean range of all runs, and a run beyond it is reported.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import {
  loadAddon,
  type NativeAddon,
  type TransportBeams,
  type TransportProblem,
  type TransportResult,
  type TransportRun,
} from '../../../electron/host/io/addon/addon.ts';
import { summaryOf } from '../../../electron/host/workloads/transport/readouts.ts';
import type { RunData } from '../../../electron/host/workloads/transport/run-data.ts';
import { openTestScenarios, runScenario } from '../../electron/host/small-run.ts';
import { addonIfBuilt, checkMeanRanges } from '../held-runs.ts';
import { longestPath_mm, rangeAndLimit } from '../longest-way.ts';
import { integrateCase, protonCases, simulateCase, spreadCases } from './evaluate.ts';
import { header, PROTONS, readStored, SEED, SHORT_PROTONS } from './oracle.ts';
import { matter } from './protons.ts';

describe('merged cells', () => {
  const solved = (energy_MeV: number, dz_mm: number, parts: object = {}, grid: object = {}): Promise<RunData> =>
    runScenario({
      kind: 'transport',
      version: 1,
      beam: { energy_MeV },
      grid: { dz_mm, dtheta_mrad: 40, dx_mm: 1, ...grid },
      solver: { stepping: 'depth' },
      output: { keyframes: 0 },
      ...parts,
    });

  /** MeV/mm by depth; `cells` cells of the run are merged into one. */
  function depthDose({ axes: { nz, nx, dz_mm }, dose }: RunData, cells = 1): number[] {
    const rows = Array.from({ length: nz }, (_, z) => dose.subarray(z * nx, (z + 1) * nx).reduce((a, b) => a + b, 0));
    return Array.from(
      { length: Math.floor(nz / cells) },
      (_, i) => rows.slice(i * cells, (i + 1) * cells).reduce((a, b) => a + b, 0) / (cells * dz_mm),
    );
  }

  /** Largest difference over the cells that both have, relative to the peak. */
  function difference(found: readonly number[], wanted: readonly number[]): number {
    const peak = Math.max(...wanted);
    const common = Math.min(found.length, wanted.length);
    return Math.max(...wanted.slice(0, common).map((value, i) => Math.abs((found[i] ?? 0) - value))) / peak;
  }

  test.each([
    [70, 0.1, 0.5],
    [70, 0.1, 1],
    [30, 0.025, 0.1],
    [30, 0.025, 0.2],
    [150, 0.5, 2],
  ])('%d MeV: cells of %d mm, when merged, equal those of %d mm', async (energy_MeV, fine_mm, coarse_mm) => {
    const wanted = depthDose(await solved(energy_MeV, fine_mm), Math.round(coarse_mm / fine_mm));
    for (const stepping of ['depth', 'path']) {
      const run = await solved(energy_MeV, coarse_mm, { solver: { stepping } });
      expect(difference(depthDose(run), wanted)).toBeLessThan(0.03);
      expect(summaryOf(run).metrics.r80_mm).toBeLessThan(run.range_mm);
    }
  });

  test.each(['off', 'bohr'])(
    'straggling %s: before the peak the dose rises monotonically from cell to cell',
    async (straggling) => {
      const dose = depthDose(await solved(70, 1, { physics: { scattering: 'off', straggling } }));
      const peak = dose.indexOf(Math.max(...dose));
      for (let i = 1; i <= peak; i += 1) expect(dose[i]).toBeGreaterThan(dose[i - 1] ?? 0);
    },
  );

  test('bins from a file that are as wide as the falloff are subdivided', async () => {
    const bins = { energy: { kind: 'range', step_mm: 0.5 } };
    const wanted = depthDose(await solved(70, 0.1), 5);
    expect(difference(depthDose(await solved(70, 0.5, {}, bins)), wanted)).toBeLessThan(0.03);
  });

  test('a note reports where the grid affects the result, including R80', async () => {
    const codes = async (dz_mm: number, grid: object = {}): Promise<readonly string[]> =>
      summaryOf(await solved(70, dz_mm, {}, grid)).notes.map(({ code }) => code);
    expect(await codes(0.25)).not.toContain('coarse-grid');
    expect(await codes(0.4)).not.toContain('coarse-grid');
    expect(await codes(0.5)).toContain('coarse-grid');
    // A bin of 1.5 mm is still wide after it is divided by six.
    expect(await codes(0.25, { energy: { kind: 'range', step_mm: 1.5 } })).toContain('coarse-grid');
  });

  test('planes too far apart for the mean range of a tilted beam give no value instead of a wrong one', async () => {
    // With cells of 1 mm, the mean range was once 40.82 mm, beyond the CSDA range of 40.80 mm.
    const mean_mm = async (dz_mm: number): Promise<number | null> =>
      summaryOf(await solved(70, dz_mm, { beam: { energy_MeV: 70, angle_deg: 45 } })).metrics.mean_range_mm;
    expect(await mean_mm(1)).toBeNull();
    expect(Math.abs(((await mean_mm(0.4)) ?? 0) - ((await mean_mm(0.2)) ?? Number.NaN))).toBeLessThan(0.02);
  });
});

describe('the longest path of a beam', async () => {
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

  describe('the longest path', () => {
    test('is the CSDA range in water, straight and tilted', async () => {
      expect(Math.abs(longestPath_mm(await problemOf(0)) / 40.8 - 1)).toBeLessThan(1e-3);
      expect(Math.abs(longestPath_mm(await problemOf(30)) / 40.8 - 1)).toBeLessThan(1e-3);
    });

    test('is shorter behind bone, longer next to air, and infinite where the box ends', async () => {
      const behind = longestPath_mm(await problemOf(0, slab('bone-compact-icru', [-10, 10], [10, 20])));
      expect(behind).toBeGreaterThan(40.8 - 9);
      expect(behind).toBeLessThan(40.8 - 6);
      expect(Math.abs(longestPath_mm(await problemOf(0, slab('air', [5, 7], [10, 12]))) - 42.8)).toBeLessThan(0.1);
      expect(longestPath_mm(await problemOf(0, { width_mm: 20, depth_mm: 30 }))).toBe(Number.POSITIVE_INFINITY);
    });

    test('grows with an energy spread, since the range grows faster than the energy', async () => {
      const spread =
        longestPath_mm(await problemOf(0, {}, { energy_sigma_MeV: 1.4 })) / longestPath_mm(await problemOf(0));
      expect(Math.abs(spread - (1 + 0.5 * 1.75 * 0.75 * 0.02 ** 2))).toBeLessThan(1e-4);
    });
  });

  /** Moves every plane's protons by one plane, 0.2 mm. */
  function shiftByOnePlane(result: TransportResult): TransportResult {
    const crossing = new Float64Array(result.crossing);
    const row = 6;
    crossing.copyWithin(row, 0);
    crossing.copyWithin(0, row, 2 * row);
    return { ...result, crossing };
  }

  /** An addon whose runs all return `result`. */
  function addonReturning(result: TransportResult, tell: (reason: string) => void) {
    const run = (): TransportRun => ({ start: () => Promise.resolve(result) }) as Partial<TransportRun> as TransportRun;
    const beams = { start: (ended: (answer: object) => void) => Promise.resolve(ended({ beam: 0, result })) };
    const addon = {
      createTransport: run,
      layTransport: () => Promise.resolve(run()),
      layBeams: () => Promise.resolve(beams as Partial<TransportBeams> as TransportBeams),
    };
    checkMeanRanges(addon, tell);
    return addon as Pick<NativeAddon, keyof typeof addon>;
  }

  test('tests of pure functions run in a checkout without a built solver', () => {
    expect(addonIfBuilt('/not-built/braggbench.node')).toBeNull();
  });

  test.each([0, 30])('at %d degrees a run agrees, and a plane 0.2 mm too far is reported', async (angle_deg) => {
    const problem = await problemOf(angle_deg);
    const result = await loadAddon()
      .createTransport(problem)
      .start(() => undefined);
    expect(rangeAndLimit(problem, result)).toMatchObject({ mean_mm: expect.any(Number) });
    const told: string[] = [];
    const solve = async (left: TransportResult): Promise<void> => {
      const addon = addonReturning(left, (reason) => told.push(reason));
      await addon.createTransport(problem).start(() => undefined);
      await (await addon.layTransport(problem)).start(() => undefined);
      await (await addon.layBeams(problem)).start(() => undefined);
    };
    await solve(result);
    expect(told).toEqual([]);
    await solve(shiftByOnePlane(result));
    const words = /^a beam of 70 MeV .* mean range of 4[01]\.\d+ mm; its protons come no further than 40\.[78]/;
    expect(told).toEqual([1, 2, 3].map(() => expect.stringMatching(words)));
  });
});

const storedOracle = readStored();
/** Relative tolerance. Values are stored with nine digits, and elementary functions may differ in the last one. */
const SAME_TOLERANCE = 1e-7;
/** Standard deviations within which a short run must agree. */
const LIKELY_SIGMAS = 5;

describe('the Monte Carlo oracle', () => {
  it('stores every case, and states its number of protons', () => {
    expect(storedOracle.monte_carlo.map(({ name }) => name)).toEqual(protonCases.map(({ name }) => name));
    expect(storedOracle.quadrature.map(({ name }) => name)).toEqual(spreadCases.map(({ name }) => name));
    expect([storedOracle.seed, storedOracle.protons, storedOracle.short_protons]).toEqual([
      SEED,
      PROTONS,
      SHORT_PROTONS,
    ]);
  });

  it.each(protonCases)('repeats the simulation of $name within the error of the long run', (one) => {
    const { value, error, short } = storedOracle.monte_carlo.find(({ name }) => name === one.name) ?? {};
    const again = simulateCase(one, SHORT_PROTONS, SEED).value;
    expect(Object.keys(again)).toEqual(Object.keys(value ?? {}));
    for (const [key, now] of Object.entries(again)) {
      const was = short?.[key] ?? Number.NaN;
      expect(Math.abs(now - was), key).toBeLessThanOrEqual(SAME_TOLERANCE * Math.abs(was));
      // Errors of fits to few protons are not quite normal, so only the mean range and the energy are compared.
      if (key !== 'mean_range_mm' && key !== 'deposited_MeV') continue;
      const likely =
        LIKELY_SIGMAS * (error?.[key] ?? 0) * Math.sqrt((one.times * PROTONS) / SHORT_PROTONS) + 1e-9 * now;
      expect(Math.abs(now - (value?.[key] ?? Number.NaN)), key).toBeLessThanOrEqual(likely);
    }
  });

  it.each(spreadCases)('repeats the integration of $name on coarser bins', (one) => {
    const value = storedOracle.quadrature.find(({ name }) => name === one.name)?.value ?? {};
    for (const [key, now] of Object.entries(integrateCase(one, 2))) {
      expect(Math.abs(now / (value[key] ?? Number.NaN) - 1), key).toBeLessThan(1e-3);
    }
  });

  it('is precise enough for the gates: R80 to 0.03 mm, W80–20 to 1 %', () => {
    for (const { name, value, error } of storedOracle.monte_carlo) {
      expect(error['r80_mm'], name).toBeLessThan(0.03);
      expect((error['w80_20_mm'] ?? 1) / (value['w80_20_mm'] ?? 1), name).toBeLessThan(0.01);
    }
  });

  it('has the published ranges, and is written to the header used by the C++ gates', () => {
    // The range of PSTAR in g/cm², divided by the density.
    expect(matter('water').range(150) / 157.7).toBeCloseTo(1, 3);
    expect(matter('lead').range(150) / (328.4 / 11.35)).toBeCloseTo(1, 3);
    const text = readFileSync(path.join(import.meta.dirname, 'expected.hpp'), 'utf8');
    expect(text).toBe(header(storedOracle));
  });
});
