/**
 * The one frame format of all transports.
 *
 *   0   u32  magic "BRG1", little-endian
 *   4   u32  length of the JSON header in bytes
 *   8   header, UTF-8, padded with zeros to a multiple of 8
 *   …   sections, each padded with zeros to a multiple of 8
 *
 * The header is `{"value": …, "sections": [[type, count, path], …]}`. A typed
 * array found anywhere in the value becomes a section; in the JSON a null
 * stands in its place and `path` says where it goes back. So JSON never carries
 * arrays of numbers, and no key of a user's document can be taken for a marker.
 *
 * Decoded sections are views on the frame's own bytes: nothing is allocated
 * from a length that the frame claims, only from bytes that are there.
 */
import type { NumericArray } from './arrays.ts';

export const FRAME_MAGIC = 0x31475242; // "BRG1"
/** A header holds a scenario text or a list of runs; 16 MiB is far above both. */
export const MAX_HEADER_BYTES = 16 * 2 ** 20;
/** A run file sent by the page (drag and drop) is the largest frame there is. */
export const MAX_FRAME_BYTES = 512 * 2 ** 20;
const MAX_SECTIONS = 4096;
const MAX_PATH = 32;
const PROLOGUE = 8;

export class FrameError extends Error {
  override readonly name = 'FrameError';
}

type Constructor = new (buffer: ArrayBufferLike, offset: number, count: number) => NumericArray;

const sectionTypes: Readonly<Record<string, { readonly size: number; readonly make: Constructor }>> = {
  u8: { size: 1, make: Uint8Array },
  i8: { size: 1, make: Int8Array },
  u16: { size: 2, make: Uint16Array },
  i16: { size: 2, make: Int16Array },
  u32: { size: 4, make: Uint32Array },
  i32: { size: 4, make: Int32Array },
  f32: { size: 4, make: Float32Array },
  f64: { size: 8, make: Float64Array },
  u64: { size: 8, make: BigUint64Array },
};

const typeOfTag: Readonly<Record<string, string>> = {
  Uint8Array: 'u8',
  Int8Array: 'i8',
  Uint16Array: 'u16',
  Int16Array: 'i16',
  Uint32Array: 'u32',
  Int32Array: 'i32',
  Float32Array: 'f32',
  Float64Array: 'f64',
  BigUint64Array: 'u64',
};

if (new Uint8Array(new Uint32Array([1]).buffer)[0] !== 1) {
  throw new FrameError('frames are little-endian and this machine is not');
}

const padded = (length: number): number => (length + 7) & ~7;

type Path = readonly (string | number)[];
type Section = { readonly type: string; readonly path: Path; readonly array: NumericArray };

/** JSON has it as it is. */
const isCarried = (value: unknown): boolean =>
  value === null || (typeof value === 'number' ? Number.isFinite(value) : typeof value !== 'object');

/** The value with nulls where typed arrays stood, and those arrays with their places. */
function takeSections(value: unknown, path: Path, sections: Section[]): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new FrameError(`${path.join('.') || 'the value'} is ${value}, which JSON cannot carry`);
  }
  if (value === null || typeof value !== 'object') return value;
  if (path.length > MAX_PATH) throw new FrameError(`the value is nested deeper than ${MAX_PATH} levels`);
  if (ArrayBuffer.isView(value)) {
    const type = typeOfTag[String(Reflect.get(value, Symbol.toStringTag))];
    if (type === undefined) throw new FrameError(`${path.join('.')}: arrays of this type are not carried`);
    sections.push({ type, path, array: value as NumericArray });
    return null;
  }
  // A path for each of a million numbers would take longer than everything else here.
  const take = (item: unknown, step: string | number): unknown =>
    isCarried(item) ? item : takeSections(item, [...path, step], sections);
  if (Object.values(value).every(isCarried)) return value;
  if (Array.isArray(value)) return value.map(take);
  const out: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    // `__proto__` as a key would set the prototype instead of a property.
    Object.defineProperty(out, key, {
      value: take(item, key),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return out;
}

/** Encodes a JSON-like value that may hold typed arrays. Throws FrameError for what cannot be carried. */
export function encodeFrame(value: unknown): Uint8Array {
  const sections: Section[] = [];
  const bare = takeSections(value, [], sections);
  if (sections.length > MAX_SECTIONS) throw new FrameError(`${sections.length} arrays in one frame`);
  const header = new TextEncoder().encode(
    JSON.stringify({ value: bare, sections: sections.map((s) => [s.type, s.array.length, s.path]) }),
  );
  if (header.length > MAX_HEADER_BYTES) throw new FrameError(`the header has ${header.length} bytes`);
  let total = PROLOGUE + padded(header.length);
  for (const s of sections) total += padded(s.array.byteLength);
  if (total > MAX_FRAME_BYTES) throw new FrameError(`the frame has ${total} bytes, at most ${MAX_FRAME_BYTES}`);

  const frame = new Uint8Array(total);
  const view = new DataView(frame.buffer);
  view.setUint32(0, FRAME_MAGIC, true);
  view.setUint32(4, header.length, true);
  frame.set(header, PROLOGUE);
  let at = PROLOGUE + padded(header.length);
  for (const { array } of sections) {
    frame.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    at += padded(array.byteLength);
  }
  return frame;
}

/** Puts an array where the header's path says; the place must hold the null that stood in for it. */
function place(root: { value: unknown }, path: unknown, array: NumericArray): void {
  if (!Array.isArray(path) || path.length > MAX_PATH + 1) throw new FrameError('a section has no valid path');
  let holder: object = root;
  let key: string | number = 'value';
  for (const step of path) {
    const next: unknown = Object.hasOwn(holder, key) ? Reflect.get(holder, key) : undefined;
    if (next === null || typeof next !== 'object' || ArrayBuffer.isView(next)) {
      throw new FrameError('a section points to no place in the value');
    }
    if (typeof step !== 'string' && typeof step !== 'number') throw new FrameError('a section has no valid path');
    holder = next;
    key = step;
  }
  if (!Object.hasOwn(holder, key) || Reflect.get(holder, key) !== null) {
    throw new FrameError('a section points to no place in the value');
  }
  Reflect.set(holder, key, array);
}

function parseHeader(text: Uint8Array): { value: unknown; sections: readonly unknown[] } {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(text));
  } catch (error) {
    throw new FrameError('the frame header is not JSON', { cause: error });
  }
  if (header === null || typeof header !== 'object' || !('value' in header) || !('sections' in header)) {
    throw new FrameError('the frame header has no value or no sections');
  }
  if (!Array.isArray(header.sections) || header.sections.length > MAX_SECTIONS) {
    throw new FrameError('the list of sections is not valid');
  }
  return { value: header.value, sections: header.sections };
}

/**
 * Decodes a whole frame; the arrays in the result are views on its bytes (on
 * one copy of them when they do not start at a multiple of 8).
 * Throws FrameError for anything that encodeFrame cannot have made.
 */
export function decodeFrame(input: Uint8Array): unknown {
  if (input.byteLength < PROLOGUE || input.byteLength > MAX_FRAME_BYTES) {
    throw new FrameError(`a frame of ${input.byteLength} bytes`);
  }
  const frame = input.byteOffset % 8 === 0 ? input : input.slice();
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  if (view.getUint32(0, true) !== FRAME_MAGIC) throw new FrameError('these bytes are not a frame');
  const headerLength = view.getUint32(4, true);
  if (headerLength > MAX_HEADER_BYTES || PROLOGUE + headerLength > frame.byteLength) {
    throw new FrameError(`the frame claims a header of ${headerLength} bytes`);
  }
  const root = parseHeader(frame.subarray(PROLOGUE, PROLOGUE + headerLength));
  let at = PROLOGUE + padded(headerLength);
  for (const section of root.sections) {
    if (!Array.isArray(section)) throw new FrameError('a section is not described');
    const [typeName, count, path]: unknown[] = section;
    const type =
      typeof typeName === 'string' && Object.hasOwn(sectionTypes, typeName) ? sectionTypes[typeName] : undefined;
    if (type === undefined || typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) {
      throw new FrameError('a section is not described');
    }
    if (at + count * type.size > frame.byteLength) throw new FrameError(`a section claims ${count} elements`);
    place(root, path, new type.make(frame.buffer, frame.byteOffset + at, count));
    at += padded(count * type.size);
  }
  if (at !== frame.byteLength) throw new FrameError(`${frame.byteLength} bytes where ${at} were described`);
  return root.value;
}
