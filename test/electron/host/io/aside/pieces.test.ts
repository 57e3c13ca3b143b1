import { describe, expect, it } from 'vitest';
import { Assembly, piecesInSteps, piecesOf } from '../../../../../electron/host/io/aside/pieces.ts';

/** As it comes to the other thread. */
function throughThread(value: unknown, most: number): { readonly whole: unknown; readonly pieces: number } {
  const pieces = structuredClone(piecesOf(value, most));
  const assembly = new Assembly();
  let whole: unknown;
  for (const piece of pieces) whole = assembly.take(piece);
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
  ['a key that objects have', JSON.parse(`{"__proto__": {"a": [${numbers}]}, "b": [${numbers}]}`)],
  ['places without a value', [null, undefined, [undefined], { a: null }]],
];

describe('a value in pieces', () => {
  it.each(values)('is the same again: %s', (_what, value) => {
    for (const most of [1, 2, 7, 100, 1_000_000]) {
      const { whole } = throughThread(value, most);
      expect(whole).toStrictEqual(value);
      // Equality does not look at the order of keys.
      expect(JSON.stringify(whole)).toBe(JSON.stringify(value));
    }
  });

  it('is cut with pauses: a large one takes tens of milliseconds', () => {
    const pauses = [
      ...piecesInSteps(
        numbers.map((each) => ({ each })),
        100,
      ),
    ];
    expect(pauses.length).toBeGreaterThan(1000);
  });

  it('is of no piece larger than asked, and of one where it is small', () => {
    expect(throughThread(numbers.slice(0, 50), 100).pieces).toBe(1);
    // Small values are passed on without a copy.
    const small = { a: numbers.slice(0, 50) };
    expect(piecesOf(small, 100).some((piece) => piece.kind === 'value' && piece.value === small)).toBe(true);
    for (const piece of piecesOf({ a: numbers, b: [numbers] }, 100)) {
      if (piece.kind === 'value') expect(JSON.stringify(piece.value).split(',').length).toBeLessThanOrEqual(100);
    }
  });
});
