import fc from 'fast-check';
import { expect, test } from 'vitest';
import { atOnce } from '../../../../../electron/contract/pausing.ts';
import { jsonText } from '../../../../../electron/host/io/flow/json-text.ts';

test('is the text of JSON.stringify, whatever the value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      expect(atOnce(jsonText(value))).toBe(JSON.stringify(value));
    }),
  );
  const gaps = { a: undefined, b: [undefined, null, Number.NaN], c: { d: { e: undefined } }, 'ü"': -0 };
  expect(atOnce(jsonText(gaps))).toBe(JSON.stringify(gaps));
});

test('pauses at each of many parts', () => {
  const work = jsonText(Array.from({ length: 100 }, (_, i) => ({ i })));
  let pauses = 0;
  while (work.next().done !== true) pauses += 1;
  expect(pauses).toBeGreaterThan(100);
});
