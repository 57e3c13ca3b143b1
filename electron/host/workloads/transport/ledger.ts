/** The ledger of a run by the names of its columns. */
import {
  type EnergyBalance,
  energyColumns,
  faceColumns,
  type NumberBalance,
  numberColumns,
} from '../../../contract/scenario/transport/ledger-columns.ts';
import type { RunData } from './run-data.ts';

interface Part {
  readonly names: readonly string[];
  /** [step][name] */
  readonly values: Float64Array;
}

type Ledgers = Pick<RunData, 'ledgerNumber' | 'ledgerEnergy' | 'facesNumber' | 'facesEnergy'>;

export interface Balance {
  /** In the order of the balance, then the faces where they are known. */
  readonly names: readonly string[];
  readonly steps: number;
  /** 0 for a run that took no step. */
  readonly at: (row: number, name: string) => number;
}

function balanceOf(parts: readonly Part[]): Balance {
  const known = parts.filter(({ values }, i) => i === 0 || values.length > 0);
  const places = new Map(known.flatMap((part) => part.names.map((name, i) => [name, { part, i }] as const)));
  const [first] = known;
  return {
    names: [...places.keys()],
    steps: first === undefined ? 0 : first.values.length / first.names.length,
    at: (row, name) => {
      const place = places.get(name);
      return place?.part.values[row * place.part.names.length + place.i] ?? 0;
    },
  };
}

export function numberBalance(run: Ledgers): Balance {
  return balanceOf([
    { names: numberColumns, values: run.ledgerNumber },
    { names: faceColumns, values: run.facesNumber },
  ]);
}

export function energyBalance(run: Ledgers): Balance {
  return balanceOf([
    { names: energyColumns, values: run.ledgerEnergy },
    { names: faceColumns, values: run.facesEnergy },
  ]);
}

/** The last row by column name; zeros for a run that took no step. A loop: thousands of beams a second wait for it. */
function lastRow<N extends string>(names: readonly N[], values: Float64Array): Readonly<Record<N, number>> {
  const row: Partial<Record<N, number>> = {};
  const first = values.length - names.length;
  for (let i = 0; i < names.length; i += 1) row[names[i] as N] = values[first + i] ?? 0;
  return row as Readonly<Record<N, number>>;
}

const lastFaces = (values: Float64Array) => (values.length === 0 ? {} : lastRow(faceColumns, values));

export function columnsOf({ names, at }: Balance, rows: readonly number[]): Record<string, Float64Array> {
  return Object.fromEntries(names.map((name) => [name, Float64Array.from(rows, (row) => at(row, name))]));
}

function reactionParts({ secondaries }: Pick<RunData, 'secondaries'>) {
  if (secondaries === null) return {};
  const { local_MeV, protons_MeV, deuterons_MeV } = secondaries;
  return { deposited_local: local_MeV, deposited_protons: protons_MeV, deposited_deuterons: deuterons_MeV };
}

/** Final balances of a run. */
export function lastBalances(run: Ledgers & Pick<RunData, 'secondaries'>): {
  readonly number: NumberBalance;
  readonly energy: EnergyBalance;
} {
  return {
    number: { ...lastRow(numberColumns, run.ledgerNumber), ...lastFaces(run.facesNumber) },
    energy: { ...lastRow(energyColumns, run.ledgerEnergy), ...lastFaces(run.facesEnergy), ...reactionParts(run) },
  };
}
