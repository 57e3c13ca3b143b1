/**
 * The one animation-frame loop of the page. Whoever wants to paint asks for a
 * turn; all turns of a frame run in one callback, in the order of their
 * priority, and nothing runs while nobody asks.
 */

/** Paints. `time_ms` is the frame's time stamp. */
type Painter = (time_ms: number) => void;

interface FrameStatistics {
  /** Frames painted since the scheduler was made. */
  readonly frames: number;
  /** Main-thread time of the last frame and the longest of the last 120, ms. */
  readonly last_ms: number;
  readonly longest_ms: number;
}

/** Source of frames: `requestAnimationFrame`, or a test's clock. */
interface FrameSource {
  request(callback: (time_ms: number) => void): number;
  now(): number;
}

const KEPT_FRAMES = 120;

export class FrameScheduler {
  readonly #source: FrameSource;
  readonly #waiting = new Set<Painter>();
  #afterPaint: (() => void)[] = [];
  #asked = false;
  #frames = 0;
  readonly #costs = new Float64Array(KEPT_FRAMES);

  constructor(source: FrameSource) {
    this.#source = source;
  }

  /** Paints in the next frame; asking twice paints once. */
  request(painter: Painter): void {
    this.#waiting.add(painter);
    this.#ask();
  }

  /** Takes a request back, for a painter whose canvas is gone. */
  cancel(painter: Painter): void {
    this.#waiting.delete(painter);
  }

  /** Resolves after the painters of the next frame have run: the point where a stream's credit goes back. */
  painted(): Promise<void> {
    return new Promise((resolve) => {
      this.#afterPaint.push(resolve);
      this.#ask();
    });
  }

  get statistics(): FrameStatistics {
    const last = this.#costs[(this.#frames + KEPT_FRAMES - 1) % KEPT_FRAMES] ?? 0;
    return { frames: this.#frames, last_ms: last, longest_ms: this.#costs.reduce((a, b) => Math.max(a, b), 0) };
  }

  #ask(): void {
    if (this.#asked) return;
    this.#asked = true;
    this.#source.request(this.#run);
  }

  readonly #run = (time_ms: number): void => {
    this.#asked = false;
    const start = this.#source.now();
    // A painter that asks again while it paints is for the next frame.
    const painters = [...this.#waiting];
    this.#waiting.clear();
    const resolved = this.#afterPaint;
    this.#afterPaint = [];
    for (const painter of painters) {
      try {
        painter(time_ms);
      } catch (error) {
        // One broken layer must not stop the others.
        reportError(error);
      }
    }
    this.#costs[this.#frames % KEPT_FRAMES] = this.#source.now() - start;
    this.#frames += 1;
    for (const resolve of resolved) resolve();
  };
}

/**
 * A window in the background gets no animation frames, but its streams must not stall. A slow timer replaces them while
 * the page is hidden.
 */
const HIDDEN_FRAME_MS = 500;

export function browserFrames(): FrameSource {
  return {
    request: (callback) =>
      document.hidden
        ? window.setTimeout(() => callback(performance.now()), HIDDEN_FRAME_MS)
        : requestAnimationFrame(callback),
    now: () => performance.now(),
  };
}
