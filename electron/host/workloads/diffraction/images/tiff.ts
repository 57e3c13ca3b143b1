/** TIFF 6.0, little-endian, one strip, one channel: 32-bit floating-point photons or 16-bit counts. */
import { counts, littleEndian } from './pixels.ts';

const SHORT = 3;
const LONG = 4;
const ASCII = 2;
const HEADER_BYTES = 8;
const ENTRY_BYTES = 12;

interface Entry {
  readonly tag: number;
  readonly type: typeof SHORT | typeof LONG | typeof ASCII;
  readonly value: number | Uint8Array;
}

/** `description` becomes the ImageDescription that viewers show. */
function tiff(pixels: Uint8Array, width: number, height: number, bits: 16 | 32, description: string): Uint8Array {
  const text = new TextEncoder().encode(`${description}\0`);
  const dataAt = HEADER_BYTES;
  const textAt = dataAt + pixels.length;
  const directoryAt = textAt + text.length + (text.length % 2);
  const entries: readonly Entry[] = [
    { tag: 256, type: LONG, value: width },
    { tag: 257, type: LONG, value: height },
    { tag: 258, type: SHORT, value: bits },
    { tag: 259, type: SHORT, value: 1 }, // not compressed
    { tag: 262, type: SHORT, value: 1 }, // 0 is black
    { tag: 270, type: ASCII, value: text },
    { tag: 273, type: LONG, value: dataAt },
    { tag: 277, type: SHORT, value: 1 },
    { tag: 278, type: LONG, value: height },
    { tag: 279, type: LONG, value: pixels.length },
    { tag: 339, type: SHORT, value: bits === 32 ? 3 : 1 }, // floating point or unsigned
  ];
  const bytes = new Uint8Array(directoryAt + 2 + ENTRY_BYTES * entries.length + 4);
  const view = new DataView(bytes.buffer);
  bytes.set([0x49, 0x49, 42, 0]);
  view.setUint32(4, directoryAt, true);
  bytes.set(pixels, dataAt);
  bytes.set(text, textAt);
  view.setUint16(directoryAt, entries.length, true);
  for (const [i, { tag, type, value }] of entries.entries()) {
    const at = directoryAt + 2 + ENTRY_BYTES * i;
    view.setUint16(at, tag, true);
    view.setUint16(at + 2, type, true);
    view.setUint32(at + 4, typeof value === 'number' ? 1 : value.length, true);
    if (typeof value !== 'number') view.setUint32(at + 8, textAt, true);
    else if (type === SHORT) view.setUint16(at + 8, value, true);
    else view.setUint32(at + 8, value, true);
  }
  return bytes;
}

export function tiffImage(image: Float32Array, width: number, height: number, bits: 16 | 32): Uint8Array {
  if (bits === 32) return tiff(littleEndian(image), width, height, bits, 'photons per pixel');
  const { counts: values, scale, offset } = counts(image);
  return tiff(littleEndian(values), width, height, bits, `counts; photons = (counts - ${offset}) / ${scale}`);
}
