/**
 * Reads CBF images (`.cbf`) of photon counters: a text header, followed by counts that are stored as differences of 1
 * to 8 bytes. Also defines the result type and the errors of all image readers.
 */
import { createHash } from 'node:crypto';
import { BraggError } from '../../../../contract/errors.ts';
import {
  allowOnly,
  checkFields,
  type FieldRule,
  type FieldRules,
  honoured,
  ignoredField,
  oneOf,
} from '../../../../domain/header-fields.ts';
import { parseDecimal } from '../../../../domain/values/csv.ts';

/** Geometry in the header of a recorded image, in the units of scenarios. */
export type Header = Readonly<Partial<Record<'distance_mm' | 'pixel_mm' | 'wavelength_A', number>>>;

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Counts of the pixels. The index is slow · width + fast. */
  readonly counts: Float32Array;
  /** Count at which a pixel is saturated. Infinite if counts have no limit. */
  readonly full: number;
  readonly header: Header;
  /** Facts about the file that the user should know. */
  readonly notes?: readonly string[];
}

/** Maximum number of pixels in an image. */
const MAX_PIXELS = 64 * 2 ** 20;

export const foreignImageError = (message: string): BraggError => new BraggError('foreign-file', message);

/** Side length of square pixels, from all sizes above 0. NaN if there are none. Throws a BraggError if they differ. */
export function squareSide(name: string, sizes: readonly number[], unit: string): number {
  const known = sizes.filter((size) => size > 0 && size < Number.POSITIVE_INFINITY);
  const [side = Number.NaN] = known;
  if (known.every((size) => Math.abs(size / side - 1) <= 1e-3)) return side;
  const shown = known.map((size) => Number(size.toPrecision(6))).join(` ${unit} and `);
  throw foreignImageError(`${name} is ${shown} ${unit}; allowed: equal sides, for square pixels`);
}

/** Throws a BraggError if the image size is invalid or too large. */
export function checkSize(width: number, height: number): void {
  const whole = [width, height].every((side) => Number.isInteger(side) && side > 0);
  if (!whole || width * height > MAX_PIXELS) {
    throw foreignImageError(
      `${width} × ${height} pixels; allowed: whole numbers from 1, at most ${MAX_PIXELS} pixels in total`,
    );
  }
}

/** Returns the bytes of the pixels. Throws a BraggError if the file is shorter or longer. */
export function requireExactLength(bytes: Uint8Array, from: number, length: number): Uint8Array {
  const pixels = bytesUpToLastPixel(bytes, from, length);
  if (from + length === bytes.length) return pixels;
  throw foreignImageError(
    `it has ${bytes.length} bytes, but its pixels end at ${from + length}: their type or number is wrong`,
  );
}

/** Returns the bytes of the pixels. Throws a BraggError if the file ends before the last one. */
export function bytesUpToLastPixel(bytes: Uint8Array, from: number, length: number): Uint8Array {
  if (!(from >= 0) || from + length > bytes.length) {
    throw foreignImageError(`it ends at byte ${bytes.length}, but its pixels end at ${from + length}`);
  }
  return bytes.subarray(from, from + length);
}

/** Decodes a count of an imaging plate. If the highest of 16 bits is set, the other bits are multiplied by `ratio`. */
export function plateCount(stored: number, ratio: number): number {
  const bits = stored & 0xffff;
  return bits < 0x8000 ? bits : (bits - 0x8000) * ratio;
}

/** Bytes that separate the text header from the pixels. */
const START = [0x0c, 0x1a, 0x04, 0xd5] as const;
const LONGEST_HEADER = 1_048_576;

/** Rules for the fields of the binary section, from the definition of CBF (International Tables G, 5.6). */
export const cbfFields: FieldRules = {
  'content-type': honoured,
  'x-binary-size': honoured,
  'x-binary-number-of-elements': honoured,
  'x-binary-size-fastest-dimension': honoured,
  'x-binary-size-second-dimension': honoured,
  'x-binary-size-third-dimension': oneOf('1'),
  'x-binary-element-type': oneOf('"signed 32-bit integer"'),
  'x-binary-element-byte-order': oneOf('LITTLE_ENDIAN'),
  'content-transfer-encoding': oneOf('BINARY'),
  'x-binary-id': allowOnly('1', (value) => Number(value) === 1),
  'x-binary-size-padding': ignoredField('follows the pixels'),
  'content-md5': honoured,
};

/** Position of the first byte of the pixels after `from`. -1 if it is not within the maximum header length. */
function indexOfStart(bytes: Uint8Array, from: number): number {
  const found = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(Uint8Array.from(START), from);
  return found < 0 || found - from > LONGEST_HEADER ? -1 : found + START.length;
}

function requireStart(bytes: Uint8Array): number {
  const start = indexOfStart(bytes, 0);
  if (start < 0) throw foreignImageError('it is not a CBF image with pixels');
  return start;
}

const correctedByDetector = ignoredField('the detector corrects counts before it writes them');
const statedByScenario = ignoredField('the scenario sets the position and angle of the detector');
const crystal = ignoredField('describes the rotation of the crystal, which the scenario sets');
const about = ignoredField('describes the measurement, without effect on counts');
const withRule = (names: string, rule: FieldRule): FieldRules =>
  Object.fromEntries(names.split(' ').map((name) => [name, rule]));

/**
 * Rules for comment lines in headers by DECTRIS, by their first word ("PILATUS CBF header specification" 1.5). Its TIFF
 * files contain the same lines. Lines added by beamlines are unknown and ignored.
 */
export const detectorLines: FieldRules = {
  ...withRule('pixel_size wavelength detector_distance count_cutoff', honoured),
  ...withRule('tau flat_field trim_file trim_directory ratecorr_lut_directory retrigger_mode', correctedByDetector),
  ...withRule(
    'n_excluded_pixels excluded_pixels',
    ignoredField('excluded pixels are stored as values below 0, which are ignored'),
  ),
  ...withRule('detector_voffset beam_xy detector_2theta', statedByScenario),
  ...withRule(
    'start_angle angle_increment alpha kappa phi phi_increment omega omega_increment chi chi_increment',
    crystal,
  ),
  ...withRule('oscillation_axis n_oscillations start_position position_increment', crystal),
  ...withRule('detector silicon cdte exposure_time exposure_period threshold_setting gain_setting image_path', about),
  ...withRule('energy_range flux filter_transmission polarization shutter_time', about),
};

/** Factors that convert lengths to millimetres and wavelengths to ångström. */
const units: Readonly<Record<'length' | 'wavelength' | 'count', Readonly<Record<string, number>>>> = {
  length: { m: 1000, mm: 1 },
  wavelength: { A: 1, Angstrom: 1, nm: 10 },
  count: { counts: 1, '': 1 },
};

/**
 * Value of a line, converted to the base unit of its kind. NaN if the line is absent or contains no positive number.
 */
function measureOf(lines: ReadonlyMap<string, string>, name: string, kind: keyof typeof units): number {
  const text = lines.get(name.toLowerCase()) ?? '';
  if (!/\d/.test(text)) return Number.NaN;
  const [, number = '', unit = ''] = /^([-+]?[\d.]+(?:e[-+]?\d+)?)\s*([a-z]*)(?=$|[\s(;])/i.exec(text) ?? [];
  const factor = Object.entries(units[kind]).find(([one]) => one.toLowerCase() === unit.toLowerCase())?.[1];
  const value = parseDecimal(number);
  if (factor === undefined || Number.isNaN(value)) {
    throw foreignImageError(
      `${name} is ${text}; allowed: a number in ${Object.keys(units[kind]).filter(Boolean).join(', ')}`,
    );
  }
  return value > 0 ? value * factor : Number.NaN;
}

/** Returns the comment lines of a detector by their first word in lower case. Punctuation between words is ignored. */
function commentLines(text: string): ReadonlyMap<string, string> {
  const lines = [...text.matchAll(/^[ \t]*#[ \t]*([A-Za-z]\w*)[ \t:=]*([^\r\n]*)/gm)];
  // Ignore a repeated identical line.
  const fields = new Map(lines.map(([whole, name = '', value = '']) => [whole.trim(), { name, value: value.trim() }]));
  return checkFields('', [...fields.values()], detectorLines, 'ignored');
}

/**
 * Reads geometry and largest valid count from a detector's comment lines, in a CBF or in the description of a TIFF.
 */
export function readDescribedGeometry(text: string): { readonly header: Header; readonly full: number } {
  const lines = commentLines(text);
  const size = lines.get('pixel_size') ?? '';
  const [, other] = /\sx\s+(.*)$/.exec(size) ?? [];
  const pixel = measureOf(lines, 'Pixel_size', 'length');
  const across = other === undefined ? pixel : measureOf(new Map([['pixel_size', other]]), 'Pixel_size', 'length');
  if (Math.abs(across / pixel - 1) > 1e-3) throw foreignImageError(`Pixel_size is ${size}; allowed: square pixels`);
  const found = {
    distance_mm: measureOf(lines, 'Detector_distance', 'length'),
    pixel_mm: pixel,
    wavelength_A: measureOf(lines, 'Wavelength', 'wavelength'),
  };
  const cutoff = measureOf(lines, 'Count_cutoff', 'count');
  return {
    header: Object.fromEntries(Object.entries(found).filter(([, value]) => value > 0)),
    full: Number.isNaN(cutoff) ? Number.POSITIVE_INFINITY : cutoff,
  };
}

/**
 * Rules for the items of a full CBF that describe counts and their order, from the dictionary of imgCIF (International
 * Tables G, 4.6).
 */
export const cifItems: FieldRules = {
  '_array_intensities.linearity': oneOf('linear', 'raw'),
  '_array_intensities.overload': honoured,
  '_array_intensities.undefined_value': honoured,
  '_array_intensities.offset': allowOnly('0', (value) => Number(value) === 0),
  '_array_intensities.scaling': allowOnly('1', (value) => Number(value) === 1),
  ...withRule('_array_intensities.gain _array_intensities.gain_esd', ignoredField('the scale of counts is fitted')),
  ...withRule(
    '_array_intensities.pixel_fast_bin_size _array_intensities.pixel_slow_bin_size _array_intensities.pixel_binning_method',
    ignoredField('the sizes of the section are those of binned pixels'),
  ),
  ...withRule('_array_intensities.array_id _array_intensities.binary_id _array_intensities.details', about),
  ...withRule(
    '_array_structure.byte_order _array_structure.compression _array_structure.encoding_type',
    ignoredField('the format of the pixels is read from the fields before them'),
  ),
  ...withRule('_array_structure.id _array_structure_list.array_id _array_structure_list.axis_set_id', about),
  ...withRule(
    '_array_structure_list.index _array_structure_list.dimension _array_structure_list.precedence',
    ignoredField('the size and order of the pixels are read from the fields before them'),
  ),
  '_array_structure_list.direction': oneOf('increasing'),
  '_array_element_size.size': honoured,
  '_array_structure_list_axis.displacement_increment': honoured,
  ...withRule('_array_element_size.array_id _array_element_size.index', ignoredField('pixels must be square')),
};

/** Returns the values of CIF items, after checking the items above. `.` and `?` mean that there is no value. */
function readItems(text: string): ReadonlyMap<string, readonly string[]> {
  const values = cifValues(text);
  for (const [name, rule] of Object.entries(cifItems)) {
    const wrong = rule.kind === 'only' ? values.get(name)?.find((value) => !rule.accepts(value)) : undefined;
    if (rule.kind === 'only' && wrong !== undefined)
      throw foreignImageError(`${name} is ${wrong}; allowed: ${rule.allowed}`);
  }
  return values;
}

/** Returns the values of CIF items by lower-case name: a single value after the name, or a column of a loop. */
function cifValues(text: string): ReadonlyMap<string, readonly string[]> {
  const words = [...text.matchAll(/(?<=\s|^)#[^\n]*|'[^'\n]*'|"[^"\n]*"|\S+/g)]
    .map(([word]) => word)
    .filter((word) => !word.startsWith('#'));
  // A semicolon begins a text block, for example the header of the pixels.
  const isValue = (word: string | undefined) =>
    word !== undefined && !/^(_|loop_$|data_|--CIF|;|Content-|X-)/i.test(word);
  const isName = (word: string | undefined) => word?.startsWith('_') === true;
  const found = new Map<string, string[]>();
  let at = 0;
  while (at < words.length) {
    const loop = /^loop_$/i.test(words[at] ?? '');
    if (loop) at += 1;
    const names: string[] = [];
    for (; isName(words[at]) && (loop || names.length === 0); at += 1) names.push((words[at] ?? '').toLowerCase());
    const most = loop ? words.length : names.length;
    for (let i = 0; isValue(words[at]) && i < most; at += 1, i += 1) {
      const [name = '', word = ''] = [names[i % names.length], words[at]];
      if (word === '.' || word === '?') continue;
      const values = found.get(name) ?? [];
      values.push(word.replace(/^(['"])(.*)\1$/, '$2'));
      found.set(name, values);
    }
    if (names.length === 0 && !loop) at += 1;
  }
  return found;
}

const numbersOf = (items: ReadonlyMap<string, readonly string[]>, name: string): readonly number[] =>
  (items.get(name) ?? []).map((text) => {
    const value = parseDecimal(text);
    if (Number.isNaN(value)) throw foreignImageError(`${name} is ${text}; allowed: a number`);
    return value;
  });

/**
 * Excludes pixels with values that mark undefined pixels, except 0. Templates declare 0 as undefined, but photon
 * counters use it as a count.
 */
export function excludeUndefined(counts: Float32Array, values: readonly number[], name: string): readonly string[] {
  const none = new Set(values.filter((value) => value > 0).map(Math.fround));
  if (none.size > 0) for (const [i, count] of counts.entries()) if (none.has(count)) counts[i] = -1;
  return values.includes(0) ? [`Its ${name} is 0: counts of 0 are treated as valid.`] : [];
}

/**
 * Side length of a pixel in mm. `commented`: value from the comments, or NaN. CIF items state the side in metres or in
 * millimetres. Returns NaN if no source states it.
 */
function pixelSide_mm(items: ReadonlyMap<string, readonly string[]>, commented: number): number {
  const sizes = (name: string): readonly number[] => numbersOf(items, name).map(Math.abs);
  const [inMetres, inMillimetres] = [
    '_array_element_size.size',
    '_array_structure_list_axis.displacement_increment',
  ] as const;
  const side = squareSide(inMetres, sizes(inMetres), 'm') * 1000;
  const other = squareSide(inMillimetres, sizes(inMillimetres), 'mm');
  return squareSide('the size of its pixels in comments and CIF items', [commented, side, other], 'mm');
}

interface UnpackedCounts {
  readonly counts: Float32Array;
  readonly end: number;
}

/**
 * Decodes counts that are stored as differences from the previous one: a single byte, or an escape followed by two,
 * four or eight bytes.
 */
function unpackCounts(bytes: Uint8Array, from: number, amount: number): UnpackedCounts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const counts = new Float32Array(amount);
  let at = from;
  let value = 0;
  try {
    for (let i = 0; i < amount; i += 1) {
      let difference = view.getInt8(at);
      at += 1;
      if (difference === -(2 ** 7)) {
        difference = view.getInt16(at, true);
        at += 2;
      }
      if (difference === -(2 ** 15)) {
        difference = view.getInt32(at, true);
        at += 4;
      }
      if (difference === -(2 ** 31)) {
        difference = Number(view.getBigInt64(at, true));
        at += 8;
      }
      value += difference;
      counts[i] = value;
    }
  } catch (error) {
    if (error instanceof RangeError)
      throw foreignImageError(`it ends at byte ${bytes.length}, before the end of its ${amount} pixels`);
    throw error;
  }
  return { counts, end: at };
}

/** Parses the header fields of the binary section, which is preceded by CIF text. */
function sectionFields(text: string): ReadonlyMap<string, string> {
  const section = text.slice(Math.max(0, text.lastIndexOf('--CIF-BINARY-FORMAT-SECTION--')));
  const unfolded = section.replaceAll(/;\s*\r?\n[ \t]+/g, '; ');
  const lines = unfolded.split(/\r?\n/).flatMap((line) => {
    const [, name, value] = /^((?:X-|Content-)[\w-]+):\s*(.*?)\s*$/i.exec(line) ?? [];
    return name === undefined ? [] : [{ name, value: value ?? '' }];
  });
  return checkFields('', lines, cbfFields, 'refused');
}

export function readCbf(bytes: Uint8Array): Pixels {
  const from = requireStart(bytes);
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, from));
  const fields = sectionFields(text);
  const numberOf = (name: string): number => Number(fields.get(name));
  const [width, height] = [numberOf('x-binary-size-fastest-dimension'), numberOf('x-binary-size-second-dimension')];
  checkSize(width, height);
  if (!/conversions\s*=\s*"?x-CBF_BYTE_OFFSET"?\s*$/i.test(fields.get('content-type') ?? '')) {
    throw foreignImageError('its compression is not supported; allowed: x-CBF_BYTE_OFFSET');
  }
  if (!fields.has('x-binary-element-type')) throw foreignImageError('its header has no X-Binary-Element-Type');
  const items = readItems(text);
  const elements = numberOf('x-binary-number-of-elements');
  if (fields.has('x-binary-number-of-elements') && elements !== width * height) {
    throw foreignImageError(
      `X-Binary-Number-of-Elements is ${elements}; allowed: ${width * height}, the product of its dimensions`,
    );
  }
  const { counts, end } = unpackCounts(bytes, from, width * height);
  const size = numberOf('x-binary-size');
  if (fields.has('x-binary-size') && size !== end - from) {
    throw foreignImageError(
      `X-Binary-Size is ${size} bytes, but its pixels have ${end - from}: their number or type is wrong`,
    );
  }
  const digest = fields.get('content-md5');
  const own = createHash('md5').update(bytes.subarray(from, end)).digest('base64');
  if (digest !== undefined && digest !== own) {
    throw foreignImageError(`Content-MD5 is ${digest}, but that of its pixels is ${own}: they are damaged`);
  }
  const { header, full } = readDescribedGeometry(text);
  const pixel = pixelSide_mm(items, header.pixel_mm ?? Number.NaN);
  const undefinedValue = '_array_intensities.undefined_value';
  const overloads = numbersOf(items, '_array_intensities.overload').filter((value) => value > 0);
  const more = START.length <= bytes.length - end && indexOfStart(bytes, end) >= 0;
  const notes = [
    ...excludeUndefined(counts, numbersOf(items, undefinedValue), undefinedValue),
    ...(more ? ['It contains more images: only the first one is read.'] : []),
  ];
  // Detector elements may have different saturation values, so use the smallest.
  return {
    ...{ width, height, counts, full: Math.min(full, ...overloads) },
    header: pixel > 0 ? { pixel_mm: pixel, ...header } : header,
    ...(notes.length === 0 ? {} : { notes }),
  };
}
