/** One slice of a CT series: a DICOM file, read with dicom-parser. What is in it of a patient is not looked at. */
import dicom, { type DataSet } from 'dicom-parser';
import { foreign } from './volume.ts';

/** Uncompressed, by the standard's part 5; others need a decoder. */
const transferSyntaxes: Readonly<Record<string, 'little' | 'big'>> = {
  '1.2.840.10008.1.2': 'little',
  '1.2.840.10008.1.2.1': 'little',
  '1.2.840.10008.1.2.2': 'big',
};

const tag = {
  transferSyntax: 'x00020010',
  modality: 'x00080060',
  series: 'x0020000e',
  position: 'x00200032',
  orientation: 'x00200037',
  samples: 'x00280002',
  frames: 'x00280008',
  rows: 'x00280010',
  columns: 'x00280011',
  spacing: 'x00280030',
  allocated: 'x00280100',
  representation: 'x00280103',
  padding: 'x00280120',
  intercept: 'x00281052',
  slope: 'x00281053',
  rescaleType: 'x00281054',
  pixels: 'x7fe00010',
} as const;

export interface DicomSlice {
  readonly series: string;
  readonly columns: number;
  readonly rows: number;
  /** Between columns and between rows. */
  readonly spacing_mm: readonly [number, number];
  /** Centre of the first pixel of the first row: to the patient's left, to the back, to the head. */
  readonly position_mm: readonly [number, number, number];
  /** Way of the columns in x and of the rows in y: 1 or -1. */
  readonly way: readonly [number, number];
}

/** A slice with what its pixels are read from. */
interface Parsed extends DicomSlice {
  readonly data: DataSet;
  readonly little: boolean;
}

const MARK = 'DICM';
const MARK_AT = 128;

export const isDicom = (bytes: Uint8Array): boolean =>
  new TextDecoder('latin1').decode(bytes.subarray(MARK_AT, MARK_AT + MARK.length)) === MARK;

function parsedBytes(file: string, bytes: Uint8Array): DataSet {
  if (!isDicom(bytes)) throw foreign(file, 'it is no DICOM file: DICM does not stand at byte 128');
  try {
    return dicom.parseDicom(bytes);
  } catch (error) {
    // The library throws strings, errors, and objects that hold an error.
    const inner: unknown = (error as { readonly exception?: unknown } | null)?.exception ?? error;
    const says = inner instanceof Error ? inner.message : String(inner);
    throw foreign(file, `it is cut or damaged: ${says.replace(/^dicomParser\.?\w*: /, '')}`);
  }
}

function numbersAt(file: string, data: DataSet, of: string, name: string, count: number): readonly number[] {
  const text = data.string(of);
  if (text === undefined) throw foreign(file, `it has no ${name}`);
  const numbers = text.split('\\').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (numbers.length !== count || numbers.some((value) => !Number.isFinite(value))) {
    throw foreign(file, `${name} is ${JSON.stringify(text.slice(0, 80))}; allowed: ${count} numbers`);
  }
  return numbers;
}

function need(file: string, name: string, value: unknown, allowed: readonly unknown[]): void {
  if (!allowed.includes(value)) {
    throw foreign(
      file,
      `${name} is ${value === undefined ? 'missing' : String(value)}; allowed: ${allowed.filter((one) => one !== undefined).join(', ')}`,
    );
  }
}

/** Axes that are off by more are oblique. */
const STRAIGHT = 1e-3;

/** Way of an axis of the image along an axis of the patient: 1, -1, or 0 where it goes another way. */
function wayOf(direction: readonly number[], along: number): number {
  const straight = direction.every((value, i) => Math.abs(Math.abs(value) - (i === along ? 1 : 0)) < STRAIGHT);
  return straight ? Math.sign(direction[along] ?? 0) : 0;
}

function parsed(file: string, bytes: Uint8Array): Parsed {
  const data = parsedBytes(file, bytes);
  const syntax = data.string(tag.transferSyntax) ?? '';
  const order = transferSyntaxes[syntax];
  if (order === undefined) {
    throw foreign(
      file,
      `its transfer syntax is ${syntax || 'missing'}; allowed: uncompressed ones, ${Object.keys(transferSyntaxes).join(', ')}`,
    );
  }
  need(file, 'Modality', data.string(tag.modality), ['CT']);
  need(file, 'SamplesPerPixel', data.uint16(tag.samples), [1]);
  need(file, 'BitsAllocated', data.uint16(tag.allocated), [16]);
  need(file, 'PixelRepresentation', data.uint16(tag.representation), [0, 1]);
  need(file, 'NumberOfFrames', data.string(tag.frames), [undefined, '1']);
  need(file, 'RescaleType', data.string(tag.rescaleType), [undefined, 'HU']);
  const [rows = 0, columns = 0] = [data.uint16(tag.rows), data.uint16(tag.columns)];
  if (!(rows >= 1) || !(columns >= 1))
    throw foreign(file, `it has ${rows} rows and ${columns} columns; allowed: 1 and more`);
  const [between_rows = 0, between_columns = 0] = numbersAt(file, data, tag.spacing, 'PixelSpacing', 2);
  if (!(between_rows > 0) || !(between_columns > 0)) {
    throw foreign(file, `PixelSpacing is ${between_rows}, ${between_columns}; allowed: lengths above 0 mm`);
  }
  const orientation = numbersAt(file, data, tag.orientation, 'ImageOrientationPatient', 6);
  const way = [wayOf(orientation.slice(0, 3), 0), wayOf(orientation.slice(3), 1)] as const;
  if (way.includes(0)) {
    throw foreign(
      file,
      `ImageOrientationPatient is ${orientation.join(', ')}; allowed: rows along ±x and columns along ±y of the patient`,
    );
  }
  const [x = 0, y = 0, z = 0] = numbersAt(file, data, tag.position, 'ImagePositionPatient', 3);
  const series = data.string(tag.series) ?? '';
  const spacing_mm = [between_columns, between_rows] as const;
  return { series, columns, rows, spacing_mm, position_mm: [x, y, z], way, data, little: order === 'little' };
}

/** Everything but the pixels. Throws a BraggError `foreign-file`. */
export function readDicomHeader(file: string, bytes: Uint8Array): DicomSlice {
  const { data: _, little: __, ...slice } = parsed(file, bytes);
  return slice;
}

/** Padding lies outside of what the scanner sees: air. */
const AIR_HU = -1000;

/** Hounsfield units, row by row as stored. Throws a BraggError `foreign-file`. */
export function readDicomPixels(file: string, bytes: Uint8Array): Float32Array {
  const { data, rows, columns, little } = parsed(file, bytes);
  const [slope = 0] = numbersAt(file, data, tag.slope, 'RescaleSlope', 1);
  const [intercept = 0] = numbersAt(file, data, tag.intercept, 'RescaleIntercept', 1);
  if (slope === 0) throw foreign(file, 'RescaleSlope is 0; allowed: other numbers');
  const element = data.elements[tag.pixels];
  const wanted = 2 * rows * columns;
  if (element === undefined) throw foreign(file, 'it has no PixelData');
  const there = Math.min(element.length, bytes.length - element.dataOffset);
  if (there < wanted) throw foreign(file, `its PixelData has ${there} bytes where ${wanted} are announced: it is cut`);
  const signed = data.uint16(tag.representation) === 1;
  const padding = signed ? data.int16(tag.padding) : data.uint16(tag.padding);
  const view = new DataView(bytes.buffer, bytes.byteOffset + element.dataOffset, wanted);
  const values = new Float32Array(rows * columns);
  for (let i = 0; i < values.length; i += 1) {
    const stored = signed ? view.getInt16(2 * i, little) : view.getUint16(2 * i, little);
    values[i] = stored === padding ? AIR_HU : stored * slope + intercept;
  }
  return values;
}
