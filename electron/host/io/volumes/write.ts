/**
 * Writes grids as MetaImage and NRRD: FP64, little-endian, with header and data in one file. The readers in this folder
 * can read them. Writes doses as RT Dose: explicit VR, little endian, a frame for each layer along the third axis, and
 * values as scaled 32-bit integers.
 */
import { createHash } from 'node:crypto';
import { doseAttributes } from './dicom-attributes.ts';
import type { Volume } from './volume.ts';

/** Values on a grid whose axes may be oblique in patient coordinates. */
export interface DirectedVolume extends Volume {
  /** Unit vectors of the axes; x, y and z by default. */
  readonly directions?: readonly (readonly number[])[];
}

interface VolumeDescription {
  /** Description of the values in one line: quantity and unit. */
  readonly content: string;
}

/** Unit vectors of the axes. */
const directionsOf = ({ sizes, directions }: DirectedVolume): readonly (readonly number[])[] =>
  directions ?? sizes.map((_, row) => sizes.map((__, column) => (row === column ? 1 : 0)));

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Bytes of the values in little-endian order, as the headers state, on any machine. */
function littleEndian(values: Float64Array): Uint8Array {
  const bytes = new Uint8Array(8 * values.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < values.length; i += 1) view.setFloat64(8 * i, values[i] ?? 0, true);
  return bytes;
}

function writeJoined(lines: readonly string[], values: Float64Array): Uint8Array {
  const header = new TextEncoder().encode(`${lines.join('\n')}\n`);
  const data = littleEndian(values);
  const bytes = new Uint8Array(header.length + data.length);
  bytes.set(header);
  bytes.set(data, header.length);
  return bytes;
}

export function metaImageBytes(volume: DirectedVolume, { content }: VolumeDescription): Uint8Array {
  const { sizes, spacing_mm, origin_mm, values } = volume;
  const lines = [
    'ObjectType = Image',
    `NDims = ${sizes.length}`,
    `Comment = ${oneLine(content)}`,
    'BinaryData = True',
    'BinaryDataByteOrderMSB = False',
    'CompressedData = False',
    `TransformMatrix = ${directionsOf(volume).flat().join(' ')}`,
    `Offset = ${origin_mm.join(' ')}`,
    `ElementSpacing = ${spacing_mm.join(' ')}`,
    `DimSize = ${sizes.join(' ')}`,
    'ElementType = MET_DOUBLE',
    'ElementDataFile = LOCAL',
  ];
  return writeJoined(lines, values);
}

export function nrrdBytes(volume: DirectedVolume, { content }: VolumeDescription): Uint8Array {
  const { sizes, spacing_mm, origin_mm, values } = volume;
  const steps = directionsOf(volume).map((direction, axis) => direction.map((part) => part * (spacing_mm[axis] ?? 1)));
  // NRRD defines named spaces only in three dimensions.
  const space = sizes.length === 3 ? 'space: left-posterior-superior' : `space dimension: ${sizes.length}`;
  const lines = [
    'NRRD0005',
    `content: ${oneLine(content)}`,
    'type: double',
    `dimension: ${sizes.length}`,
    space,
    `sizes: ${sizes.join(' ')}`,
    `space directions: ${steps.map((step) => `(${step.join(',')})`).join(' ')}`,
    `space origin: (${origin_mm.join(',')})`,
    `space units: ${sizes.map(() => '"mm"').join(' ')}`,
    'endian: little',
    'encoding: raw',
    '',
  ];
  return writeJoined(lines, values);
}

const RT_DOSE = '1.2.840.10008.5.1.4.1.1.481.2';
const EXPLICIT_LITTLE = '1.2.840.10008.1.2.1';
/** Prefix for identifiers derived from a UUID: DICOM, part 5, annex B.2. */
const UUID_ROOT = '2.25';
/** Value representations (VR) whose elements have a 32-bit length field. */
const LONG_LENGTH_VRS = ['OB', 'OW', 'UT'];
const MAX_STORED = 2 ** 32 - 1;

type Element = readonly [tag: string, vr: string, value: string | number | Uint8Array];

/**
 * Identifier derived from the content: writing the same dose again gives the same identifier, so viewers see no second
 * dose.
 */
function uidOf(content: string, what: string): string {
  const digest = createHash('sha256').update(`${content} ${what}`).digest('hex');
  return `${UUID_ROOT}.${BigInt(`0x${digest.slice(0, 32)}`)}`;
}

/** Decimal string (VR DS), which has at most 16 characters. */
const decimal = (value: number): string => String(Number(value.toPrecision(10)));

function elementBytes([tag, vr, value]: Element): Uint8Array {
  const raw =
    typeof value === 'number'
      ? Uint8Array.of(value & 255, (value >> 8) & 255)
      : typeof value === 'string'
        ? new TextEncoder().encode(value)
        : value;
  const long = LONG_LENGTH_VRS.includes(vr);
  const length = raw.length + (raw.length % 2);
  const bytes = new Uint8Array((long ? 12 : 8) + length);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, Number.parseInt(tag.slice(0, 4), 16), true);
  view.setUint16(2, Number.parseInt(tag.slice(4), 16), true);
  bytes.set(new TextEncoder().encode(vr), 4);
  if (long) view.setUint32(8, length, true);
  else view.setUint16(6, length, true);
  bytes.set(raw, long ? 12 : 8);
  if (length > raw.length) bytes[bytes.length - 1] = vr === 'UI' || vr === 'OB' ? 0 : 0x20;
  return bytes;
}

const concatenate = (parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts));
const uint32 = (value: number): Uint8Array => new Uint8Array(Uint32Array.of(value).buffer);

/** Converts values to integers times a scale. The scale is rounded to the digits that are written. */
function scaleToIntegers(values: Float64Array): { readonly stored: Uint8Array; readonly scale: number } {
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  // Chosen slightly too large, so that the largest value fits into 32 bits after rounding.
  const scale = most > 0 ? Number((most / (MAX_STORED - 2 ** 10)).toPrecision(8)) : 1;
  const stored = new Uint8Array(4 * values.length);
  const view = new DataView(stored.buffer);
  for (const [i, value] of values.entries()) view.setUint32(4 * i, Math.round(Math.max(0, value) / scale), true);
  return { stored, scale };
}

interface DoseDescription {
  readonly content: string;
  /** FrameOfReferenceUID of the CT, by which viewers overlay dose and CT. Null without a DICOM CT. */
  readonly frame: string | null;
}

/**
 * Bytes of an RT Dose file. `content`: quantity and unit in one line. Values must be doses in Gy, without negative
 * ones. The third axis must be normal to the first two.
 */
export function rtDoseBytes(volume: DirectedVolume, { content, frame }: DoseDescription): Uint8Array {
  const { sizes, spacing_mm, origin_mm, values } = volume;
  const orientation = directionsOf(volume).slice(0, 2).flat();
  const [columns = 1, rows = 1, frames = 1] = sizes;
  const [dx = 1, dy = 1, dz = 1] = spacing_mm;
  const [x = 0, y = 0, z = 0] = origin_mm;
  const { stored, scale } = scaleToIntegers(values);
  const identity = `${content} ${orientation.join(' ')} ${sizes.join(' ')} ${createHash('sha256').update(stored).digest('hex')} ${scale}`;
  const uid = (what: string): string => uidOf(identity, what);
  const tagOf = (name: keyof typeof doseAttributes): string => doseAttributes[name].tag.slice(1);
  const elements: readonly Element[] = [
    ['00080016', 'UI', RT_DOSE],
    ['00080018', 'UI', uid('instance')],
    ['00080020', 'DA', ''],
    ['00080030', 'TM', ''],
    ['00080050', 'SH', ''],
    [tagOf('Modality'), 'CS', 'RTDOSE'],
    ['00080070', 'LO', 'Braggbench'],
    ['00080090', 'PN', ''],
    ['00100010', 'PN', ''],
    ['00100020', 'LO', ''],
    ['00100030', 'DA', ''],
    ['00100040', 'CS', ''],
    ['00180050', 'DS', decimal(dz)],
    ['0020000d', 'UI', uid('study')],
    ['0020000e', 'UI', uid('series')],
    ['00200010', 'SH', ''],
    ['00200011', 'IS', ''],
    ['00200013', 'IS', '1'],
    [tagOf('ImagePositionPatient'), 'DS', [x, y, z].map(decimal).join('\\')],
    [tagOf('ImageOrientationPatient'), 'DS', orientation.map(decimal).join('\\')],
    ['00200052', 'UI', frame ?? uid('frame of reference')],
    ['00201040', 'LO', ''],
    [tagOf('SamplesPerPixel'), 'US', 1],
    [tagOf('PhotometricInterpretation'), 'CS', 'MONOCHROME2'],
    [tagOf('NumberOfFrames'), 'IS', String(frames)],
    ...(frames > 1 ? [['00280009', 'AT', Uint8Array.of(0x04, 0x30, 0x0c, 0x00)] as const] : []),
    [tagOf('Rows'), 'US', rows],
    [tagOf('Columns'), 'US', columns],
    [tagOf('PixelSpacing'), 'DS', [dy, dx].map(decimal).join('\\')],
    [tagOf('BitsAllocated'), 'US', 32],
    [tagOf('BitsStored'), 'US', 32],
    [tagOf('HighBit'), 'US', 31],
    [tagOf('PixelRepresentation'), 'US', 0],
    [tagOf('DoseUnits'), 'CS', 'GY'],
    [tagOf('DoseType'), 'CS', 'PHYSICAL'],
    ['30040006', 'LO', content.replaceAll('\\', '/').slice(0, 64)],
    [tagOf('DoseSummationType'), 'CS', 'PLAN'],
    ...(frames > 1
      ? [
          [
            tagOf('GridFrameOffsetVector'),
            'DS',
            Array.from({ length: frames }, (_, i) => decimal(i * dz)).join('\\'),
          ] as const,
        ]
      : []),
    [tagOf('DoseGridScaling'), 'DS', String(scale)],
    ['7fe00010', 'OW', stored],
  ];
  const meta = concatenate(
    (
      [
        ['00020001', 'OB', Uint8Array.of(0, 1)],
        ['00020002', 'UI', RT_DOSE],
        ['00020003', 'UI', uid('instance')],
        ['00020010', 'UI', EXPLICIT_LITTLE],
        ['00020012', 'UI', uidOf('Braggbench', 'implementation')],
      ] as const
    ).map(elementBytes),
  );
  const length = elementBytes(['00020000', 'UL', uint32(meta.length)]);
  return concatenate([
    new Uint8Array(128),
    new TextEncoder().encode('DICM'),
    length,
    meta,
    ...elements.map(elementBytes),
  ]);
}
