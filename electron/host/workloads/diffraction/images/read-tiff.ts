/** Reads TIFF images of one channel that are not compressed: whole numbers of 8, 16 and 32 bits, and 32-bit floats. */
import { foreign, type Pixels, reaching, sized } from './pixels-read.ts';

const TAGS = {
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  strips: 273,
  channels: 277,
  lengths: 279,
  sample: 339,
};
/** Bytes of the types that sizes and places may have: 16 and 32 bits. */
const TYPE_BYTES: Readonly<Record<number, 2 | 4>> = { 3: 2, 4: 4 };
/** More strips than rows are none. */
const ENTRY_BYTES = 12;

type Fields = (tag: number, usual?: number) => readonly number[];

function fieldsOf(view: DataView, little: boolean): Fields {
  const at = view.getUint32(4, little);
  if (at + 2 > view.byteLength) throw foreign('its directory lies behind its end');
  const count = view.getUint16(at, little);
  if (at + 2 + ENTRY_BYTES * count > view.byteLength) throw foreign('its directory is cut off');
  const entries = new Map(
    Array.from({ length: count }, (_, i) => {
      const entry = at + 2 + ENTRY_BYTES * i;
      return [view.getUint16(entry, little), entry] as const;
    }),
  );
  return (tag, usual) => {
    const entry = entries.get(tag);
    if (entry === undefined) {
      if (usual === undefined) throw foreign(`tag ${tag} is missing`);
      return [usual];
    }
    const [type, values] = [view.getUint16(entry + 2, little), view.getUint32(entry + 4, little)];
    const size = TYPE_BYTES[type];
    if (size === undefined) throw foreign(`tag ${tag} is of type ${type}; allowed: 3, 4`);
    const from = size * values <= 4 ? entry + 8 : view.getUint32(entry + 8, little);
    if (from + size * values > view.byteLength) throw foreign(`tag ${tag} lies behind the end of the file`);
    const read = (place: number): number =>
      size === 2 ? view.getUint16(place, little) : view.getUint32(place, little);
    return Array.from({ length: values }, (_, i) => read(from + size * i));
  };
}

/** A number of these bits and this kind (1 unsigned, 2 signed, 3 floating), and what is full. */
function sampleOf(
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
    case '16 2':
      return { get: (view, at, little) => view.getInt16(at, little), full: 2 ** 15 - 1 };
    case '32 2':
      return { get: (view, at, little) => view.getInt32(at, little), full: 2 ** 31 - 1 };
    case '32 3':
      return { get: (view, at, little) => view.getFloat32(at, little), full: none };
    default:
      throw foreign(
        `${bits} bits of kind ${kind} are not read; allowed: 8, 16, 32 bits of whole numbers, 32 of floats`,
      );
  }
}

export function readTiff(bytes: Uint8Array): Pixels {
  const mark = String.fromCharCode(...bytes.subarray(0, 2));
  const little = mark === 'II';
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if ((!little && mark !== 'MM') || bytes.length < 8 || view.getUint16(2, little) !== 42)
    throw foreign('it is no TIFF');
  const fields = fieldsOf(view, little);
  const one = (tag: number, usual?: number): number => fields(tag, usual)[0] ?? 0;
  const [width, height, bits] = [one(TAGS.width), one(TAGS.height), one(TAGS.bits, 1)];
  sized(width, height);
  const [compression, channels] = [one(TAGS.compression, 1), one(TAGS.channels, 1)];
  if (compression !== 1) throw foreign(`compression ${compression} is not read; allowed: 1, none`);
  if (channels !== 1) throw foreign(`it has ${channels} channels; allowed: 1`);
  const { get, full } = sampleOf(bits, one(TAGS.sample, 1));
  const counts = new Float32Array(width * height);
  const [strips, lengths] = [fields(TAGS.strips), fields(TAGS.lengths)];
  const size = bits / 8;
  let next = 0;
  for (const [i, from] of strips.entries()) {
    const part = reaching(bytes, from, lengths[i] ?? 0);
    const pixels = new DataView(part.buffer, part.byteOffset, part.length);
    for (let at = 0; at + size <= part.length && next < counts.length; at += size, next += 1) {
      counts[next] = get(pixels, at, little);
    }
  }
  if (next < counts.length) throw foreign(`its strips hold ${next} of ${counts.length} pixels`);
  return { width, height, counts, full, header: {} };
}
