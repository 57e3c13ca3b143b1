/** The ledger as a table: where the protons and their energy went. */
import type { RunSummary } from '../../../electron/contract/run.ts';
import {
  type Face,
  faceTitles,
  ledgerColumns,
  reactionTitles,
} from '../../../electron/contract/scenario/transport/ledger-columns.ts';

interface LedgerRow {
  readonly name: string;
  readonly title: string;
  /** Null where the balance has no such entry. */
  readonly number: number | null;
  /** MeV. */
  readonly energy_MeV: number | null;
  /** A part is of the row above it. */
  readonly kind: 'in' | 'out' | 'part';
}

const entries = [
  ['stopped', 'Below the cutoff: what energy was left is deposited on the spot'],
  ['in_flight', 'Still under way when the run ended'],
  ['escaped_x', 'Left the geometry through its two faces across x'],
  ['escaped_z', 'Left the geometry through its far face in z, or the near one'],
  ['escaped_theta', 'Scattered beyond the angle grid'],
  [
    'nuclear',
    'Removed by nuclear reactions; of the energy, what is not deposited: with icru63 neutrons, photons and binding',
  ],
  ['skipped', 'Cells below the threshold of the active window'],
] as const;

const parts: Readonly<Partial<Record<(typeof entries)[number][0], readonly Face[]>>> = {
  escaped_x: ['escaped_x_low', 'escaped_x_high'],
  escaped_z: ['escaped_z_low', 'escaped_z_high'],
  escaped_theta: ['escaped_theta_low', 'escaped_theta_high'],
};

/** Parts of what was deposited that come from nuclear reactions, where those were followed. */
const ofReactions = [
  ['deposited_local', 'By alphas and recoils, where nuclear reactions were'],
  ['deposited_protons', 'By protons that came out of nuclear reactions or were deflected by nuclei'],
  ['deposited_deuterons', 'By deuterons that came out of nuclear reactions'],
] as const;

export function ledgerRows({ ledger }: Pick<RunSummary, 'ledger'>): readonly LedgerRow[] {
  const { number, energy } = ledger;
  return [
    { name: ledgerColumns.in.title, title: 'What entered', number: number.in, energy_MeV: energy.in, kind: 'in' },
    {
      name: ledgerColumns.deposited.title,
      title: 'Energy left in the material',
      number: null,
      energy_MeV: energy.deposited,
      kind: 'out',
    },
    ...ofReactions.flatMap(([key, title]): readonly LedgerRow[] => {
      const carried = energy[key];
      if (carried === undefined) return [];
      return [{ name: reactionTitles[key], title, number: null, energy_MeV: carried, kind: 'part' }];
    }),
    ...entries.flatMap(([key, title]): readonly LedgerRow[] => [
      { name: ledgerColumns[key].title, title, number: number[key], energy_MeV: energy[key], kind: 'out' },
      // Faces that nothing left through, and runs from before faces were told apart, have no rows of them.
      ...(number[key] === 0 ? [] : (parts[key] ?? [])).flatMap((face): readonly LedgerRow[] => {
        const [protons, carried] = [number[face], energy[face]];
        if (protons === undefined || carried === undefined) return [];
        const at = faceTitles[face];
        return [
          { name: at, title: `${ledgerColumns[key].title}, ${at}`, number: protons, energy_MeV: carried, kind: 'part' },
        ];
      }),
    ]),
  ];
}
