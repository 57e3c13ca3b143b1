/** Work that may pause: at once, or, in the host, with the turns of others in its pauses. */

/** Pauses where it can, often; how long it goes on between two turns is not its business. */
export type Pausing<T> = Generator<void, T>;

export function atOnce<T>(work: Pausing<T>): T {
  let next = work.next();
  while (!next.done) next = work.next();
  return next.value;
}
