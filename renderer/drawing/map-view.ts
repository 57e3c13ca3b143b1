/**
 * A map on two stacked canvases: the field with its axes and colour bar below,
 * crosshair and annotations above, so that moving the pointer repaints lines
 * and never the field. Knows no React and no store.
 */
import type { FieldMap } from '../../electron/contract/fields.ts';
import { type Annotation, drawAnnotations, haloStroke, markTheme } from './annotations.ts';
import { drawFrame, drawHorizontalAxis, drawVerticalAxis } from './axes.ts';
import { drawColorBar } from './color-bar.ts';
import type { ColorMap } from './colormap.ts';
import type { Drawing2D } from './context-2d.ts';
import { fieldArrays } from './export/field-arrays.ts';
import type { Figure } from './export/figure.ts';
import { FieldImage } from './field-image.ts';
import { drawableLimits, type Limits, normalisation, type ScaleKind } from './normalisation.ts';
import { contains, type PlotFrame, plotFrame, type Room } from './plot-frame.ts';
import { linearScale, type Scale } from './scale.ts';
import type { FrameScheduler } from './scheduler.ts';
import { Surface, type SurfaceSize } from './surface.ts';
import { type DrawingTheme, onThemeChange, readDrawingTheme } from './theme.ts';

export interface MapStyle {
  readonly colorMap: ColorMap;
  readonly scale: ScaleKind;
  /** Null: the whole field's smallest and largest value. */
  readonly limits: Limits | null;
}

/** An axis of the map: title and the part that is shown. */
export interface ShownAxis {
  readonly title: string;
  readonly unit: string;
  readonly from: number;
  readonly to: number;
}

export interface MapScene {
  readonly horizontal: ShownAxis;
  readonly vertical: ShownAxis;
  /** Null: axes and annotations alone (nothing was computed yet). */
  readonly field: FieldMap | null;
  /** Null: the colour bar has no title, for a map whose heading names the quantity and its unit. */
  readonly quantityTitle: string | null;
  readonly annotations: readonly Annotation[];
}

export interface MapPoint {
  readonly horizontal: number;
  readonly vertical: number;
}

export type PaintedFigure = Extract<Figure, { paint: unknown }>;
/** What the owner of a view knows of the figure and the view does not. */
export type FigureAbout = Pick<Figure, 'name' | 'title' | 'notes'>;

/** CSS pixels: room for the titles of a figure that is small on the screen. */
export const LEAST_FIGURE = { width: 460, height: 320 } as const;

export class MapView {
  readonly #below: Surface;
  readonly #above: Surface;
  readonly #scheduler: FrameScheduler;
  readonly #image = new FieldImage();
  readonly #stopTheme: () => void;
  readonly #room: Room;
  #theme: DrawingTheme;
  #scene: MapScene | null = null;
  #style: MapStyle | null = null;
  #crosshair: Partial<MapPoint> | null = null;

  constructor(
    below: HTMLCanvasElement,
    above: HTMLCanvasElement,
    scheduler: FrameScheduler,
    resized: (size: SurfaceSize, frame: PlotFrame) => void,
    room: Room = 'full',
  ) {
    this.#room = room;
    this.#scheduler = scheduler;
    this.#theme = readDrawingTheme(below);
    this.#below = new Surface(below, () => {
      // The page's scale changes the canvas and the type together.
      this.#theme = readDrawingTheme(below);
      const { width, height } = this.#below.size;
      if (width > 0 && height > 0) resized(this.#below.size, this.#frame());
      // At once: a canvas is empty after its size was set, and would flash.
      this.#paintBelow();
    });
    this.#above = new Surface(above, () => this.#paintAbove());
    this.#stopTheme = onThemeChange(() => {
      this.#theme = readDrawingTheme(below);
      scheduler.request(this.#paintBelow);
      scheduler.request(this.#paintAbove);
    });
  }

  show(scene: MapScene, style: MapStyle): void {
    this.#scene = scene;
    this.#style = style;
    this.#scheduler.request(this.#paintBelow);
    this.#scheduler.request(this.#paintAbove);
  }

  /** Nothing to show any more. */
  clear(): void {
    this.#scene = null;
    this.#style = null;
    this.#scheduler.request(this.#paintBelow);
    this.#scheduler.request(this.#paintAbove);
  }

  setCrosshair(point: Partial<MapPoint> | null): void {
    this.#crosshair = point;
    this.#scheduler.request(this.#paintAbove);
  }

  /** The point under a pointer position (CSS pixels within the canvas), or null outside the plot. */
  pointAt(x: number, y: number): MapPoint | null {
    const scales = this.#scales();
    const [h, v] = this.#above.toPicture(x, y);
    if (scales === null || !contains(scales.frame.plot, h, v)) return null;
    return { horizontal: scales.horizontal.toValue(h), vertical: scales.vertical.toValue(v) };
  }

  /** The same, and outside the plot the nearest point of its edge; null while nothing is shown. */
  nearestPoint(x: number, y: number): MapPoint | null {
    const scales = this.#scales();
    if (scales === null) return null;
    const [h, v] = this.#above.toPicture(x, y);
    const { left, top, width, height } = scales.frame.plot;
    const within = (value: number, from: number, size: number): number => Math.min(from + size, Math.max(from, value));
    return {
      horizontal: scales.horizontal.toValue(within(h, left, width)),
      vertical: scales.vertical.toValue(within(v, top, height)),
    };
  }

  dispose(): void {
    this.#stopTheme();
    this.#below.dispose();
    this.#above.dispose();
    this.#scheduler.cancel(this.#paintBelow);
    this.#scheduler.cancel(this.#paintAbove);
  }

  /** What is shown, for export: the field's values as they were sent, with their axes. Null: nothing is shown. */
  figure(about: FigureAbout): PaintedFigure | null {
    const [scene, style] = [this.#scene, this.#style];
    const { width: shownWidth, height: shownHeight } = this.#below.size;
    if (scene === null || style === null || scene.field === null || shownWidth <= 0) return null;
    const { field } = scene;
    const [width, height] = [Math.max(shownWidth, LEAST_FIGURE.width), Math.max(shownHeight, LEAST_FIGURE.height)];
    // Alone on its sheet the colour bar has to say what it means.
    const titled = { ...scene, quantityTitle: scene.quantityTitle ?? sentence(field.quantity) };
    const image = new FieldImage();
    return {
      ...about,
      width,
      height,
      arrays: fieldArrays(field),
      paint: (context) => {
        const theme = readDrawingTheme(this.#below.canvas);
        const frame = plotFrame(width, height, theme.labelSize);
        const scales = this.#scalesIn(titled, frame);
        paintMap(context, titled, style, scales, image, theme);
        const marks = markTheme(theme, true);
        drawAnnotations(context, frame.plot, scales.horizontal, scales.vertical, scene.annotations, marks);
      },
    };
  }

  #scales(): MapScales | null {
    const scene = this.#scene;
    if (scene === null) return null;
    const { width, height } = this.#below.size;
    return this.#scalesIn(scene, plotFrame(width, height, this.#theme.labelSize, this.#room));
  }

  #scalesIn({ horizontal, vertical }: MapScene, frame: PlotFrame): MapScales {
    const { left, top, width, height } = frame.plot;
    return {
      frame,
      horizontal: linearScale(horizontal.from, horizontal.to, left, left + width),
      vertical: linearScale(vertical.from, vertical.to, top + height, top),
    };
  }

  #frame(): PlotFrame {
    const { width, height } = this.#below.size;
    return plotFrame(width, height, this.#theme.labelSize, this.#room);
  }

  readonly #paintBelow = (): void => {
    const context = this.#below.begin();
    const scales = this.#scales();
    const [scene, style] = [this.#scene, this.#style];
    if (context === null || scales === null || scene === null || style === null) return;
    paintMap(context, scene, style, scales, this.#image, this.#theme);
  };

  readonly #paintAbove = (): void => {
    const context = this.#above.begin();
    const scales = this.#scales();
    if (context === null || scales === null || this.#scene === null) return;
    const { frame, horizontal, vertical } = scales;
    const marks = markTheme(this.#theme, this.#scene.field !== null);
    drawAnnotations(context, frame.plot, horizontal, vertical, this.#scene.annotations, marks);
    const point = this.#crosshair;
    if (point === null) return;
    const { left, top, width, height } = frame.plot;
    context.save();
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    context.beginPath();
    if (point.horizontal !== undefined) {
      const x = Math.round(horizontal.toPixel(point.horizontal)) + 0.5;
      context.moveTo(x, top);
      context.lineTo(x, top + height);
    }
    if (point.vertical !== undefined) {
      const y = Math.round(vertical.toPixel(point.vertical)) + 0.5;
      context.moveTo(left, y);
      context.lineTo(left + width, y);
    }
    haloStroke(context, marks);
    context.restore();
  };
}

interface MapScales {
  readonly frame: PlotFrame;
  readonly horizontal: Scale;
  readonly vertical: Scale;
}

function paintMap(
  context: Drawing2D,
  scene: MapScene,
  style: MapStyle,
  { frame, horizontal, vertical }: MapScales,
  image: FieldImage,
  theme: DrawingTheme,
): void {
  const { plot } = frame;
  context.fillStyle = theme.surface;
  context.fillRect(plot.left, plot.top, plot.width, plot.height);
  if (scene.field !== null) {
    const { min, max, minPositive, unit } = scene.field;
    const limits = drawableLimits(style.scale, style.limits ?? { low: min, high: max }, minPositive);
    const normalised = normalisation(style.scale, limits);
    context.save();
    context.beginPath();
    context.rect(plot.left, plot.top, plot.width, plot.height);
    context.clip();
    image.draw(context, scene.field, style.colorMap, normalised, horizontal, vertical);
    context.restore();
    if (frame.bar !== null) {
      const title = scene.quantityTitle === null ? null : { text: scene.quantityTitle, unit };
      drawColorBar(context, frame.bar, style.colorMap, normalised, title, theme);
    }
  }
  drawFrame(context, plot, theme);
  drawHorizontalAxis(context, plot, horizontal, scene.horizontal.title, scene.horizontal.unit, theme);
  drawVerticalAxis(context, plot, vertical, scene.vertical.title, scene.vertical.unit, theme);
}

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
