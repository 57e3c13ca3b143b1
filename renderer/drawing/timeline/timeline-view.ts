/**
 * A timeline on two stacked canvases: lanes and spans below, what moves over
 * them above, so that pointing repaints lines and never the spans. Knows no
 * React and no store.
 */
import type { Drawing2D } from '../context-2d.ts';
import { Layers } from '../layers.ts';
import type { FrameScheduler } from '../scheduler.ts';
import type { SurfaceSize } from '../surface.ts';
import { type TimelineFrame, timelineFrame, timelineMetrics, timeOf } from './frame.ts';
import { type Pointed, pointedAt } from './hit.ts';
import { type GutterColors, paintGround, paintNamesAndRuler } from './paint-lanes.ts';
import { paintMarks } from './paint-marks.ts';
import { paintSpans, paintSpansAsRectangles } from './paint-spans.ts';
import { readTimelinePalette, type TimelinePalette } from './palette.ts';
import type { TimelineMetrics } from './rows.ts';
import { NO_MARKS, type TimelineMarks, type TimelineScene } from './scene.ts';
import { TrackPixels } from './track-pixels.ts';

export class TimelineView {
  readonly #layers: Layers;
  readonly #pixels = new TrackPixels();
  #palette: TimelinePalette;
  #colors: GutterColors;
  #scene: TimelineScene | null = null;
  #marks: TimelineMarks = NO_MARKS;

  /** `resized` is called with the first size too, and when the type's size changes. */
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
    return timelineFrame(width, height, this.#layers.theme.labelSize);
  }

  get metrics(): TimelineMetrics {
    return timelineMetrics(this.#layers.theme.labelSize);
  }

  show(scene: TimelineScene): void {
    this.#scene = scene;
    this.#layers.ask();
  }

  mark(marks: TimelineMarks): void {
    this.#marks = marks;
    this.#layers.askAbove();
  }

  /** What is under a position in CSS pixels within the canvas. */
  pointed(x: number, y: number): Pointed | null {
    return this.#scene === null ? null : pointedAt(this.#scene, this.frame, x, y);
  }

  timeAt(x: number): number {
    return this.#scene === null ? 0 : timeOf(this.frame, this.#scene.view, x);
  }

  /** Draws what is shown on something else, with vectors instead of pixels. */
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
    const context = this.#layers.below.begin();
    const scene = this.#scene;
    if (context === null || scene === null) return;
    const frame = this.frame;
    paintGround(context, scene, frame, this.#layers.theme);
    paintSpans(context, scene, frame, this.#layers.below.size.ratio, this.#pixels, this.#palette, this.#layers.theme);
    paintNamesAndRuler(context, scene, frame, this.#layers.theme, this.#colors);
  };

  readonly #paintAbove = (): void => {
    const context = this.#layers.above.begin();
    if (context === null || this.#scene === null) return;
    paintMarks(context, this.#scene, this.#marks, this.frame, this.#layers.theme);
  };
}

function readColors(element: Element): GutterColors {
  const style = getComputedStyle(element);
  const token = (name: string): string => style.getPropertyValue(name).trim();
  return { head: token('--surface-hover'), gutter: token('--surface'), line: token('--line') };
}
