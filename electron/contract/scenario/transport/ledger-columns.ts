/**
 * The columns of a transport run's ledger, each declared once. Schemas, the run file, tables, CSV and the page derive
 * from these. The engine's list is `kLedgerColumns` in kernels/transport/run/ledger.hpp; a test compares the two.
 */
import { z } from 'zod';

interface LedgerColumn {
  /** Title on the page and in the command line. */
  readonly title: string;
  /** True if the column exists for energy only, not for protons. */
  readonly energyOnly?: true;
}

/** Columns in the order of the engine's two arrays: protons, and MeV. */
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
type EnergyOnly = { [N in ColumnName]: (typeof ledgerColumns)[N] extends { energyOnly: true } ? N : never }[ColumnName];

export const energyColumns = Object.keys(ledgerColumns) as readonly ColumnName[];
export const numberColumns = energyColumns.filter((name): name is Exclude<ColumnName, EnergyOnly> => {
  const column: LedgerColumn = ledgerColumns[name];
  return column.energyOnly !== true;
});

/**
 * Escapes through each face, titled as sub-entries of their total; front and low z are the same face. Absent in runs
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
 * Parts of the deposited energy: local deposition at reactions, and energy carried by reaction products. With icru63
 * only.
 */
export const reactionTitles = {
  deposited_local: 'at reactions',
  deposited_protons: 'by secondary protons',
  deposited_deuterons: 'by deuterons',
} as const;
const reactionColumns = Object.keys(reactionTitles) as readonly (keyof typeof reactionTitles)[];

function shapeOf<N extends string, T>(names: readonly N[], type: T) {
  return Object.fromEntries(names.map((name) => [name, type])) as { readonly [Name in N]: T };
}

const optional = z.number().optional();
export const numberBalanceSchema = z.strictObject({
  ...shapeOf(numberColumns, z.number()),
  ...shapeOf(faceColumns, optional),
});
export const energyBalanceSchema = z.strictObject({
  ...shapeOf(energyColumns, z.number()),
  ...shapeOf(faceColumns, optional),
  ...shapeOf(reactionColumns, optional),
});
export type NumberBalance = Readonly<z.infer<typeof numberBalanceSchema>>;
export type EnergyBalance = Readonly<z.infer<typeof energyBalanceSchema>>;

/** Value of a table at [row][column]; 0 for a run without a step. A negative `row` counts from the end. */
export function ledgerValue<N extends string>(
  table: Float64Array,
  columns: readonly N[],
  column: NoInfer<N>,
  row = -1,
): number {
  const at = row < 0 ? table.length / columns.length + row : row;
  return table[at * columns.length + columns.indexOf(column)] ?? 0;
}
