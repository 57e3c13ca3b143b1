/** Reads TIFF and BigTIFF images of one channel that are not compressed, in strips or tiles: whole numbers of 8, 16 and 32 bits, and 32-bit floats. */
import { absent, type FieldRule, honoured, ignored, only } from '../../../io/volumes/header-fields.ts';
import { foreign, type Pixels, reaching, sized } from './pixels-read.ts';
import { cutoffIn } from './read-cbf.ts';

interface Tag {
  readonly tag: number;
  readonly rule: FieldRule;
}

const is = (...wanted: readonly number[]) => only(wanted.join(', '), (value) => wanted.includes(Number(value)));

/** Tags of TIFF 6.0 and of common additions that can change what pixels mean, by their name. */
export const tiffTags = {
  ImageWidth: { tag: 256, rule: honoured },
  ImageLength: { tag: 257, rule: honoured },
  BitsPerSample: { tag: 258, rule: honoured },
  Compression: { tag: 259, rule: is(1) },
  PhotometricInterpretation: { tag: 262, rule: is(1) },
  FillOrder: { tag: 266, rule: is(1) },
  ImageDescription: { tag: 270, rule: honoured },
  StripOffsets: { tag: 273, rule: honoured },
  Orientation: { tag: 274, rule: is(1) },
  SamplesPerPixel: { tag: 277, rule: is(1) },
  RowsPerStrip: { tag: 278, rule: ignored('StripByteCounts state the pixels of each strip') },
  StripByteCounts: { tag: 279, rule: honoured },
  PlanarConfiguration: { tag: 284, rule: ignored('an image of one channel has one plane') },
  Predictor: { tag: 317, rule: is(1) },
  ColorMap: { tag: 320, rule: absent },
  TileWidth: { tag: 322, rule: honoured },
  TileLength: { tag: 323, rule: honoured },
  TileOffsets: { tag: 324, rule: honoured },
  TileByteCounts: { tag: 325, rule: honoured },
  SubIFDs: { tag: 330, rule: ignored('hold reduced copies of the image') },
  ExtraSamples: { tag: 338, rule: absent },
  SampleFormat: { tag: 339, rule: honoured },
  ImageDepth: { tag: 32997, rule: is(1) },
  TileDepth: { tag: 32998, rule: is(1) },
} as const satisfies Readonly<Record<string, Tag>>;
type TagName = keyof typeof tiffTags;

/** Bytes of the types that numbers and texts may have. */
const TYPE_BYTES: Readonly<Record<number, 1 | 2 | 4 | 8>> = { 1: 1, 2: 1, 3: 2, 4: 4, 13: 4, 16: 8, 18: 8 };
/** Values of one tag that are read: strips of the largest image, one a row. */
const MOST_VALUES = 2 ** 20;

interface Directory {
  /** Values of a tag; `usual` where it is absent. */
  readonly values: (name: TagName, usual?: number) => readonly number[];
  readonly text: (name: TagName) => string;
  readonly has: (name: TagName) => boolean;
  /** Whether another image follows. */
  readonly more: boolean;
}

/** A place or an amount of BigTIFF: within the file it is a number. */
const long8 = (view: DataView, at: number, little: boolean): number => Number(view.getBigUint64(at, little));

function directoryOf(view: DataView, little: boolean, big: boolean): Directory {
  const word = (at: number): number => (big ? long8(view, at, little) : view.getUint32(at, little));
  const [countBytes, entryBytes, wordBytes] = big ? [8, 20, 8] : [2, 12, 4];
  const at = word(big ? 8 : 4);
  if (at + countBytes > view.byteLength) throw foreign('its directory lies behind its end');
  const count = big ? long8(view, at, little) : view.getUint16(at, little);
  const end = at + countBytes + entryBytes * count;
  if (!(end <= view.byteLength)) throw foreign('its directory is cut off');
  if (count === 0) throw foreign('its directory is empty');
  const entries = new Map(
    Array.from({ length: count }, (_, i) => {
      const entry = at + countBytes + entryBytes * i;
      return [view.getUint16(entry, little), entry] as const;
    }),
  );
  const placeOf = (tag: number) => {
    const entry = entries.get(tag);
    if (entry === undefined) return null;
    const [type, values] = [view.getUint16(entry + 2, little), word(entry + 4)];
    const size = TYPE_BYTES[type];
    if (size === undefined)
      throw foreign(`tag ${tag} is of type ${type}; allowed: ${Object.keys(TYPE_BYTES).join(', ')}`);
    const own = entry + 4 + wordBytes;
    const from = size * values <= wordBytes ? own : word(own);
    if (!(from + size * values <= view.byteLength)) throw foreign(`tag ${tag} lies behind the end of the file`);
    if (values > MOST_VALUES) throw foreign(`tag ${tag} has ${values} values; allowed: ${MOST_VALUES}`);
    return { from, size, values };
  };
  const number = (place: number, size: 1 | 2 | 4 | 8): number => {
    if (size === 8) return long8(view, place, little);
    if (size === 4) return view.getUint32(place, little);
    return size === 2 ? view.getUint16(place, little) : view.getUint8(place);
  };
  return {
    values: (name, usual) => {
      const found = placeOf(tiffTags[name].tag);
      if (found !== null)
        return Array.from({ length: found.values }, (_, i) => number(found.from + found.size * i, found.size));
      if (usual === undefined) throw foreign(`tag ${tiffTags[name].tag} (${name}) is missing`);
      return [usual];
    },
    text: (name) => {
      const found = placeOf(tiffTags[name].tag);
      if (found === null) return '';
      const bytes = new Uint8Array(view.buffer, view.byteOffset + found.from, found.size * found.values);
      return new TextDecoder('latin1').decode(bytes);
    },
    has: (name) => entries.has(tiffTags[name].tag),
    more: end + wordBytes <= view.byteLength && word(end) !== 0,
  };
}

/** A number of these bits and this kind (1 unsigned, 2 signed, 3 floating), and the value of an overloaded pixel. */
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
    case '8 2':
      return { get: (view, at) => view.getInt8(at), full: 2 ** 7 - 1 };
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

/** Rectangles of pixels, each in one stretch of bytes. */
interface Pieces {
  readonly width: number;
  readonly height: number;
  readonly offsets: readonly number[];
  readonly lengths: readonly number[];
}

function tilesOf({ values }: Directory): Pieces {
  const [[width = 0], [height = 0]] = [values('TileWidth'), values('TileLength')];
  return { width, height, offsets: values('TileOffsets'), lengths: values('TileByteCounts') };
}

type Get = (view: DataView, at: number) => number;

/** Tiles go over the right and lower edges of the image, and what is outside is dropped. */
function fromTiles(
  bytes: Uint8Array,
  tiles: Pieces,
  width: number,
  height: number,
  size: number,
  get: Get,
): Float32Array {
  if (!(tiles.width > 0) || !(tiles.height > 0)) {
    throw foreign(`its tiles have ${tiles.width} × ${tiles.height} pixels; allowed: 1 and more`);
  }
  const across = Math.ceil(width / tiles.width);
  const wanted = across * Math.ceil(height / tiles.height);
  const each = tiles.width * tiles.height * size;
  if (tiles.offsets.length !== wanted || tiles.lengths.length !== wanted) {
    throw foreign(
      `it has ${tiles.offsets.length} tiles; allowed: ${wanted} of ${tiles.width} × ${tiles.height} pixels`,
    );
  }
  const counts = new Float32Array(width * height);
  for (const [i, from] of tiles.offsets.entries()) {
    if (tiles.lengths[i] !== each) throw foreign(`tile ${i + 1} has ${tiles.lengths[i]} bytes; allowed: ${each}`);
    const part = reaching(bytes, from, each);
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

function fromStrips(bytes: Uint8Array, { values }: Directory, amount: number, size: number, get: Get): Float32Array {
  const counts = new Float32Array(amount);
  const [strips, lengths] = [values('StripOffsets'), values('StripByteCounts')];
  const announced = lengths.reduce((sum, length) => sum + length, 0);
  if (strips.length !== lengths.length || announced !== amount * size) {
    throw foreign(`its ${strips.length} strips hold ${announced / size} of ${amount} pixels`);
  }
  let next = 0;
  for (const [i, from] of strips.entries()) {
    const part = reaching(bytes, from, lengths[i] ?? 0);
    const view = new DataView(part.buffer, part.byteOffset, part.length);
    for (let at = 0; at + size <= part.length; at += size, next += 1) counts[next] = get(view, at);
  }
  return counts;
}

/** ImageJ describes a calibration of the values, and images behind the only directory, in words. */
function checkImageJ(description: string): void {
  if (!/^ImageJ=/.test(description)) return;
  for (const [name, allowed] of [
    ['c0', 0],
    ['c1', 1],
    ['images', 1],
  ] as const) {
    const value = new RegExp(String.raw`^${name}=(\S+)`, 'm').exec(description)?.[1];
    if (value !== undefined && Number(value) !== allowed) {
      throw foreign(`its ImageDescription of ImageJ has ${name}=${value}; allowed: ${allowed}`);
    }
  }
}

export function readTiff(bytes: Uint8Array): Pixels {
  const mark = String.fromCharCode(...bytes.subarray(0, 2));
  const little = mark === 'II';
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const version = bytes.length < 16 || (!little && mark !== 'MM') ? 0 : view.getUint16(2, little);
  if (version !== 42 && version !== 43) throw foreign('it is no TIFF');
  if (version === 43 && view.getUint16(4, little) !== 8) {
    throw foreign(`its BigTIFF has places of ${view.getUint16(4, little)} bytes; allowed: 8`);
  }
  const directory = directoryOf(view, little, version === 43);
  for (const [name, { tag, rule }] of Object.entries(tiffTags)) {
    if (rule.kind !== 'only' || !directory.has(name as TagName)) continue;
    const [value = 0] = directory.values(name as TagName);
    if (!rule.accepts(String(value))) throw foreign(`${name} (tag ${tag}) is ${value}; allowed: ${rule.allowed}`);
  }
  checkImageJ(directory.text('ImageDescription'));
  const one = (name: TagName, usual?: number): number => directory.values(name, usual)[0] ?? 0;
  const [width, height, bits] = [one('ImageWidth'), one('ImageLength'), one('BitsPerSample', 1)];
  sized(width, height);
  const { get, full } = sampleOf(bits, one('SampleFormat', 1));
  const size = bits / 8;
  const read: Get = (part, at) => get(part, at, little);
  const counts = directory.has('TileOffsets')
    ? fromTiles(bytes, tilesOf(directory), width, height, size, read)
    : fromStrips(bytes, directory, width * height, size, read);
  return {
    ...{ width, height, counts, header: {} },
    full: Math.min(full, cutoffIn(directory.text('ImageDescription'))),
    ...(directory.more ? { notes: ['It has more images: the first one is read.'] } : {}),
  };
}
