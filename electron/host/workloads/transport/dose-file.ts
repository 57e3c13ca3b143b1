/**
 * Reads doses from other programs for comparison: depth doses and maps as tables, and volumes as MetaImage, NRRD and RT
 * Dose.
 */
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  allowedDepthUnits,
  factorToRunUnit,
  type PlaneUnitName,
  parseDepthDoseUnit,
  planeUnitSchema,
  planeUnits,
} from '../../../contract/dose/units.ts';
import type { GammaQuantity, ImportedDoseInfo } from '../../../contract/dose.ts';
import { BraggError } from '../../../contract/errors.ts';
import { correctionIssues, parseDoseName } from '../../../domain/dose/curve-columns.ts';
import type { GammaCurve } from '../../../domain/dose/gamma-curve.ts';
import {
  decodeTableText,
  detectSeparator,
  isMissingMark,
  largestUnmarked,
  parseDecimal,
  splitCells,
  UNDECODABLE_TEXT,
} from '../../../domain/values/csv.ts';
import { readUserFile } from '../../io/files/plain-file.ts';
import { defineThreadTask } from '../../io/threads/task.ts';
import { isDicom, readDicomDose } from '../../io/volumes/dicom.ts';
import type { Volume } from '../../io/volumes/volume.ts';
import {
  decodeVolumeFile,
  identifyOtherFormat,
  neighbouringDataFiles,
  volumeHeader,
} from '../../io/volumes/volume-file.ts';
import {
  type DoseMap,
  doseMapOfVolume,
  normalizeToPeak,
  summedAxis,
  type VolumePlane,
} from '../../model/fields/gamma.ts';
import { type DepthUnit, readCurve } from './beams/commission.ts';

interface DoseFileFacts {
  /** Unit that the file states. Null if it states none. */
  readonly unit: string | null;
  /** Facts about the file that the user should know. */
  readonly notes?: readonly string[];
}

export type ImportedDose = DoseFileFacts &
  Readonly<{
    /**
     * Quantity whose unit the values have after conversion to the units of a run. Null if they keep the unit of the
     * file.
     */
    by: GammaQuantity | null;
  }> &
  ({ readonly kind: 'map'; readonly map: DoseMap } | { readonly kind: 'curve'; readonly curve: GammaCurve });

const importedEndings: readonly string[] = ['.csv', '.txt', '.mha', '.mhd', '.nrrd', '.nhdr', '.dcm'];

/**
 * Name of a column in a map in this program's format. The first column is the depth; the name of every other column
 * ends with its x.
 */
const MAP_COLUMN = /_at_x_(-?[\d.e+-]+)_mm$/;
const DEPTH_COLUMN = /^(depth|z)_mm$/;
const EQUAL = 1e-6;

/** Spacing of positions. Throws unless they are equally spaced. */
function equalSpacing(file: string, what: string, places: readonly number[]): number {
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

/** Returns the first line that is neither empty nor a comment. */
const firstLineOf = (text: string): string =>
  text.split(/\r\n|\r|\n/).find((line) => line !== '' && !line.startsWith('#')) ?? '';

/** Parses a map in which x is the first axis and depth the second. */
function parseMap(file: string, text: string): Volume {
  const all = text.split(/\r\n|\r|\n/);
  const separator = detectSeparator(firstLineOf(text));
  const lines = all
    .map((line, i) => ({ number: i + 1, cells: splitCells(line, separator), text: line }))
    .filter((line) => line.text !== '' && !line.text.startsWith('#'));
  const [head, ...body] = lines;
  const [depth = '', ...names] = head?.cells ?? [];
  const [quantity = '', ...others] = new Set(names.map((name) => name.replace(MAP_COLUMN, '')));
  if (!DEPTH_COLUMN.test(depth) || others.length > 0 || names.some((name) => !MAP_COLUMN.test(name))) {
    const found = !DEPTH_COLUMN.test(depth) ? depth : [quantity, ...others].join(' and ');
    const allowed = 'depth_mm, then one quantity at each x, as in dose_at_x_-1.5_mm';
    throw new BraggError(
      'invalid',
      `${file}, line ${head?.number ?? 1}: its columns are ${found}; allowed: ${allowed}.`,
    );
  }
  const dose = parseDoseName(quantity);
  if (dose === null) {
    throw new BraggError(
      'invalid',
      `${file}, line ${head?.number ?? 1}: its columns contain ${quantity}; allowed: a dose, as in dose_MeV_per_mm2_at_x_0_mm.`,
    );
  }
  const { faults, notes } = correctionIssues(all, dose.unit);
  const [change] = faults;
  if (change !== undefined) throw new BraggError('invalid', `${file}, line ${change.line}: ${change.message}.`);
  const x = names.map((name) => parseDecimal(MAP_COLUMN.exec(name)?.[1] ?? ''));
  const rows = body.map(({ cells }) => cells.map(parseDecimal));
  const wrong = rows.findIndex((row) => row.length !== x.length + 1 || row.some((value) => !Number.isFinite(value)));
  if (wrong >= 0) {
    const { number = 0, cells = [] } = body[wrong] ?? {};
    const strange = cells.find((cell) => !Number.isFinite(parseDecimal(cell)));
    const has =
      cells.length === x.length + 1
        ? `${JSON.stringify(strange)} is not a number`
        : `it has ${cells.length} ${cells.length === 1 ? 'value' : 'values'}`;
    throw new BraggError('invalid', `${file}, line ${number}: ${has}; allowed: ${x.length + 1} finite numbers.`);
  }
  if (rows.length < 2 || x.length < 2)
    throw new BraggError('invalid', `${file}: a map needs at least two rows and columns.`);
  const z = rows.map((row) => row[0] ?? 0);
  const [dz, dx] = [equalSpacing(file, 'depths', z), equalSpacing(file, 'places across', x)];
  return {
    sizes: [x.length, z.length],
    spacing_mm: [dx, dz],
    origin_mm: [x[0] ?? 0, z[0] ?? 0],
    values: Float64Array.from(rows.flatMap((row) => row.slice(1))),
    ...(dose.unit === null ? {} : { unit: dose.unit }),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

function parseCurve(
  file: string,
  text: string,
  unit: DepthUnit | null,
): Extract<DoseContent, { readonly kind: 'curve' }> {
  const read = readCurve(text, unit);
  if (read.ok) {
    const { depth_mm, dose, unit: stated, notes } = read.curve;
    return { kind: 'curve', curve: { positions: depth_mm, values: dose }, unit: stated, notes };
  }
  const [first] = read.faults;
  throw new BraggError('invalid', `${file}, line ${first?.line ?? 1}: ${first?.message ?? 'is not a depth dose'}.`);
}

export interface NamedBytes {
  readonly name: string;
  readonly bytes: Uint8Array;
}

type DoseContent =
  | { readonly kind: 'volume'; readonly volume: Volume }
  | (DoseFileFacts & { readonly kind: 'curve'; readonly curve: GammaCurve });

const endingOf = (name: string): string => path.extname(name).toLowerCase();

type Parts = readonly (Uint8Array | null)[];

/** Reads a volume of any supported format. Null for a table. */
function readVolume({ name, bytes }: NamedBytes, parts: Parts): Volume | null {
  const header = volumeHeader(name, bytes);
  if (header !== null) {
    if (header.unit === null) checkName(name);
    return decodeVolumeFile(name, bytes, header, parts);
  }
  return isDicom(bytes) ? readDicomDose(name, bytes) : null;
}

function textOf({ name, bytes }: NamedBytes): string {
  const text = decodeTableText(bytes);
  if (text === null) throw new BraggError('foreign-file', `${name}: it is ${UNDECODABLE_TEXT}.`);
  return text;
}

/** Whether a table is a map: its second column has a position x in its name, in any unit. */
function isMap(text: string): boolean {
  const first = firstLineOf(text);
  return /_at_x_/.test(splitCells(first, detectSeparator(first))[1] ?? '');
}

/**
 * File name suffixes with which GATE and OpenGATE mark quantities other than dose. Their files do not state the
 * quantity.
 */
const OTHER_QUANTITY =
  /[-_](squared|uncertainty|nb_?of_?hits|counts?|fluence|let[dt]?|(?:dose|track)_?averaged)(?:[-_](?:squared|uncertainty))?(?:\.[a-z]+)+$/i;
const GATE_TABLE = /^\s*#\s*(?:Resol|VoxelSize)\s*=/m;

/** Rejects a file whose name indicates another quantity, unless the file itself states one. */
function checkName(name: string): void {
  const quantity = OTHER_QUANTITY.exec(path.basename(name))?.[1];
  if (quantity === undefined) return;
  throw new BraggError(
    'foreign-file',
    `${name}: its name contains ${quantity}, which is not a dose; allowed: names such as plan-Dose.txt and plan-Edep.mhd, or one without this word.`,
  );
}

/** Reads a dose. Throws a BraggError with the file and the allowed input. */
function readDose(file: NamedBytes, parts: Parts, unit: DepthUnit | null): DoseContent {
  const { name } = file;
  const volume = readVolume(file, parts);
  if (volume !== null) return { kind: 'volume', volume };
  const other = identifyOtherFormat(file.bytes);
  if (other !== null) {
    throw new BraggError(
      'foreign-file',
      `${name}: it is ${other}; allowed: MetaImage, NRRD, RT Dose, or a table of text.`,
    );
  }
  const text = textOf(file);
  if (GATE_TABLE.test(text)) checkName(name);
  return isMap(text) ? { kind: 'volume', volume: parseMap(name, text) } : parseCurve(name, text, unit);
}

/**
 * Largest allowed negative value, as a share of the maximum. There may be noise around zero, as in measured depth
 * doses.
 */
const LARGEST_NOISE = 0.05;

/** Throws BraggError `foreign-file` if a value is not a dose, for example negative or a mark for a missing value. */
function checkDoses(name: string, { values }: Volume): void {
  const largest = largestUnmarked(values);
  const wrong = values.findIndex((value) => value < -LARGEST_NOISE * largest || isMissingMark(value, largest));
  if (wrong < 0) return;
  const value = values[wrong] ?? 0;
  const is = isMissingMark(value, largest) ? 'a mark for a missing value' : 'a negative dose';
  throw new BraggError(
    'foreign-file',
    `${name}: value ${wrong + 1} is ${value}, ${is}; allowed: doses of 0 and more, and noise down to -5 % of the largest one.`,
  );
}

/** Requests an absolute comparison, for which doses are converted to the unit of a run. */
interface AbsoluteComparison {
  /** Unit that the user chose, for files that state none. */
  readonly unit: string | null;
  /** Number of protons of the run, as a factor for units per proton. */
  readonly protons: number;
}

/** Throws a BraggError: the unit of the doses does not allow an absolute comparison. */
function throwNoAbsoluteUnit(name: string, stated: string | null, chosen: string | null, allowed: string): never {
  const has = stated === null ? 'its doses have no unit' : `its doses are in ${stated}`;
  const asked = chosen === null ? '' : `, and --dose-unit is ${chosen}`;
  throw new BraggError(
    'unsupported',
    `${name}: ${has}${asked}. Allowed for an absolute comparison, in the file or as --dose-unit: ${allowed}.`,
  );
}

function absoluteCurve(
  name: string,
  read: Extract<DoseContent, { readonly kind: 'curve' }>,
  { unit: chosen, protons }: AbsoluteComparison,
): ImportedDose {
  const unit = parseDepthDoseUnit(chosen ?? read.unit);
  const conflict = chosen !== null && read.unit !== null && !isDeepStrictEqual(parseDepthDoseUnit(read.unit), unit);
  if (unit === null || conflict) throwNoAbsoluteUnit(name, read.unit, chosen, allowedDepthUnits);
  const factor = factorToRunUnit(unit, protons);
  const values = Float64Array.from(read.curve.values, (value) => value * factor);
  return { ...read, curve: { ...read.curve, values }, by: unit.by === 'mass' ? 'mass' : 'area' };
}

function doseInPlane(
  name: string,
  dose: DoseContent,
  plane: VolumePlane,
  absolute: AbsoluteComparison | null,
): ImportedDose {
  if (dose.kind === 'curve') return absolute === null ? { ...dose, by: null } : absoluteCurve(name, dose, absolute);
  const { volume } = dose;
  checkDoses(name, volume);
  const read = { unit: volume.unit ?? null, notes: volume.notes ?? [] };
  const map = doseMapOfVolume(name, volume, plane);
  if (absolute === null) return { kind: 'map', map, ...read, by: null };
  const allowed = planeUnitsOf(volume);
  const chosen = plainUnit(absolute.unit ?? read.unit ?? '');
  const unit = allowed.find((one) => plainUnit(one) === chosen);
  if (unit === undefined) throwNoAbsoluteUnit(name, read.unit, absolute.unit, allowed.join(', '));
  const converted = convertToRunUnits(name, volume, map, { plane, protons: absolute.protons, unit });
  return { kind: 'map', map: converted, ...read, by: planeUnits[unit].by };
}

/**
 * Reads a dose from disk. With `absolute`, converts it to the unit of a run. Throws a BraggError with the file and the
 * allowed input.
 */
export async function readDoseFile(
  file: string,
  plane: VolumePlane,
  unit: DepthUnit | null,
  absolute: AbsoluteComparison | null = null,
): Promise<ImportedDose> {
  const bytes = await readUserFile(file, 'a dose');
  const named = { name: file, bytes };
  const header = volumeHeader(file, bytes);
  const parts = header === null ? [] : await neighbouringDataFiles(file, header);
  return doseInPlane(file, readDose(named, parts, unit), plane, absolute);
}

/** Reads the volume in these files. One of them is the header, which refers to the others. */
function volumeFromFiles(files: readonly NamedBytes[]): { readonly name: string; readonly volume: Volume } {
  // Select the header by its extension. DICOM files often have none, so they are recognised by their content.
  const main =
    files.find(({ name }) => importedEndings.includes(endingOf(name))) ?? files.find(({ bytes }) => isDicom(bytes));
  if (main === undefined) {
    const names = files.map(({ name }) => name).join(', ');
    throw new BraggError('foreign-file', `${names}: it is not a dose; allowed: ${importedEndings.join(', ')}.`);
  }
  const header = volumeHeader(main.name, main.bytes);
  const named = header?.dataFiles ?? [];
  const parts = named.map((name) => files.find((file) => file.name === name)?.bytes ?? null);
  const missing = named.find((_, i) => parts[i] === null);
  if (missing !== undefined) {
    throw new BraggError('foreign-file', `${main.name}: its data is in ${missing}; choose all files together.`);
  }
  const isTable = header === null && !isDicom(main.bytes);
  const dose = isTable && !isMap(textOf(main)) ? null : readDose(main, parts, null);
  if (dose?.kind !== 'volume') {
    const allowed = 'allowed: depth, then a column for each x, as the program exports a dose map';
    throw new BraggError(
      'unsupported',
      `${main.name} is not a map; ${allowed}. To compare a depth dose, open it in the chart of the depth dose instead.`,
    );
  }
  checkDoses(main.name, dose.volume);
  return { name: main.name, volume: dose.volume };
}

/** Reads name, grid and notes of the dose in these files. */
export const inspectDose = defineThreadTask(
  'inspect a dose file',
  ({ files }: { readonly files: readonly NamedBytes[] }): Omit<ImportedDoseInfo, 'id'> => {
    const { name, volume } = volumeFromFiles(files);
    const { sizes, spacing_mm, origin_mm, unit, notes = [] } = volume;
    return {
      ...{ name, sizes: [...sizes], spacing_mm: [...spacing_mm], origin_mm: [...origin_mm] },
      notes: [...(unit === undefined ? [] : [`Its values are in ${unit}`]), ...notes],
    };
  },
);

export interface RequestedPlane {
  readonly plane: VolumePlane;
  /** Unit of the values. Null to scale the dose to a maximum of 1. */
  readonly unit: PlaneUnitName | null;
  /** Number of protons of the run, as a factor for units per proton. */
  readonly protons: number;
}

/** Units that a volume can have, by its number of axes. */
const planeUnitsOf = ({ sizes }: Volume): readonly PlaneUnitName[] =>
  planeUnitSchema.options.filter((one) => planeUnits[one].axes === sizes.length);

/** Normalises the spelling of a unit, which differs between programs. */
const plainUnit = (text: string): string => text.toLowerCase().replaceAll(/[\s_*·]+/g, ' ');

/**
 * Factor that converts cell values to the unit of a run: nGy mm³ or MeV. Throws a BraggError if the unit does not fit
 * the kind of file.
 */
function unitFactor(
  name: string,
  volume: Volume,
  { plane, protons, unit }: RequestedPlane & { readonly unit: PlaneUnitName },
): number {
  const { sizes, spacing_mm } = volume;
  const { axes, title } = planeUnits[unit];
  if (axes !== sizes.length) {
    const allowed = planeUnitsOf(volume).map((one) => planeUnits[one].title);
    throw new BraggError(
      'unsupported',
      `${name} has ${sizes.length} axes, but ${title} is for ${axes}; allowed: ${allowed.join('; ')}.`,
    );
  }
  const thickness_mm = axes === 2 ? 1 : (spacing_mm[summedAxis(sizes, plane) ?? 1] ?? 1);
  return thickness_mm * factorToRunUnit(planeUnits[unit], protons);
}

/** Throws if the chosen unit differs from the one that the file states. */
function checkUnit(name: string, { unit }: Volume, chosen: PlaneUnitName): void {
  const normalized = (text: string): string => plainUnit(text.replace(/\/1e9$/i, ''));
  if (unit === undefined || normalized(unit) === normalized(chosen)) return;
  throw new BraggError(
    'unsupported',
    `${name} gives its values in ${unit}, so ${planeUnits[chosen].title} is not allowed. Allowed: that unit, or scaled to the largest value.`,
  );
}

/** Converts a plane of a volume to the unit of a run. */
function convertToRunUnits(
  name: string,
  volume: Volume,
  own: DoseMap,
  requested: RequestedPlane & { readonly unit: PlaneUnitName },
): DoseMap {
  checkUnit(name, volume, requested.unit);
  const factor = unitFactor(name, volume, requested);
  return { ...own, dose: own.dose.map((value) => value * factor) };
}

/** Extracts the plane of an imported dose that is compared with a run. */
export const planeOfDose = defineThreadTask(
  'read a plane of a dose file',
  ({ files, ...asked }: RequestedPlane & { readonly files: readonly NamedBytes[] }): DoseMap => {
    const { name, volume } = volumeFromFiles(files);
    const own = doseMapOfVolume(name, volume, asked.plane);
    if (!own.dose.some((value) => value > 0)) throw new BraggError('foreign-file', `${name}: no dose is above zero.`);
    if (asked.unit === null) return normalizeToPeak(own);
    return convertToRunUnits(name, volume, own, { ...asked, unit: asked.unit });
  },
);
