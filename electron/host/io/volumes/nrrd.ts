/** NRRD with its data in the same file, by the format's description of the Teem project. */
import { gunzipSync } from 'node:zlib';
import { bytesOf, decoded, foreign, type Header, type NumberType, numbersOf, positive, type Volume } from './volume.ts';

const types: Readonly<Record<string, NumberType>> = {
  'signed char': 'int8',
  int8: 'int8',
  int8_t: 'int8',
  uchar: 'uint8',
  'unsigned char': 'uint8',
  uint8: 'uint8',
  uint8_t: 'uint8',
  short: 'int16',
  'signed short': 'int16',
  int16: 'int16',
  int16_t: 'int16',
  ushort: 'uint16',
  'unsigned short': 'uint16',
  uint16: 'uint16',
  uint16_t: 'uint16',
  int: 'int32',
  'signed int': 'int32',
  int32: 'int32',
  int32_t: 'int32',
  uint: 'uint32',
  'unsigned int': 'uint32',
  uint32: 'uint32',
  uint32_t: 'uint32',
  float: 'float32',
  double: 'float64',
};

const MOST_HEADER = 65_536;

function headerOf(file: string, bytes: Uint8Array): Header {
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, MOST_HEADER));
  if (!/^NRRD000\d/.test(text)) throw foreign(file, 'it does not begin with NRRD000');
  const blank = /\r?\n\r?\n/.exec(text);
  if (blank === null) throw foreign(file, 'its header does not end with an empty line');
  const lines = text.slice(0, blank.index).split(/\r?\n/).slice(1);
  const fields = lines.flatMap((line): [string, string][] => {
    const match = /^([^#:][^:]*): (.*)$/.exec(line);
    return match === null ? [] : [[(match[1] ?? '').trim().toLowerCase(), (match[2] ?? '').trim()]];
  });
  return { fields: new Map(fields), end: blank.index + blank[0].length };
}

/** Lengths of an axis' steps. Axes that do not lie along x, y, z are no grid that a beam's plane can be read from. */
function stepsOf(file: string, { fields }: Header, axes: number): readonly number[] {
  const spacings = fields.get('spacings');
  if (spacings !== undefined) return positive(file, 'spacings', numbersOf(file, 'spacings', spacings, axes));
  const directions = fields.get('space directions');
  if (directions === undefined) throw foreign(file, 'it has neither spacings nor space directions');
  const all = numbersOf(file, 'space directions', directions, axes * axes);
  const oblique = all.some((value, i) => Math.floor(i / axes) !== i % axes && value !== 0);
  if (oblique) throw foreign(file, 'its space directions are oblique; allowed: axes along x, y and z');
  return positive(
    file,
    'space directions',
    Array.from({ length: axes }, (_, i) => all[i * axes + i] ?? 0),
  );
}

export function readNrrd(file: string, bytes: Uint8Array): Volume {
  const header = headerOf(file, bytes);
  const { fields, end } = header;
  const need = (name: string): string => {
    const value = fields.get(name);
    if (value === undefined) throw foreign(file, `its header has no ${name}`);
    return value;
  };
  if (fields.has('data file') || fields.has('datafile')) {
    throw foreign(file, 'its data lies in another file; allowed: header and data in one');
  }
  const type = types[need('type').toLowerCase()];
  if (type === undefined) throw foreign(file, `its type is ${need('type')}; allowed: ${Object.keys(types).join(', ')}`);
  const [axes = 0] = numbersOf(file, 'dimension', need('dimension'), 1);
  const sizes = numbersOf(file, 'sizes', need('sizes'), axes);
  const wanted = bytesOf(file, sizes, type);
  const encoding = need('encoding').toLowerCase();
  const packed = bytes.subarray(end);
  let data: Uint8Array;
  if (encoding === 'raw') data = packed;
  else if (encoding === 'gzip' || encoding === 'gz') {
    try {
      data = gunzipSync(packed, { maxOutputLength: wanted });
    } catch (error) {
      throw foreign(file, `its data cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`);
    }
  } else throw foreign(file, `its encoding is ${encoding}; allowed: raw, gzip`);
  const origin = fields.get('space origin');
  return {
    sizes,
    spacing_mm: stepsOf(file, header, axes),
    ...(fields.has('space') ? { space: fields.get('space') ?? '' } : {}),
    origin_mm: origin === undefined ? sizes.map(() => 0) : numbersOf(file, 'space origin', origin, axes),
    values: decoded(
      file,
      data,
      sizes.reduce((a, b) => a * b, 1),
      type,
      fields.get('endian') !== 'big',
    ),
  };
}
