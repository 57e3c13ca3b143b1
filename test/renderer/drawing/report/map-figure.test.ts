import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { base64, indexedPng } from '../../../../renderer/drawing/report/map-figure.ts';

test('a PNG contains its pixels and its colours', () => {
  const palette = Uint8Array.from({ length: 768 }, (_, i) => i % 256);
  // Large enough for more than one deflate block.
  const [width, height] = [300, 250];
  const pixels = Uint8Array.from({ length: width * height }, (_, i) => (i * 7) % 256);
  const png = Buffer.from(indexedPng(width, height, pixels, palette));
  expect(png.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a');
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length; ) {
    const size = png.readUInt32BE(at);
    chunks.set(png.subarray(at + 4, at + 8).toString(), png.subarray(at + 8, at + 8 + size));
    at += size + 12;
  }
  expect([...chunks.keys()]).toEqual(['IHDR', 'PLTE', 'IDAT', 'IEND']);
  expect(chunks.get('IHDR')?.toString('hex')).toBe('0000012c000000fa0803000000');
  expect(chunks.get('PLTE')?.equals(Buffer.from(palette))).toBe(true);
  const rows = inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0));
  expect(rows.length).toBe((width + 1) * height);
  expect(rows[0]).toBe(0);
  expect(rows.subarray(301 * 100 + 1, 301 * 101).equals(Buffer.from(pixels.subarray(300 * 100, 300 * 101)))).toBe(true);
  expect(png.subarray(-12).toString('hex')).toBe('0000000049454e44ae426082');
});

test('base64 output equals that of Node', () => {
  for (const length of [0, 1, 2, 3, 4, 255]) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 91) % 256);
    expect(base64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
  }
});
