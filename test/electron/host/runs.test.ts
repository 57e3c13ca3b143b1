import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CutsFrame, LiveFrame, MapRequest, RunInfo, RunProgress } from '../../../electron/contract/run.ts';
import { narrowResolvedScenario } from '../../../electron/contract/scenarios.ts';
import { NO_STEP } from '../../../electron/host/model/timeline/trace.ts';
import { runOf } from '../../../electron/host/workloads/run-data.ts';
import type { Client } from '../../../renderer/data/client/client.ts';
import { smallScenario } from './small-run.ts';
import { eventually, longScenario, openTestHost, type TestHost, watchedScenario } from './test-host.ts';

const wholeView = { horizontal: null, vertical: null, pixels: [64, 48] as [number, number] };
const doseMap = { quantity: 'dose', horizontal: 'z', vertical: 'x', viewport: wholeView } as const;

let test: TestHost;
let page: Client;
beforeEach(async () => {
  test = await openTestHost();
  page = await test.page();
});
afterEach(() => test.close());

async function waitForEnd(run: string): Promise<RunInfo> {
  return test.host.runs.waitForEnd(run);
}

describe('a run', () => {
  it('is in no list and is not saved as unsaved work if the program itself started it', async () => {
    const { runs, scenarios } = test.host;
    const reading = await scenarios.check({ ...smallScenario }, { name: 'probe', folder: null });
    const { id } = await runs.start({ reading, name: 'probe', pictures: false, unlisted: true });
    expect(runs.list()).toEqual([]);
    expect(await runs.waitForEnd(id)).toMatchObject({ state: 'done' });
    expect([runs.list(), runs.unsaved]).toEqual([[], 0]);
    await runs.forget(id);
    await expect(runs.data(id)).rejects.toThrow('This run does not exist.');
  });

  it('progresses from start to consistent readouts', async () => {
    const started = await page.call('run.start', { scenario: { ...smallScenario }, name: 'ignored' });
    expect(started).toMatchObject({ name: 'small µ run', variant: 'window', precision: 'fp32', device: 'cpu' });
    const info = await waitForEnd(started.id);
    expect(info).toMatchObject({ state: 'done', error: null, file: null });

    const summary = await page.call('run.summary', { run: started.id });
    // The CSDA range of 30 MeV in water is 8.85 mm, and cells are 0.25 mm deep.
    expect(summary.metrics.r80_mm).toBeGreaterThan(8.75);
    expect(summary.metrics.r80_mm).toBeLessThan(8.95);
    expect(summary.metrics.mean_range_mm).toBeCloseTo(8.85, 0);
    expect(summary.metrics.energy_deposited_MeV).toBeCloseTo(30, 3);
    expect(summary.ledger.number.rel_error).toBeLessThan(1e-6);
    expect(summary.ledger.energy.deposited).toBe(summary.metrics.energy_deposited_MeV);
    expect(info.headline).toEqual({ name: 'R80', value: summary.metrics.r80_mm, unit: 'mm' });
    expect(info.size).toBe(`${summary.grid.ne} × 41 × 44 × 24 cells`);
    expect(summary.wall_s).toBeGreaterThanOrEqual(summary.solve_s);

    const depthDose = await page.call('run.depthDose', { run: started.id });
    expect(depthDose.metrics.r80_mm).toBe(summary.metrics.r80_mm);
    const integral = depthDose.curve.values.reduce((a, b) => a + b, 0) * 0.25;
    expect(integral).toBeCloseTo(summary.metrics.energy_deposited_MeV, 6);

    const { maps } = await page.call('run.maps', { run: started.id, maps: [doseMap] });
    const [map] = maps;
    expect([map?.horizontal.count, map?.vertical.count]).toEqual([44, 24]);
    const energy = (map?.values.reduce((a, b) => a + b, 0) ?? 0) * 0.25 * 0.5;
    expect(energy).toBeCloseTo(summary.metrics.energy_deposited_MeV, 3);

    const ledger = await page.call('run.ledger', { run: started.id, rows: 10 });
    expect(ledger.step.length).toBe(10);
    expect(ledger.step.at(-1)).toBe(summary.steps);
    expect(ledger.number['in_flight']?.at(-1)).toBe(summary.ledger.number.in_flight);

    const moments = await page.call('run.moments', { run: started.id });
    expect(moments.protons[0]).toBeCloseTo(1, 4);
    const { curves } = await page.call('run.lateral', { run: started.id, depths_mm: [0.1, 8.6] });
    expect(curves[1]?.quantity).toBe('dose at 8.62500 mm');
    expect(curves[1]?.values.length).toBe(24);
    await expect(page.call('run.lateral', { run: started.id, depths_mm: [12] })).rejects.toMatchObject({
      code: 'invalid',
    });
  });

  it('shows on its timeline the work before its engine, the addon only in the first run, and its file afterwards', async () => {
    const named = async (): Promise<{ readonly id: string; readonly beside: () => Promise<readonly string[]> }> => {
      const { id } = await page.call('run.start', { scenario: { ...smallScenario }, name: 'a run' });
      await waitForEnd(id);
      const beside = async () => {
        const { spans } = runOf('transport', await test.host.runs.data(id));
        const alone = [...spans.name].filter((_, i) => spans.step[i] === NO_STEP);
        return alone.map((name) => spans.names[name] ?? '?');
      };
      return { id, beside };
    };
    const [first, second] = [await named(), await named()];
    expect(await first.beside()).toEqual(['addon loaded', 'scenario read', 'tables', 'state', 'read back']);
    expect(await second.beside()).toEqual(['scenario read', 'tables', 'state', 'read back']);
    await page.call('run.save', { run: second.id, file: { kind: 'library', key: 'spans.h5' }, ifExists: 'refuse' });
    expect((await second.beside()).toSorted()).toEqual(
      ['scenario read', 'tables', 'state', 'read back', 'file written'].toSorted(),
    );
  });

  it('stores its keyframes, each of which can be shown over any of the saved axes', async () => {
    const { id } = await page.call('run.start', { scenario: { ...smallScenario }, name: '' });
    await waitForEnd(id);
    const { frames } = await page.call('run.keyframes', { run: id });
    expect(frames.length).toBeGreaterThanOrEqual(3);
    expect(frames[0]?.step).toBe(0);
    const maps = (['z-x', 'x-theta', 'theta-e', 'z-e'] as const).map((pair) => {
      const [horizontal, vertical] = pair.split('-') as ['z', 'x'];
      return { quantity: 'protons' as const, horizontal, vertical, viewport: wholeView };
    });
    const shown = await page.call('run.keyframe', { run: id, index: 1, maps });
    for (const map of shown.maps) {
      const cells = map.horizontal.cellsPerSample * map.vertical.cellsPerSample;
      const protons = map.values.reduce((a, b) => a + b, 0) * cells;
      // Partial samples at the edges are means over fewer cells, but no protons are there.
      expect(protons).toBeCloseTo(1, 3);
    }
    await expect(page.call('run.keyframe', { run: id, index: 1, maps: [doseMap] })).rejects.toMatchObject({
      code: 'not-found',
    });
    await expect(page.call('run.keyframe', { run: id, index: 99, maps })).rejects.toMatchObject({ code: 'not-found' });
    const { pairs } = await page.call('run.keyframes', { run: id });
    expect(pairs.map((pair) => pair.join('–'))).toEqual(['z–x', 'x–theta', 'e–theta', 'e–z', 'e–x', 'z–theta']);
    const cut = { ...maps[0], quantity: 'protons', horizontal: 'z', vertical: 'x', viewport: wholeView } as const;
    const requested = { run: id, index: 0, maps: [{ ...cut, cuts: [{ axis: 'e' as const, index: 3 }] }] };
    await expect(page.call('run.keyframe', requested)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('cuts its phase space while it computes, for the pages that show the cut', async () => {
    const { resolved } = await page.call('scenario.resolve', { scenario: { ...watchedScenario } });
    const { id } = await page.call('run.start', { scenario: { ...watchedScenario }, name: '' });
    const over = { quantity: 'protons', horizontal: 'z', vertical: 'x', viewport: wholeView } as const;
    const middle = Math.floor((narrowResolvedScenario('transport', resolved)?.grid.ntheta ?? 0) / 2);
    const angle = (index: number) => ({ ...over, cuts: [{ axis: 'theta' as const, index }] });
    const live: LiveFrame[] = [];
    page.stream(
      'run.live',
      { run: id, maps: [over, angle(middle), angle(0)], depthDose: false },
      { frame: (value) => void live.push(value) },
    );
    await waitForEnd(id);
    // The cuts arrive after the first frame; the cut along the beam's own angle contains most protons.
    const whole3 = live.filter(({ maps }) => maps.every((map) => map !== null));
    expect(whole3.length).toBeGreaterThan(3);
    const early = whole3.find(({ step }) => step > 2 && step < 40);
    const [all, along, aside] = early?.maps ?? [];
    expect(along?.max).toBeGreaterThan(0.3 * (all?.max ?? 0));
    expect(along?.max).toBeLessThan(all?.max ?? 0);
    expect(aside?.max).toBeLessThan(1e-3 * (all?.max ?? 0));

    const outside = await page.call('run.start', { scenario: { ...longScenario }, name: '' });
    const failed = new Promise((resolve) => {
      const view = { run: outside.id, maps: [angle(9999)], depthDose: false };
      page.stream('run.live', view, { frame: () => undefined, end: resolve });
    });
    expect(await failed).toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/index 9999 of theta; allowed: 0 to/),
    });
    await page.call('run.cancel', { run: outside.id });
  });

  it('cuts its phase space after it has finished, by recomputing a saved step', async () => {
    const { id } = await page.call('run.start', { scenario: { ...smallScenario }, name: '' });
    await waitForEnd(id);
    const { grid } = await page.call('run.summary', { run: id });
    const over = { quantity: 'protons', horizontal: 'z', vertical: 'x', viewport: wholeView } as const;
    const angle = (index: number) => ({ ...over, cuts: [{ axis: 'theta' as const, index }] });
    const { frames } = await page.call('run.keyframes', { run: id });
    const asked = async (index: number, maps: MapRequest[]): Promise<{ all: CutsFrame[]; error: unknown }> => {
      const all: CutsFrame[] = [];
      const error = await new Promise((resolve) => {
        page.stream('run.cuts', { run: id, index, maps }, { frame: (frame) => void all.push(frame), end: resolve });
      });
      return { all, error };
    };
    const index = 2;
    const { maps: kept } = await page.call('run.keyframe', { run: id, index, maps: [over] });
    const cells = grid?.ntheta ?? 0;
    const each = await Promise.all(
      [0, 1, 2, 3].map((part) => {
        const angles = Array.from({ length: cells }, (_, i) => i).filter((i) => i % 4 === part);
        // Request at most sixteen maps at a time.
        return Promise.all(
          Array.from({ length: Math.ceil(angles.length / 16) }, (_, i) =>
            asked(index, angles.slice(16 * i, 16 * i + 16).map(angle)),
          ),
        );
      }),
    );
    // All cuts along an axis add up to the stored sum over it.
    const sum = new Float64Array(kept[0]?.values.length ?? 0);
    for (const { all, error } of each.flat()) {
      expect(error).toBeNull();
      const last = all.at(-1);
      if (last?.state !== 'done') throw new Error('no maps came');
      expect(last.step).toBe(frames[index]?.step);
      for (const { values } of last.maps)
        values.forEach((value, i) => {
          sum[i] = (sum[i] ?? 0) + value;
        });
    }
    const peak = kept[0]?.max ?? 0;
    expect(peak).toBeGreaterThan(0);
    sum.forEach((value, i) => {
      expect(Math.abs(value - (kept[0]?.values[i] ?? 0))).toBeLessThan(1e-5 * peak);
    });
    // Step 0 needs no recomputation of steps, and neither do cached planes.
    const first = await asked(0, [angle(Math.floor(cells / 2))]);
    expect(first.all.at(-1)).toMatchObject({ state: 'done', step: 0 });
    const again = await asked(0, [angle(Math.floor(cells / 2))]);
    expect(again.all.map(({ state }) => state)).toEqual(['done']);
    expect((await asked(99, [over])).error).toMatchObject({ code: 'not-found' });
    expect((await asked(1, [angle(9999)])).error).toMatchObject({ code: 'invalid' });
  });

  it('cancels a cut that nobody waits for, and reports runs that cannot be repeated', async () => {
    const { id } = await page.call('run.start', { scenario: { ...longScenario }, name: '' });
    await waitForEnd(id);
    const { frames } = await page.call('run.keyframes', { run: id });
    const over = { quantity: 'protons', horizontal: 'z', vertical: 'x', viewport: wholeView } as const;
    const cut = { ...over, cuts: [{ axis: 'e' as const, index: 3 }] };
    const seen: CutsFrame[] = [];
    const handle = page.stream(
      'run.cuts',
      { run: id, index: frames.length - 1, maps: [cut] },
      { frame: (frame) => void seen.push(frame) },
    );
    await eventually(() => seen.some((frame) => frame.state === 'computing' && frame.step > 2));
    handle.close();
    // Closing the stream cancelled the recomputation, so a run can start. A new request recomputes from the beginning.
    const next = await page.call('run.start', { scenario: { ...smallScenario }, name: '' });
    await waitForEnd(next.id);
    expect(seen.some(({ state }) => state === 'done')).toBe(false);
    const anew: CutsFrame[] = [];
    const asked = page.stream(
      'run.cuts',
      { run: id, index: frames.length - 1, maps: [cut] },
      { frame: (frame) => void anew.push(frame) },
    );
    await eventually(() => anew.length > 0);
    expect(anew[0]?.state).not.toBe('done');
    asked.close();

    // A shipped CPU variant recomputes sums that a run on a GPU did not store. User kernels are never used for this.
    const base = test.host.userKernels.bases().find(({ id: one }) => one === 'gather');
    if (base === undefined) throw new Error('there is no gather');
    test.host.userKernels.register({
      id: 'mine.cpp',
      file: '/nowhere/mine.cpp',
      text: '',
      expandedText: '',
      referenceProgram: null,
      includeErrors: [],
      description: {
        ...{ kind: 'variant', version: 1, workload: 'transport', bench: '', base: 'gather' },
        ...{ replaces: base.source, title: 'Mine', changes: '', compile: {}, tunables: [], conditions: [] },
      },
      base,
      sha256: '0'.repeat(64),
    });
    const kept = runOf('transport', await test.host.runs.data(next.id));
    const withoutSums = kept.keyframes.map((frame) => ({
      ...frame,
      ex: new Float32Array(),
      ztheta: new Float32Array(),
    }));
    const gpu = await test.host.runs.addFromFile({ ...kept, variant: 'cuda-window', keyframes: withoutSums }, null);
    const pair = { ...over, horizontal: 'x', vertical: 'e' } as const;
    await expect(page.call('run.keyframe', { run: gpu.id, index: 1, maps: [pair] })).rejects.toThrow('are not saved');
    const made = await new Promise<CutsFrame | null>((resolve) => {
      let last: CutsFrame | null = null;
      const reader = {
        frame: (frame: CutsFrame) => {
          last = frame;
        },
        end: () => resolve(last),
      };
      page.stream('run.cuts', { run: gpu.id, index: 1, maps: [pair] }, reader);
    });
    const { maps: own } = await page.call('run.keyframe', { run: next.id, index: 1, maps: [pair] });
    expect(made?.state === 'done' && made.maps[0]?.values).toEqual(own[0]?.values);

    // Create a run whose numbers do not match its scenario, as after a change of tables.
    const data = runOf('transport', await test.host.runs.data(next.id));
    const shifted = data.keyframes.map((frame) => ({ ...frame, zx: frame.zx.map((value) => value * 1.01) }));
    const { id: other } = await test.host.runs.addFromFile({ ...data, keyframes: shifted }, null);
    const refused = new Promise((resolve) => {
      page.stream('run.cuts', { run: other, index: 1, maps: [cut] }, { frame: () => undefined, end: resolve });
    });
    expect(await refused).toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('This run cannot be repeated here'),
    });
  });

  it('is subtracted from another run, and one keyframe from another', async () => {
    const first = await page.call('run.start', { scenario: { ...smallScenario }, name: '' });
    const second = await page.call('run.start', {
      scenario: { ...smallScenario, solver: { ...smallScenario.solver, variant: 'scatter' } },
      name: '',
    });
    const other = await page.call('run.start', {
      scenario: { ...smallScenario, grid: { ...smallScenario.grid, dx_mm: 1 } },
      name: '',
    });
    for (const { id } of [first, second, other]) await waitForEnd(id);
    const less = (run: string, keyframe: number | null = null) => ({ ...doseMap, against: { run, keyframe } });
    const { maps } = await page.call('run.maps', { run: first.id, maps: [doseMap, less(second.id)] });
    const [dose, difference] = maps;
    expect(difference?.quantity).toBe('dose difference');
    expect(Math.max(difference?.max ?? 1, -(difference?.min ?? -1))).toBeLessThan(1e-4 * (dose?.max ?? 0));
    await expect(page.call('run.maps', { run: first.id, maps: [less(other.id)] })).rejects.toMatchObject({
      code: 'unsupported',
      message: 'The grids differ: 24 cells of x from -6 to 6 mm, and 12 cells of x from -6 to 6 mm.',
    });
    const protons = { quantity: 'protons', horizontal: 'z', vertical: 'x', viewport: wholeView } as const;
    const step = { ...protons, against: { run: first.id, keyframe: 1 } };
    const itself = await page.call('run.keyframe', { run: first.id, index: 1, maps: [step] });
    expect([itself.maps[0]?.min, itself.maps[0]?.max]).toEqual([0, 0]);
    const later = await page.call('run.keyframe', { run: first.id, index: 2, maps: [step] });
    // The protons have moved: the difference is negative in some cells and positive in others.
    expect(later.maps[0]?.min).toBeLessThan(0);
    expect(later.maps[0]?.max).toBeGreaterThan(0);
    const nearest = { ...protons, against: { run: second.id, keyframe: null } };
    const same = await page.call('run.keyframe', { run: first.id, index: 2, maps: [nearest] });
    expect(Math.abs(same.maps[0]?.max ?? 1)).toBeLessThan(1e-3);
  });

  it('streams progress and live maps that end with the final state', async () => {
    const { id } = await page.call('run.start', { scenario: { ...watchedScenario }, name: '' });
    const progress: RunProgress[] = [];
    const live: LiveFrame[] = [];
    let ends = 0;
    const end = (error: unknown): void => {
      expect(error).toBeNull();
      ends += 1;
    };
    page.stream('run.progress', { run: id }, { frame: (value) => void progress.push(value), end });
    page.stream(
      'run.live',
      { run: id, maps: [doseMap], depthDose: true },
      { frame: (value) => void live.push(value), end },
    );
    await eventually(() => ends === 2);
    const { steps } = await page.call('run.summary', { run: id });
    expect(progress.length).toBeGreaterThan(10);
    const gone = progress.flatMap(({ detail }) => (detail.workload === 'transport' ? [detail.step] : []));
    expect(gone).toEqual([...gone].sort((a, b) => a - b));
    expect(progress.at(-1)).toMatchObject({ state: 'done', detail: { step: steps } });
    expect(live.length).toBeGreaterThan(10);
    expect(live.map((l) => l.revision)).toEqual([...new Set(live.map((l) => l.revision))]);
    const { maps } = await page.call('run.maps', { run: id, maps: [doseMap] });
    expect(live.at(-1)?.maps[0]?.values).toEqual(maps[0]?.values);
    const { curve } = await page.call('run.depthDose', { run: id });
    expect(live.at(-1)?.depthDose?.values).toEqual(curve.values);
  });

  it('ends within a step when it is cancelled, and keeps its partial result', async () => {
    const { id } = await page.call('run.start', { scenario: { ...longScenario }, name: '' });
    let step = 0;
    page.stream(
      'run.progress',
      { run: id },
      {
        frame: (progress) => {
          if (progress.detail.workload === 'transport') step = progress.detail.step;
        },
      },
    );
    await eventually(() => step >= 10);
    await page.call('run.cancel', { run: id });
    const info = await waitForEnd(id);
    expect(info.state).toBe('cancelled');
    const summary = await page.call('run.summary', { run: id });
    expect(summary.status).toBe('cancelled');
    expect(summary.steps).toBeGreaterThanOrEqual(10);
    expect(summary.steps).toBeLessThan(60);
    expect(summary.metrics.energy_deposited_MeV).toBeGreaterThan(1);
    // The dose ends where the run was stopped, which is not a Bragg peak.
    expect(summary.metrics.r80_mm).toBeNull();
    const { maps } = await page.call('run.maps', { run: id, maps: [doseMap] });
    expect(maps[0]?.max).toBeGreaterThan(0);
    // A second cancellation has no effect.
    expect((await page.call('run.cancel', { run: id })).state).toBe('cancelled');
  });

  it('has no beam to measure if its state was filled with numbers', async () => {
    const scenario = {
      ...smallScenario,
      initial: { kind: 'filled', seed: 3 },
      solver: { step_mm: 0.25, max_steps: 3 },
    };
    const { id } = await page.call('run.start', { scenario, name: '' });
    await waitForEnd(id);
    const { metrics, steps } = await page.call('run.summary', { run: id });
    expect(steps).toBe(3);
    expect(metrics).toMatchObject({ r80_mm: null, peak_mm: null, mean_range_mm: null });
  });
});

describe('the queue of runs', () => {
  it('runs one at a time on a device, in order, and removes cancelled ones', async () => {
    const lists: RunInfo[][] = [];
    page.stream('runs', {}, { frame: ({ runs }) => void lists.push(runs) });
    const first = await page.call('run.start', { scenario: { ...longScenario }, name: '' });
    const second = await page.call('run.start', { scenario: { ...smallScenario }, name: '' });
    const third = await page.call('run.start', { scenario: { ...smallScenario }, name: '' });
    const states = async (): Promise<[string, number | null][]> =>
      (await page.call('run.list', {})).runs.map((run) => [run.state, run.queuePosition]);
    // Newest first.
    expect(await states()).toEqual([
      ['queued', 2],
      ['queued', 1],
      ['running', null],
    ]);
    expect((await page.call('run.cancel', { run: second.id })).state).toBe('cancelled');
    expect(await states()).toEqual([
      ['queued', 1],
      ['cancelled', null],
      ['running', null],
    ]);
    await expect(page.call('run.summary', { run: second.id })).rejects.toMatchObject({ code: 'not-found' });
    await expect(page.call('run.summary', { run: third.id })).rejects.toMatchObject({ code: 'unsupported' });
    await expect(page.call('run.forget', { run: first.id })).rejects.toMatchObject({ code: 'unsupported' });
    await page.call('run.cancel', { run: first.id });
    await waitForEnd(third.id);
    expect(await states()).toEqual([
      ['done', null],
      ['cancelled', null],
      ['cancelled', null],
    ]);
    await page.call('run.forget', { run: second.id });
    await eventually(() => lists.at(-1)?.length === 2);
    expect(lists.flat().filter((run) => run.state === 'running').length).toBeGreaterThan(0);
    await expect(page.call('run.summary', { run: second.id })).rejects.toMatchObject({ code: 'not-found' });
  });

  it('does not accept a run that the engine rejects', async () => {
    const scenario = { ...longScenario, solver: { ...longScenario.solver, stepping: 'path', variant: 'depth' } };
    await expect(page.call('run.start', { scenario, name: '' })).rejects.toMatchObject({ code: 'unsupported' });
    const invalid = { ...smallScenario, beam: { energy_MeV: 900 } };
    await expect(page.call('run.start', { scenario: invalid, name: '' })).rejects.toMatchObject({
      code: 'invalid',
      issues: expect.arrayContaining([expect.objectContaining({ path: 'beam.energy_MeV', value: '900' })]),
    });
    expect((await page.call('run.list', {})).runs).toEqual([]);
  });

  it('cancels its active and waiting runs when the host closes', async () => {
    const own = await openTestHost();
    const client = await own.page();
    const running = await client.call('run.start', { scenario: { ...longScenario }, name: '' });
    const waiting = await client.call('run.start', { scenario: { ...longScenario }, name: '' });
    await own.close();
    expect(own.host.runs.info(running.id).state).toBe('cancelled');
    expect(own.host.runs.info(waiting.id).state).toBe('cancelled');
    expect(() => own.host.runs.list()).not.toThrow();
  });
});

describe('results beyond the memory limit', () => {
  it('are moved to disk and restored unchanged', async () => {
    const own = await openTestHost({ cacheBound_bytes: 1 });
    try {
      const client = await own.page();
      const ids: string[] = [];
      for (let i = 0; i < 3; i += 1) {
        const { id } = await client.call('run.start', { scenario: { ...smallScenario }, name: '' });
        await own.host.runs.waitForEnd(id);
        ids.push(id);
      }
      const summaries = await Promise.all(ids.map((run) => client.call('run.summary', { run })));
      expect(new Set(summaries.map((s) => s.metrics.r80_mm)).size).toBe(1);
      const [again] = await Promise.all([client.call('run.summary', { run: ids[0] ?? '' })]);
      expect(again).toEqual(summaries[0]);
      // A page requests several views of a run at once; the file is read once for all of them.
      const data = (i: number) => own.host.runs.data(ids[i] ?? '');
      const before = await data(1);
      const afterOthers = async () => {
        for (const other of [0, 2]) await data(other);
        return data(1);
      };
      await expect.poll(async () => (await afterOthers()) === before, { timeout: 60_000 }).toBe(false);
      for (const other of [0, 2]) await data(other);
      const [first, same] = await Promise.all([data(1), data(1)]);
      expect(same).toBe(first);
      await client.call('run.forget', { run: ids[0] ?? '' });
      await expect(client.call('run.summary', { run: ids[0] ?? '' })).rejects.toMatchObject({ code: 'not-found' });
    } finally {
      await own.close();
    }
  });
});
