/** Arrows from launches to their work in what is shown, fetched when it rests. */
import { lastAsked } from '../../base/last-asked.ts';
import type { Block, TimelineBlocks } from './blocks.ts';
import type { TimelineContext } from './context.ts';
import type { TimelineViewport } from './viewport.ts';

/** More arrows than this are a net, not a picture: none are drawn until one zooms in. */
const MOST_ARROWS = 60;

export class LaunchArrows {
  readonly #context: TimelineContext;
  readonly #blocks: TimelineBlocks;
  readonly #viewport: TimelineViewport;
  /** Answers to what was asked before are of another window, another alignment, or no longer wanted at all. */
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
