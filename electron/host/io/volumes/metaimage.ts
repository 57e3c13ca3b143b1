/** MetaImage, by the documentation of MetaIO in ITK. */
import { inflateSync } from 'node:zlib';
import { bytesOf, decoded, foreign, type Header, type NumberType, numbersOf, positive, type Volume } from './volume.ts';

const types: Readonly<Record<string, NumberType>> = {
  MET_CHAR: 'int8',
  MET_UCHAR: 'uint8',
  MET_SHORT: 'int16',
  MET_USHORT: 'uint16',
  MET_INT: 'int32',
  MET_UINT: 'uint32',
  MET_FLOAT: 'float32',
  MET_DOUBLE: 'float64',
};

const MOST_HEADER = 65_536;

/** The header ends with the line that names the data. */
function headerOf(file: string, bytes: Uint8Array): Header {
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, MOST_HEADER));
  const last = /^ElementDataFile\s*=[^\n]*(\n|$)/m.exec(text);
  if (last === null) throw foreign(file, 'it has no ElementDataFile: it is no MetaImage');
  const end = last.index + last[0].length;
  const fields = text
    .slice(0, end)
    .split(/\r?\n/)
    .flatMap((line): [string, string][] => {
      const match = /^(\w+)\s*=\s*(.*)$/.exec(line.trim());
      return match === null ? [] : [[(match[1] ?? '').toLowerCase(), (match[2] ?? '').trim()]];
    });
  return { fields: new Map(fields), end };
}

/** Name of the file beside it that holds the data; null where that lies behind the header. */
export function metaImageData(file: string, bytes: Uint8Array): string | null {
  const name = headerOf(file, bytes).fields.get('elementdatafile') ?? '';
  if (name === 'LOCAL') return null;
  if (name === 'LIST' || name.includes('%') || /[/\\]|^\.\.?$/.test(name) || name === '') {
    throw foreign(file, `ElementDataFile is ${name}; allowed: LOCAL, or one file beside it`);
  }
  return name;
}

/** `beside`: what the file that it names holds. */
export function readMetaImage(file: string, bytes: Uint8Array, beside: Uint8Array | null): Volume {
  const { fields, end } = headerOf(file, bytes);
  const need = (name: string): string => {
    const value = fields.get(name.toLowerCase());
    if (value === undefined) throw foreign(file, `its header has no ${name}`);
    return value;
  };
  const yes = (name: string): boolean => fields.get(name.toLowerCase())?.toLowerCase() === 'true';
  const type = types[need('ElementType')];
  if (type === undefined) {
    throw foreign(file, `ElementType is ${need('ElementType')}; allowed: ${Object.keys(types).join(', ')}`);
  }
  if ((fields.get('elementnumberofchannels') ?? '1') !== '1')
    throw foreign(file, 'it has several channels; allowed: 1');
  const [axes = 0] = numbersOf(file, 'NDims', need('NDims'), 1);
  const sizes = numbersOf(file, 'DimSize', need('DimSize'), axes);
  const wanted = bytesOf(file, sizes, type);
  const matrix = fields.get('transformmatrix') ?? fields.get('rotation') ?? fields.get('orientation');
  if (matrix !== undefined) {
    const all = numbersOf(file, 'TransformMatrix', matrix, axes * axes);
    if (all.some((value, i) => value !== (Math.floor(i / axes) === i % axes ? 1 : 0))) {
      throw foreign(file, 'its TransformMatrix turns the axes; allowed: the identity');
    }
  }
  const spacing = fields.get('elementspacing') ?? fields.get('elementsize') ?? sizes.map(() => 1).join(' ');
  const origin = fields.get('offset') ?? fields.get('position') ?? fields.get('origin');
  let data = beside ?? bytes.subarray(end);
  if (yes('CompressedData')) {
    try {
      data = inflateSync(data, { maxOutputLength: wanted });
    } catch (error) {
      throw foreign(file, `its data cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const big = yes('BinaryDataByteOrderMSB') || yes('ElementByteOrderMSB');
  return {
    sizes,
    spacing_mm: positive(file, 'ElementSpacing', numbersOf(file, 'ElementSpacing', spacing, axes)),
    origin_mm: origin === undefined ? sizes.map(() => 0) : numbersOf(file, 'Offset', origin, axes),
    values: decoded(
      file,
      data,
      sizes.reduce((a, b) => a * b, 1),
      type,
      !big,
    ),
  };
}
