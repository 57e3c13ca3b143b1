/**
 * Two stacked canvases: the picture below, above it what moves over the
 * picture, so that pointing repaints lines and never the picture. Both are
 * painted in the frame loop, in the page's theme.
 */
import type { FrameScheduler } from './scheduler.ts';
import { Surface } from './surface.ts';
import { type DrawingTheme, onThemeChange, readDrawingTheme } from './theme.ts';

interface Painters {
  readonly below: () => void;
  readonly above: () => void;
  /** The size, or that of the type, is another: before the picture is painted for it. */
  readonly resized?: () => void;
  /** The page has other colours. */
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
      // The page's scale changes the canvas and the type together.
      this.#theme = readDrawingTheme(below);
      painters.resized?.();
      // At once: a canvas is empty after its size was set, and would flash.
      painters.below();
    });
    this.above = new Surface(above, painters.above);
    this.#stopTheme = onThemeChange(() => {
      this.#theme = readDrawingTheme(below);
      painters.themed?.();
      this.ask();
    });
  }

  /** Another object whenever something of it has changed. */
  get theme(): DrawingTheme {
    return this.#theme;
  }

  /** Both are painted with the next frame. */
  ask(): void {
    this.#scheduler.request(this.#painters.below);
    this.askAbove();
  }

  askAbove(): void {
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
