/** Reads single values and arrays of a run file, and validates each before use. */
import type { File, Group } from 'h5wasm';
import { BraggError } from '../../../contract/errors.ts';
import { tooLargeReason } from '../../../contract/scenario/workload.ts';
import { formatBytes } from '../../../domain/values/units.ts';
import { datasetAt, isDataset, isGroup } from './h5.ts';

/** Maximum total size of the arrays. Runs are far smaller; only a forged shape exceeds it. */
const MAX_BYTES = 2 ** 31 - 1;
/** Largest compression ratio of deflate. A file whose arrays claim to be larger has chunks that were never written. */
const MAX_RATIO = 1032;
/** Limits on the nesting of groups and on the number of datasets, far above those of any run. */
const [MAX_DEPTH, MAX_DATASETS] = [8, 10_000];
/** HDF5's type classes H5T_INTEGER and H5T_FLOAT. */
const NUMBER_CLASSES = [0, 1];

export class RunFileFields {
  readonly #file: File;

  constructor(file: File) {
    this.#file = file;
  }

  /** Checks the declared sizes of all arrays together, before any is read. `file_bytes`: size of the file on disk. */
  limitTotal(file_bytes: number): void {
    let [total, datasets] = [0, 0];
    const walk = (group: Group, depth: number): void => {
      if (depth > MAX_DEPTH) this.refuse(`its groups are nested more than ${MAX_DEPTH} deep`);
      for (const name of group.keys()) {
        const found = group.get(name);
        if (isGroup(found)) walk(found, depth + 1);
        if (!isDataset(found)) continue;
        datasets += 1;
        if (datasets > MAX_DATASETS) this.refuse(`it has more than ${MAX_DATASETS} arrays`);
        const { shape, size } = found.metadata;
        total += (shape ?? []).reduce((a, b) => a * b, 1) * size;
      }
    };
    walk(this.#file, 0);
    const most = Math.min(MAX_BYTES, MAX_RATIO * file_bytes);
    if (total > most) {
      this.refuse(
        `its arrays claim ${formatBytes(total)} in total; allowed: ${formatBytes(most)} for a file of ${formatBytes(file_bytes)}`,
      );
    }
  }

  /** Whether a group exists; older files lack groups that later versions added. */
  has(group: string): boolean {
    return isGroup(this.#file.get(group));
  }

  hasDataset(path: string): boolean {
    return datasetAt(this.#file, path) !== null;
  }

  refuse(what: string): never {
    throw new BraggError('foreign-file', what);
  }

  /** Value of an attribute of a group or a dataset. */
  #attribute(group: string, key: string): unknown {
    const at = group === '/' ? this.#file : this.#file.get(group);
    if (!(isGroup(at) || isDataset(at))) this.refuse(`it has no ${group}`);
    const attribute = at.attrs[key];
    if (attribute === undefined) this.refuse(`${group} has no attribute ${key}`);
    return attribute.value;
  }

  #has(group: string, key: string): boolean {
    const at = this.#file.get(group);
    return !isGroup(at) || at.attrs[key] !== undefined;
  }

  text(group: string, key: string): string {
    const value = this.#attribute(group, key);
    return typeof value === 'string' ? value : this.refuse(`${group} ${key} is not text`);
  }

  /** Text of an attribute, or `otherwise` in older files that lack it. */
  textOr(group: string, key: string, otherwise: string): string {
    return this.#has(group, key) ? this.text(group, key) : otherwise;
  }

  oneOf<T extends string>(group: string, key: string, allowed: readonly T[]): T {
    const value = this.text(group, key);
    return (
      allowed.find((a) => a === value) ?? this.refuse(`${group} ${key} is "${value}", not ${allowed.join(' or ')}`)
    );
  }

  texts(group: string, key: string): readonly string[] {
    const value = this.#attribute(group, key);
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    return list.map((item) => (typeof item === 'string' ? item : this.refuse(`${group} ${key} is not a list of text`)));
  }

  number(group: string, key: string): number {
    const value = this.#attribute(group, key);
    if (typeof value === 'number') return value;
    return typeof value === 'bigint' ? Number(value) : this.refuse(`${group} ${key} is not a number`);
  }

  finite(group: string, key: string): number {
    const value = this.number(group, key);
    return Number.isFinite(value) ? value : this.refuse(`${group} ${key} is ${value}`);
  }

  /** Number of an attribute, or `otherwise` in older files that lack it. */
  finiteOr(group: string, key: string, otherwise: number): number {
    return this.#has(group, key) ? this.finite(group, key) : otherwise;
  }

  count(group: string, key: string): number {
    const value = this.number(group, key);
    return Number.isSafeInteger(value) && value >= 0 ? value : this.refuse(`${group} ${key} is ${value}`);
  }

  /** Parses a JSON object that is stored as text. */
  document(path: string): Readonly<Record<string, unknown>> {
    const dataset = datasetAt(this.#file, path);
    const value: unknown = dataset?.value;
    const text: unknown = Array.isArray(value) ? value[0] : value;
    if (typeof text !== 'string') this.refuse(`it has no ${path}`);
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      return this.refuse(`${path} is not JSON`);
    }
    if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed))
      this.refuse(`${path} is not a JSON object`);
    const fault = tooLargeReason(parsed);
    if (fault !== null) this.refuse(`${path} ${fault}`);
    return parsed as Readonly<Record<string, unknown>>;
  }

  /** Length of a one-dimensional dataset. */
  length(path: string): number {
    const shape = datasetAt(this.#file, path)?.shape;
    return shape?.length === 1 && shape[0] !== undefined ? shape[0] : this.refuse(`it has no ${path}`);
  }

  /** Rows and columns of a two-dimensional dataset. */
  size(path: string): readonly [rows: number, columns: number] {
    const [rows, columns, ...more] = datasetAt(this.#file, path)?.shape ?? [];
    if (rows === undefined || columns === undefined || more.length > 0) this.refuse(`it has no ${path}`);
    return [rows, columns];
  }

  /** Reads an array. All values must be finite, because plots and comparisons require it. */
  float64(path: string, shape: readonly number[]): Float64Array {
    const value = this.#array(path, shape, 8);
    if (value === null) return new Float64Array(0);
    return value instanceof Float64Array ? this.#requireFinite(path, shape, value) : this.#refuseNumberType(path);
  }

  /** Like `float64`, in single precision. */
  float32(path: string, shape: readonly number[]): Float32Array {
    const value = this.#array(path, shape, 4);
    if (value === null) return new Float32Array(0);
    return value instanceof Float32Array ? this.#requireFinite(path, shape, value) : this.#refuseNumberType(path);
  }

  uint32(path: string, shape: readonly number[]): Uint32Array {
    const value = this.#array(path, shape, 4);
    return value === null ? new Uint32Array(0) : value instanceof Uint32Array ? value : this.#refuseNumberType(path);
  }

  uint16(path: string, shape: readonly number[]): Uint16Array {
    const value = this.#array(path, shape, 2);
    return value === null ? new Uint16Array(0) : value instanceof Uint16Array ? value : this.#refuseNumberType(path);
  }

  #requireFinite<T extends Float64Array | Float32Array>(path: string, shape: readonly number[], values: T): T {
    const at = values.findIndex((value) => !Number.isFinite(value));
    if (at < 0) return values;
    let rest = at;
    const index = shape.map((_, axis) => {
      const size = shape.slice(axis + 1).reduce((a, b) => a * b, 1);
      const i = Math.floor(rest / size);
      rest %= size;
      return i;
    });
    return this.refuse(`${path} is ${values[at]} at [${index.join(', ')}]`);
  }

  #refuseNumberType(path: string): never {
    return this.refuse(`${path} has an unexpected number format`);
  }

  /** Raw value of an array; null if its shape has no elements, because such arrays are not stored. */
  #array(path: string, shape: readonly number[], size: number): unknown {
    const elements = shape.reduce((a, b) => a * b, 1);
    if (elements === 0) return null;
    const dataset = datasetAt(this.#file, path);
    if (dataset === null) this.refuse(`it has no ${path}`);
    const found = dataset.metadata;
    if (found.shape === null || found.shape.join('×') !== shape.join('×')) {
      this.refuse(`${path} is ${found.shape?.join(' × ') || 'a single value'}, but ${shape.join(' × ')} is expected`);
    }
    if (found.size !== size || found.chunks === null || !NUMBER_CLASSES.includes(found.type))
      this.#refuseNumberType(path);
    return dataset.value;
  }
}
