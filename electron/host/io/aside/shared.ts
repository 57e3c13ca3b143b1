/** Large arrays on their way to a thread: in memory that threads share, filled with the turns of others in between. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Smaller ones are copied by the message. */
const LARGE_BYTES = 2 ** 20;
/** Copied at once: some 2 ms. */
const STRIDE_BYTES = 8 * 2 ** 20;

async function sharedBytes(from: Uint8Array): Promise<SharedArrayBuffer> {
  const memory = new SharedArrayBuffer(from.length);
  const to = new Uint8Array(memory);
  for (let at = 0; at < from.length; at += STRIDE_BYTES) {
    to.set(from.subarray(at, at + STRIDE_BYTES), at);
    await nextTurn();
  }
  return memory;
}

type Maker = new (buffer: SharedArrayBuffer) => ArrayBufferView;

async function sharedView(view: ArrayBufferView): Promise<ArrayBufferView> {
  if (view.byteLength < LARGE_BYTES || view.buffer instanceof SharedArrayBuffer) return view;
  const memory = await sharedBytes(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  // A Buffer is a Uint8Array; as one it would come from a pool.
  return Buffer.isBuffer(view) ? new Uint8Array(memory) : new (view.constructor as Maker)(memory);
}

/** The same value, its large arrays in memory that threads share. */
export async function withSharedArrays(value: unknown): Promise<unknown> {
  if (ArrayBuffer.isView(value)) return sharedView(value);
  if (typeof value !== 'object' || value === null || !hasLarge(value)) return value;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (const each of value) list.push(await withSharedArrays(each));
    return list;
  }
  const entries: [string, unknown][] = [];
  for (const [key, each] of Object.entries(value)) entries.push([key, await withSharedArrays(each)]);
  return Object.fromEntries(entries);
}

function hasLarge(value: unknown): boolean {
  if (ArrayBuffer.isView(value)) return value.byteLength >= LARGE_BYTES;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(hasLarge);
}
