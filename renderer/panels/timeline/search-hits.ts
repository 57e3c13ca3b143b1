/** Search hits over all blocks, with navigation between them. The chosen span: its details, marks and arrows. */
import type { PlacedSpan, TraceId } from '../../../electron/contract/timeline.ts';
import { latestRequest } from '../../base/latest-request.ts';
import type { SceneArrow, SceneMark } from '../../drawing/timeline/scene.ts';
import type { Block, TimelineBlocks, TimelineContext } from './blocks.ts';
import type { TimelineViewport } from './viewport.ts';

/** Maximum number of arrows to the work of one span, because a graph launches thousands. */
const SPAN_CHOICE_MAX_ARROWS = 200;

export class SpanChoice {
  readonly #context: TimelineContext;
  readonly #blocks: TimelineBlocks;
  readonly #viewport: TimelineViewport;
  #number = 0;

  constructor(context: TimelineContext, blocks: TimelineBlocks, viewport: TimelineViewport) {
    this.#context = context;
    this.#blocks = blocks;
    this.#viewport = viewport;
  }

  /** Shows a span's details; `reveal` also scrolls it into view. */
  async choose(trace: TraceId, span: number, reveal: boolean): Promise<void> {
    const { workbench, state } = this.#context;
    const number = ++this.#number;
    const { client } = workbench;
    const details = await client
      .call('timeline.span', { trace, span })
      .catch((error: unknown) => this.#context.fail('The span could not be read', error));
    const block = this.#blocks.blockOf(trace);
    if (details === null || block === null || number !== this.#number) return;
    state.setState({ chosen: { trace, details, sameName: null }, tab: 'span' });
    if (reveal) this.#viewport.reveal(trace, details);
    this.mark();
    const whole = { from_ns: 0, to_ns: block.info.duration_ns };
    const sameName = await client
      .call('timeline.statistics', { trace, ...whole, tracks: null, name: details.name })
      .catch((error: unknown) => this.#context.fail('The spans with that name could not be counted', error));
    if (sameName !== null && number === this.#number) state.setState({ chosen: { trace, details, sameName } });
  }

  /** Chooses the previous or next span on its track. */
  async chooseNeighbour(step: 1 | -1): Promise<void> {
    const { chosen } = this.#context.state.getState();
    if (chosen === null) return;
    const { trace, details } = chosen;
    const found = await this.#context.workbench.client
      .call('timeline.span', { trace, span: Math.max(0, details.span + step) })
      .catch(() => null);
    // The next span number may be on the next track.
    if (found !== null && found.track === details.track && found.span !== details.span)
      await this.choose(trace, found.span, true);
  }

  /** Discards pending responses; the owner clears the marks. */
  clear(): void {
    this.#number += 1;
    this.#context.state.setState({ chosen: null });
  }

  /** Marks the chosen span at its current position; called again after blocks are aligned. */
  mark(): void {
    const { chosen } = this.#context.state.getState();
    if (chosen === null) return;
    const { trace, details } = chosen;
    const place = ({ track, start_ns, duration_ns }: PlacedSpan): SceneMark => {
      const from_ns = this.#blocks.toAxisTime(trace, start_ns);
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
    this.#viewport.mark({
      chosen: own,
      chosenArrows: [
        ...details.launched.slice(0, SPAN_CHOICE_MAX_ARROWS).map((span) => arrow(own, place(span))),
        ...details.launchedBy.map((span) => arrow(place(span), own)),
      ],
    });
  }
}

// Arrows lead from launches to their work. Those in the visible window are requested when the view rests.

/** Maximum number of drawn arrows. More would be unreadable; then no arrows are drawn until the user zooms in. */
const MAX_ARROWS = 60;

export class LaunchArrows {
  readonly #context: TimelineContext;
  readonly #blocks: TimelineBlocks;
  readonly #viewport: TimelineViewport;
  /** Discards outdated responses: from another window, another alignment, or with arrows disabled since. */
  readonly #ask = latestRequest();

  constructor(context: TimelineContext, blocks: TimelineBlocks, viewport: TimelineViewport) {
    this.#context = context;
    this.#blocks = blocks;
    this.#viewport = viewport;
  }

  refresh(): void {
    const isLast = this.#ask();
    if (!this.#context.settings.getState().arrows) {
      for (const block of this.#blocks.all) block.arrows = [];
      this.#viewport.mark({ arrows: [] });
      return;
    }
    for (const block of this.#blocks.all) void this.#fetch(block, isLast);
  }

  async #fetch(block: Block, isLast: () => boolean): Promise<void> {
    const { window } = block.feed;
    if (window === null) return;
    const origin = this.#blocks.origin(block.info.id);
    const { from, to } = this.#viewport.window;
    const requested = { trace: block.info.id, from_ns: from + origin, to_ns: to + origin };
    const found = await this.#context.workbench.client
      .call('timeline.arrows', { ...requested, tracks: [...window.tracks], limit: MAX_ARROWS })
      .catch(() => null);
    if (found === null || this.#context.isClosed || !isLast()) return;
    block.arrows = Array.from(found.from_ns, (start, i) => ({
      trace: block.info.id,
      fromTrack: found.fromTrack[i] ?? 0,
      toTrack: found.toTrack[i] ?? 0,
      from_ns: start - origin,
      to_ns: (found.to_ns[i] ?? 0) - origin,
    }));
    this.#viewport.mark({ arrows: this.#blocks.all.flatMap(({ arrows }) => arrows) });
  }
}

const MAX_HITS = 20_000;
const LONGEST_TEXT = 200;

interface Hit {
  readonly trace: TraceId;
  readonly span: number;
  /** Time in the trace. */
  readonly at: number;
}

export class SearchHits {
  readonly #context: TimelineContext;
  readonly #blocks: TimelineBlocks;
  readonly #viewport: TimelineViewport;
  readonly #choice: SpanChoice;
  #hits: readonly Hit[] = [];
  #number = 0;
  /** Search text; empty for no search. */
  #query = '';

  constructor(context: TimelineContext, blocks: TimelineBlocks, viewport: TimelineViewport, choice: SpanChoice) {
    this.#context = context;
    this.#blocks = blocks;
    this.#viewport = viewport;
    this.#choice = choice;
  }

  async search(text: string): Promise<void> {
    const wanted = text.trim();
    const number = ++this.#number;
    this.#query = wanted;
    if (wanted === '') {
      this.#hits = [];
      this.#context.state.setState({ search: null });
      this.#show();
      return;
    }
    const found = await Promise.all(
      this.#blocks.all.map(async ({ info }) => {
        const request = { trace: info.id, text: wanted.slice(0, LONGEST_TEXT), limit: MAX_HITS };
        return { info, ...(await this.#context.workbench.client.call('timeline.search', request)) };
      }),
    ).catch((error: unknown) => this.#context.fail('The search failed', error));
    if (found === null || number !== this.#number) return;
    this.#hits = found
      .flatMap(({ info, span, start_ns }) =>
        Array.from(span, (each, i): Hit => ({ trace: info.id, span: each, at: start_ns[i] ?? 0 })),
      )
      .sort((a, b) => this.#axisTime(a) - this.#axisTime(b));
    const sum = (of: (one: NonNullable<typeof found>[number]) => number): number =>
      found.reduce((total, one) => total + of(one), 0);
    this.#context.state.setState({
      search: {
        text: wanted,
        count: sum(({ count }) => count),
        names: sum(({ names }) => names),
        sum_ns: sum(({ sum_ns }) => sum_ns),
        index: null,
        reachable: this.#hits.length,
      },
    });
    this.#show();
  }

  /** Drops hits in blocks that were closed. If there are new blocks (`more`), repeats the search. */
  follow(more: boolean): void {
    this.#hits = this.#hits.filter(({ trace }) => this.#blocks.blockOf(trace) !== null);
    if (this.#query !== '' && more) void this.search(this.#query);
  }

  /** Goes to the next or previous search hit. */
  async goTo(step: 1 | -1): Promise<void> {
    const { search } = this.#context.state.getState();
    const count = this.#hits.length;
    if (search === null || count === 0) return;
    const index =
      search.index === null ? (step > 0 ? this.#firstVisible() : count - 1) : (search.index + step + count) % count;
    const hit = this.#hits[index];
    if (hit === undefined) return;
    this.#context.state.setState({ search: { ...search, index } });
    await this.#choice.choose(hit.trace, hit.span, true);
    this.#show();
  }

  #axisTime({ trace, at }: Hit): number {
    return this.#blocks.toAxisTime(trace, at);
  }

  #show(): void {
    const hits = Float64Array.from(this.#hits, (hit) => this.#axisTime(hit));
    const index = this.#context.state.getState().search?.index ?? null;
    this.#viewport.mark({ hits, currentHit_ns: index === null ? null : (hits[index] ?? null) });
    this.#viewport.show();
  }

  #firstVisible(): number {
    const { from } = this.#viewport.window;
    return Math.max(
      0,
      this.#hits.findIndex((hit) => this.#axisTime(hit) >= from),
    );
  }
}
