/**
 * Reads headers of MetaImage volumes, by the documentation of MetaIO in ITK. Coordinates are the patient's: left, back,
 * head.
 */

import {
  absent,
  allowOnly,
  checkFields,
  type FieldRules,
  foreignFileError,
  honoured,
  ignoredField,
  oneOf,
  parseHeaderField,
} from '../../../domain/header-fields.ts';
import { dataFilesOf } from './data-files.ts';
import {
  millimetresIn,
  type NumberType,
  parseIntegers,
  parseNumbers,
  requirePositive,
  type VolumeHeader,
} from './volume.ts';

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

const descriptiveField = ignoredField('describes the file, without effect on values or positions');
const onlyNumber = (wanted: number) => allowOnly(String(wanted), (value) => Number(value) === wanted);

/**
 * Rules for the fields of MetaIO's classes MetaObject and MetaImage. Other fields are user-defined and ignored, as in
 * MetaIO.
 */
export const metaImageFields: FieldRules = {
  ndims: honoured,
  dimsize: honoured,
  elementtype: honoured,
  elementspacing: honoured,
  elementsize: honoured,
  elementdatafile: honoured,
  headersize: honoured,
  binarydata: honoured,
  binarydatabyteordermsb: honoured,
  elementbyteordermsb: honoured,
  compresseddata: honoured,
  compresseddatasize: honoured,
  transformmatrix: honoured,
  rotation: honoured,
  orientation: honoured,
  offset: honoured,
  position: honoured,
  origin: honoured,
  anatomicalorientation: honoured,
  distanceunits: honoured,
  objecttype: oneOf('Image'),
  elementnumberofchannels: onlyNumber(1),
  elementtointensityfunctionslope: onlyNumber(1),
  elementtointensityfunctionoffset: onlyNumber(0),
  modality: oneOf('MET_MOD_CT', 'MET_MOD_OTHER', 'MET_MOD_UNKNOWN'),
  imageposition: absent,
  // DICOM's Modality, written by ITK with its metadata dictionary.
  '0008|0060': oneOf('CT', 'RTDOSE', 'OT'),
  centerofrotation: ignoredField('ITK uses only Offset and TransformMatrix to position images'),
  transformtype: ignoredField('the transform is read from Offset and TransformMatrix'),
  elementmin: ignoredField('repeats the smallest value of the data'),
  elementmax: ignoredField('repeats the largest value of the data'),
  elementnbits: ignoredField('the size of a value is read from ElementType'),
  compressionlevel: ignoredField('the decompressed data is the same for any level'),
  objectsubtype: descriptiveField,
  comment: descriptiveField,
  name: descriptiveField,
  id: descriptiveField,
  parentid: descriptiveField,
  color: descriptiveField,
  acquisitiondate: descriptiveField,
  sequenceid: descriptiveField,
};

const MAX_HEADER = 65_536;
/**
 * Patient axes x, y and z in MetaIO's letters, which name the side where each axis starts: right, anterior, inferior.
 */
const IDENTITY = /^(rai|\?+)$/i;

/** Text of the header; null if the bytes are not a MetaImage. */
function textOf(bytes: Uint8Array) {
  const text = Buffer.from(bytes.subarray(0, MAX_HEADER)).toString('latin1');
  const last = /^[ \t]*ElementDataFile[ \t]*[=:][^\n]*(\n|$)/im.exec(text);
  if (last === null) return null;
  const end = last.index + last[0].length;
  return { text: text.slice(0, end), end, following: text.slice(end) };
}

export const isMetaImage = (bytes: Uint8Array): boolean => {
  const head = textOf(bytes);
  return head !== null && /^(?:\u00ef\u00bb\u00bf)?\s*[^\s=:]+\s*[=:]/.test(head.text);
};

/** Parses a header. Throws BraggError `foreign-file`. */
export function metaImageHeader(file: string, bytes: Uint8Array): VolumeHeader {
  const head = textOf(bytes);
  if (head === null) throw foreignFileError(file, 'it has no ElementDataFile, so it is not a MetaImage');
  const lines = head.text
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => parseHeaderField(file, line, /^\s*([^\s=:]+)\s*[=:]\s*(.*)$/, 'Name = value on each line'));
  const fields = checkFields(file, lines, metaImageFields, 'ignored');
  const need = (name: string): string => {
    const value = fields.get(name.toLowerCase());
    if (value === undefined || value === '') throw foreignFileError(file, `its header has no ${name}`);
    return value;
  };
  const yes = (name: string): boolean | null => {
    const value = fields.get(name.toLowerCase());
    if (value === undefined) return null;
    if (/^(true|t|1)$/i.test(value)) return true;
    if (/^(false|f|0)$/i.test(value)) return false;
    throw foreignFileError(file, `${name} = ${value} is not supported; allowed: True, False`);
  };
  /** Value of a field that has several names. Throws if they contradict each other. */
  const one = (...names: readonly string[]): string | undefined => {
    const values = names.flatMap((name) => fields.get(name.toLowerCase()) ?? []);
    const [first, ...others] = values;
    const numbers = (text = ''): string => text.trim().split(/\s+/).map(Number).join(' ');
    if (others.some((value) => numbers(value) !== numbers(first)))
      throw foreignFileError(file, `${names.join(', ')} differ: ${values.join('; ')}`);
    return first;
  };
  const type = types[need('ElementType')];
  if (type === undefined) {
    throw foreignFileError(file, `ElementType is ${need('ElementType')}; allowed: ${Object.keys(types).join(', ')}`);
  }
  const axes = parseIntegers(file, 'NDims', need('NDims'), 1);
  if (axes !== 2 && axes !== 3) throw foreignFileError(file, `it has ${axes} axes; allowed: 2 or 3`);
  const sizes = parseNumbers(file, 'DimSize', need('DimSize'), axes);
  const mm = millimetresIn(file, 'DistanceUnits', (fields.get('distanceunits') ?? 'mm').replace(/^\?$/, 'mm'));
  const matrix = one('TransformMatrix', 'Rotation', 'Orientation');
  const letters = fields.get('anatomicalorientation') ?? '';
  if (matrix === undefined && letters !== '' && !IDENTITY.test(letters)) {
    throw foreignFileError(
      file,
      `AnatomicalOrientation = ${letters} without TransformMatrix is not supported; allowed: RAI, ???`,
    );
  }
  const cosines =
    matrix === undefined
      ? sizes.flatMap((_, row) => sizes.map((__, column) => (row === column ? 1 : 0)))
      : parseNumbers(file, 'TransformMatrix', matrix, axes * axes);
  const isUnitStep = fields.get('elementspacing') === undefined && fields.get('elementsize') === undefined;
  const spacingText = fields.get('elementspacing') ?? fields.get('elementsize') ?? sizes.map(() => 1).join(' ');
  const spacing = requirePositive(file, 'ElementSpacing', parseNumbers(file, 'ElementSpacing', spacingText, axes));
  const steps_mm = spacing.map((length, axis) => {
    const direction = cosines.slice(axis * axes, (axis + 1) * axes);
    const norm = Math.hypot(...direction);
    if (Math.abs(norm - 1) > 1e-3) {
      throw foreignFileError(
        file,
        `TransformMatrix has a row of length ${norm}; allowed: 1, because ElementSpacing gives the steps`,
      );
    }
    return direction.map((part) => (part / norm) * length * mm);
  });
  const origin = one('Offset', 'Position', 'Origin');
  const dataFiles = dataFilesIn(file, need('ElementDataFile'), head.following, sizes);
  const packed = yes('CompressedData') ?? false;
  const text = yes('BinaryData') === false;
  if (text && packed) throw foreignFileError(file, 'BinaryData = False with CompressedData = True is not supported');
  const [msb, other] = [yes('BinaryDataByteOrderMSB'), yes('ElementByteOrderMSB')];
  if (msb !== null && other !== null && msb !== other) {
    throw foreignFileError(file, 'BinaryDataByteOrderMSB and ElementByteOrderMSB differ');
  }
  const skip = parseIntegers(file, 'HeaderSize', fields.get('headersize') ?? '0', -1);
  if (dataFiles === null && skip > 0 && skip !== head.end) {
    throw foreignFileError(
      file,
      `HeaderSize = ${skip} with ElementDataFile = LOCAL is not supported; allowed: 0, ${head.end}, -1 (data at the end of the file) or absent`,
    );
  }
  if (skip < 0 && text)
    throw foreignFileError(file, `HeaderSize = ${skip} with BinaryData = False is not supported; allowed: 0`);
  if (skip !== 0 && packed)
    throw foreignFileError(file, `HeaderSize = ${skip} for compressed data is not supported; allowed: 0 or absent`);
  if (packed && (dataFiles?.length ?? 1) > 1) {
    throw foreignFileError(
      file,
      `CompressedData = True with ${dataFiles?.length} data files is not supported; allowed: False`,
    );
  }
  const packedBytes = fields.get('compresseddatasize');
  return {
    sizes,
    type,
    little: !(msb ?? other ?? false),
    encoding: text ? 'text' : packed ? 'zlib' : 'raw',
    dataFiles,
    end: head.end,
    skipLines: 0,
    skipBytes: dataFiles === null ? Math.min(0, skip) : skip,
    packedBytes: packed && packedBytes !== undefined ? parseIntegers(file, 'CompressedDataSize', packedBytes, 1) : null,
    steps_mm,
    origin_mm:
      origin === undefined ? sizes.map(() => 0) : parseNumbers(file, 'Offset', origin, axes).map((value) => value * mm),
    unit: null,
    notes: isUnitStep ? ['It has no ElementSpacing: a spacing of 1 mm is assumed, as in MetaIO'] : [],
  };
}

/** Names of the data files; null if the data follows the header. A pattern without numbers starts at 1 with step 1. */
function dataFilesIn(file: string, value: string, following: string, sizes: readonly number[]) {
  if (/^local$/i.test(value)) return null;
  const [pattern = '', first = '1', last, step = '1', ...more] = value.split(/\s+/);
  if (!pattern.includes('%')) return dataFilesOf(file, 'ElementDataFile', value, following, sizes);
  const end = last ?? String(Number(first) + ((sizes.at(-1) ?? 1) - 1) * Number(step));
  return dataFilesOf(file, 'ElementDataFile', [pattern, first, end, step, ...more].join(' '), following, sizes);
}
