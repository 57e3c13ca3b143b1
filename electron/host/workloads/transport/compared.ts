/** Comparison of transport runs. */
import { asideIfLarge } from '../../io/aside/large.ts';
import { parityLimit, relativeL2, type Values } from '../../model/bench/parity.ts';
import type { ComparedRuns } from '../compared.ts';
import { runOf } from '../run-data.ts';
import {
  cellSteps,
  depthDoseError,
  depthDoseLimit,
  doseError,
  ledgerError,
  onSameCells,
  transportWords,
} from './accuracy.ts';
import { depthMetricsOfRun } from './aside.ts';
import { doseField } from './field.ts';
import { lastBalances } from './ledger.ts';
import { measured, stepsTime_s } from './run-data.ts';

const differenceOf = asideIfLarge(
  'hold a dose to another',
  ({ here, reference }: { readonly here: Values; readonly reference: Values }) => relativeL2(here, reference),
);

const limitOf = (precision: string): number => (precision === 'fp64' ? parityLimit.fp64 : parityLimit.fp32);

export const comparedTransport: ComparedRuns = {
  kind: 'answers',
  words: transportWords,
  of: async (any) => {
    const run = runOf('transport', any);
    const { axes, threads, isa, setup_s, steps, cell_steps, table } = run;
    const { number, energy } = lastBalances(run);
    const time_s = stepsTime_s(run);
    const { r80_mm } = await depthMetricsOfRun(run);
    return {
      ...{ threads, isa, time_s, setup_s },
      setup_parts: [],
      size: axes.energies_MeV.length * axes.ntheta * axes.nz * axes.nx,
      quantities: [
        cellSteps(cell_steps / time_s),
        { id: 'steps', title: 'Steps taken', value: steps, unit: '' },
        ...(r80_mm === null ? [] : [{ id: 'r80', title: 'R80', value: r80_mm, unit: 'mm' }]),
      ],
      accuracy: [ledgerError(Math.max(Math.abs(number.rel_error), Math.abs(energy.rel_error)), null)],
      field: doseField(run.dose, measured(run).geometry),
      environment: { 'stopping power': table },
    };
  },
  against: async (here, reference, judged) => {
    const limit = Math.max(limitOf(here.precision), limitOf(reference.precision));
    if (!onSameCells(here.variant, reference.variant)) {
      const { values, strideHorizontal } = here.field;
      return [depthDoseError(values, reference.field.values, strideHorizontal, judged ? depthDoseLimit : null)];
    }
    const apart = await differenceOf({ here: here.field.values, reference: reference.field.values });
    return [doseError(apart, judged ? limit : null)];
  },
};
