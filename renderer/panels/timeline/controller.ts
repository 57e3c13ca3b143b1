/** Connects the canvases to the timelines: drawing, requests, pointer and selection. */
import type { StoreApi } from 'zustand/vanilla';
import type { TimelineNote } from '../../../electron/contract/projects/timeline-notes.ts';
import type { TraceId, TraceInfo } from '../../../electron/contract/timeline.ts';
import type { Figure } from '../../drawing/export/figure.ts';
import { fitWindow, type TimeWindow } from '../../drawing/timeline/scene.ts';
import type { Workbench } from '../../workbench/workbench.ts';
import { TimelineBlocks, TimelineContext } from './blocks.ts';
import { timelineFigure } from './figure.ts';
import { listenOnTimeline, type TimelineGestures, type TimelineKey } from './gestures.ts';
import { TimelineNotes } from './notes.ts';
import { LaunchArrows, SearchHits, SpanChoice } from './search-hits.ts';
import type { Alignment, TimelineSettings, TimelineStateStore } from './store.ts';
import { TimelinePointer, TimeSelection } from './time-selection.ts';
import { TimelineViewport } from './viewport.ts';

export class TimelineController {
  /** True after the user has chosen an alignment. */
  #aligned = false;
  readonly #context: TimelineContext;
  readonly #blocks: TimelineBlocks;
  readonly #viewport: TimelineViewport;
  readonly #arrows: LaunchArrows;
  readonly #choice: SpanChoice;
  readonly #selection: TimeSelection;
  readonly #notes: TimelineNotes;
  readonly #hits: SearchHits;
  readonly #pointer: TimelinePointer;
  readonly #stops: (() => void)[];

  constructor(
    workbench: Workbench,
    settings: StoreApi<TimelineSettings>,
    state: TimelineStateStore,
    below: HTMLCanvasElement,
    above: HTMLCanvasElement,
  ) {
    this.#context = new TimelineContext(workbench, settings, state);
    this.#blocks = new TimelineBlocks(this.#context, () => this.#viewport.show());
    this.#viewport = new TimelineViewport(this.#context, this.#blocks, [below, above], () => this.#rested());
    const parts = [this.#context, this.#blocks, this.#viewport] as const;
    this.#arrows = new LaunchArrows(...parts);
    this.#choice = new SpanChoice(...parts);
    this.#selection = new TimeSelection(this.#context, this.#blocks);
    this.#notes = new TimelineNotes(this.#context, () => this.#markNotes());
    this.#hits = new SearchHits(...parts, this.#choice);
    this.#pointer = new TimelinePointer(...parts);
    const { stores } = workbench;
    this.#stops = [
      stores.timelines.subscribe((now, before) => {
        if (now.open !== before.open) this.#syncTimelines(now.open);
      }),
      stores.playback.subscribe(() => this.#viewport.show()),
      stores.selection.subscribe((now, before) => {
        if (now.run !== before.run) this.#viewport.show();
      }),
      settings.subscribe((now, before) => {
        if (now.arrows !== before.arrows) this.#rested();
      }),
      listenOnTimeline(above, this.#gestures(above)),
    ];
    this.#syncTimelines(stores.timelines.getState().open);
  }

  dispose(): void {
    this.#context.close();
    for (const stop of this.#stops) stop();
    this.#blocks.close();
    this.#viewport.dispose();
  }

  /** True if no request to the host is pending. */
  get isSettled(): boolean {
    return this.#blocks.isSettled;
  }

  get window(): TimeWindow {
    return this.#viewport.window;
  }

  set window(window: TimeWindow) {
    this.#viewport.window = window;
  }

  showAll(): void {
    this.#viewport.showAll();
  }

  zoom(factor: number): void {
    this.#viewport.zoomAt(factor, null);
  }

  /** Changes the alignment; the selection stays fixed on the first timeline. */
  align(alignment: Alignment): void {
    this.#aligned = true;
    const { state } = this.#context;
    const first = this.#blocks.all[0]?.info.id ?? null;
    const before = first === null ? 0 : this.#blocks.origin(first);
    state.setState({ alignment });
    const moved = before - (first === null ? 0 : this.#blocks.origin(first));
    const { selection } = this.#viewport.marks;
    this.#viewport.showAll();
    this.#choice.mark();
    this.#markNotes();
    if (selection !== null) this.#select({ from: selection.from + moved, to: selection.to + moved });
  }

  /** Selects the full time of all timelines. */
  selectAll(): void {
    this.#select(this.#blocks.whole());
  }

  /** Scrolls a part of a timeline into view, and selects it unless its length is zero. */
  goTo(trace: TraceId, from_ns: number, to_ns: number): void {
    const [from, to] = [this.#blocks.toAxisTime(trace, from_ns), this.#blocks.toAxisTime(trace, to_ns)];
    this.window = fitWindow({ from, to: Math.max(to, from + 1) });
    const { tab } = this.#context.state.getState();
    if (to > from) this.#select({ from, to });
    // Stay on the current tab while the user steps through its list.
    this.#context.state.setState({ tab });
  }

  /** Dims everything between slow steps. */
  showOnlySlow(only: boolean): void {
    const { state } = this.#context;
    state.setState({ onlySlow: only });
    this.#markSlow();
  }

  /** Adds a note to the selection, or else to the visible time. */
  addNote(trace: TraceId, text: string): Promise<void> {
    const { from, to } = this.#viewport.marks.selection ?? this.window;
    const origin = this.#blocks.origin(trace);
    return this.#notes.add(trace, { from_ns: from + origin, to_ns: to + origin, text });
  }

  removeNote(trace: TraceId, note: TimelineNote): Promise<void> {
    return this.#notes.remove(trace, note);
  }

  #select(range: TimeWindow): void {
    this.#viewport.mark({ selection: range });
    void this.#selection.count(range.from, range.to);
  }

  #markSlow(): void {
    const { slow, onlySlow } = this.#context.state.getState();
    const kept = this.#blocks.all.flatMap(({ info }) =>
      (slow[info.id]?.slow ?? []).map(({ from_ns, to_ns }) => ({
        trace: info.id,
        from: this.#blocks.toAxisTime(info.id, from_ns),
        to: this.#blocks.toAxisTime(info.id, to_ns),
      })),
    );
    this.#viewport.mark({ undimmed: onlySlow ? kept : null });
  }

  #markNotes(): void {
    const { notes } = this.#context.state.getState();
    const marked = this.#blocks.all.flatMap(({ info }) =>
      (notes[info.id] ?? []).map(({ from_ns, to_ns, text }) => ({
        ...{ text, from: this.#blocks.toAxisTime(info.id, from_ns), to: this.#blocks.toAxisTime(info.id, to_ns) },
      })),
    );
    this.#viewport.mark({ notes: marked });
    this.#markSlow();
  }

  search(text: string): Promise<void> {
    return this.#hits.search(text);
  }

  /** Goes to the next or previous search hit. */
  goToHit(step: 1 | -1): Promise<void> {
    return this.#hits.goTo(step);
  }

  /** Shows a span's details; `reveal` also scrolls it into view. */
  choose(trace: TraceId, span: number, reveal: boolean): Promise<void> {
    return this.#choice.choose(trace, span, reveal);
  }

  clear(): void {
    this.#choice.clear();
    this.#selection.clear();
    this.#viewport.mark({ chosen: null, chosenArrows: [], selection: null });
  }

  /** Exports a timeline as Chrome Trace: the selected time or all of it. */
  exportTrace(trace: TraceId, selected: boolean): void {
    const { selection } = this.#viewport.marks;
    const origin = this.#blocks.origin(trace);
    const within = selected && selection !== null ? ([selection.from + origin, selection.to + origin] as const) : null;
    void this.#context.workbench.timelines.exportTrace(trace, within);
  }

  figure(): Figure | null {
    const { view } = this.#viewport;
    const { width, height } = view.size;
    if (this.#blocks.all.length === 0 || width <= 0) return null;
    return timelineFigure(this.#viewport.scene(), { width, height }, (context) => view.paintOn(context));
  }

  #syncTimelines(open: readonly TraceInfo[]): void {
    const more = this.#blocks.syncBlocks(open);
    // Align by the first kernels if possible, because set-up times differ by seconds. Keep an alignment that the user
    // has chosen.
    const { haveKernels } = this.#blocks;
    const { alignment } = this.#context.state.getState();
    if (!this.#aligned && haveKernels) this.#context.state.setState({ alignment: { by: 'kernel' } });
    if (alignment.by === 'kernel' && !haveKernels) this.#context.state.setState({ alignment: { by: 'start' } });
    const { chosen } = this.#context.state.getState();
    if (chosen !== null && this.#blocks.blockOf(chosen.trace) === null) this.clear();
    this.#viewport.showAll();
    this.#hits.follow(more);
    void this.#notes.follow(open.map(({ id }) => id));
    // The selected time stays and now includes the added timeline.
    const { selection } = this.#viewport.marks;
    if (more && selection !== null) this.#select(selection);
  }

  #rested(): void {
    const { from, to } = this.#viewport.window;
    // Update the text only when the view rests: doing so with every frame would cost more than drawing the spans.
    this.#context.state.setState({ shown_ns: to - from });
    this.#arrows.refresh();
  }

  #key(action: TimelineKey): boolean {
    const { chosen, search } = this.#context.state.getState();
    const { selection, chosen: mark } = this.#viewport.marks;
    switch (action) {
      case 'fit': {
        const range = selection ?? (mark === null ? null : { from: mark.from_ns, to: mark.to_ns });
        if (range === null) this.showAll();
        else this.window = fitWindow(range);
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
        if (chosen === null && selection === null) return false;
        this.clear();
        return true;
      default:
        void this.#choice.chooseNeighbour(action === 'right-span' ? 1 : -1);
        return true;
    }
  }

  #gestures(canvas: HTMLCanvasElement): TimelineGestures {
    const viewport = this.#viewport;
    const { view } = viewport;
    const width_ns = (): number => this.window.to - this.window.from;
    return {
      zoom: (factor, x) => viewport.zoomAt(factor, x),
      panShare: (share) => viewport.move(share * width_ns()),
      panPixels: (x, y) => viewport.move((x * width_ns()) / view.frame.plotWidth, y),
      scroll: (y) => viewport.scrollBy(y),
      hover: (x, y) => this.#pointer.hover(canvas, x, y),
      leave: () => this.#pointer.leave(),
      click: (x, y) => {
        const pointed = view.pointed(x, y);
        if (pointed === null) return;
        if (pointed.region === 'gutter' && pointed.trace !== null && pointed.lane !== null) {
          viewport.toggle(pointed.trace, pointed.lane);
        } else if (pointed.span !== null && pointed.trace !== null) {
          void this.choose(pointed.trace, pointed.span.span, false);
        } else this.clear();
      },
      doubleClick: (x, y) => {
        const pointed = view.pointed(x, y);
        if (pointed?.span === null || pointed === null) this.showAll();
        else this.#key('fit');
      },
      select: (fromX, toX, done) => {
        const { gutter, width } = view.frame;
        const clip = (x: number): number => view.timeAt(Math.min(width, Math.max(gutter, x)));
        const [from, to] = [clip(Math.min(fromX, toX)), clip(Math.max(fromX, toX))];
        viewport.mark({ selection: { from, to } });
        if (done) void this.#selection.count(from, to);
      },
      selects: (x, y, shift) => {
        const region = view.pointed(x, y)?.region;
        if (region === 'ruler') return true;
        return region !== 'gutter' && (this.#context.settings.getState().drag === 'select') !== shift;
      },
      inGutter: (x) => x < view.frame.gutter,
      key: (action) => this.#key(action),
    };
  }
}
