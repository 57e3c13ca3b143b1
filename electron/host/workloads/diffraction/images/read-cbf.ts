/** Reads CBF images (`.cbf`) as photon counters write them: a text header, then counts as differences of 1 to 8 bytes. */
import { createHash } from 'node:crypto';
import { checkedFields, type FieldRules, honoured, ignored, oneOf, only } from '../../../io/volumes/header-fields.ts';
import { foreign, type Header, type Pixels, sized } from './pixels-read.ts';

/** Ends the text and begins the pixels. */
const START = [0x0c, 0x1a, 0x04, 0xd5] as const;
const LONGEST_HEADER = 1_048_576;

/** Fields of the binary section, by the definition of CBF (International Tables G, 5.6). */
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
  'x-binary-id': only('1', (value) => Number(value) === 1),
  'x-binary-size-padding': ignored('follows the pixels'),
  'content-md5': honoured,
};

/** First byte of pixels behind `from`; -1 without any within the longest header. */
function indexOfStart(bytes: Uint8Array, from: number): number {
  const found = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(Uint8Array.from(START), from);
  return found < 0 || found - from > LONGEST_HEADER ? -1 : found + START.length;
}

function startOf(bytes: Uint8Array): number {
  const start = indexOfStart(bytes, 0);
  if (start < 0) throw foreign('it is no CBF image with pixels in it');
  return start;
}

const numberIn = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1]);

function headerOf(text: string): Header {
  const found = {
    distance_mm: 1000 * numberIn(text, /Detector_distance\s+([\d.eE+-]+)\s*m\b/),
    pixel_mm: 1000 * numberIn(text, /Pixel_size\s+([\d.eE+-]+)\s*m\b/),
    wavelength_A: numberIn(text, /Wavelength\s+([\d.eE+-]+)\s*A\b/),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value > 0));
}

/** The largest count that a detector's own lines call valid; infinite without one. Also in the description of a TIFF. */
export function cutoffIn(text: string): number {
  const cutoff = numberIn(text, /Count_cutoff\s+([\d.eE+]+)/i);
  return cutoff > 0 ? cutoff : Number.POSITIVE_INFINITY;
}

/** Values of an item of CIF: one behind its name, or a column of a loop. */
function cifValues(text: string, name: string): readonly string[] {
  const words = [...text.matchAll(/(?<=\s|^)#[^\n]*|'[^'\n]*'|"[^"\n]*"|\S+/g)]
    .map(([word]) => word)
    .filter((word) => !word.startsWith('#'));
  // A semicolon begins a text, as that of the pixels' header is.
  const isValue = (word: string | undefined) =>
    word !== undefined && !/^(_|loop_$|data_|--CIF|;|Content-|X-)/i.test(word);
  const isName = (word: string | undefined) => word?.startsWith('_') === true;
  const found: string[] = [];
  let at = 0;
  while (at < words.length) {
    const loop = /^loop_$/i.test(words[at] ?? '');
    if (loop) at += 1;
    const names: string[] = [];
    for (; isName(words[at]) && (loop || names.length === 0); at += 1) names.push((words[at] ?? '').toLowerCase());
    const column = names.indexOf(name);
    const most = loop ? words.length : names.length;
    for (let i = 0; isValue(words[at]) && i < most; at += 1, i += 1) {
      if (column >= 0 && i % names.length === column) found.push((words[at] ?? '').replace(/^(['"])(.*)\1$/, '$2'));
    }
    if (names.length === 0 && !loop) at += 1;
  }
  return found;
}

/** Overloads of a full CBF, of which each element of an array may have its own. */
function overloadIn(text: string): number {
  const overloads = cifValues(text, '_array_intensities.overload').map(Number);
  return Math.min(Number.POSITIVE_INFINITY, ...overloads.filter((value) => value > 0));
}

interface Unpacked {
  readonly counts: Float32Array;
  readonly end: number;
}

/** Each count is the one before and a difference: one byte, or marks and two, four or eight. */
function countsOf(bytes: Uint8Array, from: number, amount: number): Unpacked {
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
    if (error instanceof RangeError) throw foreign(`it ends at byte ${bytes.length}, before its ${amount} pixels do`);
    throw error;
  }
  return { counts, end: at };
}

/** Fields of the lines before the pixels. Text before the section is of CIF. */
function sectionOf(text: string): ReadonlyMap<string, string> {
  const section = text.slice(Math.max(0, text.lastIndexOf('--CIF-BINARY-FORMAT-SECTION--')));
  const unfolded = section.replaceAll(/;\s*\r?\n[ \t]+/g, '; ');
  const lines = unfolded.split(/\r?\n/).flatMap((line) => {
    const [, name, value] = /^((?:X-|Content-)[\w-]+):\s*(.*?)\s*$/i.exec(line) ?? [];
    return name === undefined ? [] : [{ name, value: value ?? '' }];
  });
  return checkedFields('', lines, cbfFields, 'refused');
}

export function readCbf(bytes: Uint8Array): Pixels {
  const from = startOf(bytes);
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, from));
  const fields = sectionOf(text);
  const numberOf = (name: string): number => Number(fields.get(name));
  const [width, height] = [numberOf('x-binary-size-fastest-dimension'), numberOf('x-binary-size-second-dimension')];
  sized(width, height);
  if (!/conversions\s*=\s*"?x-CBF_BYTE_OFFSET"?\s*$/i.test(fields.get('content-type') ?? '')) {
    throw foreign('its pixels are compressed otherwise; allowed: x-CBF_BYTE_OFFSET');
  }
  if (!fields.has('x-binary-element-type')) throw foreign('its header says no X-Binary-Element-Type');
  const scaled = cifValues(text, '_array_intensities.linearity').find((value) => !/^(linear|raw)$/i.test(value));
  if (scaled !== undefined) throw foreign(`_array_intensities.linearity is ${scaled}; allowed: linear, raw`);
  const elements = numberOf('x-binary-number-of-elements');
  if (fields.has('x-binary-number-of-elements') && elements !== width * height) {
    throw foreign(`X-Binary-Number-of-Elements is ${elements}; allowed: ${width * height}, as its dimensions say`);
  }
  const { counts, end } = countsOf(bytes, from, width * height);
  const size = numberOf('x-binary-size');
  if (fields.has('x-binary-size') && size !== end - from) {
    throw foreign(`X-Binary-Size is ${size} bytes, and its pixels have ${end - from}: their number or type is another`);
  }
  const digest = fields.get('content-md5');
  const own = createHash('md5').update(bytes.subarray(from, end)).digest('base64');
  if (digest !== undefined && digest !== own) {
    throw foreign(`Content-MD5 is ${digest}, and that of its pixels ${own}: they are damaged`);
  }
  const full = Math.min(cutoffIn(text), overloadIn(text));
  const more = START.length <= bytes.length - end && indexOfStart(bytes, end) >= 0;
  return {
    ...{ width, height, counts, full, header: headerOf(text) },
    ...(more ? { notes: ['It has more images: the first one is read.'] } : {}),
  };
}
