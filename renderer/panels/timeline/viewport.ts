/** Visible part of the blocks: time window, scroll position, marks. Paints outside React. */
import type { PlacedSpan, TraceId } from '../../../electron/contract/timeline.ts';
import { visibleLanes } from '../../drawing/timeline/paint-spans.ts';
import {
  clampWindow,
  FOLDED_TRACKS,
  fitWindow,
  laneKey,
  NO_MARKS,
  rowsOf,
  type SceneBlock,
  scrolledTo,
  shiftedWindow,
  type TimelineMarks,
  type TimelineMetrics,
  type TimelineScene,
  type TimeWindow,
  windowRevealing,
  zoomedAt,
} from '../../drawing/timeline/scene.ts';
import { TimelineView } from '../../drawing/timeline/timeline-view.ts';
import type { Block, TimelineBlocks, TimelineContext } from './blocks.ts';
import { timeOfStep } from './steps.ts';

/** Number of shown tracks per lane: one, some or all. */
export class LaneFolds {
  readonly #unfolded = new Set<string>();
  readonly #folded = new Set<string>();

  rows(blocks: readonly Block[], metrics: TimelineMetrics): ReturnType<typeof rowsOf> {
    const lanes = blocks.map(({ info }) => ({ trace: info.id, lanes: info.lanes }));
    return rowsOf(lanes, metrics, this.#unfolded, this.#folded);
  }

  /** Advances to the next state in the order some, all, one. Returns false for a lane with a single track. */
  toggle(trace: TraceId, lane: number, tracks: number): boolean {
    const key = laneKey(trace, lane);
    if (tracks < 2) return false;
    if (this.#folded.delete(key)) this.#unfolded.add(key);
    else if (this.#unfolded.delete(key) || tracks <= FOLDED_TRACKS) this.#folded.add(key);
    else this.#unfolded.add(key);
    return true;
  }
}

/** Delay in ms after which the view counts as resting; arrows and statistics are then requested. */
const REST_MS = 140;

export class TimelineViewport {
  readonly view: TimelineView;
  readonly #context: TimelineContext;
  readonly #blocks: TimelineBlocks;
  readonly #rested: () => void;
  readonly #folds = new LaneFolds();
  /** Visible window; null to show the full time until the user changes it. */
  #window: TimeWindow | null = null;
  #scroll = 0;
  #marks: TimelineMarks = NO_MARKS;
  #rest: ReturnType<typeof setTimeout> | null = null;

  /** `rested` is called when the view has not moved for a while. */
  constructor(
    context: TimelineContext,
    blocks: TimelineBlocks,
    [below, above]: readonly [HTMLCanvasElement, HTMLCanvasElement],
    rested: () => void,
  ) {
    this.#context = context;
    this.#blocks = blocks;
    this.#rested = rested;
    this.view = new TimelineView(below, above, context.workbench.scheduler, () => this.show());
  }

  dispose(): void {
    if (this.#rest !== null) clearTimeout(this.#rest);
    this.view.dispose();
  }

  get window(): TimeWindow {
    return this.#window ?? fitWindow(this.#blocks.whole());
  }

  set window(window: TimeWindow) {
    this.#window = clampWindow(window, this.#blocks.whole());
    this.show();
  }

  showAll(): void {
    this.#window = null;
    this.show();
  }

  /** Zooms around a position in CSS pixels, or around the middle. */
  zoomAt(factor: number, x: number | null): void {
    const { from, to } = this.window;
    const at = x === null ? (from + to) / 2 : this.view.timeAt(x);
    this.#window = zoomedAt(this.window, this.#blocks.whole(), at, factor);
    this.show();
  }

  /** Pans by a time, and scrolls down by `y` CSS pixels. */
  move(ns: number, y = 0): void {
    this.#window = shiftedWindow(this.window, this.#blocks.whole(), ns);
    this.scrollBy(y);
  }

  scrollBy(y: number): void {
    this.#scroll += y;
    this.show();
  }

  toggle(trace: TraceId, lane: number): void {
    const tracks = this.#blocks.blockOf(trace)?.info.lanes[lane]?.tracks ?? 0;
    if (this.#folds.toggle(trace, lane, tracks)) this.show();
  }

  /** Scrolls a span into view, in time and vertically. */
  reveal(trace: TraceId, { track, start_ns, duration_ns }: PlacedSpan): void {
    const at = this.#blocks.toAxisTime(trace, start_ns);
    this.#window = windowRevealing(this.window, this.#blocks.whole(), at, duration_ns);
    const row = this.#rows().rows.find(
      (each) => each.kind === 'lane' && each.trace === trace && each.tracks.includes(track),
    );
    const { plotHeight } = this.view.frame;
    if (row !== undefined) this.#scroll = scrolledTo(row, this.#scroll, plotHeight);
    this.show();
  }

  get marks(): TimelineMarks {
    return this.#marks;
  }

  mark(change: Partial<TimelineMarks>): void {
    this.#marks = { ...this.#marks, ...change };
    this.view.mark(this.#marks);
  }

  /** Paints available data, requests missing data, and calls `rested` once the view has settled. */
  show(): void {
    if (this.#context.isClosed || this.view.size.width <= 0) return;
    const scene = this.scene();
    const { frame, size } = this.view;
    const inSight = visibleLanes(scene, frame.plotHeight);
    for (const block of this.#blocks.all) {
      const tracks = inSight.filter(({ trace }) => trace === block.info.id).flatMap((row) => row.tracks);
      const origin = this.#blocks.origin(block.info.id);
      const { from, to } = scene.view;
      const pixels = Math.max(1, Math.round(frame.plotWidth * size.ratio));
      block.feed.request({ from_ns: from + origin, to_ns: to + origin, pixels, tracks });
    }
    this.view.show(scene);
    if (this.#rest !== null) clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      this.#rest = null;
      this.#rested();
    }, REST_MS);
  }

  scene(): TimelineScene {
    const { rows, height } = this.#rows();
    this.#scroll = Math.max(0, Math.min(this.#scroll, height - this.view.frame.plotHeight));
    const search = this.#context.state.getState().search?.text.toLowerCase() ?? '';
    const { metrics } = this.view;
    return { blocks: this.#sceneBlocks(), rows, metrics, view: this.window, scroll: this.#scroll, search };
  }

  #rows(): ReturnType<LaneFolds['rows']> {
    return this.#folds.rows(this.#blocks.all, this.view.metrics);
  }

  #sceneBlocks(): readonly SceneBlock[] {
    const { playback, selection } = this.#context.workbench.stores;
    const { frames, index } = playback.getState();
    const shownRun = selection.getState().run;
    const frame = frames[index];
    return this.#blocks.all.map(({ info, feed, steps }): SceneBlock => {
      const at =
        info.run !== null && info.run === shownRun && frame !== undefined && steps !== null
          ? timeOfStep(steps, frame.step)
          : null;
      return {
        trace: info.id,
        title: info.name,
        about: info.about,
        lanes: info.lanes,
        origin_ns: this.#blocks.origin(info.id),
        window: feed.window,
        nameOf: (name) => feed.nameOf(name),
        playhead_ns: at === null ? null : this.#blocks.toAxisTime(info.id, at),
      };
    });
  }
}
