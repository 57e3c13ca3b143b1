/**
 * Reads slices of CT series, and doses (RT Dose), from DICOM files with the package dicom-parser. Reads no data about
 * the patient. Tags, names and meanings: parts 3, 5 and 6 of the DICOM standard.
 */

import { inflateRawSync } from 'node:zlib';
import dicom, { type DataSet } from 'dicom-parser';
import { messageOf } from '../../../contract/errors.ts';
import { foreignFileError } from '../../../domain/header-fields.ts';
import { parseDecimal } from '../../../domain/values/csv.ts';
import {
  type Attribute,
  checkAttributes,
  ctAttributes,
  doseAttributes,
  imageAttributes,
  notesOfCt,
} from './dicom-attributes.ts';
import { type PixelEncoding, type PixelFormat, storedValue, storedValues } from './dicom-pixels.ts';
import { alignedToAxes, obliqueAxesReason, parallelAxis, type Volume, valueCount } from './volume.ts';

interface TransferSyntax {
  readonly little: boolean;
  readonly packing: PixelEncoding;
}
const uncompressedSyntax: TransferSyntax = { little: true, packing: 'none' };

/** Supported transfer syntaxes, by identifier: part 5, sections 8 and 10. */
const transferSyntaxes: Readonly<Record<string, TransferSyntax>> = {
  '1.2.840.10008.1.2': uncompressedSyntax,
  '1.2.840.10008.1.2.1': uncompressedSyntax,
  '1.2.840.10008.1.2.1.99': uncompressedSyntax,
  '1.2.840.10008.1.2.2': { little: false, packing: 'none' },
  '1.2.840.10008.1.2.5': { little: true, packing: 'rle' },
  '1.2.840.10008.1.2.4.57': { little: true, packing: 'jpeg-lossless' },
  '1.2.840.10008.1.2.4.70': { little: true, packing: 'jpeg-lossless' },
};

/** Names of unsupported transfer syntaxes, by the beginning of their identifiers: part 6, table A-1. */
const unsupportedSyntaxes: Readonly<Record<string, string>> = {
  '1.2.840.10008.1.2.4.10': 'MPEG',
  '1.2.840.10008.1.2.4.11': 'JPEG XL',
  '1.2.840.10008.1.2.4.20': 'High-Throughput JPEG 2000',
  '1.2.840.10008.1.2.4.5': 'lossy JPEG',
  '1.2.840.10008.1.2.4.8': 'JPEG-LS',
  '1.2.840.10008.1.2.4.9': 'JPEG 2000',
  '1.2.840.10008.1.2.1.98': 'encapsulated uncompressed',
};

export interface DicomSlice {
  readonly series: string;
  /** FrameOfReferenceUID, which identifies the coordinate system of the positions. Empty if the file states none. */
  readonly frame: string;
  readonly description: string;
  /** Third value of ImageType, such as AXIAL or LOCALIZER. */
  readonly imageType: string;
  readonly columns: number;
  readonly rows: number;
  /** Distance between the columns and distance between the rows, mm. */
  readonly spacing_mm: readonly [number, number];
  /** Centre of the first pixel of the first row, in patient coordinates: left, back, head. */
  readonly position_mm: readonly [number, number, number];
  /** Patient axes (0 to 2) along which the column index, the row index and the slice index increase. */
  readonly axes: readonly [columns: number, rows: number, slices: number];
  /** Sign of the direction of the columns and of the rows along their axes: 1 or -1. */
  readonly way: readonly [number, number];
  /** Notes on properties that change the meaning of the Hounsfield units. */
  readonly notes: readonly string[];
  /** Values of the attributes in SETTINGS, which must be the same in all slices of a scan, by keyword. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Attributes that are constant within a scan; different values mean that the files are from several scans. */
const SETTINGS = ['AcquisitionNumber', 'TemporalPositionIdentifier', 'KVP', 'ConvolutionKernel'] as const;

const MAGIC = 'DICM';
const MAGIC_OFFSET = 128;
const latin1 = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes);

export const isDicom = (bytes: Uint8Array): boolean =>
  latin1(bytes.subarray(MAGIC_OFFSET, MAGIC_OFFSET + MAGIC.length)) === MAGIC ||
  startsWithMeta(bytes) ||
  isBareDataSet(bytes);

/**
 * Whether a file without preamble begins with file meta information: group 2, element 0 or 1, with an explicit type.
 */
const startsWithMeta = (bytes: Uint8Array): boolean =>
  bytes[0] === 2 && bytes[1] === 0 && bytes[3] === 0 && /^(UL|OB)$/.test(latin1(bytes.subarray(4, 6)));

/**
 * Whether a file is a bare data set, without file meta information. Its first element then is in group 8, which
 * describes the study.
 */
const isBareDataSet = (bytes: Uint8Array): boolean =>
  bytes.length >= 8 && bytes[0] === 8 && bytes[1] === 0 && bytes[3] === 0 && (hasExplicitType(bytes) || bytes[7] === 0);

/** Whether the first element states its type (explicit VR). With implicit VR these bytes are its length. */
const hasExplicitType = (bytes: Uint8Array): boolean => /^[A-Z]{2}$/.test(latin1(bytes.subarray(4, 6)));

/** Preamble and minimal file meta information to put in front of a bare data set. */
function metaHeaderFor(bytes: Uint8Array): Uint8Array {
  const syntax = hasExplicitType(bytes) ? '1.2.840.10008.1.2.1\0' : '1.2.840.10008.1.2\0';
  const element = Buffer.concat([Buffer.from([2, 0, 0x10, 0, 0x55, 0x49, syntax.length, 0]), Buffer.from(syntax)]);
  const length = Buffer.from([2, 0, 0, 0, 0x55, 0x4c, 4, 0, element.length, 0, 0, 0]);
  return Buffer.concat([new Uint8Array(MAGIC_OFFSET), Buffer.from(MAGIC), length, element]);
}

/** Maximum size of a deflated file after inflation. */
const MAX_BYTES = 2 ** 29;

function inflate(bytes: Uint8Array, position: number): Uint8Array {
  const rest = inflateRawSync(bytes.subarray(position), { maxOutputLength: MAX_BYTES });
  const all = new Uint8Array(position + rest.length);
  all.set(bytes.subarray(0, position));
  all.set(rest, position);
  return all;
}

function parseBytes(file: string, bytes: Uint8Array): DataSet {
  if (!isDicom(bytes)) {
    throw foreignFileError(file, 'it is not a DICOM file: neither DICM at byte 128 nor a data set at byte 0');
  }
  const before = startsWithMeta(bytes)
    ? Buffer.concat([new Uint8Array(MAGIC_OFFSET), Buffer.from(MAGIC)])
    : isBareDataSet(bytes)
      ? metaHeaderFor(bytes)
      : null;
  const whole = before === null ? bytes : Uint8Array.from(Buffer.concat([before, bytes]));
  try {
    return dicom.parseDicom(whole, { inflater: inflate } as dicom.ParseDicomOptions);
  } catch (error) {
    // The DICOM library throws strings, errors, and objects that contain an error.
    const inner: unknown = (error as { readonly exception?: unknown } | null)?.exception ?? error;
    const message = messageOf(inner);
    if (/0002,0010/.test(message)) throw foreignFileError(file, 'it has no transfer syntax (0002,0010)');
    throw foreignFileError(file, `it is truncated or damaged: ${message.replace(/^dicomParser\.?\w*: /, '')}`);
  }
}

function numbersAt(file: string, data: DataSet, { tag }: Attribute, name: string, count: number | null) {
  const text = data.string(tag);
  if (text === undefined) throw foreignFileError(file, `it has no ${name}`);
  const numbers = text.split('\\').map((part) => parseDecimal(part.trim()));
  if ((count !== null && numbers.length !== count) || numbers.some((value) => !Number.isFinite(value))) {
    const several = `${count === null ? '' : `${count} `}numbers with decimal points`;
    const allowed = count === 1 ? 'a number with a decimal point' : several;
    throw foreignFileError(file, `${name} is ${JSON.stringify(text.slice(0, 80))}; allowed: ${allowed}`);
  }
  return numbers;
}

interface ParsedDicom {
  readonly data: DataSet;
  readonly syntax: TransferSyntax;
}

function parseDicom(file: string, bytes: Uint8Array): ParsedDicom {
  const data = parseBytes(file, bytes);
  const uid = data.string('x00020010') ?? '';
  const syntax = transferSyntaxes[uid];
  if (syntax !== undefined) return { data, syntax };
  const name = Object.entries(unsupportedSyntaxes).find(([start]) => uid.startsWith(start))?.[1];
  const is = uid === '' ? 'missing' : name === undefined ? uid : `${name} (${uid})`;
  throw foreignFileError(
    file,
    `its transfer syntax is ${is}; allowed: uncompressed, deflated, RLE, lossless JPEG (as written by gdcmconv --raw)`,
  );
}

/** Pixel format, spacing, orientation and position of the first frame. */
function readImageFormat(file: string, data: DataSet, allocatable: readonly number[], mostFrames: number) {
  const a = imageAttributes;
  const numberOf = (
    name: 'SamplesPerPixel' | 'Rows' | 'Columns' | 'BitsAllocated' | 'BitsStored' | 'HighBit' | 'PixelRepresentation',
  ) => {
    const value = data.uint16(a[name].tag);
    if (value === undefined) throw foreignFileError(file, `it has no ${name}`);
    return value;
  };
  // The number of frames is checked first, because multi-frame files state the other attributes for each frame.
  const frames = Number(data.string(a.NumberOfFrames.tag) ?? '1');
  if (!Number.isInteger(frames) || frames < 1 || frames > mostFrames) {
    const allowed = mostFrames === 1 ? '1: one file per slice, not multi-frame CT' : '1 and more';
    throw foreignFileError(file, `NumberOfFrames is ${frames}; allowed: ${allowed}`);
  }
  numberOf('SamplesPerPixel');
  const [rows, columns, allocated] = [numberOf('Rows'), numberOf('Columns'), numberOf('BitsAllocated')];
  if (!(rows >= 1) || !(columns >= 1)) {
    throw foreignFileError(file, `it has ${rows} rows and ${columns} columns; allowed: at least 1`);
  }
  if (!allocatable.includes(allocated)) {
    throw foreignFileError(file, `BitsAllocated is ${allocated}; allowed: ${allocatable.join(', ')}`);
  }
  const [stored, high] = [numberOf('BitsStored'), numberOf('HighBit')];
  if (stored < 1 || stored > allocated)
    throw foreignFileError(file, `BitsStored is ${stored}; allowed: 1 to ${allocated}`);
  if (high !== stored - 1)
    throw foreignFileError(file, `HighBit is ${high}; allowed: ${stored - 1}, one less than BitsStored`);
  const signed = numberOf('PixelRepresentation') === 1;
  const [between_rows = 0, between_columns = 0] = numbersAt(file, data, a.PixelSpacing, 'PixelSpacing', 2);
  if (!(between_rows > 0) || !(between_columns > 0)) {
    throw foreignFileError(file, `PixelSpacing is ${between_rows}, ${between_columns}; allowed: lengths above 0 mm`);
  }
  const format: PixelFormat = { rows, columns, frames, allocated: allocated as 16 | 32, stored, signed };
  return {
    format,
    spacing_mm: [between_columns, between_rows] as const,
    orientation: numbersAt(file, data, a.ImageOrientationPatient, 'ImageOrientationPatient', 6),
    position_mm: numbersAt(file, data, a.ImagePositionPatient, 'ImagePositionPatient', 3),
  };
}

/** Modality of the file, such as CT; empty if the file states none. */
export const dicomModality = (file: string, bytes: Uint8Array): string =>
  parseBytes(file, bytes).string(imageAttributes.Modality.tag)?.trim() ?? '';

export const dicomSeries = (file: string, bytes: Uint8Array): string =>
  parseBytes(file, bytes).string(ctAttributes.SeriesInstanceUID.tag)?.trim() ?? '';

interface CtFile extends DicomSlice {
  readonly parsed: ParsedDicom;
  readonly format: PixelFormat;
}

function readCtFile(file: string, bytes: Uint8Array): CtFile {
  const found = parseDicom(file, bytes);
  const { data } = found;
  const modality = data.string(ctAttributes.Modality.tag)?.trim();
  if (modality !== 'CT') throw foreignFileError(file, `Modality is ${modality ?? 'missing'}; allowed: CT`);
  checkAttributes(file, data, ctAttributes);
  const { format, spacing_mm, orientation, position_mm } = readImageFormat(file, data, [16], 1);
  const [row, column] = [parallelAxis(orientation.slice(0, 3)), parallelAxis(orientation.slice(3))];
  if (row === null || column === null) {
    throw foreignFileError(file, obliqueAxesReason([orientation.slice(0, 3), orientation.slice(3)]));
  }
  if (row.axis === column.axis) {
    const allowed = 'rows and columns along two axes of the patient';
    throw foreignFileError(file, `ImageOrientationPatient is ${orientation.join(', ')}; allowed: ${allowed}`);
  }
  const [x = 0, y = 0, z = 0] = position_mm;
  return {
    series: data.string(ctAttributes.SeriesInstanceUID.tag)?.trim() ?? '',
    frame: data.string(ctAttributes.FrameOfReferenceUID.tag)?.trim() ?? '',
    description: data.string(ctAttributes.SeriesDescription.tag) ?? '',
    imageType: imageTypeOf(data),
    ...{ columns: format.columns, rows: format.rows, spacing_mm },
    position_mm: [x, y, z],
    axes: [row.axis, column.axis, 3 - row.axis - column.axis],
    way: [row.way, column.way],
    notes: notesOfCt(file, data),
    settings: Object.fromEntries(SETTINGS.map((name) => [name, data.string(ctAttributes[name].tag)?.trim() ?? ''])),
    ...{ parsed: found, format },
  };
}

const imageTypeOf = (data: DataSet): string =>
  (data.string(ctAttributes.ImageType.tag)?.split('\\')[2] ?? '').trim().toUpperCase();

/** Whether a file is a localizer: a survey view that scanners store with a series, but not a slice of it. */
export const isLocalizer = (file: string, bytes: Uint8Array): boolean =>
  imageTypeOf(parseBytes(file, bytes)) === 'LOCALIZER';

/** Reads the header of a CT slice, without its pixels. Throws BraggError `foreign-file`. */
export function readDicomHeader(file: string, bytes: Uint8Array): DicomSlice {
  const { parsed: _, format: __, ...slice } = readCtFile(file, bytes);
  return slice;
}

/** Value of padding pixels. They are outside of the scanner's field of view, where air is assumed. */
const AIR_HU = -1000;

interface CtPixels {
  /** Hounsfield units of the pixels, row by row as stored in the file. */
  readonly hu: Float32Array;
  /** Number of padding pixels. `padding` is the range of stored values that the file declares as padding. */
  readonly padded: number;
  readonly padding: readonly [low: number, high: number] | null;
}

interface Padding {
  readonly range: readonly [low: number, high: number];
  /** Padding values that BitsStored cannot represent, in all allocated bits. */
  readonly raw: readonly number[];
}

/** Padding declared by the file: one value, or a range of values. Part 3, C.7.5.1.1.2. */
function readPadding(file: string, data: DataSet, format: PixelFormat): Padding | null {
  const { PixelPaddingValue: value, PixelPaddingRangeLimit: limit } = ctAttributes;
  const [first, last] = [data.uint16(value.tag), data.uint16(limit.tag)];
  if (first === undefined) {
    if (last !== undefined) throw foreignFileError(file, 'it has PixelPaddingRangeLimit without PixelPaddingValue');
    return null;
  }
  // The padding value may be signed by 16 bits or by BitsStored, depending on the program that wrote it.
  const wide = (raw: number): number => (format.signed && raw >= 2 ** 15 ? raw - 2 ** 16 : raw);
  const [low, high] = format.signed ? [-(2 ** (format.stored - 1)), 2 ** (format.stored - 1)] : [0, 2 ** format.stored];
  const isOutside = (raw: number): boolean => raw >= 2 ** format.stored && (wide(raw) < low || wide(raw) >= high);
  const outside = [first, last ?? first].filter(isOutside);
  if (outside.length > 0 && last !== undefined && last !== first) {
    throw foreignFileError(
      file,
      `its padding is from ${wide(first)} to ${wide(last)}; allowed: ${low} to ${high - 1}, because BitsStored is ${format.stored}`,
    );
  }
  const asPixel = (raw: number): number => (isOutside(raw) ? wide(raw) : storedValue(raw, format));
  const ends = [asPixel(first), asPixel(last ?? first)].sort((a, b) => a - b);
  return { range: [ends[0] ?? 0, ends[1] ?? 0], raw: outside };
}

/** Reads the pixels of a CT slice and converts them to Hounsfield units. Throws BraggError `foreign-file`. */
export function readDicomPixels(file: string, bytes: Uint8Array): CtPixels {
  const { parsed: found, format } = readCtFile(file, bytes);
  const { data, syntax } = found;
  const [slope = 0] = numbersAt(file, data, ctAttributes.RescaleSlope, 'RescaleSlope', 1);
  const [intercept = 0] = numbersAt(file, data, ctAttributes.RescaleIntercept, 'RescaleIntercept', 1);
  if (slope === 0) throw foreignFileError(file, 'RescaleSlope is 0; allowed: any other number');
  const padding = readPadding(file, data, format);
  const stored = storedValues(file, data, format, syntax, padding?.raw);
  const [low, high] = padding?.range ?? [Number.NaN, Number.NaN];
  const hu = new Float32Array(stored.length);
  let padded = 0;
  for (const [i, value] of stored.entries()) {
    const pad = Number.isNaN(value) || (value >= low && value <= high);
    if (pad) padded += 1;
    hu[i] = pad ? AIR_HU : value * slope + intercept;
  }
  return { hu, padded, padding: padding?.range ?? null };
}

/** Offsets of the frames in mm, along the normal of the image plane and from the first frame: part 3, C.8.8.3.2. */
function frameOffsets(
  file: string,
  data: DataSet,
  frames: number,
  position: readonly number[],
  normal: readonly number[],
) {
  const pointer = data.attributeTag(doseAttributes.FrameIncrementPointer.tag);
  if (pointer !== undefined && pointer !== doseAttributes.GridFrameOffsetVector.tag) {
    throw foreignFileError(file, `FrameIncrementPointer is ${pointer}; allowed: x3004000c, GridFrameOffsetVector`);
  }
  if (frames === 1) return [0];
  const offsets = numbersAt(file, data, doseAttributes.GridFrameOffsetVector, 'GridFrameOffsetVector', null);
  if (offsets.length !== frames) {
    throw foreignFileError(
      file,
      `GridFrameOffsetVector has ${offsets.length} values; allowed: ${frames}, one per frame`,
    );
  }
  const [first = 0] = offsets;
  // Relative offsets start with 0. Absolute ones start with the z of the image position, and are allowed only if the
  // normal is +z.
  const [, , z = 0] = position;
  const isUpwards = (normal[2] ?? 0) > 1 - 1e-3;
  if (first !== 0 && !(isUpwards && Math.abs(first - z) <= 1e-3 * Math.max(1, Math.abs(z)))) {
    const positions = isUpwards
      ? `${z} (positions along z, as ImagePositionPatient)`
      : 'positions along z where ImageOrientationPatient is 1, 0, 0, 0, 1, 0';
    throw foreignFileError(
      file,
      `GridFrameOffsetVector begins with ${first}; allowed: 0 (offsets along the normal of the frames), or ${positions}`,
    );
  }
  return offsets.map((offset) => offset - first);
}

/**
 * Reads the dose of an RT Dose file, in the unit of the file and along the patient's axes. Throws BraggError
 * `foreign-file`.
 */
export function readDicomDose(file: string, bytes: Uint8Array): Volume {
  const { data, syntax } = parseDicom(file, bytes);
  const a = doseAttributes;
  const modality = data.string(a.Modality.tag)?.trim();
  if (modality !== 'RTDOSE') throw foreignFileError(file, `Modality is ${modality ?? 'missing'}; allowed: RTDOSE`);
  checkAttributes(file, data, a);
  if (data.elements['x7fe00010'] === undefined) {
    throw foreignFileError(
      file,
      'it has no PixelData, so it may contain histograms or doses at points; allowed: a grid of doses',
    );
  }
  const { format, spacing_mm, orientation, position_mm } = readImageFormat(
    file,
    data,
    [16, 32],
    Number.POSITIVE_INFINITY,
  );
  const { columns, rows, frames } = format;
  const [scale = 0] = numbersAt(file, data, a.DoseGridScaling, 'DoseGridScaling', 1);
  if (!(scale > 0)) throw foreignFileError(file, `DoseGridScaling is ${scale}; allowed: numbers above 0`);
  const [u, v] = [orientation.slice(0, 3), orientation.slice(3)];
  const cross = (i: number, k: number): number => (u[i] ?? 0) * (v[k] ?? 0) - (u[k] ?? 0) * (v[i] ?? 0);
  const normal = [cross(1, 2), cross(2, 0), cross(0, 1)];
  const offsets = frameOffsets(file, data, frames, position_mm, normal);
  const step = frames === 1 ? 1 : (offsets[1] ?? 0);
  const off = offsets.findIndex((offset, i) => Math.abs(offset - i * step) > 1e-3 * Math.abs(step) || step === 0);
  if (off >= 0)
    throw foreignFileError(
      file,
      `frame ${off + 1} is at ${offsets[off]} mm; allowed: ${off * step} mm, because steps must be equal`,
    );
  valueCount(file, [columns, rows, frames]);
  const stored = storedValues(file, data, format, syntax);
  for (let i = 0; i < stored.length; i += 1) stored[i] = (stored[i] ?? 0) * scale;
  const volume = alignedToAxes(
    file,
    {
      sizes: [columns, rows, frames],
      steps_mm: [
        u.map((part) => part * spacing_mm[0]),
        v.map((part) => part * spacing_mm[1]),
        normal.map((part) => part * step),
      ],
      origin_mm: position_mm,
    },
    stored,
  );
  const units = data.string(a.DoseUnits.tag)?.trim();
  if (units === undefined) throw foreignFileError(file, 'it has no DoseUnits');
  const weighted = data.string(a.DoseType.tag)?.trim() === 'EFFECTIVE' ? ' (RBE)' : '';
  const [part, tissue] = [a.DoseSummationType, a.TissueHeterogeneityCorrection].map(({ tag }) =>
    (data.string(tag) ?? '').trim(),
  );
  const notes = [
    ...(part === '' || part === 'PLAN' ? [] : [`DoseSummationType is ${part}: not the dose of a whole plan`]),
    ...(tissue?.split('\\').includes('WATER') === true
      ? ['TissueHeterogeneityCorrection is WATER: computed as if the patient were water']
      : []),
  ];
  const dose = { ...volume, unit: units === 'GY' ? `Gy${weighted}` : 'relative' };
  return notes.length === 0 ? dose : { ...dose, notes };
}
