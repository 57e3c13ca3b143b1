/**
 * The single animation-frame loop of the page. Painters request a frame; all requests of a frame run in one callback,
 * in order of priority. The loop is idle without requests.
 */

/** Paints; `time_ms` is the time stamp of the frame. */
type Painter = (time_ms: number) => void;

interface FrameStatistics {
  /** Frames painted since the scheduler was created. */
  readonly frames: number;
  /** Main-thread time of the last frame and of the longest of the last 120 frames, in ms. */
  readonly last_ms: number;
  readonly longest_ms: number;
}

/** Source of frames: `requestAnimationFrame`, or a test's clock. */
interface FrameSource {
  request(callback: (time_ms: number) => void): number;
  now(): number;
}

const MEASURED_FRAMES = 120;

export class FrameScheduler {
  readonly #source: FrameSource;
  readonly #waiting = new Set<Painter>();
  #afterPaint: (() => void)[] = [];
  #requested = false;
  #frames = 0;
  readonly #costs = new Float64Array(MEASURED_FRAMES);

  constructor(source: FrameSource) {
    this.#source = source;
  }

  /** Requests a paint in the next frame; repeated requests paint once. */
  request(painter: Painter): void {
    this.#waiting.add(painter);
    this.#requestFrame();
  }

  /** Cancels a request, for a painter whose canvas was removed. */
  cancel(painter: Painter): void {
    this.#waiting.delete(painter);
  }

  /** Resolves after the painters of the next frame have run. Stream readers then return the credit of their frame. */
  painted(): Promise<void> {
    return new Promise((resolve) => {
      this.#afterPaint.push(resolve);
      this.#requestFrame();
    });
  }

  get statistics(): FrameStatistics {
    const last = this.#costs[(this.#frames + MEASURED_FRAMES - 1) % MEASURED_FRAMES] ?? 0;
    return { frames: this.#frames, last_ms: last, longest_ms: this.#costs.reduce((a, b) => Math.max(a, b), 0) };
  }

  #requestFrame(): void {
    if (this.#requested) return;
    this.#requested = true;
    this.#source.request(this.#run);
  }

  readonly #run = (time_ms: number): void => {
    this.#requested = false;
    const start = this.#source.now();
    // A painter that requests again while it paints runs in the next frame.
    const painters = [...this.#waiting];
    this.#waiting.clear();
    const resolved = this.#afterPaint;
    this.#afterPaint = [];
    for (const painter of painters) {
      try {
        painter(time_ms);
      } catch (error) {
        // An error in one layer must not stop the others.
        reportError(error);
      }
    }
    this.#costs[this.#frames % MEASURED_FRAMES] = this.#source.now() - start;
    this.#frames += 1;
    for (const resolve of resolved) resolve();
  };
}

/**
 * Interval of a slow timer, in ms, that replaces animation frames while the page is hidden. Background windows get no
 * animation frames, but their streams must not stall.
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
