/**
 * A run of a user kernel, as the host sees every run: the engine's object in
 * the variant's process, behind the interface of one here. What needs none of
 * the variant's code (sizes, axes, checks of requests) is answered by the
 * variant that it was made from.
 */
import { BraggError } from '../../../contract/errors.ts';
import type {
  Marginals,
  Measuring,
  NativeCheckpoint,
  NativeLive,
  NativeProgress,
  PlaneRequest,
  TransportProblem,
  TransportResult,
  TransportRun,
} from '../../io/addon/addon.ts';
import { LiveFrames } from '../../model/user-kernels/live-frames.ts';
import type { Lease, LoadedUserKernel } from '../../model/user-kernels/loaded.ts';

export class UserKernelTransportRun implements TransportRun {
  readonly plan: TransportRun['plan'];
  readonly #session: LoadedUserKernel;
  readonly #problem: TransportProblem;
  readonly #base: TransportRun;
  #lease: Lease | null = null;
  #cancelled = false;
  #planes: readonly PlaneRequest[] | null = null;
  readonly #frames = new LiveFrames<NativeLive>();
  #checkpoint: NativeCheckpoint | null = null;
  #checkpointFrom: number | null = null;
  #asksCheckpoint = false;
  #keyframes: readonly Marginals[] = [];

  /** `problem` and its run `base` are of the variant that the kernel was made from. Runs no code of the kernel. */
  constructor(session: LoadedUserKernel, problem: TransportProblem, base: TransportRun) {
    this.#session = session;
    this.#problem = problem;
    this.#base = base;
    this.plan = { ...base.plan, variant: session.kernel.id };
  }

  async start(onProgress: (progress: NativeProgress) => void, measuring: Measuring = {}): Promise<TransportResult> {
    const lease = await this.#session.lease('createTransport', this.#problem, this.plan.estimate_bytes);
    this.#lease = lease;
    try {
      if (this.#planes !== null) await lease.process.call('wantPlanes', [this.#planes]);
      if (this.#cancelled) lease.process.cancel();
      const result = (await lease.run('start', [measuring], (value) => {
        onProgress(value as NativeProgress);
        this.#askFor(lease);
      })) as TransportResult;
      const last = (await lease.process.call('live', [])) as NativeLive | null;
      if (last !== null) this.#frames.keep(last);
      const keyframes: Marginals[] = [];
      for (const index of result.keyframes.keys()) {
        keyframes.push((await lease.process.call('keyframe', [index])) as Marginals);
      }
      this.#keyframes = keyframes;
      lease.release();
      return { ...result, variant: this.plan.variant };
    } catch (error) {
      lease.discard();
      throw error;
    } finally {
      this.#lease = null;
    }
  }

  cancel(): void {
    this.#cancelled = true;
    this.#lease?.process.cancel();
  }

  wantPlanes(planes: readonly PlaneRequest[]): void {
    this.#base.wantPlanes(planes);
    this.#planes = planes;
    void this.#lease?.process.call('wantPlanes', [planes]).catch(() => undefined);
  }

  keyframe(index: number): Marginals {
    const frame = this.#keyframes[index];
    if (frame === undefined) {
      throw new BraggError('invalid', 'keyframe(i): the run is not over or has no such keyframe');
    }
    return frame;
  }

  live(): NativeLive | null {
    return this.#frames.take();
  }

  wantCheckpoint(knownKeyframes: number): void {
    this.#checkpointFrom = knownKeyframes;
  }

  checkpoint(): NativeCheckpoint | null {
    const state = this.#checkpoint;
    this.#checkpoint = null;
    return state;
  }

  /** Forwards the pending requests, one frame and one checkpoint at a time. */
  #askFor(lease: Lease): void {
    this.#frames.askFor(lease);
    const { process } = lease;
    if (this.#checkpointFrom !== null) {
      void process.call('wantCheckpoint', [this.#checkpointFrom]).catch(() => undefined);
      this.#checkpointFrom = null;
      this.#asksCheckpoint = true;
      return;
    }
    if (!this.#asksCheckpoint) return;
    process.call('checkpoint', []).then(
      (state) => {
        if (state === null) return;
        this.#asksCheckpoint = false;
        const { variant } = this.plan;
        this.#checkpoint = { ...(state as NativeCheckpoint), variant };
      },
      () => undefined,
    );
  }
}
