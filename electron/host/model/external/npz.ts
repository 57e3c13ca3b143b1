/** Reads arrays of doubles from an NPZ file: a ZIP archive of NPY arrays, as written by NumPy. */
import { inflateRawSync } from 'node:zlib';
import { BraggError } from '../../../contract/errors.ts';

interface NpyArray {
  readonly shape: readonly number[];
  readonly values: Float64Array;
}

// Signatures of the ZIP end record and of a directory entry, from PKWARE's APPNOTE.
const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const endLength = 22;
const STORED_METHOD = 0;
const DEFLATED_METHOD = 8;

function throwUnreadableNpz(what: string): never {
  throw new BraggError('foreign-file', `the NPZ file cannot be read: ${what}`);
}

function readEndRecord(bytes: Buffer): { readonly count: number; readonly offset: number } {
  for (let at = bytes.length - endLength; at >= 0; at -= 1) {
    if (bytes.readUInt32LE(at) !== endSignature) continue;
    return { count: bytes.readUInt16LE(at + 10), offset: bytes.readUInt32LE(at + 16) };
  }
  return throwUnreadableNpz('it has no directory');
}

function decompressEntry(bytes: Buffer, entry: number): Buffer {
  const [method, packed] = [bytes.readUInt16LE(entry + 10), bytes.readUInt32LE(entry + 20)];
  const local = bytes.readUInt32LE(entry + 42);
  const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
  const data = bytes.subarray(start, start + packed);
  if (method === STORED_METHOD) return data;
  return method === DEFLATED_METHOD
    ? inflateRawSync(data)
    : throwUnreadableNpz(`its compression ${method} is not supported`);
}

function parseNpy(bytes: Buffer): NpyArray {
  if (bytes.subarray(0, 6).toString('latin1') !== '\x93NUMPY') throwUnreadableNpz('an array has no NPY header');
  const wide = (bytes[6] ?? 1) > 1;
  const length = wide ? bytes.readUInt32LE(8) : bytes.readUInt16LE(8);
  const start = (wide ? 12 : 10) + length;
  const header = bytes.subarray(wide ? 12 : 10, start).toString('latin1');
  if (!/'descr': *'<f8'/.test(header)) throwUnreadableNpz('its numbers are not little-endian doubles');
  if (!/'fortran_order': *False/.test(header)) throwUnreadableNpz('its array is in column-major order');
  const shape = (/'shape': *\(([^)]*)\)/.exec(header)?.[1] ?? throwUnreadableNpz('its array has no shape'))
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(Number);
  const count = shape.reduce((a, b) => a * b, 1);
  if (bytes.length - start !== 8 * count)
    throwUnreadableNpz(`its array has ${bytes.length - start} bytes for ${count} numbers`);
  const values = new Float64Array(count);
  new Uint8Array(values.buffer).set(bytes.subarray(start));
  return { shape, values };
}

/** Reads the array `name`. Throws BraggError 'foreign-file' with the reason. */
export function readNpz(bytes: Uint8Array, name: string): NpyArray {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const { count, offset } = readEndRecord(buffer);
    let at = offset;
    for (let i = 0; i < count; i += 1) {
      if (buffer.readUInt32LE(at) !== entrySignature) throwUnreadableNpz('its directory is damaged');
      const [nameLength, extra, comment] = [28, 30, 32].map((field) => buffer.readUInt16LE(at + field));
      const entryName = buffer.subarray(at + 46, at + 46 + (nameLength ?? 0)).toString('utf8');
      if (entryName === `${name}.npy`) return parseNpy(decompressEntry(buffer, at));
      at += 46 + (nameLength ?? 0) + (extra ?? 0) + (comment ?? 0);
    }
  } catch (error) {
    if (error instanceof BraggError) throw error;
    throwUnreadableNpz('it is truncated');
  }
  return throwUnreadableNpz(`it has no array ${name}`);
}
