import { describe, expect, it, vi } from 'vitest';
import { unpackRun } from '../../../../../electron/host/app/run-files/packer.ts';
import { withSharedArrays } from '../../../../../electron/host/io/threads/shared.ts';
import {
  declareTask,
  defineArrayTask,
  performInThisThread,
  taskNames,
} from '../../../../../electron/host/io/threads/task.ts';
import { PieceAssembler, splitInSlices, splitIntoPieces } from '../../../../../electron/host/io/threads/threads.ts';

/** The value as another thread receives it. */
function sendThroughThread(value: unknown, most: number): { readonly whole: unknown; readonly pieces: number } {
  const pieces = structuredClone(splitIntoPieces(value, most));
  const assembly = new PieceAssembler();
  let whole: unknown;
  for (const piece of pieces) whole = assembly.add(piece);
  return { whole, pieces: pieces.length };
}

const numbers = Array.from({ length: 1000 }, (_, i) => i - 0.5);
const values: readonly (readonly [string, unknown])[] = [
  ['nothing', undefined],
  ['a number', -0],
  ['an empty list', []],
  ['an empty object', {}],
  ['a long list', numbers],
  ['lists in lists', [numbers, [numbers, []], {}]],
  ['many keys', Object.fromEntries(numbers.map((each, i) => [`k${i}`, { each, undefined: undefined }]))],
  ['arrays of numbers in between', { a: { b: [Float64Array.of(1, Number.NaN), numbers] }, c: 'x'.repeat(10_000) }],
  ['a key that every object has', JSON.parse(`{"__proto__": {"a": [${numbers}]}, "b": [${numbers}]}`)],
  ['missing values', [null, undefined, [undefined], { a: null }]],
];

describe('a value sent in pieces', () => {
  it.each(values)('is reassembled unchanged: %s', (_what, value) => {
    for (const most of [1, 2, 7, 100, 1_000_000]) {
      const { whole } = sendThroughThread(value, most);
      expect(whole).toStrictEqual(value);
      // Compares texts, because equality ignores the order of keys.
      expect(JSON.stringify(whole)).toBe(JSON.stringify(value));
    }
  });

  it('is split with pauses, since splitting a large value takes tens of milliseconds', () => {
    const pauses = [
      ...splitInSlices(
        numbers.map((each) => ({ each })),
        100,
      ),
    ];
    expect(pauses.length).toBeGreaterThan(1000);
  });

  it('has no piece larger than requested, and only one piece if it is small', () => {
    expect(sendThroughThread(numbers.slice(0, 50), 100).pieces).toBe(1);
    // Small values are transferred without a copy.
    const small = { a: numbers.slice(0, 50) };
    expect(splitIntoPieces(small, 100).some((piece) => piece.kind === 'value' && piece.value === small)).toBe(true);
    for (const piece of splitIntoPieces({ a: numbers, b: [numbers] }, 100)) {
      if (piece.kind === 'value') expect(JSON.stringify(piece.value).split(',').length).toBeLessThanOrEqual(100);
    }
  });
});

describe('tasks on a worker thread', () => {
  /** Test files of one worker share the state of modules, so other files' tasks may be registered. */
  const OF_TESTS: ReadonlySet<string> = new Set(['fly', 'read a number', 'count its arguments']);

  it('report an unknown task as failed, and run the next one', async () => {
    await expect(declareTask<null, null>('fly')(null)).rejects.toThrow('the worker thread has no task fly');
    await expect(unpackRun({ bytes: new Uint8Array(3), name: 'a.h5' })).rejects.toThrow(
      'a.h5 cannot be opened as a run',
    );
  });

  it('include every task of the host', async () => {
    await import('../../../../../electron/host/index.ts');
    const names = taskNames().filter((name) => !OF_TESTS.has(name));
    expect(names.length).toBeGreaterThanOrEqual(15);
    for (const name of names) {
      // Without arguments each task fails with its own error.
      const failed = await declareTask<unknown, unknown>(name)(undefined).catch((error: Error) => error);
      expect(String(failed), name).not.toContain('has no task');
    }
  });

  it('accept exactly one argument for functions on large arrays', async () => {
    const counted = defineArrayTask('count its arguments', (...given: readonly [Float64Array]) => given.length);
    expect(await counted(Float64Array.of(1))).toBe(1);
    expect(
      await performInThisThread('count its arguments', new Float64Array(2 ** 20), new AbortController().signal),
    ).toBe(1);
  });

  it('share large arrays unchanged, and do not share small ones', async () => {
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

  it('are served by another thread if they arrive while an idle thread ends', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const requested = () =>
      unpackRun({ bytes: new Uint8Array(3), name: 'a.h5' }).catch((error: Error) => error.message);
    try {
      for (let i = 0; i < 3; i += 1) {
        expect(await requested()).toContain('a.h5 cannot be opened as a run');
        // Later requests succeed too, for tasks that cache files.
        vi.advanceTimersByTime(700_000);
      }
    } finally {
      vi.useRealTimers();
    }
  });
});
