/** Reads SMV images (`.img`): a text header between braces, then counts. Fields of ADSC, MAR and Rigaku's d*TREK. */
import { decimalOf } from '../../../../contract/csv.ts';
import { checkedFields, type FieldRules, honoured, ignored, oneOf } from '../../../io/volumes/header-fields.ts';
import { exactly, foreign, type Header, type Pixels, sized } from './pixels-read.ts';

/** Longest header that is read; detectors write 512 bytes to some thousand. */
const LONGEST_HEADER = 65_536;

interface Sample {
  readonly size: 1 | 2 | 4;
  readonly read: (view: DataView, at: number, little: boolean) => number;
  /** The largest value that can be stored. */
  readonly most: number;
}

const uint8: Sample = { size: 1, read: (view, at) => view.getUint8(at), most: 2 ** 8 - 1 };
const int8: Sample = { size: 1, read: (view, at) => view.getInt8(at), most: 2 ** 7 - 1 };
const uint16: Sample = { size: 2, read: (view, at, little) => view.getUint16(at, little), most: 2 ** 16 - 1 };
const int16: Sample = { size: 2, read: (view, at, little) => view.getInt16(at, little), most: 2 ** 15 - 1 };
const uint32: Sample = { size: 4, read: (view, at, little) => view.getUint32(at, little), most: 2 ** 32 - 1 };
const int32: Sample = { size: 4, read: (view, at, little) => view.getInt32(at, little), most: 2 ** 31 - 1 };
const float32: Sample = {
  size: 4,
  read: (view, at, little) => view.getFloat32(at, little),
  most: Number.POSITIVE_INFINITY,
};

/** Names of TYPE and of d*TREK's Data_type. */
const samples: Readonly<Record<string, Sample>> = {
  ...{ unsigned_char: uint8, signed_char: int8 },
  ...{ unsigned_short: uint16, unsigned_short_int: uint16, short: int16, signed_short: int16, short_int: int16 },
  ...{ unsigned_long: uint32, unsigned_long_int: uint32, unsigned_int: uint32 },
  ...{ long: int32, long_int: int32, signed_long: int32, int: int32 },
  ...{ float: float32, float_ieee: float32 },
};

/** Fields that change what the bytes mean. Detectors add hundreds that describe the experiment. */
export const smvFields: FieldRules = {
  header_bytes: honoured,
  size1: honoured,
  size2: honoured,
  byte_order: honoured,
  type: honoured,
  data_type: honoured,
  raxis_compression_ratio: honoured,
  ccd_image_saturation: honoured,
  saturated_value: honoured,
  distance: honoured,
  pixel_size: honoured,
  wavelength: honoured,
  dim: oneOf('2'),
  size3: oneOf('1'),
  compression: oneOf('None'),
  image_pedestal: ignored('the background of counts is fitted'),
  bin: ignored('SIZE1, SIZE2 and PIXEL_SIZE state the binned pixels'),
};

type Fields = ReadonlyMap<string, string>;

function numberIn(fields: Fields, key: string): number {
  const text = fields.get(key.toLowerCase());
  const value = decimalOf(text ?? '');
  if (text === undefined) throw foreign(`its header has no ${key}`);
  if (!Number.isFinite(value)) throw foreign(`${key}=${text} is not read; allowed: a number`);
  return value;
}

function headerOf(fields: Fields): Header {
  const known = { distance_mm: 'distance', pixel_mm: 'pixel_size', wavelength_A: 'wavelength' } as const;
  return Object.fromEntries(
    Object.entries(known).flatMap(([name, key]) => {
      if (!fields.has(key)) return [];
      const value = numberIn(fields, key.toUpperCase());
      return value > 0 ? [[name, value]] : [];
    }),
  );
}

/** Values of a header may hold braces of their own: it ends at HEADER_BYTES. */
function fieldsOf(bytes: Uint8Array): Fields {
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, LONGEST_HEADER));
  if (!/^\{\s*[^}]*\}/.test(text)) throw foreign('it is no SMV image: it begins with no header in braces');
  const length = Number(/HEADER_BYTES\s*=\s*(\d+)\s*;/i.exec(text)?.[1] ?? LONGEST_HEADER);
  const fields = [...text.slice(0, length).matchAll(/(?:^\{|;)\s*([A-Z][A-Z0-9_]*)\s*=\s*([^;]*)(?=;)/gi)];
  const lines = fields.map(([, name = '', value = '']) => ({ name, value: value.trim() }));
  // Without its semicolon a field swallows the next one.
  const open = lines.find(({ value }) => /\n\s*[A-Z][A-Z0-9_]*\s*=/i.test(value));
  if (open !== undefined) throw foreign(`its field ${open.name} has no semicolon; allowed: NAME=value; for each`);
  return checkedFields('', lines, smvFields, 'ignored');
}

function sampleOf(fields: Fields): Sample {
  const named = ['TYPE', 'Data_type'].flatMap((key) => {
    const value = fields.get(key.toLowerCase());
    return value === undefined ? [] : [{ key, value, sample: samples[value.toLowerCase().replaceAll(' ', '_')] }];
  });
  for (const { key, value, sample } of named) {
    if (sample === undefined) throw foreign(`${key}=${value} is not read; allowed: ${Object.keys(samples).join(', ')}`);
  }
  const [first, second] = named;
  if (first !== undefined && second !== undefined && first.sample !== second.sample) {
    throw foreign(`its header has TYPE=${first.value} and Data_type=${second.value}; allowed: the same`);
  }
  return first?.sample ?? uint16;
}

export function readSmv(bytes: Uint8Array): Pixels {
  const fields = fieldsOf(bytes);
  const [width, height] = [numberIn(fields, 'SIZE1'), numberIn(fields, 'SIZE2')];
  sized(width, height);
  const { size, read, most } = sampleOf(fields);
  const order = fields.get('byte_order')?.toLowerCase();
  if (size > 1 && order !== 'little_endian' && order !== 'big_endian') {
    throw foreign(`BYTE_ORDER=${order ?? ' (missing)'} is not read; allowed: little_endian, big_endian`);
  }
  const pixels = exactly(bytes, numberIn(fields, 'HEADER_BYTES'), size * width * height);
  const view = new DataView(pixels.buffer, pixels.byteOffset, pixels.length);
  const little = order === 'little_endian';
  const ratio = fields.has('raxis_compression_ratio') ? numberIn(fields, 'RAXIS_COMPRESSION_RATIO') : 1;
  if (!(ratio >= 1)) throw foreign(`RAXIS_COMPRESSION_RATIO=${ratio} is not read; allowed: 1 and more`);
  const packed = ratio > 1;
  if (packed && size !== 2)
    throw foreign(`RAXIS_COMPRESSION_RATIO=${ratio} is of counts of 16 bits; these have ${8 * size}`);
  // An imaging plate stores counts above 15 bits as multiples of the ratio, marked by the highest bit.
  const countOf = (stored: number): number => {
    const bits = stored & 0xffff;
    return bits < 0x8000 ? bits : (bits - 0x8000) * ratio;
  };
  const counts = Float32Array.from({ length: width * height }, (_, i) => {
    const stored = read(view, size * i, little);
    return packed ? countOf(stored) : stored;
  });
  const saturated = ['CCD_IMAGE_SATURATION', 'SATURATED_VALUE'].flatMap((key) =>
    fields.has(key.toLowerCase()) ? [numberIn(fields, key)] : [],
  );
  const full = Math.min(packed ? 0x7fff * ratio : most, ...saturated.filter((value) => value > 0));
  return { width, height, counts, full, header: headerOf(fields) };
}
