/**
 * One slice of a CT: from a folder with a DICOM series, one DICOM file, NRRD or MetaImage. Places are in the patient's
 * coordinates: x to the left, y to the back, z to the head, mm.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { formatBytes } from '../../../contract/units.ts';
import { type DicomSlice, isDicom, readDicomHeader, readDicomPixels } from './dicom.ts';
import { metaImageData, readMetaImage } from './metaimage.ts';
import { readNrrd } from './nrrd.ts';
import { foreign, type Volume } from './volume.ts';

export type CtPlane = 'transverse' | 'coronal' | 'sagittal';

/** The image's columns and rows along two axes of the patient, and the axis that it is cut across. */
const axesOf: Readonly<Record<CtPlane, readonly [u: number, v: number, across: number]>> = {
  transverse: [0, 1, 2],
  coronal: [0, 2, 1],
  sagittal: [1, 2, 0],
};

export interface CtSlice {
  readonly plane: CtPlane;
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
}

export interface CtAsked {
  /** A file or a folder. */
  readonly path: string;
  /** How it is shown in messages. */
  readonly name: string;
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

/** Index of the wanted place among those of the slices, ascending. */
function nearest(name: string, places: readonly number[], asked: number | null, half: number): number {
  if (asked === null) return Math.floor((places.length - 1) / 2);
  const [first = 0, last = 0] = [places[0], places.at(-1)];
  if (asked < first - half || asked > last + half) {
    throw foreign(name, `it has no slice at ${asked} mm; allowed: ${first} to ${last} mm`);
  }
  return places.reduce(
    (best, place, i) => (Math.abs(place - asked) < Math.abs((places[best] ?? 0) - asked) ? i : best),
    0,
  );
}

/** A volume with three axes, as the patient's axes go. */
type Box = Pick<Volume, 'sizes' | 'spacing_mm' | 'origin_mm'> & { readonly value: (at: readonly number[]) => number };

function sliceOf(name: string, box: Box, plane: CtPlane, at_mm: number | null): CtSlice {
  const [u, v, across] = axesOf[plane];
  const size = (axis: number): number => box.sizes[axis] ?? 1;
  const step = (axis: number): number => box.spacing_mm[axis] ?? 1;
  const start = (axis: number): number => box.origin_mm[axis] ?? 0;
  const places = Array.from({ length: size(across) }, (_, i) => start(across) + i * step(across));
  const index = nearest(name, places, at_mm, step(across) / 2);
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
    columns: size(u),
    rows: size(v),
    spacing_mm: [step(u), step(v)],
    origin_mm: [start(u), start(v)],
    hu,
    at_mm: places[index] ?? 0,
    from_mm: places[0] ?? 0,
    to_mm: places.at(-1) ?? 0,
    slices: places.length,
  };
}

/** Names of spaces whose x goes to the right and y to the front: both are turned round. */
const RIGHT_FRONT = ['right-anterior-superior', 'ras'];
const LEFT_BACK = ['left-posterior-superior', 'lps'];

function boxOf(name: string, volume: Volume): Box {
  const space = volume.space?.toLowerCase() ?? 'lps';
  if (![...RIGHT_FRONT, ...LEFT_BACK].includes(space)) {
    throw foreign(name, `its space is ${volume.space}; allowed: ${[...LEFT_BACK, ...RIGHT_FRONT].join(', ')}`);
  }
  const turned = RIGHT_FRONT.includes(space);
  const [nx = 1, ny = 1, nz = 1] = volume.sizes;
  const [dx = 1, dy = 1, dz = 1] = volume.spacing_mm;
  const [x = 0, y = 0, z = 0] = volume.origin_mm;
  const { values } = volume;
  return {
    sizes: [nx, ny, nz],
    spacing_mm: [dx, dy, dz],
    origin_mm: turned ? [-(x + (nx - 1) * dx), -(y + (ny - 1) * dy), z] : [x, y, z],
    value: ([i = 0, j = 0, k = 0]) =>
      values[(k * ny + (turned ? ny - 1 - j : j)) * nx + (turned ? nx - 1 - i : i)] ?? 0,
  };
}

async function volumeSlice({ path: file, name, plane, at_mm }: CtAsked): Promise<CtSlice> {
  const { size } = await stat(file);
  if (size > MOST_VOLUME_BYTES) throw tooLarge(name, size, MOST_VOLUME_BYTES);
  const bytes = await readFile(file);
  if (/\.nrrd$/i.test(file)) return sliceOf(name, boxOf(name, readNrrd(name, bytes)), plane, at_mm);
  const beside = metaImageData(name, bytes);
  const data = beside === null ? null : await readFile(path.join(path.dirname(file), beside)).catch(() => null);
  if (beside !== null && data === null) throw foreign(name, `its data file ${beside} cannot be read`);
  return sliceOf(name, boxOf(name, readMetaImage(name, bytes, data)), plane, at_mm);
}

interface Found extends DicomSlice {
  readonly file: string;
}

/** Files of a folder, ascending by name; those that are hidden or no DICOM are none of the series. */
async function headersIn(folder: string, name: string): Promise<readonly Found[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.') && entry.name !== 'DICOMDIR');
  if (files.length > MOST_FILES) throw foreign(name, `it holds ${files.length} files; allowed: ${MOST_FILES}`);
  const found: Found[] = [];
  let total = 0;
  for (const entry of files.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const bytes = await readFile(path.join(folder, entry.name));
    total += bytes.length;
    if (total > MOST_BYTES)
      throw foreign(name, `its files have more than ${formatBytes(MOST_BYTES)}; allowed: ${formatBytes(MOST_BYTES)}`);
    if (isDicom(bytes)) found.push({ ...readDicomHeader(`${name}/${entry.name}`, bytes), file: entry.name });
  }
  if (found.length === 0) throw foreign(name, 'it holds no DICOM file; allowed: the slices of one CT series');
  return found;
}

/** Places in a series may be off by so much of the distance between slices. */
const PLACE_SLACK = 0.01;

function sameGrid(name: string, slices: readonly Found[]): void {
  const [first] = slices;
  const series = new Map<string, number>();
  for (const one of slices) series.set(one.series, (series.get(one.series) ?? 0) + 1);
  if (series.size > 1) {
    const counts = [...series].map(([uid, count]) => `${count} of ${uid}`).join(', ');
    throw foreign(name, `it mixes ${series.size} series (${counts}); allowed: one`);
  }
  for (const one of slices) {
    const same =
      first !== undefined &&
      one.rows === first.rows &&
      one.columns === first.columns &&
      one.way.every((way, i) => way === first.way[i]) &&
      one.spacing_mm.every((step, i) => Math.abs(step - (first.spacing_mm[i] ?? 0)) < 1e-4 * step) &&
      one.position_mm
        .slice(0, 2)
        .every((at, i) => Math.abs(at - (first.position_mm[i] ?? 0)) < PLACE_SLACK * (first.spacing_mm[i] ?? 1));
    if (!same) {
      throw foreign(
        `${name}/${one.file}`,
        `its size, spacing, position or orientation differs from that of ${first?.file ?? 'the first'}; allowed: one grid`,
      );
    }
  }
}

/** Distance of the slices, which are ascending. Throws where one is missing or stands twice. */
function sliceSpacing(name: string, slices: readonly Found[]): number {
  if (slices.length === 1) return 1;
  const place = (i: number): number => slices[i]?.position_mm[2] ?? 0;
  const gaps = slices.slice(1).map((_, i) => place(i + 1) - place(i));
  const usual = [...gaps].sort((a, b) => a - b)[Math.floor((gaps.length - 1) / 2)] ?? 1;
  gaps.forEach((gap, i) => {
    const [low, high] = [slices[i], slices[i + 1]];
    if (gap <= PLACE_SLACK * usual) {
      throw foreign(name, `${low?.file} and ${high?.file} are the same slice, at ${place(i)} mm; allowed: each once`);
    }
    if (Math.abs(gap - usual) > PLACE_SLACK * usual) {
      throw foreign(
        name,
        `slices are missing between ${low?.file} at ${place(i)} mm and ${high?.file} at ${place(i + 1)} mm; allowed: ${usual} mm apart, as the others`,
      );
    }
  });
  return usual;
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
  slices: readonly Found[],
  { name, plane, at_mm }: CtAsked,
): Promise<CtSlice> {
  sameGrid(name, slices);
  const sorted = [...slices].sort((a, b) => a.position_mm[2] - b.position_mm[2]);
  const apart = sliceSpacing(name, sorted);
  const [first] = sorted;
  if (first === undefined) throw foreign(name, 'it holds no slice');
  const { columns, rows, spacing_mm, way } = first;
  const origin = ([0, 1] as const).map((axis) => {
    const start = first.position_mm[axis];
    const length = ((axis === 0 ? columns : rows) - 1) * spacing_mm[axis];
    return way[axis] === 1 ? start : start - length;
  });
  const places = sorted.map(({ position_mm }) => position_mm[2]);
  const pixels = async (index: number): Promise<Float32Array> => {
    const file = sorted[index]?.file ?? '';
    return ascending(readDicomPixels(`${name}/${file}`, await readFile(path.join(folder, file))), first);
  };
  // A slice across needs one file, a plane along the body needs all.
  const wanted = plane === 'transverse' ? nearest(name, places, at_mm, apart / 2) : null;
  const read: Float32Array[] = [];
  for (let i = 0; i < sorted.length; i += 1)
    read.push(wanted === null || wanted === i ? await pixels(i) : new Float32Array(0));
  const box: Box = {
    sizes: [columns, rows, sorted.length],
    spacing_mm: [...spacing_mm, apart],
    origin_mm: [...origin, places[0] ?? 0],
    value: ([i = 0, j = 0, k = 0]) => read[k]?.[j * columns + i] ?? 0,
  };
  return sliceOf(name, box, plane, at_mm);
}

/** Throws a BraggError `foreign-file` that says what is wrong and what is allowed. */
export async function readCtSlice(asked: CtAsked): Promise<CtSlice> {
  const { path: where, name } = asked;
  const found = await stat(where).catch(() => null);
  if (found === null) throw foreign(name, 'it cannot be found');
  if (found.isDirectory()) return seriesSlice(where, await headersIn(where, name), asked);
  if (!found.isFile()) throw foreign(name, 'it is neither a file nor a folder');
  if (/\.(nrrd|mha|mhd)$/i.test(where)) return volumeSlice(asked);
  if (found.size > MOST_VOLUME_BYTES) throw tooLarge(name, found.size, MOST_VOLUME_BYTES);
  const header = readDicomHeader(name, await readFile(where));
  return seriesSlice(path.dirname(where), [{ ...header, file: path.basename(where) }], {
    ...asked,
    name: path.dirname(name),
  });
}
