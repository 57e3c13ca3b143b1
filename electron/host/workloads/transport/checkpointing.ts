/** Decides when a running run's state is taken, and puts the states together with the keyframes taken before. */
import type { Marginals, NativeCheckpoint, NativeProgress, TransportRun } from '../../io/addon/addon.ts';
import { KeepingTimes } from '../../io/flow/keeping-times.ts';

interface TakenState {
  readonly state: NativeCheckpoint;
  /** All so far. */
  readonly keyframes: readonly Marginals[];
  readonly depth_mm: number;
}

export class Checkpointing {
  readonly #native: Pick<TransportRun, 'wantCheckpoint' | 'checkpoint'>;
  readonly #keep: (taken: TakenState) => Promise<void>;
  readonly #keyframes: Marginals[] = [];
  readonly #times: KeepingTimes;
  #state: 'resting' | 'asked' | 'keeping' = 'resting';
  #taken = 0;

  constructor(
    native: Pick<TransportRun, 'wantCheckpoint' | 'checkpoint'>,
    keep: (taken: TakenState) => Promise<void>,
    now = performance.now(),
  ) {
    this.#native = native;
    this.#keep = keep;
    this.#times = new KeepingTimes(now);
  }

  /** Whether any state was saved. */
  get begun(): boolean {
    return this.#taken > 0;
  }

  /** To be called with every progress of the run. */
  progressed({ depth_mm }: Pick<NativeProgress, 'depth_mm'>, now = performance.now()): void {
    if (this.#state === 'resting' && this.#times.isDue(now)) {
      this.#native.wantCheckpoint(this.#keyframes.length);
      this.#state = 'asked';
    } else if (this.#state === 'asked') {
      const state = this.#native.checkpoint();
      if (state !== null) void this.#take(state, depth_mm, now);
    }
  }

  async #take(state: NativeCheckpoint, depth_mm: number, now: number): Promise<void> {
    this.#state = 'keeping';
    this.#times.begins(now);
    this.#taken += 1;
    this.#keyframes.push(...state.keyframes);
    await this.#keep({ state, keyframes: [...this.#keyframes], depth_mm });
    this.#times.kept();
    this.#state = 'resting';
  }
}
