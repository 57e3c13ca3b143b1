/** Export formats of a transport run; CSV columns carry their units in the header. */
import { BraggError } from '../../../contract/errors.ts';
import { letNames, type Quality } from '../../../contract/quality.ts';
import { summaryDocument } from '../../../contract/run.ts';
import type { Packer } from '../run-files/run-file.ts';
import { stem } from '../stem.ts';
import type { ExportedFile } from '../workload.ts';
import { type ImageExport, imageOf, isImageExport } from './display/map-file.ts';
import { type Balance, columnsOf, energyBalance, numberBalance } from './ledger.ts';
import { grayOnAxis } from './metrics/gray.ts';
import { qualityOf } from './metrics/quality.ts';
import { depthDoseOf, momentsOf } from './metrics/run-metrics.ts';
import { summaryOf } from './readouts.ts';
import { measured, type RunData } from './run-data.ts';

type Text = 'dose' | 'depth-dose' | 'let' | 'spectra' | 'moments' | 'ledger' | 'summary';
export type Exported = 'run' | Text | ImageExport;

type Column = readonly [title: string, values: Float64Array | readonly number[]];

/** Numbers are written with all their digits, so that they read back to the same values. */
function csv(columns: readonly Column[]): string {
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
  return csv([
    ['z_mm', z],
    ...x.map((at, j): Column => [`dose_MeV_per_mm2_at_x_${Number(at.toPrecision(10))}_mm`, column(j)]),
  ]);
}

function ledgerTable(run: RunData): string {
  const rows = Array.from({ length: numberBalance(run).steps }, (_, row) => row);
  const columns = (balance: Balance, prefix: string, unit: string): Column[] =>
    Object.entries(columnsOf(balance, rows)).map(([name, values]) => [
      `${prefix}_${name}${name === 'rel_error' ? '' : unit}`,
      values,
    ]);
  const number = columns(numberBalance(run), 'number', '');
  const energy = columns(energyBalance(run), 'energy', '_MeV');
  return csv([['step', rows.map((row) => row + 1)], ...number, ...energy]);
}

/** Throws `unsupported` for a run that did not score it. */
function scoredQuality(run: RunData): Quality {
  const quality = qualityOf(run);
  if (quality !== null) return quality;
  throw new BraggError('unsupported', 'This run did not score LET; output.let in the scenario does.');
}

function letTable(run: RunData): string {
  const { depth_mm, rbe, ...quality } = scoredQuality(run);
  return csv([
    ['depth_mm', depth_mm],
    ...letNames.map((name): Column => [`${name}_keV_per_um`, quality[name]]),
    ...rbe.curves.flatMap(({ model, rbe: factor, weighted_MeV_per_mm }): Column[] => [
      [`rbe_${model}`, factor],
      [`rbe_dose_${model}_MeV_per_mm`, weighted_MeV_per_mm],
    ]),
  ]);
}

function spectraTable(run: RunData): string {
  const { spectra } = scoredQuality(run);
  const [first] = spectra;
  if (first === undefined) {
    throw new BraggError('unsupported', 'This run kept no spectra; output.spectra_mm in the scenario names depths.');
  }
  return csv([
    ['energy_MeV', first.energy_MeV],
    ['width_MeV', first.width_MeV],
    ...spectra.map(
      ({ depth_mm, per_MeV }): Column => [`protons_per_MeV_at_${Number(depth_mm.toPrecision(10))}_mm`, per_MeV],
    ),
  ]);
}

function text(run: RunData, what: Text): string {
  switch (what) {
    case 'dose':
      return doseTable(run);
    case 'depth-dose': {
      const { curve, perMass } = depthDoseOf(measured(run));
      const gray = grayOnAxis(run);
      return csv([
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
      return csv(Object.entries(momentsOf(measured(run))));
    case 'ledger':
      return ledgerTable(run);
    case 'summary':
      return `${JSON.stringify(summaryDocument(summaryOf(run)), null, 2)}\n`;
  }
}

export async function exportRun(run: RunData, what: Exported, packer: Packer): Promise<ExportedFile> {
  const name = stem(run.name);
  if (what === 'run') return { name: `${name}.h5`, mime: 'application/x-hdf5', bytes: await packer.write(run) };
  if (isImageExport(what)) {
    const image = await imageOf(run, what);
    return { name: `${name}-${image.name}`, mime: 'application/octet-stream', bytes: image.bytes };
  }
  const isJson = what === 'summary';
  return {
    name: `${name}-${what}.${isJson ? 'json' : 'csv'}`,
    mime: isJson ? 'application/json' : 'text/csv',
    bytes: new TextEncoder().encode(text(run, what)),
  };
}
