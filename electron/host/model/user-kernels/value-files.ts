/**
 * Reads values for an input of a user problem from a file: NumPy .npy, raw .bin, HDF5 or safetensors. The values are
 * converted to FP64 and cached by content.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BraggError, messageOf } from '../../../contract/errors.ts';
import type { ProblemType } from '../../../contract/scenario/user-problem/index.ts';
import { temporaryPathIn } from '../../io/files/write-file.ts';
import { datasetAt, openFile } from '../../io/hdf5/h5.ts';
import { defineThreadTask } from '../../io/threads/task.ts';

export interface ValueFile {
  readonly file: string;
  /** Name of the array in an HDF5 or safetensors file. */
  readonly dataset: string;
  readonly type: ProblemType;
  readonly shape: readonly number[];
  readonly cache: string;
}

/** Maximum file size in bytes, because the content has to fit into one array. */
const MAX_BYTES = 2 ** 30;

const ENDINGS = '.npy, .bin, .h5, .hdf5, .safetensors';

interface Values {
  /** Shape of the array; null for a raw file, which has none. */
  readonly shape: readonly number[] | null;
  /** Values in their order in the file; a complex value is two numbers. */
  readonly values: Float64Array;
}

/** Functions that read a little-endian number, by NumPy's type codes: a letter and the size in bytes. */
const readers: Readonly<
  Record<string, { readonly bytes: number; readonly at: (view: DataView, i: number) => number }>
> = {
  f8: { bytes: 8, at: (view, i) => view.getFloat64(i, true) },
  f4: { bytes: 4, at: (view, i) => view.getFloat32(i, true) },
  f2: { bytes: 2, at: (view, i) => decodeFloat16(view.getUint16(i, true)) },
  bf16: { bytes: 2, at: (view, i) => decodeBfloat16(view.getUint16(i, true)) },
  i8: { bytes: 8, at: (view, i) => Number(view.getBigInt64(i, true)) },
  i4: { bytes: 4, at: (view, i) => view.getInt32(i, true) },
  i2: { bytes: 2, at: (view, i) => view.getInt16(i, true) },
  i1: { bytes: 1, at: (view, i) => view.getInt8(i) },
  u1: { bytes: 1, at: (view, i) => view.getUint8(i) },
  b1: { bytes: 1, at: (view, i) => view.getUint8(i) },
};

/** Value of an IEEE 754 binary16 number from its bits. */
function decodeFloat16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) & 0x1f, bits & 0x3ff];
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Value of a bfloat16 number from its bits, which are the upper half of a binary32 number. */
function decodeBfloat16(bits: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, bits << 16);
  return view.getFloat32(0);
}

const rawKinds: Readonly<Record<ProblemType, string>> = {
  ...{ fp64: 'f8', fp32: 'f4', tf32: 'f4', fp16: 'f2', bf16: 'bf16', int32: 'i4', int8: 'i1', bool: 'b1' },
  ...{ complex64: 'f4', complex128: 'f8' },
};

const isComplex = (type: ProblemType): boolean => type === 'complex64' || type === 'complex128';

function numbersIn(bytes: Uint8Array, kind: string): Float64Array {
  const reader = readers[kind];
  if (reader === undefined) throw new Error(`numbers of kind ${kind}; allowed: ${Object.keys(readers).join(', ')}`);
  if (bytes.byteLength % reader.bytes !== 0)
    throw new Error(`${bytes.byteLength} bytes are not a multiple of ${reader.bytes}, the size of a number`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float64Array.from({ length: bytes.byteLength / reader.bytes }, (_, i) => reader.at(view, i * reader.bytes));
}

/** Reads an .npy file: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
function readNpy(bytes: Buffer): Values {
  if (bytes.subarray(0, 6).toString('latin1') !== '\x93NUMPY') throw new Error('it has no NPY header');
  const wide = (bytes[6] ?? 1) > 1;
  const begin = wide ? 12 : 10;
  const start = begin + (wide ? bytes.readUInt32LE(8) : bytes.readUInt16LE(8));
  const header = bytes.subarray(begin, start).toString('latin1');
  const [, order = '', kind = ''] = /'descr': *'([<|>=])(\w+)'/.exec(header) ?? [];
  if (order === '>') throw new Error('its numbers are big-endian; allowed: little-endian');
  if (!/'fortran_order': *False/.test(header))
    throw new Error('its array is in column-major order; allowed: row-major (C) order');
  const dims = /'shape': *\(([^)]*)\)/.exec(header)?.[1];
  if (dims === undefined) throw new Error('it states no shape');
  const shape = dims.split(',').flatMap((part) => (part.trim() === '' ? [] : [Number(part)]));
  const part = kind === 'c8' ? 'f4' : kind === 'c16' ? 'f8' : kind;
  return { shape, values: numbersIn(bytes.subarray(start), part) };
}

const tensorKinds: Readonly<Record<string, string>> = {
  ...{ F64: 'f8', F32: 'f4', F16: 'f2', BF16: 'bf16', I64: 'i8', I32: 'i4', I16: 'i2', I8: 'i1', U8: 'u1', BOOL: 'b1' },
};

/** Reads a safetensors file (https://huggingface.co/docs/safetensors): length of the JSON header, header, data. */
function readSafetensors(bytes: Buffer, dataset: string): Values {
  const length = Number(bytes.readBigUInt64LE(0));
  if (length > bytes.length - 8) throw new Error('its header is longer than the file');
  const header = JSON.parse(bytes.subarray(8, 8 + length).toString('utf8')) as Readonly<Record<string, unknown>>;
  const names = Object.keys(header).filter((name) => name !== '__metadata__');
  const found = Object.hasOwn(header, dataset) ? header[dataset] : undefined;
  const { dtype, shape, data_offsets: offsets } = (found ?? {}) as Readonly<Record<string, unknown>>;
  if (!Array.isArray(shape) || !Array.isArray(offsets))
    throw new Error(`it has no tensor ${JSON.stringify(dataset)}; allowed: ${names.slice(0, 20).join(', ')}`);
  const [from, to] = offsets.map((offset) => 8 + length + Number(offset));
  if (from === undefined || to === undefined || !(from <= to && to <= bytes.length))
    throw new Error(`${dataset} is outside of the file`);
  const kind = tensorKinds[String(dtype)];
  if (kind === undefined)
    throw new Error(`${dataset} has the type ${String(dtype)}; allowed: ${Object.keys(tensorKinds).join(', ')}`);
  return { shape: shape.map(Number), values: numbersIn(bytes.subarray(from, to), kind) };
}

async function readHdf5(bytes: Buffer, dataset: string): Promise<Values> {
  return openFile(bytes, (file) => {
    const found = datasetAt(file, dataset);
    if (found === null)
      throw new Error(`it has no data set ${JSON.stringify(dataset)}; allowed: ${file.keys().slice(0, 20).join(', ')}`);
    const { shape } = found;
    const value = found.value;
    const flat = typeof value === 'number' ? [value] : value;
    if (!ArrayBuffer.isView(flat) && !Array.isArray(flat)) throw new Error(`${dataset} has no numbers`);
    const values = Float64Array.from(flat as ArrayLike<number>, Number);
    return { shape: shape ?? [], values };
  });
}

function readValues(bytes: Buffer, { file, dataset, type }: ValueFile): Values | Promise<Values> {
  switch (path.extname(file).toLowerCase()) {
    case '.npy':
      return readNpy(bytes);
    case '.bin':
      return { shape: null, values: numbersIn(bytes, rawKinds[type]) };
    case '.safetensors':
      return readSafetensors(bytes, dataset);
    case '.h5':
    case '.hdf5':
      return readHdf5(bytes, dataset);
    default:
      throw new Error(`its file extension is not known; allowed: ${ENDINGS}`);
  }
}

const integerLimits: Readonly<Partial<Record<ProblemType, readonly [number, number]>>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int8: [-128, 127],
  bool: [0, 1],
};

/**
 * Path of a file with the values in FP64. Throws BraggError `foreign-file`, whose message states the file, the error
 * and the allowed content.
 */
async function valuesOf(of: ValueFile): Promise<string> {
  const { file, dataset, type, shape, cache } = of;
  const name = path.basename(file);
  const found = await stat(file).catch(() => null);
  if (found === null || !found.isFile()) throw new BraggError('not-found', `${file} does not exist`);
  if (found.size > MAX_BYTES)
    throw new BraggError('foreign-file', `${name} has ${found.size} bytes; allowed: ${MAX_BYTES}`);
  const bytes = await readFile(file);
  const key = createHash('sha256')
    .update(JSON.stringify([path.extname(file), dataset, type, shape]))
    .update(bytes);
  const folder = path.join(cache, 'values');
  const target = path.join(folder, `${key.digest('hex').slice(0, 32)}.f64`);
  if (existsSync(target)) return target;
  const { values, shape: stated } = await (async () => readValues(bytes, of))().catch((error: unknown) => {
    throw new BraggError('foreign-file', `${name}: ${messageOf(error)}`);
  });
  const count = shape.reduce((all, size) => all * size, isComplex(type) ? 2 : 1);
  if (stated !== null && JSON.stringify(stated) !== JSON.stringify(shape))
    throw new BraggError(
      'foreign-file',
      `${name} has the shape [${stated.join(', ')}]; allowed: [${shape.join(', ')}], the shape of the array`,
    );
  if (values.length !== count)
    throw new BraggError('foreign-file', `${name} has ${values.length} numbers; allowed: ${count}`);
  const [least, most] = integerLimits[type] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const wrong =
    integerLimits[type] === undefined ? -1 : values.findIndex((x) => !Number.isInteger(x) || x < least || x > most);
  if (wrong >= 0)
    throw new BraggError(
      'foreign-file',
      `${name}: number ${wrong} is ${values[wrong]}; allowed: whole numbers from ${least} to ${most}`,
    );
  await mkdir(folder, { recursive: true });
  const made = temporaryPathIn(folder);
  await writeFile(made, new Uint8Array(values.buffer));
  await rename(made, target);
  return target;
}

export const cacheValueFile = defineThreadTask('read values of a problem', valuesOf);
