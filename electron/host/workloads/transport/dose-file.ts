/** Doses of files to compare with: runs, depth doses and maps as CSV, volumes as MetaImage and NRRD. */
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import type { GammaCurve } from '../../../contract/gamma-curve.ts';
import { readPlain } from '../../io/files/plain-file.ts';
import { metaImageData, readMetaImage } from '../../io/volumes/metaimage.ts';
import { readNrrd } from '../../io/volumes/nrrd.ts';
import type { DoseMap } from '../../model/fields/gamma.ts';
import { type PlaneOfVolume, volumeDose } from '../../model/fields/volume-dose.ts';
import { type DepthUnit, readCurve } from './beams/measured-curve.ts';

export type ImportedDose =
  | { readonly kind: 'map'; readonly map: DoseMap }
  | { readonly kind: 'curve'; readonly curve: GammaCurve };

export const importedEndings: readonly string[] = ['.csv', '.txt', '.mha', '.mhd', '.nrrd'];

/** A map as the program writes it: depth, then a column for each place across, which its name ends in. */
const MAP_COLUMN = /_at_x_(-?[\d.e+-]+)_mm$/;
const EQUAL = 1e-6;

/** The step of equally spaced places. */
function stepOf(file: string, what: string, places: readonly number[]): number {
  const step = ((places.at(-1) ?? 0) - (places[0] ?? 0)) / (places.length - 1);
  const off = places.findIndex(
    (place, i) => Math.abs(place - (places[0] ?? 0) - i * step) > EQUAL * Math.abs(step) + 1e-9,
  );
  if (!(step > 0) || off >= 0) {
    throw new BraggError(
      'invalid',
      `${file}: ${what} must ascend in equal steps; ${places[Math.max(off, 0)]} does not.`,
    );
  }
  return step;
}

function mapOf(file: string, text: string): DoseMap {
  const lines = text.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
  const x = (lines[0] ?? '')
    .split(',')
    .slice(1)
    .map((name) => Number(MAP_COLUMN.exec(name)?.[1]));
  const rows = lines.slice(1).map((line) => line.split(',').map(Number));
  const wrong = rows.findIndex((row) => row.length !== x.length + 1 || row.some((value) => !Number.isFinite(value)));
  if (wrong >= 0) {
    throw new BraggError('invalid', `${file}, line ${wrong + 2}: allowed: ${x.length + 1} finite numbers.`);
  }
  if (rows.length < 2 || x.length < 2)
    throw new BraggError('invalid', `${file}: a map needs two rows and columns or more.`);
  const z = rows.map((row) => row[0] ?? 0);
  const [dz, dx] = [stepOf(file, 'depths', z), stepOf(file, 'places across', x)];
  const dose = Float64Array.from(rows.flatMap((row) => row.slice(1).map((value) => value * dz * dx)));
  const from = (places: readonly number[], step: number): number => (places[0] ?? 0) - step / 2;
  return { dose, nz: z.length, nx: x.length, dz_mm: dz, dx_mm: dx, z_from_mm: from(z, dz), x_from_mm: from(x, dx) };
}

function curveOf(file: string, text: string, unit: DepthUnit | null): GammaCurve {
  const read = readCurve(text, unit);
  if (read.ok) return { positions: read.curve.depth_mm, values: read.curve.dose };
  const [first] = read.faults;
  throw new BraggError('invalid', `${file}, line ${first?.line ?? 1}: ${first?.message ?? 'is no depth dose'}.`);
}

/** Throws BraggError with the file and what is allowed. */
export async function readDoseFile(file: string, plane: PlaneOfVolume, unit: DepthUnit | null): Promise<ImportedDose> {
  const bytes = await readPlain(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new BraggError('not-found', `There is no file ${file}.`);
    throw error;
  });
  const ending = path.extname(file).toLowerCase();
  if (ending === '.nrrd') return { kind: 'map', map: volumeDose(file, readNrrd(file, bytes), plane) };
  if (ending === '.mha' || ending === '.mhd') {
    const beside = metaImageData(file, bytes);
    const data = beside === null ? null : await readPlain(path.join(path.dirname(file), beside));
    return { kind: 'map', map: volumeDose(file, readMetaImage(file, bytes, data), plane) };
  }
  const text = new TextDecoder().decode(bytes);
  const named = text.split(/\r?\n/).find((line) => line !== '' && !line.startsWith('#')) ?? '';
  const isMap = MAP_COLUMN.test(named.split(',')[1] ?? '');
  return isMap ? { kind: 'map', map: mapOf(file, text) } : { kind: 'curve', curve: curveOf(file, text, unit) };
}
