/** Live what-if over a page's connection: tests which requests are answered, and that no state remains. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CutsFrame, MapRequest } from '../../../../../electron/contract/run.ts';
import type { WhatIfFrame } from '../../../../../electron/contract/scenario/transport/what-if.ts';
import { loadAddon, type NativeAddon } from '../../../../../electron/host/io/addon/addon.ts';
import type { Client } from '../../../../../renderer/data/client/client.ts';
import { smallScenario } from '../../small-run.ts';
import { eventually, longScenario, openTestHost, type TestHost } from '../../test-host.ts';

const doseMap: MapRequest = {
  quantity: 'dose',
  horizontal: 'z',
  vertical: 'x',
  viewport: { horizontal: null, vertical: null, pixels: [64, 64] },
};

const withEnergy = (energy_MeV: number) => ({ ...smallScenario, beam: { energy_MeV } });

/** A page in Live mode that records its frames. */
function openLivePage(page: Client, session: string) {
  const frames: WhatIfFrame[] = [];
  let error: unknown = null;
  let over = false;
  const handle = page.stream(
    'whatIf',
    { session },
    {
      frame: (frame) => void frames.push(frame),
      end: (reason) => {
        error = reason;
        over = true;
      },
    },
  );
  let sequence = 0;
  return {
    frames,
    error: () => error,
    over: () => over,
    close: () => handle.close(),
    ask: (scenario: object, full = false, maps: readonly object[] = [], saved: object | null = null) => {
      sequence += 1;
      const requested = {
        ...{ session, sequence, scenario: { ...scenario }, name: 'Live', full, maps: maps as [] },
        saved: saved === null ? null : { ...saved },
      };
      return page.call('whatIf.ask', requested).then(() => sequence);
    },
    answers: () => frames.filter((frame) => frame.state === 'answer'),
    last: () => frames.at(-1) ?? null,
  };
}

type TransportRun = Awaited<ReturnType<NativeAddon['layTransport']>>;

/**
 * Replaces the start function of a run. A wrapper is needed because the methods of the addon's objects are read-only.
 */
const withStart = (run: TransportRun, start: TransportRun['start']): TransportRun => ({
  plan: run.plan,
  start,
  cancel: () => run.cancel(),
  wantPlanes: (planes) => run.wantPlanes(planes),
  keyframe: (index) => run.keyframe(index),
  live: () => run.live(),
  wantCheckpoint: (known) => run.wantCheckpoint(known),
  checkpoint: () => run.checkpoint(),
});

describe('Live mode', () => {
  let test_: TestHost;
  let page: Client;
  beforeAll(async () => {
    test_ = await openTestHost();
    page = await test_.page();
  });
  afterAll(() => test_.close());

  test('answers in order, always including the last question, and skips some in between', async () => {
    const session = openLivePage(page, 'in-order-session');
    const asked = 40;
    for (let i = 0; i < asked; i += 1) await session.ask(withEnergy(28 + 0.05 * i), false, [doseMap]);
    await eventually(() => session.answers().at(-1)?.sequence === asked);
    const sequences = session.answers().map((frame) => frame.sequence);
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
    const last = session.answers().at(-1);
    expect(last).toMatchObject({ full: false, way: { stepping: 'depth' } });
    expect(last?.maps[0]).toHaveProperty('field.unit', 'MeV/mm²');
    expect(last?.summary.metrics.r80_mm).toBeGreaterThan(8);
    session.close();
  });

  test('equals the result of Run number for number once the form is at rest', async () => {
    // One thread only, because sums of several threads depend on the order in which they end.
    const scenario = { ...withEnergy(30), solver: { ...smallScenario.solver, threads: 1 } };
    const session = openLivePage(page, 'at-rest-session');
    await session.ask(scenario, true, [doseMap]);
    await eventually(() => session.answers().length === 1);
    const [answer] = session.answers();
    const { id } = await page.call('run.start', { scenario, name: 'Run' });
    await test_.host.runs.waitForEnd(id);
    const summary = await page.call('run.summary', { run: id });
    expect(answer?.full).toBe(true);
    expect(answer?.summary.metrics).toEqual(summary.metrics);
    expect(answer?.summary.ledger).toEqual(summary.ledger);
    const { maps } = await page.call('run.maps', { run: id, maps: [doseMap] });
    expect(answer?.maps[0]).toEqual({ field: maps[0] });
    session.close();
  });

  test('is named by its changes like a run, and as “edited” during a drag', async () => {
    const session = openLivePage(page, 'named-session');
    const own = { ...withEnergy(30), name: 'Beam' };
    const edited = { ...withEnergy(31), name: 'Beam' };
    const named: (string | undefined)[] = [];
    for (const [full, saved] of [
      [true, null],
      [false, own],
      [true, own],
    ] as const) {
      const asked = await session.ask(edited, full, [], saved);
      await eventually(() => session.answers().at(-1)?.sequence === asked);
      named.push(test_.host.runs.info(session.answers().at(-1)?.run ?? '').name);
    }
    expect(named).toEqual(['Beam', 'Beam (edited)', 'Beam (beam.energy_MeV = 31)']);
    session.close();
  });

  test('provides a run for calls about runs; no list counts it, and it ends with the session', async () => {
    const unsaved = test_.host.runs.unsaved;
    const session = openLivePage(page, 'run-of-session');
    await session.ask(withEnergy(29));
    await eventually(() => session.answers().length === 1);
    const run = session.answers()[0]?.run ?? '';
    const { curves } = await page.call('run.lateral', { run, depths_mm: [5] });
    expect(curves).toHaveLength(1);
    expect(test_.host.runs.unsaved).toBe(unsaved);
    expect(test_.host.runs.info(run).live).toBe(true);
    await expect(page.call('run.forget', { run })).rejects.toThrow('belongs to Live');
    session.close();
    await eventually(() => !test_.host.runs.list().some(({ id }) => id === run));
    await expect(page.call('run.lateral', { run, depths_mm: [5] })).rejects.toThrow('This run does not exist');
    await expect(session.ask(withEnergy(29))).rejects.toThrow('Live has ended');
  });

  test('recomputes parts only for the present answer', async () => {
    const session = openLivePage(page, 'cuts-of-session');
    const cut: MapRequest = {
      ...{ quantity: 'protons', horizontal: 'z', vertical: 'x', cuts: [{ axis: 'theta', index: 20 }] },
      viewport: { horizontal: null, vertical: null, pixels: [64, 64] },
    };
    const cutOf = async (run: string): Promise<CutsFrame | null> => {
      const frames: CutsFrame[] = [];
      const error = await new Promise((resolve) => {
        const reader = { frame: (frame: CutsFrame) => void frames.push(frame), end: resolve };
        page.stream('run.cuts', { run, index: 0, maps: [cut] }, reader);
      });
      expect(error).toBeNull();
      return frames.at(-1) ?? null;
    };
    const protons: number[] = [];
    for (const [nth, count] of [1, 3].entries()) {
      await session.ask({ ...withEnergy(29), beam: { energy_MeV: 29, weight: count } }, true);
      await eventually(() => session.answers().length === nth + 1);
      const made = await cutOf(session.answers()[nth]?.run ?? '');
      protons.push(made?.state === 'done' ? (made.maps[0]?.max ?? 0) : 0);
    }
    expect(protons[0]).toBeGreaterThan(0);
    expect(protons[1]).toBeCloseTo(3 * (protons[0] ?? 0), 5);
    session.close();
  });

  test('rejects a scenario that cannot be solved with its issue, and answers the next one', async () => {
    const session = openLivePage(page, 'refused-session');
    await session.ask(withEnergy(-3));
    await eventually(() => session.last()?.state === 'refused');
    expect(session.last()).toMatchObject({ issues: [{ path: 'beam.energy_MeV' }] });
    await session.ask({ kind: 'micro-copy' });
    await eventually(() => session.frames.length === 2);
    expect(session.last()).toMatchObject({ state: 'refused' });
    await session.ask(withEnergy(30));
    await eventually(() => session.last()?.state === 'answer');
    expect(session.over()).toBe(false);
    session.close();
  });

  test('keeps the dose cells during a drag while a difference is shown', async () => {
    const { id } = await page.call('run.start', { scenario: withEnergy(30), name: 'Run' });
    await test_.host.runs.waitForEnd(id);
    const session = openLivePage(page, 'difference-session');
    await session.ask(withEnergy(29.5), false, [{ ...doseMap, against: { run: id, keyframe: null } }]);
    await eventually(() => session.answers().length === 1);
    expect(session.answers()[0]).toMatchObject({ way: { coarser: { x: 1, z: 1 } }, maps: [{ field: {} }] });
    session.close();
  });

  test('answers layered matter by moments on their own grid, and other matter by depth stepping', async () => {
    const session = openLivePage(page, 'layered-session');
    await session.ask(withEnergy(30));
    await eventually(() => session.answers().length === 1);
    const way = { variant: 'moments', coarser: { x: 1, z: 1, theta: 1 } };
    expect(session.answers()[0]).toMatchObject({ full: false, way });
    const half = { name: 'half', material: 'bone-compact-icru', x_mm: [0, 6], z_mm: [2, 4] };
    const geometry = { ...smallScenario.geometry, background: 'water', regions: [half] };
    await session.ask({ ...withEnergy(30), geometry });
    await eventually(() => session.answers().length === 2);
    expect(session.answers()[1]?.way.variant).not.toBe('moments');
    session.close();
  });

  test('waits for a run that uses the processor, and reports the wait', async () => {
    const { id } = await page.call('run.start', { scenario: longScenario, name: 'long' });
    const session = openLivePage(page, 'waiting-session');
    await session.ask(withEnergy(30));
    await eventually(() => session.last()?.state === 'waiting');
    await page.call('run.cancel', { run: id });
    await eventually(() => session.last()?.state === 'answer');
    session.close();
  });

  test('gives two windows separate answers, each to its own questions', async () => {
    const other = await test_.page();
    const [one, two] = [openLivePage(page, 'first-window'), openLivePage(other, 'second-window')];
    for (let i = 0; i < 10; i += 1) {
      await one.ask(withEnergy(28 + 0.1 * i));
      await two.ask(withEnergy(31 + 0.1 * i));
    }
    await eventually(() => one.answers().at(-1)?.sequence === 10 && two.answers().at(-1)?.sequence === 10);
    const range = (session: typeof one) => session.answers().at(-1)?.summary.metrics.r80_mm ?? 0;
    expect(range(two)).toBeGreaterThan(range(one) + 1);
    expect(one.answers()[0]?.run).not.toBe(two.answers()[0]?.run);
    // A second session with the same name would receive the answers of the first.
    const again = openLivePage(page, 'second-window');
    await eventually(() => again.over());
    expect(again.error()).toMatchObject({ code: 'exists' });
    one.close();
    two.close();
  });
});

test('a full answer in progress is cancelled by the next question', async () => {
  const addon = loadAddon();
  const started = Promise.withResolvers<void>();
  const watched: NativeAddon = {
    ...addon,
    layTransport: async (problem) => {
      const run = await addon.layTransport(problem);
      return withStart(run, (...args) => {
        started.resolve();
        return run.start(...args);
      });
    },
  };
  const host = await openTestHost({ addon: watched });
  try {
    const session = openLivePage(await host.page(), 'gives-way-session');
    await session.ask(longScenario, true);
    await started.promise;
    await session.ask(withEnergy(30));
    await eventually(() => session.answers().length > 0);
    expect(session.answers().map(({ sequence }) => sequence)).toEqual([2]);
    session.close();
  } finally {
    await host.close();
  }
});

test('a Live session ends with the reason if the device is lost, and the page keeps the last answer', async () => {
  const addon = loadAddon();
  let lost = false;
  const failing: NativeAddon = {
    ...addon,
    layTransport: async (problem) => {
      const run = await addon.layTransport(problem);
      if (!lost) return run;
      const start = () =>
        Promise.reject(Object.assign(new Error('the GPU has fallen off the bus'), { code: 'device' }));
      return withStart(run, start);
    },
  };
  const host = await openTestHost({ addon: failing });
  try {
    const session = openLivePage(await host.page(), 'lost-device-session');
    await session.ask(withEnergy(30));
    await eventually(() => session.answers().length === 1);
    lost = true;
    await session.ask(withEnergy(31));
    await eventually(() => session.over());
    expect(session.error()).toMatchObject({ code: 'device', message: 'the GPU has fallen off the bus' });
    await expect(session.ask(withEnergy(30))).rejects.toThrow('Live has ended');
  } finally {
    await host.close();
  }
});
