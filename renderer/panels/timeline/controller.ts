/** Ties the canvases to the timelines: what is shown, asked for, pointed at, chosen. Paints outside React. */

import type { StoreApi } from 'zustand/vanilla';
import type { RunId } from '../../../electron/contract/run.ts';
import type { PlacedSpan, TraceId, TraceInfo } from '../../../electron/contract/timeline.ts';
import type { Figure } from '../../drawing/export/figure.ts';
import { lanesInSight } from '../../drawing/timeline/paint-spans.ts';
import { FOLDED_TRACKS, laneKey, rowsOf } from '../../drawing/timeline/rows.ts';
import {
  NO_MARKS,
  type SceneArrow,
  type SceneBlock,
  type SceneMark,
  type TimelineMarks,
} from '../../drawing/timeline/scene.ts';
import { bounded, fitted, movedBy, revealing, type TimeWindow, zoomedAt } from '../../drawing/timeline/time-window.ts';
import { TimelineView } from '../../drawing/timeline/timeline-view.ts';
import type { Workbench } from '../../workbench/workbench.ts';
import { timelineFigure } from './figure.ts';
import { listenOnTimeline, type TimelineGestures, type TimelineKey } from './gestures.ts';
import { keyframeAt, type StepTable, stepAt, timeOfStep } from './steps.ts';
import type { Alignment, TimelineSettings, TimelineStateStore } from './store.ts';
import { WindowFeed } from './window-feed.ts';

/** More arrows than this are a net, not a picture: none are drawn until one zooms in. */
const MOST_ARROWS = 60;
/** Arrows and statistics wait until the picture rests. */
const REST_MS = 140;
const MOST_HITS = 20_000;

interface Block {
  readonly info: TraceInfo;
  readonly feed: WindowFeed;
  steps: StepTable | null;
  arrows: readonly SceneArrow[];
}

const NO_STEPS: StepTable = { step: new Uint32Array(), start_ns: new Float64Array(), end_ns: new Float64Array() };

export class TimelineController {
  readonly #workbench: Workbench;
  readonly #settings: StoreApi<TimelineSettings>;
  readonly #state: TimelineStateStore;
  readonly #view: TimelineView;
  readonly #stops: (() => void)[];
  readonly #unfolded = new Set<string>();
  readonly #folded = new Set<string>();
  #blocks: readonly Block[] = [];
  /** Null: not chosen yet, all of it. */
  #window: TimeWindow | null = null;
  #scroll = 0;
  #marks: TimelineMarks = NO_MARKS;
  #hits: readonly { readonly trace: TraceId; readonly span: number; readonly at: number }[] = [];
  #rest: ReturnType<typeof setTimeout> | null = null;
  #chosenNumber = 0;
  #selectedNumber = 0;
  #searchNumber = 0;
  /** Empty: nothing. */
  #sought = '';
  /** The keyframe that this panel asked for, which needs no answer. */
  #askedFrame: number | null = null;
  #closed = false;

  constructor(
    workbench: Workbench,
    settings: StoreApi<TimelineSettings>,
    state: TimelineStateStore,
    below: HTMLCanvasElement,
    above: HTMLCanvasElement,
  ) {
    this.#workbench = workbench;
    this.#settings = settings;
    this.#state = state;
    this.#view = new TimelineView(below, above, workbench.scheduler, () => this.#show());
    const { stores } = workbench;
    this.#stops = [
      stores.timelines.subscribe((now, before) => {
        if (now.open !== before.open) this.#takeUp(now.open);
      }),
      stores.playback.subscribe(() => this.#show()),
      stores.selection.subscribe((now, before) => {
        if (now.run !== before.run) this.#show();
      }),
      settings.subscribe((now, before) => {
        if (now.arrows !== before.arrows) this.#rested();
      }),
      listenOnTimeline(above, this.#gestures(above)),
    ];
    this.#takeUp(stores.timelines.getState().open);
  }

  dispose(): void {
    this.#closed = true;
    if (this.#rest !== null) clearTimeout(this.#rest);
    for (const stop of this.#stops) stop();
    for (const { feed } of this.#blocks) feed.close();
    this.#view.dispose();
  }

  /** Nothing is on its way from the host. */
  get settled(): boolean {
    return this.#blocks.every(({ feed }) => feed.settled);
  }

  get window(): TimeWindow {
    return this.#window ?? fitted(this.#whole());
  }

  set window(window: TimeWindow) {
    this.#window = bounded(window, this.#whole());
    this.#show();
  }

  showAll(): void {
    this.#window = null;
    this.#show();
  }

  zoom(factor: number): void {
    this.#zoomAt(factor, null);
  }

  align(alignment: Alignment): void {
    this.#state.setState({ alignment });
    this.#window = null;
    this.#marks = { ...this.#marks, selection: null };
    this.#state.setState({ selected: null });
    this.#show();
    this.#markChosen();
  }

  async search(text: string): Promise<void> {
    const wanted = text.trim();
    const number = ++this.#searchNumber;
    this.#sought = wanted;
    if (wanted === '') {
      this.#hits = [];
      this.#state.setState({ search: null });
      this.#showHits();
      return;
    }
    const found = await Promise.all(
      this.#blocks.map(async ({ info }) => {
        const asked = { trace: info.id, text: wanted.slice(0, 200), limit: MOST_HITS };
        return { info, ...(await this.#workbench.client.call('timeline.search', asked)) };
      }),
    ).catch((error: unknown) => this.#fail('The search failed', error));
    if (found === null || number !== this.#searchNumber) return;
    this.#hits = found
      .flatMap(({ info, span, start_ns }) =>
        Array.from(span, (each, i) => ({ trace: info.id, span: each, at: start_ns[i] ?? 0 })),
      )
      .sort((a, b) => this.#onAxis(a.trace, a.at) - this.#onAxis(b.trace, b.at));
    const sum = (of: (one: NonNullable<typeof found>[number]) => number): number =>
      found.reduce((total, one) => total + of(one), 0);
    this.#state.setState({
      search: {
        text: wanted,
        count: sum(({ count }) => count),
        names: sum(({ names }) => names),
        sum_ns: sum(({ sum_ns }) => sum_ns),
        index: null,
        reachable: this.#hits.length,
      },
    });
    this.#showHits();
  }

  /** The next span that was found, or the one before. */
  async goToHit(step: 1 | -1): Promise<void> {
    const { search } = this.#state.getState();
    const count = this.#hits.length;
    if (search === null || count === 0) return;
    const index =
      search.index === null ? (step > 0 ? this.#firstHitInSight() : count - 1) : (search.index + step + count) % count;
    const hit = this.#hits[index];
    if (hit === undefined) return;
    this.#state.setState({ search: { ...search, index } });
    await this.choose(hit.trace, hit.span, true);
    this.#showHits();
  }

  /** Shows a span's details; `reveal` brings it into sight. */
  async choose(trace: TraceId, span: number, reveal: boolean): Promise<void> {
    const number = ++this.#chosenNumber;
    const { client } = this.#workbench;
    const details = await client
      .call('timeline.span', { trace, span })
      .catch((error: unknown) => this.#fail('The span could not be read', error));
    const block = this.#block(trace);
    if (details === null || block === null || number !== this.#chosenNumber) return;
    this.#state.setState({ chosen: { trace, details, alike: null }, tab: 'span' });
    if (reveal) this.#reveal(trace, details);
    this.#markChosen();
    const whole = { from_ns: 0, to_ns: block.info.duration_ns };
    const alike = await client
      .call('timeline.statistics', { trace, ...whole, tracks: null, name: details.name })
      .catch((error: unknown) => this.#fail('The spans of that name could not be counted', error));
    if (alike !== null && number === this.#chosenNumber) this.#state.setState({ chosen: { trace, details, alike } });
  }

  clear(): void {
    this.#chosenNumber += 1;
    this.#selectedNumber += 1;
    this.#state.setState({ chosen: null, selected: null });
    this.#mark({ chosen: null, chosenArrows: [], selection: null });
  }

  /** Chrome Trace of a timeline; of the selected time, or of all. */
  exportTrace(trace: TraceId, selected: boolean): void {
    const { selection } = this.#marks;
    const origin = this.#origin(trace);
    const within = selected && selection !== null ? ([selection.from + origin, selection.to + origin] as const) : null;
    void this.#workbench.timelines.exportTrace(trace, within);
  }

  figure(): Figure | null {
    const { width, height } = this.#view.size;
    if (this.#blocks.length === 0 || width <= 0) return null;
    return timelineFigure(this.#scene(), { width, height }, (context) => this.#view.paintOn(context));
  }

  #block(trace: TraceId): Block | null {
    return this.#blocks.find(({ info }) => info.id === trace) ?? null;
  }

  #fail(what: string, error: unknown): null {
    if (!this.#closed) this.#workbench.stores.notices.fail(what, error);
    return null;
  }

  #takeUp(open: readonly TraceInfo[]): void {
    const known = new Map(this.#blocks.map((block) => [block.info.id, block]));
    this.#blocks = open.map((info) => known.get(info.id) ?? this.#newBlock(info));
    for (const [id, block] of known) if (!open.some((info) => info.id === id)) block.feed.close();
    const { chosen, summaries } = this.#state.getState();
    if (chosen !== null && this.#block(chosen.trace) === null) this.clear();
    this.#hits = this.#hits.filter(({ trace }) => this.#block(trace) !== null);
    this.#state.setState({
      summaries: Object.fromEntries(Object.entries(summaries).filter(([trace]) => this.#block(trace) !== null)),
    });
    this.#listSteps();
    this.#window = null;
    this.#show();
    const more = open.some(({ id }) => !known.has(id));
    // What was sought before is sought in what came, too.
    if (this.#sought !== '' && more) void this.search(this.#sought);
  }

  #newBlock(info: TraceInfo): Block {
    const feed = new WindowFeed(
      this.#workbench.client,
      info.id,
      () => this.#show(),
      // A timeline that another window closed goes from the list by itself.
      () => undefined,
    );
    const block: Block = { info, feed, steps: null, arrows: [] };
    void this.#learn(block);
    return block;
  }

  async #learn(block: Block): Promise<void> {
    const { client } = this.#workbench;
    const trace = block.info.id;
    const [steps, summary] = await Promise.all([
      client.call('timeline.steps', { trace }),
      client.call('timeline.summary', { trace }),
    ]).catch(() => [NO_STEPS, null] as const);
    block.steps = steps;
    if (this.#closed || this.#block(trace) === null) return;
    if (summary !== null) {
      this.#state.setState(({ summaries }) => ({ summaries: { ...summaries, [trace]: summary } }));
    }
    this.#listSteps();
    this.#show();
  }

  #listSteps(): void {
    const all = new Set<number>();
    for (const { steps } of this.#blocks) for (const step of steps?.step ?? []) all.add(step);
    this.#state.setState({ steps: [...all].sort((a, b) => a - b) });
  }

  /** Time of the trace that stands at zero. */
  #origin(trace: TraceId): number {
    const { alignment } = this.#state.getState();
    const steps = this.#block(trace)?.steps ?? null;
    if (alignment.by === 'start' || steps === null) return 0;
    return timeOfStep(steps, alignment.step) ?? 0;
  }

  #onAxis(trace: TraceId, ns: number): number {
    return ns - this.#origin(trace);
  }

  #whole(): TimeWindow {
    let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const { info } of this.#blocks) {
      const origin = this.#origin(info.id);
      from = Math.min(from, -origin);
      to = Math.max(to, info.duration_ns - origin);
    }
    return to > from ? { from, to } : { from: 0, to: 1000 };
  }

  #rows(): ReturnType<typeof rowsOf> {
    const blocks = this.#blocks.map(({ info }) => ({ trace: info.id, lanes: info.lanes }));
    return rowsOf(blocks, this.#view.metrics, this.#unfolded, this.#folded);
  }

  #scene(): Parameters<TimelineView['show']>[0] {
    const { stores } = this.#workbench;
    const { frames, index } = stores.playback.getState();
    const shownRun = stores.selection.getState().run;
    const frame = frames[index];
    const blocks = this.#blocks.map(({ info, feed, steps }): SceneBlock => {
      const at =
        info.run !== null && info.run === shownRun && frame !== undefined && steps !== null
          ? timeOfStep(steps, frame.step)
          : null;
      return {
        trace: info.id,
        title: info.name,
        about: info.about,
        lanes: info.lanes,
        origin_ns: this.#origin(info.id),
        window: feed.window,
        nameOf: (name) => feed.nameOf(name),
        playhead_ns: at === null ? null : this.#onAxis(info.id, at),
      };
    });
    const { rows, height } = this.#rows();
    this.#scroll = Math.max(0, Math.min(this.#scroll, height - this.#view.frame.plotHeight));
    const search = this.#state.getState().search?.text.toLowerCase() ?? '';
    return { blocks, rows, metrics: this.#view.metrics, view: this.window, scroll: this.#scroll, search };
  }

  /** Shows what there is, asks for what is missing, and for the arrows once it rests. */
  #show(): void {
    if (this.#closed || this.#view.size.width <= 0) return;
    const scene = this.#scene();
    const { frame, size } = this.#view;
    const inSight = lanesInSight(scene, frame.plotHeight);
    for (const block of this.#blocks) {
      const tracks = inSight.filter(({ trace }) => trace === block.info.id).flatMap((row) => row.tracks);
      const origin = this.#origin(block.info.id);
      const { from, to } = scene.view;
      const pixels = Math.max(1, Math.round(frame.plotWidth * size.ratio));
      block.feed.want({ from_ns: from + origin, to_ns: to + origin, pixels, tracks });
    }
    this.#view.show(scene);
    if (this.#rest !== null) clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#rested(), REST_MS);
  }

  #mark(change: Partial<TimelineMarks>): void {
    this.#marks = { ...this.#marks, ...change };
    this.#view.mark(this.#marks);
  }

  #rested(): void {
    this.#rest = null;
    // Text that changed with every frame would cost more than the spans.
    this.#state.setState({ shown_ns: this.window.to - this.window.from });
    if (!this.#settings.getState().arrows) {
      for (const block of this.#blocks) block.arrows = [];
      this.#mark({ arrows: [] });
      return;
    }
    for (const block of this.#blocks) void this.#fetchArrows(block);
  }

  async #fetchArrows(block: Block): Promise<void> {
    const { window } = block.feed;
    if (window === null) return;
    const origin = this.#origin(block.info.id);
    const { from, to } = this.window;
    const asked = { trace: block.info.id, from_ns: from + origin, to_ns: to + origin };
    const found = await this.#workbench.client
      .call('timeline.arrows', { ...asked, tracks: [...window.tracks], limit: MOST_ARROWS })
      .catch(() => null);
    if (found === null || this.#closed) return;
    block.arrows = Array.from(found.from_ns, (start, i) => ({
      trace: block.info.id,
      fromTrack: found.fromTrack[i] ?? 0,
      toTrack: found.toTrack[i] ?? 0,
      from_ns: start - origin,
      to_ns: (found.to_ns[i] ?? 0) - origin,
    }));
    this.#mark({ arrows: this.#blocks.flatMap(({ arrows }) => arrows) });
  }

  #markChosen(): void {
    const { chosen } = this.#state.getState();
    if (chosen === null) return;
    const { trace, details } = chosen;
    const place = ({ track, start_ns, duration_ns }: PlacedSpan): SceneMark => {
      const from_ns = this.#onAxis(trace, start_ns);
      return { trace, track, from_ns, to_ns: from_ns + duration_ns };
    };
    const own = place(details);
    const arrow = (from: SceneMark, to: SceneMark): SceneArrow => ({
      trace,
      fromTrack: from.track,
      toTrack: to.track,
      from_ns: from.from_ns,
      to_ns: to.from_ns,
    });
    this.#mark({
      chosen: own,
      chosenArrows: [
        ...details.launched.slice(0, 200).map((span) => arrow(own, place(span))),
        ...details.launchedBy.map((span) => arrow(place(span), own)),
      ],
    });
  }

  #reveal(trace: TraceId, { track, start_ns, duration_ns }: PlacedSpan): void {
    this.#window = revealing(this.window, this.#whole(), this.#onAxis(trace, start_ns), duration_ns);
    const row = this.#rows().rows.find(
      (each) => each.kind === 'lane' && each.trace === trace && each.tracks.includes(track),
    );
    const { plotHeight } = this.#view.frame;
    if (row !== undefined && (row.y < this.#scroll || row.y + row.height > this.#scroll + plotHeight)) {
      this.#scroll = row.y - plotHeight / 2;
    }
    this.#show();
  }

  #showHits(): void {
    const hits = Float64Array.from(this.#hits, ({ trace, at }) => this.#onAxis(trace, at));
    const index = this.#state.getState().search?.index ?? null;
    this.#mark({ hits, currentHit_ns: index === null ? null : (hits[index] ?? null) });
    this.#show();
  }

  #firstHitInSight(): number {
    const { from } = this.window;
    return Math.max(
      0,
      this.#hits.findIndex(({ trace, at }) => this.#onAxis(trace, at) >= from),
    );
  }

  #zoomAt(factor: number, x: number | null): void {
    const { from, to } = this.window;
    const at = x === null ? (from + to) / 2 : this.#view.timeAt(x);
    this.#window = zoomedAt(this.window, this.#whole(), at, factor);
    this.#show();
  }

  /** Moves the maps to the step at a moment of the run that they show. */
  #followStep(trace: TraceId | null, ns: number): void {
    const { playback, selection } = this.#workbench.stores;
    const block = trace === null ? null : this.#block(trace);
    if (!this.#settings.getState().follow || block === null || block.steps === null) return;
    const run: RunId | null = block.info.run;
    const { frames, index } = playback.getState();
    if (run === null || run !== selection.getState().run || frames.length === 0) return;
    const step = stepAt(block.steps, ns + this.#origin(block.info.id));
    if (step === null) return;
    const frame = keyframeAt(frames, step);
    if (frame === index || frame === this.#askedFrame) return;
    this.#askedFrame = frame;
    playback.go(frame);
    this.#askedFrame = null;
  }

  async #select(from: number, to: number): Promise<void> {
    const number = ++this.#selectedNumber;
    this.#state.setState({ selected: { from, to, parts: [] }, tab: 'selection' });
    const parts = await Promise.all(
      this.#blocks.map(async ({ info }) => {
        const origin = this.#origin(info.id);
        const asked = { trace: info.id, from_ns: from + origin, to_ns: to + origin, tracks: null, name: null };
        return {
          trace: info.id,
          title: info.about === '' ? info.name : `${info.name}: ${info.about}`,
          statistics: await this.#workbench.client.call('timeline.statistics', asked),
        };
      }),
    ).catch((error: unknown) => this.#fail('The selection could not be counted', error));
    if (parts !== null && number === this.#selectedNumber) this.#state.setState({ selected: { from, to, parts } });
  }

  async #neighbour(step: 1 | -1): Promise<void> {
    const { chosen } = this.#state.getState();
    if (chosen === null) return;
    const { trace, details } = chosen;
    const found = await this.#workbench.client
      .call('timeline.span', { trace, span: Math.max(0, details.span + step) })
      .catch(() => null);
    // The next number may stand on the next track.
    if (found !== null && found.track === details.track && found.span !== details.span)
      await this.choose(trace, found.span, true);
  }

  #key(action: TimelineKey): boolean {
    const { chosen, search } = this.#state.getState();
    switch (action) {
      case 'fit': {
        const { selection, chosen: mark } = this.#marks;
        const range = selection ?? (mark === null ? null : { from: mark.from_ns, to: mark.to_ns });
        if (range === null) this.showAll();
        else this.window = fitted(range);
        return true;
      }
      case 'whole':
        this.showAll();
        return true;
      case 'next':
      case 'previous':
        if (search === null) return false;
        void this.goToHit(action === 'next' ? 1 : -1);
        return true;
      case 'clear':
        if (chosen === null && this.#marks.selection === null) return false;
        this.clear();
        return true;
      default:
        void this.#neighbour(action === 'right-span' ? 1 : -1);
        return true;
    }
  }

  #toggle(trace: TraceId, lane: number): void {
    const key = laneKey(trace, lane);
    const tracks = this.#block(trace)?.info.lanes[lane]?.tracks ?? 0;
    if (tracks < 2) return;
    if (this.#folded.delete(key)) this.#unfolded.add(key);
    else if (this.#unfolded.delete(key) || tracks <= FOLDED_TRACKS) this.#folded.add(key);
    else this.#unfolded.add(key);
    this.#show();
  }

  #hover(canvas: HTMLCanvasElement, x: number, y: number): void {
    const pointed = this.#view.pointed(x, y);
    if (pointed === null) return;
    const { trace, track, span, region } = pointed;
    const inPlot = region !== 'gutter';
    const block = trace === null ? null : this.#block(trace);
    const window = block?.feed.window ?? null;
    let hovered: SceneMark | null = null;
    let duration_ns: number | null = null;
    if (span !== null && trace !== null && track !== null && window !== null) {
      const i = window.span.indexOf(span.span, window.offsets[window.tracks.indexOf(track)] ?? 0);
      const pixel = (window.to_ns - window.from_ns) / window.pixels;
      const at = (edge: number | undefined): number => this.#onAxis(trace, window.from_ns + (edge ?? 0) * pixel);
      hovered = { trace, track, from_ns: at(window.left[i]), to_ns: at(window.right[i]) };
      // Edges beyond the window are cut there: the length is known of whole spans only.
      const whole = (window.left[i] ?? -1) > -1 && (window.right[i] ?? 0) < window.pixels + 1;
      duration_ns = span.count === 1 && whole ? hovered.to_ns - hovered.from_ns : null;
    }
    this.#mark({ cursor_ns: inPlot ? pointed.ns : null, hovered });
    this.#state.setState({
      pointed: inPlot
        ? {
            ns: pointed.ns,
            name: span === null ? null : (block?.feed.nameOf(span.name) ?? null),
            duration_ns,
            count: span?.count ?? 0,
          }
        : null,
    });
    canvas.style.cursor = span !== null || region === 'gutter' ? 'pointer' : 'crosshair';
    if (region === 'lane') this.#followStep(trace, pointed.ns);
  }

  #gestures(canvas: HTMLCanvasElement): TimelineGestures {
    const perPixel = (): number => (this.window.to - this.window.from) / this.#view.frame.plotWidth;
    return {
      zoom: (factor, x) => this.#zoomAt(factor, x),
      panShare: (share) => {
        const { from, to } = this.window;
        this.#window = movedBy(this.window, this.#whole(), share * (to - from));
        this.#show();
      },
      panPixels: (x, y) => {
        this.#window = movedBy(this.window, this.#whole(), x * perPixel());
        this.#scroll += y;
        this.#show();
      },
      scroll: (y) => {
        this.#scroll += y;
        this.#show();
      },
      hover: (x, y) => this.#hover(canvas, x, y),
      leave: () => {
        this.#mark({ cursor_ns: null, hovered: null });
        this.#state.setState({ pointed: null });
      },
      click: (x, y) => {
        const pointed = this.#view.pointed(x, y);
        if (pointed === null) return;
        if (pointed.region === 'gutter' && pointed.trace !== null && pointed.lane !== null) {
          this.#toggle(pointed.trace, pointed.lane);
        } else if (pointed.span !== null && pointed.trace !== null) {
          void this.choose(pointed.trace, pointed.span.span, false);
        } else this.clear();
      },
      doubleClick: (x, y) => {
        const pointed = this.#view.pointed(x, y);
        if (pointed?.span === null || pointed === null) this.showAll();
        else this.#key('fit');
      },
      select: (fromX, toX, done) => {
        const { gutter, width } = this.#view.frame;
        const clip = (x: number): number => this.#view.timeAt(Math.min(width, Math.max(gutter, x)));
        const [from, to] = [clip(Math.min(fromX, toX)), clip(Math.max(fromX, toX))];
        this.#mark({ selection: { from, to } });
        if (done) void this.#select(from, to);
      },
      selects: (x, y, shift) => {
        const region = this.#view.pointed(x, y)?.region;
        if (region === 'ruler') return true;
        return region !== 'gutter' && (this.#settings.getState().drag === 'select') !== shift;
      },
      inGutter: (x) => x < this.#view.frame.gutter,
      key: (action) => this.#key(action),
    };
  }
}
