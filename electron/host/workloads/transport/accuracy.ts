/** How right a run of proton transport is, and how it calls what every session has. */
import type { Accuracy, Words } from '../../../contract/bench/session.ts';
import type { Precision } from '../../../contract/run.ts';
import { energyColumns, ledgerValue, numberColumns } from '../../../contract/scenario/transport/ledger-columns.ts';
import type { TransportResult } from '../../io/addon/addon.ts';

export const transportWords: Words = {
  time: 'Steps',
  timeTip: 'of the steps',
  size: 'cells',
  rate: 'Cell-steps',
};

const holds = (value: number | null, bound: number | null): boolean =>
  bound === null || value === null || value <= bound;

/** `bound` is null where the answers are of different problems. */
export function doseError(value: number | null, bound: number | null): Accuracy {
  return {
    id: 'parity',
    title: 'Dose error',
    tip: 'Relative L2 difference of the dose from the FP64 reference; of a stored run from the reference row',
    unit: '',
    value,
    bound,
    holds: holds(value, bound),
  };
}

/** Relative error of the ledger's sums; beyond it protons or energy were made or lost. */
const ledgerLimit: Readonly<Record<Precision, number>> = { fp32: 1e-6, fp64: 1e-12 };

/** `precision` is null where it is told, and not judged. */
export function ledgerError(value: number, precision: Precision | null): Accuracy {
  const bound = precision === null ? null : ledgerLimit[precision];
  return {
    id: 'ledger',
    title: 'Ledger',
    tip: 'Larger of the relative errors of the number and the energy balance',
    unit: '',
    value,
    bound,
    holds: holds(value, bound),
  };
}

export const cellSteps = (value: number) => ({ id: 'rate', title: 'Cell-steps', value, unit: '1/s' });

/** Larger of the ledgers' relative errors, of their last row: they are of the sums over all steps. */
export function ledgerErrorOf({
  ledger_number,
  ledger_energy,
}: Pick<TransportResult, 'ledger_number' | 'ledger_energy'>): number {
  if (ledger_number.length === 0) return Number.NaN;
  const [number, energy] = [
    ledgerValue(ledger_number, numberColumns, 'rel_error'),
    ledgerValue(ledger_energy, energyColumns, 'rel_error'),
  ];
  return Math.max(Math.abs(number), Math.abs(energy));
}
