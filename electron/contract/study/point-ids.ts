/** Names of very many points as numbers, two each: as texts they are most of what a plot waits for. */
const HALF_DIGITS = 8;

/** Each has 16 hexadecimal digits. */
export function packedIds(ids: readonly string[]): Uint32Array {
  const packed = new Uint32Array(2 * ids.length);
  for (let i = 0; i < ids.length; i += 1) {
    const id = ids[i] ?? '';
    packed[2 * i] = Number.parseInt(id.slice(0, HALF_DIGITS), 16);
    packed[2 * i + 1] = Number.parseInt(id.slice(HALF_DIGITS), 16);
  }
  return packed;
}

/** Null if there is no such point. */
export function idAt(packed: Uint32Array, i: number): string | null {
  const [high, low] = [packed[2 * i], packed[2 * i + 1]];
  if (high === undefined || low === undefined) return null;
  return [high, low].map((half) => half.toString(16).padStart(HALF_DIGITS, '0')).join('');
}
