/** The selected range of time and its contents. */

import type { RunId } from '../../../electron/contract/run.ts';
import { type Lane, MAX_TRACKS, type TraceId, type TraceInfo } from '../../../electron/contract/timeline.ts';
import type { SceneMark } from '../../drawing/timeline/scene.ts';
import type { TimelineBlocks, TimelineContext } from './blocks.ts';
import { keyframeAt, stepAt } from './steps.ts';
import type { SelectedLane } from './store.ts';
import type { TimelineViewport } from './viewport.ts';

/** Handles the pointer: marks the cursor, reports the values under the pointer, and moves the maps to its step. */
export class TimelinePointer {
  readonly #context: TimelineContext;
  readonly #blocks: TimelineBlocks;
  readonly #viewport: TimelineViewport;
  /**
   * Keyframe that this panel has requested. Playback then reports the same keyframe, which must not be requested again.
   */
  #requestedFrame: number | null = null;

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
    const block = trace === null ? null : this.#blocks.blockOf(trace);
    const window = block?.feed.window ?? null;
    let hovered: SceneMark | null = null;
    let duration_ns: number | null = null;
    if (span !== null && trace !== null && track !== null && window !== null) {
      const i = window.span.indexOf(span.span, window.offsets[window.tracks.indexOf(track)] ?? 0);
      const pixel = (window.to_ns - window.from_ns) / window.pixels;
      const at = (edge: number | undefined): number =>
        this.#blocks.toAxisTime(trace, window.from_ns + (edge ?? 0) * pixel);
      hovered = { trace, track, from_ns: at(window.left[i]), to_ns: at(window.right[i]) };
      // Spans that extend beyond the window are clipped; their duration is known only if both edges are inside.
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

  /** Moves the maps to the step at a moment, if they show the run of that trace. */
  #followStep(trace: TraceId | null, ns: number): void {
    const { workbench, settings } = this.#context;
    const { playback, selection } = workbench.stores;
    const block = trace === null ? null : this.#blocks.blockOf(trace);
    if (!settings.getState().follow || block === null || block.steps === null) return;
    const run: RunId | null = block.info.run;
    const { frames, index } = playback.getState();
    if (run === null || run !== selection.getState().run || frames.length === 0) return;
    const step = stepAt(block.steps, ns + this.#blocks.origin(block.info.id));
    if (step === null) return;
    const frame = keyframeAt(frames, step);
    if (frame === index || frame === this.#requestedFrame) return;
    this.#requestedFrame = frame;
    playback.go(frame);
    this.#requestedFrame = null;
  }
}

/** Maximum number of lanes with separate statistics. Further lanes only count in the total. */
const MAX_LANES = 64;

const isOnGpu = ({ kind }: Lane): boolean => kind === 'stream' || kind === 'copies';

/**
 * Kernels, graphs and copies run on the GPU; calls and waits run on the host. Further lanes of a process with GPU lanes
 * repeat the GPU's time, so the result is null for them.
 */
function executorOf(lane: Lane, { lanes }: TraceInfo): SelectedLane['on'] {
  if (isOnGpu(lane)) return 'GPU';
  const ofGpu = lanes.some((other) => other.process === lane.process && isOnGpu(other));
  return ofGpu && lane.kind !== 'api' ? null : 'host';
}

const tracksOf = ({ firstTrack, tracks }: Lane): number[] => Array.from({ length: tracks }, (_, i) => firstTrack + i);

const gpuLanes = ({ lanes }: TraceInfo): readonly Lane[] => lanes.filter(isOnGpu);

export class TimeSelection {
  readonly #context: TimelineContext;
  readonly #blocks: TimelineBlocks;
  #number = 0;

  constructor(context: TimelineContext, blocks: TimelineBlocks) {
    this.#context = context;
    this.#blocks = blocks;
  }

  /** Discards pending responses. */
  clear(): void {
    this.#number += 1;
    this.#context.state.setState({ selected: null });
  }

  /** Counts spans in a range on the common axis. */
  async count(from: number, to: number): Promise<void> {
    const { state, workbench } = this.#context;
    const number = ++this.#number;
    state.setState({ selected: { from, to, parts: [] }, tab: 'selection' });
    const parts = await Promise.all(
      this.#blocks.all.map(async ({ info }) => {
        const origin = this.#blocks.origin(info.id);
        const of = (tracks: number[] | null) =>
          workbench.client.call('timeline.statistics', {
            ...{ trace: info.id, from_ns: from + origin, to_ns: to + origin, name: null },
            tracks: tracks === null || tracks.length > MAX_TRACKS ? null : tracks,
          });
        const gpu = gpuLanes(info);
        const others = (on: SelectedLane['on']) => info.lanes.filter((lane) => executorOf(lane, info) === on);
        const apart = [...gpu, ...others(null), ...others('host')].slice(0, MAX_LANES);
        const [statistics, ...counted] = await Promise.all([
          // Host time that is spent waiting for a kernel must not be added to the GPU's time.
          of(gpu.length === 0 ? null : gpu.flatMap(tracksOf)),
          ...(gpu.length === 0 ? [] : apart.map((lane) => of(tracksOf(lane)))),
        ]);
        const lanes = counted.flatMap((one, i): SelectedLane[] => {
          const lane = apart[i];
          if (lane === undefined || one.count === 0) return [];
          const title = lane.process === '' ? lane.name : `${lane.process}, ${lane.name}`;
          return [{ title, on: executorOf(lane, info), statistics: one }];
        });
        return {
          trace: info.id,
          title: info.about === '' ? info.name : `${info.name}: ${info.about}`,
          statistics,
          lanes,
        };
      }),
    ).catch((error: unknown) => this.#context.fail('The selection could not be analysed', error));
    if (parts !== null && number === this.#number) state.setState({ selected: { from, to, parts } });
  }
}
