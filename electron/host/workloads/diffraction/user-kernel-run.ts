/** An image by a user kernel, as the host sees every image: the engine's object in the variant's process. */
import type { NativeAddon } from '../../io/addon/addon.ts';
import type {
  DiffractionProblem,
  DiffractionProgress,
  DiffractionResult,
  DiffractionRun,
  ImageMeasuring,
} from '../../io/addon/diffraction.ts';
import { LiveFrames } from '../../model/user-kernels/live-frames.ts';
import type { Lease, LoadedUserKernel } from '../../model/user-kernels/loaded.ts';

type Live = NonNullable<ReturnType<DiffractionRun['live']>>;

export class UserKernelImageRun implements DiffractionRun {
  readonly plan: DiffractionRun['plan'];
  readonly #session: LoadedUserKernel;
  readonly #problem: DiffractionProblem;
  #lease: Lease | null = null;
  #cancelled = false;
  readonly #frames = new LiveFrames<Live>();

  /** Throws what the engine throws of a problem that it refuses. Runs no code of the variant. */
  constructor(engine: NativeAddon, session: LoadedUserKernel, problem: DiffractionProblem) {
    const { kernel } = session;
    this.#session = session;
    this.#problem = { ...problem, solver: { ...problem.solver, variant: kernel.base.id } };
    this.plan = { ...engine.createDiffraction(this.#problem).plan, variant: kernel.id };
  }

  async start(
    onProgress: (progress: DiffractionProgress) => void,
    measuring?: ImageMeasuring,
  ): Promise<DiffractionResult> {
    const lease = await this.#session.lease('createDiffraction', this.#problem, this.plan.estimate_bytes);
    this.#lease = lease;
    try {
      if (this.#cancelled) lease.process.cancel();
      const options = measuring === undefined ? [] : [measuring];
      const result = await lease.run('start', options, (value) => {
        onProgress(value as DiffractionProgress);
        this.#frames.askFor(lease);
      });
      lease.release();
      return { ...(result as DiffractionResult), variant: this.plan.variant };
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

  live(): Live | null {
    return this.#frames.take();
  }
}
