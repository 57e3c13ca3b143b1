/** Work that pauses now and then: at once, or with the turns of others in its pauses. */
import { setImmediate as nextTurn } from 'node:timers/promises';

export type Pausing<T> = Generator<void, T>;

export function atOnce<T>(work: Pausing<T>): T {
  let next = work.next();
  while (!next.done) next = work.next();
  return next.value;
}

export async function inTurns<T>(work: Pausing<T>): Promise<T> {
  let next = work.next();
  while (!next.done) {
    await nextTurn();
    next = work.next();
  }
  return next.value;
}
