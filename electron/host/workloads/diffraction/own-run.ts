/** An image by an own variant, as the host sees every image: the engine's object in the variant's process. */
import type { NativeAddon } from '../../io/addon/addon.ts';
import type {
  DiffractionProblem,
  DiffractionProgress,
  DiffractionResult,
  DiffractionRun,
  ImageMeasuring,
} from '../../io/addon/diffraction.ts';
import { LiveFrames } from '../../model/user-kernels/live-frames.ts';
import type { Lease, OwnSession } from '../../model/user-kernels/session.ts';

type Live = NonNullable<ReturnType<DiffractionRun['live']>>;

export class OwnImageRun implements DiffractionRun {
  readonly plan: DiffractionRun['plan'];
  readonly #session: OwnSession;
  readonly #problem: DiffractionProblem;
  #lease: Lease | null = null;
  #cancelled = false;
  readonly #frames = new LiveFrames<Live>();

  /** Throws what the engine throws of a problem that it refuses. Runs no code of the variant. */
  constructor(engine: NativeAddon, session: OwnSession, problem: DiffractionProblem) {
    const { own } = session;
    this.#session = session;
    this.#problem = { ...problem, solver: { ...problem.solver, variant: own.base.id } };
    this.plan = { ...engine.createDiffraction(this.#problem).plan, variant: own.id };
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
