/** Writes a run as an HDF5 file. Its layout is described in layout.ts. */
import type { File, Group } from 'h5wasm';
import { letNames } from '../../../contract/quality.ts';
import type { Moments } from '../../../contract/run.ts';
import { energyColumns, faceColumns, numberColumns } from '../../../contract/scenario/transport/ledger-columns.ts';
import { runScalarEntries } from '../../../contract/scenario/transport/run-scalars.ts';
import { createFile } from '../../io/hdf5/h5.ts';
import {
  crossingColumns,
  keyframeFields,
  writeAttribute,
  writeDataset,
  writeRows,
  writeValues,
} from '../../io/hdf5/put.ts';
import { writeHead } from '../run-files/head.ts';
import { writeRecording, writeSetup } from '../run-files/recording.ts';
import type { YKind } from './metrics/across-y.ts';
import { dosePerMass } from './metrics/dose-per-mass.ts';
import { grayOnAxis } from './metrics/gray.ts';
import { qualityOf } from './metrics/quality.ts';
import { depthProfile, massCurve, metricsOf, momentsOf, profileCurve } from './metrics/run-metrics.ts';
import { measuredRunOf, type RunData } from './run-data.ts';

function writeAxes(file: File, run: RunData): void {
  const group = file.create_group('axes');
  const { nz, nx, ntheta, dz_mm, dx_mm, dtheta_rad, theta_centre_rad, energies_MeV } = run.axes;
  const z = Float64Array.from({ length: nz }, (_, i) => (i + 0.5) * dz_mm);
  const x = Float64Array.from({ length: nx }, (_, i) => (i + 0.5 - nx / 2) * dx_mm);
  const theta = Float64Array.from({ length: ntheta }, (_, i) => theta_centre_rad + (i - (ntheta - 1) / 2) * dtheta_rad);
  writeDataset(group, 'z_mm', z, [nz], { units: 'mm', step: dz_mm, long_name: 'depth, cell centres' });
  writeDataset(group, 'x_mm', x, [nx], { units: 'mm', step: dx_mm, long_name: 'lateral position, cell centres' });
  const angles = { units: 'rad', step: dtheta_rad, centre: theta_centre_rad, long_name: 'plane angle from +z' };
  writeDataset(group, 'theta_rad', theta, [ntheta], angles);
  writeDataset(group, 'energy_MeV', energies_MeV, [energies_MeV.length], { units: 'MeV', long_name: 'kinetic energy' });
  for (const name of ['z_mm', 'x_mm', 'theta_rad', 'energy_MeV']) {
    const axis = file.get(`axes/${name}`);
    if (axis !== null && 'make_scale' in axis) axis.make_scale(name);
  }
}

function attachAxes(file: File, path: string, axes: readonly string[], first: number): void {
  const dataset = file.get(path);
  if (dataset === null || !('attach_scale' in dataset)) return;
  for (const [i, axis] of axes.entries()) dataset.attach_scale(first + i, `/axes/${axis}`);
}

function writeDose(file: File, run: RunData): void {
  const { nz, nx } = run.axes;
  const { dz_mm, dx_mm } = run.axes;
  writeDataset(file, 'dose', run.dose, [nz, nx], {
    units: 'MeV',
    long_name: 'energy deposited per cell',
    axes: ['z_mm', 'x_mm'],
    cell_area_mm2: dz_mm * dx_mm,
  });
  attachAxes(file, 'dose', ['z_mm', 'x_mm'], 0);
  const { density_g_cm3 } = run.axes;
  const perMass = dosePerMass(run.dose, density_g_cm3);
  if (density_g_cm3 !== null && perMass !== null) {
    const axes = ['z_mm', 'x_mm'];
    writeDataset(file, 'density_g_cm3', density_g_cm3, [nz, nx], {
      units: 'g/cm3',
      long_name: 'density of each cell',
      axes,
    });
    const area = dz_mm * dx_mm;
    writeDataset(
      file,
      'dose_per_mass_nGy_mm',
      perMass.map((value) => value / area),
      [nz, nx],
      { units: 'nGy mm', long_name: 'absorbed dose, integrated over y', axes },
    );
    for (const name of ['density_g_cm3', 'dose_per_mass_nGy_mm']) attachAxes(file, name, axes, 0);
  }
  const { positions, values } = profileCurve(depthProfile(measuredRunOf(run)));
  const group = file.create_group('depth_dose');
  group.create_attribute('long_name', 'dose integrated across the beam axis, depth from the entrance');
  writeDataset(group, 'depth_mm', positions, [positions.length], { units: 'mm' });
  writeDataset(group, 'dose_MeV_per_mm', values, [values.length], { units: 'MeV/mm' });
  const mass = massCurve(perMass, measuredRunOf(run).geometry);
  if (mass !== null) {
    const notes = { units: 'nGy mm²', long_name: 'absorbed dose, integrated over x and y' };
    writeDataset(group, 'dose_per_mass_nGy_mm2', mass.values, [mass.values.length], notes);
  }
}

const momentUnits: Readonly<Record<keyof Moments, string>> = {
  depth_mm: 'mm',
  protons: '1',
  mean_x_mm: 'mm',
  sigma_x_mm: 'mm',
  mean_theta_mrad: 'mrad',
  theta_rms_mrad: 'mrad',
  covariance_mm_mrad: 'mm mrad',
};

function writeFluence(file: File, run: RunData): void {
  writeDataset(file, 'crossing', run.crossing, [run.axes.nz, crossingColumns.length], {
    columns: crossingColumns,
    long_name: 'sums over the protons crossing each plane z',
  });
  attachAxes(file, 'crossing', ['z_mm'], 0);
  const group = file.create_group('moments');
  for (const [name, column] of Object.entries(momentsOf(measuredRunOf(run)))) {
    writeDataset(group, name, column, [column.length], { units: momentUnits[name as keyof Moments] });
  }
}

/** Writes the kinds of spots by row of z, and kind, position and weight of each spot. */
function writeKinds(group: Group, kinds: readonly YKind[], nz: number): void {
  const concatenated = (parts: readonly Float64Array[]): Float64Array =>
    Float64Array.from(parts.flatMap((part) => [...part]));
  const shape = [kinds.length, nz];
  writeDataset(
    group,
    'count',
    Float64Array.from(kinds, ({ x_mm }) => x_mm.length),
    [kinds.length],
    { long_name: 'its spots' },
  );
  const widths = { units: 'mm', long_name: 'standard deviation by row of z, by Fermi and Eyges' };
  writeDataset(group, 'sigma_y_mm', concatenated(kinds.map((kind) => kind.sigma_y_mm)), shape, widths);
  writeDataset(group, 'sigma_x_mm', concatenated(kinds.map((kind) => kind.sigma_x_mm)), shape, widths);
  const dose = { units: 'MeV/mm', long_name: 'energy deposited by all spots of this kind, solved separately' };
  writeDataset(group, 'depth_dose', concatenated(kinds.map(({ depth_dose }) => depth_dose)), shape, dose);
  const x = concatenated(kinds.map(({ x_mm }) => x_mm));
  writeDataset(
    group,
    'spot_kind',
    Uint32Array.from(kinds.flatMap(({ x_mm }, i) => [...x_mm].map(() => i))),
    [x.length],
    {},
  );
  writeDataset(group, 'spot_x_mm', x, [x.length], { units: 'mm' });
  writeDataset(group, 'spot_weight', concatenated(kinds.map(({ weight }) => weight)), [x.length], { units: 'protons' });
}

/** Writes the width along y, or the reason why there is none. Also writes the dose on the axis. */
function writeAcrossY(file: File, run: RunData): void {
  const { acrossY } = run;
  if (acrossY === null) return;
  const group = file.create_group('across_y');
  if ('reason' in acrossY) {
    writeAttribute(group, 'reason', acrossY.reason);
    return;
  }
  const notes = { units: 'mm', long_name: 'standard deviation across y by row of z, by Fermi and Eyges' };
  if ('kinds' in acrossY) writeKinds(group.create_group('kinds'), acrossY.kinds, run.axes.nz);
  else writeDataset(group, 'sigma_y_mm', acrossY.sigma_y_mm, [run.axes.nz], notes);
  const dose = grayOnAxis(run);
  if ('reason' in dose) return;
  const { positions, values } = dose.curve;
  writeDataset(group, 'depth_mm', positions, [positions.length], { units: 'mm' });
  writeDataset(group, 'dose_on_axis', values, [values.length], {
    units: 'Gy',
    long_name: 'per 1e9 protons, on the beam axis',
  });
}

const trackColumns = ['length_mm', 'let_length_MeV', 'let2_length_MeV2_per_mm'];

/** Writes LET maps for other programs, and the moments from which they are computed. */
function writeQuality(file: File, run: RunData): void {
  const { tracks } = run;
  const quality = qualityOf(run);
  if (tracks === null || quality === null) return;
  const { nz, nx } = run.axes;
  const group = file.create_group('tracks');
  const about = 'sums over the tracks in each cell: length, LET in water times length, its square times length';
  group.create_attribute('long_name', about);
  for (const name of ['primary', 'protons'] as const) {
    writeDataset(group, name, tracks[name], [3, nz, nx], { columns: trackColumns, axes: ['column', 'z_mm', 'x_mm'] });
    attachAxes(file, `tracks/${name}`, ['z_mm', 'x_mm'], 1);
  }
  const bins = tracks.spectrum_energies_MeV.length;
  writeDataset(group, 'spectrum_energy_MeV', tracks.spectrum_energies_MeV, [bins], { units: 'MeV' });
  writeDataset(group, 'spectrum_rows', Uint32Array.from(tracks.spectrum_rows), [tracks.spectrum_rows.length]);
  writeDataset(group, 'spectra', tracks.spectra, [tracks.spectrum_rows.length, bins], {
    units: 'mm',
    long_name: 'length of the tracks of primary protons in a row of z, by the energy in the middle of the step',
  });
  const along = file.create_group('let');
  along.create_attribute('long_name', 'unrestricted LET in water along the beam axis, and RBE-weighted dose');
  writeAttribute(along, 'alpha_beta_Gy', quality.rbe.alpha_beta_Gy);
  writeAttribute(along, 'fraction_Gy', quality.rbe.fraction_Gy);
  const n = quality.depth_mm.length;
  writeDataset(along, 'depth_mm', quality.depth_mm, [n], { units: 'mm' });
  for (const name of letNames) writeDataset(along, name, quality[name], [n], { units: 'keV/um' });
  for (const { model, source, rbe, weighted_MeV_per_mm } of quality.rbe.curves) {
    writeDataset(along, `rbe_${model}`, rbe, [n], { source });
    writeDataset(along, `rbe_dose_${model}`, weighted_MeV_per_mm, [n], { units: 'MeV/mm', source });
  }
}

function writeLedger(file: File, run: RunData): void {
  const group = file.create_group('ledger');
  writeDataset(group, 'number', run.ledgerNumber, [run.steps, numberColumns.length], {
    columns: [...numberColumns],
    axes: ['step', 'column'],
    units: 'protons',
  });
  writeDataset(group, 'energy_MeV', run.ledgerEnergy, [run.steps, energyColumns.length], {
    columns: [...energyColumns],
    axes: ['step', 'column'],
    units: 'MeV',
  });
  const faces = { columns: [...faceColumns], axes: ['step', 'face'], long_name: 'escaped through each face' };
  writeDataset(group, 'faces_number', run.facesNumber, [run.steps, faceColumns.length], { ...faces, units: 'protons' });
  writeDataset(group, 'faces_energy_MeV', run.facesEnergy, [run.steps, faceColumns.length], { ...faces, units: 'MeV' });
}

function writeKeyframes(file: File, run: RunData): void {
  const group = file.create_group('keyframes');
  const frames = run.keyframes;
  writeAttribute(group, 'count', frames.length);
  group.create_attribute('units', 'protons per cell, summed over the axes that are not named');
  if (frames.length === 0) return;
  writeDataset(
    group,
    'step',
    Uint32Array.from(frames, (k) => k.step),
    [frames.length],
  );
  writeDataset(
    group,
    'depth_mm',
    Float64Array.from(frames, (k) => k.depth_mm),
    [frames.length],
    { units: 'mm' },
  );
  const { nz, nx, ntheta, energies_MeV } = run.axes;
  const lengths = { z_mm: nz, x_mm: nx, theta_rad: ntheta, energy_MeV: energies_MeV.length };
  for (const { name, axes } of keyframeFields) {
    if (frames.some((frame) => frame[name].length === 0)) continue;
    const shape = [frames.length, ...axes.map((axis) => lengths[axis])];
    const row = (i: number): Float32Array => frames[i]?.[name] ?? new Float32Array();
    writeRows(group, name, row, shape, { units: 'protons', axes: ['keyframe', ...axes] });
    attachAxes(file, `keyframes/${name}`, axes, 1);
  }
}

/** Returns the scalar values of a group by attribute name. */
function scalarsIn(group: string, run: RunData): Readonly<Record<string, number>> {
  const there = runScalarEntries.filter(([, { at }]) => at[0] === group);
  return Object.fromEntries(there.map(([name, { at }]) => [at[1], run[name]]));
}

export function writeRun(run: RunData): Promise<Uint8Array> {
  return createFile((file) => {
    writeHead(file, run.workload, run);
    writeValues(file, 'engine', {
      variant: run.variant,
      precision: run.precision,
      isa: run.isa,
      stopping_power_table: run.table,
      ...scalarsIn('engine', run),
    });
    writeValues(file, 'timing', scalarsIn('timing', run));
    if (run.secondaries !== null) writeValues(file, 'secondaries', run.secondaries);
    writeSetup(file, run);
    const { present, ...beam } = run.beam;
    writeValues(file, 'beam', { ...beam, present: present ? 1 : 0 });
    const { sigma_x: _sigma, theta_rms: _theta, ...metrics } = metricsOf(measuredRunOf(run));
    writeValues(file, 'metrics', metrics);
    writeAxes(file, run);
    writeDose(file, run);
    writeFluence(file, run);
    writeAcrossY(file, run);
    writeQuality(file, run);
    writeLedger(file, run);
    writeKeyframes(file, run);
    writeRecording(file, run);
  });
}
