/**
 * Image of a plot's dots if there are thousands of them, for the window that the axes show. It lies between Plotly's
 * lines and text.
 */
import type { Layout } from 'plotly.js/lib/core';
import type { Box } from '../axes.ts';
import { scaleOf } from '../figures/axes.ts';
import type { DotSeries, Pane } from './chart.ts';
import { type Brush, escapeHtml, hoverTextOfDot } from './chart-traces.ts';
import type { Plotly } from './plotly.ts';

// Large sets of dots are drawn into pixels one by one. SVG elements or WebGL would take longer than all other parts of
// the chart.

/** Positions in pixels from the upper left of the plot; NaN outside the plot or the domain of its axes. */
interface DotPositions {
  readonly x: Float32Array;
  readonly y: Float32Array;
}

export function dotPositions(
  { x: xs, y: ys }: Pick<DotSeries, 'x' | 'y'>,
  { x, y }: Pick<Pane, 'x' | 'y'>,
  { width, height }: Pick<Box, 'width' | 'height'>,
): DotPositions {
  const [across, down] = [scaleOf(x, 0, width), scaleOf(y, height, 0)];
  const places = { x: new Float32Array(xs.length), y: new Float32Array(xs.length) };
  for (let i = 0; i < xs.length; i += 1) {
    const [left, top] = [across.toPixel(xs[i] ?? Number.NaN), down.toPixel(ys[i] ?? Number.NaN)];
    const isWithin = left >= 0 && left <= width && top >= 0 && top <= height;
    places.x[i] = isWithin ? left : Number.NaN;
    places.y[i] = isWithin ? top : Number.NaN;
  }
  return places;
}

/**
 * Index of the nearest point; null if none is within `reach`. For equal distances it is the last point, which is drawn
 * on top.
 */
export function nearestDot(
  { x, y }: DotPositions,
  [left, top]: readonly [left: number, top: number],
  reach: number,
): { readonly i: number; readonly far: number } | null {
  let [found, least] = [-1, reach * reach];
  for (let i = 0; i < x.length; i += 1) {
    const [dx, dy] = [(x[i] ?? 0) - left, (y[i] ?? 0) - top];
    const far = dx * dx + dy * dy;
    if (far <= least) [found, least] = [i, far];
  }
  return found < 0 ? null : { i: found, far: Math.sqrt(least) };
}

interface DotStamp {
  readonly form: DotSeries['form'];
  /** Radius in image pixels, like all lengths in this interface. */
  readonly radius: number;
  readonly opacity: number;
  readonly color: readonly [red: number, green: number, blue: number];
  /** Image pixels per unit of the positions, and origin of the plot in the image. */
  readonly scale: number;
  readonly pad: number;
}

/** Line width of a ring in pixels. */
const RING = 1;

/** Fraction of a pixel that a dot covers if its centre is (dx, dy) away. */
function coverage(form: DotStamp['form'], radius: number, dx: number, dy: number): number {
  if (form === 'square') return radius + 0.5 - Math.max(Math.abs(dx), Math.abs(dy));
  const far = Math.sqrt(dx * dx + dy * dy);
  return form === 'ring' ? 0.5 + RING / 2 - Math.abs(radius - far) : radius + 0.5 - far;
}

/** Draws over the contents of `picture`: red, green, blue and opacity of each pixel. */
export function stampDots(
  picture: { readonly data: Uint8ClampedArray; readonly width: number; readonly height: number },
  places: DotPositions,
  { form, radius, opacity, color: [red, green, blue], scale, pad }: DotStamp,
): void {
  const { data, width, height } = picture;
  // Overlapping dots of one colour may be drawn in any order, because their transparency is a product.
  const through = new Float32Array(width * height).fill(1);
  const reach = radius + 0.5 + (form === 'ring' ? RING / 2 : 0);
  let [top, bottom] = [height, 0];
  for (let i = 0; i < places.x.length; i += 1) {
    const [x, y] = [(places.x[i] ?? 0) * scale + pad, (places.y[i] ?? 0) * scale + pad];
    // Written so that NaN is skipped too.
    if (!(x >= 0 && y >= 0)) continue;
    const [x0, x1] = [Math.max(0, Math.floor(x - reach)), Math.min(width - 1, Math.floor(x + reach))];
    const [y0, y1] = [Math.max(0, Math.floor(y - reach)), Math.min(height - 1, Math.floor(y + reach))];
    top = Math.min(top, y0);
    bottom = Math.max(bottom, y1 + 1);
    for (let row = y0; row <= y1; row += 1) {
      for (let column = x0; column <= x1; column += 1) {
        const covered = coverage(form, radius, column + 0.5 - x, row + 0.5 - y);
        if (covered <= 0) continue;
        const at = row * width + column;
        through[at] = (through[at] ?? 1) * (1 - opacity * Math.min(1, covered));
      }
    }
  }
  for (let at = top * width; at < bottom * width; at += 1) {
    const shines = through[at] ?? 1;
    if (shines === 1) continue;
    const [own, below] = [1 - shines, ((data[4 * at + 3] ?? 0) / 255) * shines];
    const all = own + below;
    data[4 * at] = (red * own + (data[4 * at] ?? 0) * below) / all;
    data[4 * at + 1] = (green * own + (data[4 * at + 1] ?? 0) * below) / all;
    data[4 * at + 2] = (blue * own + (data[4 * at + 2] ?? 0) * below) / all;
    data[4 * at + 3] = 255 * all;
  }
}

/** A series whose dots are drawn into the image. Plotly only receives its name, for the legend. */
export interface StampedDots {
  readonly series: DotSeries;
  readonly pane: Pane;
  readonly box: Box;
  /** Indices of the pane and of the trace. */
  readonly at: number;
  readonly trace: number;
}

/** A dot under the pointer. */
interface PointedDot {
  readonly dots: StampedDots;
  readonly i: number;
  /** Position in the chart. */
  readonly place: readonly [left: number, top: number];
}

/** Padding around a plot in pixels, for dots at the edge. */
const PAD = 4;
/** Maximum distance of the pointer from a dot, as in Plotly. */
const REACH = 20;

function rgbOf(color: string): readonly [number, number, number] {
  const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  if (context === null) return [0, 0, 0];
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return [red, green, blue];
}

/** Box of the picture within the chart, including padding. */
const paddedBox = ({ left, top, width, height }: Box): Box => ({
  left: left - PAD,
  top: top - PAD,
  width: width + 2 * PAD,
  height: height + 2 * PAD,
});

interface Picture {
  readonly box: Box;
  readonly canvas: HTMLCanvasElement;
  readonly places: readonly DotPositions[];
}

/** Image of the dots in one plot. `pixels`: image pixels per CSS pixel. */
function pictureOf(dots: readonly StampedDots[], plot: Box, { theme, color }: Brush, pixels: number): Picture {
  const box = paddedBox(plot);
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(box.width * pixels));
  canvas.height = Math.max(1, Math.round(box.height * pixels));
  // Read back on the CPU: a GPU canvas would be uploaded and downloaded again.
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const picture = new ImageData(canvas.width, canvas.height);
  const places = dots.map(({ series, pane }) => dotPositions(series, pane, plot));
  for (const [k, { series }] of dots.entries()) {
    const { form, radius, opacity = 1, ink } = series;
    stampDots(picture, places[k] ?? { x: new Float32Array(), y: new Float32Array() }, {
      ...{ form, opacity, color: rgbOf(color(ink)), scale: pixels, pad: PAD * pixels },
      radius: radius * theme.labelSize * pixels,
    });
  }
  context?.putImageData(picture, 0, 0);
  return { box, canvas, places };
}

const dotsByPlot = (dots: readonly StampedDots[]): readonly (readonly StampedDots[])[] => [
  ...Map.groupBy(dots, ({ at }) => at).values(),
];

/**
 * Images of the dots for exported files, as entries of Plotly's layout. Their positions are shares of the chart's size.
 */
export function dotImages(
  dots: readonly StampedDots[],
  { width, height }: Pick<Box, 'width' | 'height'>,
  brush: Brush,
): NonNullable<Layout['images']> {
  const PIXELS = 2;
  return dotsByPlot(dots).flatMap((some) => {
    const [first] = some;
    if (first === undefined) return [];
    const { box, canvas } = pictureOf(some, first.box, brush, PIXELS);
    const place = {
      x: box.left / width,
      y: 1 - box.top / height,
      sizex: box.width / width,
      sizey: box.height / height,
    };
    const paper = { xref: 'paper', yref: 'paper', xanchor: 'left', yanchor: 'top' } as const;
    return [{ ...place, ...paper, sizing: 'stretch', layer: 'above', source: canvas.toDataURL('image/png') } as const];
  });
}

export class DotsLayer {
  #drawn: readonly { readonly dots: readonly StampedDots[]; readonly picture: Picture }[] = [];

  /** Draws the dots into the layer between Plotly's lines and text. */
  paint(plot: HTMLElement, dots: readonly StampedDots[], brush: Brush): void {
    this.#drawn = dotsByPlot(dots).flatMap((some) => {
      const [first] = some;
      if (first === undefined) return [];
      return [{ dots: some, picture: pictureOf(some, first.box, brush, globalThis.devicePixelRatio || 1) }];
    });
    const between = plot.querySelector('.gl-container');
    for (const old of between?.querySelectorAll('.chart-plot__dots') ?? []) old.remove();
    for (const { dots: some, picture } of this.#drawn) {
      const { box, canvas } = picture;
      canvas.className = 'chart-plot__dots';
      canvas.dataset['dots'] = String(some.reduce((sum, { series }) => sum + series.x.length, 0));
      const style = { left: box.left, top: box.top, width: box.width, height: box.height };
      for (const [name, pixels] of Object.entries(style)) canvas.style.setProperty(name, `${pixels}px`);
      between?.append(canvas);
    }
  }

  /** The dot nearest to a position in the chart; null if none is near. */
  at(left: number, top: number): PointedDot | null {
    let found: (PointedDot & { readonly far: number }) | null = null;
    for (const { dots, picture } of this.#drawn) {
      for (const [k, places] of picture.places.entries()) {
        const one = dots[k];
        if (one === undefined) continue;
        const { box } = one;
        if (left < box.left - PAD || left > box.left + box.width + PAD) continue;
        if (top < box.top - PAD || top > box.top + box.height + PAD) continue;
        const near = nearestDot(places, [left - box.left, top - box.top], found?.far ?? REACH);
        if (near === null) continue;
        const place = [box.left + (places.x[near.i] ?? 0), box.top + (places.y[near.i] ?? 0)] as const;
        found = { dots: one, i: near.i, place, far: near.far };
      }
    }
    return found;
  }

  /** Shows the hover label of the dot at `place` in Plotly's own style; null hides it. */
  showHoverLabel(
    plotly: Plotly,
    plot: HTMLElement,
    { theme, color }: Brush,
    place: readonly [number, number] | null,
  ): void {
    const top = [...plot.querySelectorAll<SVGElement>('.main-svg')].at(-1);
    const found = place === null ? null : this.at(...place);
    let hoverLayer = top?.querySelector('.chart-plot__told') ?? null;
    if (found === null || top === undefined) {
      hoverLayer?.replaceChildren();
      return;
    }
    if (hoverLayer === null) {
      hoverLayer = document.createElementNS('http://www.w3.org/2000/svg', 'g');
      hoverLayer.setAttribute('class', 'chart-plot__told');
      top.append(hoverLayer);
    }
    const { series, pane } = found.dots;
    const [left, down] = found.place;
    const size = series.radius * theme.labelSize;
    const item = {
      ...{ x0: left - size, x1: left + size, y0: down, y1: down, color: color(series.ink) },
      ...{ text: hoverTextOfDot(series, pane, found.i), name: escapeHtml(series.name), nameLength: -1 },
      ...{ fontFamily: theme.family, fontSize: theme.labelSize },
    };
    // Plotly's types lack this function.
    const showLabel: unknown = Reflect.get(Object(Reflect.get(plotly, 'Fx')), 'loneHover');
    if (typeof showLabel === 'function')
      showLabel(item, { container: hoverLayer, outerContainer: top, gd: plot, bgColor: theme.surface });
  }
}
