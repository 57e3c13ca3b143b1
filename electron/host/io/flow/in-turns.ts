/** Work that pauses, with the turns of others in its pauses. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pausing } from '../../../contract/pausing.ts';

/** Longest slice without a turn for other work. */
const TURN_MS = 4;

/** By the clock, not by the amount: code that was never run before is fifty times slower. */
export async function inTurns<T>(work: Pausing<T>): Promise<T> {
  let begun_ms = performance.now();
  let next = work.next();
  while (!next.done) {
    if (performance.now() - begun_ms >= TURN_MS) {
      await nextTurn();
      begun_ms = performance.now();
    }
    next = work.next();
  }
  return next.value;
}
