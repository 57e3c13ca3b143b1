/** Writes arrays, text and values into a run file. */
import type { Dataset, File, Group } from 'h5wasm';

/**
 * Layout of a run file. Version 1:
 *
 *   /                 attributes: format, format_version, workload, name, created, finished, status; for a failed
 *                     run also error and error_code, and the arrays contain the finished part
 *   /scenario         the scenario as written, JSON; /scenario_complete with every default
 *   /setup            parts of the set-up time, names and seconds
 *   /program /machine /engine /timing /beam /metrics      attributes; the commit of the program from 0.1.0 on
 *   /axes/z_mm x_mm theta_rad energy_MeV                  cell centres, dimension scales of the fields
 *   /dose             [z][x] MeV per cell
 *   /depth_dose/      depth_mm, dose_MeV_per_mm: integrated across the beam axis
 *   /crossing         [z][6] sums over the proton fluence through each plane
 *   /moments/         columns computed from these sums
 *   /ledger/number energy_MeV      [step][column]
 *   /ledger/faces_number faces_energy_MeV   [step][face] escaped; missing in files of earlier versions
 *   /keyframes/       step, depth_mm, and the marginals zx xtheta etheta ez ex ztheta (the last two
 *                     missing in files of earlier versions), with the keyframe as first axis
 *   /spans/           operator spans per thread, columns
 *   /trace/           only in traced runs: the GPU's work and the driver's calls, columns
 *
 * A run of the workload `diffraction` has these groups in place of /axes and all following ones:
 *
 *   /image            [slow][fast] photons per pixel
 *   /spans/ /trace/   as above
 *
 * Every array is chunked and compressed: a reader that requires this never follows data stored outside of the file.
 */
export const RUN_FILE_FORMAT = 'braggbench-run';
export const RUN_FILE_VERSION = 1;

/**
 * Compression level of deflate. The next level needs two to eight times as long for keyframes, and makes them only 5 %
 * smaller.
 */
export const COMPRESSION_LEVEL = 3;

/** Attributes of the file's root group. Text in the file is UTF-8. */
export const rootAttributes = {
  format: 'format',
  version: 'format_version',
} as const;

export const crossingColumns = [
  'number',
  'sum_x_mm',
  'sum_x2_mm2',
  'sum_theta_rad',
  'sum_theta2_rad2',
  'sum_x_theta_mm_rad',
];

export const keyframeFields = [
  { name: 'zx', axes: ['z_mm', 'x_mm'] },
  { name: 'xtheta', axes: ['x_mm', 'theta_rad'] },
  { name: 'etheta', axes: ['energy_MeV', 'theta_rad'] },
  { name: 'ez', axes: ['energy_MeV', 'z_mm'] },
  // The following two are missing in files of earlier versions.
  { name: 'ex', axes: ['energy_MeV', 'x_mm'] },
  { name: 'ztheta', axes: ['z_mm', 'theta_rad'] },
] as const;

type StorableArray = Float64Array | Float32Array | Uint32Array | Uint16Array;
/** Approximate number of elements in a chunk: compresses well and is read quickly. */
const CHUNK_ELEMENTS = 65_536;

/** Shape of a chunk: as many whole rows as fit. */
function chunkShape(shape: readonly number[]): number[] {
  const [rows = 1, ...rest] = shape;
  const row = rest.reduce((a, b) => a * b, 1);
  return [Math.max(1, Math.min(rows, Math.floor(CHUNK_ELEMENTS / row))), ...rest];
}

/** Writes an attribute. Numbers are stored as doubles, because the library would store an integer with 32 bits. */
export function writeAttribute(at: Group | Dataset, key: string, value: string | number | string[]): void {
  if (typeof value === 'number') at.create_attribute(key, value, null, '<d');
  else at.create_attribute(key, value);
}

/** Writes an array. An array without elements is skipped, because HDF5 cannot divide it into chunks. */
export function writeDataset(
  group: Group,
  name: string,
  data: StorableArray,
  shape: readonly number[],
  notes: Readonly<Record<string, string | number | string[]>> = {},
): void {
  if (data.length === 0) return;
  const dataset = group.create_dataset({
    name,
    data,
    shape: [...shape],
    chunks: chunkShape(shape),
    compression: COMPRESSION_LEVEL,
  });
  for (const [key, value] of Object.entries(notes)) writeAttribute(dataset, key, value);
}

/** Writes a float32 array like `writeDataset`, but row by row, so that the complete array is never in memory. */
export function writeRows(
  group: Group,
  name: string,
  row: (index: number) => Float32Array,
  shape: readonly number[],
  notes: Readonly<Record<string, string | number | string[]>> = {},
): void {
  const [rows = 0, ...rest] = shape;
  const length = rest.reduce((a, b) => a * b, 1);
  if (rows * length === 0) return;
  const chunks = chunkShape(shape);
  // All rows of a chunk are written together, so that the chunk is compressed only once.
  const [together = 1] = chunks;
  const taken = (from: number): Float32Array => {
    const count = Math.min(together, rows - from);
    if (count === 1) return row(from);
    const out = new Float32Array(count * length);
    for (let i = 0; i < count; i += 1) out.set(row(from + i), i * length);
    return out;
  };
  const first = Math.min(together, rows);
  const grown = { shape: [first, ...rest], maxshape: [...shape], chunks, compression: COMPRESSION_LEVEL };
  const dataset = group.create_dataset({ name, data: taken(0), ...grown });
  if (first < rows) dataset.resize([...shape]);
  for (let from = first; from < rows; from += together) {
    const whole = rest.map((n) => [0, n] satisfies [number, number]);
    dataset.write_slice([[from, Math.min(from + together, rows)], ...whole], taken(from));
  }
  for (const [key, value] of Object.entries(notes)) writeAttribute(dataset, key, value);
}

export function writeText(group: Group, name: string, text: string): void {
  const size = new TextEncoder().encode(text).length;
  group.create_dataset({
    name,
    data: [text],
    shape: [1],
    dtype: `S${size}`,
    chunks: [1],
    compression: COMPRESSION_LEVEL,
  });
}

/** Writes a group with the values as attributes. Null is written as NaN, which every HDF5 reader supports. */
export function writeValues(file: File, name: string, values: Readonly<Record<string, string | number | null>>): void {
  const group = file.create_group(name);
  for (const [key, value] of Object.entries(values)) {
    writeAttribute(group, key, value ?? Number.NaN);
  }
}
