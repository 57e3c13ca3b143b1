/** Live frames of a user kernel: requested from its process one at a time, and only on demand. */
import type { Lease } from './loaded.ts';

export class LiveFrames<Frame> {
  #newest: Frame | null = null;
  #wanted = false;
  #asking = false;

  /** The newest since the last call, or null; wants another. */
  take(): Frame | null {
    const newest = this.#newest;
    this.#newest = null;
    this.#wanted = true;
    return newest;
  }

  keep(frame: Frame): void {
    this.#newest = frame;
  }

  askFor({ process }: Lease): void {
    if (!this.#wanted || this.#asking) return;
    this.#asking = true;
    process.call('live', []).then(
      (frame) => {
        this.#asking = false;
        if (frame === null) return;
        this.#wanted = false;
        this.#newest = frame as Frame;
      },
      () => undefined,
    );
  }
}
