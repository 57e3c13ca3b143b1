/** Writes grids as MetaImage and NRRD: FP64, little-endian, header and data in one file. What is written reads back. */
import type { Volume } from './volume.ts';

/** What is beside the numbers. */
interface VolumeWords {
  /** Quantity and unit, one line. */
  readonly content: string;
}

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

export function metaImageBytes({ sizes, spacing_mm, origin_mm, values }: Volume, { content }: VolumeWords): Uint8Array {
  const identity = sizes.flatMap((_, row) => sizes.map((__, column) => (row === column ? 1 : 0)));
  const lines = [
    'ObjectType = Image',
    `NDims = ${sizes.length}`,
    `Comment = ${oneLine(content)}`,
    'BinaryData = True',
    'BinaryDataByteOrderMSB = False',
    'CompressedData = False',
    `TransformMatrix = ${identity.join(' ')}`,
    `Offset = ${origin_mm.join(' ')}`,
    `ElementSpacing = ${spacing_mm.join(' ')}`,
    `DimSize = ${sizes.join(' ')}`,
    'ElementType = MET_DOUBLE',
    'ElementDataFile = LOCAL',
  ];
  return joined(lines, values);
}

export function nrrdBytes({ sizes, spacing_mm, origin_mm, values }: Volume, { content }: VolumeWords): Uint8Array {
  const direction = (axis: number): string =>
    `(${sizes.map((_, other) => (other === axis ? spacing_mm[axis] : 0)).join(',')})`;
  const lines = [
    'NRRD0005',
    `content: ${oneLine(content)}`,
    'type: double',
    `dimension: ${sizes.length}`,
    `space dimension: ${sizes.length}`,
    `sizes: ${sizes.join(' ')}`,
    `space directions: ${sizes.map((_, axis) => direction(axis)).join(' ')}`,
    `space origin: (${origin_mm.join(',')})`,
    `space units: ${sizes.map(() => '"mm"').join(' ')}`,
    'endian: little',
    'encoding: raw',
    '',
  ];
  return joined(lines, values);
}
