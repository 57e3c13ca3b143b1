/** Reads SMV images (`.img`): a text header between braces, then 16-bit counts. */
import { foreign, type Header, type Pixels, reaching, sized } from './pixels-read.ts';

/** Where the text is looked for; detectors write 512 to some thousand bytes. */
const LONGEST_HEADER = 65_536;
const FULL = 65_535;

function numberIn(fields: ReadonlyMap<string, string>, key: string): number {
  const text = fields.get(key);
  const value = Number(text);
  if (text === undefined || !Number.isFinite(value)) throw foreign(`its header says no ${key} (${text ?? 'missing'})`);
  return value;
}

function headerOf(fields: ReadonlyMap<string, string>): Header {
  const known = { distance_mm: 'DISTANCE', pixel_mm: 'PIXEL_SIZE', wavelength_A: 'WAVELENGTH' } as const;
  return Object.fromEntries(
    Object.entries(known).flatMap(([name, key]) => {
      const value = Number(fields.get(key));
      return value > 0 ? [[name, value]] : [];
    }),
  );
}

export function readSmv(bytes: Uint8Array): Pixels {
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, LONGEST_HEADER));
  const inside = /^\{\s*([^}]*)\}/.exec(text)?.[1];
  if (inside === undefined) throw foreign('it is no SMV image: it begins with no header in braces');
  const fields = new Map(
    [...inside.matchAll(/([A-Z][A-Z0-9_]*)\s*=\s*([^;]*);/gi)].map(([, key = '', value = '']) => [
      key.toUpperCase(),
      value.trim(),
    ]),
  );
  const [width, height] = [numberIn(fields, 'SIZE1'), numberIn(fields, 'SIZE2')];
  sized(width, height);
  const type = fields.get('TYPE') ?? 'unsigned_short';
  if (type !== 'unsigned_short') throw foreign(`TYPE=${type} is not read; allowed: unsigned_short`);
  const order = fields.get('BYTE_ORDER') ?? 'little_endian';
  if (order !== 'little_endian' && order !== 'big_endian') {
    throw foreign(`BYTE_ORDER=${order} is not read; allowed: little_endian, big_endian`);
  }
  const pixels = reaching(bytes, numberIn(fields, 'HEADER_BYTES'), 2 * width * height);
  const view = new DataView(pixels.buffer, pixels.byteOffset, pixels.length);
  const little = order === 'little_endian';
  const counts = Float32Array.from({ length: width * height }, (_, i) => view.getUint16(2 * i, little));
  return { width, height, counts, full: FULL, header: headerOf(fields) };
}
