/**
 * Curves over one axis on two stacked canvases: axes and curves below, the
 * cursor above, so that moving the pointer repaints one line. Knows no React
 * and no store.
 */

import { type Annotation, drawAnnotations, haloStroke, markTheme } from './annotations.ts';
import { drawFrame, drawHorizontalAxis, drawVerticalAxis } from './axes.ts';
import type { Drawing2D } from './context-2d.ts';
import { curveArrays } from './export/field-arrays.ts';
import { Layers } from './layers.ts';
import { drawLegend, legendHeight } from './legend.ts';
import { type FigureAbout, LEAST_FIGURE, type PaintedFigure } from './map-view.ts';
import { contains, type PlotFrame, plotFrame } from './plot-frame.ts';
import { linearScale, logScale, type Scale } from './scale.ts';
import type { FrameScheduler } from './scheduler.ts';
import { type DrawingTheme, readDrawingTheme } from './theme.ts';
import { linearTicks } from './ticks.ts';

export interface LineCurve {
  /** What it is, for a legend and for the numbers of an exported figure. */
  readonly name?: string;
  /** Custom property of the page's styles that holds the colour. */
  readonly color: `--${string}`;
  /** As for `setLineDash`; empty: a full line. */
  readonly dash: readonly number[];
  readonly x: ArrayLike<number>;
  /** As many as x. Where a value cannot be drawn (zero on a logarithmic axis) the curve has a gap. */
  readonly y: ArrayLike<number>;
  readonly fill?: boolean;
  /** Dots instead of a line. */
  readonly points?: boolean;
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
  /** Reference lines, in the axes' units. */
  readonly marks?: readonly Annotation[];
}

const WIDTH = 1.6;
const DOT = 3.5;

export class LineView {
  readonly #layers: Layers;
  #scene: LineScene | null = null;
  #cursor: number | null = null;
  #mark: number | null = null;

  constructor(below: HTMLCanvasElement, above: HTMLCanvasElement, scheduler: FrameScheduler) {
    this.#layers = new Layers(below, above, scheduler, { below: this.#paintBelow, above: this.#paintAbove });
  }

  /** Null: nothing to show. */
  show(scene: LineScene | null): void {
    this.#scene = scene;
    this.#layers.ask();
  }

  /** Where the pointer is on the horizontal axis, and what is marked there for all panels; null: nothing. */
  setCursor(at: number | null, mark: number | null): void {
    if (at === this.#cursor && mark === this.#mark) return;
    this.#cursor = at;
    this.#mark = mark;
    this.#layers.askAbove();
  }

  /** The horizontal quantity under a position in CSS pixels within the canvas; null outside the plot. */
  valueAt(x: number, y: number): number | null {
    const scales = this.#scales();
    const [h, v] = this.#layers.above.toPicture(x, y);
    return scales !== null && contains(scales.frame.plot, h, v) ? scales.horizontal.toValue(h) : null;
  }

  dispose(): void {
    this.#layers.dispose();
  }

  /** What is shown, for export: the curves with all their points. Null: nothing is shown. */
  figure(about: FigureAbout): PaintedFigure | null {
    const scene = this.#scene;
    const { width: shownWidth, height: shownHeight } = this.#layers.below.size;
    if (scene === null || shownWidth <= 0) return null;
    const [width, plotted] = [Math.max(shownWidth, LEAST_FIGURE.width), Math.max(shownHeight, LEAST_FIGURE.height)];
    const named = scene.curves.filter(({ name }) => name !== undefined);
    return {
      ...about,
      width,
      height: plotted + legendHeight(named.length, this.#layers.theme),
      arrays: curveArrays(scene),
      paint: (context) => {
        const theme = readDrawingTheme(this.#layers.below.canvas);
        const scales = lineScales(scene, width, plotted, theme);
        const color = this.#colors();
        paintLines(context, scene, scales, theme, color);
        if (named.length < 2) return;
        const entries = named.map((curve) => ({ name: curve.name ?? '', color: color(curve.color), dash: curve.dash }));
        const { left, width: across } = scales.frame.plot;
        drawLegend(context, entries, { left, top: plotted, width: across }, theme);
      },
    };
  }

  #colors(): (name: string) => string {
    const style = getComputedStyle(this.#layers.below.canvas);
    return (name) => style.getPropertyValue(name).trim();
  }

  #scales(): LineScales | null {
    const { width, height } = this.#layers.below.size;
    return this.#scene === null ? null : lineScales(this.#scene, width, height, this.#layers.theme);
  }

  readonly #paintBelow = (): void => {
    const context = this.#layers.below.begin();
    const scales = this.#scales();
    if (context === null || scales === null || this.#scene === null) return;
    paintLines(context, this.#scene, scales, this.#layers.theme, this.#colors());
  };

  readonly #paintAbove = (): void => {
    const context = this.#layers.above.begin();
    const scales = this.#scales();
    if (context === null || scales === null) return;
    const { plot } = scales.frame;
    const marks = markTheme(this.#layers.theme, false);
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

interface LineScales {
  readonly frame: PlotFrame;
  readonly horizontal: Scale;
  readonly vertical: Scale;
}

function lineScales(scene: LineScene, width: number, height: number, theme: DrawingTheme): LineScales {
  const frame = plotFrame(width, height, theme.labelSize, 'curves');
  const { left, top } = frame.plot;
  const { horizontal, vertical } = scene;
  const scale = vertical.kind === 'log' ? logScale : linearScale;
  return {
    frame,
    horizontal: linearScale(horizontal.from, horizontal.to, left, left + frame.plot.width),
    vertical: scale(vertical.from, vertical.to, top + frame.plot.height, top),
  };
}

function paintLines(
  context: Drawing2D,
  scene: LineScene,
  { frame, horizontal, vertical }: LineScales,
  theme: DrawingTheme,
  color: (name: string) => string,
): void {
  const { plot } = frame;
  context.fillStyle = theme.surface;
  context.fillRect(plot.left, plot.top, plot.width, plot.height);
  context.save();
  context.beginPath();
  context.rect(plot.left, plot.top, plot.width, plot.height);
  context.clip();
  drawGrid(context, frame, horizontal, theme);
  for (const curve of scene.curves) drawCurve(context, curve, horizontal, vertical, color(curve.color));
  if (scene.marks !== undefined) {
    drawAnnotations(context, plot, horizontal, vertical, scene.marks, markTheme(theme, false));
  }
  context.restore();
  drawFrame(context, plot, theme);
  drawHorizontalAxis(context, plot, horizontal, scene.horizontal.title, scene.horizontal.unit, theme);
  const { title, unit, kind } = scene.vertical;
  drawVerticalAxis(context, plot, vertical, title, unit, theme, kind);
}

function drawGrid(context: Drawing2D, { plot }: PlotFrame, horizontal: Scale, theme: DrawingTheme): void {
  context.strokeStyle = theme.grid;
  context.lineWidth = 1;
  context.beginPath();
  for (const { value } of linearTicks(horizontal.from, horizontal.to, 8).ticks) {
    const x = Math.round(horizontal.toPixel(value)) + 0.5;
    context.moveTo(x, plot.top);
    context.lineTo(x, plot.top + plot.height);
  }
  context.stroke();
}

function drawCurve(context: Drawing2D, curve: LineCurve, horizontal: Scale, vertical: Scale, color: string): void {
  const trace = (): void => {
    context.beginPath();
    let drawing = false;
    for (let i = 0; i < curve.x.length; i += 1) {
      const [x, y] = [horizontal.toPixel(curve.x[i] ?? Number.NaN), vertical.toPixel(curve.y[i] ?? Number.NaN)];
      if (!Number.isFinite(x) || !Number.isFinite(y)) {
        drawing = false;
        continue;
      }
      if (drawing) context.lineTo(x, y);
      else context.moveTo(x, y);
      drawing = true;
    }
  };
  if (curve.points === true) {
    context.fillStyle = color;
    for (let i = 0; i < curve.x.length; i += 1) {
      const [x, y] = [horizontal.toPixel(curve.x[i] ?? Number.NaN), vertical.toPixel(curve.y[i] ?? Number.NaN)];
      if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
      context.beginPath();
      context.arc(x, y, DOT, 0, 2 * Math.PI);
      context.fill();
    }
    return;
  }
  if (curve.fill === true && curve.x.length > 1) {
    trace();
    context.lineTo(horizontal.toPixel(curve.x[curve.x.length - 1] ?? 0), vertical.start);
    context.lineTo(horizontal.toPixel(curve.x[0] ?? 0), vertical.start);
    context.globalAlpha = 0.12;
    context.fillStyle = color;
    context.fill();
    context.globalAlpha = 1;
  }
  trace();
  context.strokeStyle = color;
  context.lineWidth = WIDTH;
  context.lineJoin = 'round';
  context.setLineDash([...curve.dash]);
  context.stroke();
  context.setLineDash([]);
}
