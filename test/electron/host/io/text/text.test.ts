/** Compressed text is read transparently, and its errors are reported. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readCompressedText } from '../../../../../electron/host/io/text/read.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';

const MAX = 2048;
const NO_TEXT = 'is not text in UTF-8, nor in UTF-16 with a byte order mark';
const folder = scratchFolder('packed');

test.each([
  ['plain', Buffer.from('{"µ": 1}'), { ok: true, text: '{"µ": 1}' }],
  ['packed', gzipSync('{"µ": 1}'), { ok: true, text: '{"µ": 1}' }],
  ['cut off', gzipSync('{"µ": 1}').subarray(0, 20), { reason: expect.stringMatching(/truncated or damaged/) }],
  ['too much', gzipSync('a'.repeat(MAX + 1)), { reason: expect.stringMatching(/larger than 2 KiB when decompressed/) }],
  ['of UTF-16, little-endian', Buffer.from('\uFEFF{"µ": 1}', 'utf16le'), { ok: true, text: '{"µ": 1}' }],
  ['of UTF-16, big-endian', Buffer.from('\uFEFF{"µ": 1}', 'utf16le').swap16(), { ok: true, text: '{"µ": 1}' }],
  ['half a letter', Buffer.from([0xff, 0xfe, 0xfd]), { ok: false, reason: NO_TEXT }],
  ['packed, and no text', gzipSync(Buffer.from([0x80, 0x81])), { ok: false, reason: NO_TEXT }],
])('a file that is %s is rejected', async (name, bytes, expected) => {
  const file = path.join(folder, `${name}.json.gz`);
  await writeFile(file, bytes);
  expect(await readCompressedText(file, MAX)).toMatchObject(expected);
});

test('a missing file is rejected', async () => {
  const found = await readCompressedText(path.join(folder, 'none.json'), MAX);
  expect(found).toEqual({ ok: false, reason: 'there is no such file', missing: true });
});
