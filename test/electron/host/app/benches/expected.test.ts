/**
 * The expected time of a benchmark, over the real protocol and the real engine. Session files when several panels
 * request their list at the same time.
 */
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ExpectedTime } from '../../../../../electron/contract/bench/benches.ts';
import { expectedTimes } from '../../../../../electron/host/app/benches/expected.ts';
import { StoredSessions } from '../../../../../electron/host/app/benches/stored.ts';
import { FileAccess } from '../../../../../electron/host/io/files/access.ts';
import { Library } from '../../../../../electron/host/io/files/library.ts';
import { Locks } from '../../../../../electron/host/io/files/locks.ts';
import { assetsFolder, smallScenario, tinyScenario } from '../../small-run.ts';
import { hostOfFile } from '../../test-host.ts';

describe('stored sessions', () => {
  const NAME = 'h200-water-70MeV.json';
  const trouble = vi.fn();

  let [folder, stored]: [string, StoredSessions | null] = ['', null];
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'braggbench-stored-'));
    trouble.mockClear();
    stored = new StoredSessions({
      recordedFolder: folder,
      files: new FileAccess(new Library(path.join(folder, 'library'), []), new Locks(folder)),
      current: { designs: [], claims: {} },
      measuredRuns: () => Promise.resolve([]),
      trouble,
    });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const lists = () => Promise.all([stored?.list(), stored?.list(), stored?.list()]);

  test('concurrent list requests read each file only once', async () => {
    await copyFile(path.join(assetsFolder, 'runs', NAME), path.join(folder, NAME));
    const found = await lists();
    expect(found.map((list) => list?.map(({ name }) => name))).toEqual([1, 2, 3].map(() => ['h200-water-70MeV']));
    expect(new Set(found.map((list) => list?.[0]?.overview)).size).toBe(1);
    const whole = await Promise.all(found.map((list) => list?.[0]?.saved()));
    expect(new Set(whole).size).toBe(1);
    const labels = found[0]?.[0]?.overview.reports.map(({ entries }) => entries.map(({ label }) => label));
    expect(labels).toEqual(whole[0]?.reports.map(({ entries }) => entries.map(({ label }) => label)));
  });

  test('a recorded session is validated fully when it is opened, and only its summary when it is listed', async () => {
    const session = JSON.parse(await readFile(path.join(assetsFolder, 'runs', NAME), 'utf8'));
    session.reports[0].elapsed_s = 'long';
    await writeFile(path.join(folder, NAME), JSON.stringify(session));
    const [one] = (await stored?.list()) ?? [];
    expect(one?.overview.workload).toBe('transport');
    await expect(one?.saved()).rejects.toThrow(/reports\.0\.elapsed_s/);
    expect(await stored?.outlines(() => true)).toEqual([]);
    expect(trouble).toHaveBeenCalledWith(expect.stringContaining('reports.0.elapsed_s'));
    session.reports[0].entries[0].label = 3;
    await writeFile(path.join(folder, NAME), JSON.stringify(session));
    expect(await stored?.list()).toEqual([]);
    expect(trouble).toHaveBeenCalledWith(expect.stringContaining('entries.0.label'));
  });

  test('a library session is fully validated before it is listed', async () => {
    const session = JSON.parse(await readFile(path.join(assetsFolder, 'runs', NAME), 'utf8'));
    session.reports[0].elapsed_s = 'long';
    await mkdir(path.join(folder, 'library'));
    await writeFile(path.join(folder, 'library', 'mine.session.json'), JSON.stringify(session));
    expect((await stored?.list())?.filter(({ recorded }) => !recorded)).toEqual([]);
    expect(trouble).toHaveBeenCalledWith(expect.stringContaining('reports.0.elapsed_s'));
  });

  test('an unreadable file is read again once it becomes readable', async () => {
    await writeFile(path.join(folder, NAME), '{}');
    expect(await lists()).toEqual([[], [], []]);
    expect(trouble).toHaveBeenCalledTimes(3);
    await copyFile(path.join(assetsFolder, 'runs', NAME), path.join(folder, NAME));
    expect(await stored?.list()).toHaveLength(1);
  });
});

describe('expected times', async () => {
  const { test_, page } = await hostOfFile();

  const expected = async (scenario: object): Promise<(variant: string) => ExpectedTime | undefined> => {
    const { times } = await page.call('bench.expected', { scenario: { ...scenario } });
    return (variant) => times.find((one) => one.variant === variant);
  };

  test('before any measurement here, CPU times are estimated from typical rates per thread', async () => {
    const [small, larger] = [await expected(tinyScenario), await expected(smallScenario)];
    expect(small('gather')?.run_s).toBeGreaterThan(0);
    expect(larger('gather')?.run_s ?? 0).toBeGreaterThan(small('gather')?.run_s ?? Number.NaN);
    expect(small('gather')?.like).toBeNull();
    // The reference serves for checks only, and is not offered as a choice.
    expect(small('reference')?.run_s).toBeNull();
  });

  test('variants that follow the beam use the estimate of the form, also after a run here', async () => {
    const scenario = { ...tinyScenario, solver: { ...tinyScenario.solver, variant: 'window' } };
    const ofForm = async (): Promise<number | undefined> => {
      const { resolved } = await page.call('scenario.resolve', { scenario, file: null });
      return resolved?.kind === 'transport' ? resolved.expected?.seconds : undefined;
    };
    const before = await ofForm();
    expect(before).toBeGreaterThan(0);
    expect((await expected(scenario))('window')?.run_s).toBeCloseTo(before ?? Number.NaN, 12);
    const { id } = await page.call('run.start', { scenario, name: '' });
    const { wall_s } = await test_.host.runs.waitForEnd(id);
    const after = await ofForm();
    expect((await expected(scenario))('window')?.run_s).toBeCloseTo(after ?? Number.NaN, 12);
    // The forecast learns from the run: the time of its steps, without its set-up.
    expect(after).not.toBe(before);
    expect(after).toBeGreaterThan(0);
    expect(after).toBeLessThan(wall_s ?? 0);
  });

  test('moments of a field cost time per kind of spot, and more with reactions', async () => {
    const beams = async (energies: readonly number[], nuclear: string): Promise<number> => {
      const scenario = {
        ...tinyScenario,
        beam: { spots: energies.flatMap((energy_MeV) => [-1, 1].map((x_mm) => ({ energy_MeV, x_mm }))) },
        physics: { nuclear },
        solver: { ...tinyScenario.solver, stepping: 'depth' },
      };
      return (await expected(scenario))('moments')?.run_s ?? Number.NaN;
    };
    const one = await beams([30], 'off');
    expect(one).toBeGreaterThan(0);
    expect((await beams([30, 29, 28], 'off')) / one).toBeCloseTo(3, 12);
    expect(await beams([30], 'icru63')).toBeGreaterThan(2 * one);
  });

  test('a session of another host with the same processor name gives no estimate for this machine', async () => {
    const here = { id: 'a', cpu: 'A processor', logical_cores: 2, memory_bytes: 8e9, gpu: null };
    const entry = { label: 'window', status: 'measured', device: 'cpu', threads: 2, setup_s: 0, wall_s: 1, time_s: 1 };
    const session = (machine: object) =>
      ({ created: '2026-11-01', reports: [{ entries: [entry], machine: { ...machine, gpus: [] } }] }) as never;
    const amount = async () => ({ amount: 100, of: 'cells', threads: 2, usualRate: 10, right: true });
    const addon = { devices: () => ({ cuda: { devices: [] } }) } as never;
    const problem = { problem: {}, reading: {} } as never;
    const times = (machine: object) =>
      expectedTimes(
        addon,
        { amount } as never,
        problem,
        ['window'],
        [{ session: session(machine), problem: async () => problem }],
        here,
      );
    // The expected time is for 100 cells on two threads, each of which solves ten cells per second.
    expect(await times({ ...here, id: 'b', logical_cores: 16 })).toMatchObject([{ run_s: 5 }]);
    expect(await times({ ...here, id: 'b' })).toMatchObject([{ run_s: 5 }]);
    // The session of this machine took a second.
    expect(await times(here)).toMatchObject([{ run_s: 1 }]);
  });

  test('a variant without enough memory shows its requirement and the limit instead of a time', async () => {
    const fine = { ...tinyScenario.grid, dx_mm: 0.01, dz_mm: 0.02, dtheta_mrad: 5 };
    const { able, run_s, reason } = (await expected({ ...tinyScenario, grid: fine }))('gather') ?? {};
    expect([able, run_s]).toEqual([false, null]);
    expect(reason).toMatch(/^needs about [\d.]+ GiB, the limit is [\d.]+ GiB$/);
  });

  test('a scenario with errors has no estimate', async () => {
    expect((await page.call('bench.expected', { scenario: { beam: { energy_MeV: -1 } } })).times).toEqual([]);
  });

  test('a session of this machine estimates the times of its variants, also for a larger problem', async () => {
    const requested = { scenario: { ...tinyScenario }, name: 's', variants: ['gather'], rounds: 5, processes: 0 };
    const { id } = await page.call('bench.start', requested);
    await test_.host.benches.waitForEnd(id);
    const { session } = await page.call('bench.session', { bench: id });
    const entry = session.reports[0]?.entries[0];
    if (entry?.status !== 'measured') throw new Error('gather was not measured');
    const [same, larger] = [await expected(tinyScenario), await expected(smallScenario)];
    expect(same('gather')?.run_s).toBeCloseTo(entry.wall_s ?? Number.NaN, 10);
    expect(larger('gather')?.run_s ?? 0).toBeGreaterThan(entry.wall_s ?? Number.NaN);
    expect(same('gather')?.right).toBe(true);
  });
});
