/** Files next to a scenario are read once, until they change. */
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { readText } from '../../../../../electron/host/io/text/read.ts';
import { besideReader, type Parsed } from '../../../../../electron/host/model/scenarios/beside.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';

const folder = scratchFolder('beside');

test('a file is parsed again when it has changed, and its faults are kept as its value is', async () => {
  const parse = vi.fn((text: string): Parsed<number> => {
    const value = Number(text);
    return Number.isNaN(value) ? { ok: false, faults: [{ line: 1, message: 'no number' }] } : { ok: true, value };
  });
  const read = besideReader({ task: 'read a number', path: ['file'], largest_bytes: 100, allowed: 'a number', parse });
  const place = { name: path.join('runs', 'a.json'), folder };
  const file = path.join(folder, 'n.txt');
  await writeFile(file, '12');
  expect(await read('n.txt', place)).toEqual({ value: 12, faults: [], issues: [] });
  expect((await read('n.txt', place)).value).toBe(12);
  expect(parse).toHaveBeenCalledTimes(1);
  await writeFile(file, 'twelve');
  for (const _ of [1, 2]) {
    const { value, issues } = await read('n.txt', place);
    expect(value).toBeNull();
    expect(issues).toMatchObject([{ file: path.join('runs', 'n.txt'), path: 'file', line: 1, message: 'no number' }]);
  }
  expect(parse).toHaveBeenCalledTimes(2);
  await rm(file);
  expect((await read('n.txt', place)).faults).toMatchObject([{ path: ['file'] }]);
  await writeFile(file, '13');
  expect((await read('n.txt', place)).value).toBe(13);
});

test('a text is read up to its limit and no further, in pieces', async () => {
  const file = path.join(folder, 'long.txt');
  const text = 'Å'.repeat(300_000);
  await writeFile(file, text);
  expect(await readText(file, 600_000)).toEqual({ ok: true, text });
  expect(await readText(file, 599_999)).toMatchObject({ ok: false });
});
