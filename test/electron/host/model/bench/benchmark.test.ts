import { beforeAll, describe, expect, test } from 'vitest';
import type { SessionReport } from '../../../../../electron/contract/bench/session.ts';
import type { NativeAddon, TransportProblem } from '../../../../../electron/host/io/addon/addon.ts';
import { DeterminismCheck, relativeL2 } from '../../../../../electron/host/model/bench/bench-candidate.ts';
import { createLimits } from '../../../../../electron/host/model/bench/stopping.ts';
import { fastestChain, gainsOf } from '../../../../../renderer/drawing/charts/ladder.ts';
import { accuracyIn, type BenchmarkOptions, benchInProcess, measuredEntry as measured } from '../../test-host.ts';
import { addon, checkBeam, scenarios } from '../scenarios/open.ts';

const coarse = {
  grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 50, energy: { kind: 'uniform', step_MeV: 0.7 } },
  geometry: { width_mm: 10, depth_mm: 10 },
};

async function smallProblem(parts: object = {}): Promise<TransportProblem> {
  return scenarios.resolve(await checkBeam({ ...coarse, ...parts }, 30));
}

const limits = createLimits(6, 600);

const benchmark = (engine: NativeAddon, problem: TransportProblem, options: BenchmarkOptions) =>
  benchInProcess(engine, { kind: 'transport', problem }, options);

describe('a benchmark of the real engine', () => {
  let report: SessionReport;
  const seen: string[] = [];

  beforeAll(async () => {
    report = await benchmark(addon, await smallProblem(), {
      scenario: 'small',
      variants: ['gather', 'scatter', 'window', 'depth', 'reference'],
      seed: 1,
      limits,
      onProgress: ({ phase, variant }) => seen.push(`${phase} ${variant}`),
    });
  });

  test('runs complete interleaved rounds, each in a different order', () => {
    expect(report.rounds).toBe(6);
    expect(report.stopped).toBe('rounds');
    for (const entry of report.entries)
      expect(entry.status === 'measured' && entry.samples.map(({ round }) => round)).toEqual([0, 1, 2, 3, 4, 5]);
    const rounds = seen.filter((line) => line.startsWith('rounds'));
    expect(rounds).toHaveLength(6 * 6);
    expect(rounds.filter((line) => line === 'rounds gather')).toHaveLength(12);
    const orders = Array.from({ length: 6 }, (_, round) => rounds.slice(6 * round, 6 * round + 6).join());
    expect(new Set(orders).size).toBeGreaterThan(1);
  });

  test('measures its own noise by comparing the first variant with itself', () => {
    expect(report.reference).toBe('gather');
    expect(report.noise.ratio?.interval).not.toBeNull();
    expect(report.noise.floor).toBeGreaterThan(0);
    expect(measured(report, 'gather').verdict).toBe('reference');
  });

  test('checks every dose against the plain FP64 reference', () => {
    expect(report.facts.filter(([name]) => name === 'Results checked against')).toEqual([
      ['Results checked against', 'path: reference in fp64'],
      ['Results checked against', 'depth: reference in fp64'],
    ]);
    for (const id of ['gather', 'scatter', 'window', 'depth']) {
      const entry = measured(report, id);
      expect(accuracyIn(entry, 'parity').bound).toBe(1e-5);
      expect(accuracyIn(entry, 'parity').value).toBeLessThan(1e-5);
      expect(accuracyIn(entry, 'parity').value).toBeGreaterThan(0);
      expect(accuracyIn(entry, 'ledger').value).toBeLessThan(1e-6);
    }
    expect(measured(report, 'reference')).toMatchObject({ precision: 'fp64', note: 'fp64' });
    expect(accuracyIn(measured(report, 'reference'), 'parity')).toMatchObject({ value: 0, bound: 1e-12 });
  });

  test('reports differences from the scenario, and the gain of each variant over the one it builds on', () => {
    expect(measured(report, 'depth').note).toBe('depth stepping');
    expect(measured(report, 'gather').note).toBeNull();
    // Every round is an instance, so the value is the geometric mean of the rounds' ratios.
    const rounds = measured(report, 'scatter').samples.map(({ time_s }) => Math.log(time_s));
    const gains = measured(report, 'gather').samples.map(({ time_s }, i) => Math.log(time_s) - (rounds[i] ?? NaN));
    const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
    expect(measured(report, 'gather').rung?.value).toBeCloseTo(Math.exp(mean), 10);
    expect(report.judged).toEqual({ precision: null, margin: 0.01, instances: 6, rounds_per_instance: 1 });
    expect(measured(report, 'gather').samples.map(({ instance }) => instance)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(measured(report, 'reference').rung).toBeNull();
  });

  test('reports set-up and the first run separately, and whether repeated results agree', () => {
    const entry = measured(report, 'gather');
    expect(entry.first?.wall_s).toBeGreaterThanOrEqual(entry.first?.time_s ?? Number.NaN);
    expect(entry.wall_s).toBeGreaterThan(entry.time_s);
    expect(entry.determinism).toMatchObject({ runs: 13, bitwise: true, spread: 0 });
    expect(measured(report, 'scatter').determinism?.runs).toBe(7);
    expect(measured(report, 'scatter').determinism?.spread).toBeLessThan(1e-6);
  });

  test('can be written as plain JSON', () => {
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });
});

test('a rejected variant has a row with its reason', async () => {
  const problem = await smallProblem();
  const tight = { ...problem, solver: { ...problem.solver, memory_limit_bytes: 1e5 } };
  const report = await benchmark(addon, tight, { scenario: 's', variants: ['gather', 'scatter'], seed: 1, limits });
  expect(report.stopped).toBe('refused');
  expect(report.reference).toBeNull();
  expect(report.entries.map((entry) => entry.status)).toEqual(['refused', 'refused']);
  expect(report.entries[0]).toMatchObject({ reason: expect.stringMatching(/^needs about .* the limit is/) });
});

test('unknown and duplicate names are rejected', async () => {
  const problem = await smallProblem();
  const start = (variants: string[]) => async () =>
    benchmark(addon, problem, { scenario: 's', variants, seed: 1, limits });
  await expect(start(['gathr'])).rejects.toThrow(
    'the variant "gathr" is not known (did you mean gather?); allowed: reference, ',
  );
  await expect(start(['gather', 'gather'])).rejects.toThrow('the variant gather is given twice; allowed: once');
});

test('a fast variant with a wrong answer is judged wrong', async () => {
  // The real engine, with one variant's result changed by one part in a thousand.
  const problem = await smallProblem();
  const bent: NativeAddon = {
    ...addon,
    createTransport: (given) => {
      const run = addon.createTransport(given);
      if (given.solver.variant !== 'gather') return run;
      return {
        plan: run.plan,
        cancel: () => run.cancel(),
        wantCheckpoint: () => undefined,
        checkpoint: () => null,
        wantPlanes: () => undefined,
        live: () => run.live(),
        keyframe: (index: number) => run.keyframe(index),
        start: async (onProgress) => {
          const result = await run.start(onProgress);
          return { ...result, dose: result.dose.map((value, i) => (i % 2 === 0 ? value * 1.001 : value)) };
        },
      };
    },
  };
  const report = await benchmark(bent, problem, { scenario: 's', variants: ['window', 'gather'], seed: 1, limits });
  expect(measured(report, 'gather').verdict).toBe('wrong');
  expect(accuracyIn(measured(report, 'gather'), 'parity').value).toBeGreaterThan(1e-4);
  expect(measured(report, 'window').verdict).toBe('reference');
});

test('moments are a rung above depth stepping, judged by the dose across x, and a step of the ladder', async () => {
  const report = await benchmark(addon, await smallProblem({ grid: { dx_mm: 1, dz_mm: 0.1, dtheta_mrad: 20 } }), {
    scenario: 's',
    variants: ['window', 'depth', 'moments'],
    seed: 1,
    limits,
  });
  const moments = measured(report, 'moments');
  expect([moments.builds_on, moments.verdict === 'wrong']).toEqual(['depth', false]);
  expect(accuracyIn(moments, 'depth-dose').bound).toBe(0.01);
  expect(moments.rung?.value).toBeCloseTo(moments.time_s / measured(report, 'depth').time_s, 0);
  expect(fastestChain(report).map(({ label }) => label)).toEqual(['window', 'depth', 'moments']);
  expect(gainsOf(report).find(({ label }) => label === 'moments')?.base).toBe('depth');
});

test('a cancelled session reports its results so far', async () => {
  const problem = await smallProblem();
  const stop = new AbortController();
  let turns = 0;
  const report = await benchmark(addon, problem, {
    scenario: 's',
    variants: ['window', 'gather'],
    seed: 1,
    limits: { ...limits, mostRounds: 1000 },
    signal: stop.signal,
    onProgress: ({ phase }) => {
      if (phase === 'rounds') turns += 1;
      if (turns === 8) stop.abort();
    },
  });
  expect(report.stopped).toBe('cancelled');
  expect(report.rounds).toBe(2);
  expect(measured(report, 'window').samples).toHaveLength(2);
  expect(measured(report, 'gather').ratio.interval).toBeNull();
  expect(measured(report, 'gather').verdict).toBe('undecided');
});

describe('agreement of results', () => {
  test('is measured as relative L2', () => {
    expect(relativeL2(Float64Array.of(3, 4.5), Float64Array.of(3, 4))).toBeCloseTo(0.1, 12);
    expect(relativeL2(Float64Array.of(0), Float64Array.of(0))).toBe(0);
    expect(relativeL2(Float64Array.of(1), Float64Array.of(0))).toBe(Number.POSITIVE_INFINITY);
    expect(relativeL2(Float64Array.of(1), Float64Array.of(1, 2))).toBe(Number.POSITIVE_INFINITY);
  });

  test('distinguishes equal bits from equal values', () => {
    const same = new DeterminismCheck();
    same.add(Float64Array.of(1, 2));
    same.add(Float64Array.of(1, 2));
    expect(same.report()).toMatchObject({ runs: 2, bitwise: true, spread: 0 });
    const drifting = new DeterminismCheck();
    drifting.add(Float64Array.of(1, 2));
    drifting.add(Float64Array.of(1.1, 2));
    drifting.add(Float64Array.of(1, 2));
    expect(drifting.report()).toMatchObject({ runs: 3, bitwise: false });
    expect(drifting.report().spread).toBeCloseTo(0.05, 12);
    const signs = new DeterminismCheck();
    signs.add(Float64Array.of(0));
    signs.add(Float64Array.of(-0));
    expect(signs.report().bitwise).toBe(false);
  });
});
