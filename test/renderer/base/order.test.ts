import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderedBy } from '../../../renderer/base/order.ts';

function compared(rows: Uint32Array, numbers: Float64Array): readonly number[] {
  return [...rows].sort((a, b) => (numbers[a] ?? 0) - (numbers[b] ?? 0));
}

test('rows by their numbers, equal ones in their order, whatever the numbers are', () => {
  const few = fc.constantFrom(0, -0, 1, -1, 2.5, 5e-324, -5e-324, Number.MAX_VALUE, -Number.MAX_VALUE);
  const number = fc.oneof(few, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());
  fc.assert(
    fc.property(
      fc.array(number, { minLength: 3000, maxLength: 3000 }),
      fc.integer({ min: 1, max: 5 }),
      (list, step) => {
        const numbers = Float64Array.from(list);
        const rows = Uint32Array.from({ length: Math.floor(numbers.length / step) }, (_, k) => k * step);
        expect([...orderedBy(rows, numbers)]).toEqual(compared(rows, numbers));
      },
    ),
    { numRuns: 20 },
  );
});

test('none, one and few', () => {
  const numbers = Float64Array.of(3, 1, 2, 1);
  expect([...orderedBy(new Uint32Array(), numbers)]).toEqual([]);
  expect([...orderedBy(Uint32Array.of(2), numbers)]).toEqual([2]);
  expect([...orderedBy(Uint32Array.of(0, 1, 2, 3), numbers)]).toEqual([1, 3, 2, 0]);
});
