/**
 * One slice of a CT: from a folder with a DICOM series, one DICOM file, NRRD or MetaImage. Places are in the patient's
 * coordinates: x to the left, y to the back, z to the head, mm.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import { formatBytes } from '../../../contract/units.ts';
import {
  type DicomSlice,
  dicomModality,
  dicomSeries,
  isDicom,
  isLocalizer,
  readDicomHeader,
  readDicomPixels,
} from './dicom.ts';
import { foreign } from './header-fields.ts';
import type { Volume } from './volume.ts';
import { readVolumeFile, volumeHeader } from './volume-file.ts';

export type CtPlane = 'transverse' | 'coronal' | 'sagittal';

/** The image's columns and rows along two axes of the patient, and the axis that it is cut across. */
const axesOf: Readonly<Record<CtPlane, readonly [u: number, v: number, across: number]>> = {
  transverse: [0, 1, 2],
  coronal: [0, 2, 1],
  sagittal: [1, 2, 0],
};

export interface CtSlice {
  readonly plane: CtPlane;
  /** FrameOfReferenceUID of a DICOM series; empty of other files. */
  readonly frame: string;
  readonly columns: number;
  readonly rows: number;
  readonly spacing_mm: readonly [number, number];
  /** Centre of the first pixel, along the axes of the columns and of the rows. */
  readonly origin_mm: readonly [number, number];
  /** Hounsfield units, row by row; both axes ascend. */
  readonly hu: Float32Array;
  /** Place of the slice along the third axis, and those of the first and the last one there is. */
  readonly at_mm: number;
  readonly from_mm: number;
  readonly to_mm: number;
  readonly slices: number;
  /** Facts about the files that a user must know: padding, files that were left out. */
  readonly notes: readonly string[];
}

export interface CtAsked {
  /** A file or a folder. */
  readonly path: string;
  /** Name in messages. */
  readonly name: string;
  /** SeriesInstanceUID or SeriesDescription of one of several series; null: the only one. */
  readonly series: string | null;
  readonly plane: CtPlane;
  /** The slice nearest to it is taken; null: the one in the middle. */
  readonly at_mm: number | null;
}

const MOST_BYTES = 2 ** 30;
const MOST_FILES = 4000;
/** 2048 × 2048. */
const MOST_PIXELS = 2 ** 22;
/** A volume is read whole, as FP64. */
const MOST_VOLUME_BYTES = 2 ** 29;

function tooLarge(name: string, bytes: number, allowed: number): Error {
  return foreign(name, `it has ${formatBytes(bytes)}; allowed: ${formatBytes(allowed)}`);
}

/** Index of the requested position among those of the slices, which ascend. `alone`: thickness of a single slice. */
function nearest(name: string, places: readonly number[], asked: number | null, alone: number): number {
  if (asked === null) return Math.floor((places.length - 1) / 2);
  const [first = 0, last = 0] = [places[0], places.at(-1)];
  const [below, above] = [(places[1] ?? first + alone) - first, last - (places.at(-2) ?? last - alone)];
  if (asked < first - below / 2 || asked > last + above / 2) {
    throw foreign(name, `it has no slice at ${asked} mm; allowed: ${first} to ${last} mm`);
  }
  return places.reduce(
    (best, place, i) => (Math.abs(place - asked) < Math.abs((places[best] ?? 0) - asked) ? i : best),
    0,
  );
}

/** Values on three axes of the patient. `places`: of the slices where they are not equally spaced. */
type Box = Pick<Volume, 'sizes' | 'spacing_mm' | 'origin_mm'> & {
  readonly frame: string;
  readonly value: (at: readonly number[]) => number;
  readonly places?: readonly number[];
  readonly notes: readonly string[];
};

function sliceOf(name: string, box: Box, plane: CtPlane, at_mm: number | null): CtSlice {
  const [u, v, across] = axesOf[plane];
  const size = (axis: number): number => box.sizes[axis] ?? 1;
  const step = (axis: number): number => box.spacing_mm[axis] ?? 1;
  const start = (axis: number): number => box.origin_mm[axis] ?? 0;
  const places =
    across === 2 && box.places !== undefined
      ? box.places
      : Array.from({ length: size(across) }, (_, i) => start(across) + i * step(across));
  const index = nearest(name, places, at_mm, step(across));
  const pixels = size(u) * size(v);
  if (pixels > MOST_PIXELS)
    throw foreign(name, `its slice has ${size(u)} × ${size(v)} pixels; allowed: ${MOST_PIXELS}`);
  const hu = new Float32Array(pixels);
  const at = [0, 0, 0];
  at[across] = index;
  for (let row = 0; row < size(v); row += 1) {
    at[v] = row;
    for (let column = 0; column < size(u); column += 1) {
      at[u] = column;
      hu[row * size(u) + column] = box.value(at);
    }
  }
  return {
    plane,
    frame: box.frame,
    columns: size(u),
    rows: size(v),
    spacing_mm: [step(u), step(v)],
    origin_mm: [start(u), start(v)],
    hu,
    at_mm: places[index] ?? 0,
    from_mm: places[0] ?? 0,
    to_mm: places.at(-1) ?? 0,
    slices: places.length,
    notes: box.notes,
  };
}

/** Units of a CT's values, where a header states one. */
const HU = /^(hu|hounsfield( units?)?)$/i;

function boxOf(name: string, { sizes, spacing_mm, origin_mm, values, unit }: Volume): Box {
  if (unit !== undefined && !HU.test(unit)) throw foreign(name, `its values are in ${unit}; allowed: HU`);
  const [nx = 1, ny = 1, nz = 1] = sizes;
  const [dx = 1, dy = 1, dz = 1] = spacing_mm;
  const [x = 0, y = 0, z = 0] = origin_mm;
  return {
    frame: '',
    sizes: [nx, ny, nz],
    spacing_mm: [dx, dy, dz],
    origin_mm: [x, y, z],
    value: ([i = 0, j = 0, k = 0]) => values[(k * ny + j) * nx + i] ?? 0,
    notes: [],
  };
}

interface Found extends DicomSlice {
  readonly file: string;
}

interface Series {
  readonly slices: readonly Found[];
  readonly notes: readonly string[];
}

interface Unusable {
  readonly series: string;
  readonly error: BraggError;
}

/** One file of a folder: a slice, a reason why it is none, or the kind of object that it is instead. */
function classified(name: string, file: string, bytes: Uint8Array): Found | Unusable | string {
  const shown = `${name}/${file}`;
  const modality = dicomModality(shown, bytes);
  if (modality !== 'CT' && modality !== '') return modality;
  if (isLocalizer(shown, bytes)) return 'localizer';
  try {
    return { ...readDicomHeader(shown, bytes), file };
  } catch (error) {
    if (!(error instanceof BraggError)) throw error;
    return { series: dicomSeries(shown, bytes), error };
  }
}

/** The series of a folder as messages list them. */
function listed(found: readonly Found[]): string {
  const counts = Map.groupBy(found, ({ series }) => series);
  return [...counts]
    .map(([uid, slices]) => {
      const about = slices[0]?.description.trim() ?? '';
      return `${slices.length} of ${uid}${about === '' ? '' : ` "${about}"`}`;
    })
    .join(', ');
}

/** SeriesInstanceUID of the requested series among those of a folder, or of its only one. */
function chosenSeries(name: string, found: readonly Found[], asked: string | null): string {
  const uids = [...new Set(found.map(({ series }) => series))];
  const [only = '', second] = uids;
  const allowed = 'its UID or its description in geometry.ct.series';
  if (asked === null) {
    if (second === undefined) return only;
    throw foreign(name, `it mixes ${uids.length} series (${listed(found)}); allowed: one, or ${allowed}`);
  }
  if (uids.includes(asked)) return asked;
  const described = new Set(found.filter((one) => one.description.trim() === asked.trim()).map((one) => one.series));
  const [match, other] = described;
  if (match !== undefined && other === undefined) return match;
  const how = match === undefined ? 'no series is' : `${described.size} series are`;
  throw foreign(name, `${how} "${asked}"; allowed: ${allowed}: ${listed(found)}`);
}

/** The slices of a folder's only or requested CT series. Hidden files and those of other formats are no part of it. */
async function seriesIn(folder: string, name: string, asked: string | null): Promise<Series> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.') && entry.name !== 'DICOMDIR');
  if (files.length > MOST_FILES) throw foreign(name, `it holds ${files.length} files; allowed: ${MOST_FILES}`);
  const found: Found[] = [];
  const unusable: Unusable[] = [];
  const others = new Map<string, number>();
  let total = 0;
  for (const entry of files.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const bytes = await readFile(path.join(folder, entry.name));
    total += bytes.length;
    if (total > MOST_BYTES)
      throw foreign(name, `its files have more than ${formatBytes(MOST_BYTES)}; allowed: ${formatBytes(MOST_BYTES)}`);
    if (!isDicom(bytes)) continue;
    const one = classified(name, entry.name, bytes);
    if (typeof one === 'string') others.set(one, (others.get(one) ?? 0) + 1);
    else if ('error' in one) unusable.push(one);
    else found.push(one);
  }
  const known = new Set(found.map((one) => one.series));
  // A slice that cannot be read makes a gap; a series of which no slice can be read is another image.
  const [broken] = unusable.filter((one) => one.series === asked || (asked === null && known.size === 0));
  if (broken !== undefined) throw broken.error;
  if (found.length === 0) {
    const there = [...others].map(([kind, count]) => `${count} × ${kind}`).join(', ');
    throw foreign(
      name,
      `it holds no DICOM file of a CT${there === '' ? '' : ` (${there})`}; allowed: the slices of one CT series`,
    );
  }
  const chosen = chosenSeries(name, found, asked);
  const gap = unusable.find((one) => one.series === chosen);
  if (gap !== undefined) throw gap.error;
  const left = found.filter((one) => one.series !== chosen);
  const foreignSeries = new Map(unusable.map((one) => [one.series, one.error.message]));
  return {
    slices: found.filter((one) => one.series === chosen),
    notes: [
      ...(left.length === 0 ? [] : [`Other series in ${name} left out: ${listed(left)}.`]),
      ...[...others].map(
        ([kind, count]) =>
          `${count} ${count === 1 ? 'file' : 'files'} in ${name} left out: ${kind}, not a slice of the CT.`,
      ),
      ...[...foreignSeries].map(([uid, why]) => `The series ${uid} in ${name} left out: ${why}`),
    ],
  };
}

/** Places in a series may be off by so much of the distance between slices. */
const PLACE_SLACK = 0.01;

/** Refuses slices on different grids, and says in which way they differ. */
function sameGrid(name: string, slices: readonly Found[]): void {
  const [first] = slices;
  if (first === undefined) return;
  const near = (a: number, b: number, slack: number): boolean => Math.abs(a - b) < slack;
  for (const one of slices) {
    const [step = 1] = first.spacing_mm;
    const checks: readonly (readonly [string, boolean, unknown, unknown])[] = [
      [
        'size',
        one.rows === first.rows && one.columns === first.columns,
        `${one.columns} × ${one.rows}`,
        `${first.columns} × ${first.rows}`,
      ],
      ['FrameOfReferenceUID', one.frame === first.frame, one.frame, first.frame],
      ['orientation', one.way.every((way, i) => way === first.way[i]), one.way, first.way],
      [
        'PixelSpacing',
        one.spacing_mm.every((own, i) => near(own, first.spacing_mm[i] ?? 0, 1e-4 * own)),
        one.spacing_mm,
        first.spacing_mm,
      ],
      [
        'position in x and y',
        [0, 1].every((i) => near(one.position_mm[i] ?? 0, first.position_mm[i] ?? 0, PLACE_SLACK * step)),
        one.position_mm.slice(0, 2),
        first.position_mm.slice(0, 2),
      ],
    ];
    const differs = checks.find(([, same]) => !same);
    if (differs === undefined) continue;
    const [what, , own, usual] = differs;
    throw foreign(
      `${name}/${one.file}`,
      `its ${what} is ${own}, and that of ${first.file} is ${usual}; allowed: one grid`,
    );
  }
}

/** Distance of the slices, which are ascending; null where it changes. Throws where one is missing or given twice. */
function sliceSpacing(name: string, slices: readonly Found[]): number | null {
  if (slices.length === 1) return 1;
  const place = (i: number): number => slices[i]?.position_mm[2] ?? 0;
  const gaps = slices.slice(1).map((_, i) => place(i + 1) - place(i));
  const usual = [...gaps].sort((a, b) => a - b)[Math.floor((gaps.length - 1) / 2)] ?? 1;
  const same = (a: number, b: number): boolean => Math.abs(a - b) <= PLACE_SLACK * usual;
  for (const [i, gap] of gaps.entries()) {
    const [low, high] = [slices[i], slices[i + 1]];
    if (gap <= PLACE_SLACK * usual) {
      throw foreign(name, `${low?.file} and ${high?.file} are the same slice, at ${place(i)} mm; allowed: each once`);
    }
    // Scanners change the spacing for a part of the body; a single wider gap is a missing slice.
    const repeated = [gaps[i - 1], gaps[i + 1]].some((next) => next !== undefined && same(next, gap));
    if (!same(gap, usual) && !repeated) {
      throw foreign(
        name,
        `slices are missing between ${low?.file} at ${place(i)} mm and ${high?.file} at ${place(i + 1)} mm; allowed: ${usual} mm apart, as the others`,
      );
    }
  }
  return gaps.every((gap) => same(gap, usual)) ? usual : null;
}

/** Rows and columns of a slice, ascending along the patient's axes. */
function ascending(values: Float32Array, { columns, rows, way }: DicomSlice): Float32Array {
  if (way[0] === 1 && way[1] === 1) return values;
  const turned = new Float32Array(values.length);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const from = (way[1] === 1 ? row : rows - 1 - row) * columns + (way[0] === 1 ? column : columns - 1 - column);
      turned[row * columns + column] = values[from] ?? 0;
    }
  }
  return turned;
}

async function seriesSlice(
  folder: string,
  { slices, notes: before }: Series,
  { name, plane, at_mm }: CtAsked,
): Promise<CtSlice> {
  sameGrid(name, slices);
  const sorted = [...slices].sort((a, b) => a.position_mm[2] - b.position_mm[2]);
  const apart = sliceSpacing(name, sorted);
  if (apart === null && plane !== 'transverse') {
    const places = sorted.map(({ position_mm }) => position_mm[2]).join(', ');
    throw foreign(
      name,
      `its slices are not equally spaced (${places} mm); allowed: one spacing, or the transverse plane`,
    );
  }
  const [first] = sorted;
  if (first === undefined) throw foreign(name, 'it holds no slice');
  const { columns, rows, spacing_mm, way } = first;
  const origin = ([0, 1] as const).map((axis) => {
    const start = first.position_mm[axis];
    const length = ((axis === 0 ? columns : rows) - 1) * spacing_mm[axis];
    return way[axis] === 1 ? start : start - length;
  });
  const places = sorted.map(({ position_mm }) => position_mm[2]);
  const notes = [...before];
  let [padded, all] = [0, 0];
  let padding = '';
  const pixels = async (index: number): Promise<Float32Array> => {
    const file = sorted[index]?.file ?? '';
    const found = readDicomPixels(`${name}/${file}`, await readFile(path.join(folder, file)));
    padded += found.padded;
    all += found.hu.length;
    padding = [...new Set(found.padding ?? [])].join(' to ');
    return ascending(found.hu, first);
  };
  // A slice across needs one file, a plane along the body needs all.
  const wanted = plane === 'transverse' ? nearest(name, places, at_mm, apart ?? 1) : null;
  const read: Float32Array[] = [];
  for (let i = 0; i < sorted.length; i += 1)
    read.push(wanted === null || wanted === i ? await pixels(i) : new Float32Array(0));
  if (padded > 0) {
    notes.push(
      `${padded} of ${all} pixels have the stored value ${padding}, which the file declares as padding: they are taken as air.`,
    );
  }
  const box: Box = {
    frame: first.frame,
    sizes: [columns, rows, sorted.length],
    spacing_mm: [...spacing_mm, apart ?? 1],
    places,
    notes,
    origin_mm: [...origin, places[0] ?? 0],
    value: ([i = 0, j = 0, k = 0]) => read[k]?.[j * columns + i] ?? 0,
  };
  return sliceOf(name, box, plane, at_mm);
}

/** Throws a BraggError `foreign-file` that says what is wrong and what is allowed. */
export async function readCtSlice(asked: CtAsked): Promise<CtSlice> {
  const { path: where, name, series, plane, at_mm } = asked;
  const found = await stat(where).catch(() => null);
  if (found === null) throw foreign(name, 'it cannot be found');
  if (found.isDirectory()) return seriesSlice(where, await seriesIn(where, name, series), asked);
  if (!found.isFile()) throw foreign(name, 'it is neither a file nor a folder');
  if (found.size > MOST_VOLUME_BYTES) throw tooLarge(name, found.size, MOST_VOLUME_BYTES);
  const bytes = await readFile(where);
  const header = volumeHeader(name, bytes);
  if (header !== null) {
    if (series !== null)
      throw foreign(name, `it has no series "${series}"; allowed: geometry.ct.series for DICOM alone`);
    return sliceOf(name, boxOf(name, await readVolumeFile(name, where, bytes, header)), plane, at_mm);
  }
  const slice = { ...readDicomHeader(name, bytes), file: path.basename(where) };
  if (series !== null) chosenSeries(name, [slice], series);
  return seriesSlice(path.dirname(where), { slices: [slice], notes: [] }, { ...asked, name: path.dirname(name) });
}
