/** User kernels of the diffraction workload. */
import { BRIGHT_PARITY } from '../../../contract/image.ts';
import { userKernelVerdict } from '../../../contract/user-kernels/verdict.ts';
import { Determinism } from '../../model/bench/parity.ts';
import { withUserKernels } from '../../model/user-kernels/known.ts';
import { runOf } from '../run-data.ts';
import { problemOf } from '../scenarios/index.ts';
import { replaceableBy, type UserKernelWorkload, withoutKernels } from '../user-kernels.ts';
import { imageAccuracy } from './accuracy.ts';
import { imageError, worstOf } from './image-error.ts';
import { REFERENCE, render } from './render.ts';
import { UserKernelImageRun } from './user-kernel-run.ts';

/** The lengths, tables and sources of a problem are laid out by the engine, which then makes a variant. */
const engine = [
  'registry.cpp',
  'solver.cpp',
  'setup.cpp',
  'detector.cpp',
  'sources.cpp',
  'structure_factors.cpp',
  'unit_cell.cpp',
  'mosaic.cpp',
];

export const diffractionUserKernels: UserKernelWorkload = {
  bases: (addon) => addon.diffractionVariants(),
  replaceable: replaceableBy({ engine, deviceHeaders: ['device_pixel.hpp', 'device_arithmetic.hpp'] }),
  fixed: withoutKernels,
  reproduced: (_addon, reading, { base }) => {
    if (reading.kind !== 'diffraction') throw new Error(`a scenario of ${reading.kind} came to diffraction`);
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
    if (reading.kind !== 'diffraction') throw new Error(`a scenario of ${reading.kind} came to diffraction`);
    const problem = problemOf(reading);
    const first = runOf('diffraction', run);
    const { result: again } = await render(addon, problem, { variant: first.variant, mode: 'warm' }, signal);
    const { result: oracle } = await render(addon, problem, { variant: REFERENCE, mode: 'warm' }, signal);
    if (again.status !== 'done' || oracle.status !== 'done') return null;
    const determinism = new Determinism();
    for (const { image } of [first, again]) determinism.add(image);
    // One that is wrong now and then is wrong.
    const error = worstOf(imageError(first.image, oracle.image), imageError(again.image, oracle.image));
    return userKernelVerdict(imageAccuracy(error, true), determinism.report());
  },
};
