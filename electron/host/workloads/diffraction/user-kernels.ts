/**
 * User kernels of the diffraction workload. The image object has the engine's interface, but computes in the process of
 * the user's variant.
 */
import { BRIGHT_PARITY } from '../../../contract/image.ts';
import { userKernelVerdict } from '../../../contract/user-kernels/checks.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import type {
  DiffractionProblem,
  DiffractionProgress,
  DiffractionResult,
  DiffractionRun,
  ImageMeasurementOptions,
} from '../../io/addon/task.ts';
import { Determinism } from '../../model/bench/bench-candidate.ts';
import { type Lease, LiveFrames, type LoadedUserKernel, withUserKernels } from '../../model/user-kernels/loaded.ts';
import { runOf } from '../run-data.ts';
import { problemOf } from '../scenarios/scenarios.ts';
import { replaceableBy, type UserKernelWorkload, withoutKernels } from '../workload.ts';
import { REFERENCE, render } from './bench-candidate.ts';
import { imageAccuracy, imageError, worstOf } from './image-data.ts';

type Live = NonNullable<ReturnType<DiffractionRun['live']>>;

class UserKernelImageRun implements DiffractionRun {
  readonly plan: DiffractionRun['plan'];
  readonly #session: LoadedUserKernel;
  readonly #problem: DiffractionProblem;
  #lease: Lease | null = null;
  #cancelled = false;
  readonly #frames = new LiveFrames<Live>();

  /** Throws if the engine rejects the problem. Runs no code of the variant. */
  constructor(engine: NativeAddon, session: LoadedUserKernel, problem: DiffractionProblem) {
    const { kernel } = session;
    this.#session = session;
    this.#problem = { ...problem, solver: { ...problem.solver, variant: kernel.base.id } };
    this.plan = { ...engine.createDiffraction(this.#problem).plan, variant: kernel.id };
  }

  async start(
    onProgress: (progress: DiffractionProgress) => void,
    measuring?: ImageMeasurementOptions,
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

/** Engine code that runs before it creates a variant: it lays out lengths, tables and sources of a problem. */
const engine = ['registry.cpp', 'solver.cpp', 'setup.cpp', 'crystal.cpp'];

export const diffractionUserKernels: UserKernelWorkload = {
  bases: (addon) => addon.diffractionVariants(),
  replaceable: replaceableBy({ engine, deviceHeaders: ['device_pixel.hpp', 'device_arithmetic.hpp'] }),
  fixed: withoutKernels,
  reproduced: (_addon, reading, { base }) => {
    if (reading.kind !== 'diffraction') throw new Error(`a scenario of kind ${reading.kind} was passed to diffraction`);
    const problem = problemOf(reading);
    const own = { ...problem, solver: { ...problem.solver, variant: base.id } };
    return { kind: 'image', problem: own, held: { reference: REFERENCE, limit: BRIGHT_PARITY } };
  },
  among: (engine, known) => ({
    diffractionVariants: () => withUserKernels(engine.diffractionVariants(), known.list('diffraction')),
    createDiffraction: (problem) => {
      const kernel = known.find('diffraction', problem.solver.variant);
      return kernel === null
        ? engine.createDiffraction(problem)
        : new UserKernelImageRun(engine, known.loaded(kernel), problem);
    },
  }),
  check: async (addon, reading, run, signal) => {
    if (reading.kind !== 'diffraction') throw new Error(`a scenario of kind ${reading.kind} was passed to diffraction`);
    const problem = problemOf(reading);
    const first = runOf('diffraction', run);
    const { result: again } = await render(addon, problem, { variant: first.variant, mode: 'warm' }, signal);
    const { result: oracle } = await render(addon, problem, { variant: REFERENCE, mode: 'warm' }, signal);
    if (again.status !== 'done' || oracle.status !== 'done') return null;
    const determinism = new Determinism();
    for (const { image } of [first, again]) determinism.add(image);
    // Use the worst of all runs, because an intermittent error makes the kernel wrong.
    const error = worstOf(imageError(first.image, oracle.image), imageError(again.image, oracle.image));
    return userKernelVerdict(imageAccuracy(error, true), determinism.report());
  },
};
