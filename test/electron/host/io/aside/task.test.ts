import { expect, it, vi } from 'vitest';
import { unpackRun } from '../../../../../electron/host/app/run-files/packer.ts';
import { asideIfLarge } from '../../../../../electron/host/io/aside/large.ts';
import { withSharedArrays } from '../../../../../electron/host/io/aside/shared.ts';
import { performHere, task, taskNames } from '../../../../../electron/host/io/aside/task.ts';

/** Files of tests share what a module keeps. */
const OF_TESTS: ReadonlySet<string> = new Set(['fly', 'read a number', 'count its arguments']);

it('what the thread does not know fails, and the next task is done', async () => {
  await expect(task<null, null>('fly')(null)).rejects.toThrow('the thread does not know how to fly');
  await expect(unpackRun({ bytes: new Uint8Array(3), name: 'a.h5' })).rejects.toThrow('a.h5 cannot be opened as a run');
});

it('the thread knows every task of the host', async () => {
  await import('../../../../../electron/host/index.ts');
  const names = taskNames().filter((name) => !OF_TESTS.has(name));
  expect(names.length).toBeGreaterThanOrEqual(15);
  for (const name of names) {
    // Without an argument each fails in its own way.
    const failed = await task<unknown, unknown>(name)(undefined).catch((error: Error) => error);
    expect(String(failed), name).not.toContain('does not know how');
  }
});

it('work on large arrays gets its argument alone, on a thread too', async () => {
  const counted = asideIfLarge('count its arguments', (...given: readonly [Float64Array]) => given.length);
  expect(await counted(Float64Array.of(1))).toBe(1);
  expect(await performHere('count its arguments', new Float64Array(2 ** 20), new AbortController().signal)).toBe(1);
});

it('large arrays are shared and stay what they were, small ones are left', async () => {
  const [large, small] = [new Float32Array(2 ** 19), Float32Array.of(1, 2)];
  large[2 ** 19 - 1] = 7;
  const shared = (await withSharedArrays({ a: [large], small, text: 'x' })) as {
    a: [Float32Array];
    small: Float32Array;
  };
  expect(shared.a[0].buffer).toBeInstanceOf(SharedArrayBuffer);
  expect(shared.a[0]).toEqual(large);
  expect(shared.small).toBe(small);
});

it('what is asked for in the moment that an idle thread ends is done by another', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const asked = () => unpackRun({ bytes: new Uint8Array(3), name: 'a.h5' }).catch((error: Error) => error.message);
  try {
    for (let i = 0; i < 3; i += 1) {
      expect(await asked()).toContain('a.h5 cannot be opened as a run');
      // Those that keep what they have read, too.
      vi.advanceTimersByTime(700_000);
    }
  } finally {
    vi.useRealTimers();
  }
});
