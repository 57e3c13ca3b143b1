import { expect, test } from 'vitest';
import { PrintedText } from '../../../../../electron/host/model/user-kernels/printed.ts';

test('a flood keeps its beginning and its end, and says how much lies between', () => {
  const printed = new PrintedText();
  printed.add('first\n');
  expect(printed.text).toEqual({ first: 'first\n', last: '', left_out: 0 });
  for (let n = 0; n < 1000; n += 1) printed.add(`${'x'.repeat(199)}\n`);
  printed.add('last\n');
  const { first, last, left_out } = printed.text;
  expect(first.startsWith('first\nxxx')).toBe(true);
  expect(last.endsWith('x\nlast\n')).toBe(true);
  expect([first.length, last.length]).toEqual([32 * 1024, 32 * 1024]);
  expect(first.length + last.length + left_out).toBe(6 + 200_000 + 5);
});
