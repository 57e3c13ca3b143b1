/** Large values on their way to a thread: their arrays in memory that threads share, filled with the turns of others in between. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sizeOf } from './size.ts';

/** Values of less are copied by the message, within a millisecond. */
const LARGE_BYTES = 2 ** 20;
/** Arrays of less are copied by the message even so: memory that is shared comes in pages. */
const SMALL_ARRAY_BYTES = 2 ** 14;
/** Copied at once: some 2 ms. */
const STRIDE_BYTES = 8 * 2 ** 20;

type Maker = new (buffer: SharedArrayBuffer) => ArrayBufferView;

/** Copies arrays one by one, and gives up its turn after each stride. */
class Sharing {
  #copied = 0;

  async value(value: unknown): Promise<unknown> {
    if (ArrayBuffer.isView(value)) return this.#view(value);
    if (typeof value !== 'object' || value === null || sizeOf(value) < SMALL_ARRAY_BYTES) return value;
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
    if (view.byteLength < SMALL_ARRAY_BYTES || view.buffer instanceof SharedArrayBuffer) return view;
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
    // A Buffer is a Uint8Array; as one it would come from a pool.
    return Buffer.isBuffer(view) ? to : new (view.constructor as Maker)(memory);
  }
}

/** The same value, its arrays in memory that threads share where they are large together. Those that are stay as they are. */
export async function withSharedArrays<T>(value: T): Promise<T> {
  return sizeOf(value) < LARGE_BYTES ? value : ((await new Sharing().value(value)) as T);
}
