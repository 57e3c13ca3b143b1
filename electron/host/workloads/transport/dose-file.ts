/** Doses of files to compare with: depth doses and maps as tables, volumes as MetaImage, NRRD and RT Dose. */
import path from 'node:path';
import { decimalOf } from '../../../contract/csv.ts';
import { type PlaneUnitName, planeUnitSchema, planeUnits } from '../../../contract/dose/units.ts';
import type { ImportedDoseInfo } from '../../../contract/dose.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { GammaCurve } from '../../../contract/gamma-curve.ts';
import { aside } from '../../io/aside/task.ts';
import { readNamed } from '../../io/files/plain-file.ts';
import { isDicom, readDicomDose } from '../../io/volumes/dicom.ts';
import type { Volume } from '../../io/volumes/volume.ts';
import { dataFilesBeside, volumeHeader, volumeIn } from '../../io/volumes/volume-file.ts';
import type { DoseMap } from '../../model/fields/gamma.ts';
import { type PlaneOfVolume, summedAxis, toPeak, volumeDose } from '../../model/fields/volume-dose.ts';
import { type DepthUnit, readCurve } from './beams/measured-curve.ts';

export type ImportedDose =
  /** `unit`: as the file states it; null where it states none. */
  | { readonly kind: 'map'; readonly map: DoseMap; readonly unit: string | null }
  | { readonly kind: 'curve'; readonly curve: GammaCurve; readonly unit: string | null };

const importedEndings: readonly string[] = ['.csv', '.txt', '.mha', '.mhd', '.nrrd', '.nhdr', '.dcm'];

/** A map as the program writes it: depth, then a column for each place across, which its name ends in. */
const MAP_COLUMN = /_at_x_(-?[\d.e+-]+)_mm$/;
const DEPTH_COLUMN = /^(depth|z)_mm$/;
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

/** x first, depth second. */
function mapOf(file: string, text: string): Volume {
  const lines = text
    .split(/\r?\n/)
    .map((line, i) => ({ number: i + 1, cells: line.split(',').map((cell) => cell.trim()), text: line }))
    .filter((line) => line.text !== '' && !line.text.startsWith('#'));
  const [head, ...body] = lines;
  const [depth = '', ...names] = head?.cells ?? [];
  const [quantity, ...others] = new Set(names.map((name) => name.replace(MAP_COLUMN, '')));
  if (!DEPTH_COLUMN.test(depth) || others.length > 0 || names.some((name) => !MAP_COLUMN.test(name))) {
    const found = !DEPTH_COLUMN.test(depth) ? depth : [quantity, ...others].join(' and ');
    const allowed = 'depth_mm, then one quantity at each x, as in dose_at_x_-1.5_mm';
    throw new BraggError(
      'invalid',
      `${file}, line ${head?.number ?? 1}: its columns are ${found}; allowed: ${allowed}.`,
    );
  }
  const x = names.map((name) => decimalOf(MAP_COLUMN.exec(name)?.[1] ?? ''));
  const rows = body.map(({ cells }) => cells.map(decimalOf));
  const wrong = rows.findIndex((row) => row.length !== x.length + 1 || row.some((value) => !Number.isFinite(value)));
  if (wrong >= 0) {
    throw new BraggError('invalid', `${file}, line ${body[wrong]?.number}: allowed: ${x.length + 1} finite numbers.`);
  }
  if (rows.length < 2 || x.length < 2)
    throw new BraggError('invalid', `${file}: a map needs two rows and columns or more.`);
  const z = rows.map((row) => row[0] ?? 0);
  const [dz, dx] = [stepOf(file, 'depths', z), stepOf(file, 'places across', x)];
  return {
    sizes: [x.length, z.length],
    spacing_mm: [dx, dz],
    origin_mm: [x[0] ?? 0, z[0] ?? 0],
    values: Float64Array.from(rows.flatMap((row) => row.slice(1))),
  };
}

function curveOf(
  file: string,
  text: string,
  unit: DepthUnit | null,
): Extract<ImportedDose, { readonly kind: 'curve' }> {
  const read = readCurve(text, unit);
  if (read.ok) {
    const { depth_mm, dose, unit: stated } = read.curve;
    return { kind: 'curve', curve: { positions: depth_mm, values: dose }, unit: stated };
  }
  const [first] = read.faults;
  throw new BraggError('invalid', `${file}, line ${first?.line ?? 1}: ${first?.message ?? 'is no depth dose'}.`);
}

export interface NamedBytes {
  readonly name: string;
  readonly bytes: Uint8Array;
}

type Read = { readonly kind: 'volume'; readonly volume: Volume } | Extract<ImportedDose, { readonly kind: 'curve' }>;

const endingOf = (name: string): string => path.extname(name).toLowerCase();

type Parts = readonly (Uint8Array | null)[];

/** A volume of any format; null for a table. */
function volumeOf({ name, bytes }: NamedBytes, parts: Parts): Volume | null {
  const header = volumeHeader(name, bytes);
  if (header !== null) return volumeIn(name, bytes, header, parts);
  return isDicom(bytes) ? readDicomDose(name, bytes) : null;
}

/** UTF-8, or UTF-16 with its mark, as spreadsheets write "Unicode text". */
function textOf({ name, bytes }: NamedBytes): string {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new BraggError('foreign-file', `${name}: it is not text in UTF-8, nor in UTF-16 with a byte order mark.`);
  }
}

/** Whether a table is a map: its second column says at which x it is. */
function isMap(text: string): boolean {
  const named = text.split(/\r?\n/).find((line) => line !== '' && !line.startsWith('#')) ?? '';
  return MAP_COLUMN.test(named.split(',')[1] ?? '');
}

/** Throws BraggError with the file and what is allowed. */
function readDose(file: NamedBytes, parts: Parts, unit: DepthUnit | null): Read {
  const { name } = file;
  const volume = volumeOf(file, parts);
  if (volume !== null) return { kind: 'volume', volume };
  const text = textOf(file);
  return isMap(text) ? { kind: 'volume', volume: mapOf(name, text) } : curveOf(name, text, unit);
}

function inPlane(name: string, dose: Read, plane: PlaneOfVolume): ImportedDose {
  if (dose.kind === 'curve') return dose;
  return { kind: 'map', map: volumeDose(name, dose.volume, plane), unit: dose.volume.unit ?? null };
}

/** Throws BraggError with the file and what is allowed. */
export async function readDoseFile(file: string, plane: PlaneOfVolume, unit: DepthUnit | null): Promise<ImportedDose> {
  const bytes = await readNamed(file, 'a dose');
  const named = { name: file, bytes };
  const header = volumeHeader(file, bytes);
  const parts = header === null ? [] : await dataFilesBeside(file, header);
  return inPlane(file, readDose(named, parts, unit), plane);
}

/** The file that says what the others are, and what it holds. */
function ofFiles(files: readonly NamedBytes[]): { readonly name: string; readonly volume: Volume } {
  // DICOM files often have no ending.
  const main =
    files.find(({ name }) => importedEndings.includes(endingOf(name))) ?? files.find(({ bytes }) => isDicom(bytes));
  if (main === undefined) {
    const names = files.map(({ name }) => name).join(', ');
    throw new BraggError('foreign-file', `${names}: is no dose; allowed: ${importedEndings.join(', ')}.`);
  }
  const header = volumeHeader(main.name, main.bytes);
  const named = header?.dataFiles ?? [];
  const parts = named.map((name) => files.find((file) => file.name === name)?.bytes ?? null);
  const missing = named.find((_, i) => parts[i] === null);
  if (missing !== undefined) {
    throw new BraggError('foreign-file', `${main.name}: its numbers lie in ${missing}; choose all files at once.`);
  }
  const isTable = header === null && !isDicom(main.bytes);
  const dose = isTable && !isMap(textOf(main)) ? null : readDose(main, parts, null);
  if (dose?.kind !== 'volume') {
    const allowed = 'allowed: depth, then a column for each x, as the program exports a dose map';
    throw new BraggError('unsupported', `${main.name} is no map; ${allowed}. A depth dose lies over the depth dose.`);
  }
  return { name: main.name, volume: dose.volume };
}

/** Name and grid of the dose in these files. */
export const lookIntoDose = aside(
  'look into a dose file',
  ({ files }: { readonly files: readonly NamedBytes[] }): Omit<ImportedDoseInfo, 'id'> => {
    const { name, volume } = ofFiles(files);
    const { sizes, spacing_mm, origin_mm } = volume;
    return { name, sizes: [...sizes], spacing_mm: [...spacing_mm], origin_mm: [...origin_mm] };
  },
);

export interface AskedPlane {
  readonly plane: PlaneOfVolume;
  /** Unit of its numbers; if null, the dose is scaled so that its maximum is 1. */
  readonly unit: PlaneUnitName | null;
  /** That a unit of one proton is multiplied by: as many as the run has. */
  readonly protons: number;
}

/** A cell's numbers to nGy mm³ or MeV, as a run has them. Throws BraggError for a unit of another kind of file. */
function factorOf(name: string, { sizes, spacing_mm }: Volume, { plane, protons }: AskedPlane, unit: PlaneUnitName) {
  const { axes, title, perProton, factor } = planeUnits[unit];
  if (axes !== sizes.length) {
    const allowed = planeUnitSchema.options.filter((one) => planeUnits[one].axes === sizes.length);
    throw new BraggError(
      'unsupported',
      `${name} has ${sizes.length} axes, and ${title} is of ${axes}; allowed: ${allowed.map((one) => planeUnits[one].title).join('; ')}.`,
    );
  }
  const thickness_mm = axes === 2 ? 1 : (spacing_mm[summedAxis(sizes, plane) ?? 1] ?? 1);
  return factor * thickness_mm * (perProton ? protons : 1);
}

/** Refuses a unit other than the one that the file states for its values. */
function checkUnit(name: string, { unit }: Volume, chosen: PlaneUnitName): void {
  const plain = (text: string): string =>
    text
      .toLowerCase()
      .replace(/\/1e9$/, '')
      .replaceAll(/[\s_*·]+/g, ' ');
  if (unit === undefined || plain(unit) === plain(chosen)) return;
  throw new BraggError(
    'unsupported',
    `${name} states its values in ${unit}; ${planeUnits[chosen].title} is not allowed. Allowed: that unit, or scaled to the largest value.`,
  );
}

/** The plane of it that a run is held against. */
export const planeOfDose = aside(
  'read a plane of a dose file',
  ({ files, ...asked }: AskedPlane & { readonly files: readonly NamedBytes[] }): DoseMap => {
    const { name, volume } = ofFiles(files);
    const own = volumeDose(name, volume, asked.plane);
    if (!own.dose.some((value) => value > 0)) throw new BraggError('foreign-file', `${name}: no dose is above zero.`);
    if (asked.unit === null) return toPeak(own);
    checkUnit(name, volume, asked.unit);
    const factor = factorOf(name, volume, asked, asked.unit);
    return { ...own, dose: own.dose.map((value) => value * factor) };
  },
);
