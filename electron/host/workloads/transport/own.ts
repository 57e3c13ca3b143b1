/** Own variants of proton transport. */
import { withOwn } from '../../model/user-kernels/known.ts';
import { runOf } from '../run-data.ts';
import { problemOf } from '../scenarios/index.ts';
import { type OwnWorkload, replaceableBy, withoutKernels } from '../user-kernels.ts';
import { checkTransport } from './own-check.ts';
import { OwnTransportRun } from './own-run.ts';

export const ownTransport: OwnWorkload = {
  bases: (addon) => addon.variants(),
  replaceable: replaceableBy({ engine: ['registry.cpp', 'tables.cpp', 'energy_grid.cpp'] }),
  fixed: withoutKernels,
  among: (engine, known) => ({
    variants: () => withOwn(engine.variants(), known.list('transport')),
    createTransport: (problem) => {
      const own = known.find('transport', problem.solver.variant);
      return own === null ? engine.createTransport(problem) : new OwnTransportRun(engine, known.session(own), problem);
    },
  }),
  check: (addon, reading, run, signal) => {
    if (reading.kind !== 'transport') throw new Error(`a scenario of ${reading.kind} came to transport`);
    const { dose, ledgerNumber, ledgerEnergy } = runOf('transport', run);
    const first = { dose, ledger_number: ledgerNumber, ledger_energy: ledgerEnergy };
    return checkTransport(addon, problemOf(reading), first, signal);
  },
};
