/** Reads CBF images (`.cbf`) as photon counters write them: a text header, then counts as differences of 1, 2 or 4 bytes. */
import { foreign, type Header, type Pixels, sized } from './pixels-read.ts';

/** Ends the text and begins the pixels. */
const START = [0x0c, 0x1a, 0x04, 0xd5] as const;
const LONGEST_HEADER = 1_048_576;

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

/** Each count is the one before and a difference: one byte, or a mark and two, or two marks and four. */
function countsOf(bytes: Uint8Array, from: number, amount: number): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const counts = new Float32Array(amount);
  let at = from;
  let value = 0;
  try {
    for (let i = 0; i < amount; i += 1) {
      let difference = view.getInt8(at);
      at += 1;
      if (difference === -128) {
        difference = view.getInt16(at, true);
        at += 2;
        if (difference === -32_768) {
          difference = view.getInt32(at, true);
          at += 4;
        }
      }
      value += difference;
      counts[i] = value;
    }
  } catch (error) {
    if (error instanceof RangeError) throw foreign(`it ends at byte ${bytes.length}, before its ${amount} pixels do`);
    throw error;
  }
  return counts;
}

export function readCbf(bytes: Uint8Array): Pixels {
  const from = startOf(bytes);
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, from));
  const width = numberIn(text, /X-Binary-Size-Fastest-Dimension:\s*(\d+)/i);
  const height = numberIn(text, /X-Binary-Size-Second-Dimension:\s*(\d+)/i);
  sized(width, height);
  if (!/conversions\s*=\s*"?x-CBF_BYTE_OFFSET/i.test(text)) {
    throw foreign('its pixels are compressed otherwise; allowed: x-CBF_BYTE_OFFSET');
  }
  const type = /X-Binary-Element-Type:\s*"([^"]*)"/i.exec(text)?.[1] ?? '';
  if (type !== 'signed 32-bit integer') throw foreign(`its pixels are of "${type}"; allowed: "signed 32-bit integer"`);
  return {
    width,
    height,
    counts: countsOf(bytes, from, width * height),
    full: Number.POSITIVE_INFINITY,
    header: headerOf(text),
  };
}
