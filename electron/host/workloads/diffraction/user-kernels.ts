/**
 * User kernels of the diffraction workload. The run object implements the engine's interface, but the process of the
 * user's kernel computes the image.
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
import { DeterminismCheck } from '../../model/bench/bench-candidate.ts';
import {
  addUserKernels,
  LiveFrames,
  type LoadedUserKernel,
  type ProcessLease,
} from '../../model/user-kernels/loaded.ts';
import { runOf } from '../run-data.ts';
import { problemOf } from '../scenarios/scenarios.ts';
import { kernelReplacementError, replaceableRule, type UserKernelWorkload } from '../workload.ts';
import { REFERENCE, render } from './bench-candidate.ts';
import { imageAccuracy, imageError, largerErrors } from './image-data.ts';

type LiveImage = NonNullable<ReturnType<DiffractionRun['live']>>;

class UserKernelImageRun implements DiffractionRun {
  readonly plan: DiffractionRun['plan'];
  readonly #session: LoadedUserKernel;
  readonly #problem: DiffractionProblem;
  #lease: ProcessLease | null = null;
  #cancelled = false;
  readonly #frames = new LiveFrames<LiveImage>();

  /** Throws if the engine rejects the problem. Does not run the user's code. */
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
        this.#frames.requestNext(lease);
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

  live(): LiveImage | null {
    return this.#frames.takeNewest();
  }
}

/**
 * Source files that a user kernel cannot replace, because the engine runs them before it creates a variant. They
 * prepare lengths, tables and sources of a problem.
 */
const engine = ['registry.cpp', 'solver.cpp', 'setup.cpp', 'crystal.cpp'];

export const diffractionUserKernels: UserKernelWorkload = {
  bases: (addon) => addon.diffractionVariants(),
  replaceable: replaceableRule({ engine, deviceHeaders: ['device_pixel.hpp', 'device_arithmetic.hpp'] }),
  fixed: kernelReplacementError,
  reproducedProblem: (_addon, reading, { base }) => {
    if (reading.kind !== 'diffraction') throw new Error(`a scenario of kind ${reading.kind} was passed to diffraction`);
    const problem = problemOf(reading);
    const own = { ...problem, solver: { ...problem.solver, variant: base.id } };
    return { kind: 'image', problem: own, check: { reference: REFERENCE, limit: BRIGHT_PARITY } };
  },
  extendEngine: (engine, known) => ({
    diffractionVariants: () => addUserKernels(engine.diffractionVariants(), known.list('diffraction')),
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
    const determinism = new DeterminismCheck();
    for (const { image } of [first, again]) determinism.add(image);
    // Use the larger error of both runs, because a kernel with an intermittent error is wrong.
    const error = largerErrors(imageError(first.image, oracle.image), imageError(again.image, oracle.image));
    return userKernelVerdict(imageAccuracy(error, true), determinism.report());
  },
};
