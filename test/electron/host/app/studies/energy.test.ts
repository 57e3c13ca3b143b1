/**
 * Energy as a measure of a study: real runs with fake counters. Facts that all points of a process share are requested
 * only once, because requests would dominate a study of small points. Also files of any type that the scenarios of a
 * study name, and the cache of the thread that reads studies.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type PlanLine,
  pointResultSchema,
  studySchema,
  validateStudy,
} from '../../../../../electron/contract/study/index.ts';
import {
  type Counters,
  openCounters,
  PointEnergy,
  PointSolver,
} from '../../../../../electron/host/app/studies/points/solver.ts';
import { namedFileDigests, plannedLines, readStudy } from '../../../../../electron/host/app/studies/results.ts';
import { arraysOf, MAX_TRIES, taskScript, tasksOf } from '../../../../../electron/host/app/studies/slurm/task.ts';
import type { CounterOrReason } from '../../../../../electron/host/model/bench/conditions/energy.ts';
import { StudyFolder } from '../../../../../electron/host/model/studies/folder.ts';
import { pointId } from '../../../../../electron/host/model/studies/points.ts';
import { studyTable, tableNotes } from '../../../../../electron/host/model/studies/table.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { onPosix } from '../../../../unless.ts';
import { writeWideStudy } from '../../../../wide-study.ts';
import { head, solvedPoint } from '../../model/studies/advice/solved.ts';
import { smallScenario, tinyScenario } from '../../small-run.ts';
import { openTestHost, type TestHost } from '../../test-host.ts';

describe('solving points of a study', () => {
  test('queries the capabilities of the machine once', async () => {
    const test_ = await openTestHost();
    try {
      let requested = 0;
      const { addon, batches, runs, scenarios, userKernels, commit } = test_.host;
      const capabilities = () => {
        requested += 1;
        return test_.host.capabilities();
      };
      const solver = new PointSolver({
        host: { addon, batches, runs, scenarios, userKernels, commit, capabilities },
        ...{
          head: head(),
          study: studySchema.parse({ kind: 'study', version: 1, base: [{ scenario: {} }], axes: [] }),
        },
        ...{ mode: 'runs', slots: 1, threads: 1, at_once: 1, job: '7_1', signal: new AbortController().signal },
      });
      const all = [1, 2, 3].map((n) => solver.failed(solvedPoint({ at: { 'problem.n': n } }).line, 'internal', 'no'));
      expect(requested).toBe(1);
      expect(all.map(({ where }) => [where.job, where.cores])).toEqual(
        Array.from({ length: 3 }, () => ['7_1', test_.host.capabilities().cpu.logicalCores]),
      );
    } finally {
      await test_.close();
    }
  });
});

describe('documents of studies', () => {
  const folder = scratchFolder('study-files');
  const named = (file: string) => ({ ...smallScenario, physics: { stopping_power: { file } } });

  test('create new points when a table changes', async () => {
    const digests: string[] = [];
    for (const text of ['T_MeV,S\n1,2\n', 'T_MeV,S\n1,3\n']) {
      writeFileSync(path.join(folder, 'table.csv'), text);
      digests.push(...(await namedFileDigests(named('table.csv'), folder)));
    }
    expect(new Set(digests).size).toBe(2);
    expect(await namedFileDigests(named('none.csv'), folder)).toEqual(['none.csv missing']);
  });

  test('reject a pipe as a table or as a plan, without blocking', onPosix, async () => {
    execFileSync('mkfifo', [path.join(folder, 'pipe.csv')]);
    expect(await namedFileDigests(named('pipe.csv'), folder)).toEqual(['pipe.csv missing']);
    const study = path.join(folder, 'study');
    mkdirSync(study);
    execFileSync('mkfifo', [path.join(study, 'plan.json')]);
    await expect(StudyFolder.open(study)).rejects.toThrow('plan.json is a pipe or a device, not a file');
  });
});

describe('grouping points for Slurm', () => {
  const lines: readonly PlanLine[] = Array.from({ length: 100 }, (_, i) => ({ id: `p${i}`, base: 0, settings: [] }));

  test('fits a task to its target duration, from the time per point and the number of concurrent points', () => {
    const tasks = tasksOf(lines, 1, { point_s: 10, lanes: 2, task_s: 100 });
    expect(tasks.map(({ length }) => length)).toEqual([20, 20, 20, 20, 20]);
    expect(tasks.flat()).toEqual(lines.map(({ id }) => id));
    // If no time per point is known, the plan has one point for each of the parallel lanes.
    expect(tasksOf(lines, 1, { point_s: null, lanes: 3, task_s: 100 })[0]).toHaveLength(3);
    // A point longer than a task's time gets a separate task.
    expect(tasksOf(lines, 1, { point_s: 1000, lanes: 1, task_s: 100 })).toHaveLength(100);
  });

  test('retries points without a result in smaller tasks, finally one by one', () => {
    const sizes = [1, 2, MAX_TRIES].map(
      (attempt) => tasksOf(lines, attempt, { point_s: 1, lanes: 1, task_s: 40 })[0]?.length,
    );
    expect(sizes).toEqual([40, 5, 1]);
  });

  test('keeps every job array within the limit of the cluster', () => {
    expect(arraysOf([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  });

  test('passes words of the script to the shell unchanged', () => {
    expect(taskScript(['/a b/node', "it's"], 75)).toContain(`'/a b/node' 'it'\\''s' &`);
  });
});

describe('results of a study', () => {
  const ROWS = 400;

  let folder = '';
  beforeEach(async () => {
    folder = path.join(await mkdtemp(path.join(tmpdir(), 'braggbench-read-')), 'wide.study');
    await writeWideStudy(folder, ROWS);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await rm(path.dirname(folder), { recursive: true, force: true });
  });

  test('read each file and the plan only once for concurrent requests', async () => {
    const results = vi.spyOn(StudyFolder.prototype, 'readResult');
    const lines = vi.spyOn(StudyFolder.prototype, 'readLines');
    const [one, other] = await Promise.all([readStudy(folder), readStudy(folder)]);
    expect(one.rows).toHaveLength(ROWS);
    expect(other).toBe(one);
    expect(results).toHaveBeenCalledTimes(ROWS);
    expect(await plannedLines(await StudyFolder.open(folder))).toHaveLength(ROWS);
    expect(lines).toHaveBeenCalledTimes(1);
  });

  test('build rows once per request, and the table once', async () => {
    const read = await readStudy(folder);
    const make = vi.fn(() => []);
    read.cachedAdvice('near', make);
    (await readStudy(folder)).cachedAdvice('near', make);
    expect(make).toHaveBeenCalledTimes(1);
    read.cachedAdvice('far', make);
    expect(make).toHaveBeenCalledTimes(2);
    expect((await readStudy(folder)).table()).toBe(read.table());
  });

  test('yield a new table of the same length when one point replaces another', async () => {
    const study = await StudyFolder.open(folder);
    const [gone = '', back = ''] = (await study.readLines()).map(({ id }) => id);
    const kept = await study.readResult(back, 'done');
    await rm(study.fileOf(back, 'done'));
    const read = await readStudy(folder);
    const before = read.table().rows.map(([id]) => id);
    expect(before).toContain(gone);
    expect(before).not.toContain(back);
    await rm(study.fileOf(gone, 'done'));
    if (kept !== null) await study.writeResult(kept);
    const now = (await readStudy(folder)).table().rows.map(([id]) => id);
    expect(now).toContain(back);
    expect(now).not.toContain(gone);
  });

  test('are available to the next request after a failed one', async () => {
    vi.spyOn(StudyFolder.prototype, 'readLines').mockRejectedValueOnce(new Error('no file server'));
    await expect(readStudy(folder)).rejects.toThrow('no file server');
    expect((await readStudy(folder)).rows).toHaveLength(ROWS);
  });

  test('are read first for the most recently requested study, then for the one before it', async () => {
    const other = path.join(path.dirname(folder), 'other.study');
    await Promise.all([writeWideStudy(folder.replace('wide', 'large'), 4 * ROWS), writeWideStudy(other, ROWS)]);
    const large = folder.replace('wide', 'large');
    const readResult = StudyFolder.prototype.readResult;
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const result = vi.spyOn(StudyFolder.prototype, 'readResult').mockImplementation(function (
      this: StudyFolder,
      ...which
    ) {
      begin();
      return readResult.apply(this, which);
    });
    const order = (): readonly string[] => result.mock.contexts.map((it) => (it as StudyFolder).folder);
    const first = readStudy(large);
    // Request the second study during the first result of the large one, however fast that is read.
    await begun;
    expect(order()).toContain(large);
    const second = await readStudy(other);
    expect([second.rows.length, (await first).rows.length]).toEqual([ROWS, 4 * ROWS]);
    // No other result is read between its first and its last.
    const read = order();
    expect(read.lastIndexOf(other) - read.indexOf(other)).toBe(ROWS - 1);
    expect(read.lastIndexOf(large)).toBeGreaterThan(read.lastIndexOf(other));
  });
});

describe('energy measurement in studies', () => {
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

  /** Fake counters report 30 J per run; every started run counts. */
  async function solveWithCounters(
    document: object,
    counters: (counter: CounterOrReason) => Counters,
    repeats = 1,
    counted_s = 0,
  ) {
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
      ...{ head: plan, study: studySchema.parse(study), mode: 'runs', slots: 1, threads: 1, at_once: 1, job: null },
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
  ])('%s: reports the mean over the runs, and which counter was used', async (_, document) => {
    const { result, values } = await solveWithCounters(document, (cpu) => ({ cpu, cuda: 'there is no GPU' }));
    expect(result.error).toBeNull();
    expect(values['energy_J']).toBe(30);
    expect(values['energy_of']).toContain('what is played, idle power included');
  });

  test('does not repeat long enough runs, and gives an interval for five of them', async () => {
    const { started, result } = await solveWithCounters(tinyScenario, (cpu) => ({ cpu, cuda: 'none' }), 5);
    expect(started).toBe(5);
    expect(result.measures.find(({ name }) => name === 'energy_J')).toMatchObject({ value: 30, low: 30, high: 30 });
  });

  test('repeats short runs until the counter has advanced', async () => {
    const begun_ms = performance.now();
    await solveWithCounters(tinyScenario, (cpu) => ({ cpu, cuda: 'none' }));
    // Ten times the duration of one run, measured now, so that it adapts to the speed of the machine.
    const counted_s = (10 * (performance.now() - begun_ms)) / 1000;
    const { started, values } = await solveWithCounters(tinyScenario, (cpu) => ({ cpu, cuda: 'none' }), 1, counted_s);
    expect(started).toBeGreaterThan(1);
    expect(values['energy_J']).toBe(30);
  });

  test('explains an unreadable counter in one sentence instead of a zero, in the row and below the table', async () => {
    const { started, values, table } = await solveWithCounters(tinyScenario, () => ({
      cpu: 'this system has none',
      cuda: 'none',
    }));
    expect(started).toBe(1);
    expect(values).toMatchObject({ energy_J: null, energy_of: 'not known: this system has none' });
    expect(tableNotes(table)).toContain('The energy of 1 points is not known: this system has none.');
  });

  test('reports no energy if the counter does not change', async () => {
    const still = { of: 'it', read: () => 7 };
    const { values } = await solveWithCounters(tinyScenario, () => ({ cpu: still, cuda: 'none' }), 1, 0.01);
    expect(values).toMatchObject({ energy_J: null, energy_of: 'not known: the counter did not advance' });
  });

  test('reads the energy of a GPU run from the board', async () => {
    const of = (text: string, joules: number): CounterOrReason => {
      let all = 0;
      return { of: text, read: () => (all += joules) };
    };
    const energy = new PointEnergy({ cpu: of('the processors', 1), cuda: of('the board', 100) }, 0);
    await energy.measure(async () => undefined);
    expect((await energy.measures(true, async () => undefined))[0]?.[0]?.value).toBe(100);
    expect((await energy.measures(false, async () => undefined))[0]?.[0]?.value).toBe(1);
  });

  test('does not count processors of a cluster, since other jobs may use them', () => {
    expect(openCounters(test_.host, '7_1').cpu).toContain('other tasks of the cluster');
  });

  test('reports no separate energy for concurrent points', () => {
    const study = { kind: 'study', version: 1, base: [{ file: 'water-70MeV' }], measures: ['energy'] };
    expect(validateStudy(study).faults).toMatchObject([{ path: ['measures'], value: '"energy"' }]);
    expect(validateStudy({ ...study, timing: 'alone' }).faults).toEqual([]);
  });

  test('reports the energy of a small workload from its session', async () => {
    const document = { kind: 'micro', version: 1, problem: { kind: 'gemm', m: 16, n: 16, k: 16 } };
    const { result, values } = await solveWithCounters(document, () => ({ cpu: 'not asked', cuda: 'not asked' }));
    expect(result.error).toBeNull();
    expect(
      values['energy_J'] === null
        ? String(values['energy_of']).startsWith('not known: ')
        : Number(values['energy_J']) > 0,
    ).toBe(true);
    expect(values['energy']).toBeUndefined();
  });
});
