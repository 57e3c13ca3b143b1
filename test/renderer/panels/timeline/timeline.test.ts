/** Blocks, folds, search and selection of the timeline, with a host whose answers the test triggers. */
import { describe, expect, it, vi } from 'vitest';
import type { TimelineWindow, TraceInfo } from '../../../../electron/contract/timeline.ts';
import type { Client } from '../../../../renderer/data/client/client.ts';
import { TimelineBlocks, TimelineContext } from '../../../../renderer/panels/timeline/blocks.ts';
import { LaunchArrows, SearchHits, SpanChoice } from '../../../../renderer/panels/timeline/search-hits.ts';
import { keyframeAt, stepAt, timeOfStep } from '../../../../renderer/panels/timeline/steps.ts';
import { createTimelineSettings, createTimelineState } from '../../../../renderer/panels/timeline/store.ts';
import { TimeSelection } from '../../../../renderer/panels/timeline/time-selection.ts';
import { LaneFolds, type TimelineViewport } from '../../../../renderer/panels/timeline/viewport.ts';
import {
  isSufficient,
  requestWithMargin,
  WindowFeed,
  type WindowRequest,
} from '../../../../renderer/panels/timeline/window-feed.ts';
import type { Workbench } from '../../../../renderer/workbench/workbench.ts';
import { FakeHost } from '../../data/fake-host.ts';

const answer = (wish: WindowRequest): TimelineWindow => ({
  ...wish,
  tracks: [...wish.tracks],
  offsets: new Uint32Array(wish.tracks.length + 1),
  left: new Float32Array(),
  right: new Float32Array(),
  span: new Uint32Array(),
  name: Uint32Array.of(3, 3, 5),
  count: new Uint32Array(),
  tint: new Uint8Array(),
  busy: new Uint8Array(),
});

const windowRequest = (from_ns: number, to_ns: number, tracks = [0, 1]): WindowRequest => ({
  from_ns,
  to_ns,
  pixels: 1000,
  tracks,
});

describe('a cached answer', () => {
  it('serves the range that it covers at approximately its resolution', () => {
    const window = answer(requestWithMargin(windowRequest(0, 1000)));
    expect([window.from_ns, window.to_ns, window.pixels]).toEqual([-500, 1500, 2000]);
    expect(isSufficient(window, windowRequest(0, 1000))).toBe(true);
    expect(isSufficient(window, windowRequest(400, 1400))).toBe(true);
    expect(isSufficient(window, windowRequest(600, 1600))).toBe(false);
    // A closer view would need more detail than this answer has.
    expect(isSufficient(window, windowRequest(100, 900))).toBe(false);
    // For a wider view the answer has more detail than the screen can show.
    expect(isSufficient(window, windowRequest(-500, 1500))).toBe(true);
    expect(isSufficient(window, { ...windowRequest(-500, 1500), pixels: 400 })).toBe(false);
    expect(isSufficient(window, windowRequest(0, 1000, [0, 2]))).toBe(false);
    expect(isSufficient(null, windowRequest(0, 1000))).toBe(false);
  });
});

describe('the feed of a timeline', () => {
  function fixture() {
    const asked: { readonly method: string; readonly params: unknown; readonly resolve: (value: unknown) => void }[] =
      [];
    const call = (method: string, params: unknown): Promise<unknown> =>
      new Promise((resolve) => asked.push({ method, params, resolve }));
    let changes = 0;
    const client = { call } as unknown as Pick<Client, 'call'>;
    const feed = new WindowFeed(client, 'trace', () => {
      changes += 1;
    });
    return { asked, feed, changes: () => changes };
  }
  const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

  it('has one request in flight, and then requests only the newest one', async () => {
    const { asked, feed, changes } = fixture();
    feed.request(windowRequest(0, 1000));
    for (let i = 1; i < 20; i += 1) feed.request(windowRequest(i * 10_000, i * 10_000 + 1000));
    expect(asked).toHaveLength(1);
    asked[0]?.resolve(answer(requestWithMargin(windowRequest(0, 1000))));
    await turn();
    expect(asked[1]?.method).toBe('timeline.names');
    expect(asked[1]?.params).toEqual({ trace: 'trace', names: [3, 5] });
    asked[1]?.resolve({ texts: ['three', 'five'] });
    await turn();
    expect([feed.nameOf(3), feed.nameOf(5), feed.nameOf(7)]).toEqual(['three', 'five', null]);
    expect(asked).toHaveLength(3);
    expect(asked[2]?.params).toMatchObject({ from_ns: 189_500, to_ns: 191_500, pixels: 2000 });
    asked[2]?.resolve(answer(requestWithMargin(windowRequest(190_000, 191_000))));
    await turn();
    expect([feed.isSettled, changes()]).toEqual([true, 3]);
    // This range is already known.
    feed.request(windowRequest(190_100, 191_100));
    expect(asked).toHaveLength(3);
  });

  it('sends nothing after it is closed', async () => {
    const { asked, feed, changes } = fixture();
    feed.request(windowRequest(0, 1000));
    feed.close();
    asked[0]?.resolve(answer(windowRequest(0, 1000)));
    await turn();
    expect([changes(), asked.length]).toEqual([0, 1]);
  });
});

describe('steps on the time axis', () => {
  const table = {
    step: Uint32Array.of(0, 10, 12),
    start_ns: Float64Array.of(100, 300, 500),
    end_ns: Float64Array.of(200, 400, 550),
  };

  it('advance evenly in a row that represents several steps', () => {
    expect([50, 100, 149, 199, 250, 300, 351, 520, 551].map((ns) => stepAt(table, ns))).toEqual([
      null,
      0,
      4,
      9,
      9,
      10,
      11,
      12,
      null,
    ]);
    expect([0, 5, 10, 11, 12, 99].map((step) => timeOfStep(table, step))).toEqual([100, 150, 300, 350, 500, 500]);
  });

  it('are absent if none were recorded', () => {
    const none = { step: new Uint32Array(), start_ns: new Float64Array(), end_ns: new Float64Array() };
    expect([stepAt(none, 5), timeOfStep(none, 5)]).toEqual([null, null]);
  });

  it('find the last keyframe at or before them', () => {
    const frames = [0, 49, 98].map((step) => ({ step }));
    expect([0, 48, 49, 97, 500].map((step) => keyframeAt(frames, step))).toEqual([0, 0, 1, 1, 2]);
  });
});

describe('blocks of the timeline', () => {
  const info = (id: string, duration_ns: number, tracks = 1): TraceInfo =>
    ({ id, name: id, about: '', duration_ns, run: null, lanes: [{ firstTrack: 0, tracks }] }) as unknown as TraceInfo;
  const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

  function fixture() {
    const host = new FakeHost();
    const failed: string[] = [];
    const notices = { fail: (what: string) => failed.push(what) };
    const workbench = { client: host.client, stores: { notices } } as unknown as Workbench;
    const settings = createTimelineSettings({ load: () => null, store: () => undefined } as never, () => undefined);
    const state = createTimelineState();
    const context = new TimelineContext(workbench, settings, state);
    const blocks = new TimelineBlocks(context, () => undefined);
    const marks: Record<string, unknown>[] = [];
    const viewport = {
      window: { from: 150, to: 1000 },
      mark: (change: Record<string, unknown>) => marks.push(change),
      show: () => undefined,
      reveal: vi.fn(),
    } as unknown as TimelineViewport;
    const answered = new Set<unknown>();
    /** Answers the oldest open request of a method. */
    const answer = async (method: string, value: unknown): Promise<Record<string, unknown>> => {
      const call = host.calls.find((one) => one.method === method && !answered.has(one));
      if (call === undefined) throw new Error(`${method} was not called`);
      answered.add(call);
      call.answer(value);
      await turn();
      return call.params;
    };
    return { host, settings, state, context, blocks, viewport, marks, answer, failed };
  }

  /** Spans of the steps 0 and 10 at these start times. */
  const steps = (...start: readonly number[]) => ({
    step: Uint32Array.of(0, 10),
    start_ns: Float64Array.from(start),
    end_ns: Float64Array.from(start, (each) => each + 5),
  });

  it('start at their start or at a step, and the axis covers them all', async () => {
    const { blocks, state, answer } = fixture();
    expect(blocks.whole()).toEqual({ from: 0, to: 1000 });
    expect(blocks.syncBlocks([info('a', 500), info('b', 900)])).toBe(true);
    for (const [start, summary] of [
      [[100, 200], { spans: 1 }],
      [[300, 600], { spans: 2 }],
    ] as const) {
      await answer('timeline.steps', steps(...start));
      await answer('timeline.summary', summary);
    }
    expect(state.getState()).toMatchObject({ steps: [0, 10], summaries: { a: { spans: 1 }, b: { spans: 2 } } });
    expect(blocks.whole()).toEqual({ from: 0, to: 900 });
    state.setState({ alignment: { by: 'step', step: 10 } });
    expect([blocks.origin('a'), blocks.toAxisTime('b', 650)]).toEqual([200, 50]);
    expect(blocks.whole()).toEqual({ from: -600, to: 300 });
    // The remaining block is the same object, and the data of the other one is gone.
    const [, kept] = blocks.all;
    expect(blocks.syncBlocks([info('b', 900)])).toBe(false);
    expect(blocks.all).toEqual([kept]);
    expect(state.getState().summaries).toEqual({ b: { spans: 2 } });
    expect(blocks.blockOf('a')).toBeNull();
  });

  it('expand a lane from some of its rows to all, to one, and back', () => {
    const { blocks } = fixture();
    blocks.syncBlocks([info('a', 1, 10)]);
    const folds = new LaneFolds();
    const metrics = { head: 20, track: 10, gap: 2 };
    const shown = (): number | undefined => {
      const [, lane] = folds.rows(blocks.all, metrics).rows;
      return lane?.kind === 'lane' ? lane.tracks.length : undefined;
    };
    const seen = [shown()];
    for (let i = 0; i < 3; i += 1) {
      expect(folds.toggle('a', 0, 10)).toBe(true);
      seen.push(shown());
    }
    expect(seen).toEqual([6, 10, 1, 10]);
    expect(folds.toggle('a', 0, 1)).toBe(false);
  });

  it('step through search results in axis order, beginning with the visible ones', async () => {
    const { blocks, context, state, viewport, marks, answer } = fixture();
    const hits = new SearchHits(context, blocks, viewport, new SpanChoice(context, blocks, viewport));
    blocks.syncBlocks([info('a', 500), info('b', 900)]);
    const search = hits.search(' march ');
    const found = (span: readonly number[], start: readonly number[]) => ({
      ...{ count: span.length, names: 1, sum_ns: 7, span: Uint32Array.from(span), track: new Uint32Array(span.length) },
      start_ns: Float64Array.from(start),
    });
    expect(await answer('timeline.search', found([1, 2], [100, 300]))).toMatchObject({ trace: 'a', text: 'march' });
    await answer('timeline.search', found([8], [200]));
    await search;
    expect(state.getState().search).toEqual({
      text: 'march',
      count: 3,
      names: 2,
      sum_ns: 14,
      index: null,
      reachable: 3,
    });
    expect(marks.at(-1)).toEqual({ hits: Float64Array.of(100, 200, 300), currentHit_ns: null });
    // The window begins at 150, so the first hit is at 200, in the other block.
    void hits.goTo(1);
    expect(state.getState().search?.index).toBe(1);
    const span = { span: 8, track: 0, name: 'march', start_ns: 200, duration_ns: 5, launched: [], launchedBy: [] };
    expect(await answer('timeline.span', span)).toEqual({ trace: 'b', span: 8 });
    expect(viewport.reveal).toHaveBeenCalledWith('b', span);
    expect(state.getState().chosen).toMatchObject({ trace: 'b', sameName: null });
    // A newer search replaces the last one, and an empty search clears it.
    void hits.search('old');
    await hits.search('');
    expect(state.getState().search).toBeNull();
    expect(marks.at(-1)).toEqual({ hits: new Float64Array(), currentHit_ns: null });
  });

  it('sum a selection in every block by its own time, until a newer one or none replaces it', async () => {
    const { blocks, context, state, answer, host, failed } = fixture();
    const selection = new TimeSelection(context, blocks);
    blocks.syncBlocks([info('a', 500)]);
    await answer('timeline.steps', steps(100, 200));
    await answer('timeline.summary', null);
    state.setState({ alignment: { by: 'step', step: 10 } });
    void selection.count(-50, 50);
    expect(await answer('timeline.statistics', { count: 3 })).toMatchObject({ from_ns: 150, to_ns: 250, name: null });
    expect(state.getState().selected).toMatchObject({
      from: -50,
      to: 50,
      parts: [{ title: 'a', statistics: { count: 3 } }],
    });
    void selection.count(0, 10);
    selection.clear();
    await answer('timeline.statistics', { count: 4 });
    expect(state.getState().selected).toBeNull();
    void selection.count(0, 10);
    host.calls.at(-1)?.fail(new Error('gone'));
    await turn();
    expect(failed).toEqual(['The selection could not be analysed']);
    // No errors are reported after the panel was closed.
    context.close();
    expect(context.fail('too late', new Error('late'))).toBeNull();
    expect(failed).toHaveLength(1);
  });

  it('draw arrows of the visible window, whichever answer comes last, and none when switched off', async () => {
    const { host, settings, blocks, context, viewport, marks } = fixture();
    blocks.syncBlocks([info('a', 500)]);
    const [block] = blocks.all;
    Object.defineProperty(block?.feed, 'window', { value: { tracks: [0] } });
    const arrows = new LaunchArrows(context, blocks, viewport);
    const found = (start: number) => ({
      from_ns: Float64Array.of(start),
      to_ns: Float64Array.of(start + 5),
      fromTrack: Uint32Array.of(0),
      toTrack: Uint32Array.of(0),
    });
    const asked = () => host.calls.filter(({ method }) => method === 'timeline.arrows');
    settings.setState({ arrows: true });
    arrows.refresh();
    arrows.refresh();
    asked()[1]?.answer(found(200));
    await turn();
    asked()[0]?.answer(found(100));
    await turn();
    expect(marks).toMatchObject([{ arrows: [{ from_ns: 200 }] }]);
    arrows.refresh();
    settings.setState({ arrows: false });
    arrows.refresh();
    asked()[2]?.answer(found(300));
    await turn();
    expect(marks.at(-1)).toEqual({ arrows: [] });
  });

  it('sum the GPU separately from the host, and every lane by itself', async () => {
    const { blocks, context, state, answer } = fixture();
    const lane = (name: string, kind: string, firstTrack: number, tracks: number) => ({
      ...{ process: kind === 'thread' && name !== 'steps' ? 'Host' : 'H200', name, kind, firstTrack, tracks, spans: 9 },
    });
    const lanes = [
      lane('thread 1', 'thread', 0, 1),
      lane('stream 7', 'stream', 1, 2),
      lane('copies 7', 'copies', 3, 1),
      lane('steps', 'thread', 4, 1),
    ];
    blocks.syncBlocks([{ ...info('a', 500), lanes } as TraceInfo]);
    void new TimeSelection(context, blocks).count(0, 50);
    const asked = [
      await answer('timeline.statistics', { count: 5, sum_ns: 40 }),
      await answer('timeline.statistics', { count: 4 }),
      await answer('timeline.statistics', { count: 0 }),
      await answer('timeline.statistics', { count: 3 }),
      await answer('timeline.statistics', { count: 2 }),
    ];
    // All tracks of the GPU, then the stream, its copies, its steps, and the host's thread.
    expect(asked.map(({ tracks }) => tracks)).toEqual([[1, 2, 3], [1, 2], [3], [4], [0]]);
    expect(state.getState().selected?.parts[0]).toMatchObject({
      statistics: { count: 5, sum_ns: 40 },
      lanes: [
        { title: 'H200, stream 7', on: 'GPU', statistics: { count: 4 } },
        { title: 'H200, steps', on: null, statistics: { count: 3 } },
        { title: 'Host, thread 1', on: 'host', statistics: { count: 2 } },
      ],
    });
  });

  it('align the first kernels of two timelines at zero', () => {
    const { blocks, state } = fixture();
    const of = (id: string, duration: number, firstKernel_ns: number | null) => ({
      ...info(id, duration),
      firstKernel_ns,
    });
    blocks.syncBlocks([of('a', 500, 120)]);
    expect(blocks.haveKernels).toBe(false);
    blocks.syncBlocks([of('a', 500, 120), of('b', 900, 300)]);
    expect(blocks.haveKernels).toBe(true);
    state.setState({ alignment: { by: 'kernel' } });
    expect([blocks.toAxisTime('a', 120), blocks.toAxisTime('b', 300)]).toEqual([0, 0]);
    expect(blocks.whole()).toEqual({ from: -300, to: 600 });
    blocks.syncBlocks([of('a', 500, 120), of('c', 900, null)]);
    expect(blocks.haveKernels).toBe(false);
  });
});
