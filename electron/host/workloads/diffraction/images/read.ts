/**
 * Reads images that were recorded by detectors or written by programs: SMV, R-AXIS, TIFF, CBF, NXmx and raw 32-bit
 * numbers.
 *
 * SMV images (`.img`) have a text header between braces, followed by counts. Header fields are those of ADSC, MAR and
 * Rigaku's d*TREK.
 */
import { extname } from 'node:path';
import { BraggError } from '../../../../contract/errors.ts';
import { checkFields, type FieldRules, honoured, ignoredField, oneOf } from '../../../../domain/header-fields.ts';
import { parseDecimal } from '../../../../domain/values/csv.ts';
import {
  checkSize,
  foreignImageError,
  type Header,
  type Pixels,
  plateCount,
  readCbf,
  requireExactLength,
} from './read-cbf.ts';
import { type ReadLinkedFile, readNexus } from './read-nexus.ts';
import { isRaxis, readRaxis } from './read-raxis.ts';
import { readTiff } from './read-tiff.ts';

/** Maximum header length in bytes. Detectors write between 512 and a few thousand. */
const LONGEST_HEADER = 65_536;

interface Sample {
  readonly size: 1 | 2 | 4;
  readonly read: (view: DataView, at: number, little: boolean) => number;
  /** Largest value of the type. */
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

/** Sample types by their names in the fields TYPE and Data_type (d*TREK). */
const samples: Readonly<Record<string, Sample>> = {
  ...{ unsigned_char: uint8, signed_char: int8 },
  ...{ unsigned_short: uint16, unsigned_short_int: uint16, short: int16, signed_short: int16, short_int: int16 },
  ...{ unsigned_long: uint32, unsigned_long_int: uint32, unsigned_int: uint32 },
  ...{ long: int32, long_int: int32, signed_long: int32, int: int32 },
  ...{ float: float32, float_ieee: float32 },
};

const about = ignoredField('describes the measurement, without effect on counts');
const centre = ignoredField('the scenario sets the position and angle of the detector');
const crystal = ignoredField('describes the rotation of the crystal, which the scenario sets');
const rulesFor = (names: string, rule: FieldRules[string]): FieldRules =>
  Object.fromEntries(names.split(' ').map((name) => [name, rule]));

/**
 * Rules for fields of ADSC's headers, and of d*TREK's image format 1.1 without the detector prefix of names such as
 * CCD_GONIO_VALUES. Unknown fields are ignored, because detectors add hundreds that describe the experiment.
 */
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
  image_pedestal: ignoredField('the background of counts is fitted'),
  unif_ped: ignoredField('the background of counts is fitted'),
  ...rulesFor('bin bin_type adc', ignoredField('SIZE1, SIZE2 and PIXEL_SIZE already describe the binned pixels')),
  ...rulesFor('beam_center_x beam_center_y denzo_xbeam denzo_ybeam twotheta', centre),
  ...rulesFor('axis phi osc_start osc_range rotation', crystal),
  ...rulesFor('scan_rotation scan_rotation_axis_name scan_rotation_limits scan_rotation_vector', crystal),
  ...rulesFor('crystal_gonio_values crystal_gonio_names crystal_gonio_vectors crystal_gonio_units', crystal),
  ...rulesFor('beamline detector_sn date time acc_time crev ccd logname comment filename', about),
  ...rulesFor(
    'dtrek_date_time dtrek_version dtrek_module detector_type detector_description detector_identification',
    about,
  ),
  ...rulesFor(
    'source_polarz source_crossfire source_spectral_dispersion source_size source_vectors source_values',
    about,
  ),
  ...rulesFor('scan_template scan_seq_info scan_mode scan_wavelength gonio_num_values gonio_vectors', about),
  source_wavelength: honoured,
  detector_names: honoured,
  detector_number: oneOf('1'),
  detector_dimensions: honoured,
  detector_size: ignoredField('the pixel size is read from SPATIAL_DISTORTION_INFO'),
  detector_vectors: honoured,
  gonio_names: honoured,
  gonio_units: honoured,
  gonio_values: honoured,
  spatial_distortion_type: oneOf('Simple_spatial', 'None'),
  spatial_distortion_info: honoured,
  spatial_distortion_vectors: ignoredField('gives the directions of the detector position, which the scenario sets'),
  spatial_beam_position: centre,
  nonunf_type: honoured,
  nonunf_info: ignoredField('names the files of corrections, which NONUNF_TYPE already reports'),
};

type Fields = ReadonlyMap<string, string>;

function numberIn(fields: Fields, key: string): number {
  const text = fields.get(key.toLowerCase());
  const value = parseDecimal(text ?? '');
  if (text === undefined) throw foreignImageError(`its header has no ${key}`);
  if (!Number.isFinite(value)) throw foreignImageError(`${key}=${text} is not supported; allowed: a number`);
  return value;
}

const wordsIn = (fields: Fields, key: string): readonly string[] => fields.get(key)?.split(/\s+/).filter(Boolean) ?? [];

/** Parses the numbers of a d*TREK field. */
function numbersIn(fields: Fields, key: string): readonly number[] {
  const words = wordsIn(fields, key);
  const wrong = words.find((word) => !Number.isFinite(parseDecimal(word)));
  if (wrong !== undefined) throw foreignImageError(`${key.toUpperCase()} has "${wrong}"; allowed: numbers`);
  return words.map(parseDecimal);
}

const isNearlyEqual = (a: number, b: number): boolean => Math.abs(a / b - 1) <= 1e-3;

/**
 * Reads the geometry from a d*TREK header: the wavelength, rotations and translations of the detector's goniometer, and
 * the pixel size.
 */
function trekHeader(fields: Fields): Header {
  const [waves = 0, wavelength = Number.NaN] = numbersIn(fields, 'source_wavelength');
  if (waves > 1) throw foreignImageError(`SOURCE_WAVELENGTH has ${waves} wavelengths; allowed: 1`);
  const [, , pixel = Number.NaN, other = Number.NaN] = numbersIn(fields, 'spatial_distortion_info');
  if (Number.isFinite(other) && !isNearlyEqual(other, pixel)) {
    throw foreignImageError(`SPATIAL_DISTORTION_INFO has pixels of ${pixel} and ${other} mm; allowed: square pixels`);
  }
  const dimensions = numbersIn(fields, 'detector_dimensions');
  const sizes = [numberIn(fields, 'SIZE1'), numberIn(fields, 'SIZE2')];
  if (dimensions.length > 0 && dimensions.some((size, i) => size !== sizes[i])) {
    throw foreignImageError(
      `DETECTOR_DIMENSIONS is ${dimensions.join(' ')}; allowed: ${sizes.join(' ')}, as in SIZE1 and SIZE2`,
    );
  }
  const values = numbersIn(fields, 'gonio_values');
  const names = wordsIn(fields, 'gonio_names');
  const distance = names.findIndex((name) => /^(transz|(transz\/)?dist(ance)?)$/i.test(name));
  // By default there are three rotations followed by three translations, the last of which is along the beam.
  const at = distance < 0 && names.length === 0 ? 5 : distance;
  const unit = wordsIn(fields, 'gonio_units')[at] ?? 'mm';
  if (values[at] !== undefined && unit.toLowerCase() !== 'mm') {
    throw foreignImageError(`GONIO_UNITS has ${unit} for the distance; allowed: mm`);
  }
  const known = { distance_mm: values[at] ?? Number.NaN, pixel_mm: pixel, wavelength_A: wavelength };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value > 0));
}

function geometryOf(fields: Fields): Header {
  const known = { distance_mm: 'distance', pixel_mm: 'pixel_size', wavelength_A: 'wavelength' } as const;
  const trek: Readonly<Record<string, number | undefined>> = trekHeader(fields);
  return Object.fromEntries(
    Object.entries(known).flatMap(([name, key]) => {
      const value = fields.has(key) ? numberIn(fields, key.toUpperCase()) : 0;
      const other = trek[name];
      if (value > 0 && other !== undefined && !isNearlyEqual(value, other)) {
        throw foreignImageError(
          `its header has ${key.toUpperCase()}=${value}, but ${other} in the fields of d*TREK; allowed: equal values`,
        );
      }
      const found = value > 0 ? value : other;
      return found === undefined ? [] : [[name, found]];
    }),
  );
}

/** Notes on d*TREK fields whose corrections are not applied to the counts. */
function trekNotes(fields: Fields): readonly string[] {
  const vectors = numbersIn(fields, 'detector_vectors');
  const straight = [1, 0, 0, 0, 1, 0];
  const corrections = fields.get('nonunf_type') ?? 'None';
  return [
    ...(vectors.some((part, i) => Math.abs(part - (straight[i] ?? 0)) > 1e-3)
      ? [
          `Its DETECTOR_VECTORS is ${vectors.join(' ')}, not ${straight.join(' ')}: the scenario must describe this rotation of the detector.`,
        ]
      : []),
    ...(/^none$/i.test(corrections)
      ? []
      : [`Its NONUNF_TYPE is ${corrections}: corrections and bad pixels in other files are not applied.`]),
  ];
}

/** Parses the header. Its length is given by HEADER_BYTES, because values may contain braces. */
function parseFields(bytes: Uint8Array): Fields {
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, LONGEST_HEADER));
  if (!/^\{\s*[^}]*\}/.test(text)) throw foreignImageError('it is not an SMV image: it has no header in braces');
  const length = Number(/HEADER_BYTES\s*=\s*(\d+)\s*;/i.exec(text)?.[1] ?? LONGEST_HEADER);
  const fields = [...text.slice(0, length).matchAll(/(?:^\{|;)\s*([A-Z][A-Z0-9_]*)\s*=\s*([^;]*)(?=;)/gi)];
  const lines = fields.map(([, name = '', value = '']) => ({ name, value: value.trim() }));
  // Reject a field that contains the next one, because a semicolon is missing.
  const open = lines.find(({ value }) => /\n\s*[A-Z][A-Z0-9_]*\s*=/i.test(value));
  if (open !== undefined)
    throw foreignImageError(`its field ${open.name} has no semicolon; allowed: NAME=value; for each`);
  const prefix = lines.find(({ name }) => /^detector_names$/i.test(name))?.value.toLowerCase() ?? '';
  // CCD_IMAGE_SATURATION is a complete name, even if the prefix of the detector is CCD_.
  const prefixed = (name: string): boolean =>
    prefix !== '' && smvFields[name.toLowerCase()] === undefined && name.toLowerCase().startsWith(prefix);
  const plain = lines.map(({ name, value }) => ({ name: prefixed(name) ? name.slice(prefix.length) : name, value }));
  return checkFields('', plain, smvFields, 'ignored');
}

function sampleTypeOf(fields: Fields): Sample {
  const named = ['TYPE', 'Data_type'].flatMap((key) => {
    const value = fields.get(key.toLowerCase());
    return value === undefined ? [] : [{ key, value, sample: samples[value.toLowerCase().replaceAll(' ', '_')] }];
  });
  for (const { key, value, sample } of named) {
    if (sample === undefined)
      throw foreignImageError(`${key}=${value} is not supported; allowed: ${Object.keys(samples).join(', ')}`);
  }
  const [first, second] = named;
  if (first !== undefined && second !== undefined && first.sample !== second.sample) {
    throw foreignImageError(`its header has TYPE=${first.value} but Data_type=${second.value}; allowed: equal values`);
  }
  return first?.sample ?? uint16;
}

function readSmv(bytes: Uint8Array): Pixels {
  if (isRaxis(bytes)) return readRaxis(bytes);
  const fields = parseFields(bytes);
  const [width, height] = [numberIn(fields, 'SIZE1'), numberIn(fields, 'SIZE2')];
  checkSize(width, height);
  const { size, read, most } = sampleTypeOf(fields);
  const order = fields.get('byte_order')?.toLowerCase();
  if (size > 1 && order !== 'little_endian' && order !== 'big_endian') {
    throw foreignImageError(`BYTE_ORDER=${order ?? ' (missing)'} is not supported; allowed: little_endian, big_endian`);
  }
  const pixels = requireExactLength(bytes, numberIn(fields, 'HEADER_BYTES'), size * width * height);
  const view = new DataView(pixels.buffer, pixels.byteOffset, pixels.length);
  const little = order === 'little_endian';
  const ratio = fields.has('raxis_compression_ratio') ? numberIn(fields, 'RAXIS_COMPRESSION_RATIO') : 1;
  if (!(ratio >= 1)) throw foreignImageError(`RAXIS_COMPRESSION_RATIO=${ratio} is not supported; allowed: at least 1`);
  const packed = ratio > 1;
  if (packed && size !== 2)
    throw foreignImageError(`RAXIS_COMPRESSION_RATIO=${ratio} is for 16-bit counts; these have ${8 * size} bits`);
  const counts = Float32Array.from({ length: width * height }, (_, i) => {
    const stored = read(view, size * i, little);
    return packed ? plateCount(stored, ratio) : stored;
  });
  const saturated = ['CCD_IMAGE_SATURATION', 'SATURATED_VALUE'].flatMap((key) =>
    fields.has(key.toLowerCase()) ? [numberIn(fields, key)] : [],
  );
  const full = Math.min(packed ? 0x7fff * ratio : most, ...saturated.filter((value) => value > 0));
  const notes = trekNotes(fields);
  return { width, height, counts, full, header: geometryOf(fields), ...(notes.length === 0 ? {} : { notes }) };
}

export interface MaskedImage extends Pixels {
  /** Contains 1 for each excluded pixel: saturated, in a gap, or not a number. */
  readonly excluded: Uint8Array;
}

function readRaw(bytes: Uint8Array, size: readonly [number, number] | null): Pixels {
  if (size === null) throw foreignImageError('a raw file does not contain its size; give it, as in --size 1024x1024');
  const [width, height] = size;
  checkSize(width, height);
  if (bytes.length !== 4 * width * height) {
    throw foreignImageError(
      `${width} × ${height} numbers of 32 bits need ${4 * width * height} bytes; the file has ${bytes.length}`,
    );
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const counts = Float32Array.from({ length: width * height }, (_, i) => view.getFloat32(4 * i, true));
  return { width, height, counts, full: Number.POSITIVE_INFINITY, header: {} };
}

type Reader = (bytes: Uint8Array, size: readonly [number, number] | null) => Pixels;
const readers: Readonly<Record<string, Reader>> = {
  '.img': readSmv,
  '.osc': readRaxis,
  '.tif': readTiff,
  '.tiff': readTiff,
  '.cbf': readCbf,
  '.bin': readRaw,
  '.raw': readRaw,
};

/** Selects the reader by the first bytes, not by the name. */
function readerOf(begin: string, bytes: Uint8Array): Reader | null {
  if (['II*\0', 'II+\0', 'MM\0*', 'MM\0+'].some((mark) => begin.startsWith(mark))) return readTiff;
  if (/^###_?CBF/.test(begin)) return readCbf;
  return isRaxis(bytes) || /^\{\s*HEADER_BYTES\s*=/i.test(begin) ? readSmv : null;
}

/** Other image formats and compressed formats with their first bytes. They are named in messages. */
const others: readonly (readonly [string, ...(string | RegExp)[]])[] = [
  ['EDF of the ESRF', /^\{\s*(EDF_|HeaderID|(?:[^}]*;\s*)?(Dim_1|DataType|ByteOrder)\s*=)/i],
  ['compressed by gzip: decompress it first', '\x1f\x8b'],
  ['compressed by bzip2: decompress it first', 'BZh'],
  ['an archive: extract it first', 'PK\x03\x04', '\xfd7zXZ', '7z\xbc\xaf'],
  ['an image of Bruker (SFRM)', /^FORMAT\s*:\s*\d+/],
  ['an image of CrysAlisPro', 'OD SAPPHIRE', 'ESPERANTO'],
  ['HDF5: give it the extension .h5', '\x89HDF'],
  ['a picture without counts', '\x89PNG', '\xff\xd8\xff', 'GIF8'],
];

function unsupportedFormat(begin: string): string | undefined {
  const isMark = (mark: string | RegExp): boolean =>
    typeof mark === 'string' ? begin.startsWith(mark) : mark.test(begin);
  return others.find(([, ...marks]) => marks.some(isMark))?.[0];
}

/** Marks the pixels that must be excluded from a fit. */
export function maskExcluded(pixels: Pixels): MaskedImage {
  const excluded = Uint8Array.from(pixels.counts, (count) => (count >= 0 && count < pixels.full ? 0 : 1));
  return { ...pixels, excluded };
}

/** Reads an image file with this name. Throws a BraggError that describes the error. */
export function readImage(bytes: Uint8Array, name: string, size: readonly [number, number] | null = null): MaskedImage {
  const extension = extname(name).toLowerCase();
  const own = readers[extension];
  const begin = Buffer.from(bytes.subarray(0, 512)).toString('latin1');
  // Raw numbers may begin with any bytes, so do not detect another format.
  const reader = own === readRaw ? own : (readerOf(begin, bytes) ?? own);
  const other = reader === own && own !== readRaw ? unsupportedFormat(begin) : undefined;
  if (other !== undefined) {
    throw new BraggError(
      'foreign-file',
      `${name}: it is ${other}; allowed: SMV, R-AXIS, TIFF, CBF, NXmx or raw numbers`,
    );
  }
  if (reader === undefined) {
    const known = [...Object.keys(readers), '.h5'].join(', ');
    throw new BraggError(
      'unsupported',
      `${name}: ${extension || 'no extension'} is not a supported image format; allowed: ${known}`,
    );
  }
  try {
    return maskExcluded(reader(bytes, size));
  } catch (error) {
    throw withFileName(name, error);
  }
}

const withFileName = (name: string, error: unknown): unknown =>
  error instanceof BraggError ? new BraggError(error.code, `${name}: ${error.message}`) : error;

/** Reads the first image in a detector's HDF5 file. Throws a BraggError that describes the error. */
export async function readNexusImage(
  bytes: Uint8Array,
  name: string,
  readLinked: ReadLinkedFile,
): Promise<MaskedImage> {
  try {
    return maskExcluded(await readNexus(bytes, readLinked));
  } catch (error) {
    throw withFileName(name, error);
  }
}

/** Reads an HDF5 file as a run of this program. If it is not one, reads it as an image of a detector. */
export async function readRunOrNexus<Run>(
  run: () => Promise<Run>,
  nexus: () => Promise<MaskedImage>,
): Promise<{ readonly run: Run } | { readonly image: MaskedImage }> {
  try {
    return { run: await run() };
  } catch (error) {
    if (!(error instanceof BraggError) || error.code !== 'foreign-file') throw error;
    try {
      return { image: await nexus() };
    } catch (other) {
      // If the file is neither, report the error of reading it as a run.
      throw other instanceof BraggError && other.code === 'unsupported' ? error : other;
    }
  }
}
