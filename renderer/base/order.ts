/** Rows by their numbers, from the least to the greatest: comparing two rows calls a function, comparing two numbers does not. */

/** Fewer are compared. */
const FEW = 1000;

/** Index of the first number that is not below `value`. */
function firstNotBelow(ordered: Float64Array, value: number): number {
  let [from, to] = [0, ordered.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((ordered[middle] ?? 0) < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** `rows` name finite numbers. Equal ones stay in their order. */
export function orderedBy(rows: Uint32Array, numbers: Float64Array): Uint32Array {
  const across = (i: number): number => numbers[i] ?? 0;
  if (rows.length < FEW) return rows.toSorted((a, b) => across(a) - across(b));
  // Both zeros are one.
  const ordered = Float64Array.from(rows, (i) => across(i) + 0).sort();
  const taken = new Uint32Array(rows.length);
  const out = new Uint32Array(rows.length);
  for (const row of rows) {
    const first = firstNotBelow(ordered, across(row));
    const before = taken[first] ?? 0;
    out[first + before] = row;
    taken[first] = before + 1;
  }
  return out;
}
