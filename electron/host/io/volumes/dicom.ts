/**
 * One slice of a CT series and RT Dose from DICOM files, read with dicom-parser. Nothing about the patient is looked at.
 * Tags, names and meanings: the standard's parts 3, 5 and 6.
 */

import { inflateRawSync } from 'node:zlib';
import dicom, { type DataSet } from 'dicom-parser';
import { decimalOf } from '../../../contract/csv.ts';
import { messageOf } from '../../../contract/errors.ts';
import { type Packing, type PixelFormat, storedValue, storedValues } from './dicom-pixels.ts';
import { absent, type FieldRule, foreign, honoured, ignored, oneOf } from './header-fields.ts';
import { alongAxis, countOf, obliqueness, straightened, type Volume } from './volume.ts';

interface TransferSyntax {
  readonly little: boolean;
  readonly packing: Packing;
}
const uncompressed: TransferSyntax = { little: true, packing: 'none' };

/** Part 5, sections 8 and 10. */
const transferSyntaxes: Readonly<Record<string, TransferSyntax>> = {
  '1.2.840.10008.1.2': uncompressed,
  '1.2.840.10008.1.2.1': uncompressed,
  '1.2.840.10008.1.2.1.99': uncompressed,
  '1.2.840.10008.1.2.2': { little: false, packing: 'none' },
  '1.2.840.10008.1.2.5': { little: true, packing: 'rle' },
  '1.2.840.10008.1.2.4.57': { little: true, packing: 'jpeg-lossless' },
  '1.2.840.10008.1.2.4.70': { little: true, packing: 'jpeg-lossless' },
};

/** Part 6, table A-1: what is not read, by the beginnings of its identifiers. */
const otherSyntaxes: Readonly<Record<string, string>> = {
  '1.2.840.10008.1.2.4.10': 'MPEG',
  '1.2.840.10008.1.2.4.11': 'JPEG XL',
  '1.2.840.10008.1.2.4.20': 'High-Throughput JPEG 2000',
  '1.2.840.10008.1.2.4.5': 'lossy JPEG',
  '1.2.840.10008.1.2.4.8': 'JPEG-LS',
  '1.2.840.10008.1.2.4.9': 'JPEG 2000',
  '1.2.840.10008.1.2.1.98': 'encapsulated uncompressed',
};

interface Attribute {
  readonly tag: string;
  readonly rule: FieldRule;
  /** Number of 16 bits where it is no text. */
  readonly short?: true;
}

/** Attributes for display or with repeated information leave stored values and positions unchanged. */
const display = ignored('changes how values are displayed, and no value');
const repeated = ignored('ImagePositionPatient and ImageOrientationPatient state positions');

/** Attributes of both kinds of image that can change what pixels mean, by their keyword. */
const imageAttributes = {
  Modality: { tag: 'x00080060', rule: honoured },
  ImagePositionPatient: { tag: 'x00200032', rule: honoured },
  ImageOrientationPatient: { tag: 'x00200037', rule: honoured },
  SamplesPerPixel: { tag: 'x00280002', rule: oneOf('1'), short: true },
  PhotometricInterpretation: { tag: 'x00280004', rule: oneOf('MONOCHROME1', 'MONOCHROME2') },
  PlanarConfiguration: { tag: 'x00280006', rule: ignored('an image of one sample has one plane'), short: true },
  NumberOfFrames: { tag: 'x00280008', rule: honoured },
  Rows: { tag: 'x00280010', rule: honoured, short: true },
  Columns: { tag: 'x00280011', rule: honoured, short: true },
  PixelSpacing: { tag: 'x00280030', rule: honoured },
  PixelAspectRatio: { tag: 'x00280034', rule: ignored('PixelSpacing states both steps') },
  BitsAllocated: { tag: 'x00280100', rule: honoured, short: true },
  BitsStored: { tag: 'x00280101', rule: honoured, short: true },
  HighBit: { tag: 'x00280102', rule: honoured, short: true },
  PixelRepresentation: { tag: 'x00280103', rule: oneOf('0', '1'), short: true },
  ModalityLUTSequence: { tag: 'x00283000', rule: absent },
  RealWorldValueMappingSequence: { tag: 'x00409096', rule: absent },
  FloatPixelData: { tag: 'x7fe00008', rule: absent },
  DoubleFloatPixelData: { tag: 'x7fe00009', rule: absent },
  PixelDataProviderURL: { tag: 'x00287fe0', rule: absent },
  WindowCenter: { tag: 'x00281050', rule: display },
  WindowWidth: { tag: 'x00281051', rule: display },
  VOILUTSequence: { tag: 'x00283010', rule: display },
  PatientPosition: { tag: 'x00185100', rule: repeated },
  GantryDetectorTilt: { tag: 'x00181120', rule: repeated },
  SliceLocation: { tag: 'x00201041', rule: repeated },
  AnatomicalOrientationType: { tag: 'x00102210', rule: oneOf('BIPED') },
  PatientOrientation: { tag: 'x00200020', rule: repeated },
  SpacingBetweenSlices: { tag: 'x00180088', rule: repeated },
  AcquisitionNumber: { tag: 'x00200012', rule: ignored('slices at one position are refused, of any acquisition') },
  TemporalPositionIdentifier: { tag: 'x00200100', rule: ignored('slices at one position are refused, of any time') },
  PixelSpacingCalibrationType: { tag: 'x00280a02', rule: ignored('states the source of PixelSpacing in projections') },
  SmallestImagePixelValue: { tag: 'x00280106', rule: ignored('repeats the least stored value'), short: true },
  LargestImagePixelValue: { tag: 'x00280107', rule: ignored('repeats the greatest stored value'), short: true },
  LossyImageCompression: {
    tag: 'x00282110',
    rule: ignored('reports a loss before the pixels were stored as they are'),
  },
  PresentationLUTShape: { tag: 'x20500020', rule: display },
  ExtendedOffsetTable: { tag: 'x7fe00001', rule: ignored('frames are found by the basic table or their fragments') },
  SliceThickness: { tag: 'x00180050', rule: ignored('slices may overlap; their positions state the spacing') },
} as const satisfies Readonly<Record<string, Attribute>>;

export const ctAttributes = {
  ...imageAttributes,
  SeriesInstanceUID: { tag: 'x0020000e', rule: honoured },
  FrameOfReferenceUID: { tag: 'x00200052', rule: honoured },
  ImageType: { tag: 'x00080008', rule: honoured },
  SeriesDescription: { tag: 'x0008103e', rule: honoured },
  PixelPaddingValue: { tag: 'x00280120', rule: honoured, short: true },
  PixelPaddingRangeLimit: { tag: 'x00280121', rule: honoured, short: true },
  RescaleIntercept: { tag: 'x00281052', rule: honoured },
  RescaleSlope: { tag: 'x00281053', rule: honoured },
  RescaleType: { tag: 'x00281054', rule: oneOf('HU') },
} as const satisfies Readonly<Record<string, Attribute>>;

export const doseAttributes = {
  ...imageAttributes,
  RescaleIntercept: { tag: 'x00281052', rule: absent },
  RescaleSlope: { tag: 'x00281053', rule: absent },
  DoseUnits: { tag: 'x30040002', rule: oneOf('GY', 'RELATIVE') },
  DoseType: { tag: 'x30040004', rule: oneOf('PHYSICAL', 'EFFECTIVE') },
  DoseSummationType: { tag: 'x3004000a', rule: ignored('names the part of the plan that the dose belongs to') },
  SpatialTransformOfDose: { tag: 'x30040005', rule: ignored('the grid is stated as it is after any transform') },
  NormalizationPoint: { tag: 'x30040008', rule: ignored('relative doses are scaled to their largest value') },
  FrameIncrementPointer: { tag: 'x00280009', rule: honoured },
  GridFrameOffsetVector: { tag: 'x3004000c', rule: honoured },
  DoseGridScaling: { tag: 'x3004000e', rule: honoured },
  TissueHeterogeneityCorrection: { tag: 'x30040014', rule: ignored('states how the dose was computed') },
} as const satisfies Readonly<Record<string, Attribute>>;

export interface DicomSlice {
  readonly series: string;
  /** FrameOfReferenceUID: positions of one system of coordinates. Empty where the file states none. */
  readonly frame: string;
  readonly description: string;
  /** Third value of ImageType, such as AXIAL or LOCALIZER. */
  readonly imageType: string;
  readonly columns: number;
  readonly rows: number;
  /** Between columns and between rows. */
  readonly spacing_mm: readonly [number, number];
  /** Centre of the first pixel of the first row: to the patient's left, to the back, to the head. */
  readonly position_mm: readonly [number, number, number];
  /** Direction of the columns in x and of the rows in y: 1 or -1. */
  readonly way: readonly [number, number];
}

const MARK = 'DICM';
const MARK_AT = 128;
const latin1 = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes);

export const isDicom = (bytes: Uint8Array): boolean =>
  latin1(bytes.subarray(MARK_AT, MARK_AT + MARK.length)) === MARK || startsWithMeta(bytes) || isBareDataSet(bytes);

/** File meta information without the preamble: group 2, element 0 or 1, with an explicit type. */
const startsWithMeta = (bytes: Uint8Array): boolean =>
  bytes[0] === 2 && bytes[1] === 0 && bytes[3] === 0 && /^(UL|OB)$/.test(latin1(bytes.subarray(4, 6)));

/** A data set without file meta information: its first element is of group 8, which describes the study. */
const isBareDataSet = (bytes: Uint8Array): boolean =>
  bytes.length >= 8 && bytes[0] === 8 && bytes[1] === 0 && bytes[3] === 0 && (hasType(bytes) || bytes[7] === 0);

/** Whether the first element names its type: implicit syntaxes have a length in its place. */
const hasType = (bytes: Uint8Array): boolean => /^[A-Z]{2}$/.test(latin1(bytes.subarray(4, 6)));

/** The preamble and the shortest file meta information of a bare data set. */
function metaFor(bytes: Uint8Array): Uint8Array {
  const syntax = hasType(bytes) ? '1.2.840.10008.1.2.1\0' : '1.2.840.10008.1.2\0';
  const element = Buffer.concat([Buffer.from([2, 0, 0x10, 0, 0x55, 0x49, syntax.length, 0]), Buffer.from(syntax)]);
  const length = Buffer.from([2, 0, 0, 0, 0x55, 0x4c, 4, 0, element.length, 0, 0, 0]);
  return Buffer.concat([new Uint8Array(MARK_AT), Buffer.from(MARK), length, element]);
}

/** At most this much of a deflated file. */
const MOST_BYTES = 2 ** 29;

function inflated(bytes: Uint8Array, position: number): Uint8Array {
  const rest = inflateRawSync(bytes.subarray(position), { maxOutputLength: MOST_BYTES });
  const all = new Uint8Array(position + rest.length);
  all.set(bytes.subarray(0, position));
  all.set(rest, position);
  return all;
}

function parsedBytes(file: string, bytes: Uint8Array): DataSet {
  if (!isDicom(bytes)) {
    throw foreign(file, 'it is no DICOM file: neither DICM at byte 128 nor a data set at byte 0');
  }
  const before = startsWithMeta(bytes)
    ? Buffer.concat([new Uint8Array(MARK_AT), Buffer.from(MARK)])
    : isBareDataSet(bytes)
      ? metaFor(bytes)
      : null;
  const whole = before === null ? bytes : Uint8Array.from(Buffer.concat([before, bytes]));
  try {
    return dicom.parseDicom(whole, { inflater: inflated } as dicom.ParseDicomOptions);
  } catch (error) {
    // The library throws strings, errors, and objects that hold an error.
    const inner: unknown = (error as { readonly exception?: unknown } | null)?.exception ?? error;
    const message = messageOf(inner);
    if (/0002,0010/.test(message)) throw foreign(file, 'it has no transfer syntax (0002,0010)');
    throw foreign(file, `it is cut or damaged: ${message.replace(/^dicomParser\.?\w*: /, '')}`);
  }
}

type Attributes = Readonly<Record<string, Attribute>>;

function textOf(data: DataSet, { tag, short }: Attribute): string | undefined {
  if (data.elements[tag] === undefined) return undefined;
  return short === true ? String(data.uint16(tag)) : (data.string(tag) ?? '');
}

function numbersAt(file: string, data: DataSet, { tag }: Attribute, name: string, count: number | null) {
  const text = data.string(tag);
  if (text === undefined) throw foreign(file, `it has no ${name}`);
  const numbers = text.split('\\').map((part) => decimalOf(part.trim()));
  if ((count !== null && numbers.length !== count) || numbers.some((value) => !Number.isFinite(value))) {
    const allowed = count === 1 ? 'a number with a decimal point' : `${count ?? ''} numbers with decimal points`;
    throw foreign(file, `${name} is ${JSON.stringify(text.slice(0, 80))}; allowed: ${allowed}`);
  }
  return numbers;
}

interface Parsed {
  readonly data: DataSet;
  readonly syntax: TransferSyntax;
}

function parsed(file: string, bytes: Uint8Array): Parsed {
  const data = parsedBytes(file, bytes);
  const uid = data.string('x00020010') ?? '';
  const syntax = transferSyntaxes[uid];
  if (syntax !== undefined) return { data, syntax };
  const name = Object.entries(otherSyntaxes).find(([start]) => uid.startsWith(start))?.[1];
  const is = uid === '' ? 'missing' : name === undefined ? uid : `${name} (${uid})`;
  throw foreign(
    file,
    `its transfer syntax is ${is}; allowed: uncompressed, deflated, RLE, lossless JPEG (as gdcmconv --raw writes)`,
  );
}

/** Refuses attributes with a value that changes what is read and that is not supported. */
function checkAttributes(file: string, data: DataSet, attributes: Attributes): void {
  for (const [name, attribute] of Object.entries(attributes)) {
    const value = textOf(data, attribute);
    if (value === undefined || attribute.rule.kind !== 'only') continue;
    // An attribute without a value states nothing, unless it may not be there at all.
    if (value.trim() === '' && attribute.rule !== absent) continue;
    if (!attribute.rule.accepts(value.trim())) {
      throw foreign(file, `${name} is ${value === '' ? 'present' : value}; allowed: ${attribute.rule.allowed}`);
    }
  }
}

/** Size, type and place of the first frame. */
function imageOf(file: string, data: DataSet, allocatable: readonly number[], mostFrames: number) {
  const a = imageAttributes;
  const short = (
    name: 'SamplesPerPixel' | 'Rows' | 'Columns' | 'BitsAllocated' | 'BitsStored' | 'HighBit' | 'PixelRepresentation',
  ) => {
    const value = data.uint16(a[name].tag);
    if (value === undefined) throw foreign(file, `it has no ${name}`);
    return value;
  };
  // First of all: files of several frames state the rest for each frame.
  const frames = Number(data.string(a.NumberOfFrames.tag) ?? '1');
  if (!Number.isInteger(frames) || frames < 1 || frames > mostFrames) {
    const allowed = mostFrames === 1 ? '1: a file for each slice, no multi-frame CT' : '1 and more';
    throw foreign(file, `NumberOfFrames is ${frames}; allowed: ${allowed}`);
  }
  short('SamplesPerPixel');
  const [rows, columns, allocated] = [short('Rows'), short('Columns'), short('BitsAllocated')];
  if (!(rows >= 1) || !(columns >= 1)) {
    throw foreign(file, `it has ${rows} rows and ${columns} columns; allowed: 1 and more`);
  }
  if (!allocatable.includes(allocated)) {
    throw foreign(file, `BitsAllocated is ${allocated}; allowed: ${allocatable.join(', ')}`);
  }
  const [stored, high] = [short('BitsStored'), short('HighBit')];
  if (stored < 1 || stored > allocated) throw foreign(file, `BitsStored is ${stored}; allowed: 1 to ${allocated}`);
  if (high !== stored - 1) throw foreign(file, `HighBit is ${high}; allowed: ${stored - 1}, one less than BitsStored`);
  const signed = short('PixelRepresentation') === 1;
  const [between_rows = 0, between_columns = 0] = numbersAt(file, data, a.PixelSpacing, 'PixelSpacing', 2);
  if (!(between_rows > 0) || !(between_columns > 0)) {
    throw foreign(file, `PixelSpacing is ${between_rows}, ${between_columns}; allowed: lengths above 0 mm`);
  }
  const format: PixelFormat = { rows, columns, frames, allocated: allocated as 16 | 32, stored, signed };
  return {
    format,
    spacing_mm: [between_columns, between_rows] as const,
    orientation: numbersAt(file, data, a.ImageOrientationPatient, 'ImageOrientationPatient', 6),
    position_mm: numbersAt(file, data, a.ImagePositionPatient, 'ImagePositionPatient', 3),
  };
}

/** Empty where the file states none. */
export const dicomModality = (file: string, bytes: Uint8Array): string =>
  parsedBytes(file, bytes).string(imageAttributes.Modality.tag)?.trim() ?? '';

export const dicomSeries = (file: string, bytes: Uint8Array): string =>
  parsedBytes(file, bytes).string(ctAttributes.SeriesInstanceUID.tag)?.trim() ?? '';

interface CtFile extends DicomSlice {
  readonly parsed: Parsed;
  readonly format: PixelFormat;
}

function ctFile(file: string, bytes: Uint8Array): CtFile {
  const found = parsed(file, bytes);
  const { data } = found;
  const modality = data.string(ctAttributes.Modality.tag)?.trim();
  if (modality !== 'CT') throw foreign(file, `Modality is ${modality ?? 'missing'}; allowed: CT`);
  checkAttributes(file, data, ctAttributes);
  const { format, spacing_mm, orientation, position_mm } = imageOf(file, data, [16], 1);
  const [row, column] = [alongAxis(orientation.slice(0, 3)), alongAxis(orientation.slice(3))];
  if (row === null || column === null) {
    throw foreign(file, obliqueness([orientation.slice(0, 3), orientation.slice(3)]));
  }
  if (row.axis !== 0 || column.axis !== 1) {
    const allowed = 'rows along ±x and columns along ±y of the patient';
    throw foreign(file, `ImageOrientationPatient is ${orientation.join(', ')}; allowed: ${allowed}`);
  }
  const [x = 0, y = 0, z = 0] = position_mm;
  return {
    series: data.string(ctAttributes.SeriesInstanceUID.tag)?.trim() ?? '',
    frame: data.string(ctAttributes.FrameOfReferenceUID.tag)?.trim() ?? '',
    description: data.string(ctAttributes.SeriesDescription.tag) ?? '',
    imageType: imageTypeOf(data),
    ...{ columns: format.columns, rows: format.rows, spacing_mm },
    position_mm: [x, y, z],
    way: [row.way, column.way],
    ...{ parsed: found, format },
  };
}

const imageTypeOf = (data: DataSet): string =>
  (data.string(ctAttributes.ImageType.tag)?.split('\\')[2] ?? '').trim().toUpperCase();

/** A survey view that scanners put into the folder of a series: it is no slice. */
export const isLocalizer = (file: string, bytes: Uint8Array): boolean =>
  imageTypeOf(parsedBytes(file, bytes)) === 'LOCALIZER';

/** Everything but the pixels. Throws a BraggError `foreign-file`. */
export function readDicomHeader(file: string, bytes: Uint8Array): DicomSlice {
  const { parsed: _, format: __, ...slice } = ctFile(file, bytes);
  return slice;
}

/** Padding is outside of what the scanner sees: air. */
const AIR_HU = -1000;

interface CtPixels {
  /** Hounsfield units, row by row as stored. */
  readonly hu: Float32Array;
  /** Pixels that the file declares as padding, and the stored values that it declares. */
  readonly padded: number;
  readonly padding: readonly [low: number, high: number] | null;
}

/** Part 3, C.7.5.1.1.2: one value, or all from it to the limit of the range. */
function paddingOf(file: string, data: DataSet, format: PixelFormat): CtPixels['padding'] {
  const { PixelPaddingValue: value, PixelPaddingRangeLimit: limit } = ctAttributes;
  const [first, last] = [data.uint16(value.tag), data.uint16(limit.tag)];
  if (first === undefined) {
    if (last !== undefined) throw foreign(file, 'it has PixelPaddingRangeLimit without PixelPaddingValue');
    return null;
  }
  // Writers store it with the sign of 16 bits or of BitsStored.
  const asPixel = (raw: number): number => {
    const wide = format.signed && raw >= 2 ** 15 ? raw - 2 ** 16 : raw;
    const [low, high] = format.signed
      ? [-(2 ** (format.stored - 1)), 2 ** (format.stored - 1)]
      : [0, 2 ** format.stored];
    return wide >= low && wide < high ? wide : format.signed ? storedValue(raw, format) : wide;
  };
  const ends = [asPixel(first), asPixel(last ?? first)].sort((a, b) => a - b);
  return [ends[0] ?? 0, ends[1] ?? 0];
}

/** Throws a BraggError `foreign-file`. */
export function readDicomPixels(file: string, bytes: Uint8Array): CtPixels {
  const { parsed: found, format } = ctFile(file, bytes);
  const { data, syntax } = found;
  const [slope = 0] = numbersAt(file, data, ctAttributes.RescaleSlope, 'RescaleSlope', 1);
  const [intercept = 0] = numbersAt(file, data, ctAttributes.RescaleIntercept, 'RescaleIntercept', 1);
  if (slope === 0) throw foreign(file, 'RescaleSlope is 0; allowed: other numbers');
  const padding = paddingOf(file, data, format);
  const stored = storedValues(file, data, format, syntax);
  const hu = new Float32Array(stored.length);
  let padded = 0;
  for (const [i, value] of stored.entries()) {
    const pad = padding !== null && value >= padding[0] && value <= padding[1];
    if (pad) padded += 1;
    hu[i] = pad ? AIR_HU : value * slope + intercept;
  }
  return { hu, padded, padding };
}

/** Offsets of the frames along the normal of the plane, mm from the first one: part 3, C.8.8.3.2. */
function frameOffsets(
  file: string,
  data: DataSet,
  frames: number,
  position: readonly number[],
  normal: readonly number[],
) {
  const pointer = data.attributeTag(doseAttributes.FrameIncrementPointer.tag);
  if (pointer !== undefined && pointer !== doseAttributes.GridFrameOffsetVector.tag) {
    throw foreign(file, `FrameIncrementPointer is ${pointer}; allowed: x3004000c, GridFrameOffsetVector`);
  }
  if (frames === 1) return [0];
  const offsets = numbersAt(file, data, doseAttributes.GridFrameOffsetVector, 'GridFrameOffsetVector', null);
  if (offsets.length !== frames) {
    throw foreign(file, `GridFrameOffsetVector has ${offsets.length} values; allowed: ${frames}, one for each frame`);
  }
  const [first = 0] = offsets;
  // The vector is of offsets that begin with 0, or of positions along z that begin with the image's.
  const along = normal.reduce((sum, part, i) => sum + part * (position[i] ?? 0), 0);
  if (first !== 0 && Math.abs(first - along) > 1e-3 * Math.max(1, Math.abs(along))) {
    throw foreign(
      file,
      `GridFrameOffsetVector begins with ${first}; allowed: 0, or ${along}, the position of the image`,
    );
  }
  return offsets.map((offset) => offset - first);
}

/** A dose of RT Dose in its unit, along the patient's axes. Throws BraggError `foreign-file`. */
export function readDicomDose(file: string, bytes: Uint8Array): Volume {
  const { data, syntax } = parsed(file, bytes);
  const a = doseAttributes;
  const modality = data.string(a.Modality.tag)?.trim();
  if (modality !== 'RTDOSE') throw foreign(file, `Modality is ${modality ?? 'missing'}; allowed: RTDOSE`);
  checkAttributes(file, data, a);
  const { format, spacing_mm, orientation, position_mm } = imageOf(file, data, [16, 32], Number.POSITIVE_INFINITY);
  const { columns, rows, frames } = format;
  const [scale = 0] = numbersAt(file, data, a.DoseGridScaling, 'DoseGridScaling', 1);
  if (!(scale > 0)) throw foreign(file, `DoseGridScaling is ${scale}; allowed: numbers above 0`);
  const [u, v] = [orientation.slice(0, 3), orientation.slice(3)];
  const cross = (i: number, k: number): number => (u[i] ?? 0) * (v[k] ?? 0) - (u[k] ?? 0) * (v[i] ?? 0);
  const normal = [cross(1, 2), cross(2, 0), cross(0, 1)];
  const offsets = frameOffsets(file, data, frames, position_mm, normal);
  const step = frames === 1 ? 1 : (offsets[1] ?? 0);
  const off = offsets.findIndex((offset, i) => Math.abs(offset - i * step) > 1e-3 * Math.abs(step) || step === 0);
  if (off >= 0) throw foreign(file, `frame ${off + 1} is at ${offsets[off]} mm; allowed: ${off * step}: equal steps`);
  countOf(file, [columns, rows, frames]);
  const stored = storedValues(file, data, format, syntax);
  for (let i = 0; i < stored.length; i += 1) stored[i] = (stored[i] ?? 0) * scale;
  const volume = straightened(
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
  if (units === undefined) throw foreign(file, 'it has no DoseUnits');
  const weighted = data.string(a.DoseType.tag)?.trim() === 'EFFECTIVE' ? ' (RBE)' : '';
  return { ...volume, unit: units === 'GY' ? `Gy${weighted}` : 'relative' };
}
