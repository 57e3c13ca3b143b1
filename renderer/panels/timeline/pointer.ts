/** What is under the pointer: the mark, the reading, and the step that the maps go to. */
import type { RunId } from '../../../electron/contract/run.ts';
import type { TraceId } from '../../../electron/contract/timeline.ts';
import type { SceneMark } from '../../drawing/timeline/scene.ts';
import type { TimelineBlocks } from './blocks.ts';
import type { TimelineContext } from './context.ts';
import { keyframeAt, stepAt } from './steps.ts';
import type { TimelineViewport } from './viewport.ts';

export class TimelinePointer {
  readonly #context: TimelineContext;
  readonly #blocks: TimelineBlocks;
  readonly #viewport: TimelineViewport;
  /** The keyframe that this panel asked for, which needs no answer. */
  #askedFrame: number | null = null;

  constructor(context: TimelineContext, blocks: TimelineBlocks, viewport: TimelineViewport) {
    this.#context = context;
    this.#blocks = blocks;
    this.#viewport = viewport;
  }

  hover(canvas: HTMLCanvasElement, x: number, y: number): void {
    const pointed = this.#viewport.view.pointed(x, y);
    if (pointed === null) return;
    const { trace, track, span, region } = pointed;
    const inPlot = region !== 'gutter';
    const block = trace === null ? null : this.#blocks.of(trace);
    const window = block?.feed.window ?? null;
    let hovered: SceneMark | null = null;
    let duration_ns: number | null = null;
    if (span !== null && trace !== null && track !== null && window !== null) {
      const i = window.span.indexOf(span.span, window.offsets[window.tracks.indexOf(track)] ?? 0);
      const pixel = (window.to_ns - window.from_ns) / window.pixels;
      const at = (edge: number | undefined): number => this.#blocks.onAxis(trace, window.from_ns + (edge ?? 0) * pixel);
      hovered = { trace, track, from_ns: at(window.left[i]), to_ns: at(window.right[i]) };
      // Edges beyond the window are cut there: the length is known of whole spans only.
      const whole = (window.left[i] ?? -1) > -1 && (window.right[i] ?? 0) < window.pixels + 1;
      duration_ns = span.count === 1 && whole ? hovered.to_ns - hovered.from_ns : null;
    }
    this.#viewport.mark({ cursor_ns: inPlot ? pointed.ns : null, hovered });
    this.#context.state.setState({
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

  leave(): void {
    this.#viewport.mark({ cursor_ns: null, hovered: null });
    this.#context.state.setState({ pointed: null });
  }

  /** Moves the maps to the step at a moment of the run that they show. */
  #followStep(trace: TraceId | null, ns: number): void {
    const { workbench, settings } = this.#context;
    const { playback, selection } = workbench.stores;
    const block = trace === null ? null : this.#blocks.of(trace);
    if (!settings.getState().follow || block === null || block.steps === null) return;
    const run: RunId | null = block.info.run;
    const { frames, index } = playback.getState();
    if (run === null || run !== selection.getState().run || frames.length === 0) return;
    const step = stepAt(block.steps, ns + this.#blocks.origin(block.info.id));
    if (step === null) return;
    const frame = keyframeAt(frames, step);
    if (frame === index || frame === this.#askedFrame) return;
    this.#askedFrame = frame;
    playback.go(frame);
    this.#askedFrame = null;
  }
}
