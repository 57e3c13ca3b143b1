/**
 * `Surface` is a canvas with one pixel per device pixel, which requests a repaint if its size changes. `Layers` stacks
 * two canvases: the picture below, and moving marks above, so that pointer movements never repaint the picture. The
 * frame loop paints both in the page's theme.
 */
import type { FrameScheduler } from './scheduler.ts';
import { type DrawingTheme, onThemeChange, readDrawingTheme } from './theme.ts';

export interface SurfaceSize {
  /** CSS pixels, the units of drawing. */
  readonly width: number;
  readonly height: number;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
}

/** Maximum canvas side that every browser accepts. */
const LARGEST_SIDE = 8192;

/**
 * Uses the browser's device-pixel count unless it differs by more than one from the expected count. Under an emulated
 * scale, browsers report CSS pixels instead.
 */
function devicePixels(reported_px: number | undefined, expected_px: number): number {
  return reported_px !== undefined && Math.abs(reported_px - expected_px) <= 1 ? reported_px : Math.round(expected_px);
}

class Surface {
  readonly canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #observer: ResizeObserver;
  #size: SurfaceSize = { width: 0, height: 0, ratio: 1 };

  /** `resized` is called after every change of size, including the first one. */
  constructor(canvas: HTMLCanvasElement, resized: () => void) {
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('this page cannot draw on a canvas');
    this.canvas = canvas;
    this.#context = context;
    this.#observer = new ResizeObserver((entries) => {
      const entry = entries.at(-1);
      if (entry === undefined) return;
      const box = entry.contentRect;
      // Exact device pixels from the browser's layout if available: no blur at 150 %.
      const device = entry.devicePixelContentBoxSize?.[0];
      const ratio = window.devicePixelRatio;
      const width = Math.min(LARGEST_SIDE, devicePixels(device?.inlineSize, box.width * ratio));
      const height = Math.min(LARGEST_SIDE, devicePixels(device?.blockSize, box.height * ratio));
      if (canvas.width !== width) canvas.width = width;
      if (canvas.height !== height) canvas.height = height;
      this.#size = { width: width / ratio, height: height / ratio, ratio };
      resized();
    });
    try {
      this.#observer.observe(canvas, { box: 'device-pixel-content-box' });
    } catch {
      this.#observer.observe(canvas);
    }
  }

  /** Last observed size; before the first observation, the size in the page's layout. */
  get size(): SurfaceSize {
    if (this.#size.width > 0) return this.#size;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    return { width, height, ratio: window.devicePixelRatio };
  }

  /**
   * Converts a position on the canvas to the picture. Until a layout change is observed, the browser stretches the old
   * picture, and the pointer refers to what is visible.
   */
  toPicture(x: number, y: number): readonly [x: number, y: number] {
    const { width, height } = this.size;
    const { clientWidth, clientHeight } = this.canvas;
    return clientWidth > 0 && clientHeight > 0 ? [(x * width) / clientWidth, (y * height) / clientHeight] : [x, y];
  }

  /** A cleared context in CSS pixels; null if the canvas has no area. */
  clearedContext(): CanvasRenderingContext2D | null {
    const context = this.contextWithContents();
    context?.clearRect(0, 0, this.#size.width, this.#size.height);
    return context;
  }

  /** The context with its previous contents; null if the canvas has no area. */
  contextWithContents(): CanvasRenderingContext2D | null {
    const { width, height, ratio } = this.#size;
    // Nothing is drawn before the canvas has its size in device pixels.
    if (width <= 0 || height <= 0) return null;
    this.#context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return this.#context;
  }

  dispose(): void {
    this.#observer.disconnect();
  }
}

interface Painters {
  readonly below: () => void;
  readonly above: () => void;
  /** Called before a repaint if the size or the font size has changed. */
  readonly resized?: () => void;
  /** Called if the page's colours have changed. */
  readonly themed?: () => void;
}

export class Layers {
  readonly below: Surface;
  readonly above: Surface;
  readonly #scheduler: FrameScheduler;
  readonly #painters: Painters;
  readonly #stopTheme: () => void;
  #theme: DrawingTheme;

  constructor(below: HTMLCanvasElement, above: HTMLCanvasElement, scheduler: FrameScheduler, painters: Painters) {
    this.#scheduler = scheduler;
    this.#painters = painters;
    this.#theme = readDrawingTheme(below);
    this.below = new Surface(below, () => {
      // A change of the page's scale changes the size of canvas and fonts.
      this.#theme = readDrawingTheme(below);
      painters.resized?.();
      // Paint immediately: a canvas is cleared when its size is set, and waiting for the next frame would show an empty
      // canvas.
      painters.below();
    });
    this.above = new Surface(above, painters.above);
    this.#stopTheme = onThemeChange(() => {
      this.#theme = readDrawingTheme(below);
      painters.themed?.();
      this.requestPaint();
    });
  }

  /** Current theme; a new object after every change. */
  get theme(): DrawingTheme {
    return this.#theme;
  }

  /** Requests a paint of both canvases in the next frame. */
  requestPaint(): void {
    this.#scheduler.request(this.#painters.below);
    this.requestPaintAbove();
  }

  requestPaintAbove(): void {
    this.#scheduler.request(this.#painters.above);
  }

  dispose(): void {
    this.#stopTheme();
    this.below.dispose();
    this.above.dispose();
    this.#scheduler.cancel(this.#painters.below);
    this.#scheduler.cancel(this.#painters.above);
  }
}
