/** Small measured workloads through the real addon: the same statistics as every other bench. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Session, type SessionReport, sessionReportSchema } from '../../../../electron/contract/bench/session.ts';
import { loadAddon, type NativeAddon } from '../../../../electron/host/io/addon/addon.ts';
import type { NativeTask, TaskProblem } from '../../../../electron/host/io/addon/task.ts';
import { readTaskClaims, sessionText, sweepFits } from '../../../../electron/host/model/bench/index.ts';
import { limitsOf } from '../../../../electron/host/model/bench/stopping.ts';
import { taskWords } from '../../../../electron/host/workloads/task/accuracy.ts';
import { isTaskSession, parseTaskSession } from '../../../../electron/host/workloads/task/session-file.ts';
import { benchHere, type HereOptions } from '../bench-here.ts';
import { assetsFolder } from '../small-run.ts';

const addon = loadAddon();
const problem: TaskProblem = {
  workload: 'micro',
  bench: 'launch',
  variant: 'auto',
  threads: 1,
  memory_limit_bytes: 1e9,
  seed: 1,
  numbers: { n: 2000, steps: 50 },
  words: {},
  switches: {},
};
const limits = limitsOf(9, 600);
const options = { scenario: 's', seed: 1, limits, sample_s: 1e-4 };
const benchTask = (engine: NativeAddon, given: TaskProblem, asked: HereOptions) =>
  benchHere(engine, { kind: 'micro', problem: given }, asked);
let report: SessionReport;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tasks-'));
  report = await benchTask(addon, problem, {
    ...options,
    variants: ['cpu-passes', 'cpu-fused', 'cuda-fused'],
    modes: ['warm', 'graph'],
    claims: await readTaskClaims(assetsFolder, problem),
  });
});
afterAll(() => rm(folder, { recursive: true }));

test('every variant has its row: measured with interval and check, or refused with the reason', () => {
  expect(sessionReportSchema.parse(report)).toEqual(report);
  expect(report.rounds).toBe(9);
  expect(report.judged).toEqual({ precision: null, margin: 0.01, instances: 3, rounds_per_instance: 3 });
  expect(report.reference).toBe('cpu-passes');
  expect(report.noise.floor).toBeGreaterThanOrEqual(0);
  const [passes, fused, cuda] = report.entries;
  if (passes?.status !== 'measured' || fused?.status !== 'measured') throw new Error('not measured');
  expect(passes.verdict).toBe('reference');
  expect(fused.samples.map(({ instance }) => instance)).toEqual([0, 0, 0, 1, 1, 1, 2, 2, 2]);
  expect(fused.ratio.interval).not.toBeNull();
  // One pass over the data in place of 50: the only thing that a timed assertion may lean on here is its sign.
  expect(fused.rung?.value).toBe(fused.ratio.value);
  expect(fused.accuracy[0]).toMatchObject({ id: 'l2', holds: true });
  expect(fused.determinism).toEqual({ runs: 3, bitwise: true, spread: 0, hash: passes.determinism?.hash });
  expect(fused.roofline?.flops_per_s).toBeCloseTo((2 * 50 * 2000) / fused.time_s, 0);
  expect(fused.roofline?.share_of_copy).toBeNull();
  expect(cuda?.status === 'refused' ? cuda.reason : 'measured').toMatch(/NVIDIA|measured/);
});

const latency = (found: SessionReport) => {
  const [entry] = found.entries;
  if (entry?.status !== 'measured') throw new Error('not measured');
  return { entry, told: entry.quantities.find(({ id }) => id === 'latency') };
};
const chain: TaskProblem = { ...problem, bench: 'latency', numbers: { footprint_bytes: 4096, hops: 4096 } };

test('what a variant tells of itself is told for each sample, and known as far as its instances agree', async () => {
  const found = await benchTask(addon, chain, { ...options, variants: ['cpu'] });
  const { entry, told } = latency(found);
  const values = entry.samples.map((sample) => sample.told?.['latency'] ?? Number.NaN);
  expect(values.every((value) => value > 0)).toBe(true);
  expect(new Set(values).size).toBeGreaterThan(1);
  const middle = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
  const medians = [0, 3, 6].map((first) => middle(values.slice(first, first + 3)));
  const mean = medians.reduce((sum, one) => sum + one, 0) / 3;
  const deviation = Math.sqrt(medians.reduce((sum, one) => sum + (one - mean) ** 2, 0) / 2);
  // Student's t of two degrees of freedom, 95 % to both sides; more where what follows resembles what went before.
  const least = (4.302653 * deviation) / Math.sqrt(3);
  const { low = Number.NaN, high = Number.NaN } = told?.interval ?? {};
  expect(told?.value).toBe(middle(values));
  expect((low + high) / 2).toBeCloseTo(middle(values), 9);
  // Clocks with coarse ticks give equal medians now and then, and an interval of no width.
  expect((high - low) / 2).toBeGreaterThanOrEqual(0.999 * least);
  expect((high - low) / 2).toBeLessThanOrEqual(5 * least);
  expect(sessionReportSchema.parse(found)).toEqual(found);
});

test('what one instance tells has no interval; what all tell alike is known exactly and stands in no sample', async () => {
  const touched = { id: 'touched', title: 'Memory that the chain touches', value: 0.004096, unit: 'MB' };
  const once = await benchTask(addon, chain, { ...options, variants: ['cpu'], limits: limitsOf(3, 600) });
  expect(latency(once).told?.interval).toBeNull();
  expect(latency(once).entry.quantities).toContainEqual({ ...touched, interval: null });
  const thrice = latency(await benchTask(addon, chain, { ...options, variants: ['cpu'] })).entry;
  expect(thrice.quantities).toContainEqual({ ...touched, interval: { low: 0.004096, high: 0.004096 } });
  expect(thrice.samples.flatMap(({ told }) => Object.keys(told ?? {}))).toEqual(Array(9).fill('latency'));
});

test('modes: cold has samples of its own, a graph its reason', async () => {
  // Caches are emptied for every cold sample, which takes a hundred times as long as all of it.
  const found = await benchTask(addon, problem, {
    ...options,
    variants: ['cpu-fused'],
    modes: ['warm', 'cold', 'graph'],
    limits: limitsOf(3, 600),
  });
  expect(sessionReportSchema.parse(found)).toEqual(found);
  const [entry] = found.entries;
  if (entry?.status !== 'measured') throw new Error('not measured');
  const [cold, graph] = entry.modes;
  expect(cold).toMatchObject({ mode: 'cold', reason: null });
  expect(cold?.samples).toHaveLength(3);
  expect(graph).toMatchObject({ mode: 'graph', time_s: null });
  expect(graph?.reason).toContain('nothing that a graph could replay');
});

test('published claims stand beside the pair that isolates them, those of other numbers of launches do not', () => {
  // Fusion is about three launches, and another claim about ten thousand.
  expect(report.claims.map(({ id }) => id)).toEqual(['cuda-graphs', 'cupy-graphs', 'launch-cost']);
  expect(report.claims[0]?.pairs[0]).toMatchObject({ slower: 'cuda-launches', faster: 'cuda-graph' });
});

test('a session is kept and read again; a sweep gives fixed cost and slope', async () => {
  const session: Session = {
    format: 'braggbench-session',
    format_version: 2,
    workload: 'micro',
    words: taskWords('problem.steps'),
    created: new Date(0).toISOString(),
    command: 'bench launch',
    reports: [report, report],
    sweep: { path: 'problem.steps', values: [1, 2], fits: sweepFits([1, 2], [report, report]) },
  };
  const file = path.join(folder, 'session.json');
  await writeFile(file, sessionText(session));
  const text = await readFile(file, 'utf8');
  expect(isTaskSession(text)).toBe(true);
  expect(parseTaskSession(text, file)).toEqual(session);
  const fit = session.sweep?.fits[0];
  expect(fit?.points).toHaveLength(2);
  expect(fit?.slope_s).toBeCloseTo(0, 12);
  expect(() => parseTaskSession('{"format":"other"}', 'x.json')).toThrow('x.json is not a benchmark');
});

test('a variant whose check does not hold is wrong, whatever its speed', async () => {
  const bent = new Proxy(addon, {
    get: (target, key: keyof NativeAddon) =>
      key !== 'createTask'
        ? target[key]
        : (given: TaskProblem): NativeTask => {
            const task = target.createTask(given);
            if (given.variant !== 'cpu-fused') return task;
            return {
              ...task,
              check: async (runs) => {
                const verdict = await task.check(runs);
                if (verdict === null) return null;
                return { ...verdict, holds: false, checks: verdict.checks.map((one) => ({ ...one, holds: false })) };
              },
            };
          },
  });
  const bentReport = await benchTask(bent, problem, { ...options, variants: ['cpu-passes', 'cpu-fused'] });
  expect(bentReport.entries.map((entry) => (entry.status === 'measured' ? entry.verdict : ''))).toEqual([
    'reference',
    'wrong',
  ]);
});

test('a session that is ended early keeps what it has; unknown variants are refused by name', async () => {
  const controller = new AbortController();
  const ended = await benchTask(addon, problem, {
    ...options,
    variants: ['cpu-passes', 'cpu-fused'],
    signal: controller.signal,
    onProgress: ({ phase, round }) => {
      if (phase === 'rounds' && round === 2) controller.abort();
    },
  });
  expect(ended).toMatchObject({ stopped: 'cancelled', rounds: 2 });
  expect(ended.entries).toHaveLength(2);
  await expect(benchTask(addon, problem, { ...options, variants: ['cpu-fuse'] })).rejects.toThrow(
    'did you mean cpu-fused?',
  );
});

test('what fits no memory is refused with the estimate before it is allocated', async () => {
  const large = { ...problem, memory_limit_bytes: 1000 };
  const refused = await benchTask(addon, large, { ...options, variants: ['cpu-fused'] });
  expect(refused.stopped).toBe('refused');
  expect(refused.entries[0]).toMatchObject({ status: 'refused', reason: expect.stringContaining('16000 bytes') });
});
