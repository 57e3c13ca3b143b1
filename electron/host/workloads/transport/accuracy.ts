/** Accuracy of a proton transport run, and the wording of its sessions. */
import type { Accuracy, Words } from '../../../contract/bench/session.ts';
import type { Precision } from '../../../contract/run.ts';
import { energyColumns, ledgerValue, numberColumns } from '../../../contract/scenario/transport/ledger-columns.ts';
import type { TransportResult } from '../../io/addon/addon.ts';
import { relativeL2, type Values } from '../../model/bench/parity.ts';

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

/** Variants with planes and bins of their own: cell by cell they differ from a grid's answer by what that grid adds. */
const ownGrid: ReadonlySet<string> = new Set(['moments', 'cuda-moments']);

/** Whether two variants step on the same cells, so that their doses agree to rounding where both are correct. */
export const onSameCells = (first: string, second: string): boolean => ownGrid.has(first) === ownGrid.has(second);

/** Largest relative L2 difference between depth doses of two discretisations; R80 then agrees within a cell. */
export const depthDoseLimit = 0.01;

/** Dose integrated across x, of rows of `nx` cells. */
function depthDose(dose: Values, nx: number): Float64Array {
  const rows = new Float64Array(Math.ceil(dose.length / nx));
  for (let i = 0; i < dose.length; i += 1) {
    const row = Math.floor(i / nx);
    rows[row] = (rows[row] ?? 0) + (dose[i] ?? 0);
  }
  return rows;
}

/** Compares the depth doses of variants on different cells. `bound` as in doseError. */
export function depthDoseError(dose: Values, reference: Values | null, nx: number, bound: number | null): Accuracy {
  const value = reference === null ? null : relativeL2(depthDose(dose, nx), depthDose(reference, nx));
  return {
    id: 'depth-dose',
    title: 'Depth dose error',
    tip: 'Relative L2 difference of the dose integrated across x from the FP64 reference on its grid',
    unit: '',
    value,
    bound,
    holds: holds(value, bound),
  };
}

/** `precision` is null if the error is reported without a limit. */
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
