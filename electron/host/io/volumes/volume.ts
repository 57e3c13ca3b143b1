/** Values on an equally spaced grid, as dose and image files hold them. */
import { BraggError } from '../../../contract/errors.ts';

export interface Volume {
  /** Cells along each axis, the fastest one first. */
  readonly sizes: readonly number[];
  readonly spacing_mm: readonly number[];
  /** Centre of the first cell. */
  readonly origin_mm: readonly number[];
  readonly values: Float64Array;
  /** How the file names the directions of its axes, where it does. */
  readonly space?: string;
}

const numberTypes = {
  int8: [1, (view, at) => view.getInt8(at)],
  uint8: [1, (view, at) => view.getUint8(at)],
  int16: [2, (view, at, little) => view.getInt16(at, little)],
  uint16: [2, (view, at, little) => view.getUint16(at, little)],
  int32: [4, (view, at, little) => view.getInt32(at, little)],
  uint32: [4, (view, at, little) => view.getUint32(at, little)],
  float32: [4, (view, at, little) => view.getFloat32(at, little)],
  float64: [8, (view, at, little) => view.getFloat64(at, little)],
} as const satisfies Readonly<
  Record<string, readonly [bytes: number, read: (view: DataView, at: number, little: boolean) => number]>
>;
export type NumberType = keyof typeof numberTypes;

/** A plan in half a millimetre; more would not fit beside its copy. */
const MOST_VALUES = 2e8;
const MOST_AXES = 3;

export const foreign = (file: string, what: string): BraggError => new BraggError('foreign-file', `${file}: ${what}.`);

/** Lines of the header by name, lower case, and where the data begins. */
export interface Header {
  readonly fields: ReadonlyMap<string, string>;
  readonly end: number;
}

/** Bytes that a grid takes. Throws for sizes that are no grid. */
export function bytesOf(file: string, sizes: readonly number[], type: NumberType): number {
  if (sizes.length < 2 || sizes.length > MOST_AXES) {
    throw foreign(file, `it has ${sizes.length} axes; allowed: 2 or ${MOST_AXES}`);
  }
  const wrong = sizes.find((size) => !Number.isSafeInteger(size) || size < 1);
  if (wrong !== undefined) throw foreign(file, `a size is ${wrong}; allowed: whole numbers of 1 and more`);
  const values = sizes.reduce((a, b) => a * b, 1);
  if (values > MOST_VALUES) throw foreign(file, `it has ${values} values; allowed: ${MOST_VALUES}`);
  return values * numberTypes[type][0];
}

/** The numbers of a grid. Throws where bytes are missing or a number is none. */
export function decoded(
  file: string,
  bytes: Uint8Array,
  count: number,
  type: NumberType,
  little: boolean,
): Float64Array {
  const [size, read] = numberTypes[type];
  if (bytes.length < count * size) {
    throw foreign(file, `its data has ${bytes.length} bytes where ${count * size} are announced: it is cut`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const values = new Float64Array(count);
  for (let i = 0; i < count; i += 1) {
    const value = read(view, i * size, little);
    if (!Number.isFinite(value)) throw foreign(file, `value ${i + 1} is ${value}; allowed: finite numbers`);
    values[i] = value;
  }
  return values;
}

/** Numbers of a header line, as many as there are axes. */
export function numbersOf(file: string, name: string, text: string, count: number): readonly number[] {
  const numbers = text
    .trim()
    .split(/[\s,()]+/)
    .filter((part) => part !== '')
    .map(Number);
  if (numbers.length !== count || numbers.some((value) => !Number.isFinite(value))) {
    throw foreign(file, `${name} is ${JSON.stringify(text.slice(0, 60))}; allowed: ${count} numbers`);
  }
  return numbers;
}

export function positive(file: string, name: string, values: readonly number[]): readonly number[] {
  const wrong = values.find((value) => !(value > 0));
  if (wrong !== undefined) throw foreign(file, `${name} has ${wrong}; allowed: lengths above 0 mm`);
  return values;
}
