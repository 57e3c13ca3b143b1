/** The queue that runs only the newest item, for any order of adding and finishing items. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { runToCompletion, type YieldingTask } from '../../../../../electron/domain/values/pausing.ts';
import { jsonTextInSlices, runInSlices } from '../../../../../electron/host/io/flow/cooperative.ts';
import { ALL_LANES, LaneQueue } from '../../../../../electron/host/io/flow/lanes.ts';
import { lazyValue } from '../../../../../electron/host/io/flow/once.ts';
import { LatestQueue, ResourceBudget } from '../../../../../electron/host/io/flow/queues.ts';

describe('lazily computed values', () => {
  it('are not computed before the first request, then computed once, even if undefined', () => {
    let made = 0;
    const value = lazyValue(() => {
      made += 1;
      return undefined;
    });
    expect(made).toBe(0);
    expect([value(), value()]).toEqual([undefined, undefined]);
    expect(made).toBe(1);
  });

  it('are computed again after an error', () => {
    let tries = 0;
    const value = lazyValue(() => {
      tries += 1;
      if (tries === 1) throw new Error('not yet');
      return tries;
    });
    expect(value).toThrow('not yet');
    expect([value(), value()]).toEqual([2, 2]);
  });
});

describe('lanes for jobs', () => {
  function createLanes() {
    const started: string[] = [];
    const finish = new Map<string, () => void>();
    let changes = 0;
    const lanes = new LaneQueue(() => {
      changes += 1;
    });
    const add = (id: string, lane: string): void =>
      lanes.add({
        id,
        lane,
        run: () => {
          started.push(id);
          return new Promise((resolve) => finish.set(id, resolve));
        },
      });
    const end = async (id: string): Promise<void> => {
      finish.get(id)?.();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { lanes, started, add, end, changes: () => changes };
  }

  test('run one job at a time on each device, in order', async () => {
    const { lanes, started, add, end, changes } = createLanes();
    add('a', 'cpu');
    add('b', 'cpu');
    add('c', 'cuda');
    expect(started).toEqual(['a', 'c']);
    expect([lanes.position('a'), lanes.position('b')]).toEqual([null, 1]);
    await end('a');
    expect(started).toEqual(['a', 'c', 'b']);
    expect(changes()).toBe(1);
  });

  test('make a job for the complete machine wait for all earlier jobs, and all later jobs wait for it', async () => {
    const { lanes, started, add, end } = createLanes();
    add('run', 'cpu');
    add('bench', ALL_LANES);
    add('gpu', 'cuda');
    add('cpu', 'cpu');
    expect(started).toEqual(['run']);
    expect(['bench', 'gpu', 'cpu'].map((id) => lanes.position(id))).toEqual([1, 2, 2]);
    await end('run');
    expect(started).toEqual(['run', 'bench']);
    await end('bench');
    expect(started).toEqual(['run', 'bench', 'gpu', 'cpu']);
  });

  test('let waiting jobs start when the one before them is removed', () => {
    const { lanes, started, add } = createLanes();
    add('run', 'cpu');
    add('bench', ALL_LANES);
    add('gpu', 'cuda');
    expect(lanes.remove('bench')).toBe(true);
    expect(lanes.remove('bench')).toBe(false);
    expect(started).toEqual(['run', 'gpu']);
  });
});

describe('cooperative work', () => {
  function* busySteps(count: number, each_ms: number): YieldingTask<number> {
    for (let i = 0; i < count; i += 1) {
      const until_ms = performance.now() + each_ms;
      while (performance.now() < until_ms);
      yield;
    }
    return count;
  }

  /** Number of event-loop iterations that were free for other work until `work` was done. */
  async function freeIterations(work: Promise<number>): Promise<number> {
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

  test('yields after each slow step, whatever their number', async () => {
    expect(await freeIterations(runInSlices(busySteps(10, 6)))).toBeGreaterThanOrEqual(10);
  });

  test('never yields in its uninterrupted form', () => {
    let turns = 0;
    setImmediate(() => {
      turns += 1;
    });
    expect(runToCompletion(busySteps(10, 1))).toBe(10);
    expect(turns).toBe(0);
  });
});

describe('JSON text', () => {
  test('equals the text of JSON.stringify for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        expect(runToCompletion(jsonTextInSlices(value))).toBe(JSON.stringify(value));
      }),
    );
    const gaps = { a: undefined, b: [undefined, null, Number.NaN], c: { d: { e: undefined } }, 'ü"': -0 };
    expect(runToCompletion(jsonTextInSlices(gaps))).toBe(JSON.stringify(gaps));
  });

  test('yields at each of many parts', () => {
    const work = jsonTextInSlices(Array.from({ length: 100 }, (_, i) => ({ i })));
    let pauses = 0;
    while (work.next().done !== true) pauses += 1;
    expect(pauses).toBeGreaterThan(100);
  });
});

describe('a memory budget', () => {
  async function isSettled(promise: Promise<unknown>): Promise<boolean> {
    return Promise.race([promise.then(() => true), new Promise<boolean>((done) => setTimeout(() => done(false), 5))]);
  }

  test('grants requests that fit at once, and queues the rest in order', async () => {
    const budget = new ResourceBudget(10);
    const first = await budget.reserve(6);
    const large = budget.reserve(8);
    const small = budget.reserve(1);
    expect(await isSettled(large)).toBe(false);
    expect(await isSettled(small)).toBe(false); // requested after the large one
    first();
    first(); // a second release has no effect
    expect(await isSettled(large)).toBe(true);
    expect(await isSettled(small)).toBe(true);
    const whole = budget.reserve(2);
    expect(await isSettled(whole)).toBe(false);
    (await large)();
    expect(await isSettled(whole)).toBe(true);
  });

  test('grants a request above the budget all of it, alone', async () => {
    const budget = new ResourceBudget(10);
    const first = await budget.reserve(1);
    const huge = budget.reserve(100);
    expect(await isSettled(huge)).toBe(false);
    first();
    const release = await huge;
    const next = budget.reserve(1);
    expect(await isSettled(next)).toBe(false);
    release();
    expect(await isSettled(next)).toBe(true);
  });
});

interface Item {
  readonly number: number;
  readonly yields: boolean;
}

/** Work that ends on the test's signal, as a solver ends within one step of a stop request. */
function stoppableWork() {
  const begun: Item[] = [];
  const ended: { readonly item: Item; readonly aborted: boolean }[] = [];
  let running = 0;
  let most = 0;
  let finish: (() => void) | null = null;
  const latest = new LatestQueue<Item>({
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

describe('the coalescing queue', () => {
  test('runs items one at a time in order, and completes the last one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
        const { latest, begun, ended, most, finish } = stoppableWork();
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
        // Finish the running item and the waiting one.
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
        // Only an item that yields is aborted, and only if a newer one replaces it.
        expect(ended.every(({ item, aborted }) => !aborted || (item.yields && item.number < put))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test('runs only the last of a hundred items added during work', async () => {
    const { latest, begun, finish } = stoppableWork();
    for (let number = 1; number <= 101; number += 1) latest.put({ number, yields: false });
    finish();
    await settled();
    finish();
    await latest.stop();
    expect(begun.map(({ number }) => number)).toEqual([1, 101]);
  });

  test('aborts the current item when stopped, drops waiting ones, and accepts no more', async () => {
    const { latest, begun, ended } = stoppableWork();
    latest.put({ number: 1, yields: false });
    latest.put({ number: 2, yields: false });
    await latest.stop();
    latest.put({ number: 3, yields: false });
    await settled();
    expect(begun.map(({ number }) => number)).toEqual([1]);
    expect(ended).toEqual([{ item: { number: 1, yields: false }, aborted: true }]);
  });
});
