/**
 * Table of the readouts of a depth dose. Schemas, JSON, the columns of studies, the text of `run` and the page's
 * results derive from it. A new readout needs an entry here and a formula. Formulas that use the curve are in
 * electron/host/workloads/transport/metrics/depth-readouts.ts, those that use the run in run-metrics.ts.
 */
import { z } from 'zod';

export interface Readout {
  readonly title: string;
  /** Unit; empty for a dimensionless number. */
  readonly unit: string;
  readonly about: string;
  /** Number of decimals to show, or of significant digits if the magnitude varies. */
  readonly digits: { readonly fixed: number } | { readonly significant: number };
  /** Input of the formula: the depth dose alone, or all results of the run. */
  readonly from: 'curve' | 'run';
  /** True if the readout is also shown during the run, next to the curve. */
  readonly live?: true;
  /** True if the run summary and studies contain the readout. */
  readonly summary?: true;
}

const lateralReadout = 'Across x, from 80 to 20 % of the largest dose';

const readouts = {
  r80_mm: {
    ...{ title: 'R80', unit: 'mm', about: 'Distal 80 % depth along the beam axis', digits: { fixed: 2 } },
    ...{ from: 'curve', live: true, summary: true },
  },
  r20_mm: {
    ...{ title: 'R20', unit: 'mm', about: 'Distal 20 % depth along the beam axis', digits: { fixed: 2 } },
    ...{ from: 'curve', live: true },
  },
  peak_mm: {
    ...{ title: 'Peak', unit: 'mm', about: 'Depth of the Bragg peak', digits: { fixed: 2 } },
    ...{ from: 'curve', live: true, summary: true },
  },
  w80_20_mm: {
    ...{ title: 'W80–20', unit: 'mm', about: 'Depth from 80 % to 20 % beyond the peak', digits: { fixed: 3 } },
    ...{ from: 'curve', live: true, summary: true },
  },
  peak_to_entrance: {
    ...{ title: 'Peak to entrance', unit: '', about: 'Dose at the peak over dose at the entrance' },
    ...{ digits: { fixed: 2 }, from: 'curve', live: true, summary: true },
  },
  fwhm_mm: {
    ...{ title: 'FWHM', unit: 'mm', about: 'Full width at half maximum of the peak along the beam' },
    ...{ digits: { fixed: 2 }, from: 'curve', live: true, summary: true },
  },
  r90_mm: {
    ...{ title: 'R90', unit: 'mm', about: 'Distal 90 % depth along the beam axis', digits: { fixed: 2 } },
    ...{ from: 'curve', summary: true },
  },
  r50_mm: {
    ...{ title: 'R50', unit: 'mm', about: 'Distal 50 % depth along the beam axis', digits: { fixed: 2 } },
    ...{ from: 'curve', summary: true },
  },
  practical_range_mm: {
    ...{ title: 'Practical range', unit: 'mm', about: 'Distal 10 % depth along the beam axis (ICRU Report 78)' },
    ...{ digits: { fixed: 2 }, from: 'curve', summary: true },
  },
  plateau_MeV_per_mm: {
    ...{ title: 'Plateau', unit: 'MeV/mm', about: 'Mean of the depth dose from 20 to 50 % of R80' },
    ...{ digits: { significant: 4 }, from: 'curve', summary: true },
  },
  penumbra_half_mm: {
    ...{
      title: 'Penumbra at half of R80',
      unit: 'mm',
      about: `${lateralReadout}, at half of R80; only for beams along z`,
    },
    ...{ digits: { fixed: 2 }, from: 'run', summary: true },
  },
  penumbra_peak_mm: {
    ...{ title: 'Penumbra at the peak', unit: 'mm', about: `${lateralReadout}, at the peak; only for beams along z` },
    ...{ digits: { fixed: 2 }, from: 'run', summary: true },
  },
} as const satisfies Readonly<Record<string, Readout>>;

type ReadoutTable = typeof readouts;
type ReadoutName = keyof ReadoutTable;
type ReadoutNameWith<Field> = { [N in ReadoutName]: ReadoutTable[N] extends Field ? N : never }[ReadoutName];
type ReadoutValues<N extends ReadoutName> = Readonly<Record<N, number | null>>;

/** Readouts that are computed from the depth dose alone. */
export type CurveReadouts = ReadoutValues<ReadoutNameWith<{ from: 'curve' }>>;
type RunReadouts = ReadoutValues<ReadoutNameWith<{ from: 'run' }>>;
type LiveName = ReadoutNameWith<{ live: true }>;
type SummaryName = ReadoutNameWith<{ summary: true }>;

export const readoutEntries = Object.entries(readouts) as readonly (readonly [ReadoutName, Readout])[];

function selectReadouts<N extends ReadoutName, T>(
  chosen: (readout: Readout) => boolean,
  value: (name: ReadoutName) => T,
) {
  const values: Partial<Record<ReadoutName, T>> = {};
  for (const [name, readout] of readoutEntries) if (chosen(readout)) values[name] = value(name);
  return values as Readonly<Record<N, T>>;
}

const isSummaryReadout = ({ summary }: Readout): boolean => summary === true;
export const isLiveReadout = ({ live }: Readout): boolean => live === true;

/** All readouts as null, for a dose without a peak. */
export const noReadouts: CurveReadouts = selectReadouts(
  ({ from }) => from === 'curve',
  () => null,
);

/** Readouts that are available during the run. */
export type LiveReadouts = ReadoutValues<LiveName>;

export const liveReadouts = (values: CurveReadouts): LiveReadouts =>
  selectReadouts(isLiveReadout, (name) => (values as Partial<ReadoutValues<ReadoutName>>)[name] ?? null);

export function summaryReadouts(curve: CurveReadouts, run: RunReadouts): ReadoutValues<SummaryName> {
  const values: ReadoutValues<ReadoutName> = { ...curve, ...run };
  return selectReadouts(isSummaryReadout, (name) => values[name]);
}

const readoutShape = <N extends ReadoutName>(chosen: (readout: Readout) => boolean) =>
  selectReadouts<N, z.ZodNullable<z.ZodNumber>>(chosen, () => z.number().nullable());

export const liveReadoutShape = readoutShape<LiveName>(isLiveReadout);
export const summaryReadoutShape = readoutShape<SummaryName>(isSummaryReadout);
