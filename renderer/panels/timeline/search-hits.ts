/** Spans that a search found, over all blocks, and going through them. */
import type { TraceId } from '../../../electron/contract/timeline.ts';
import { lastAsked } from '../../base/last-asked.ts';
import type { Block, TimelineBlocks } from './blocks.ts';
import type { TimelineContext } from './context.ts';
import type { SpanChoice } from './span-choice.ts';
import type { TimelineViewport } from './viewport.ts';

// Arrows from launches to their work in what is shown, fetched when it rests.

/** More arrows than this are a net, not a picture: none are drawn until one zooms in. */
const MOST_ARROWS = 60;

export class LaunchArrows {
  readonly #context: TimelineContext;
  readonly #blocks: TimelineBlocks;
  readonly #viewport: TimelineViewport;
  /** Discards outdated answers: from another window, another alignment, or with arrows disabled since. */
  readonly #ask = lastAsked();

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
    const asked = { trace: block.info.id, from_ns: from + origin, to_ns: to + origin };
    const found = await this.#context.workbench.client
      .call('timeline.arrows', { ...asked, tracks: [...window.tracks], limit: MOST_ARROWS })
      .catch(() => null);
    if (found === null || this.#context.closed || !isLast()) return;
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

const MOST_HITS = 20_000;
const LONGEST_TEXT = 200;

interface Hit {
  readonly trace: TraceId;
  readonly span: number;
  /** Time of the trace. */
  readonly at: number;
}

export class SearchHits {
  readonly #context: TimelineContext;
  readonly #blocks: TimelineBlocks;
  readonly #viewport: TimelineViewport;
  readonly #choice: SpanChoice;
  #hits: readonly Hit[] = [];
  #number = 0;
  /** Empty: nothing. */
  #sought = '';

  constructor(context: TimelineContext, blocks: TimelineBlocks, viewport: TimelineViewport, choice: SpanChoice) {
    this.#context = context;
    this.#blocks = blocks;
    this.#viewport = viewport;
    this.#choice = choice;
  }

  async search(text: string): Promise<void> {
    const wanted = text.trim();
    const number = ++this.#number;
    this.#sought = wanted;
    if (wanted === '') {
      this.#hits = [];
      this.#context.state.setState({ search: null });
      this.#show();
      return;
    }
    const found = await Promise.all(
      this.#blocks.all.map(async ({ info }) => {
        const asked = { trace: info.id, text: wanted.slice(0, LONGEST_TEXT), limit: MOST_HITS };
        return { info, ...(await this.#context.workbench.client.call('timeline.search', asked)) };
      }),
    ).catch((error: unknown) => this.#context.fail('The search failed', error));
    if (found === null || number !== this.#number) return;
    this.#hits = found
      .flatMap(({ info, span, start_ns }) =>
        Array.from(span, (each, i): Hit => ({ trace: info.id, span: each, at: start_ns[i] ?? 0 })),
      )
      .sort((a, b) => this.#place(a) - this.#place(b));
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

  /** Forgets what was found in blocks that are gone; what was sought before is sought in what came, too. */
  follow(more: boolean): void {
    this.#hits = this.#hits.filter(({ trace }) => this.#blocks.of(trace) !== null);
    if (this.#sought !== '' && more) void this.search(this.#sought);
  }

  /** The next span that was found, or the one before. */
  async goTo(step: 1 | -1): Promise<void> {
    const { search } = this.#context.state.getState();
    const count = this.#hits.length;
    if (search === null || count === 0) return;
    const index =
      search.index === null ? (step > 0 ? this.#firstInSight() : count - 1) : (search.index + step + count) % count;
    const hit = this.#hits[index];
    if (hit === undefined) return;
    this.#context.state.setState({ search: { ...search, index } });
    await this.#choice.choose(hit.trace, hit.span, true);
    this.#show();
  }

  #place({ trace, at }: Hit): number {
    return this.#blocks.onAxis(trace, at);
  }

  #show(): void {
    const hits = Float64Array.from(this.#hits, (hit) => this.#place(hit));
    const index = this.#context.state.getState().search?.index ?? null;
    this.#viewport.mark({ hits, currentHit_ns: index === null ? null : (hits[index] ?? null) });
    this.#viewport.show();
  }

  #firstInSight(): number {
    const { from } = this.#viewport.window;
    return Math.max(
      0,
      this.#hits.findIndex((hit) => this.#place(hit) >= from),
    );
  }
}
