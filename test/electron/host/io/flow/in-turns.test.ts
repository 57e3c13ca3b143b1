import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { atOnce, type Pausing } from '../../../../../electron/contract/pausing.ts';
import { inTurns } from '../../../../../electron/host/io/flow/in-turns.ts';

function* steps(count: number, each_ms: number): Pausing<number> {
  for (let i = 0; i < count; i += 1) {
    const until_ms = performance.now() + each_ms;
    while (performance.now() < until_ms);
    yield;
  }
  return count;
}

/** Turns that others got until the work was done. */
async function turnsOf(work: Promise<number>): Promise<number> {
  let [turns, done] = [0, false];
  const others = (async () => {
    while (!done) {
      await nextTurn();
      turns += 1;
    }
  })();
  expect(await work).toBe(10);
  done = true;
  await others;
  return turns;
}

test('slow steps leave a turn after each, whatever their number', async () => {
  expect(await turnsOf(inTurns(steps(10, 6)))).toBeGreaterThanOrEqual(10);
});

test('at once, nobody gets a turn', () => {
  let turns = 0;
  setImmediate(() => {
    turns += 1;
  });
  expect(atOnce(steps(10, 1))).toBe(10);
  expect(turns).toBe(0);
});
