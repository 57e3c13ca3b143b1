/** Energy as a measure of a study: runs that are real, counters that are played. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pointResultSchema, studySchema, validateStudy } from '../../../../../electron/contract/study/index.ts';
import {
  type Counters,
  countersHere,
  PointEnergy,
  PointSolver,
} from '../../../../../electron/host/app/studies/points/solver.ts';
import type { MaybeCounter } from '../../../../../electron/host/model/bench/conditions/energy.ts';
import { tableNotes } from '../../../../../electron/host/model/studies/notes.ts';
import { pointId } from '../../../../../electron/host/model/studies/points.ts';
import { studyTable } from '../../../../../electron/host/model/studies/table.ts';
import { head } from '../../model/studies/advice/solved.ts';
import { tinyScenario } from '../../small-run.ts';
import { openTestHost, type TestHost } from '../../test-host.ts';

let test_: TestHost;
beforeAll(async () => {
  test_ = await openTestHost();
});
afterAll(() => test_.close());

const image = {
  ...{ kind: 'diffraction', version: 1, name: 'Small image', beam: { wavelength_A: 6.2 } },
  crystal: { lattice: { kind: 'cell', a_A: 100, b_A: 100, c_A: 100 }, cells: { a: 5, b: 5, c: 5 } },
  ...{ structure_factors: { default_electrons: 100 }, detector: { width: 16, height: 12 } },
};

/** 30 J a run: started runs are counted, whichever they are. */
async function solved(document: object, counters: (counter: MaybeCounter) => Counters, repeats = 1, counted_s = 0) {
  const { addon, batches, runs, scenarios, userKernels, commit } = test_.host;
  let started = 0;
  const counting = new Proxy(runs, {
    get: (of, name) => {
      const value: unknown = Reflect.get(of, name);
      if (name === 'start') started += 1;
      return typeof value === 'function' ? value.bind(of) : value;
    },
  });
  const study = {
    ...{ kind: 'study', version: 1, timing: 'alone', repeats, measures: ['readouts', 'energy'] },
    ...{ base: [{ scenario: document }] },
  };
  const plan = { ...head(study), bases: [{ name: 'base', document, folder: null, beside: [] }] };
  const solver = new PointSolver({
    host: {
      addon,
      batches,
      runs: counting,
      scenarios,
      userKernels,
      commit,
      capabilities: () => test_.host.capabilities(),
    },
    ...{ head: plan, study: studySchema.parse(study), as: 'runs', slots: 1, threads: 1, at_once: 1, job: null },
    ...{ signal: new AbortController().signal, counted_s },
    counters: counters({ of: 'what is played', read: () => 30 * started }),
  });
  const line = { id: pointId(document, []), base: 0, settings: [] };
  const result = pointResultSchema.parse(await solver.solve(line));
  const values = Object.fromEntries(result.measures.map(({ name, value }) => [name, value]));
  return { started, values, result, table: studyTable(plan, [{ line, result }]) };
}

test.each([
  ['transport', tinyScenario],
  ['an image', image],
])('%s: the mean over its runs, and what was counted', async (_, document) => {
  const { result, values } = await solved(document, (cpu) => ({ cpu, cuda: 'there is no GPU' }));
  expect(result.error).toBeNull();
  expect(values['energy_J']).toBe(30);
  expect(values['energy_of']).toContain('what is played, idling included');
});

test('runs that last long enough are not solved again; five of them have an interval', async () => {
  const { started, result } = await solved(tinyScenario, (cpu) => ({ cpu, cuda: 'none' }), 5);
  expect(started).toBe(5);
  expect(result.measures.find(({ name }) => name === 'energy_J')).toMatchObject({ value: 30, low: 30, high: 30 });
});

test('runs that are too short for a counter go on until it has counted', async () => {
  const begun_ms = performance.now();
  await solved(tinyScenario, (cpu) => ({ cpu, cuda: 'none' }));
  // Ten times what one takes here, however slow this machine is now.
  const counted_s = (10 * (performance.now() - begun_ms)) / 1000;
  const { started, values } = await solved(tinyScenario, (cpu) => ({ cpu, cuda: 'none' }), 1, counted_s);
  expect(started).toBeGreaterThan(1);
  expect(values['energy_J']).toBe(30);
});

test('what cannot be read is one sentence and no zero, in the row and below the table', async () => {
  const { started, values, table } = await solved(tinyScenario, () => ({ cpu: 'this system has none', cuda: 'none' }));
  expect(started).toBe(1);
  expect(values).toMatchObject({ energy_J: null, energy_of: 'not known: this system has none' });
  expect(tableNotes(table)).toContain('The energy of 1 points is not known: this system has none.');
});

test('a counter that stands still has counted nothing', async () => {
  const still = { of: 'it', read: () => 7 };
  const { values } = await solved(tinyScenario, () => ({ cpu: still, cuda: 'none' }), 1, 0.01);
  expect(values).toMatchObject({ energy_J: null, energy_of: 'not known: the counter did not go on' });
});

test('a run on a GPU is counted by its board', async () => {
  const of = (text: string, joules: number): MaybeCounter => {
    let all = 0;
    return { of: text, read: () => (all += joules) };
  };
  const energy = new PointEnergy({ cpu: of('the processors', 1), cuda: of('the board', 100) }, 0);
  await energy.counted(async () => undefined);
  expect((await energy.measures(true, async () => undefined))[0]?.[0]?.value).toBe(100);
  expect((await energy.measures(false, async () => undefined))[0]?.[0]?.value).toBe(1);
});

test('on a cluster the processors are not counted: others may use them', () => {
  expect(countersHere(test_.host, '7_1').cpu).toContain('other tasks of the cluster');
});

test('points that go beside each other have no energy of their own', () => {
  const study = { kind: 'study', version: 1, base: [{ file: 'water-70MeV' }], measures: ['energy'] };
  expect(validateStudy(study).faults).toMatchObject([{ path: ['measures'], value: '"energy"' }]);
  expect(validateStudy({ ...study, timing: 'alone' }).faults).toEqual([]);
});

test('a small workload says it of its own session', async () => {
  const document = { kind: 'micro', version: 1, problem: { kind: 'gemm', m: 16, n: 16, k: 16 } };
  const { result, values } = await solved(document, () => ({ cpu: 'not asked', cuda: 'not asked' }));
  expect(result.error).toBeNull();
  expect(
    values['energy_J'] === null
      ? String(values['energy_of']).startsWith('not known: ')
      : Number(values['energy_J']) > 0,
  ).toBe(true);
  expect(values['energy']).toBeUndefined();
});
