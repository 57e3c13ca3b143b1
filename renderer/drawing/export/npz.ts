/**
 * Plotted data as NumPy's NPZ: a ZIP archive of NPY arrays, format version 1.0
 * (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html). Notes, units and axes are stored as JSON
 * text in the array `about`.
 */
import { zipSync } from 'fflate';
import type { FigureArray } from './figure.ts';

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0];
/** The header's length is a multiple of this, so that readers may memory-map the data. */
const ALIGNMENT = 64;

function npy(descr: string, shape: readonly number[], bytes: Uint8Array): Uint8Array {
  const tuple = `(${shape.join(', ')}${shape.length === 1 ? ',' : ''})`;
  const words = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${tuple}, }`;
  const bare = MAGIC.length + 2 + words.length + 1;
  const header = `${words}${' '.repeat((ALIGNMENT - (bare % ALIGNMENT)) % ALIGNMENT)}\n`;
  const out = new Uint8Array(MAGIC.length + 2 + header.length + bytes.length);
  out.set(MAGIC);
  new DataView(out.buffer).setUint16(MAGIC.length, header.length, true);
  out.set(new TextEncoder().encode(header), MAGIC.length + 2);
  out.set(bytes, MAGIC.length + 2 + header.length);
  return out;
}

function numpyType(values: FigureArray['values']): string {
  if (values instanceof Float32Array) return '<f4';
  return values instanceof Uint32Array ? '<u4' : '<f8';
}

export function figureNpz(
  arrays: readonly FigureArray[],
  notes: Readonly<Record<string, string | number>>,
): Uint8Array<ArrayBuffer> {
  const about = JSON.stringify({
    ...notes,
    arrays: Object.fromEntries(
      arrays.map(({ name, unit, description, axes }) => [name, { unit, description, axes: axes ?? null }]),
    ),
  });
  // A zero-dimensional array of Unicode text, as numpy.array('…') is stored: 4 bytes a character.
  const points = Uint32Array.from([...about].map((character) => character.codePointAt(0) ?? 0));
  const files = Object.fromEntries([
    ...arrays.map(({ name, shape, values }) => [
      `${name}.npy`,
      npy(numpyType(values), shape, new Uint8Array(values.buffer, values.byteOffset, values.byteLength)),
    ]),
    ['about.npy', npyText(points)],
  ]) as Record<string, Uint8Array>;
  return zipSync(files, { level: 6 });
}

function npyText(points: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(points.buffer, points.byteOffset, points.byteLength);
  return npy(`<U${points.length}`, [], bytes);
}
