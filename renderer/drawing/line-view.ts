/**
 * Curves over one axis on two stacked canvases: axes and curves below, the
 * cursor above, so that moving the pointer repaints one line. Knows no React
 * and no store.
 */
import { haloStroke, markTheme } from './annotations.ts';
import { drawFrame, drawHorizontalAxis, drawVerticalAxis } from './axes.ts';
import { contains, type PlotFrame, plotFrame } from './plot-frame.ts';
import { linearScale, logScale, type Scale } from './scale.ts';
import type { FrameScheduler } from './scheduler.ts';
import { Surface } from './surface.ts';
import { type DrawingTheme, onThemeChange, readDrawingTheme } from './theme.ts';
import { linearTicks } from './ticks.ts';

export interface LineCurve {
  /** Custom property of the page's styles that holds the colour. */
  readonly color: `--${string}`;
  /** As for `setLineDash`; empty: a full line. */
  readonly dash: readonly number[];
  readonly x: ArrayLike<number>;
  /** As many as x. Where a value cannot be drawn (zero on a logarithmic axis) the curve has a gap. */
  readonly y: ArrayLike<number>;
  readonly fill?: boolean;
}

export interface LineAxis {
  readonly title: string;
  readonly unit: string;
  readonly from: number;
  readonly to: number;
}

export interface LineScene {
  readonly horizontal: LineAxis;
  readonly vertical: LineAxis & { readonly kind: 'linear' | 'log' };
  readonly curves: readonly LineCurve[];
}

const WIDTH = 1.6;

export class LineView {
  readonly #below: Surface;
  readonly #above: Surface;
  readonly #scheduler: FrameScheduler;
  readonly #stopTheme: () => void;
  #theme: DrawingTheme;
  #scene: LineScene | null = null;
  #cursor: number | null = null;
  #mark: number | null = null;

  constructor(below: HTMLCanvasElement, above: HTMLCanvasElement, scheduler: FrameScheduler) {
    this.#scheduler = scheduler;
    this.#theme = readDrawingTheme(below);
    this.#below = new Surface(below, () => {
      this.#theme = readDrawingTheme(below);
      // At once: a canvas is empty after its size was set, and would flash.
      this.#paintBelow();
    });
    this.#above = new Surface(above, () => this.#paintAbove());
    this.#stopTheme = onThemeChange(() => {
      this.#theme = readDrawingTheme(below);
      this.#ask();
    });
  }

  /** Null: nothing to show. */
  show(scene: LineScene | null): void {
    this.#scene = scene;
    this.#ask();
  }

  /** Where the pointer is on the horizontal axis, and what is marked there for all panels; null: nothing. */
  setCursor(at: number | null, mark: number | null): void {
    if (at === this.#cursor && mark === this.#mark) return;
    this.#cursor = at;
    this.#mark = mark;
    this.#scheduler.request(this.#paintAbove);
  }

  /** The horizontal quantity under a position in CSS pixels within the canvas; null outside the plot. */
  valueAt(x: number, y: number): number | null {
    const scales = this.#scales();
    return scales !== null && contains(scales.frame.plot, x, y) ? scales.horizontal.toValue(x) : null;
  }

  dispose(): void {
    this.#stopTheme();
    this.#below.dispose();
    this.#above.dispose();
    this.#scheduler.cancel(this.#paintBelow);
    this.#scheduler.cancel(this.#paintAbove);
  }

  #ask(): void {
    this.#scheduler.request(this.#paintBelow);
    this.#scheduler.request(this.#paintAbove);
  }

  #scales(): { readonly frame: PlotFrame; readonly horizontal: Scale; readonly vertical: Scale } | null {
    const scene = this.#scene;
    if (scene === null) return null;
    const { width, height } = this.#below.size;
    const frame = plotFrame(width, height, this.#theme.labelSize, 'curves');
    const { left, top } = frame.plot;
    const { horizontal, vertical } = scene;
    const scale = vertical.kind === 'log' ? logScale : linearScale;
    return {
      frame,
      horizontal: linearScale(horizontal.from, horizontal.to, left, left + frame.plot.width),
      vertical: scale(vertical.from, vertical.to, top + frame.plot.height, top),
    };
  }

  readonly #paintBelow = (): void => {
    const context = this.#below.begin();
    const scales = this.#scales();
    const [scene, theme] = [this.#scene, this.#theme];
    if (context === null || scales === null || scene === null) return;
    const { frame, horizontal, vertical } = scales;
    const { plot } = frame;
    const style = getComputedStyle(this.#below.canvas);
    context.fillStyle = theme.surface;
    context.fillRect(plot.left, plot.top, plot.width, plot.height);
    context.save();
    context.beginPath();
    context.rect(plot.left, plot.top, plot.width, plot.height);
    context.clip();
    this.#grid(context, frame, horizontal);
    for (const curve of scene.curves) drawCurve(context, curve, horizontal, vertical, style);
    context.restore();
    drawFrame(context, plot, theme);
    drawHorizontalAxis(context, plot, horizontal, scene.horizontal.title, scene.horizontal.unit, theme);
    const { title, unit, kind } = scene.vertical;
    drawVerticalAxis(context, plot, vertical, title, unit, theme, kind);
  };

  #grid(context: CanvasRenderingContext2D, { plot }: PlotFrame, horizontal: Scale): void {
    context.strokeStyle = this.#theme.grid;
    context.lineWidth = 1;
    context.beginPath();
    for (const { value } of linearTicks(horizontal.from, horizontal.to, 8).ticks) {
      const x = Math.round(horizontal.toPixel(value)) + 0.5;
      context.moveTo(x, plot.top);
      context.lineTo(x, plot.top + plot.height);
    }
    context.stroke();
  }

  readonly #paintAbove = (): void => {
    const context = this.#above.begin();
    const scales = this.#scales();
    if (context === null || scales === null) return;
    const { plot } = scales.frame;
    const marks = markTheme(this.#theme, false);
    for (const [at, dash] of [
      [this.#mark, [4, 3]],
      [this.#cursor, []],
    ] as const) {
      if (at === null) continue;
      const x = Math.round(scales.horizontal.toPixel(at)) + 0.5;
      if (x < plot.left || x > plot.left + plot.width + 1) continue;
      context.setLineDash([...dash]);
      context.beginPath();
      context.moveTo(x, plot.top);
      context.lineTo(x, plot.top + plot.height);
      haloStroke(context, marks);
    }
    context.setLineDash([]);
  };
}

function drawCurve(
  context: CanvasRenderingContext2D,
  curve: LineCurve,
  horizontal: Scale,
  vertical: Scale,
  style: CSSStyleDeclaration,
): void {
  const color = style.getPropertyValue(curve.color).trim();
  const path = new Path2D();
  let drawing = false;
  for (let i = 0; i < curve.x.length; i += 1) {
    const [x, y] = [horizontal.toPixel(curve.x[i] ?? Number.NaN), vertical.toPixel(curve.y[i] ?? Number.NaN)];
    if (!Number.isFinite(x) || !Number.isFinite(y)) {
      drawing = false;
      continue;
    }
    if (drawing) path.lineTo(x, y);
    else path.moveTo(x, y);
    drawing = true;
  }
  if (curve.fill === true && curve.x.length > 1) {
    const area = new Path2D(path);
    area.lineTo(horizontal.toPixel(curve.x[curve.x.length - 1] ?? 0), vertical.start);
    area.lineTo(horizontal.toPixel(curve.x[0] ?? 0), vertical.start);
    context.globalAlpha = 0.12;
    context.fillStyle = color;
    context.fill(area);
    context.globalAlpha = 1;
  }
  context.strokeStyle = color;
  context.lineWidth = WIDTH;
  context.lineJoin = 'round';
  context.setLineDash([...curve.dash]);
  context.stroke(path);
  context.setLineDash([]);
}
