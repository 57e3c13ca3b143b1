/** The newest item wins: any order of putting and finishing. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LatestWins } from '../../../../../electron/host/io/flow/latest-wins.ts';

interface Item {
  readonly number: number;
  readonly yields: boolean;
}

/** Work that ends on the test's signal, as a solver ends within a step of a stop request. */
function watched() {
  const begun: Item[] = [];
  const ended: { readonly item: Item; readonly aborted: boolean }[] = [];
  let running = 0;
  let most = 0;
  let finish: (() => void) | null = null;
  const latest = new LatestWins<Item>({
    work: async (item, signal) => {
      begun.push(item);
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => {
        finish = resolve;
        signal.addEventListener('abort', () => resolve());
      });
      running -= 1;
      ended.push({ item, aborted: signal.aborted });
    },
    givesWay: ({ yields }) => yields,
  });
  return { latest, begun, ended, most: () => most, finish: () => finish?.() };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const step = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), yields: fc.boolean() }),
  fc.constant({ kind: 'finish' as const }),
);

describe('latest wins', () => {
  test('one is worked on, in the order put, and the last one put is worked on to its end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
        const { latest, begun, ended, most, finish } = watched();
        let put = 0;
        for (const one of steps) {
          if (one.kind === 'put') {
            put += 1;
            latest.put({ number: put, yields: one.yields });
          } else {
            finish();
            await settled();
          }
        }
        // The running item and the waiting one.
        for (let i = 0; i < 3; i += 1) {
          await settled();
          finish();
        }
        await settled();
        const numbers = begun.map(({ number }) => number);
        expect(most()).toBeLessThanOrEqual(1);
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
        expect(ended.length).toBe(begun.length);
        if (put > 0) expect(ended.at(-1)).toMatchObject({ item: { number: put }, aborted: false });
        // Nothing is given up that does not give way, and nothing without another to take its place.
        expect(ended.every(({ item, aborted }) => !aborted || (item.yields && item.number < put))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test('of a hundred that come while one is worked on only the last is worked on too', async () => {
    const { latest, begun, finish } = watched();
    for (let number = 1; number <= 101; number += 1) latest.put({ number, yields: false });
    finish();
    await settled();
    finish();
    await latest.stop();
    expect(begun.map(({ number }) => number)).toEqual([1, 101]);
  });

  test('stopping gives up what is worked on, drops what waits, and takes nothing more', async () => {
    const { latest, begun, ended } = watched();
    latest.put({ number: 1, yields: false });
    latest.put({ number: 2, yields: false });
    await latest.stop();
    latest.put({ number: 3, yields: false });
    await settled();
    expect(begun.map(({ number }) => number)).toEqual([1]);
    expect(ended).toEqual([{ item: { number: 1, yields: false }, aborted: true }]);
  });
});
