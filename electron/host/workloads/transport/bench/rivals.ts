/** Requests of transport problems to other programs, and the accuracy of their doses. */
import type { NativeAddon, TransportProblem } from '../../../io/addon/addon.ts';
import { parityLimit, relativeL2 } from '../../../model/bench/parity.ts';
import type { RivalTerms } from '../../../model/external/contestant.ts';
import type { ChosenBaseline } from '../../../model/external/registry.ts';
import { cellSteps, doseError, ledgerError } from '../accuracy.ts';

/** They step along the path. */
export function problemOnPath(problem: TransportProblem): TransportProblem {
  return { ...problem, solver: { ...problem.solver, stepping: 'path' } };
}

export function transportTerms(addon: NativeAddon, asked: TransportProblem, { baseline }: ChosenBaseline): RivalTerms {
  // A user's program has its own physics: the difference from our dose is reported without a limit.
  const judged = baseline.path === undefined;
  const problem = problemOnPath(asked);
  const { precision } = problem.solver;
  const auto = { ...problem, solver: { ...problem.solver, variant: 'auto' } };
  const { steps_max, ne, ntheta, nz, nx } = addon.createTransport(auto).plan;
  return {
    request: { problem, steps_max },
    ...{ precision, samples: 'run', sample_s: 0, lengths: [nz * nx], size: ne * ntheta * nz * nx },
    accuracy: ({ arrays: [dose], told: { ledger } }, oracle) => {
      const error = oracle === null || dose === undefined ? null : relativeL2(dose, oracle);
      const dosed = doseError(error, judged ? parityLimit[precision] : null);
      if (ledger === null) return [dosed];
      return [dosed, ledgerError(Math.max(ledger.number_error, ledger.energy_error), precision)];
    },
    values: ([dose]) => dose ?? null,
    quantities: ({ steps, cell_steps }, time_s) => [
      ...(cell_steps === null ? [] : [cellSteps(cell_steps / time_s)]),
      ...(steps === null ? [] : [{ id: 'steps', title: 'Steps taken', value: steps, unit: '' }]),
    ],
  };
}
