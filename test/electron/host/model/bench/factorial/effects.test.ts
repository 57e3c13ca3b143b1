/** Optimisations alone and combined: the arithmetic on synthetic samples, the designs, and a recorded 2 × 2 design. */
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SessionReport } from '../../../../../../electron/contract/bench/session.ts';
import { deriveSession, parseSession, readCurrentRules } from '../../../../../../electron/host/app/sessions/index.ts';
import { loadAddon } from '../../../../../../electron/host/io/addon/addon.ts';
import { recordedInstances } from '../../../../../../electron/host/model/bench/claim-results.ts';
import {
  absenceReason,
  combinations,
  computeFactorialEffects,
  type FactorialDesign,
  isSameSet,
  readDesigns,
  runnableDesigns,
} from '../../../../../../electron/host/model/bench/factorial/effects.ts';
import { readSessionFileText } from '../../../../../../electron/host/model/bench/session-file.ts';
import { type RandomGenerator, seededRandom } from '../../../../../../electron/host/model/bench/statistics.ts';
import { noiseFloor } from '../../../../../../electron/host/model/verdicts/judge.ts';
import { pairedContrast, pairedLogRatio } from '../../../../../../electron/host/model/verdicts/levels.ts';
import { allVariants } from '../../../../../../electron/host/workloads/index.ts';
import { assetsFolder } from '../../../small-run.ts';

const addon = loadAddon();
const designs = await readDesigns(assetsFolder);

const square: FactorialDesign = {
  ...{ id: 'square', workload: 'micro', bench: 'made', title: 'Made', absent: [] },
  factors: [
    { id: 'a', title: 'A' },
    { id: 'b', title: 'B' },
  ],
  cells: [
    { with: [], variant: 'none' },
    { with: ['a'], variant: 'only-a' },
    { with: ['b'], variant: 'only-b' },
    { with: ['a', 'b'], variant: 'both' },
  ],
};

/** Six instances of three rounds. Each instance is slower or faster by its own share. */
function samplesOf(time_s: number, noise: number, phase: number) {
  return Array.from({ length: 18 }, (_, i) => {
    const instance = Math.floor(i / 3);
    const own = 1 + noise * ((((instance + phase) * 7) % 5) - 2);
    return { round: i, instance, time_s: time_s * own, sm_MHz: null, flag: null };
  });
}

type Report = Parameters<typeof computeFactorialEffects>[1];

function reportOf(times: Readonly<Record<string, number>>, noise = 0.001, wrong: readonly string[] = []): Report {
  const entries = Object.entries(times).map(([variant, time_s], k) => ({
    ...{ label: variant, variant, precision: 'fp32', status: 'measured', time_s },
    samples: samplesOf(time_s, noise, k),
    verdict: wrong.includes(variant) ? 'wrong' : 'faster',
  })) as unknown as SessionReport['entries'];
  const judged = { precision: 0.01, margin: 0.01, instances: 6, rounds_per_instance: 3 };
  return { entries, judged, noise: { ratio: null, floor: 0.0005 }, seed: 1 };
}

function effectsIn(report: Report) {
  const found = computeFactorialEffects(square, report);
  if (found === null) throw new Error('nothing was found');
  const named = found.effects.map(({ of, given, gain, verdict }) => [
    `${of}|${given.join()}`,
    Number(gain.value.toPrecision(3)),
    verdict,
  ]);
  return { found, named };
}

describe('a 2×2 design', () => {
  test('has no interaction if its effects multiply', () => {
    const { found, named } = effectsIn(reportOf({ none: 8, 'only-a': 4, 'only-b': 2, both: 1 }));
    expect(named).toEqual([
      ['a|', 2, 'faster'],
      ['a|b', 2, 'faster'],
      ['b|', 4, 'faster'],
      ['b|a', 4, 'faster'],
    ]);
    expect(found.cells.map(({ gain }) => Number(gain.value.toPrecision(3)))).toEqual([1, 2, 4, 8]);
    expect(found.interactions).toMatchObject([{ of: ['a', 'b'], given: [], verdict: 'none' }]);
    expect(found.interactions[0]?.times.value).toBeCloseTo(1, 2);
  });

  test('reports where two optimisations together gain more than their product, and where less', () => {
    const helped = effectsIn(reportOf({ none: 8, 'only-a': 8, 'only-b': 8, both: 2 }));
    expect(helped.found.interactions[0]).toMatchObject({ verdict: 'more' });
    expect(helped.found.interactions[0]?.times.value).toBeCloseTo(4, 1);
    expect(helped.named).toContainEqual(['a|', 1, 'same']);
    expect(helped.named).toContainEqual(['a|b', 4, 'faster']);
    // Each optimisation alone halves the time, but both together gain no more.
    const hindered = effectsIn(reportOf({ none: 8, 'only-a': 4, 'only-b': 4, both: 4 }));
    expect(hindered.found.interactions[0]).toMatchObject({ verdict: 'less' });
    expect(hindered.found.interactions[0]?.times.value).toBeCloseTo(0.5, 2);
  });

  test('decides nothing if instances vary more than the effect, or from a wrong answer', () => {
    const noisy = effectsIn(reportOf({ none: 8, 'only-a': 7.8, 'only-b': 8, both: 7.7 }, 0.1));
    expect(noisy.named.map(([, , verdict]) => verdict)).toEqual(Array(4).fill('undecided'));
    expect(noisy.found.interactions[0]).toMatchObject({ verdict: 'undecided' });
    const wrong = effectsIn(reportOf({ none: 8, 'only-a': 4, 'only-b': 2, both: 1 }, 0.001, ['both']));
    expect(wrong.found.cells.at(-1)).toMatchObject({ label: 'both', wrong: true });
    expect(wrong.named.filter(([, , verdict]) => verdict === 'undecided').map(([name]) => name)).toEqual([
      'a|b',
      'b|a',
    ]);
    expect(wrong.found.interactions[0]).toMatchObject({ verdict: 'undecided' });
  });

  test('names a missing corner, and then has no interaction', () => {
    const { found } = effectsIn(reportOf({ none: 8, 'only-a': 4, both: 1 }));
    expect(found.absent).toEqual([{ with: ['b'], reason: 'only-b is not in this session' }]);
    expect(found.effects.map(({ of, given }) => [of, given])).toEqual([
      ['a', []],
      ['b', ['a']],
    ]);
    expect(found.interactions).toEqual([]);
    expect(computeFactorialEffects(square, reportOf({ 'only-a': 4, 'only-b': 2 }))).toBeNull();
  });
});

/** Standard normal, by Box and Muller. */
const normal = (random: RandomGenerator): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());

test.each([
  { rounds: 0.01, placement: 0.005, instances: 3 },
  { rounds: 0.01, placement: 0.005, instances: 5 },
  { rounds: 0.05, placement: 0, instances: 3 },
  { rounds: 0.002, placement: 0.01, instances: 5 },
])('equal variants: at most one table in twenty reports an effect, with %o', ({ rounds, placement, instances }) => {
  const random = seededRandom(5);
  const trials = 400;
  const series = () =>
    Array.from({ length: instances }, () => {
      const own = placement * normal(random);
      return Array.from({ length: 3 }, () => Math.exp(own + rounds * normal(random)));
    });
  let [stated, covered] = [0, 0];
  for (let k = 0; k < trials; k += 1) {
    const all = square.cells.map(({ variant }) => ({ variant, times: series() }));
    const floor = noiseFloor(series(), all[0]?.times ?? []);
    const entries = all.map(({ variant, times }) => ({
      ...{ label: variant, variant, precision: 'fp32', status: 'measured', time_s: 1, verdict: 'faster' },
      samples: times.flatMap((own, instance) => own.map((time_s) => ({ round: 0, instance, time_s }))),
    })) as unknown as SessionReport['entries'];
    const judged = { precision: 0.01, margin: 0.01, instances, rounds_per_instance: 3 };
    const noise = { ratio: null, floor: floor === null ? null : Math.expm1(floor) };
    const { effects, interactions } = effectsIn({ entries, judged, noise, seed: 1 }).found;
    const [{ times, verdict } = { times: { interval: null }, verdict: 'undecided' as const }] = interactions;
    const { low, high } = times.interval ?? { low: 2, high: 0 };
    if (low <= 1 && high >= 1) covered += 1;
    const says = effects.some((one) => one.verdict === 'faster' || one.verdict === 'slower');
    if (says || verdict === 'more' || verdict === 'less') stated += 1;
  }
  expect(stated / trials).toBeLessThanOrEqual(0.05);
  expect(covered / trials).toBeGreaterThanOrEqual(0.95);
});

test('a design of three optimisations reports the effect of all three relative to all pairs', () => {
  const factors = [...square.factors, { id: 'c', title: 'C' }];
  const sets = combinations(factors);
  const cells = sets.map((set) => ({ with: [...set], variant: set.join('') || 'none' }));
  // Each optimisation halves the time; all three together halve it once more.
  const times = Object.fromEntries(
    cells.map(({ variant, with: set }) => [variant, 64 / 2 ** set.length / (set.length === 3 ? 2 : 1)]),
  );
  const found = computeFactorialEffects({ ...square, factors, cells }, reportOf(times, 0.0005));
  expect(found?.effects).toHaveLength(12);
  expect(found?.interactions.map(({ of, given }) => `${of.join('')}|${given.join('')}`)).toEqual([
    ...['ab|', 'ab|c', 'ac|', 'ac|b', 'bc|', 'bc|a', 'abc|'],
  ]);
  const whole = found?.interactions.at(-1);
  expect(whole?.times.value).toBeCloseTo(2, 1);
  expect(whole?.verdict).toBe('more');
  expect(found?.interactions[0]).toMatchObject({ verdict: 'none' });
});

test('the contrast of two variants equals their paired log ratio', () => {
  const own = [
    [1, 1.1, 1.2],
    [1.3, 1, 1.1],
    [1, 1.2, 1.1],
  ];
  const other = own.map((times) => times.map((time, i) => time * (2 + 0.01 * i)));
  const ratio = pairedLogRatio(own, other, 0.05);
  const contrast = pairedContrast(
    [
      { times: own, weight: 1 },
      { times: other, weight: -1 },
    ],
    0.05,
  );
  expect(contrast?.middle).toBeCloseTo(ratio?.middle ?? Number.NaN, 12);
  expect(contrast?.half).toBeCloseTo(ratio?.half ?? Number.NaN, 12);
});

test('a recorded 2×2 design gives the contrast of its samples, with an interval over the instances', async () => {
  const file = path.join(assetsFolder, 'runs/micro/overlap.json');
  const session = deriveSession(
    parseSession(await readSessionFileText(file), file),
    await readCurrentRules(assetsFolder),
  );
  const [report] = session.reports;
  const found = report?.factorials?.find(({ id }) => id === 'copies');
  const timesOf = (label: string) => {
    const entry = report?.entries.find((one) => one.label === label);
    return entry?.status === 'measured' ? recordedInstances(entry.samples, ({ time_s }) => time_s) : [];
  };
  expect(found?.interactions).toHaveLength(1);
  const { times, verdict } = found?.interactions[0] ?? {};
  // Gain of both optimisations together, divided by the product of the separate gains.
  const expected = pairedContrast(
    [
      { times: timesOf('cuda-one'), weight: 1 },
      { times: timesOf('cuda-streams-pageable'), weight: 1 },
      { times: timesOf('cuda-one-pageable'), weight: -1 },
      { times: timesOf('cuda-streams'), weight: -1 },
    ],
    0.05,
  );
  expect(expected?.middle).toBeGreaterThan(0.5);
  expect(times?.value).toBeCloseTo(Math.exp(expected?.middle ?? Number.NaN), 6);
  expect(times?.interval?.low).toBeLessThan(times?.value ?? 0);
  expect(times?.interval?.high).toBeGreaterThan(times?.value ?? Number.POSITIVE_INFINITY);
  expect(verdict).toBe('more');
});

describe('factorial designs', () => {
  const variants = allVariants(addon);

  test.each(designs)('$workload $bench $id: each combination is a variant, or states why there is none', (design) => {
    const ids = design.factors.map(({ id }) => id);
    for (const set of combinations(design.factors)) {
      const cells = design.cells.filter((cell) => isSameSet(cell.with, set));
      expect(cells.length, set.join()).toBeLessThanOrEqual(1);
      if (cells.length === 0) expect(absenceReason(design, set), set.join()).not.toBeNull();
      else expect(absenceReason(design, set), set.join()).toBeNull();
    }
    for (const { with: set, variant, precision } of design.cells) {
      expect(set.every((id) => ids.includes(id))).toBe(true);
      const found = variants.find(
        (one) => one.id === variant && one.workload === design.workload && one.bench === design.bench,
      );
      expect(found, variant).toBeDefined();
      if (precision !== undefined) expect(found?.precisions).toContain(precision);
    }
  });

  test('have unique names, and the design for the CPU is measured on this machine', async () => {
    const names = designs.map(({ workload, bench, id }) => `${workload}/${bench}/${id}`);
    expect(new Set(names).size).toBe(names.length);
    const cpu = variants.map((one) => ({ ...one, available: one.device === 'cpu' }));
    const { able } = await runnableDesigns(assetsFolder, { workload: 'transport', bench: '' }, cpu);
    expect(able.map(({ id, device, labels }) => [id, device, labels])).toEqual([
      ['cpu-passes', 'cpu', ['gather@fp64', 'gather@fp32', 'fused@fp64', 'fused@fp32', 'window@fp64', 'window@fp32']],
    ]);
  });
});
