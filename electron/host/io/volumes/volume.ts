/**
 * Volumes: values on an equally spaced grid. A header of any format states the layout and type of the data, and the
 * directions of the axes. A volume always has its axes along the patient's +x (left), +y (back) and +z (head), in mm.
 */

import { gunzipSync, inflateSync } from 'node:zlib';
import { BraggError, messageOf } from '../../../contract/errors.ts';
import { foreignFileError } from '../../../domain/header-fields.ts';
import { parseDecimal } from '../../../domain/values/csv.ts';

export interface Volume {
  /** Number of cells along x, y and z; for a plane, along its two axes. Values are contiguous along the first axis. */
  readonly sizes: readonly number[];
  readonly spacing_mm: readonly number[];
  /** Position of the centre of the first cell. */
  readonly origin_mm: readonly number[];
  readonly values: Float64Array;
  /** Unit of the values, if the file states one. */
  readonly unit?: string;
  /** Notes on the file that the user must know. */
  readonly notes?: readonly string[];
}

const numberTypes = {
  int8: [1, (view, at) => view.getInt8(at)],
  uint8: [1, (view, at) => view.getUint8(at)],
  int16: [2, (view, at, little) => view.getInt16(at, little)],
  uint16: [2, (view, at, little) => view.getUint16(at, little)],
  int32: [4, (view, at, little) => view.getInt32(at, little)],
  uint32: [4, (view, at, little) => view.getUint32(at, little)],
  float32: [4, (view, at, little) => view.getFloat32(at, little)],
  float64: [8, (view, at, little) => view.getFloat64(at, little)],
} as const satisfies Readonly<
  Record<string, readonly [bytes: number, read: (view: DataView, at: number, little: boolean) => number]>
>;
export type NumberType = keyof typeof numberTypes;
export const bytesPer = (type: NumberType): number => numberTypes[type][0];

/**
 * Maximum number of values, enough for a treatment plan with a resolution of 0.5 mm. Memory must hold two copies of
 * them.
 */
const MAX_VALUES = 2e8;
const MAX_AXES = 3;

export interface VolumeHeader {
  /** Number of cells along each axis of the file. Values are contiguous along the first axis. */
  readonly sizes: readonly number[];
  readonly type: NumberType;
  readonly little: boolean;
  readonly encoding: 'raw' | 'zlib' | 'gzip' | 'text';
  /** Names of the data files, which contain equal parts in this order. Null if the data follows the header. */
  readonly dataFiles: readonly string[] | null;
  /** Offset of the first byte after the header. */
  readonly end: number;
  /** Number of lines to skip at the start of each data file, before decompression. */
  readonly skipLines: number;
  /**
   * Number of bytes to skip at the start of each data file, after decompression; -1 if the data is at the end of the
   * file.
   */
  readonly skipBytes: number;
  /** Size of the compressed data if the header states it; null if not, or for several files. */
  readonly packedBytes: number | null;
  /** Vector from one cell to the next along each axis of the file, in patient coordinates, mm. */
  readonly steps_mm: readonly (readonly number[])[];
  /** Centre of the first cell in patient coordinates, mm. */
  readonly origin_mm: readonly number[];
  readonly unit: string | null;
  /** Notes on the header that the user must know. */
  readonly notes: readonly string[];
}

/** Number of values in a grid. Throws for invalid sizes. */
export function valueCount(file: string, sizes: readonly number[]): number {
  if (sizes.length < 2 || sizes.length > MAX_AXES) {
    throw foreignFileError(file, `it has ${sizes.length} axes; allowed: 2 or ${MAX_AXES}`);
  }
  const wrong = sizes.find((size) => !Number.isSafeInteger(size) || size < 1);
  if (wrong !== undefined) throw foreignFileError(file, `a size is ${wrong}; allowed: whole numbers of at least 1`);
  const values = sizes.reduce((a, b) => a * b, 1);
  if (values > MAX_VALUES) throw foreignFileError(file, `it has ${values} values; allowed: ${MAX_VALUES}`);
  return values;
}

function bytesAfterLines(file: string, bytes: Uint8Array, lines: number): Uint8Array {
  let from = 0;
  for (let i = 0; i < lines; i += 1) {
    const end = bytes.indexOf(0x0a, from);
    if (end < 0) throw foreignFileError(file, `${lines} lines should be skipped, but its data has only ${i}`);
    from = end + 1;
  }
  return bytes.subarray(from);
}

interface UnpackResult {
  readonly buffer: Uint8Array;
  readonly engine: { readonly bytesWritten: number };
}

/** MetaIO writes compressed data as zlib, but also reads gzip. */
const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** Decompresses at most `limit` bytes, so that a small file cannot fill the memory. */
function unpackBytes(file: string, encoding: 'zlib' | 'gzip', bytes: Uint8Array, limit: number): Uint8Array {
  try {
    const unpack = encoding === 'zlib' && !isGzip(bytes) ? inflateSync : gunzipSync;
    const options = { maxOutputLength: limit, info: true } as const;
    // With the option `info` the result is an object, but Node's type declarations state only a Buffer.
    const found = unpack(bytes, options) as unknown as UnpackResult;
    const read = found.engine.bytesWritten;
    if (read === bytes.length) return found.buffer;
    throw foreignFileError(file, `its compressed data ends at byte ${read}, but the section has ${bytes.length} bytes`);
  } catch (error) {
    if (error instanceof BraggError) throw error;
    if (error instanceof RangeError)
      throw foreignFileError(file, `its data decompresses to more than the ${limit} bytes specified`);
    throw foreignFileError(file, `its data cannot be decompressed: ${messageOf(error)}`);
  }
}

/** Smallest and largest value of each integer type. */
const integerRanges: Readonly<Partial<Record<NumberType, readonly [number, number]>>> = {
  ...{ int8: [-(2 ** 7), 2 ** 7 - 1], uint8: [0, 2 ** 8 - 1] },
  ...{ int16: [-(2 ** 15), 2 ** 15 - 1], uint16: [0, 2 ** 16 - 1] },
  ...{ int32: [-(2 ** 31), 2 ** 31 - 1], uint32: [0, 2 ** 32 - 1] },
};

/**
 * Maximum number of characters of a number in text; a double needs at most a sign, 17 digits, a point and an exponent.
 */
const LONGEST_NUMBER = 32;

function parseTextValues(file: string, bytes: Uint8Array, count: number, type: NumberType): Float64Array {
  if (bytes.length > count * LONGEST_NUMBER) {
    throw foreignFileError(
      file,
      `its text has ${bytes.length} bytes; allowed: ${LONGEST_NUMBER} for each of ${count} values`,
    );
  }
  // Values are separated by white space only, because a comma may be a decimal comma.
  const words = (new TextDecoder('latin1').decode(bytes).match(/\S+/g) ?? [])
    .map((word) => word.replaceAll(/^,+|,+$/g, ''))
    .filter((word) => word !== '');
  const comma = words.find((word) => word.includes(','));
  if (comma !== undefined) {
    throw foreignFileError(
      file,
      `its data has ${comma.slice(0, 40)}; allowed: decimal points, and spaces between values`,
    );
  }
  if (words.length !== count)
    throw foreignFileError(file, `its data has ${words.length} values, but ${count} are specified`);
  const values = Float64Array.from(words, parseDecimal);
  const [low, high] = integerRanges[type] ?? [-Number.MAX_VALUE, Number.MAX_VALUE];
  const wrong = values.findIndex(
    (value) => !(value >= low && value <= high) || (integerRanges[type] !== undefined && !Number.isInteger(value)),
  );
  if (wrong < 0) return values;
  throw foreignFileError(file, `value ${wrong + 1} is ${words[wrong]}; allowed: numbers of ${type}`);
}

/** Values in one data file. Throws unless the file has the size that the header implies. */
function decodePart(file: string, header: VolumeHeader, data: Uint8Array, count: number): Float64Array {
  const { type, little, encoding, skipLines, skipBytes, packedBytes } = header;
  const [size, read] = numberTypes[type];
  const wanted = count * size;
  if (packedBytes !== null && packedBytes !== data.length) {
    throw foreignFileError(file, `its compressed data has ${data.length} bytes, but ${packedBytes} are specified`);
  }
  let bytes = bytesAfterLines(file, data, skipLines);
  // The number of skipped bytes is limited too, because a header may state any number.
  if (skipBytes > wanted + 2 ** 20) {
    throw foreignFileError(file, `${skipBytes} bytes should be skipped; allowed: at most ${wanted + 2 ** 20}`);
  }
  if (encoding === 'zlib' || encoding === 'gzip') {
    bytes = unpackBytes(file, encoding, bytes, skipBytes < 0 ? 2 * wanted + 2 ** 20 : skipBytes + wanted);
  }
  if (skipBytes < 0 && bytes.length > wanted) bytes = bytes.subarray(bytes.length - wanted);
  else if (skipBytes > 0) bytes = bytes.subarray(skipBytes);
  if (encoding === 'text') return parseTextValues(file, bytes, count, type);
  if (bytes.length !== wanted) {
    const how = bytes.length < wanted ? 'it is truncated' : 'its type or sizes differ';
    throw foreignFileError(file, `its data has ${bytes.length} bytes, but ${wanted} are specified: ${how}`);
  }
  const values = new Float64Array(count);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let i = 0; i < count; i += 1) values[i] = read(view, i * size, little);
  return values;
}

/** Values of a grid, whose data files contain equal parts. Throws for values that are not finite. */
function decodeValues(file: string, header: VolumeHeader, parts: readonly Uint8Array[]): Float64Array {
  const count = valueCount(file, header.sizes);
  const each = count / parts.length;
  const [only] = parts;
  const values =
    only !== undefined && parts.length === 1 ? decodePart(file, header, only, count) : new Float64Array(count);
  for (const [i, part] of parts.length === 1 ? [] : parts.entries()) {
    values.set(decodePart(`${file}: ${header.dataFiles?.[i]}`, header, part, each), i * each);
  }
  const wrong = values.findIndex((value) => !Number.isFinite(value));
  if (wrong >= 0) throw foreignFileError(file, `value ${wrong + 1} is ${values[wrong]}; allowed: finite numbers`);
  return values;
}

/** Tolerance for direction cosines, which DICOM files contain in rounded form. */
const AXIS_TOLERANCE = 1e-3;

/** Patient axis parallel to a vector, and the sign of its direction. Null if the vector is oblique. */
export function parallelAxis(step: readonly number[]): { readonly axis: number; readonly way: 1 | -1 } | null {
  const length = Math.hypot(...step);
  const axis = step.findIndex((part) => Math.abs(Math.abs(part) / length - 1) < AXIS_TOLERANCE);
  const straight = axis >= 0 && step.every((part, i) => i === axis || Math.abs(part) / length < AXIS_TOLERANCE);
  return straight ? { axis, way: (step[axis] ?? 0) > 0 ? 1 : -1 } : null;
}

const degrees = (cosine: number): number => (Math.acos(Math.min(1, cosine)) * 180) / Math.PI;

/**
 * Reason why axes cannot be aligned with the patient's: the angle between them, or the angle to the nearest patient
 * axis.
 */
export function obliqueAxesReason(steps: readonly (readonly number[])[]): string {
  const none = steps.findIndex((step) => Math.hypot(...step) === 0);
  if (none >= 0)
    return `its axis ${none + 1} has the direction ${steps[none]?.join(', ')}; allowed: a vector longer than 0`;
  const units = steps.map((step) => step.map((part) => part / Math.hypot(...step)));
  const cosine = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
  for (const [i, one] of units.entries()) {
    for (const [k, other] of units.entries()) {
      const apart = Math.abs(cosine(one, other));
      if (k > i && apart > 2 * AXIS_TOLERANCE) {
        return `its axes ${i + 1} and ${k + 1} are at an angle of ${degrees(apart).toFixed(1)}°; allowed: right angles`;
      }
    }
  }
  const most = Math.max(...units.map((unit) => degrees(Math.max(...unit.map(Math.abs)))));
  const allowed = degrees(Math.cos(AXIS_TOLERANCE)).toFixed(2);
  return `its axes are rotated by ${most.toFixed(1)}° from those of the patient; allowed: up to ${allowed}°. Resample it along the axes of the patient first, for example with 3D Slicer or plastimatch`;
}

interface Grid {
  readonly sizes: readonly number[];
  readonly steps_mm: readonly (readonly number[])[];
  readonly origin_mm: readonly number[];
}

/** Reorders values so that positions increase along the patient's axes. Throws for oblique axes, with their angle. */
export function alignedToAxes(file: string, { sizes, steps_mm, origin_mm }: Grid, values: Float64Array): Volume {
  const axes = sizes.length;
  const ways = steps_mm.map((step) => {
    const found = parallelAxis(step);
    if (found !== null) return found;
    throw foreignFileError(file, obliqueAxesReason(steps_mm));
  });
  const from = Array.from({ length: axes }, (_, axis) => ways.findIndex((way) => way.axis === axis));
  if (from.includes(-1)) throw foreignFileError(file, `two of its axes are along the same patient axis`);
  const size = from.map((own) => sizes[own] ?? 1);
  const spacing_mm = from.map((own) => Math.hypot(...(steps_mm[own] ?? [])));
  const way = from.map((own) => ways[own]?.way ?? 1);
  const origin = from.map((_, axis) => {
    const start = origin_mm[axis] ?? 0;
    return way[axis] === 1 ? start : start - ((size[axis] ?? 1) - 1) * (spacing_mm[axis] ?? 1);
  });
  const grid = { sizes: size, spacing_mm, origin_mm: origin };
  if (from.every((own, axis) => own === axis) && way.every((one) => one === 1)) return { ...grid, values };
  const strides = sizes.map((_, own) => sizes.slice(0, own).reduce((a, b) => a * b, 1));
  const stride = from.map((own, axis) => (strides[own] ?? 1) * (way[axis] ?? 1));
  const first = stride.reduce((sum, step, axis) => sum + (step < 0 ? -step * ((size[axis] ?? 1) - 1) : 0), 0);
  const [nx = 1, ny = 1, nz = 1] = size;
  const [dx = 1, dy = 1, dz = 1] = stride;
  const turned = new Float64Array(values.length);
  let to = 0;
  for (let z = 0; z < nz; z += 1) {
    for (let y = 0; y < ny; y += 1) {
      for (let x = 0; x < nx; x += 1) {
        turned[to] = values[first + z * dz + y * dy + x * dx] ?? 0;
        to += 1;
      }
    }
  }
  return { ...grid, values: turned };
}

/**
 * Decodes a volume. `parts`: contents of the data files, or the bytes after the header. Throws BraggError
 * `foreign-file`.
 */
export function decodeVolume(file: string, header: VolumeHeader, parts: readonly Uint8Array[]): Volume {
  const { unit, notes } = header;
  return {
    ...alignedToAxes(file, header, decodeValues(file, header, parts)),
    ...(unit === null ? {} : { unit }),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

/** Parses a header line that contains `count` numbers. */
export function parseNumbers(file: string, name: string, text: string, count: number): readonly number[] {
  const numbers = text
    .trim()
    .split(text.includes('(') ? /[\s,()]+/ : /\s+/)
    .filter((part) => part !== '')
    .map(parseDecimal);
  if (numbers.length !== count || numbers.some((value) => !Number.isFinite(value))) {
    throw foreignFileError(
      file,
      `${name} is ${JSON.stringify(text.slice(0, 60))}; allowed: ${count === 1 ? 'a number' : `${count} numbers`}`,
    );
  }
  return numbers;
}

export function parseIntegers(file: string, name: string, text: string, least: number): number {
  const [value = 0] = parseNumbers(file, name, text, 1);
  if (!Number.isSafeInteger(value) || value < least) {
    throw foreignFileError(file, `${name} is ${text}; allowed: whole numbers of at least ${least}`);
  }
  return value;
}

export function requirePositive(file: string, name: string, values: readonly number[]): readonly number[] {
  const wrong = values.find((value) => !(value > 0));
  if (wrong !== undefined) throw foreignFileError(file, `${name} has ${wrong}; allowed: lengths above 0 mm`);
  return values;
}

/** Factors to millimetres, by the names of units in headers. */
const lengthUnits: Readonly<Record<string, number>> = {
  ...{ mm: 1, millimeter: 1, millimeters: 1, millimetre: 1, millimetres: 1 },
  ...{ cm: 10, centimeter: 10, centimeters: 10, m: 1000, meter: 1000, meters: 1000 },
  ...{ um: 1e-3, µm: 1e-3, micron: 1e-3, microns: 1e-3, micrometer: 1e-3, micrometers: 1e-3 },
};

export function millimetresIn(file: string, name: string, unit: string): number {
  const found = lengthUnits[unit.toLowerCase()];
  if (found === undefined) throw foreignFileError(file, `${name} is ${unit}; allowed: mm, cm, m, um`);
  return found;
}
