/** The ledger as a table: where the protons and their energy went. */
import type { RunSummary } from '../../../electron/contract/run.ts';

export interface LedgerRow {
  readonly name: string;
  readonly title: string;
  /** Null where the balance has no such entry. */
  readonly number: number | null;
  /** MeV. */
  readonly energy_MeV: number | null;
  readonly kind: 'in' | 'out';
}

const entries = [
  ['stopped', 'Stopped', 'Below the cutoff: what energy was left is deposited on the spot'],
  ['in_flight', 'In flight', 'Still under way when the run ended'],
  ['escaped_x', 'Out at the sides', 'Left the geometry through its two faces across x'],
  ['escaped_z', 'Out in depth', 'Left the geometry through its far face in z, or the near one'],
  ['escaped_theta', 'Out in angle', 'Scattered beyond the angle grid'],
  ['nuclear', 'Nuclear', 'Removed by nuclear reactions; of the energy, what is not deposited on the spot'],
  ['skipped', 'Skipped', 'Cells below the threshold of the active window'],
] as const;

export function ledgerRows({ ledger }: Pick<RunSummary, 'ledger'>): readonly LedgerRow[] {
  const { number, energy } = ledger;
  return [
    { name: 'In', title: 'What entered', number: number.in, energy_MeV: energy.in, kind: 'in' },
    {
      name: 'Deposited',
      title: 'Energy left in the material',
      number: null,
      energy_MeV: energy.deposited,
      kind: 'out',
    },
    ...entries.map(
      ([key, name, title]): LedgerRow => ({ name, title, number: number[key], energy_MeV: energy[key], kind: 'out' }),
    ),
  ];
}
