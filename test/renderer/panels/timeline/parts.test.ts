/** Blocks, folds, search and selection of the timeline, against a host that answers when the test says so. */
import { expect, it, vi } from 'vitest';
import type { TraceInfo } from '../../../../electron/contract/timeline.ts';
import { TimelineBlocks } from '../../../../renderer/panels/timeline/blocks.ts';
import { TimelineContext } from '../../../../renderer/panels/timeline/context.ts';
import { LaunchArrows, SearchHits } from '../../../../renderer/panels/timeline/search-hits.ts';
import { SpanChoice } from '../../../../renderer/panels/timeline/span-choice.ts';
import { createTimelineSettings, createTimelineState } from '../../../../renderer/panels/timeline/store.ts';
import { TimeSelection } from '../../../../renderer/panels/timeline/time-selection.ts';
import { LaneFolds, type TimelineViewport } from '../../../../renderer/panels/timeline/viewport.ts';
import type { Workbench } from '../../../../renderer/workbench/workbench.ts';
import { FakeHost } from '../../data/fake-host.ts';

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
  /** Answers the oldest question of a method that is still open. */
  const answer = async (method: string, value: unknown): Promise<Record<string, unknown>> => {
    const call = host.calls.find((one) => one.method === method && !answered.has(one));
    if (call === undefined) throw new Error(`${method} was not asked`);
    answered.add(call);
    call.answer(value);
    await turn();
    return call.params;
  };
  return { host, settings, state, context, blocks, viewport, marks, answer, failed };
}

/** Steps 0 and 10 at these times. */
const steps = (...start: readonly number[]) => ({
  step: Uint32Array.of(0, 10),
  start_ns: Float64Array.from(start),
  end_ns: Float64Array.from(start, (each) => each + 5),
});

it('blocks stand at their starts or at a step, and the axis holds them all', async () => {
  const { blocks, state, answer } = fixture();
  expect(blocks.whole()).toEqual({ from: 0, to: 1000 });
  expect(blocks.takeUp([info('a', 500), info('b', 900)])).toBe(true);
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
  expect([blocks.origin('a'), blocks.onAxis('b', 650)]).toEqual([200, 50]);
  expect(blocks.whole()).toEqual({ from: -600, to: 300 });
  // The one that stays is the same; what was known of the other is gone.
  const [, kept] = blocks.all;
  expect(blocks.takeUp([info('b', 900)])).toBe(false);
  expect(blocks.all).toEqual([kept]);
  expect(state.getState().summaries).toEqual({ b: { spans: 2 } });
  expect(blocks.of('a')).toBeNull();
});

it('a lane folds from some of its rows to all, to one, and back', () => {
  const { blocks } = fixture();
  blocks.takeUp([info('a', 1, 10)]);
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

it('what was found is gone through in the order of the axis, from what is in sight', async () => {
  const { blocks, context, state, viewport, marks, answer } = fixture();
  const hits = new SearchHits(context, blocks, viewport, new SpanChoice(context, blocks, viewport));
  blocks.takeUp([info('a', 500), info('b', 900)]);
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
  // The window begins at 150: the hit at 200 of the other block comes first.
  void hits.goTo(1);
  expect(state.getState().search?.index).toBe(1);
  const span = { span: 8, track: 0, name: 'march', start_ns: 200, duration_ns: 5, launched: [], launchedBy: [] };
  expect(await answer('timeline.span', span)).toEqual({ trace: 'b', span: 8 });
  expect(viewport.reveal).toHaveBeenCalledWith('b', span);
  expect(state.getState().chosen).toMatchObject({ trace: 'b', alike: null });
  // A newer search answers alone, and one for nothing forgets.
  void hits.search('old');
  await hits.search('');
  expect(state.getState().search).toBeNull();
  expect(marks.at(-1)).toEqual({ hits: new Float64Array(), currentHit_ns: null });
});

it('a selection is counted in every block by its own time; a newer one, or none, takes its place', async () => {
  const { blocks, context, state, answer, host, failed } = fixture();
  const selection = new TimeSelection(context, blocks);
  blocks.takeUp([info('a', 500)]);
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
  expect(failed).toEqual(['The selection could not be counted']);
  // No errors are reported after the panel was closed.
  context.close();
  expect(context.fail('too late', new Error('late'))).toBeNull();
  expect(failed).toHaveLength(1);
});

it('arrows are those of the window that is shown, whichever answer comes last, and none once they are switched off', async () => {
  const { host, settings, blocks, context, viewport, marks } = fixture();
  blocks.takeUp([info('a', 500)]);
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

it('counts the GPU apart from the host, and every lane by itself', async () => {
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
  blocks.takeUp([{ ...info('a', 500), lanes } as TraceInfo]);
  void new TimeSelection(context, blocks).count(0, 50);
  const asked = [
    await answer('timeline.statistics', { count: 5, sum_ns: 40 }),
    await answer('timeline.statistics', { count: 4 }),
    await answer('timeline.statistics', { count: 0 }),
    await answer('timeline.statistics', { count: 3 }),
    await answer('timeline.statistics', { count: 2 }),
  ];
  // GPU together, then the stream, its copies, its steps, and the host's thread.
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

it('puts the first kernels of two timelines at zero', () => {
  const { blocks, state } = fixture();
  const of = (id: string, duration: number, firstKernel_ns: number | null) => ({
    ...info(id, duration),
    firstKernel_ns,
  });
  blocks.takeUp([of('a', 500, 120)]);
  expect(blocks.haveKernels).toBe(false);
  blocks.takeUp([of('a', 500, 120), of('b', 900, 300)]);
  expect(blocks.haveKernels).toBe(true);
  state.setState({ alignment: { by: 'kernel' } });
  expect([blocks.onAxis('a', 120), blocks.onAxis('b', 300)]).toEqual([0, 0]);
  expect(blocks.whole()).toEqual({ from: -300, to: 600 });
  blocks.takeUp([of('a', 500, 120), of('c', 900, null)]);
  expect(blocks.haveKernels).toBe(false);
});
