/**
 * A map on two stacked canvases: field, axes and colour bar below, crosshair and annotations above. Moving the pointer
 * repaints lines and never the field. Independent of React and the stores.
 */
import type { FieldMap, MapAxis } from '../../electron/contract/fields.ts';
import { haloStroke, markTheme } from './annotations.ts';
import { contains, type MarginKind, type PlotFrame, plotFrame } from './axes.ts';
import { barValue, isOnBar, movedLimit, nearestLimit } from './color-bar.ts';
import type { Limits } from './colormap.ts';
import type { Drawing2D } from './context-2d.ts';
import { axisArray, type Figure, type FigureArray, identifier } from './export/figure.ts';
import { FieldImage, MAX_PIXELS, sampleEdge } from './field-image.ts';
import {
  axesKey,
  type Colouring,
  colouring,
  type MapScales,
  type MapScene,
  type MapStyle,
  paintMap,
  paintMarks,
} from './paint-map.ts';
import { linearScale } from './scale.ts';
import type { FrameScheduler } from './scheduler.ts';
import { Layers } from './surface.ts';
import { type DrawingTheme, readDrawingTheme } from './theme.ts';

/** Names of the axes in exported arrays. */
const axisWords: Readonly<Record<MapAxis['name'], string>> = {
  z: 'depth',
  x: 'lateral position',
  y: 'position across the plane of the beam',
  theta: 'angle from +z',
  e: 'kinetic energy',
};

function axisArrays(axis: MapAxis): readonly FigureArray[] {
  const edges = Float64Array.from({ length: axis.count + 1 }, (_, i) => sampleEdge(axis, i));
  const centres = edges.slice(0, -1).map((edge, i) => (edge + (edges[i + 1] ?? edge)) / 2);
  const words = axisWords[axis.name];
  return [
    axisArray(axis.name, axis.unit, `${words}, centres of the samples`, centres),
    axisArray(`${axis.name}_edges`, axis.unit, `${words}, edges of the samples`, edges),
  ];
}

/** Arrays of a field: its values [vertical][horizontal], and centres and edges along each axis. */
function fieldArrays(field: FieldMap): readonly FigureArray[] {
  const { horizontal, vertical, values, unit, quantity } = field;
  return [
    ...axisArrays(vertical),
    ...axisArrays(horizontal),
    {
      name: identifier(quantity),
      unit,
      description: `${quantity}, mean over each sample`,
      shape: [vertical.count, horizontal.count],
      values,
      axes: [vertical.name, horizontal.name],
    },
  ];
}

export type { MapScene, MapStyle, ShownAxis } from './paint-map.ts';

export interface MapPoint {
  readonly horizontal: number;
  readonly vertical: number;
}

/** A part of the field that the user marked. */
export interface MapMark {
  readonly kind: 'segment' | 'region';
  readonly from: MapPoint;
  readonly to: MapPoint;
}

export type PaintedFigure = Extract<Figure, { paint: unknown }>;
/** Figure metadata that the owner supplies to the view. */
export type FigureAbout = Pick<Figure, 'name' | 'title' | 'notes'>;

/** Minimum size of an exported figure in CSS pixels, so that titles fit if the map is small on screen. */
export const MIN_FIGURE = { width: 460, height: 320 } as const;

const capitalized = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

export class MapView {
  readonly #layers: Layers;
  readonly #images = { field: new FieldImage(), under: new FieldImage() };
  readonly #room: MarginKind;
  #scene: MapScene | null = null;
  #style: MapStyle | null = null;
  #colouring: { readonly field: FieldMap; readonly style: MapStyle; readonly made: Colouring } | null = null;
  /** Key and theme of the axes currently on the canvas. */
  #axes: { readonly key: string; readonly theme: DrawingTheme } | null = null;
  #crosshair: Partial<MapPoint> | null = null;
  #mark: MapMark | null = null;

  constructor(
    below: HTMLCanvasElement,
    above: HTMLCanvasElement,
    scheduler: FrameScheduler,
    resized: (pixels: readonly [across: number, down: number], frame: PlotFrame) => void,
    room: MarginKind = 'full',
  ) {
    this.#room = room;
    this.#layers = new Layers(below, above, scheduler, {
      below: this.#paintBelow,
      above: this.#paintAbove,
      resized: () => {
        const { width, height, ratio } = this.#layers.below.size;
        if (width <= 0 || height <= 0) return;
        const frame = this.#frame();
        const device = (css: number): number => Math.max(1, Math.min(MAX_PIXELS, Math.round(css * ratio)));
        resized([device(frame.plot.width), device(frame.plot.height)], frame);
      },
    });
  }

  show(scene: MapScene, style: MapStyle): void {
    this.#scene = scene;
    this.#style = style;
    this.#layers.requestPaint();
  }

  /** Clears the map. */
  clear(): void {
    this.#scene = null;
    this.#style = null;
    this.#layers.requestPaint();
  }

  setCrosshair(point: Partial<MapPoint> | null): void {
    this.#crosshair = point;
    this.#layers.requestPaintAbove();
  }

  setMark(mark: MapMark | null): void {
    this.#mark = mark;
    this.#layers.requestPaintAbove();
  }

  /** The point at a pointer position (CSS pixels in the canvas); null outside the plot. */
  pointAt(x: number, y: number): MapPoint | null {
    const scales = this.#scales();
    const [h, v] = this.#layers.above.toPicture(x, y);
    if (scales === null || !contains(scales.frame.plot, h, v)) return null;
    return { horizontal: scales.horizontal.toValue(h), vertical: scales.vertical.toValue(v) };
  }

  /** The point at a pointer position, or the nearest one on the plot's edge; null if nothing is shown. */
  nearestPoint(x: number, y: number): MapPoint | null {
    const scales = this.#scales();
    if (scales === null) return null;
    const [h, v] = this.#layers.above.toPicture(x, y);
    const { left, top, width, height } = scales.frame.plot;
    const within = (value: number, from: number, size: number): number => Math.min(from + size, Math.max(from, value));
    return {
      horizontal: scales.horizontal.toValue(within(h, left, width)),
      vertical: scales.vertical.toValue(within(v, top, height)),
    };
  }

  /** Colour limit that a press at this position grabs; null outside the bar. */
  limitAt(x: number, y: number): keyof Limits | null {
    const [bar, colours] = [this.#scales()?.frame.bar ?? null, this.#colours()];
    if (bar === null || colours === null || this.#style?.handles !== true) return null;
    const [h, v] = this.#layers.above.toPicture(x, y);
    return isOnBar(bar, h, v) ? nearestLimit(bar, colours.range, colours.colors, v) : null;
  }

  /** Limits with one of them moved to a height on the bar. */
  limitsWith(which: keyof Limits, y: number): Limits | null {
    const [bar, colours] = [this.#scales()?.frame.bar ?? null, this.#colours()];
    if (bar === null || colours === null) return null;
    const value = barValue(bar, colours.range, this.#layers.above.toPicture(0, y)[1]);
    const { low, high } = movedLimit(colours.colors, which, value, colours.range);
    return { low, high };
  }

  dispose(): void {
    this.#layers.dispose();
  }

  /** Figure of the current map for export: the field's values as sent, with their axes. Null if the map is empty. */
  figure(about: FigureAbout): PaintedFigure | null {
    const [scene, style, colours] = [this.#scene, this.#style, this.#colours()];
    const { width: shownWidth, height: shownHeight } = this.#layers.below.size;
    if (scene === null || style === null || scene.field === null || shownWidth <= 0) return null;
    const { field } = scene;
    const [width, height] = [Math.max(shownWidth, MIN_FIGURE.width), Math.max(shownHeight, MIN_FIGURE.height)];
    // In a file the colour bar needs a title, and its handles are useless.
    const titled = { ...scene, quantityTitle: scene.quantityTitle ?? capitalized(field.quantity) };
    const still = { ...style, handles: false };
    const images = { field: new FieldImage(), under: new FieldImage() };
    return {
      ...about,
      width,
      height,
      arrays: fieldArrays(field),
      paint: (context) => {
        const theme = readDrawingTheme(this.#layers.below.canvas);
        const scales = mapScales(titled, plotFrame(width, height, theme.labelSize));
        paintMap(context, titled, still, colours, scales, images, theme);
        paintMarks(context, scene, scales, theme);
      },
    };
  }

  #frame(): PlotFrame {
    const { width, height } = this.#layers.below.size;
    return plotFrame(width, height, this.#layers.theme.labelSize, this.#room);
  }

  #scales(): MapScales | null {
    return this.#scene === null ? null : mapScales(this.#scene, this.#frame());
  }

  #colours(): Colouring | null {
    const [field, style] = [this.#scene?.field ?? null, this.#style];
    if (field === null || style === null) return null;
    if (this.#colouring?.field !== field || !sameColours(this.#colouring.style, style)) {
      this.#colouring = { field, style, made: colouring(field, style) };
    }
    return this.#colouring.made;
  }

  readonly #paintBelow = (): void => {
    const scales = this.#scales();
    const [scene, style] = [this.#scene, this.#style];
    const axes = scales === null || scene === null ? null : axesKey(scene, scales.frame);
    // A new size also creates a new theme object, so this comparison detects both.
    const axesValid = axes !== null && this.#axes?.key === axes && this.#axes.theme === this.#layers.theme;
    const context = axesValid ? this.#layers.below.contextWithContents() : this.#layers.below.clearedContext();
    this.#axes = axes === null || context === null ? null : { key: axes, theme: this.#layers.theme };
    if (context === null || scales === null || scene === null || style === null) return;
    const { ratio, width } = this.#layers.below.size;
    const screen = { context, ratio, width, axesValid };
    paintMap(context, scene, style, this.#colours(), scales, this.#images, this.#layers.theme, screen);
  };

  readonly #paintAbove = (): void => {
    const context = this.#layers.above.clearedContext();
    const scales = this.#scales();
    if (context === null || scales === null || this.#scene === null) return;
    paintMarks(context, this.#scene, scales, this.#layers.theme);
    const { left, top, width, height } = scales.frame.plot;
    context.save();
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    this.#paintMark(context, scales);
    this.#paintCrosshair(context, scales);
    context.restore();
  };

  #paintMark(context: Drawing2D, { horizontal, vertical }: MapScales): void {
    if (this.#mark === null) return;
    const { kind, from, to } = this.#mark;
    const [x0, y0] = [horizontal.toPixel(from.horizontal), vertical.toPixel(from.vertical)];
    const [x1, y1] = [horizontal.toPixel(to.horizontal), vertical.toPixel(to.vertical)];
    context.beginPath();
    if (kind === 'region') context.rect(Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0));
    else {
      context.moveTo(x0, y0);
      context.lineTo(x1, y1);
    }
    haloStroke(context, markTheme(this.#layers.theme, true), 1.5);
    if (kind === 'region') return;
    // Mark the start of the segment, where its profile begins.
    context.beginPath();
    context.arc(x0, y0, 3, 0, 2 * Math.PI);
    haloStroke(context, markTheme(this.#layers.theme, true), 1.5);
  }

  #paintCrosshair(context: Drawing2D, { frame, horizontal, vertical }: MapScales): void {
    const point = this.#crosshair;
    if (point === null) return;
    const { left, top, width, height } = frame.plot;
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
    haloStroke(context, markTheme(this.#layers.theme, this.#scene?.field !== null));
  }
}

function sameColours(a: MapStyle, b: MapStyle): boolean {
  return (
    a.scale === b.scale &&
    a.centred === b.centred &&
    a.contours === b.contours &&
    a.limits?.low === b.limits?.low &&
    a.limits?.high === b.limits?.high
  );
}

function mapScales({ horizontal, vertical }: MapScene, frame: PlotFrame): MapScales {
  const { left, top, width, height } = frame.plot;
  return {
    frame,
    horizontal: linearScale(horizontal.from, horizontal.to, left, left + width),
    vertical: linearScale(vertical.from, vertical.to, top + height, top),
  };
}
