/**
 * Copies large arrays in a value to memory that threads share, so that messages do not copy them. Other work runs in
 * between.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Total size of the typed arrays in a value, in bytes. */
export function arrayBytesIn(value: unknown): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== 'object' || value === null) return 0;
  let sum = 0;
  for (const part of Object.values(value)) sum += arrayBytesIn(part);
  return sum;
}

/** Arrays below this total size stay in the message, which copies them within a millisecond. */
const MIN_SHARED_BYTES = 2 ** 20;
/** An array below this size stays in the message, because shared memory is allocated in pages. */
const MIN_SHARED_ARRAY_BYTES = 2 ** 14;
/** Number of bytes to copy, in about 2 ms, before yielding to the event loop. */
const STRIDE_BYTES = 8 * 2 ** 20;

type ViewConstructor = new (buffer: SharedArrayBuffer) => ArrayBufferView;

/** Copies arrays one by one to shared memory, and yields after every STRIDE_BYTES. */
class SharedArrayCopier {
  #copied = 0;

  async value(value: unknown): Promise<unknown> {
    if (ArrayBuffer.isView(value)) return this.#view(value);
    if (typeof value !== 'object' || value === null || arrayBytesIn(value) < MIN_SHARED_ARRAY_BYTES) return value;
    if (Array.isArray(value)) {
      const list: unknown[] = [];
      for (const each of value) list.push(await this.value(each));
      return list;
    }
    const entries: [string, unknown][] = [];
    for (const [key, each] of Object.entries(value)) entries.push([key, await this.value(each)]);
    return Object.fromEntries(entries);
  }

  async #view(view: ArrayBufferView): Promise<ArrayBufferView> {
    if (view.byteLength < MIN_SHARED_ARRAY_BYTES || view.buffer instanceof SharedArrayBuffer) return view;
    const memory = new SharedArrayBuffer(view.byteLength);
    const [from, to] = [new Uint8Array(view.buffer, view.byteOffset, view.byteLength), new Uint8Array(memory)];
    for (let at = 0; at < from.length; at += STRIDE_BYTES) {
      const part = from.subarray(at, at + STRIDE_BYTES);
      to.set(part, at);
      this.#copied += part.length;
      if (this.#copied < STRIDE_BYTES) continue;
      this.#copied = 0;
      await nextTurn();
    }
    // A Buffer becomes a Uint8Array, because a new Buffer would use a shared pool of memory.
    return Buffer.isBuffer(view) ? to : new (view.constructor as ViewConstructor)(memory);
  }
}

/**
 * Copies a value with its arrays in shared memory, if their total size is large. Arrays that already are in shared
 * memory are not copied again.
 */
export async function withSharedArrays<T>(value: T): Promise<T> {
  return arrayBytesIn(value) < MIN_SHARED_BYTES ? value : ((await new SharedArrayCopier().value(value)) as T);
}
