/** Reads CBF images (`.cbf`) as photon counters write them: a text header, then counts as differences of 1 to 8 bytes. */
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
  'content-md5': ignored('detects damage on the way and changes no value'),
};

function startOf(bytes: Uint8Array): number {
  const last = Math.min(bytes.length - START.length, LONGEST_HEADER);
  for (let at = 0; at <= last; at += 1) {
    if (START.every((byte, k) => bytes[at + k] === byte)) return at + START.length;
  }
  throw foreign('it is no CBF image with pixels in it');
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

/** The largest count that a detector's header calls valid; infinite without one. Also in the description of a TIFF. */
export function cutoffIn(text: string): number {
  const cutoffs = [/Count_cutoff\s+([\d.eE+]+)/i, /_array_intensities\.overload\s+([\d.eE+]+)/i].map((pattern) =>
    numberIn(text, pattern),
  );
  return Math.min(Number.POSITIVE_INFINITY, ...cutoffs.filter((value) => value > 0));
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
  const scaled = /_array_intensities\.linearity\s+(\w+)/i.exec(text)?.[1];
  if (scaled !== undefined && !/^(linear|raw)$/i.test(scaled)) {
    throw foreign(`_array_intensities.linearity is ${scaled}; allowed: linear, raw`);
  }
  const elements = numberOf('x-binary-number-of-elements');
  if (fields.has('x-binary-number-of-elements') && elements !== width * height) {
    throw foreign(`X-Binary-Number-of-Elements is ${elements}; allowed: ${width * height}, as its dimensions say`);
  }
  const { counts, end } = countsOf(bytes, from, width * height);
  const size = numberOf('x-binary-size');
  if (fields.has('x-binary-size') && size !== end - from) {
    throw foreign(`X-Binary-Size is ${size} bytes, and its pixels have ${end - from}: their number or type is another`);
  }
  return { width, height, counts, full: cutoffIn(text), header: headerOf(text) };
}
