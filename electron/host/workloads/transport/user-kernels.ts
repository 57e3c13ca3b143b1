/** User kernels of proton transport. */
import type { TransportProblem } from '../../io/addon/addon.ts';
import { oracleNameOf } from '../../model/bench/oracle.ts';
import { parityLimit } from '../../model/bench/parity.ts';
import type { UserKernel } from '../../model/user-kernels/file.ts';
import { withUserKernels } from '../../model/user-kernels/known.ts';
import { runOf } from '../run-data.ts';
import { problemOf } from '../scenarios/index.ts';
import { replaceableBy, type UserKernelWorkload, withoutKernels } from '../user-kernels.ts';
import { checkTransport } from './user-kernel-check.ts';
import { UserKernelTransportRun } from './user-kernel-run.ts';

/** The problem as the variant that a kernel was made from solves it. */
const byBase = (problem: TransportProblem, { base }: UserKernel): TransportProblem => ({
  ...problem,
  solver: { ...problem.solver, variant: base.id },
});

export const transportUserKernels: UserKernelWorkload = {
  bases: (addon) => addon.variants(),
  replaceable: replaceableBy({ engine: ['registry.cpp', 'tables.cpp', 'energy_grid.cpp'] }),
  fixed: withoutKernels,
  reproduced: (addon, reading, kernel) => {
    if (reading.kind !== 'transport') throw new Error(`a scenario of ${reading.kind} came to transport`);
    const problem = byBase({ ...problemOf(reading), keyframes: 0 }, kernel);
    const reference = oracleNameOf(addon, problem);
    const held = reference === null ? null : { reference, limit: parityLimit[problem.solver.precision] };
    return { kind: 'dose', problem, held };
  },
  among: (engine, known) => ({
    variants: () => withUserKernels(engine.variants(), known.list('transport')),
    createTransport: (problem) => {
      const kernel = known.find('transport', problem.solver.variant);
      if (kernel === null) return engine.createTransport(problem);
      const by = byBase(problem, kernel);
      return new UserKernelTransportRun(known.loaded(kernel), by, engine.createTransport(by));
    },
    layTransport: async (problem, memory) => {
      const kernel = known.find('transport', problem.solver.variant);
      if (kernel === null) return engine.layTransport(problem, memory);
      const by = byBase(problem, kernel);
      return new UserKernelTransportRun(known.loaded(kernel), by, await engine.layTransport(by));
    },
  }),
  check: (addon, reading, run, signal) => {
    if (reading.kind !== 'transport') throw new Error(`a scenario of ${reading.kind} came to transport`);
    const { dose, ledgerNumber, ledgerEnergy } = runOf('transport', run);
    const first = { dose, ledger_number: ledgerNumber, ledger_energy: ledgerEnergy };
    return checkTransport(addon, problemOf(reading), first, signal);
  },
};
