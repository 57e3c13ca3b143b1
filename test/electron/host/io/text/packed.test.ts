/** Compressed text is read transparently, and its errors are reported. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readPackedText } from '../../../../../electron/host/io/text/packed.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';

const MOST = 2048;
const folder = scratchFolder('packed');

test.each([
  ['plain', Buffer.from('{"µ": 1}'), { ok: true, text: '{"µ": 1}' }],
  ['packed', gzipSync('{"µ": 1}'), { ok: true, text: '{"µ": 1}' }],
  ['cut off', gzipSync('{"µ": 1}').subarray(0, 20), { reason: expect.stringMatching(/cut off or damaged/) }],
  ['too much', gzipSync('a'.repeat(MOST + 1)), { reason: expect.stringMatching(/larger than 2 KiB when it is/) }],
  ['no text', Buffer.from([0xff, 0xfe, 0xfd]), { ok: false, reason: 'is not UTF-8 text' }],
  ['packed, and no text', gzipSync(Buffer.from([0xff, 0xfe])), { ok: false, reason: 'is not UTF-8 text' }],
])('a file that is %s', async (name, bytes, expected) => {
  const file = path.join(folder, `${name}.json.gz`);
  await writeFile(file, bytes);
  expect(await readPackedText(file, MOST)).toMatchObject(expected);
});

test('a file that is not there', async () => {
  const found = await readPackedText(path.join(folder, 'none.json'), MOST);
  expect(found).toEqual({ ok: false, reason: 'there is no such file', missing: true });
});
