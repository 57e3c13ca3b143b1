/** Writes grids as MetaImage and NRRD: FP64, little-endian, header and data in one file. What is written reads back. */
import type { Volume } from './volume.ts';

/** Values on a grid whose axes may lie along any direction of the patient. */
export interface DirectedVolume extends Volume {
  /** Unit vector of each axis; without them axes are x, y and z. */
  readonly directions?: readonly (readonly number[])[];
}

interface VolumeWords {
  /** Quantity and unit, one line. */
  readonly content: string;
}

/** Unit vector of each axis. */
export const directionsOf = ({ sizes, directions }: DirectedVolume): readonly (readonly number[])[] =>
  directions ?? sizes.map((_, row) => sizes.map((__, column) => (row === column ? 1 : 0)));

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Float64Array in the byte order that the headers name, whatever the machine's is. */
function littleEndian(values: Float64Array): Uint8Array {
  const bytes = new Uint8Array(8 * values.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < values.length; i += 1) view.setFloat64(8 * i, values[i] ?? 0, true);
  return bytes;
}

function joined(lines: readonly string[], values: Float64Array): Uint8Array {
  const header = new TextEncoder().encode(`${lines.join('\n')}\n`);
  const data = littleEndian(values);
  const bytes = new Uint8Array(header.length + data.length);
  bytes.set(header);
  bytes.set(data, header.length);
  return bytes;
}

export function metaImageBytes(volume: DirectedVolume, { content }: VolumeWords): Uint8Array {
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
  return joined(lines, values);
}

export function nrrdBytes(volume: DirectedVolume, { content }: VolumeWords): Uint8Array {
  const { sizes, spacing_mm, origin_mm, values } = volume;
  const steps = directionsOf(volume).map((direction, axis) => direction.map((part) => part * (spacing_mm[axis] ?? 1)));
  // A space has a name only in three dimensions.
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
  return joined(lines, values);
}
