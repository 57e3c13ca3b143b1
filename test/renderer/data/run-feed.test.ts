import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { FieldMap } from '../../../electron/contract/fields.ts';
import type { MapRequest, RunState } from '../../../electron/contract/run.ts';
import type { WhatIfAnswer } from '../../../electron/contract/scenario/transport/what-if.ts';
import { ImageFeed } from '../../../renderer/data/image-feed.ts';
import { ReferenceFeed } from '../../../renderer/data/reference-feed.ts';
import { createRunData, type FeedTarget, type RunData, SHOWN_KEY } from '../../../renderer/data/run-data.ts';
import { RunFeed } from '../../../renderer/data/run-feed.ts';
import { FrameScheduler } from '../../../renderer/drawing/scheduler.ts';
import { FakeHost, settlePromises } from './fake-host.ts';

const axis = (name: 'z' | 'x') =>
  ({
    name,
    unit: 'mm',
    from: 0,
    to: 1,
    count: 1,
    cellsPerSample: 1,
    lastCells: 1,
    fullFrom: 0,
    fullTo: 1,
    edges: null,
  }) as const;
const field = (value: number): FieldMap => ({
  quantity: 'dose',
  unit: 'MeV/mm²',
  horizontal: axis('z'),
  vertical: axis('x'),
  values: Float32Array.of(value),
  min: value,
  max: value,
  statistic: 'mean',
  minPositive: value,
});
const curve = {
  quantity: 'dose',
  unit: 'MeV/mm',
  axis: 'depth',
  axisUnit: 'mm',
  positions: Float64Array.of(0.5),
  values: Float64Array.of(1),
};
const request = (pixels: number): MapRequest => ({
  quantity: 'dose',
  horizontal: 'z',
  vertical: 'x',
  viewport: { horizontal: null, vertical: null, pixels: [pixels, pixels] },
});

/** Answers all requests for a finished run. */
async function answerFinishedRun(host: FakeHost, value: number): Promise<void> {
  const answers: Readonly<Record<string, unknown>> = {
    'run.depthDose': { curve, metrics: { r80_mm: value } },
    'run.summary': { status: 'done' },
    'run.moments': { depth_mm: Float64Array.of(0) },
    'run.keyframes': { frames: [{ step: 0 }, { step: 40 }], pairs: [['z', 'x']] },
    'run.ledger': { step: new Uint32Array(), number: {}, energy_MeV: {} },
  };
  for (const call of host.calls) if (call.method in answers) call.answer(answers[call.method]);
  const maps = host.pending('run.maps');
  maps.answer({ step: 9, depth_mm: 1, maps: (maps.params['maps'] as unknown[]).map(() => field(value)) });
  await settlePromises();
}

describe('the data of the selected run', () => {
  let host: FakeHost;
  let data: RunData;
  let feed: RunFeed;
  const follow = (run: string, state: RunState) => feed.follow({ run, state });
  const frame = (value: number) => ({
    run: 'a',
    revision: value,
    step: value,
    depth_mm: value,
    maps: [field(value)],
    depthDose: curve,
    depthDosePerMass: null,
  });
  const shown = () => data.maps.get('map')?.field.values[0];
  const status = () => feed.status.getState().status.kind;

  beforeEach(async () => {
    vi.useFakeTimers();
    host = new FakeHost();
    data = createRunData();
    const scheduler = new FrameScheduler({
      request: (callback) => Number(setTimeout(() => callback(0), 0)),
      now: () => 0,
    });
    feed = new RunFeed(host.client, scheduler, data);
    feed.request('map', request(100));
    await settlePromises();
    return () => vi.useRealTimers();
  });

  it('are requested for the maps that panels show, with credits returned after painting', async () => {
    follow('a', 'running');
    expect(host.streams[0]?.params).toMatchObject({ run: 'a', maps: [request(100)] });
    expect(status()).toBe('waiting');
    const credit = vi.fn();
    void Promise.resolve(host.streams[0]?.frame(frame(1))).then(credit);
    expect(shown()).toBe(1);
    expect(status()).toBe('live');
    expect(credit).not.toHaveBeenCalled();
    await settlePromises();
    expect(credit).toHaveBeenCalled();
    expect(data.depthDose.get(SHOWN_KEY)?.final).toBeNull();
  });

  it('come from the final arrays when the run ends, not from later frames', async () => {
    follow('a', 'running');
    const live = host.streams[0];
    live?.frame(frame(1));
    follow('a', 'done');
    expect(live?.closed).toBe(true);
    // The live data stays until the final arrays have arrived.
    expect(shown()).toBe(1);
    await answerFinishedRun(host, 7);
    expect(shown()).toBe(7);
    expect(status()).toBe('loaded');
    expect(data.depthDose.get(SHOWN_KEY)?.final?.metrics.r80_mm).toBe(7);
    expect(data.summary.get(SHOWN_KEY)).toMatchObject({ status: 'done' });
    live?.late(frame(3));
    expect(shown()).toBe(7);
    expect(status()).toBe('loaded');
    expect(data.depthDose.get(SHOWN_KEY)?.final?.metrics.r80_mm).toBe(7);
  });

  it('are dropped for a run that is no longer selected, and late answers are ignored', async () => {
    follow('a', 'done');
    const late = host.pending('run.depthDose');
    follow('b', 'running');
    expect(data.depthDose.get(SHOWN_KEY)).toBeNull();
    late.answer({ curve, metrics: { r80_mm: 1 } });
    await settlePromises();
    expect(data.depthDose.get(SHOWN_KEY)).toBeNull();
    expect(host.streams.at(-1)?.params['run']).toBe('b');
    feed.follow(null);
    expect(status()).toBe('nothing');
    expect(host.streams.at(-1)?.closed).toBe(true);
  });

  it('are requested in another size once the size has settled, and the old field is shown until then', async () => {
    follow('a', 'done');
    await answerFinishedRun(host, 3);
    const before = host.calls.length;
    for (const size of [110, 120, 130]) feed.request('map', request(size));
    feed.request('map', request(130));
    expect(host.calls.length).toBe(before);
    await vi.advanceTimersByTimeAsync(200);
    expect(host.calls.slice(before).map((call) => call.method)).toEqual(['run.maps']);
    expect(host.pending('run.maps').params['maps']).toEqual([request(130)]);
    expect(shown()).toBe(3);
  });

  it('are not affected by the answer or failure of an earlier request', async () => {
    follow('a', 'done');
    await answerFinishedRun(host, 3);
    const ask = async (size: number) => {
      feed.request('map', request(size));
      await vi.advanceTimersByTimeAsync(200);
      return host.pending('run.maps');
    };
    const [first, second] = [await ask(110), await ask(120)];
    second.answer({ step: 9, depth_mm: 1, maps: [field(5)] });
    await settlePromises();
    first.answer({ step: 9, depth_mm: 1, maps: [field(4)] });
    await settlePromises();
    expect(shown()).toBe(5);
    const third = await ask(130);
    follow('b', 'done');
    await answerFinishedRun(host, 7);
    third.fail(new Error('This run does not exist.'));
    await settlePromises();
    expect(status()).toBe('loaded');
    expect(shown()).toBe(7);
  });

  it('are replaced by an error if a run failed or its results cannot be read', async () => {
    follow('a', 'failed');
    expect(status()).toBe('failed');
    feed.follow({ run: 'c', state: 'failed', hasResults: true });
    expect(host.pending('run.summary').params).toEqual({ run: 'c' });
    expect(status()).toBe('waiting');
    follow('b', 'done');
    host.pending('run.depthDose').fail(new Error('the file is gone'));
    await settlePromises();
    expect(feed.status.getState().status).toEqual({ kind: 'failed', reason: 'the file is gone' });
  });

  it('include the scenario of the run, of any workload, for its reference lines', async () => {
    const reference = new ReferenceFeed(host.client, data);
    reference.follow('a');
    const recorded = { kind: 'transport', solver: { step_mm: 0.2, variant: 'cuda-window' } };
    host.pending('run.scenario').answer({ scenario: recorded });
    await settlePromises();
    // The range needs no GPU, so the missing one is not requested.
    const requested = { ...recorded, solver: { ...recorded.solver, variant: 'auto' } };
    expect(host.pending('scenario.resolve').params).toEqual({ scenario: requested });
    host.pending('scenario.resolve').answer({ issues: [], resolved: { range_mm: 40.8 } });
    await settlePromises();
    expect(data.reference.get(SHOWN_KEY)).toMatchObject({ run: 'a', scenario: recorded, resolved: { range_mm: 40.8 } });
    reference.follow(null);
    expect(data.reference.get(SHOWN_KEY)).toBeNull();
  });

  describe('a cut of a finished run', () => {
    const cut = (index: number): MapRequest => ({
      ...request(100),
      quantity: 'protons',
      cuts: [{ axis: 'theta', index }],
    });
    const made = (value: number) => ({
      state: 'done',
      run: 'a',
      revision: 2,
      step: 40,
      depth_mm: 20,
      maps: [field(value)],
    });

    beforeEach(async () => {
      follow('a', 'done');
      await answerFinishedRun(host, 3);
      feed.request('cut', cut(5));
      await settlePromises();
      void feed.showKeyframe(1);
      await settlePromises();
    });

    it('requests the step again once the cut has settled, reports progress, and shows the map', async () => {
      expect(host.streams).toHaveLength(0);
      expect(data.computing.get('cut')).toEqual({ step: 0, steps: 0 });
      await vi.advanceTimersByTimeAsync(300);
      const [stream] = host.streams;
      expect(stream?.params).toEqual({ run: 'a', index: 1, maps: [cut(5)] });
      stream?.frame({ state: 'waiting' });
      stream?.frame({ state: 'computing', step: 12, steps: 40 });
      expect(data.computing.get('cut')).toEqual({ step: 12, steps: 40 });
      stream?.frame(made(8));
      stream?.end(null);
      expect(data.maps.get('cut')).toMatchObject({ step: 40, field: { max: 8 } });
      expect(data.computing.get('cut')).toBeNull();
      // Request another cut of the same step: the previous cut stays visible meanwhile.
      feed.request('cut', cut(6));
      await vi.advanceTimersByTimeAsync(400);
      expect(data.maps.get('cut')?.field.max).toBe(8);
      // Show another step: the cut disappears, and the pending request for the previous step is cancelled.
      void feed.showKeyframe(0);
      await settlePromises();
      expect(host.streams.map(({ closed }) => closed)).toEqual([false, true]);
      expect(data.maps.get('cut')).toBeNull();
    });

    it('reports why there is no cut, and that it was cancelled', async () => {
      await vi.advanceTimersByTimeAsync(300);
      feed.stopComputing();
      expect(host.streams[0]?.closed).toBe(true);
      expect(data.mapErrors.get('cut')).toBe('This step was not computed, because the computation was stopped.');
      feed.computeAgain();
      await vi.advanceTimersByTimeAsync(300);
      expect(data.mapErrors.get('cut')).toBeNull();
      host.streams[1]?.end(new Error('This run cannot be repeated here'));
      expect(data.mapErrors.get('cut')).toBe('This run cannot be repeated here');
      feed.follow(null);
      expect(data.computing.get('cut')).toBeNull();
    });
  });

  describe('a Live answer shown as a run', () => {
    const cut: MapRequest = { ...request(100), quantity: 'protons', cuts: [{ axis: 'e', index: 5 }] };
    const answer = (value: number, full: boolean) =>
      ({
        ...{ run: 'own', full, depthDose: { curve, perMass: null, metrics: { r80_mm: value } } },
        ...{ summary: { steps: 40 }, moments: {}, ledger: {}, resolved: {}, pairs: [['z', 'x']] },
        keyframes: [{ step: 0 }, { step: 40 }],
        maps: [{ field: field(value) }],
      }) as unknown as WhatIfAnswer;
    const take = (value: number, full = false, maps = feed.requestedMaps()) =>
      feed.showAnswer(answer(value, full), { maps, draft: {} });

    beforeEach(() => feed.follow({ run: 'own', state: 'done', live: true }));

    it('fills all views at once without a request, and drops data of another run', () => {
      expect(status()).toBe('waiting');
      take(4);
      expect([shown(), status(), host.calls.length]).toEqual([4, 'loaded', 0]);
      expect(data.reference.get(SHOWN_KEY)).toMatchObject({ run: 'own' });
      feed.follow({ run: 'b', state: 'queued' });
      take(5);
      expect(shown()).toBeUndefined();
    });

    it('requests a map that was moved while the answer was in transit', async () => {
      const asked = feed.requestedMaps();
      feed.request('map', request(200));
      take(4, false, asked);
      expect(host.pending('run.maps').params).toMatchObject({ run: 'own', maps: [request(200)] });
      host.pending('run.maps').answer({ step: 9, depth_mm: 1, maps: [field(6)] });
      await settlePromises();
      expect(shown()).toBe(6);
    });

    it('shows a reason in place of a map that cannot be made, until it can', () => {
      const asked = feed.requestedMaps();
      feed.showAnswer({ ...answer(4, false), maps: [{ reason: 'The cells differ.' }] }, { maps: asked, draft: {} });
      expect(data.mapErrors.get('map')).toBe('The cells differ.');
      take(5);
      expect([shown(), data.mapErrors.get('map')]).toEqual([5, null]);
    });

    it('recomputes no step during a drag, only that of the answer at rest', async () => {
      feed.request('cut', cut);
      await settlePromises();
      take(4);
      await feed.showKeyframe(1);
      await vi.advanceTimersByTimeAsync(400);
      expect(host.streams).toHaveLength(0);
      expect(data.mapErrors.get('cut')).toBe('Computed when you stop moving.');
      take(5, true);
      void feed.showKeyframe(1);
      await vi.advanceTimersByTimeAsync(400);
      expect(host.streams).toHaveLength(1);
      take(6, true);
      expect(host.streams[0]?.closed).toBe(true);
    });
  });
});

describe('the image feed', () => {
  const view = { viewport: { horizontal: null, vertical: null, pixels: [100, 100] as [number, number] } };
  const done: FeedTarget = { run: 'a', state: 'done' };

  it('explains why a difference cannot be shown, and shows the image alone instead', async () => {
    vi.useFakeTimers();
    try {
      const host = new FakeHost();
      const feed = new ImageFeed(host.client, new FrameScheduler({ request: () => 0, now: () => 0 }));
      feed.request({ view, against: null });
      feed.follow(done);
      feed.request({ view, against: 'b' });
      await vi.advanceTimersByTimeAsync(100);
      expect(host.pending('image.view').params).toMatchObject({ run: 'a', against: 'b' });
      host.pending('image.view').fail(new Error('The images differ in size.'));
      await settlePromises();
      expect(host.pending('image.view').params).toMatchObject({ run: 'a', against: null });
      host.pending('image.view').answer({ run: 'a', revision: 1, done: 1, map: {} });
      await settlePromises();
      expect(feed.data.image.get(SHOWN_KEY)).toMatchObject({ run: 'a', against: null });
      expect(feed.data.differenceError.get(SHOWN_KEY)).toBe('The images differ in size.');
      // Without the comparison, a pixel is read from the image itself.
      void feed.pixel(3, 4);
      expect(host.pending('image.pixel').params).toMatchObject({ against: null, fast: 3, slow: 4 });
      feed.request({ view, against: null });
      await vi.advanceTimersByTimeAsync(100);
      host.pending('image.view').answer({ run: 'a', revision: 1, done: 1, map: {} });
      await settlePromises();
      expect(feed.data.differenceError.get(SHOWN_KEY)).toBeNull();
    } finally {
      vi.useRealTimers();
    }
  });
});
