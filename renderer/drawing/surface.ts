/** A canvas that is as many device pixels as it is large on the screen, and asks for paint when that changes. */

export interface SurfaceSize {
  /** CSS pixels: what layers draw in. */
  readonly width: number;
  readonly height: number;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
}

/** Widest and highest canvas that every browser accepts. */
const LARGEST_SIDE = 8192;

/** The browser's own count where it is one; under an emulated scale it says CSS pixels instead. */
function devicePixels(told: number | undefined, expected: number): number {
  return told !== undefined && Math.abs(told - expected) <= 1 ? told : Math.round(expected);
}

export class Surface {
  readonly canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #observer: ResizeObserver;
  #size: SurfaceSize = { width: 0, height: 0, ratio: 1 };

  /** `resized` is called after every change of size, the first one included. */
  constructor(canvas: HTMLCanvasElement, resized: () => void) {
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('this page cannot draw on a canvas');
    this.canvas = canvas;
    this.#context = context;
    this.#observer = new ResizeObserver((entries) => {
      const entry = entries.at(-1);
      if (entry === undefined) return;
      const box = entry.contentRect;
      // Whole device pixels as the browser laid them out, where it says so: no blur at 150 %.
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

  /** As it was last observed; before that, as the page has laid it out. */
  get size(): SurfaceSize {
    if (this.#size.width > 0) return this.#size;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    return { width, height, ratio: window.devicePixelRatio };
  }

  /**
   * The place in the picture under a place of the canvas. They differ between a
   * change of layout and its observation: the browser stretches the old
   * picture meanwhile, and a pointer means what it sees.
   */
  toPicture(x: number, y: number): readonly [x: number, y: number] {
    const { width, height } = this.size;
    const { clientWidth, clientHeight } = this.canvas;
    return clientWidth > 0 && clientHeight > 0 ? [(x * width) / clientWidth, (y * height) / clientHeight] : [x, y];
  }

  /** A cleared context in CSS pixels, or null while the canvas has no area. */
  begin(): CanvasRenderingContext2D | null {
    const context = this.again();
    context?.clearRect(0, 0, this.#size.width, this.#size.height);
    return context;
  }

  /** The same with what was drawn before. */
  again(): CanvasRenderingContext2D | null {
    const { width, height, ratio } = this.#size;
    // Nothing is drawn before the canvas has its device pixels.
    if (width <= 0 || height <= 0) return null;
    this.#context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return this.#context;
  }

  dispose(): void {
    this.#observer.disconnect();
  }
}
