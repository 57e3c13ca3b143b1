/** Includes of a kernel are found in any text, in time proportional to its length. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { USER_KERNEL_TEXT_MOST } from '../../../../../electron/contract/user-kernels.ts';
import { readClosure } from '../../../../../electron/host/model/user-kernels/includes.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { leastHold, MOST_MS } from '../../longest-hold.ts';

const folder = scratchFolder('includes');
const file = path.join(folder, 'my.cpp');
writeFileSync(path.join(folder, 'mine.h'), 'int mine = 1;\n');

const filled = (unit: string, head = '', tail = ''): string =>
  `${head}${unit.repeat(Math.floor((USER_KERNEL_TEXT_MOST - head.length - tail.length) / unit.length))}${tail}`;

test.each([
  ['lines that end as those of Windows', '#include "mine.h"\r\nint main;\r\n'],
  ['a line that goes on after a carriage return', '#include "mine.h"\r// and more\n'],
  ['a form feed before it', '\f#include "mine.h"\n'],
  ['a comment that does not end behind it', '#include "mine.h"\n/* and so on\n'],
])('an include in %s is part of what is trusted', async (_what, text) => {
  const { whole, included, refused } = await readClosure(file, text);
  expect(refused).toEqual([]);
  expect(included).toEqual([{ name: 'mine.h', text: 'int mine = 1;\n' }]);
  expect(whole).toContain('int mine = 1;');
});

test.each([
  ['comments that do not end', filled('/* ')],
  ['comments', filled('/**/')],
  ['spaces within an include', filled(' ', '#include "a', 'b"')],
  ['spaces behind an include', filled(' ', '#include "a"', 'b')],
  ['spaces in lines that go on', filled('\\ \t')],
  ['spaces', filled(' ', '', '#')],
  ['lines', filled('\n')],
])('a text of %s, as long as it may be, holds nobody up', async (_what, text) => {
  expect(text.length).toBeGreaterThan(USER_KERNEL_TEXT_MOST - 4);
  expect(await leastHold(() => readClosure(file, text))).toBeLessThan(MOST_MS);
});

test('includes have an end', async () => {
  expect((await readClosure(file, '#include "none.h"\n'.repeat(1000))).refused).toEqual([]);
  const { refused } = await readClosure(file, '#include "none.h"\n'.repeat(1001));
  expect(refused).toMatchObject([{ line: 1001, message: expect.stringContaining('the 1001st include') }]);
});
