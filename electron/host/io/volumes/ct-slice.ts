/**
 * Reads one slice of a CT from a folder with a DICOM series, a DICOM file, or an NRRD or MetaImage volume. Coordinates
 * are the patient's, in mm: x to the left, y to the back, z to the head.
 */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { foreignFileError } from '../../../domain/header-fields.ts';
import { formatBytes } from '../../../domain/values/units.ts';
import { type CtSeries, findRequestedSeries, type ListedSeries, readSeries, slicePosition_mm } from './ct-series.ts';
import { type DicomSlice, isDicom, readDicomHeader, readDicomPixels } from './dicom.ts';
import type { Volume } from './volume.ts';
import { identifyOtherFormat, readVolumeFile, volumeHeader } from './volume-file.ts';

const planes = ['transverse', 'coronal', 'sagittal'] as const;
export type CtPlane = (typeof planes)[number];

/** Patient axes along an image's columns and rows, and the axis normal to the image, for each plane. */
const axesOf: Readonly<Record<CtPlane, readonly [u: number, v: number, across: number]>> = {
  transverse: [0, 1, 2],
  coronal: [0, 2, 1],
  sagittal: [1, 2, 0],
};

export interface CtSlice {
  readonly plane: CtPlane;
  /** FrameOfReferenceUID of a DICOM series; empty for other formats. */
  readonly frame: string;
  readonly columns: number;
  readonly rows: number;
  readonly spacing_mm: readonly [number, number];
  /** Position of the centre of the first pixel, along the axes of the columns and of the rows. */
  readonly origin_mm: readonly [number, number];
  /** Hounsfield units of the pixels, row by row. Positions increase along both axes. */
  readonly hu: Float32Array;
  /**
   * Position of the slice along the axis normal to it; `from_mm` and `to_mm` are those of the first and last slice.
   */
  readonly at_mm: number;
  readonly from_mm: number;
  readonly to_mm: number;
  readonly slices: number;
  /** Notes for the user, for example on padding or skipped files. */
  readonly notes: readonly string[];
}

export interface CtRequest {
  /** Path of a file or a folder. */
  readonly path: string;
  /** Name of the CT in messages. */
  readonly name: string;
  /** SeriesInstanceUID or SeriesDescription of the requested series. Null if the folder contains only one. */
  readonly series: string | null;
  readonly plane: CtPlane;
  /** Requested position: the nearest slice is read. Null for the slice in the middle. */
  readonly at_mm: number | null;
}

/** Maximum number of pixels in a slice: 2048 × 2048. */
const MAX_PIXELS = 2 ** 22;
/** Maximum size of a volume, which is read completely and converted to FP64. */
const MAX_VOLUME_BYTES = 2 ** 29;

function tooLargeError(name: string, bytes: number, allowed: number): Error {
  return foreignFileError(name, `it has ${formatBytes(bytes)}; allowed: ${formatBytes(allowed)}`);
}

/**
 * Index of the slice nearest to the requested position. `places` are the positions of the slices, ascending; `alone` is
 * the thickness if there is only one.
 */
function nearestSlice(name: string, places: readonly number[], requested: number | null, alone: number): number {
  if (requested === null) return Math.floor((places.length - 1) / 2);
  const [first = 0, last = 0] = [places[0], places.at(-1)];
  const [below, above] = [(places[1] ?? first + alone) - first, last - (places.at(-2) ?? last - alone)];
  if (requested < first - below / 2 || requested > last + above / 2) {
    throw foreignFileError(name, `it has no slice at ${requested} mm; allowed: ${first} to ${last} mm`);
  }
  return places.reduce(
    (best, place, i) => (Math.abs(place - requested) < Math.abs((places[best] ?? 0) - requested) ? i : best),
    0,
  );
}

/**
 * A volume of values along the patient's axes. `places` are the slices' positions along their axis, if they need not be
 * equally spaced.
 */
type CtVolume = Pick<Volume, 'sizes' | 'spacing_mm' | 'origin_mm'> & {
  readonly frame: string;
  readonly value: (at: readonly number[]) => number;
  readonly places?: { readonly axis: number; readonly all: readonly number[] };
  readonly notes: readonly string[];
};

function extractSlice(name: string, box: CtVolume, plane: CtPlane, at_mm: number | null): CtSlice {
  const [u, v, across] = axesOf[plane];
  const size = (axis: number): number => box.sizes[axis] ?? 1;
  const step = (axis: number): number => box.spacing_mm[axis] ?? 1;
  const start = (axis: number): number => box.origin_mm[axis] ?? 0;
  const places =
    across === box.places?.axis
      ? box.places.all
      : Array.from({ length: size(across) }, (_, i) => start(across) + i * step(across));
  const index = nearestSlice(name, places, at_mm, step(across));
  const pixels = size(u) * size(v);
  if (pixels > MAX_PIXELS)
    throw foreignFileError(name, `its slice has ${size(u)} × ${size(v)} pixels; allowed: ${MAX_PIXELS}`);
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

/** Spellings of the unit HU (Hounsfield units) in headers. */
const HU_UNIT = /^(hu|hounsfield( units?)?)$/i;

function toCtVolume(name: string, { sizes, spacing_mm, origin_mm, values, unit, notes = [] }: Volume): CtVolume {
  if (unit !== undefined && !HU_UNIT.test(unit)) throw foreignFileError(name, `its values are in ${unit}; allowed: HU`);
  const [nx = 1, ny = 1, nz = 1] = sizes;
  const [dx = 1, dy = 1, dz = 1] = spacing_mm;
  const [x = 0, y = 0, z = 0] = origin_mm;
  return {
    frame: '',
    sizes: [nx, ny, nz],
    spacing_mm: [dx, dy, dz],
    origin_mm: [x, y, z],
    value: ([i = 0, j = 0, k = 0]) => values[(k * ny + j) * nx + i] ?? 0,
    notes: notes.map((note) => `${note}.`),
  };
}

/** Tolerance for positions of slices, relative to the distance between slices. */
const POSITION_TOLERANCE = 0.01;

const AXES = ['x', 'y', 'z'];
/** Directions of the columns and of the rows in patient coordinates, such as `+x, -y`. */
const orientationOf = ({ axes, way }: DicomSlice): string =>
  way.map((one, i) => `${one > 0 ? '+' : '-'}${AXES[axes[i] ?? 0]}`).join(', ');

/** Throws if slices of a series have different grids, with the first difference in the message. */
function throwIfGridsDiffer(name: string, slices: readonly ListedSeries[]): void {
  const [first] = slices;
  if (first === undefined) return;
  const near = (a: number, b: number, slack: number): boolean => Math.abs(a - b) < slack;
  for (const one of slices) {
    const [step = 1] = first.spacing_mm;
    const inPlane = [0, 1, 2].filter((axis) => axis !== first.axes[2]);
    const checks: readonly (readonly [string, boolean, unknown, unknown])[] = [
      [
        'size',
        one.rows === first.rows && one.columns === first.columns,
        `${one.columns} × ${one.rows}`,
        `${first.columns} × ${first.rows}`,
      ],
      ['FrameOfReferenceUID', one.frame === first.frame, one.frame, first.frame],
      ['orientation', orientationOf(one) === orientationOf(first), orientationOf(one), orientationOf(first)],
      [
        'PixelSpacing',
        one.spacing_mm.every((own, i) => near(own, first.spacing_mm[i] ?? 0, 1e-4 * own)),
        one.spacing_mm,
        first.spacing_mm,
      ],
      [
        `position in ${inPlane.map((axis) => AXES[axis]).join(' and ')}`,
        inPlane.every((axis) =>
          near(one.position_mm[axis] ?? 0, first.position_mm[axis] ?? 0, POSITION_TOLERANCE * step),
        ),
        inPlane.map((axis) => one.position_mm[axis]),
        inPlane.map((axis) => first.position_mm[axis]),
      ],
    ];
    const differs = checks.find(([, same]) => !same);
    if (differs === undefined) continue;
    const [what, , own, usual] = differs;
    throw foreignFileError(
      `${name}/${one.file}`,
      `its ${what} is ${own}, but that of ${first.file} is ${usual}; allowed: one grid`,
    );
  }
}

/**
 * Distance between the slices, which are sorted by position; null if it varies. Throws if a slice is missing or
 * duplicated.
 */
function sliceSpacing(name: string, slices: readonly ListedSeries[]): number | null {
  if (slices.length === 1) return 1;
  const places = slices.map(slicePosition_mm);
  const place = (i: number): number => places[i] ?? 0;
  const gaps = slices.slice(1).map((_, i) => place(i + 1) - place(i));
  const usual = [...gaps].sort((a, b) => a - b)[Math.floor((gaps.length - 1) / 2)] ?? 1;
  const same = (a: number, b: number): boolean => Math.abs(a - b) <= POSITION_TOLERANCE * usual;
  for (const [i, gap] of gaps.entries()) {
    const [low, high] = [slices[i], slices[i + 1]];
    if (gap <= POSITION_TOLERANCE * usual) {
      throw foreignFileError(
        name,
        `${low?.file} and ${high?.file} are the same slice, at ${place(i)} mm; allowed: each slice once`,
      );
    }
    // Scanners may use another spacing for a part of the body. A single wider gap means that a slice is missing.
    const repeated = [gaps[i - 1], gaps[i + 1]].some((next) => next !== undefined && same(next, gap));
    if (!same(gap, usual) && !repeated) {
      throw foreignFileError(
        name,
        `slices are missing between ${low?.file} at ${place(i)} mm and ${high?.file} at ${place(i + 1)} mm; allowed: ${usual} mm apart, like the others`,
      );
    }
  }
  return gaps.every((gap) => same(gap, usual)) ? usual : null;
}

/** Reorders the rows and columns of a slice so that positions increase along the patient's axes. */
function orderAscending(values: Float32Array, { columns, rows, way }: DicomSlice): Float32Array {
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

/** Notes on a series, each with the number of slices to which it applies. */
function notesOf(slices: readonly ListedSeries[]): readonly string[] {
  const counts = Map.groupBy(
    slices.flatMap((one) => one.notes),
    (note) => note,
  );
  const mixed = Object.keys(slices[0]?.settings ?? {}).flatMap((name) => {
    const values = [...new Set(slices.map(({ settings }) => settings[name] ?? ''))];
    return values.length > 1 ? [`Its slices differ in ${name}: ${values.slice(0, 6).join(', ')}.`] : [];
  });
  const facts = [...counts].map(([note, all]) => `${all.length} of ${slices.length} slices: ${note}.`);
  return [...facts, ...mixed];
}

async function seriesSlice(
  folder: string,
  { slices, notes: before }: CtSeries,
  { name, plane, at_mm }: CtRequest,
): Promise<CtSlice> {
  throwIfGridsDiffer(name, slices);
  const sorted = [...slices].sort((a, b) => slicePosition_mm(a) - slicePosition_mm(b));
  const [first] = sorted;
  if (first === undefined) throw foreignFileError(name, 'it contains no slice');
  const { columns, rows, spacing_mm, axes, way } = first;
  const [u, v, across] = axes;
  const places = sorted.map(slicePosition_mm);
  const apart = sliceSpacing(name, sorted);
  const isOwn = axesOf[plane][2] === across;
  if (apart === null && !isOwn) {
    const own = planes.find((one) => axesOf[one][2] === across);
    throw foreignFileError(
      name,
      `its slices are not equally spaced (${places.join(', ')} mm); allowed: one spacing, or the ${own} plane`,
    );
  }
  /** Puts the values for columns, rows and slices into the order of the patient's axes x, y, z. */
  const byAxis = <T>(ofColumns: T, ofRows: T, ofSlices: T): readonly T[] =>
    [0, 1, 2].map((axis) => (axis === u ? ofColumns : axis === v ? ofRows : ofSlices));
  const startOf = (i: 0 | 1, count: number): number => {
    const start = first.position_mm[axes[i]] ?? 0;
    return way[i] === 1 ? start : start - (count - 1) * spacing_mm[i];
  };
  const notes = [...before, ...notesOf(slices)];
  let [padded, all] = [0, 0];
  let padding = '';
  const pixels = async (index: number): Promise<Float32Array> => {
    const file = sorted[index]?.file ?? '';
    const found = readDicomPixels(`${name}/${file}`, await readFile(path.join(folder, file)));
    padded += found.padded;
    all += found.hu.length;
    padding = [...new Set(found.padding ?? [])].join(' to ');
    return orderAscending(found.hu, first);
  };
  // A plane parallel to the slices needs one file; other planes need all files.
  const wanted = isOwn ? nearestSlice(name, places, at_mm, apart ?? 1) : null;
  const read: Float32Array[] = [];
  for (let i = 0; i < sorted.length; i += 1)
    read.push(wanted === null || wanted === i ? await pixels(i) : new Float32Array(0));
  if (padded > 0) {
    notes.push(
      `${padded} of ${all} pixels have the stored value ${padding}, which the file declares as padding: they are treated as air.`,
    );
  }
  const box: CtVolume = {
    frame: first.frame,
    sizes: byAxis(columns, rows, sorted.length),
    spacing_mm: byAxis(...spacing_mm, apart ?? 1),
    places: { axis: across, all: places },
    notes,
    origin_mm: byAxis(startOf(0, columns), startOf(1, rows), places[0] ?? 0),
    value: (at) => read[at[across] ?? 0]?.[(at[v] ?? 0) * columns + (at[u] ?? 0)] ?? 0,
  };
  return extractSlice(name, box, plane, at_mm);
}

/** Reads a slice. Throws BraggError `foreign-file`, whose message states the issue and the allowed values. */
export async function readCtSlice(asked: CtRequest): Promise<CtSlice> {
  const { path: where, name, series, plane, at_mm } = asked;
  const found = await stat(where).catch(() => null);
  if (found === null) throw foreignFileError(name, 'it cannot be found');
  if (found.isDirectory()) return seriesSlice(where, await readSeries(where, name, series), asked);
  if (!found.isFile()) throw foreignFileError(name, 'it is neither a file nor a folder');
  if (found.size > MAX_VOLUME_BYTES) throw tooLargeError(name, found.size, MAX_VOLUME_BYTES);
  const bytes = await readFile(where);
  const header = volumeHeader(name, bytes);
  if (header !== null) {
    if (series !== null)
      throw foreignFileError(name, `it has no series "${series}"; allowed: geometry.ct.series only for DICOM`);
    return extractSlice(name, toCtVolume(name, await readVolumeFile(name, where, bytes, header)), plane, at_mm);
  }
  const other = identifyOtherFormat(bytes);
  if (other !== null && !isDicom(bytes))
    throw foreignFileError(name, `it is ${other}; allowed: DICOM, NRRD or MetaImage`);
  const slice = { ...readDicomHeader(name, bytes), file: path.basename(where) };
  if (series !== null) findRequestedSeries(name, [slice], series);
  return seriesSlice(path.dirname(where), { slices: [slice], notes: [] }, { ...asked, name: path.dirname(name) });
}
