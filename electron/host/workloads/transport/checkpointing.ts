/** Decides when a running run's state is taken, and puts the states together with the keyframes taken before. */
import type { Marginals, NativeCheckpoint, NativeProgress, TransportRun } from '../../addon.ts';

/** A run that takes less than this is sooner repeated than recovered. */
const FIRST_MS = 3_000;
const EVERY_MS = 10_000;
/** Packing a state takes at most this share of the time, however large it is. */
const REST_PER_WORK = 20;

export interface TakenState {
  readonly state: NativeCheckpoint;
  /** All so far. */
  readonly keyframes: readonly Marginals[];
  readonly depth_mm: number;
}

export class Checkpointing {
  readonly #native: Pick<TransportRun, 'wantCheckpoint' | 'checkpoint'>;
  readonly #keep: (taken: TakenState) => Promise<void>;
  readonly #keyframes: Marginals[] = [];
  #due: number;
  #state: 'resting' | 'asked' | 'keeping' = 'resting';
  #taken = 0;

  constructor(
    native: Pick<TransportRun, 'wantCheckpoint' | 'checkpoint'>,
    keep: (taken: TakenState) => Promise<void>,
    now = performance.now(),
  ) {
    this.#native = native;
    this.#keep = keep;
    this.#due = now + FIRST_MS;
  }

  /** Whether any state was kept. */
  get begun(): boolean {
    return this.#taken > 0;
  }

  /** To be called with every progress of the run. */
  progressed({ depth_mm }: Pick<NativeProgress, 'depth_mm'>, now = performance.now()): void {
    if (this.#state === 'resting' && now >= this.#due) {
      this.#native.wantCheckpoint(this.#keyframes.length);
      this.#state = 'asked';
    } else if (this.#state === 'asked') {
      const state = this.#native.checkpoint();
      if (state !== null) void this.#take(state, depth_mm, now);
    }
  }

  async #take(state: NativeCheckpoint, depth_mm: number, now: number): Promise<void> {
    this.#state = 'keeping';
    this.#taken += 1;
    this.#keyframes.push(...state.keyframes);
    await this.#keep({ state, keyframes: [...this.#keyframes], depth_mm });
    const end = performance.now();
    this.#due = end + Math.max(EVERY_MS, REST_PER_WORK * (end - now));
    this.#state = 'resting';
  }
}
