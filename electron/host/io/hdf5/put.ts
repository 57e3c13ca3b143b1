/** Putting arrays, text and values into a run file. */
import type { Dataset, File, Group } from 'h5wasm';
import { COMPRESSION } from './layout.ts';

type Stored = Float64Array | Float32Array | Uint32Array | Uint16Array;
/** A chunk of about this many elements compresses well and is read quickly. */
const CHUNK_ELEMENTS = 65_536;

/** Whole rows per chunk, as many as fit. */
function chunksOf(shape: readonly number[]): number[] {
  const [rows = 1, ...rest] = shape;
  const row = rest.reduce((a, b) => a * b, 1);
  return [Math.max(1, Math.min(rows, Math.floor(CHUNK_ELEMENTS / row))), ...rest];
}

/** Numbers always as doubles: the library would take a whole one for a 32-bit integer. */
export function putNote(at: Group | Dataset, key: string, value: string | number | string[]): void {
  if (typeof value === 'number') at.create_attribute(key, value, null, '<d');
  else at.create_attribute(key, value);
}

/** Arrays without elements are left out: HDF5 has no chunks for them. */
export function put(
  group: Group,
  name: string,
  data: Stored,
  shape: readonly number[],
  notes: Readonly<Record<string, string | number | string[]>> = {},
): void {
  if (data.length === 0) return;
  const dataset = group.create_dataset({
    name,
    data,
    shape: [...shape],
    chunks: chunksOf(shape),
    compression: COMPRESSION,
  });
  for (const [key, value] of Object.entries(notes)) putNote(dataset, key, value);
}

/** Writes the same as `put` for an array of float32, but row by row: it is never in memory as a whole. */
export function putRows(
  group: Group,
  name: string,
  row: (index: number) => Float32Array,
  shape: readonly number[],
  notes: Readonly<Record<string, string | number | string[]>> = {},
): void {
  const [rows = 0, ...rest] = shape;
  const length = rest.reduce((a, b) => a * b, 1);
  if (rows * length === 0) return;
  const chunks = chunksOf(shape);
  // Writes the rows of a chunk together, so that it is compressed once.
  const [together = 1] = chunks;
  const taken = (from: number): Float32Array => {
    const count = Math.min(together, rows - from);
    if (count === 1) return row(from);
    const out = new Float32Array(count * length);
    for (let i = 0; i < count; i += 1) out.set(row(from + i), i * length);
    return out;
  };
  const first = Math.min(together, rows);
  const grown = { shape: [first, ...rest], maxshape: [...shape], chunks, compression: COMPRESSION };
  const dataset = group.create_dataset({ name, data: taken(0), ...grown });
  if (first < rows) dataset.resize([...shape]);
  for (let from = first; from < rows; from += together) {
    const whole = rest.map((n) => [0, n] satisfies [number, number]);
    dataset.write_slice([[from, Math.min(from + together, rows)], ...whole], taken(from));
  }
  for (const [key, value] of Object.entries(notes)) putNote(dataset, key, value);
}

export function putText(group: Group, name: string, text: string): void {
  const size = new TextEncoder().encode(text).length;
  group.create_dataset({ name, data: [text], shape: [1], dtype: `S${size}`, chunks: [1], compression: COMPRESSION });
}

/** A group whose attributes are the values; null becomes NaN, which every HDF5 reader knows. */
export function putValues(file: File, name: string, values: Readonly<Record<string, string | number | null>>): void {
  const group = file.create_group(name);
  for (const [key, value] of Object.entries(values)) {
    putNote(group, key, value ?? Number.NaN);
  }
}
