/**
 * Table of the columns of a transport run's ledger, which balances protons and energy. Schemas, the run file, tables,
 * CSV and the page derive from it. A test compares it with the engine's list, `kLedgerColumns` in
 * kernels/transport/run/ledger.hpp.
 */
import { z } from 'zod';

interface LedgerColumn {
  /** Title on the page and in the command line. */
  readonly title: string;
  /** True if the column exists in the energy balance only, not in the balance of protons. */
  readonly energyOnly?: true;
}

/** Columns in the order of the engine's two arrays, one in protons and one in MeV. */
export const ledgerColumns = {
  in: { title: 'In' },
  in_flight: { title: 'In flight' },
  stopped: { title: 'Stopped' },
  escaped_x: { title: 'Escaped at the sides' },
  escaped_z: { title: 'Escaped in depth' },
  escaped_theta: { title: 'Beyond the angle grid' },
  nuclear: { title: 'Nuclear' },
  skipped: { title: 'Skipped' },
  deposited: { title: 'Deposited', energyOnly: true },
  rel_error: { title: 'Relative error' },
} as const satisfies Readonly<Record<string, LedgerColumn>>;

type ColumnName = keyof typeof ledgerColumns;
type EnergyOnlyColumn = {
  [N in ColumnName]: (typeof ledgerColumns)[N] extends { energyOnly: true } ? N : never;
}[ColumnName];

export const energyColumns = Object.keys(ledgerColumns) as readonly ColumnName[];
export const numberColumns = energyColumns.filter((name): name is Exclude<ColumnName, EnergyOnlyColumn> => {
  const column: LedgerColumn = ledgerColumns[name];
  return column.energyOnly !== true;
});

/**
 * Escapes through each face, with titles as sub-entries of their total. The front is the face at low z. Absent in runs
 * recorded before faces were distinguished.
 */
export const faceTitles = {
  escaped_x_low: 'at low x',
  escaped_x_high: 'at high x',
  escaped_z_low: 'in front',
  escaped_z_high: 'behind',
  escaped_theta_low: 'at low angles',
  escaped_theta_high: 'at high angles',
} as const;
export type Face = keyof typeof faceTitles;
export const faceColumns = Object.keys(faceTitles) as readonly Face[];

/**
 * Parts of the deposited energy: deposited locally at reactions, and carried away by reaction products. Only with the
 * icru63 model.
 */
export const reactionTitles = {
  deposited_local: 'at reactions',
  deposited_protons: 'by secondary protons',
  deposited_deuterons: 'by deuterons',
} as const;
const reactionColumns = Object.keys(reactionTitles) as readonly (keyof typeof reactionTitles)[];

function columnShape<N extends string, T>(names: readonly N[], type: T) {
  return Object.fromEntries(names.map((name) => [name, type])) as { readonly [Name in N]: T };
}

const optional = z.number().optional();
export const numberBalanceSchema = z.strictObject({
  ...columnShape(numberColumns, z.number()),
  ...columnShape(faceColumns, optional),
});
export const energyBalanceSchema = z.strictObject({
  ...columnShape(energyColumns, z.number()),
  ...columnShape(faceColumns, optional),
  ...columnShape(reactionColumns, optional),
});
export type NumberBalance = Readonly<z.infer<typeof numberBalanceSchema>>;
export type EnergyBalance = Readonly<z.infer<typeof energyBalanceSchema>>;

/** Value of the ledger table at [row][column]; 0 for a run without steps. Negative rows count from the end. */
export function ledgerValue<N extends string>(
  table: Float64Array,
  columns: readonly N[],
  column: NoInfer<N>,
  row = -1,
): number {
  const at = row < 0 ? table.length / columns.length + row : row;
  return table[at * columns.length + columns.indexOf(column)] ?? 0;
}
