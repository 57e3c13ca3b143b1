/**
 * A timeline on two stacked canvases: lanes and spans below, moving marks above. Pointing repaints lines and never the
 * spans. Independent of React and the stores.
 */
import type { Drawing2D } from '../context-2d.ts';
import type { FrameScheduler } from '../scheduler.ts';
import { Layers, type SurfaceSize } from '../surface.ts';
import { type GutterColors, paintGround, paintNamesAndRuler } from './paint-lanes.ts';
import { paintMarks } from './paint-marks.ts';
import { paintSpans, paintSpansAsRectangles, placementOf } from './paint-spans.ts';
import {
  layOutTimeline,
  NO_MARKS,
  type TimelineFrame,
  type TimelineMarks,
  type TimelineMetrics,
  type TimelineScene,
  timelineMetrics,
  timeOf,
} from './scene.ts';
import { readTimelinePalette, type TimelinePalette, TrackPixels } from './track-pixels.ts';

/** Item under the pointer. */
interface PointedItem {
  /** Time on the common axis. */
  readonly ns: number;
  readonly region: 'ruler' | 'gutter' | 'head' | 'lane' | 'empty';
  readonly trace: string | null;
  /** Index of the lane in its trace. */
  readonly lane: number | null;
  readonly track: number | null;
  /** Span under the pointer, by index; the longest one if several spans share the pixel. */
  readonly span: { readonly span: number; readonly name: number; readonly count: number } | null;
}

/** Maximum distance of the pointer from a span in CSS pixels, so that spans one pixel wide can be clicked. */
const REACH = 3;

export function pointedAt(scene: TimelineScene, frame: TimelineFrame, x: number, y: number): PointedItem | null {
  if (x < 0 || y < 0 || x > frame.width || y > frame.height) return null;
  const ns = timeOf(frame, scene.view, x);
  const nothing: PointedItem = { ns, region: 'empty', trace: null, lane: null, track: null, span: null };
  if (y < frame.ruler) return { ...nothing, region: x < frame.gutter ? 'gutter' : 'ruler' };
  const at = y - frame.ruler + scene.scroll;
  const row = scene.rows.find((each) => at >= each.y && at < each.y + each.height);
  if (row === undefined) return nothing;
  if (row.kind === 'head') return { ...nothing, region: 'head', trace: row.trace };
  const place = { trace: row.trace, lane: row.lane };
  if (x < frame.gutter) return { ...nothing, ...place, region: 'gutter' };
  const track = row.tracks[Math.floor((at - row.y) / scene.metrics.track)] ?? null;
  return {
    ns,
    region: 'lane',
    ...place,
    track,
    span: track === null ? null : spanNear(scene, frame, row.trace, track, x),
  };
}

function spanNear(
  scene: TimelineScene,
  frame: TimelineFrame,
  trace: string,
  track: number,
  x: number,
): PointedItem['span'] {
  const block = scene.blocks.find((each) => each.trace === trace);
  const window = block?.window ?? null;
  if (block === undefined || window === null) return null;
  const placement = placementOf(block, scene, frame.plotWidth);
  const at = window.tracks.indexOf(track);
  if (placement === null || at < 0) return null;
  const edge = (column: Float32Array, i: number): number =>
    frame.gutter + placement.offset + placement.scale * (column[i] ?? 0);
  let best: number | null = null;
  let nearest = REACH;
  for (let i = window.offsets[at] ?? 0; i < (window.offsets[at + 1] ?? 0); i += 1) {
    const [from, to] = [edge(window.left, i), edge(window.right, i)];
    if (from > x + REACH) break;
    const away = x < from ? from - x : x > to ? x - to : 0;
    if (away > nearest || (away === nearest && best !== null)) continue;
    best = i;
    nearest = away;
    if (away === 0) break;
  }
  if (best === null) return null;
  return { span: window.span[best] ?? 0, name: window.name[best] ?? 0, count: window.count[best] ?? 1 };
}

export class TimelineView {
  readonly #layers: Layers;
  readonly #pixels = new TrackPixels();
  #palette: TimelinePalette;
  #colors: GutterColors;
  #scene: TimelineScene | null = null;
  #marks: TimelineMarks = NO_MARKS;

  /** `resized` is also called with the first size and when the font size changes. */
  constructor(
    below: HTMLCanvasElement,
    above: HTMLCanvasElement,
    scheduler: FrameScheduler,
    resized: (size: SurfaceSize) => void,
  ) {
    this.#palette = readTimelinePalette(below);
    this.#colors = readColors(below);
    this.#layers = new Layers(below, above, scheduler, {
      below: this.#paintBelow,
      above: this.#paintAbove,
      resized: () => resized(this.#layers.below.size),
      themed: () => {
        this.#palette = readTimelinePalette(below);
        this.#colors = readColors(below);
      },
    });
  }

  get size(): SurfaceSize {
    return this.#layers.below.size;
  }

  get frame(): TimelineFrame {
    const { width, height } = this.#layers.below.size;
    return layOutTimeline(width, height, this.#layers.theme.labelSize);
  }

  get metrics(): TimelineMetrics {
    return timelineMetrics(this.#layers.theme.labelSize);
  }

  show(scene: TimelineScene): void {
    this.#scene = scene;
    this.#layers.requestPaint();
  }

  mark(marks: TimelineMarks): void {
    this.#marks = marks;
    this.#layers.requestPaintAbove();
  }

  /** Item at a position in CSS pixels within the canvas. */
  pointed(x: number, y: number): PointedItem | null {
    return this.#scene === null ? null : pointedAt(this.#scene, this.frame, x, y);
  }

  timeAt(x: number): number {
    return this.#scene === null ? 0 : timeOf(this.frame, this.#scene.view, x);
  }

  /** Draws the timeline on another context, with vectors instead of pixels. */
  paintOn(context: Drawing2D): void {
    const scene = this.#scene;
    if (scene === null) return;
    paintGround(context, scene, this.frame, this.#layers.theme);
    paintSpansAsRectangles(context, scene, this.frame, this.#palette, this.#layers.theme);
    paintNamesAndRuler(context, scene, this.frame, this.#layers.theme, this.#colors);
  }

  dispose(): void {
    this.#layers.dispose();
  }

  readonly #paintBelow = (): void => {
    const context = this.#layers.below.clearedContext();
    const scene = this.#scene;
    if (context === null || scene === null) return;
    const frame = this.frame;
    paintGround(context, scene, frame, this.#layers.theme);
    paintSpans(context, scene, frame, this.#layers.below.size.ratio, this.#pixels, this.#palette, this.#layers.theme);
    paintNamesAndRuler(context, scene, frame, this.#layers.theme, this.#colors);
  };

  readonly #paintAbove = (): void => {
    const context = this.#layers.above.clearedContext();
    if (context === null || this.#scene === null) return;
    paintMarks(context, this.#scene, this.#marks, this.frame, this.#layers.theme);
  };
}

function readColors(element: Element): GutterColors {
  const style = getComputedStyle(element);
  const token = (name: string): string => style.getPropertyValue(name).trim();
  return { head: token('--surface-hover'), gutter: token('--surface'), line: token('--line') };
}
