/** Images of users are read: the files that the program writes, those of detectors, and none that is damaged. */
import { describe, expect, test } from 'vitest';
import { imageFile } from '../../../../../../electron/host/workloads/diffraction/images/index.ts';
import { readImage } from '../../../../../../electron/host/workloads/diffraction/images/read.ts';
import { renderDocument } from '../../image.ts';
import { smallImage } from '../../small-image.ts';

const run = await renderDocument(smallImage);
const text = (words: string) => new TextEncoder().encode(words);

describe('what the program writes is read again', () => {
  test.each([
    ['a.tif', 32],
    ['a.bin', 32],
  ] as const)('%s has every photon', (name, bits) => {
    const read = readImage(imageFile(run, name, bits), name, [run.width, run.height]);
    expect([read.width, read.height]).toEqual([32, 24]);
    expect(read.counts).toEqual(run.image);
    expect(read.left.some((one) => one === 1)).toBe(false);
  });

  test.each(['a.img', 'a.tiff'])('%s has counts in line with the photons', (name) => {
    const read = readImage(imageFile(run, name, 16), name);
    const most = run.image.indexOf(Math.max(...run.image));
    expect(read.counts[most]).toBe(55_040);
    expect(Math.min(...read.counts)).toBeGreaterThanOrEqual(40);
  });

  test('SMV says where it was recorded, in either order of bytes', () => {
    const bytes = imageFile(run, 'a.img', 16);
    expect(readImage(bytes, 'a.img').header).toEqual({ distance_mm: 100, pixel_mm: 0.1, wavelength_A: 6.2 });
    const swapped = Uint8Array.from(bytes);
    swapped.set(text(new TextDecoder().decode(bytes.subarray(0, 512)).replace('little_endian;', 'big_endian;   ')));
    for (let at = 512; at < swapped.length; at += 2) swapped.set([bytes[at + 1] ?? 0, bytes[at] ?? 0], at);
    expect(readImage(swapped, 'a.img').counts).toEqual(readImage(bytes, 'a.img').counts);
  });
});

/** Counts as a photon counter keeps them: differences of one byte, two, or four. */
function cbf(counts: readonly number[], width: number, height: number, change = (words: string) => words): Uint8Array {
  const bytes: number[] = [];
  let before = 0;
  for (const count of counts) {
    const difference = count - before;
    before = count;
    const view = new DataView(new ArrayBuffer(7));
    view.setInt8(0, Math.abs(difference) < 128 ? difference : -128);
    if (Math.abs(difference) < 128) bytes.push(view.getUint8(0));
    else if (Math.abs(difference) < 32_768) {
      view.setInt16(1, difference, true);
      bytes.push(...new Uint8Array(view.buffer, 0, 3));
    } else {
      view.setInt16(1, -32_768, true);
      view.setInt32(3, difference, true);
      bytes.push(...new Uint8Array(view.buffer, 0, 7));
    }
  }
  const head = change(
    [
      '###CBF: VERSION 1.5\r\n# Pixel_size 172e-6 m x 172e-6 m\r\n# Wavelength 0.9795 A\r\n# Detector_distance 0.25 m',
      'Content-Type: application/octet-stream;\r\n     conversions="x-CBF_BYTE_OFFSET"',
      'X-Binary-Element-Type: "signed 32-bit integer"',
      `X-Binary-Size-Fastest-Dimension: ${width}\r\nX-Binary-Size-Second-Dimension: ${height}\r\n\r\n`,
    ].join('\r\n'),
  );
  return Uint8Array.from([...text(head), 0x0c, 0x1a, 0x04, 0xd5, ...bytes]);
}

test('CBF: differences of every width, gaps of the detector, and what its header says', () => {
  const counts = [0, 5, 127, -1, -2, 30_000, 1_000_000, 999_999, 3, 127, 255, 0];
  const read = readImage(cbf(counts, 4, 3), 'a.cbf');
  expect([read.width, read.height, ...read.counts]).toEqual([4, 3, ...counts]);
  expect([...read.left]).toEqual([0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0]);
  expect(read.header.distance_mm).toBeCloseTo(250, 9);
  expect(read.header.pixel_mm).toBeCloseTo(0.172, 9);
  expect(read.header.wavelength_A).toBe(0.9795);
});

test('TIFF: whole numbers of other widths, either order of bytes, several strips; a full pixel has no part', () => {
  // 2 × 2 pixels of 16 bits, big-endian, a strip a row.
  const view = new DataView(new ArrayBuffer(150));
  const entries: readonly (readonly [number, number, number, number])[] = [
    [256, 3, 1, 2],
    [257, 3, 1, 2],
    [258, 3, 1, 16],
    [259, 3, 1, 1],
    [273, 4, 2, 130],
    [277, 3, 1, 1],
    [279, 4, 2, 138],
  ];
  view.setUint16(0, 0x4d4d);
  view.setUint16(2, 42);
  view.setUint32(4, 8);
  view.setUint16(8, entries.length);
  for (const [i, [tag, type, amount, value]] of entries.entries()) {
    const at = 10 + 12 * i;
    view.setUint16(at, tag);
    view.setUint16(at + 2, type);
    view.setUint32(at + 4, amount);
    if (type === 3) view.setUint16(at + 8, value);
    else view.setUint32(at + 8, value);
  }
  for (const [i, value] of [110, 114, 4, 4].entries()) view.setUint32(130 + 4 * i, value);
  for (const [i, value] of [1, 258, 65_535, 4].entries()) view.setUint16(110 + 2 * i, value);
  const read = readImage(new Uint8Array(view.buffer), 'a.tif');
  expect([...read.counts]).toEqual([1, 258, 65_535, 4]);
  expect([...read.left]).toEqual([0, 0, 1, 0]);
});

describe('a file that is damaged or of another kind is refused in one sentence', () => {
  const img = imageFile(run, 'a.img', 16);
  const tif = imageFile(run, 'a.tif', 32);
  const said = (words: string) => text(words.padEnd(600));
  const cases: readonly (readonly [string, Uint8Array, string])[] = [
    ['a.png', img, '.png is read as no image; allowed: .img, .tif, .tiff, .cbf, .bin, .raw, .h5'],
    ['a.img', text('P5 32 24'), 'it begins with no header in braces'],
    ['a.img', img.subarray(0, 700), 'it ends at byte 700, before its pixels do at 2048'],
    ['a.img', said('{\nHEADER_BYTES=512;\nSIZE1=-3;\nSIZE2=4;\n}'), '-3 × 4 pixels; allowed: whole numbers from 1'],
    ['a.img', said('{\nHEADER_BYTES=512;\nSIZE1=1e6;\nSIZE2=1e6;\n}'), '1000000 × 1000000 pixels'],
    ['a.img', said('{\nHEADER_BYTES=512;\nSIZE1=4;\n}'), 'its header says no SIZE2 (missing)'],
    ['a.img', said('{\nHEADER_BYTES=-8;\nSIZE1=4;\nSIZE2=4;\n}'), 'it ends at byte 600'],
    ['a.img', said('{\nHEADER_BYTES=512;\nSIZE1=4;\nSIZE2=4;\nTYPE=long_integer;\n}'), 'TYPE=long_integer is not read'],
    ['a.tif', img, 'it is no TIFF'],
    ['a.tif', tif.subarray(0, tif.length - 40), 'its directory is cut off'],
    ['a.tif', tif.subarray(0, 6), 'it is no TIFF'],
    ['a.cbf', img, 'it is no CBF image with pixels in it'],
    ['a.cbf', cbf([1, 2], 40, 30), 'before its 1200 pixels do'],
    ['a.cbf', cbf([1], 1, 1, (head) => head.replace('BYTE_OFFSET', 'PACKED')), 'compressed otherwise'],
    ['a.bin', img, 'raw numbers have no size of their own; give it, as in --size 1024x1024'],
  ];
  test.each(cases)('%s: %#', (name, bytes, wanted) => {
    expect(() => readImage(bytes, name)).toThrow(wanted);
    expect(() => readImage(bytes, name)).toThrow(name);
  });

  test('every cut and every changed byte of a header ends in an error or an image, and nothing else', () => {
    for (const [name, bytes] of [
      ['a.img', img],
      ['a.tif', tif],
      ['a.cbf', cbf([1, 300, 70_000, 2], 2, 2)],
    ] as const) {
      for (let at = 0; at < bytes.length; at += 7) {
        const changed = Uint8Array.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ 0xff;
        for (const damaged of [bytes.subarray(0, at), changed]) {
          try {
            expect(readImage(damaged, name).counts.length).toBeGreaterThan(0);
          } catch (error) {
            expect((error as Error).name, `${name} at ${at}: ${(error as Error).message}`).toBe('BraggError');
          }
        }
      }
    }
  });
});
