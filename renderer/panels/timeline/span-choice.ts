/** The span whose details are shown, with its marks and arrows. */
import type { PlacedSpan, TraceId } from '../../../electron/contract/timeline.ts';
import type { SceneArrow, SceneMark } from '../../drawing/timeline/scene.ts';
import type { TimelineBlocks } from './blocks.ts';
import type { TimelineContext } from './context.ts';
import type { TimelineViewport } from './viewport.ts';

/** Arrows to what one span launched; a graph launches thousands. */
const MOST_ARROWS = 200;

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

  /** Shows a span's details; `reveal` brings it into sight. */
  async choose(trace: TraceId, span: number, reveal: boolean): Promise<void> {
    const { workbench, state } = this.#context;
    const number = ++this.#number;
    const { client } = workbench;
    const details = await client
      .call('timeline.span', { trace, span })
      .catch((error: unknown) => this.#context.fail('The span could not be read', error));
    const block = this.#blocks.of(trace);
    if (details === null || block === null || number !== this.#number) return;
    state.setState({ chosen: { trace, details, alike: null }, tab: 'span' });
    if (reveal) this.#viewport.reveal(trace, details);
    this.mark();
    const whole = { from_ns: 0, to_ns: block.info.duration_ns };
    const alike = await client
      .call('timeline.statistics', { trace, ...whole, tracks: null, name: details.name })
      .catch((error: unknown) => this.#context.fail('The spans of that name could not be counted', error));
    if (alike !== null && number === this.#number) state.setState({ chosen: { trace, details, alike } });
  }

  /** The one before or after it on its track. */
  async neighbour(step: 1 | -1): Promise<void> {
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

  /** Discards pending answers; the owner clears the marks. */
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
      const from_ns = this.#blocks.onAxis(trace, start_ns);
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
        ...details.launched.slice(0, MOST_ARROWS).map((span) => arrow(own, place(span))),
        ...details.launchedBy.map((span) => arrow(place(span), own)),
      ],
    });
  }
}
