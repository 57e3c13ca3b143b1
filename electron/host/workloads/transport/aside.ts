/** Readouts of a run, on a worker thread if its arrays are large: grids have up to four million cells, files more. */
import type { GammaDose } from '../../../contract/dose.ts';
import type { Curve } from '../../../contract/fields.ts';
import type { DepthDose, LedgerTable, Moments, RunSummary } from '../../../contract/run.ts';
import { asideIfLarge } from '../../io/aside/large.ts';
import type { DoseMap } from '../../model/fields/gamma.ts';
import { toPeak } from '../../model/fields/volume-dose.ts';
import { noSpans } from '../../model/recording/recording.ts';
import { gammaMap } from './metrics/gamma-dose.ts';
import { grayOnAxis } from './metrics/gray.ts';
import { qualityOf } from './metrics/quality.ts';
import { depthDoseOf, momentsOf } from './metrics/run-metrics.ts';
import { lateralCurves, ledgerTable, summaryOf } from './readouts.ts';
import { measured, type RunData } from './run-data.ts';

/** Input of readouts: without pictures and recording, which may be larger than everything else. */
const looked = (run: RunData): RunData => ({ ...run, scenario: {}, keyframes: [], spans: noSpans, trace: null });

function readout<A, R>(name: string, work: (run: RunData, asked: A) => R): (run: RunData, asked: A) => Promise<R> {
  const read = asideIfLarge(name, ({ run, asked }: { readonly run: RunData; readonly asked: A }) => work(run, asked));
  return (run, asked) => read({ run: looked(run), asked });
}

function plainReadout<R>(name: string, work: (run: RunData) => R): (run: RunData) => Promise<R> {
  const read = asideIfLarge(name, work);
  return (run) => read(looked(run));
}

export const summaryOfRun: (run: RunData) => Promise<RunSummary> = plainReadout('sum up a run', summaryOf);

export const depthDoseOfRun: (run: RunData) => Promise<DepthDose> = plainReadout('read a depth dose', (run) => ({
  ...depthDoseOf(measured(run)),
  gray: grayOnAxis(run),
  quality: qualityOf(run),
}));

/** Depth-dose metrics, such as the depth at 80 %. */
export const depthMetricsOfRun: (run: RunData) => Promise<DepthDose['metrics']> = plainReadout(
  'read a range',
  (run) => depthDoseOf(measured(run)).metrics,
);

export const momentsOfRun: (run: RunData) => Promise<Moments> = plainReadout('read the moments of a run', (run) =>
  momentsOf(measured(run)),
);

/** Throws BraggError `invalid` for a depth outside the geometry. */
export const lateralCurvesOfRun: (run: RunData, depths_mm: readonly number[]) => Promise<Curve[]> = readout(
  'read lateral curves',
  lateralCurves,
);

/** At most `rows` steps. */
export const ledgerOfRun: (run: RunData, rows: number) => Promise<LedgerTable> = readout('read a ledger', ledgerTable);

/** By mass nGy mm³ a cell, by area MeV a cell. */
export const gammaMapOfRun: (run: RunData, by: GammaDose) => Promise<DoseMap> = readout(
  'make a dose for the gamma index',
  gammaMap,
);

/** Scaled so that its largest dose by area is 1. */
export const toPeakOf: (map: DoseMap) => Promise<DoseMap> = asideIfLarge('scale a dose to its peak', toPeak);
