/** Small measured workloads through the real addon: the same statistics as in other benchmarks. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  correctnessOf,
  correctnessReason,
  type Session,
  type SessionReport,
  sessionReportSchema,
} from '../../../../electron/contract/bench/session.ts';
import { loadAddon, type NativeAddon } from '../../../../electron/host/io/addon/addon.ts';
import type {
  MemoryProbe,
  NativeTask,
  TaskProblem,
  TaskSampleOptions,
} from '../../../../electron/host/io/addon/task.ts';
import { readTaskClaims } from '../../../../electron/host/model/bench/claims.ts';
import { sessionText } from '../../../../electron/host/model/bench/session-file.ts';
import { createLimits } from '../../../../electron/host/model/bench/stopping.ts';
import { fitSweep } from '../../../../electron/host/model/bench/sweep.ts';
import { taskSessionTerms } from '../../../../electron/host/workloads/task/audits.ts';
import { isTaskSession, parseTaskSession } from '../../../../electron/host/workloads/task/index.ts';
import { assetsFolder } from '../small-run.ts';
import { type BenchmarkOptions, benchInProcess } from '../test-host.ts';

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
const limits = createLimits(9, 600);
const options = { scenario: 's', seed: 1, limits, sample_s: 1e-4 };
const benchTask = (engine: NativeAddon, given: TaskProblem, requested: BenchmarkOptions) =>
  benchInProcess(engine, { kind: 'micro', problem: given }, requested);
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

test('every variant has a row: measured, with interval and check, or rejected with the reason', () => {
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
  // Fusion needs one pass over the data instead of 50. Assertions on times may rely only on the sign of the difference.
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

test('reported metrics are saved for each sample, with an interval from their agreement between instances', async () => {
  const found = await benchTask(addon, chain, { ...options, variants: ['cpu'] });
  const { entry, told } = latency(found);
  const values = entry.samples.map((sample) => sample.told?.['latency'] ?? Number.NaN);
  expect(values.every((value) => value > 0)).toBe(true);
  expect(new Set(values).size).toBeGreaterThan(1);
  const middle = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
  const medians = [0, 3, 6].map((first) => middle(values.slice(first, first + 3)));
  const mean = medians.reduce((sum, one) => sum + one, 0) / 3;
  const deviation = Math.sqrt(medians.reduce((sum, one) => sum + (one - mean) ** 2, 0) / 2);
  // Student's t with two degrees of freedom, two-sided 95 %; larger if consecutive values are correlated.
  const least = (4.302653 * deviation) / Math.sqrt(3);
  const { low = Number.NaN, high = Number.NaN } = told?.interval ?? {};
  expect(told?.value).toBe(middle(values));
  expect((low + high) / 2).toBeCloseTo(middle(values), 9);
  // Clocks with coarse ticks sometimes give equal medians, and an interval of zero width.
  expect((high - low) / 2).toBeGreaterThanOrEqual(0.999 * least);
  expect((high - low) / 2).toBeLessThanOrEqual(5 * least);
  expect(sessionReportSchema.parse(found)).toEqual(found);
});

test('a value of one instance has no interval, and a value reported identically by all instances is exact and saved once', async () => {
  const touched = { id: 'touched', title: 'Memory touched by the chain', value: 0.004096, unit: 'MB' };
  const once = await benchTask(addon, chain, { ...options, variants: ['cpu'], limits: createLimits(3, 600) });
  expect(latency(once).told?.interval).toBeNull();
  expect(latency(once).entry.quantities).toContainEqual({ ...touched, interval: null });
  const thrice = latency(await benchTask(addon, chain, { ...options, variants: ['cpu'] })).entry;
  expect(thrice.quantities).toContainEqual({ ...touched, interval: { low: 0.004096, high: 0.004096 } });
  expect(thrice.samples.flatMap(({ told }) => Object.keys(told ?? {}))).toEqual(Array(9).fill('latency'));
});

test('cold mode has separate samples, and graph mode its reason for being unavailable', async () => {
  // Caches are emptied for every cold sample, which needs a hundred times as long as the rest.
  const found = await benchTask(addon, problem, {
    ...options,
    variants: ['cpu-fused'],
    modes: ['warm', 'cold', 'graph', 'cold-graph'],
    limits: createLimits(3, 600),
  });
  expect(sessionReportSchema.parse(found)).toEqual(found);
  const [entry] = found.entries;
  if (entry?.status !== 'measured') throw new Error('not measured');
  const [cold, graph, coldGraph] = entry.modes;
  expect(cold).toMatchObject({ mode: 'cold', reason: null });
  expect(cold?.samples).toHaveLength(3);
  expect(graph).toMatchObject({ mode: 'graph', time_s: null });
  expect(graph?.reason).toContain('no launches that a graph could replay');
  expect(coldGraph).toEqual({ ...graph, mode: 'cold-graph' });
});

test('warm-up samples precede the first sample of each prepared state, and are not reported', async () => {
  let sampled = 0;
  const counted = {
    ...addon,
    createTask: (of: Parameters<typeof addon.createTask>[0]) => {
      const task = addon.createTask(of);
      const sample = task.sample.bind(task);
      return Object.assign(task, {
        sample: (how: Parameters<typeof sample>[0]) => {
          // Only samples of a session's series read the clocks.
          if (how.clocks === true) sampled += 1;
          return sample(how);
        },
      });
    },
  };
  const measured = async (warmUp: number) => {
    sampled = 0;
    const limits = createLimits(6, 600, { warmUp });
    return { found: await benchTask(counted, problem, { ...options, variants: ['cpu-fused'], limits }), sampled };
  };
  const [without, warmed] = [await measured(0), await measured(2)];
  const { judged, facts, entries } = warmed.found;
  expect(judged).toMatchObject({ instances: 2, rounds_per_instance: 3, warm_up: 2 });
  expect(facts.find(([name]) => name === 'Warm-up')?.[1]).toContain('2 untimed samples');
  // Two additional samples for two series, the variant and its control, in each of two instances.
  expect(warmed.sampled - without.sampled).toBe(2 * 2 * 2);
  expect(entries[0]?.status === 'measured' && entries[0].samples).toHaveLength(6);
  expect(without.found.judged).not.toHaveProperty('warm_up');
  expect(without.found.facts.map(([name]) => name)).not.toContain('Warm-up');
});

test('published claims are judged for the pair that isolates them, not for other launch counts', () => {
  // The fusion claim is about three launches, and another claim about ten thousand.
  expect(report.claims.map(({ id }) => id)).toEqual(['cuda-graphs', 'cupy-graphs', 'launch-cost']);
  expect(report.claims[0]?.pairs[0]).toMatchObject({ slower: 'cuda-launches', faster: 'cuda-graph' });
});

test('a session reads back after saving, and a sweep gives a fixed cost and a slope', async () => {
  const session: Session = {
    format: 'braggbench-session',
    format_version: 3,
    workload: 'micro',
    words: taskSessionTerms('problem.steps'),
    created: new Date(0).toISOString(),
    command: 'bench launch',
    reports: [report, report],
    sweep: { path: 'problem.steps', values: [1, 2], fits: fitSweep([1, 2], [report, report]) },
  };
  const file = path.join(folder, 'session.json');
  await writeFile(file, sessionText(session));
  const text = await readFile(file, 'utf8');
  expect(isTaskSession(text)).toBe(true);
  // Claims are judged again by every reader.
  expect(parseTaskSession(text, file)).toEqual({
    ...session,
    reports: session.reports.map(({ factorials: _, ...one }) => ({ ...one, claims: [] })),
  });
  const fit = session.sweep?.fits[0];
  expect(fit?.points).toHaveLength(2);
  expect(fit?.slope_s).toBeCloseTo(0, 12);
  expect(() => parseTaskSession('{"format":"other"}', 'x.json')).toThrow('x.json is not a Braggbench benchmark');
});

test('a variant whose check fails is wrong, whatever its speed', async () => {
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

describe('suspected memoisation left open by the rounds', () => {
  const honest = { fresh_s: 1e-3, again_s: 1e-3, usual_s: Number.NaN };
  const remembering = { ...honest, fresh_s: 2e-3 };
  const SECONDS = 10;
  /** Shipped variants that take part as user kernels. */
  const shipped: ReadonlyMap<string, string> = new Map([
    ['first.cpp', 'cpu-passes'],
    ['second.cpp', 'cpu-fused'],
  ]);

  /**
   * Runs a session on a fake clock, on which every timed sample and every additional probe takes one second. The first
   * audits of its user kernels raise a suspicion, and use up the time for audits within the rounds. `probes` are the
   * results of each additional probe.
   */
  async function runSuspectedSession(variants: readonly string[], probes: readonly MemoryProbe[]) {
    let now_s = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => 1000 * now_s);
    const deciding: { readonly id: string; readonly began_s: number }[] = [];
    const createTask = (given: TaskProblem): NativeTask => {
      const { variant: id } = given;
      const task = addon.createTask({ ...given, variant: shipped.get(id) ?? id });
      if (!shipped.has(id)) return task;
      const sample = async (sampling: TaskSampleOptions) => {
        const isDeciding = sampling.at_least_s === 0 && sampling.probe === true;
        if (isDeciding) deciding.push({ id, began_s: now_s });
        now_s += 1;
        const taken = await task.sample(sampling);
        if (taken === null) return null;
        // The true times of changed inputs vary on a busy machine.
        const steady = { ...taken, hidden: { probes: [], unwritten: 0, first_unwritten: 0 } };
        if (taken.audit === null) return steady;
        const seconds = isDeciding ? 0 : 1e6;
        return {
          ...steady,
          audit: { ...taken.audit, probes: isDeciding ? probes : [remembering], seconds },
        };
      };
      return { ...task, sample };
    };
    const doubted = new Proxy(addon, {
      get: (target, key: keyof NativeAddon) => {
        if (key === 'createTask') return createTask;
        if (key !== 'taskVariants') return target[key];
        const users = new Map(variants.map((id) => [shipped.get(id), id]));
        return (kind?: string) => target.taskVariants(kind).map((one) => ({ ...one, id: users.get(one.id) ?? one.id }));
      },
    });
    try {
      const { entries, stopped } = await benchTask(doubted, problem, {
        ...{ ...options, variants, limits: createLimits(1000, SECONDS) },
      });
      return { entries: entries.map((one) => (one.status === 'measured' ? one : null)), deciding, stopped };
    } finally {
      clock.mockRestore();
    }
  }
  /** Pairs of probes of which one in five is suspicious: the result is neither proven nor refuted for a long time. */
  const unclear = [remembering, honest, honest, honest, honest];

  test('is decided after the rounds: a kernel that remembers results is wrong', async () => {
    const { entries, deciding } = await runSuspectedSession(
      ['cpu-passes', 'second.cpp'],
      Array.from({ length: 8 }, () => remembering),
    );
    expect(correctnessReason(entries[1]?.accuracy ?? [])).toMatch(/it remembers results \(\d+ of \d+ probes\)/);
    expect(entries[1]?.verdict).toBe('wrong');
    // 24 suspicious pairs are proof: two from the first audits, and eight from each of three probes. After that no more
    // probes follow.
    expect(deciding).toHaveLength(3);
    expect(Math.min(...deciding.map(({ began_s }) => began_s))).toBeGreaterThanOrEqual(SECONDS);
  });

  test('is decided after the rounds: a kernel that computes is correct', async () => {
    const { entries, deciding } = await runSuspectedSession(['cpu-passes', 'second.cpp'], [honest, honest, honest]);
    const found = entries[1]?.accuracy ?? [];
    expect(correctnessOf(found), correctnessReason(found) ?? 'no reason').toBe('correct');
    // After two suspicious pairs, nine honest ones reduce the odds below one: the mean of (1.2125² · 0.9625⁹), (1.425²
    // · 0.925⁹) and (1.7225² · 0.8725⁹) is 0.97, and 1.25 after six.
    expect(deciding).toHaveLength(3);
  });

  test("ends as not checked, with the reason, after at most half the session's time in addition", async () => {
    const { entries, deciding, stopped } = await runSuspectedSession(['first.cpp', 'second.cpp'], unclear);
    expect(stopped).toBe('time');
    for (const entry of entries) {
      expect(correctnessOf(entry?.accuracy ?? [])).toBe('not checked');
      expect(correctnessReason(entry?.accuracy ?? [])).toMatch(
        /It may remember results: .* 2\.0 times as long .* would decide/,
      );
    }
    expect(entries[1]?.verdict).toBe('not checked');
    // The first candidate cannot use up the time of the second.
    for (const id of shipped.keys()) expect(deciding.filter((one) => one.id === id).length).toBeGreaterThan(1);
    const began_s = deciding[0]?.began_s ?? Number.NaN;
    // A probe that has begun within the time is completed.
    expect((deciding.at(-1)?.began_s ?? Number.NaN) - began_s).toBeLessThanOrEqual(SECONDS / 2);
    expect(deciding.length).toBeGreaterThanOrEqual(SECONDS / 2);
  });
});

test('a session that ends early keeps its results, and unknown variants are rejected by name', async () => {
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

test('a problem that exceeds memory is rejected with the estimate before it is allocated', async () => {
  const large = { ...problem, memory_limit_bytes: 1000 };
  const refused = await benchTask(addon, large, { ...options, variants: ['cpu-fused'] });
  expect(refused.stopped).toBe('refused');
  expect(refused.entries[0]).toMatchObject({ status: 'refused', reason: 'needs about 15.6 KiB, the limit is 1000 B' });
});
