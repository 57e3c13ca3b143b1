/**
 * Reads uncompressed TIFF and BigTIFF images with one channel, in strips or tiles. Samples are integers of 8, 16 or 32
 * bits, or 32-bit floats.
 */
import {
  absent,
  allowOnly,
  checkFields,
  type FieldRule,
  type FieldRules,
  honoured,
  ignoredField,
  oneOf,
} from '../../../../domain/header-fields.ts';
import {
  bytesUpToLastPixel,
  checkSize,
  foreignImageError,
  type Pixels,
  readDescribedGeometry,
  squareSide,
} from './read-cbf.ts';

interface Tag {
  readonly tag: number;
  readonly rule: FieldRule;
}

const onlyNumbers = (...wanted: readonly number[]) =>
  allowOnly(wanted.join(', '), (value) => wanted.includes(Number(value)));

/** Tags of TIFF 6.0 and of common extensions that can change the meaning of pixels, by name. */
export const tiffTags = {
  // Bit 0 marks a reduced copy, bit 2 a mask.
  NewSubfileType: { tag: 254, rule: onlyNumbers(0, 2) },
  SubfileType: { tag: 255, rule: onlyNumbers(1, 3) },
  ImageWidth: { tag: 256, rule: honoured },
  ImageLength: { tag: 257, rule: honoured },
  BitsPerSample: { tag: 258, rule: honoured },
  Compression: { tag: 259, rule: onlyNumbers(1) },
  PhotometricInterpretation: { tag: 262, rule: onlyNumbers(1) },
  FillOrder: { tag: 266, rule: onlyNumbers(1) },
  ImageDescription: { tag: 270, rule: honoured },
  StripOffsets: { tag: 273, rule: honoured },
  Orientation: { tag: 274, rule: onlyNumbers(1) },
  SamplesPerPixel: { tag: 277, rule: onlyNumbers(1) },
  RowsPerStrip: { tag: 278, rule: ignoredField('the number of pixels in a strip is computed from StripByteCounts') },
  StripByteCounts: { tag: 279, rule: honoured },
  PlanarConfiguration: { tag: 284, rule: ignoredField('an image of one channel has one plane') },
  Predictor: { tag: 317, rule: onlyNumbers(1) },
  ColorMap: { tag: 320, rule: absent },
  TileWidth: { tag: 322, rule: honoured },
  TileLength: { tag: 323, rule: honoured },
  TileOffsets: { tag: 324, rule: honoured },
  TileByteCounts: { tag: 325, rule: honoured },
  Threshholding: { tag: 263, rule: onlyNumbers(1) },
  MinSampleValue: { tag: 280, rule: ignoredField('repeats the smallest pixel value') },
  MaxSampleValue: { tag: 281, rule: ignoredField('repeats the largest pixel value') },
  XResolution: { tag: 282, rule: honoured },
  YResolution: { tag: 283, rule: honoured },
  GrayResponseUnit: { tag: 290, rule: absent },
  GrayResponseCurve: { tag: 291, rule: absent },
  ResolutionUnit: { tag: 296, rule: ignoredField('is for printing; the scenario sets the pixel size') },
  PageNumber: { tag: 297, rule: ignoredField('only the first page is read, and a note reports the others') },
  TransferFunction: { tag: 301, rule: ignoredField('affects only how values are displayed') },
  SMinSampleValue: { tag: 340, rule: ignoredField('repeats the smallest pixel value') },
  SMaxSampleValue: { tag: 341, rule: ignoredField('repeats the largest pixel value') },
  ReferenceBlackWhite: { tag: 532, rule: ignoredField('affects only how values are displayed') },
  GDALMetadata: { tag: 42112, rule: absent },
  GDALNoData: { tag: 42113, rule: absent },
  SubIFDs: { tag: 330, rule: ignoredField('contain reduced copies of the image') },
  ExtraSamples: { tag: 338, rule: absent },
  SampleFormat: { tag: 339, rule: honoured },
  // MetaMorph stacks have a single directory for all planes, and UIC2Tag contains one value per plane.
  UIC1Tag: { tag: 33628, rule: ignoredField('describes only how MetaMorph displays the image') },
  UIC2Tag: { tag: 33629, rule: honoured },
  UIC3Tag: { tag: 33630, rule: ignoredField('states wavelengths of planes') },
  UIC4Tag: { tag: 33631, rule: ignoredField('describes the planes') },
  // Tags for raw values of cameras (DNG 1.4).
  LinearizationTable: { tag: 50712, rule: absent },
  BlackLevelRepeatDim: { tag: 50713, rule: ignoredField('BlackLevel is 0') },
  BlackLevel: { tag: 50714, rule: onlyNumbers(0) },
  BlackLevelDeltaH: { tag: 50715, rule: onlyNumbers(0) },
  BlackLevelDeltaV: { tag: 50716, rule: onlyNumbers(0) },
  WhiteLevel: { tag: 50717, rule: honoured },
  DefaultScale: { tag: 50718, rule: onlyNumbers(1) },
  ActiveArea: { tag: 50829, rule: absent },
  ImageDepth: { tag: 32997, rule: onlyNumbers(1) },
  TileDepth: { tag: 32998, rule: onlyNumbers(1) },
} as const satisfies Readonly<Record<string, Tag>>;
type TagName = keyof typeof tiffTags;

/** Bytes per value of the TIFF types for numbers and texts. Fractions consist of two 32-bit numbers. */
const TYPE_BYTES: Readonly<Record<number, 1 | 2 | 4 | 8>> = {
  1: 1,
  2: 1,
  3: 2,
  4: 4,
  5: 8,
  10: 8,
  13: 4,
  16: 8,
  18: 8,
};
const FRACTIONS: readonly number[] = [5, 10];
/** Maximum number of values of one tag, enough for the largest image with one strip per row. */
const MAX_VALUES = 2 ** 20;

interface Directory {
  /** Returns the values of a tag, or `usual` if it is absent. */
  readonly values: (name: TagName, usual?: number) => readonly number[];
  readonly text: (name: TagName) => string;
  readonly isText: (name: TagName) => boolean;
  readonly has: (name: TagName) => boolean;
  /** Returns the number of values of a tag. 0 if it is absent. */
  readonly count: (name: TagName) => number;
  /** Whether the file contains a further image. */
  readonly more: boolean;
}

interface TagEntry {
  readonly from: number;
  readonly size: 1 | 2 | 4 | 8;
  readonly values: number;
  readonly isFraction: boolean;
  readonly isSigned: boolean;
  readonly isText: boolean;
}

/** Reads a 64-bit offset or count of BigTIFF. The number is exact for all positions within a file. */
const long8 = (view: DataView, at: number, little: boolean): number => Number(view.getBigUint64(at, little));

function directoryOf(view: DataView, little: boolean, big: boolean): Directory {
  const word = (at: number): number => (big ? long8(view, at, little) : view.getUint32(at, little));
  const [countBytes, entryBytes, wordBytes] = big ? [8, 20, 8] : [2, 12, 4];
  const at = word(big ? 8 : 4);
  if (at + countBytes > view.byteLength) throw foreignImageError('its directory is beyond the end of the file');
  const count = big ? long8(view, at, little) : view.getUint16(at, little);
  const end = at + countBytes + entryBytes * count;
  if (!(end <= view.byteLength)) throw foreignImageError('its directory is truncated');
  if (count === 0) throw foreignImageError('its directory is empty');
  const entries = new Map(
    Array.from({ length: count }, (_, i) => {
      const entry = at + countBytes + entryBytes * i;
      return [view.getUint16(entry, little), entry] as const;
    }),
  );
  const findEntry = (tag: number): TagEntry | null => {
    const entry = entries.get(tag);
    if (entry === undefined) return null;
    const [type, values] = [view.getUint16(entry + 2, little), word(entry + 4)];
    const size = TYPE_BYTES[type];
    if (size === undefined)
      throw foreignImageError(`tag ${tag} is of type ${type}; allowed: ${Object.keys(TYPE_BYTES).join(', ')}`);
    const own = entry + 4 + wordBytes;
    const from = size * values <= wordBytes ? own : word(own);
    if (!(from + size * values <= view.byteLength)) throw foreignImageError(`tag ${tag} is beyond the end of the file`);
    if (values > MAX_VALUES) throw foreignImageError(`tag ${tag} has ${values} values; allowed: ${MAX_VALUES}`);
    return { from, size, values, isFraction: FRACTIONS.includes(type), isSigned: type === 10, isText: type === 2 };
  };
  const number = (place: number, { size, isFraction, isSigned }: TagEntry): number => {
    if (isFraction && isSigned) return view.getInt32(place, little) / view.getInt32(place + 4, little);
    if (isFraction) return view.getUint32(place, little) / view.getUint32(place + 4, little);
    if (size === 8) return long8(view, place, little);
    if (size === 4) return view.getUint32(place, little);
    return size === 2 ? view.getUint16(place, little) : view.getUint8(place);
  };
  return {
    values: (name, usual) => {
      const found = findEntry(tiffTags[name].tag);
      if (found !== null)
        return Array.from({ length: found.values }, (_, i) => number(found.from + found.size * i, found));
      if (usual === undefined) throw foreignImageError(`tag ${tiffTags[name].tag} (${name}) is missing`);
      return [usual];
    },
    text: (name) => {
      const found = findEntry(tiffTags[name].tag);
      if (found === null) return '';
      const bytes = new Uint8Array(view.buffer, view.byteOffset + found.from, found.size * found.values);
      return new TextDecoder('latin1').decode(bytes);
    },
    isText: (name) => findEntry(tiffTags[name].tag)?.isText === true,
    has: (name) => entries.has(tiffTags[name].tag),
    count: (name) => {
      const entry = entries.get(tiffTags[name].tag);
      return entry === undefined ? 0 : word(entry + 4);
    },
    more: end + wordBytes <= view.byteLength && word(end) !== 0,
  };
}

/**
 * Returns the decoder of a sample type (1 unsigned, 2 signed, 3 floating) with this number of bits, and its saturation
 * value.
 */
function sampleReaderOf(
  bits: number,
  kind: number,
): Readonly<{ get: (v: DataView, at: number, le: boolean) => number; full: number }> {
  const none = Number.POSITIVE_INFINITY;
  switch (`${bits} ${kind}`) {
    case '8 1':
      return { get: (view, at) => view.getUint8(at), full: 2 ** 8 - 1 };
    case '16 1':
      return { get: (view, at, little) => view.getUint16(at, little), full: 2 ** 16 - 1 };
    case '32 1':
      return { get: (view, at, little) => view.getUint32(at, little), full: 2 ** 32 - 1 };
    case '8 2':
      return { get: (view, at) => view.getInt8(at), full: 2 ** 7 - 1 };
    case '16 2':
      return { get: (view, at, little) => view.getInt16(at, little), full: 2 ** 15 - 1 };
    case '32 2':
      return { get: (view, at, little) => view.getInt32(at, little), full: 2 ** 31 - 1 };
    case '32 3':
      return { get: (view, at, little) => view.getFloat32(at, little), full: none };
    default:
      throw foreignImageError(
        `${bits} bits of kind ${kind} are not supported; allowed: integers of 8, 16, 32 bits, floats of 32`,
      );
  }
}

/** Strips or tiles of the image. The bytes of each are contiguous. */
interface ImagePieces {
  readonly width: number;
  readonly height: number;
  readonly offsets: readonly number[];
  readonly lengths: readonly number[];
}

function tilesOf({ values }: Directory): ImagePieces {
  const [[width = 0], [height = 0]] = [values('TileWidth'), values('TileLength')];
  return { width, height, offsets: values('TileOffsets'), lengths: values('TileByteCounts') };
}

type ValueReader = (view: DataView, at: number) => number;

/** Copies tiles into the image. Pixels beyond its right and lower edges are dropped. */
function readTiles(
  bytes: Uint8Array,
  tiles: ImagePieces,
  width: number,
  height: number,
  size: number,
  get: ValueReader,
): Float32Array {
  if (!(tiles.width > 0) || !(tiles.height > 0)) {
    throw foreignImageError(`its tiles have ${tiles.width} × ${tiles.height} pixels; allowed: at least 1`);
  }
  const across = Math.ceil(width / tiles.width);
  const wanted = across * Math.ceil(height / tiles.height);
  const each = tiles.width * tiles.height * size;
  if (tiles.offsets.length !== wanted || tiles.lengths.length !== wanted) {
    throw foreignImageError(
      `it has ${tiles.offsets.length} tiles; allowed: ${wanted} of ${tiles.width} × ${tiles.height} pixels`,
    );
  }
  const counts = new Float32Array(width * height);
  for (const [i, from] of tiles.offsets.entries()) {
    if (tiles.lengths[i] !== each)
      throw foreignImageError(`tile ${i + 1} has ${tiles.lengths[i]} bytes; allowed: ${each}`);
    const part = bytesUpToLastPixel(bytes, from, each);
    const view = new DataView(part.buffer, part.byteOffset, part.length);
    const [left, top] = [(i % across) * tiles.width, Math.floor(i / across) * tiles.height];
    const [right, bottom] = [Math.min(width, left + tiles.width), Math.min(height, top + tiles.height)];
    for (let y = top; y < bottom; y += 1) {
      for (let x = left; x < right; x += 1) {
        counts[y * width + x] = get(view, ((y - top) * tiles.width + (x - left)) * size);
      }
    }
  }
  return counts;
}

function readStrips(
  bytes: Uint8Array,
  { values }: Directory,
  amount: number,
  size: number,
  get: ValueReader,
): Float32Array {
  const counts = new Float32Array(amount);
  const [strips, lengths] = [values('StripOffsets'), values('StripByteCounts')];
  const announced = lengths.reduce((sum, length) => sum + length, 0);
  if (strips.length !== lengths.length || announced !== amount * size) {
    throw foreignImageError(`its ${strips.length} strips contain ${announced / size} of ${amount} pixels`);
  }
  let next = 0;
  for (const [i, from] of strips.entries()) {
    const part = bytesUpToLastPixel(bytes, from, lengths[i] ?? 0);
    const view = new DataView(part.buffer, part.byteOffset, part.length);
    for (let at = 0; at + size <= part.length; at += size, next += 1) counts[next] = get(view, at);
  }
  return counts;
}

const displayOnlyField = ignoredField('affects only how values are displayed');
const geometryField = ignoredField('the scenario sets the size and position of pixels');
const pageField = ignoredField('only the first page is read, and a note reports the others');
const zeroOrAbsent = allowOnly('0 or absent', (value) => Number(value) === 0);

/**
 * Rules for lines `name=value` in descriptions by ImageJ's FileSaver: calibration of the values, and stacks with a
 * single directory.
 */
export const imageJFields: FieldRules = {
  images: onlyNumbers(1),
  slices: onlyNumbers(1),
  frames: onlyNumbers(1),
  channels: onlyNumbers(1),
  cf: zeroOrAbsent,
  c0: zeroOrAbsent,
  c1: onlyNumbers(1),
  c2: zeroOrAbsent,
  c3: zeroOrAbsent,
  c4: zeroOrAbsent,
  vunit: oneOf('Gray Value', 'counts'),
  ...{ hyperstack: pageField, loop: pageField, fps: pageField, finterval: pageField, tunit: pageField },
  ...{
    unit: geometryField,
    yunit: geometryField,
    zunit: geometryField,
    spacing: geometryField,
    xorigin: geometryField,
    yorigin: geometryField,
    zorigin: geometryField,
  },
  ...{ mode: displayOnlyField, min: displayOnlyField, max: displayOnlyField },
};

/** Rules for the attributes of Pixels in OME-XML, from the schema of 2016-06. */
export const omeFields: FieldRules = {
  significantbits: honoured,
  sizex: honoured,
  sizey: honoured,
  ...{
    sizez: pageField,
    sizec: pageField,
    sizet: pageField,
    dimensionorder: pageField,
    timeincrement: pageField,
    interleaved: pageField,
  },
  ...{ physicalsizex: honoured, physicalsizey: honoured, physicalsizez: geometryField },
  ...{
    type: ignoredField('TIFF tags state the type'),
    bigendian: ignoredField('the byte order is read from the TIFF header'),
  },
};

/** Checks a description by ImageJ or OME. Returns the saturation value, which may be infinite. */
function checkDescription(description: string, width: number, height: number): number {
  if (/^ImageJ=/.test(description)) {
    const lines = [...description.matchAll(/^(\w+)=(.*?)\0*$/gm)].map(([, name = '', value = '']) => ({
      name,
      value: value.trim(),
    }));
    checkFields('', lines, imageJFields, 'ignored');
  }
  const pixels = /<(?:\w+:)?Pixels\b([^>]*)>/.exec(description)?.[1];
  if (pixels === undefined) return Number.POSITIVE_INFINITY;
  const attributes = [...pixels.matchAll(/(\w+)\s*=\s*["']([^"']*)["']/g)];
  const found = checkFields(
    '',
    attributes.map(([, name = '', value = '']) => ({ name, value })),
    omeFields,
    'ignored',
  );
  for (const [name, size] of [
    ['SizeX', width],
    ['SizeY', height],
  ] as const) {
    const stated = found.get(name.toLowerCase());
    if (stated !== undefined && Number(stated) !== size)
      throw foreignImageError(`its OME-XML has ${name}=${stated}; allowed: ${size}`);
  }
  const [x, y] = ['physicalsizex', 'physicalsizey'].map((name) => Number(found.get(name) ?? Number.NaN));
  const unitOf = (axis: string): string => found.get(`physicalsize${axis}unit`) ?? 'µm';
  if (unitOf('x') !== unitOf('y')) {
    throw foreignImageError(`its OME-XML has PhysicalSize in ${unitOf('x')} and ${unitOf('y')}; allowed: one unit`);
  }
  squareSide('PhysicalSize in its OME-XML', [x ?? 0, y ?? 0], unitOf('x'));
  const bits = found.get('significantbits');
  if (bits === undefined) return Number.POSITIVE_INFINITY;
  if (!(Number.isInteger(Number(bits)) && Number(bits) >= 1 && Number(bits) <= 32)) {
    throw foreignImageError(`its OME-XML has SignificantBits=${bits}; allowed: 1 to 32`);
  }
  return 2 ** Number(bits) - 1;
}

/**
 * Rules for the 32-bit words in the header of MarCCD and Rayonix, which starts at byte 1024, from the description of
 * its frame_header.
 */
export const marFields: Readonly<Record<string, { readonly at: number; readonly rule: FieldRule }>> = {
  header_byte_order: { at: 28, rule: honoured },
  data_byte_order: { at: 32, rule: ignoredField('the byte order is read from the TIFF header') },
  compression_type: { at: 48, rule: onlyNumbers(0) },
  nfast: { at: 80, rule: honoured },
  nslow: { at: 84, rule: honoured },
  depth: { at: 88, rule: ignoredField('TIFF tags state the size of a value') },
  signif_bits: { at: 96, rule: ignoredField('the largest valid count is read from saturated_value') },
  saturated_value: { at: 104, rule: honoured },
  pixelsize_x: { at: 772, rule: honoured },
  pixelsize_y: { at: 776, rule: honoured },
  data_type: { at: 100, rule: ignoredField('TIFF tags state the type') },
  nimages: { at: 112, rule: onlyNumbers(0, 1) },
  origin: { at: 116, rule: honoured },
  orientation: { at: 120, rule: honoured },
  view_direction: { at: 124, rule: honoured },
  overflow_location: { at: 128, rule: ignoredField('overflows are stored as the largest value, which is excluded') },
  multiplexed: { at: 140, rule: onlyNumbers(0) },
  darkcurrent_applied: { at: 152, rule: ignoredField('the background of counts is fitted') },
  bias_applied: { at: 156, rule: ignoredField('the background of counts is fitted') },
  flatfield_applied: { at: 160, rule: honoured },
  distortion_applied: { at: 164, rule: honoured },
  xtal_to_detector: { at: 640, rule: honoured },
  source_wavelength: { at: 908, rule: honoured },
  over_16_bits: {
    at: 136,
    rule: ignoredField('counts with more bits are stored as the largest value, which is excluded'),
  },
};
const MAR_AT = 1024;

/**
 * Reads saturation value, geometry and notes from a MarCCD header. Without such a header the value is infinite and the
 * rest is empty.
 */
function marHeader(
  view: DataView,
  width: number,
  height: number,
): Pick<Pixels, 'full' | 'header'> & { readonly notes: readonly string[] } {
  const none = { full: Number.POSITIVE_INFINITY, header: {}, notes: [] };
  if (view.byteLength < MAR_AT + 3072) return none;
  const name = String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + MAR_AT + 4, 3));
  const order = view.getUint32(MAR_AT + 28, true);
  if (name !== 'MMX' || (order !== 1234 && order !== 4321 && order !== 0xd2040000 && order !== 0xe1100000)) return none;
  const little = order === 1234 || order === 0xe1100000;
  const word = (field: string): number => view.getUint32(MAR_AT + (marFields[field]?.at ?? 0), little);
  for (const [field, { rule }] of Object.entries(marFields)) {
    if (rule.kind === 'only' && !rule.accepts(String(word(field)))) {
      throw foreignImageError(`its MarCCD header has ${field} ${word(field)}; allowed: ${rule.allowed}`);
    }
  }
  for (const [field, size] of [
    ['nfast', width],
    ['nslow', height],
  ] as const) {
    if (word(field) !== 0 && word(field) !== size) {
      throw foreignImageError(`its MarCCD header has ${field} ${word(field)}; allowed: ${size}, as in its tags`);
    }
  }
  const sizes = [word('pixelsize_x'), word('pixelsize_y')].filter((size) => size < 2 ** 31);
  const side_nm = squareSide('pixelsize of its MarCCD header', sizes, 'nm');
  // A field that is not set is 0 or negative. Read as unsigned, a negative number is at least 2^31.
  const known = (field: string): number => (word(field) < 2 ** 31 ? word(field) : 0);
  const own = {
    distance_mm: known('xtal_to_detector') / 1000,
    pixel_mm: side_nm / 1e6,
    wavelength_A: known('source_wavelength') / 1e5,
  };
  const turned = ['origin', 'orientation', 'view_direction'].filter((field) => word(field) !== 0);
  const [flat, straight] = ['flatfield_applied', 'distortion_applied'].map(word);
  // If neither field is set, the writer does not record corrections, so do not report any as missing.
  const missing = flat === straight ? [] : [flat === 0 ? 'flatfield_applied' : 'distortion_applied'];
  return {
    full: word('saturated_value') > 0 ? word('saturated_value') : none.full,
    header: Object.fromEntries(Object.entries(own).filter(([, value]) => value > 0)),
    notes: [
      ...turned.map(
        (field) =>
          `Its MarCCD header has ${field} ${word(field)}, not 0: the scenario must describe this rotation of the detector.`,
      ),
      ...missing.map((field) => `Its MarCCD header has ${field} 0: its counts lack that correction.`),
    ],
  };
}

/** Rejects stacks by tifffile, which have a single directory and state their shape in the description. */
function checkShape(description: string, pixels: number): void {
  const shape = /^\{"shape": ?\[([\d, ]+)\]/.exec(description)?.[1]?.split(',').map(Number) ?? [];
  const values = shape.reduce((product, size) => product * size, 1);
  if (shape.length > 0 && values > pixels) {
    throw foreignImageError(
      `its ImageDescription gives ${shape.join(' × ')} values; allowed: ${pixels}, for one image`,
    );
  }
}

export function readTiff(bytes: Uint8Array): Pixels {
  const mark = String.fromCharCode(...bytes.subarray(0, 2));
  const little = mark === 'II';
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const version = bytes.length < 16 || (!little && mark !== 'MM') ? 0 : view.getUint16(2, little);
  if (version !== 42 && version !== 43) throw foreignImageError('it is not a TIFF');
  if (version === 43 && view.getUint16(4, little) !== 8) {
    throw foreignImageError(`its BigTIFF has offsets of ${view.getUint16(4, little)} bytes; allowed: 8`);
  }
  const directory = directoryOf(view, little, version === 43);
  for (const [name, { tag, rule }] of Object.entries(tiffTags)) {
    if (rule.kind !== 'only' || !directory.has(name as TagName)) continue;
    const text = directory.isText(name as TagName)
      ? directory
          .text(name as TagName)
          .replaceAll('\0', '')
          .trim()
      : null;
    const values = text === null ? directory.values(name as TagName).map(String) : [text.slice(0, 60)];
    const value = values.find((singleValue) => !rule.accepts(singleValue));
    if (value !== undefined) throw foreignImageError(`${name} (tag ${tag}) is ${value}; allowed: ${rule.allowed}`);
  }
  const resolution = (name: TagName): readonly number[] => (directory.has(name) ? directory.values(name) : []);
  squareSide(
    'its resolution (tags 282, 283)',
    [...resolution('XResolution'), ...resolution('YResolution')],
    'pixels per unit',
  );
  if (directory.count('UIC2Tag') > 1) {
    throw foreignImageError(
      `it is a stack of ${directory.count('UIC2Tag')} planes (UIC2Tag, of MetaMorph); allowed: one image`,
    );
  }
  const singleValue = (name: TagName, usual?: number): number => directory.values(name, usual)[0] ?? 0;
  const [width, height, bits] = [
    singleValue('ImageWidth'),
    singleValue('ImageLength'),
    singleValue('BitsPerSample', 1),
  ];
  checkSize(width, height);
  const mar = marHeader(view, width, height);
  const saturated = Math.min(
    checkDescription(directory.text('ImageDescription'), width, height),
    mar.full,
    ...directory.values('WhiteLevel', Number.POSITIVE_INFINITY),
  );
  if (!directory.more) checkShape(directory.text('ImageDescription'), width * height);
  const { get, full } = sampleReaderOf(bits, singleValue('SampleFormat', 1));
  const size = bits / 8;
  const read: ValueReader = (part, at) => get(part, at, little);
  const counts = directory.has('TileOffsets')
    ? readTiles(bytes, tilesOf(directory), width, height, size, read)
    : readStrips(bytes, directory, width * height, size, read);
  const notes = [...mar.notes, ...(directory.more ? ['It contains more images: only the first one is read.'] : [])];
  const described = readDescribedGeometry(directory.text('ImageDescription').replaceAll('\0', ''));
  return {
    ...{ width, height, counts, header: { ...mar.header, ...described.header } },
    full: Math.min(full, described.full, saturated),
    ...(notes.length === 0 ? {} : { notes }),
  };
}
