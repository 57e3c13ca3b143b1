/** Reads run files of transport runs. */
import { energyColumns, faceColumns, numberColumns } from '../../../contract/scenario/transport/ledger-columns.ts';
import { type RunScalar, type RunScalars, runScalarEntries } from '../../../contract/scenario/transport/run-scalars.ts';
import type { Marginals } from '../../io/addon/addon.ts';
import type { RunFileFields } from '../../io/hdf5/fields.ts';
import { crossingColumns } from '../../io/hdf5/put.ts';
import { runOf } from '../run-data.ts';
import { readEnd, readHead } from '../run-files/head.ts';
import { readRecording, readSetup } from '../run-files/recording.ts';
import type { Hdf5RunFile } from '../run-files/run-file.ts';
import type { YKind } from './metrics/across-y.ts';
import type { Axes, RunData } from './run-data.ts';
import { writeRun } from './run-file-write.ts';

function readAxes(f: RunFileFields): Axes {
  const [nz, nx, ntheta] = [f.length('axes/z_mm'), f.length('axes/x_mm'), f.length('axes/theta_rad')];
  const step = (path: string): number => {
    const value = f.finite(path, 'step');
    return value > 0 ? value : f.refuse(`${path} has the step ${value}`);
  };
  return {
    density_g_cm3: f.hasDataset('density_g_cm3') ? f.float64('density_g_cm3', [nz, nx]) : null,
    nz,
    nx,
    ntheta,
    dz_mm: step('axes/z_mm'),
    dx_mm: step('axes/x_mm'),
    dtheta_rad: step('axes/theta_rad'),
    theta_centre_rad: f.finite('axes/theta_rad', 'centre'),
    energies_MeV: f.float64('axes/energy_MeV', [f.length('axes/energy_MeV')]),
  };
}

/** Estimates the excess for files that did not record it: on average half of the last step, down to the cutoff. */
function estimatedExcess(f: RunFileFields): number {
  return f.finiteOr('engine', 'step_mm', 0) / 2 - f.finiteOr('engine', 'cutoff_range_mm', 0);
}

function readKeyframes(f: RunFileFields, axes: Axes): readonly Marginals[] {
  const count = f.count('keyframes', 'count');
  const { nz, nx, ntheta } = axes;
  const ne = axes.energies_MeV.length;
  const step = f.uint32('keyframes/step', [count]);
  const depth = f.float64('keyframes/depth_mm', [count]);
  const zx = f.float32('keyframes/zx', [count, nz, nx]);
  const xtheta = f.float32('keyframes/xtheta', [count, nx, ntheta]);
  const etheta = f.float32('keyframes/etheta', [count, ne, ntheta]);
  const ez = f.float32('keyframes/ez', [count, ne, nz]);
  const optional = (name: string, shape: readonly number[]): Float32Array =>
    f.hasDataset(name) ? f.float32(name, shape) : new Float32Array(0);
  const ex = optional('keyframes/ex', [count, ne, nx]);
  const ztheta = optional('keyframes/ztheta', [count, nz, ntheta]);
  const frame = (all: Float32Array, i: number, size: number): Float32Array => all.slice(i * size, (i + 1) * size);
  return Array.from(step, (at, i) => ({
    step: at,
    depth_mm: depth[i] ?? 0,
    zx: frame(zx, i, nz * nx),
    xtheta: frame(xtheta, i, nx * ntheta),
    etheta: frame(etheta, i, ne * ntheta),
    ez: frame(ez, i, ne * nz),
    ex: frame(ex, i, ne * nx),
    ztheta: frame(ztheta, i, nz * ntheta),
  }));
}

/** Reads escapes by face. Empty in files that do not distinguish faces. */
function readFaces(f: RunFileFields, of: 'number' | 'energy_MeV', steps: number): Float64Array {
  const path = `ledger/faces_${of}`;
  return f.hasDataset(path) ? f.float64(path, [steps, faceColumns.length]) : new Float64Array(0);
}

/** Reads the reaction products. Null if the run did not follow reactions. */
function readSecondaries(f: RunFileFields): RunData['secondaries'] {
  if (!f.has('secondaries')) return null;
  return {
    local_MeV: f.finite('secondaries', 'local_MeV'),
    protons_MeV: f.finite('secondaries', 'protons_MeV'),
    deuterons_MeV: f.finite('secondaries', 'deuterons_MeV'),
    neutral_MeV: f.finite('secondaries', 'neutral_MeV'),
    escaped_MeV: f.finite('secondaries', 'escaped_MeV'),
    seconds: f.finite('secondaries', 'seconds'),
  };
}

/** Reads the kinds of spots, and the spots of each kind. */
function readKinds(f: RunFileFields, nz: number): readonly YKind[] {
  const at = (name: string): string => `across_y/kinds/${name}`;
  const [count, spots] = [f.length(at('count')), f.length(at('spot_kind'))];
  const all = (name: string): Float64Array => f.float64(at(name), [count, nz]);
  const [sigma_y, sigma_x, dose] = [all('sigma_y_mm'), all('sigma_x_mm'), all('depth_dose')];
  const kind = f.uint32(at('spot_kind'), [spots]);
  const [x, weight] = [f.float64(at('spot_x_mm'), [spots]), f.float64(at('spot_weight'), [spots])];
  const wrong = kind.find((each) => each >= count);
  if (wrong !== undefined) f.refuse(`across_y/kinds/spot_kind has ${wrong}; there are ${count} kinds`);
  return Array.from({ length: count }, (_, i) => {
    const row = (of: Float64Array): Float64Array => of.slice(i * nz, (i + 1) * nz);
    const ofKind = (of: Float64Array): Float64Array => of.filter((_value, spot) => kind[spot] === i);
    return {
      ...{ sigma_y_mm: row(sigma_y), sigma_x_mm: row(sigma_x), depth_dose: row(dose) },
      ...{ x_mm: ofKind(x), weight: ofKind(weight) },
    };
  });
}

/** Reads the width along y. Null if the file is older than this quantity. */
function readAcrossY(f: RunFileFields, { nz }: Axes): RunData['acrossY'] {
  if (!f.has('across_y')) return null;
  if (f.hasDataset('across_y/sigma_y_mm')) return { sigma_y_mm: f.float64('across_y/sigma_y_mm', [nz]) };
  if (f.has('across_y/kinds')) return { kinds: readKinds(f, nz) };
  return { reason: f.text('across_y', 'reason') };
}

/** Reads moments and spectra for LET. Null if the run did not score LET. */
function readTracks(f: RunFileFields, { nz, nx }: Axes): RunData['tracks'] {
  if (!f.has('tracks')) return null;
  const bins = f.length('tracks/spectrum_energy_MeV');
  const rows = f.hasDataset('tracks/spectrum_rows')
    ? [...f.uint32('tracks/spectrum_rows', [f.length('tracks/spectrum_rows')])]
    : [];
  if (rows.some((row) => row >= nz)) f.refuse(`tracks/spectrum_rows has ${Math.max(...rows)}; there are ${nz} rows`);
  return {
    primary: f.float64('tracks/primary', [3, nz, nx]),
    protons: f.float64('tracks/protons', [3, nz, nx]),
    spectra: rows.length === 0 ? new Float64Array(0) : f.float64('tracks/spectra', [rows.length, bins]),
    spectrum_rows: rows,
    spectrum_energies_MeV: f.float64('tracks/spectrum_energy_MeV', [bins]),
  };
}

function readScalars(f: RunFileFields): RunScalars {
  const read = ({ at, whole, before }: RunScalar): number => {
    if (whole !== undefined) return f.count(...at);
    return before === undefined ? f.finite(...at) : f.finiteOr(...at, before);
  };
  return Object.fromEntries(runScalarEntries.map(([name, scalar]) => [name, read(scalar)])) as RunScalars;
}

function readTransportRun(f: RunFileFields): RunData {
  const axes = readAxes(f);
  const scalars = readScalars(f);
  const { steps } = scalars;
  return {
    workload: 'transport',
    ...readHead(f),
    ...readEnd(f, ['done', 'cancelled', 'failed']),
    table: f.text('engine', 'stopping_power_table'),
    axes,
    beam: {
      angle_rad: f.finite('beam', 'angle_rad'),
      x_mm: f.finite('beam', 'x_mm'),
      z_mm: f.finite('beam', 'z_mm'),
      weight: f.finite('beam', 'weight'),
      present: f.number('beam', 'present') === 1,
    },
    variant: f.text('engine', 'variant'),
    precision: f.oneOf('engine', 'precision', ['fp32', 'fp64']),
    isa: f.text('engine', 'isa'),
    ...scalars,
    end_excess_mm: Number.isNaN(scalars.end_excess_mm) ? estimatedExcess(f) : scalars.end_excess_mm,
    setup_parts: readSetup(f),
    dose: f.float64('dose', [axes.nz, axes.nx]),
    crossing: f.float64('crossing', [axes.nz, crossingColumns.length]),
    ledgerNumber: f.float64('ledger/number', [steps, numberColumns.length]),
    ledgerEnergy: f.float64('ledger/energy_MeV', [steps, energyColumns.length]),
    facesNumber: readFaces(f, 'number', steps),
    facesEnergy: readFaces(f, 'energy_MeV', steps),
    secondaries: readSecondaries(f),
    acrossY: readAcrossY(f, axes),
    tracks: readTracks(f, axes),
    keyframes: readKeyframes(f, axes),
    ...readRecording(f),
  };
}

export const transportRunFile: Hdf5RunFile = {
  format: 'hdf5',
  read: readTransportRun,
  write: (run) => writeRun(runOf('transport', run)),
  result: (f) => {
    const r80 = f.number('metrics', 'r80_mm');
    // NaN means that the dose has no R80.
    return Number.isFinite(r80) ? `R80 ${r80.toFixed(2)} mm` : null;
  },
  holds: 'it contains a run of proton transport',
};
