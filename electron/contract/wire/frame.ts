/**
 * Frame format shared by all transports.
 *
 *   0   u32  magic "BRG1", little-endian
 *   4   u32  length of the JSON header in bytes
 *   8   header, UTF-8, padded with zeros to a multiple of 8
 *   …   sections, each padded with zeros to a multiple of 8
 *
 * The header is `{"value": …, "sections": [[type, count, path], …]}`. A typed
 * array anywhere in the value becomes a section, and so does a long text, as
 * UTF-8. The JSON contains null in its place; `path` is its position in the value.
 * JSON therefore never carries arrays of numbers, and no key of a user's document
 * can be mistaken for a marker.
 *
 * Decoded sections are views on the frame's own bytes: allocation sizes never come from a length field, only from bytes
 * received.
 */
import { runToCompletion, type YieldingTask } from '../../domain/values/pausing.ts';
import type { NumericArray } from './arrays.ts';
import { FrameError, jsonInSteps, MAX_PATH, type Section, TEXT } from './frame-json.ts';

export { FrameError } from './frame-json.ts';

export const FRAME_MAGIC = 0x31475242; // "BRG1"
/**
 * Limit far above the largest header, which lists runs or sessions. Arrays and long texts are sections, not part of the
 * header.
 */
export const MAX_HEADER_BYTES = 16 * 2 ** 20;
/** Limit above the largest frame, in which the page sends a dropped run file. */
export const MAX_FRAME_BYTES = 512 * 2 ** 20;
const MAX_SECTIONS = 4096;
/** Number of characters to encode before yielding, about 2 ms of work. */
const STRIDE_CHARACTERS = 2 ** 18;
/** Number of bytes to copy before yielding, about 2 ms of work. */
const STRIDE_BYTES = 8 * 2 ** 20;
const PROLOGUE = 8;

/**
 * Error for a value that is too large for a frame. Its message has no subject, which the caller adds: `… has …;
 * allowed: …`.
 */
export class FrameSizeError extends FrameError {
  override readonly name = 'FrameSizeError';
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

if (new Uint8Array(new Uint32Array([1]).buffer)[0] !== 1) {
  throw new FrameError('frames are little-endian but this machine is not');
}

const paddedLength = (length: number): number => (length + 7) & ~7;

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

/**
 * Encodes a JSON-like value that may contain typed arrays. Throws FrameError for values that frames cannot represent.
 */
export function encodeFrame(value: unknown): Uint8Array {
  return runToCompletion(frameInSteps(value));
}

/**
 * Cooperative version of `encodeFrame`: it yields after every few megabytes, so that large frames do not block the
 * event loop.
 */
export function* frameInSteps(value: unknown): YieldingTask<Uint8Array> {
  const sections: Section[] = [];
  const parts: Uint8Array[] = [];
  const put = (text: string): number => parts.push(new TextEncoder().encode(text));
  put('{"value":');
  let written = 0;
  for (const text of jsonInSteps(value, sections)) {
    put(text);
    written += text.length;
    if (written < STRIDE_CHARACTERS) continue;
    written = 0;
    yield;
  }
  if (sections.length > MAX_SECTIONS)
    throw new FrameError(`${sections.length} arrays; allowed: at most ${MAX_SECTIONS}`);
  put(`,"sections":${JSON.stringify(sections.map(({ type, array, path }) => [type, array.length, path]))}}`);
  const headerBytes = parts.reduce((sum, { length }) => sum + length, 0);
  if (headerBytes > MAX_HEADER_BYTES) {
    const most = mebibytes(MAX_HEADER_BYTES);
    throw new FrameSizeError(
      `it has ${mebibytes(headerBytes)} in addition to arrays and long texts; allowed: at most ${most}`,
    );
  }
  let total = PROLOGUE + paddedLength(headerBytes);
  for (const s of sections) total += paddedLength(s.array.byteLength);
  if (total > MAX_FRAME_BYTES) {
    throw new FrameSizeError(`it has ${mebibytes(total)}; allowed: at most ${mebibytes(MAX_FRAME_BYTES)}`);
  }

  const frame = new Uint8Array(total);
  const view = new DataView(frame.buffer);
  view.setUint32(0, FRAME_MAGIC, true);
  view.setUint32(4, headerBytes, true);
  let put_at = PROLOGUE;
  for (const part of parts) {
    frame.set(part, put_at);
    put_at += part.length;
  }
  let at = PROLOGUE + paddedLength(headerBytes);
  let copied = 0;
  for (const { array } of sections) {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let from = 0; from < bytes.length; from += STRIDE_BYTES) {
      const part = bytes.subarray(from, from + STRIDE_BYTES);
      frame.set(part, at + from);
      copied += part.length;
      if (copied < STRIDE_BYTES) continue;
      copied = 0;
      yield;
    }
    at += paddedLength(array.byteLength);
  }
  return frame;
}

/** Inserts a decoded array or text at its path from the header. The header must contain null there. */
function insertSection(root: { value: unknown }, path: unknown, found: NumericArray | string): void {
  if (!Array.isArray(path) || path.length > MAX_PATH + 1) throw new FrameError('a section has no valid path');
  let holder: object = root;
  let key: string | number = 'value';
  for (const step of path) {
    const next: unknown = Object.hasOwn(holder, key) ? Reflect.get(holder, key) : undefined;
    if (next === null || typeof next !== 'object' || ArrayBuffer.isView(next)) {
      throw new FrameError('the path of a binary section leads to no placeholder in the JSON part of the frame');
    }
    if (typeof step !== 'string' && typeof step !== 'number') throw new FrameError('a section has no valid path');
    holder = next;
    key = step;
  }
  if (!Object.hasOwn(holder, key) || Reflect.get(holder, key) !== null) {
    throw new FrameError('the path of a binary section leads to no placeholder in the JSON part of the frame');
  }
  Reflect.set(holder, key, found);
}

function decodeText(bytes: NumericArray): string {
  try {
    // `ignoreBOM` keeps a byte order mark, because it is part of the text.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new FrameError('a text is not UTF-8', { cause: error });
  }
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
 * Decodes a complete frame. Arrays in the result are views of the input bytes, or of a copy if their address is not a
 * multiple of 8. Throws FrameError for input that `encodeFrame` cannot produce.
 */
export function decodeFrame(input: Uint8Array): unknown {
  if (input.byteLength < PROLOGUE || input.byteLength > MAX_FRAME_BYTES) {
    throw new FrameError(`the frame has ${input.byteLength} bytes; allowed: ${PROLOGUE} to ${MAX_FRAME_BYTES}`);
  }
  const frame = input.byteOffset % 8 === 0 ? input : input.slice();
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  if (view.getUint32(0, true) !== FRAME_MAGIC) throw new FrameError('these bytes are not a frame');
  const headerLength = view.getUint32(4, true);
  if (headerLength > MAX_HEADER_BYTES || PROLOGUE + headerLength > frame.byteLength) {
    throw new FrameError(`the frame claims a header of ${headerLength} bytes, which is too long`);
  }
  const root = parseHeader(frame.subarray(PROLOGUE, PROLOGUE + headerLength));
  let at = PROLOGUE + paddedLength(headerLength);
  for (const section of root.sections) {
    if (!Array.isArray(section)) throw new FrameError('a section has no description');
    const [typeName, count, path]: unknown[] = section;
    const isText = typeName === TEXT;
    const ofArray = typeof typeName === 'string' && Object.hasOwn(sectionTypes, typeName);
    const type = isText ? sectionTypes['u8'] : ofArray ? sectionTypes[typeName] : undefined;
    if (type === undefined || typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) {
      throw new FrameError('a section has no description');
    }
    if (at + count * type.size > frame.byteLength)
      throw new FrameError(`a section claims ${count} elements, which exceed the frame`);
    const array = new type.make(frame.buffer, frame.byteOffset + at, count);
    insertSection(root, path, isText ? decodeText(array) : array);
    at += paddedLength(count * type.size);
  }
  if (at !== frame.byteLength) throw new FrameError(`the frame has ${frame.byteLength} bytes, but ${at} are described`);
  return root.value;
}
