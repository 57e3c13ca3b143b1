/**
 * Readouts of an ended run: summary, curves, ledger, and exports. CSV columns of exports have units. Large arrays are
 * reduced on a worker thread, because grids have up to four million cells, and files more.
 */
import type { GammaQuantity } from '../../../contract/dose.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { Curve } from '../../../contract/fields.ts';
import { letNames, type Quality } from '../../../contract/quality.ts';
import {
  type DepthDose,
  type LedgerTable,
  type Moments,
  type RunSummary,
  summaryDocument,
} from '../../../contract/run.ts';
import {
  type EnergyBalance,
  energyColumns,
  faceColumns,
  type NumberBalance,
  numberColumns,
} from '../../../contract/scenario/transport/ledger-columns.ts';
import { summaryScalarsOf } from '../../../contract/scenario/transport/run-scalars.ts';
import { defineArrayTask } from '../../io/threads/task.ts';
import { type DoseMap, normalizeToPeak } from '../../model/fields/gamma.ts';
import { NO_SPANS } from '../../model/recording/recording.ts';
import { type AnyRunData, fileNameStem, runOf } from '../run-data.ts';
import type { Packer } from '../run-files/run-file.ts';
import type { ExportedFile } from '../workload.ts';
import { type ImageExport, imageOf, isImageExport } from './display/map-file.ts';
import type { AxisProfile } from './metrics/depth-readouts.ts';
import { dosePerMass } from './metrics/dose-per-mass.ts';
import { grayOnAxis } from './metrics/gray.ts';
import { letSummaryOf, qualityOf, rbeSummaryOf } from './metrics/quality.ts';
import { depthDoseOf, depthProfile, type MeasuredRun, momentsOf, readMetrics } from './metrics/run-metrics.ts';
import { runNotes } from './metrics/run-notes.ts';
import { measuredRunOf, type RunData } from './run-data.ts';

/** Throws BraggError `unsupported` for a run of another workload. */
export const transportRunOf = (run: AnyRunData): RunData => runOf('transport', run);

interface Part {
  readonly names: readonly string[];
  /** Values at index step · names + name. */
  readonly values: Float64Array;
}

type Ledgers = Pick<RunData, 'ledgerNumber' | 'ledgerEnergy' | 'facesNumber' | 'facesEnergy'>;

interface Balance {
  /** Columns in the order of the balance, followed by the faces if they are known. */
  readonly names: readonly string[];
  readonly steps: number;
  /** Returns the value at a row and column. 0 for a run without steps. */
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

function numberBalance(run: Ledgers): Balance {
  return balanceOf([
    { names: numberColumns, values: run.ledgerNumber },
    { names: faceColumns, values: run.facesNumber },
  ]);
}

function energyBalance(run: Ledgers): Balance {
  return balanceOf([
    { names: energyColumns, values: run.ledgerEnergy },
    { names: faceColumns, values: run.facesEnergy },
  ]);
}

/**
 * Returns the last row by column name. Zeros for a run without steps. Uses a loop for speed, because thousands of beams
 * per second call it.
 */
function lastRow<N extends string>(names: readonly N[], values: Float64Array): Readonly<Record<N, number>> {
  const row: Partial<Record<N, number>> = {};
  const first = values.length - names.length;
  for (let i = 0; i < names.length; i += 1) row[names[i] as N] = values[first + i] ?? 0;
  return row as Readonly<Record<N, number>>;
}

const lastFaces = (values: Float64Array) => (values.length === 0 ? {} : lastRow(faceColumns, values));

function columnsOf({ names, at }: Balance, rows: readonly number[]): Record<string, Float64Array> {
  return Object.fromEntries(names.map((name) => [name, Float64Array.from(rows, (row) => at(row, name))]));
}

function reactionParts({ secondaries }: Pick<RunData, 'secondaries'>) {
  if (secondaries === null) return {};
  const { local_MeV, protons_MeV, deuterons_MeV } = secondaries;
  return { deposited_local: local_MeV, deposited_protons: protons_MeV, deposited_deuterons: deuterons_MeV };
}

/** Returns the final balances of a run. */
export function lastBalances(run: Ledgers & Pick<RunData, 'secondaries'>): {
  readonly number: NumberBalance;
  readonly energy: EnergyBalance;
} {
  return {
    number: { ...lastRow(numberColumns, run.ledgerNumber), ...lastFaces(run.facesNumber) },
    energy: { ...lastRow(energyColumns, run.ledgerEnergy), ...lastFaces(run.facesEnergy), ...reactionParts(run) },
  };
}

function graySummary(run: RunData): RunSummary['gray'] {
  const dose = grayOnAxis(run);
  if ('reason' in dose) return dose;
  const { positions, values } = dose.curve;
  const highest_Gy = values.reduce((a, b) => Math.max(a, b), 0);
  return {
    entrance_Gy: values[positions.findIndex((depth) => depth >= 0)] ?? 0,
    highest_Gy,
    at_mm: positions[values.indexOf(highest_Gy)] ?? 0,
  };
}

/** Counts the values that are at most `limit`. Values must be ascending. */
function countUpTo(values: Float64Array, limit: number): number {
  let count = 0;
  while (count < values.length && (values[count] ?? 0) <= limit) count += 1;
  return count;
}

/**
 * Computes the summary of a run. `profile`: depth profile of `from`, which is the part of the run that readouts use.
 */
export function summaryOf(
  run: RunData,
  from: MeasuredRun = measuredRunOf(run),
  profile: AxisProfile = depthProfile(from),
): RunSummary {
  const { number, energy } = lastBalances(run);
  const { x_variance_of_representation_mm2 } = run;
  const { metrics, blur_mm } = readMetrics(from, profile);
  const read = {
    metrics,
    ledger: { number, energy },
    resolution_mm: Math.max(run.axes.dz_mm, run.step_mm),
    extra_straggling_mm: Math.hypot(run.extra_straggling_mm, blur_mm),
  };
  const bins = countUpTo(run.axes.energies_MeV, energy.in / number.in);
  const quality = qualityOf(run);
  return {
    ...read,
    gray: graySummary(run),
    ...(quality === null ? {} : { let: letSummaryOf(quality, read.metrics), rbe: rbeSummaryOf(quality, read.metrics) }),
    notes: [
      ...runNotes(
        { ...read, bins },
        { nx: run.axes.nx, dx_mm: run.axes.dx_mm, dose: () => run.dose, x_variance_of_representation_mm2 },
        run.table,
        run.completeScenario,
      ),
    ],
    scenario: run.name,
    variant: run.variant,
    precision: run.precision,
    status: run.status,
    error: run.error?.message ?? null,
    ...summaryScalarsOf(run),
    peak_rss_MB: run.peak_rss_bytes / 1e6,
    state_bytes: run.peak_state_bytes,
    ...(run.secondaries === null ? {} : { products_s: run.secondaries.seconds }),
    grid: { ne: run.axes.energies_MeV.length, ntheta: run.axes.ntheta, nz: run.axes.nz, nx: run.axes.nx },
    isa: run.isa,
  };
}

/** Dose across x in the rows of cells at these depths. */
function lateralCurves(run: RunData, depths_mm: readonly number[]): Curve[] {
  const { nz, nx, dz_mm, dx_mm } = run.axes;
  const positions = Float64Array.from({ length: nx }, (_, i) => (i + 0.5 - nx / 2) * dx_mm);
  return depths_mm.map((depth) => {
    const z = Math.floor(depth / dz_mm);
    if (!(z >= 0 && z < nz)) {
      throw new BraggError(
        'invalid',
        `There is no dose at ${depth} mm; the geometry extends from 0 to ${nz * dz_mm} mm.`,
      );
    }
    return {
      quantity: `dose at ${((z + 0.5) * dz_mm).toPrecision(6)} mm`,
      unit: 'MeV/mm²',
      axis: 'x',
      axisUnit: 'mm',
      positions,
      values: Float64Array.from(run.dose.subarray(z * nx, (z + 1) * nx), (energy) => energy / (dz_mm * dx_mm)),
    };
  });
}

/** Returns at most `rows` evenly spaced steps, including the first and the last. Steps are counted from 1. */
export function ledgerTable(run: RunData, rows: number): LedgerTable {
  const number = numberBalance(run);
  const { steps } = number;
  const count = Math.min(rows, steps);
  const chosen = Array.from({ length: count }, (_, i) =>
    count === 1 ? steps - 1 : Math.round((i * (steps - 1)) / (count - 1)),
  );
  return {
    step: Uint32Array.from(chosen, (row) => row + 1),
    number: columnsOf(number, chosen),
    energy_MeV: columnsOf(energyBalance(run), chosen),
  };
}

/** Removes keyframes and recording, which readouts do not need and which may be the largest part of a run. */
const withoutKeyframes = (run: RunData): RunData => ({
  ...run,
  scenario: {},
  keyframes: [],
  spans: NO_SPANS,
  trace: null,
});

function readoutOnThread<A, R>(
  name: string,
  work: (run: RunData, requested: A) => R,
): (run: RunData, asked: A) => Promise<R> {
  const read = defineArrayTask(name, ({ run, asked }: { readonly run: RunData; readonly asked: A }) =>
    work(run, asked),
  );
  return (run, asked) => read({ run: withoutKeyframes(run), asked });
}

function plainReadout<R>(name: string, work: (run: RunData) => R): (run: RunData) => Promise<R> {
  const read = defineArrayTask(name, work);
  return (run) => read(withoutKeyframes(run));
}

export const summaryOfRun: (run: RunData) => Promise<RunSummary> = plainReadout('summarise a run', summaryOf);

export const depthDoseOfRun: (run: RunData) => Promise<DepthDose> = plainReadout('read a depth dose', (run) => ({
  ...depthDoseOf(measuredRunOf(run)),
  gray: grayOnAxis(run),
  quality: qualityOf(run),
}));

/** Computes metrics of the depth dose, such as the depth at 80 %. */
export const depthMetricsOfRun: (run: RunData) => Promise<DepthDose['metrics']> = plainReadout(
  'read a range',
  (run) => depthDoseOf(measuredRunOf(run)).metrics,
);

export const momentsOfRun: (run: RunData) => Promise<Moments> = plainReadout('read the moments of a run', (run) =>
  momentsOf(measuredRunOf(run)),
);

/** Computes lateral curves. Throws BraggError `invalid` if a depth is outside of the geometry. */
export const lateralCurvesOfRun: (run: RunData, depths_mm: readonly number[]) => Promise<Curve[]> = readoutOnThread(
  'read lateral curves',
  lateralCurves,
);

/** Returns the ledger with at most `rows` steps. */
export const ledgerOfRun: (run: RunData, rows: number) => Promise<LedgerTable> = readoutOnThread(
  'read a ledger',
  ledgerTable,
);

/** Returns the requested quantity, or energy per area if one of the runs was stored without densities. */
export function supportedGammaQuantity(requested: GammaQuantity, runs: readonly RunData[]): GammaQuantity {
  return runs.every(({ axes }) => axes.density_g_cm3 !== null) ? requested : 'area';
}

/** Dose map in rows of z. By mass it is in nGy mm³ per cell; by area, in MeV per cell. */
export function gammaMap({ dose, axes }: RunData, by: GammaQuantity): DoseMap {
  const { nz, nx, dz_mm, dx_mm, density_g_cm3 } = axes;
  const values = by === 'mass' ? dosePerMass(dose, density_g_cm3) : null;
  return { dose: values ?? dose, nz, nx, dz_mm, dx_mm };
}

/** Dose map. By mass it is in nGy mm³ per cell; by area, in MeV per cell. */
export const gammaMapOfRun: (run: RunData, by: GammaQuantity) => Promise<DoseMap> = readoutOnThread(
  'compute a dose for the gamma index',
  gammaMap,
);

/** Scales a map so that its largest dose by area is 1. */
export const normalizedToPeak: (map: DoseMap) => Promise<DoseMap> = defineArrayTask(
  'scale a dose to its peak',
  normalizeToPeak,
);

type TextExport = 'dose' | 'depth-dose' | 'let' | 'spectra' | 'moments' | 'ledger' | 'summary';
export type ExportKind = 'run' | TextExport | ImageExport;

type Column = readonly [title: string, values: Float64Array | readonly number[]];

/** Formats a CSV table. Numbers have enough digits to be read back exactly. */
function formatCsv(columns: readonly Column[]): string {
  const rows = columns[0]?.[1].length ?? 0;
  const lines = [columns.map(([title]) => title).join(',')];
  for (let row = 0; row < rows; row += 1) lines.push(columns.map(([, values]) => String(values[row] ?? '')).join(','));
  return `${lines.join('\n')}\n`;
}

function doseTable(run: RunData): string {
  const { nz, nx, dz_mm, dx_mm } = run.axes;
  const x = Array.from({ length: nx }, (_, i) => (i + 0.5 - nx / 2) * dx_mm);
  const z = Float64Array.from({ length: nz }, (_, i) => (i + 0.5) * dz_mm);
  const area = dz_mm * dx_mm;
  const column = (j: number): Float64Array => Float64Array.from(z, (_, i) => (run.dose[i * nx + j] ?? 0) / area);
  return formatCsv([
    ['z_mm', z],
    ...x.map((at, j): Column => [`dose_MeV_per_mm2_at_x_${Number(at.toPrecision(10))}_mm`, column(j)]),
  ]);
}

function exportLedgerTable(run: RunData): string {
  const rows = Array.from({ length: numberBalance(run).steps }, (_, row) => row);
  const columns = (balance: Balance, prefix: string, unit: string): Column[] =>
    Object.entries(columnsOf(balance, rows)).map(([name, values]) => [
      `${prefix}_${name}${name === 'rel_error' ? '' : unit}`,
      values,
    ]);
  const number = columns(numberBalance(run), 'number', '');
  const energy = columns(energyBalance(run), 'energy', '_MeV');
  return formatCsv([['step', rows.map((row) => row + 1)], ...number, ...energy]);
}

/** Returns the LET quantities. Throws `unsupported` for a run that did not score LET. */
function requireQuality(run: RunData): Quality {
  const quality = qualityOf(run);
  if (quality !== null) return quality;
  throw new BraggError('unsupported', 'This run has no LET; set output.let in the scenario.');
}

function letTable(run: RunData): string {
  const { depth_mm, rbe, ...quality } = requireQuality(run);
  return formatCsv([
    ['depth_mm', depth_mm],
    ...letNames.map((name): Column => [`${name}_keV_per_um`, quality[name]]),
    ...rbe.curves.flatMap(({ model, rbe: factor, weighted_MeV_per_mm }): Column[] => [
      [`rbe_${model}`, factor],
      [`rbe_dose_${model}_MeV_per_mm`, weighted_MeV_per_mm],
    ]),
  ]);
}

function spectraTable(run: RunData): string {
  const { spectra } = requireQuality(run);
  const [first] = spectra;
  if (first === undefined) {
    throw new BraggError(
      'unsupported',
      'This run has no saved spectra; set depths in output.spectra_mm of the scenario.',
    );
  }
  return formatCsv([
    ['energy_MeV', first.energy_MeV],
    ['width_MeV', first.width_MeV],
    ...spectra.map(
      ({ depth_mm, per_MeV }): Column => [`protons_per_MeV_at_${Number(depth_mm.toPrecision(10))}_mm`, per_MeV],
    ),
  ]);
}

function formatReadout(run: RunData, what: TextExport): string {
  switch (what) {
    case 'dose':
      return doseTable(run);
    case 'depth-dose': {
      const { curve, perMass } = depthDoseOf(measuredRunOf(run));
      const gray = grayOnAxis(run);
      return formatCsv([
        ['depth_mm', curve.positions],
        ['dose_MeV_per_mm', curve.values],
        ...(perMass === null ? [] : [['dose_per_mass_nGy_mm2', perMass.values] as const]),
        ...('reason' in gray ? [] : [['dose_on_axis_Gy_per_1e9_protons', gray.curve.values] as const]),
      ]);
    }
    case 'let':
      return letTable(run);
    case 'spectra':
      return spectraTable(run);
    case 'moments':
      return formatCsv(Object.entries(momentsOf(measuredRunOf(run))));
    case 'ledger':
      return exportLedgerTable(run);
    case 'summary':
      return `${JSON.stringify(summaryDocument(summaryOf(run)), null, 2)}\n`;
  }
}

export async function exportRun(run: RunData, what: ExportKind, packer: Packer): Promise<ExportedFile> {
  const name = fileNameStem(run.name);
  if (what === 'run') return { name: `${name}.h5`, mime: 'application/x-hdf5', bytes: await packer.write(run) };
  if (isImageExport(what)) {
    const image = await imageOf(run, what);
    return { name: `${name}-${image.name}`, mime: 'application/octet-stream', bytes: image.bytes };
  }
  const isJson = what === 'summary';
  return {
    name: `${name}-${what}.${isJson ? 'json' : 'csv'}`,
    mime: isJson ? 'application/json' : 'text/csv',
    bytes: new TextEncoder().encode(formatReadout(run, what)),
  };
}
