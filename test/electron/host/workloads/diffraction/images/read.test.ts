/** Reads images from users: files that the program writes, and files from detectors. Damaged files are rejected. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { imageFile } from '../../../../../../electron/host/workloads/diffraction/images/index.ts';
import { readImage } from '../../../../../../electron/host/workloads/diffraction/images/read.ts';
import { renderDocument } from '../../image.ts';
import { smallImage } from '../../small-image.ts';

const run = await renderDocument(smallImage);
const text = (words: string) => new TextEncoder().encode(words);

describe('image files written by the program', () => {
  test.each([
    ['a.tif', 32],
    ['a.bin', 32],
  ] as const)('contain every photon: %s', (name, bits) => {
    const read = readImage(imageFile(run, name, bits), name, [run.width, run.height]);
    expect([read.width, read.height]).toEqual([32, 24]);
    expect(read.counts).toEqual(run.image);
    expect(read.excluded.some((one) => one === 1)).toBe(false);
  });

  test.each(['a.img', 'a.tiff'])('contain counts that agree with the photons: %s', (name) => {
    const read = readImage(imageFile(run, name, 16), name);
    const most = run.image.indexOf(Math.max(...run.image));
    expect(read.counts[most]).toBe(55_040);
    expect(Math.min(...read.counts)).toBeGreaterThanOrEqual(40);
  });

  test('contain the detector geometry in SMV, in either byte order', () => {
    const bytes = imageFile(run, 'a.img', 16);
    expect(readImage(bytes, 'a.img').header).toEqual({ distance_mm: 100, pixel_mm: 0.1, wavelength_A: 6.2 });
    const swapped = Uint8Array.from(bytes);
    swapped.set(text(new TextDecoder().decode(bytes.subarray(0, 512)).replace('little_endian;', 'big_endian;   ')));
    for (let at = 512; at < swapped.length; at += 2) swapped.set([bytes[at + 1] ?? 0, bytes[at] ?? 0], at);
    expect(readImage(swapped, 'a.img').counts).toEqual(readImage(bytes, 'a.img').counts);
  });
});

describe('an arbitrary written image', () => {
  const floats = fc.float({ noNaN: true, noDefaultInfinity: true, min: 0 });
  const images = fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }))
    .chain(([width, height]) =>
      fc
        .array(floats, { minLength: width * height, maxLength: width * height })
        .map((values) => ({ ...run, width, height, image: Float32Array.from(values, (value) => value + 0) })),
    );

  test.each(['a.tif', 'a.raw'])('reads back bit for bit as %s', (name) => {
    fc.assert(
      fc.property(images, (written) => {
        const { width, height, counts } = readImage(imageFile(written, name, 32), name, [
          written.width,
          written.height,
        ]);
        expect({ width, height, counts }).toEqual({
          width: written.width,
          height: written.height,
          counts: written.image,
        });
      }),
      { numRuns: 50 },
    );
  });

  test('reads back to half a count as a.tiff with 16 bits', () => {
    fc.assert(
      fc.property(images, (written) => {
        const most = written.image.reduce((a, b) => Math.max(a, b), 0);
        const { counts } = readImage(imageFile(written, 'a.tiff', 16), 'a.tiff');
        const scale = most > 0 ? 55_000 / most : 1;
        // The scale overflows a double for an image of denormal photon counts.
        fc.pre(Number.isFinite(scale));
        for (const [i, count] of counts.entries()) {
          expect(Math.abs(count - (40 + (written.image[i] ?? 0) * scale))).toBeLessThanOrEqual(0.51);
        }
      }),
      { numRuns: 50 },
    );
  });
});

/** Counts in the CBF compression: differences of one, two or four bytes. */
function cbfFile(
  counts: readonly number[],
  width: number,
  height: number,
  change = (words: string) => words,
): Uint8Array {
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

test('CBF reader: differences of every width, detector gaps and the header', () => {
  const counts = [0, 5, 127, -1, -2, 30_000, 1_000_000, 999_999, 3, 127, 255, 0];
  const read = readImage(cbfFile(counts, 4, 3), 'a.cbf');
  expect([read.width, read.height, ...read.counts]).toEqual([4, 3, ...counts]);
  expect([...read.excluded]).toEqual([0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0]);
  expect(read.header.distance_mm).toBeCloseTo(250, 9);
  expect(read.header.pixel_mm).toBeCloseTo(0.172, 9);
  expect(read.header.wavelength_A).toBe(0.9795);
});

test('TIFF reader: integers of other widths, either byte order, several strips; a saturated pixel is excluded', () => {
  // 2 × 2 pixels of 16 bits, big-endian, with a strip for each row.
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
  expect([...read.excluded]).toEqual([0, 0, 1, 0]);
});

/** Files modelled on public bug reports, with their correct values. Their sources are in cases/README.md. */
describe('a detector image', () => {
  const ofCase = (name: string) => readImage(readFileSync(path.join(import.meta.dirname, 'cases', name)), name);
  const usual = Float32Array.from({ length: 1200 }, (_, i) => 10 + ((7 * (i % 40) + 13 * Math.floor(i / 40)) % 50));
  usual[15 * 40 + 20] = 3045;
  const leftOf = ({ excluded }: { readonly excluded: Uint8Array }) =>
    [...excluded.keys()].filter((i) => excluded[i] === 1);

  test.each(['i01-long.img', 'i02-braces.img'])('has the usual counts: %s', (name) => {
    const { width, height, counts } = ofCase(name);
    expect([width, height]).toEqual([40, 30]);
    expect(counts).toEqual(usual);
  });

  test('excludes overloads stated in an SMV or CBF header', () => {
    expect(leftOf(ofCase('i04-saturation.img'))).toEqual([10 * 40 + 20, 10 * 40 + 21]);
    const { counts, excluded } = ofCase('b04-cutoff.cbf');
    const full = [...counts.keys()].filter((i) => counts[i] === 1_048_500);
    expect(full.length).toBeGreaterThan(0);
    expect(full.every((i) => excluded[i] === 1)).toBe(true);
  });

  test('expands imaging-plate counts above 15 bits', () => {
    const { counts, full } = ofCase('i05-raxis-ratio.img');
    // The stored value 44186 stands for (44186 - 32768) × 8.
    expect([counts[15 * 40 + 20], full]).toEqual([91_344, 32_767 * 8]);
  });

  test('may have tiles that extend beyond its edges', () => {
    const tile = readFileSync(path.join(import.meta.dirname, 'cases', 'f03-tiled.tif'));
    const { counts } = ofCase('f03-tiled.tif');
    expect([...counts.subarray(0, 40)]).toEqual([...usual.subarray(0, 40)]);
    expect(counts[40]).toBe(tile.readUInt16LE(8 + 2 * 48));
  });

  test.each([
    ['i06-compressed.img', 'COMPRESSION = BS1 is not supported; allowed: None'],
    ['f02-bigtiff.tif', 'its directory is empty'],
  ])('is rejected: %s', (name, message) => {
    expect(() => ofCase(name)).toThrow(`${name}: ${message}`);
  });
});

/** 16-bit TIFF with any tags; `big` selects BigTIFF. Pixels first, then the directory. */
/** Text as the 32-bit numbers that `tiffOf` writes. */
const asciiOf = (words: string): readonly number[] => [
  ...new Uint32Array(Uint8Array.from(Buffer.from(words.padEnd(4 * Math.ceil(words.length / 4)))).buffer),
];

function tiffOf(
  pixels: Uint16Array,
  tags: Readonly<Record<number, number | readonly number[]>>,
  big = false,
): Uint8Array {
  const entries = Object.entries(tags);
  const [dataAt, entryBytes] = big ? [16, 20] : [8, 12];
  const directory = dataAt + pixels.byteLength;
  const lists = directory + 8 + entryBytes * entries.length + 8;
  const view = new DataView(new ArrayBuffer(lists + 4 * entries.flatMap(([, value]) => value).length));
  view.setUint16(0, 0x4949, true);
  view.setUint16(2, big ? 43 : 42, true);
  if (big) view.setUint16(4, 8, true);
  const word = (at: number, value: number): void => {
    if (big) view.setBigUint64(at, BigInt(value), true);
    else view.setUint32(at, value, true);
  };
  word(big ? 8 : 4, directory);
  for (const [i, value] of pixels.entries()) view.setUint16(dataAt + 2 * i, value, true);
  if (big) view.setBigUint64(directory, BigInt(entries.length), true);
  else view.setUint16(directory, entries.length, true);
  let free = lists;
  for (const [i, [tag, value]] of entries.entries()) {
    const at = directory + (big ? 8 : 2) + entryBytes * i;
    const values = typeof value === 'number' ? [value] : value;
    view.setUint16(at, Number(tag), true);
    view.setUint16(at + 2, 4, true);
    word(at + 4, values.length);
    const own = at + (big ? 12 : 8);
    const inside = 4 * values.length <= (big ? 8 : 4);
    if (!inside) word(own, free);
    for (const [k, one] of values.entries()) view.setUint32((inside ? own : free) + 4 * k, one, true);
    if (!inside) free += 4 * values.length;
  }
  return new Uint8Array(view.buffer);
}

describe('a TIFF image', () => {
  const [width, height] = [5, 3];
  const counts = Array.from({ length: width * height }, (_, i) => 100 + i);
  const strips = (at: number) => ({ 256: width, 257: height, 258: 16, 259: 1, 262: 1, 273: at, 277: 1, 279: 30 });

  test('is read as BigTIFF', () => {
    expect([...readImage(tiffOf(Uint16Array.from(counts), strips(16), true), 'a.tif').counts]).toEqual(counts);
  });

  test.each([false, true])('is read from four tiles, padded at the edges (BigTIFF: %s)', (big) => {
    // Tiles of 4 × 2 pixels: 2 across, 2 down; pixels outside of the image are 9.
    const tiles = [0, 1, 2, 3].flatMap((tile) =>
      Array.from({ length: 8 }, (_, i) => {
        const [x, y] = [4 * (tile % 2) + (i % 4), 2 * Math.floor(tile / 2) + Math.floor(i / 4)];
        return x < width && y < height ? (counts[y * width + x] ?? 0) : 9;
      }),
    );
    const at = big ? 16 : 8;
    const tags = { 256: width, 257: height, 258: 16, 259: 1, 262: 1, 277: 1, 322: 4, 323: 2 };
    const places = { 324: [0, 1, 2, 3].map((i) => at + 16 * i), 325: [16, 16, 16, 16] };
    const file = tiffOf(Uint16Array.from(tiles), { ...tags, ...places }, big);
    expect([...readImage(file, 'a.tif').counts]).toEqual(counts);
  });

  test.each([
    [{ 262: 0 }, 'PhotometricInterpretation (tag 262) is 0; allowed: 1'],
    [{ 274: 3 }, 'Orientation (tag 274) is 3; allowed: 1'],
    [{ 317: 2 }, 'Predictor (tag 317) is 2; allowed: 1'],
    [{ 266: 2 }, 'FillOrder (tag 266) is 2; allowed: 1'],
    [{ 338: 0 }, 'ExtraSamples (tag 338) is 0; allowed: absent'],
    [{ 279: 28 }, 'its 1 strips contain 14 of 15 pixels'],
    [{ 279: 32 }, 'its 1 strips contain 16 of 15 pixels'],
    [{ 270: asciiOf('ImageJ=1.53t\nc0=-32768.0\nc1=1.0\n') }, 'c0 = -32768.0 is not supported; allowed: 0 or absent'],
    [{ 270: asciiOf('ImageJ=1.53t\nimages=10\n') }, 'images = 10 is not supported; allowed: 1'],
  ])('is rejected with %o', (changes, message) => {
    const file = tiffOf(Uint16Array.from([...counts, 0]), { ...strips(8), ...changes });
    expect(() => readImage(file, 'a.tif')).toThrow(`a.tif: ${message}`);
  });
});

describe('a CBF image', () => {
  const counts = [1, 3, 6, 10, 15, 115];
  const withText = (more: string) =>
    readImage(
      cbfFile(counts, 3, 2, (head) => head.replace('Content-Type', `${more}Content-Type`)),
      'a.cbf',
    );

  test.each([
    ['alone', '_array_intensities.overload  10\r\n'],
    ['quoted', "_array_intensities.overload '10'\r\n"],
    [
      'in a loop',
      'loop_\r\n_array_intensities.array_id\r\n_array_intensities.linearity\r\n_array_intensities.overload\r\n_array_intensities.undefined_value\r\n ARRAY1 linear 10 0\r\n',
    ],
    [
      'of two arrays in a loop, of which the lower one counts',
      'loop_\r\n_array_intensities.array_id\r\n_array_intensities.overload\r\n A 99\r\n B 10 # lower\r\n',
    ],
  ])('excludes pixels with an overload %s', (_, more) => {
    const { full, excluded } = withText(more);
    // An overload at 10 excludes three of six counts: 10, 15 and 115.
    expect([full, [...excluded]]).toEqual([10, [0, 0, 0, 1, 1, 1]]);
  });

  test('excludes pixels whose value represents no count, but 0 is a count', () => {
    const { counts: read, excluded } = withText('_array_intensities.undefined_value 6\r\n');
    expect([read[2], [...excluded]]).toEqual([-1, [0, 0, 1, 0, 0, 0]]);
    const zero = withText('_array_intensities.undefined_value 0\r\n');
    expect([[...zero.counts], zero.notes]).toEqual([
      counts,
      ['Its _array_intensities.undefined_value is 0: counts of 0 are treated as valid.'],
    ]);
  });

  test.each([
    ['# Detector_distance: 250 mm', { distance_mm: 250 }],
    ['# Detector_distance = 0.25 m (encoder)', { distance_mm: 250 }],
    ['# Wavelength 0.125 nm', { wavelength_A: 1.25 }],
    ['# Wavelength (nil)', {}],
    ['# Detector_distance 0 m', {}],
  ])('has %s as geometry in its unit', (line, header) => {
    const plain = cbfFile(counts, 3, 2, (head) => head.replace(/# Pixel_size[\s\S]*0\.25 m/, line));
    expect(readImage(plain, 'a.cbf').header).toEqual(header);
  });

  test.each([
    ['# Detector_distance 250', 'Detector_distance is 250; allowed: a number in m, mm'],
    ['# Wavelength 0,9795 A', 'Wavelength is 0,9795 A; allowed: a number in A, Angstrom, nm'],
    ['# Count_cutoff 1,048,575 counts', 'Count_cutoff is 1,048,575 counts; allowed: a number in counts'],
    ['# Detector_distance 0.3 m', 'Detector_distance is in its header more than once'],
    [
      '_array_structure_list.direction decreasing',
      '_array_structure_list.direction is decreasing; allowed: increasing',
    ],
    ['_array_intensities.offset -100', '_array_intensities.offset is -100; allowed: 0'],
    ['_array_intensities.overload 1e5,0', '_array_intensities.overload is 1e5,0; allowed: a number'],
  ])('is rejected: %s', (line, message) => {
    const bytes = line.includes('0.3 m')
      ? cbfFile(counts, 3, 2, (head) => head.replace('Content-Type', `${line}\r\nContent-Type`))
      : cbfFile(counts, 3, 2, (head) => head.replace(/# Pixel_size[\s\S]*0\.25 m/, line));
    expect(() => readImage(bytes, 'a.cbf')).toThrow(`a.cbf: ${message}`);
  });

  test('a TIFF may also state its geometry in detector comment lines', () => {
    const words = '# Pixel_size 172e-6 m x 172e-6 m\r\n# Detector_distance 0.2 m\r\n# Count_cutoff 104 counts\0';
    const strip = { 256: 5, 257: 3, 258: 16, 259: 1, 262: 1, 273: 8, 277: 1, 279: 30, 270: asciiOf(words) };
    const { header, excluded } = readImage(
      tiffOf(
        Uint16Array.from({ length: 15 }, (_, i) => 90 + i),
        strip,
      ),
      'a.tif',
    );
    expect(header.distance_mm).toBeCloseTo(200, 9);
    expect([header.pixel_mm?.toFixed(6), excluded[13], excluded[14]]).toEqual(['0.172000', 0, 1]);
  });

  test('a circular definition of count scales is rejected', () => {
    const loop = 'loop_\r\n_array_intensities.array_id\r\n_array_intensities.linearity\r\n A scaling\r\n';
    expect(() => withText(loop)).toThrow('_array_intensities.linearity is scaling; allowed: linear, raw');
  });

  test('a digest that does not match the pixels is rejected, and a correct one is accepted', () => {
    expect(() => withText('Content-MD5: AAAAAAAAAAAAAAAAAAAAAA==\r\n')).toThrow(/Content-MD5 is AAAAAAAA.*damaged/);
    // md5sum of the bytes 1, 2, 3, 4, 5, 100.
    const digest = Buffer.from('f01a492e42a547da252da5ace2ce5197', 'hex').toString('base64');
    expect([...withText(`Content-MD5: ${digest}\r\n`).counts]).toEqual(counts);
  });

  test('additional images are reported in a note', () => {
    const one = cbfFile(counts, 3, 2);
    expect(readImage(Uint8Array.from([...one, ...one]), 'a.cbf').notes).toEqual([
      'It contains more images: only the first one is read.',
    ]);
    expect(readImage(one, 'a.cbf').notes).toBeUndefined();
  });
});

test('CBF reader: differences of 64 bits', () => {
  const head = cbfFile([], 2, 1);
  const bytes = [1, 0x80, 0, 0x80, 0, 0, 0, 0x80];
  const wide = new Uint8Array(8);
  new DataView(wide.buffer).setBigInt64(0, -3_000_000_000n, true);
  const read = readImage(Uint8Array.from([...head, ...bytes, ...wide]), 'a.cbf');
  expect([...read.counts]).toEqual([1, Math.fround(-2_999_999_999)]);
});

describe('a damaged or foreign file is rejected in one sentence', () => {
  const img = imageFile(run, 'a.img', 16);
  const tif = imageFile(run, 'a.tif', 32);
  const said = (words: string) => text(words.padEnd(600));
  const little = '{\nHEADER_BYTES=512;\nBYTE_ORDER=little_endian;\n';
  const cases: readonly (readonly [string, Uint8Array, string])[] = [
    [
      'a.png',
      said('P5 32 24'),
      '.png is not a supported image format; allowed: .img, .osc, .tif, .tiff, .cbf, .bin, .raw, .h5',
    ],
    ['a.img', text('P5 32 24'), 'it has no header in braces'],
    ['a.img', img.subarray(0, 700), 'it ends at byte 700, but its pixels end at 2048'],
    ['a.img', said('{\nHEADER_BYTES=512;\nSIZE1=-3;\nSIZE2=4;\n}'), '-3 × 4 pixels; allowed: whole numbers from 1'],
    ['a.img', said('{\nHEADER_BYTES=512;\nSIZE1=1e6;\nSIZE2=1e6;\n}'), '1000000 × 1000000 pixels'],
    ['a.img', said('{\nHEADER_BYTES=512;\nSIZE1=4;\n}'), 'its header has no SIZE2'],
    ['a.img', said('{\nHEADER_BYTES=-8;\nBYTE_ORDER=little_endian;\nSIZE1=4;\nSIZE2=4;\n}'), 'it ends at byte 600'],
    [
      'a.img',
      said('{\nHEADER_BYTES=512;\nSIZE1=4;\nSIZE2=4;\nTYPE=long_integer;\n}'),
      'TYPE=long_integer is not supported',
    ],
    ['a.img', said(`{\nHEADER_BYTES=512;\nSIZE1=4;\nSIZE2=4;\n}`), 'BYTE_ORDER= (missing) is not supported'],
    ['a.img', said(`${little}SIZE1=4;\nSIZE2=4;\n}`), 'it has 600 bytes, but its pixels end at 544'],
    ['a.img', said(`${little}SIZE1=4;\nSIZE2=11;\nDIM=3;\n}`), 'DIM = 3 is not supported; allowed: 2'],
    [
      'a.img',
      said(`${little}SIZE1=4;\nSIZE2=11;\nTYPE=unsigned_short;\nData_type=long int;\n}`),
      'its header has TYPE=unsigned_short but Data_type=long int; allowed: equal values',
    ],
    [
      'a.img',
      said(`${little}SIZE1=4;\nSIZE2=11;\nDATE=Mon\nCCD_IMAGE_SATURATION=1000;\n}`),
      'its field DATE has no semicolon; allowed: NAME=value; for each',
    ],
    [
      'a.img',
      said(`${little}SIZE1=4;\nSIZE2=11;\nDISTANCE=100,5;\n}`),
      'DISTANCE=100,5 is not supported; allowed: a number',
    ],
    [
      'a.img',
      said(`${little}SIZE1=4;\nSIZE2=11;\nSATURATED_VALUE=1e3,0;\n}`),
      'SATURATED_VALUE=1e3,0 is not supported',
    ],
    ['a.tif', said('P5 32 24'), 'it is not a TIFF'],
    ['a.tif', tif.subarray(0, tif.length - 40), 'its directory is truncated'],
    ['a.tif', tif.subarray(0, 6), 'it is not a TIFF'],
    ['a.cbf', said('P5 32 24'), 'it is not a CBF image with pixels'],
    ['a.cbf', cbfFile([1, 2], 40, 30), 'before the end of its 1200 pixels'],
    ['a.cbf', cbfFile([1], 1, 1, (head) => head.replace('BYTE_OFFSET', 'PACKED')), 'its compression is not supported'],
    [
      'a.cbf',
      cbfFile([1], 1, 1, (head) => head.replace('signed 32', 'unsigned 32')),
      'X-Binary-Element-Type = "unsigned 32-bit',
    ],
    [
      'a.cbf',
      cbfFile([1], 1, 1, (head) => `${head}X-Binary-Size: 9\r\n`),
      'X-Binary-Size is 9 bytes, but its pixels have 1',
    ],
    [
      'a.cbf',
      cbfFile([1], 1, 1, (head) => `${head}X-Binary-Number-of-Elements: 2\r\n`),
      'Number-of-Elements is 2; allowed: 1',
    ],
    ['a.bin', img, 'a raw file does not contain its size; give it, as in --size 1024x1024'],
  ];
  test('an image is recognised by its first bytes, whatever its name', () => {
    expect(readImage(img, 'a.png')).toEqual(readImage(img, 'a.img'));
    expect(readImage(tif, 'a.img')).toEqual(readImage(tif, 'a.tif'));
  });

  test.each(cases)('%s (case %#)', (name, bytes, wanted) => {
    expect(() => readImage(bytes, name)).toThrow(wanted);
    expect(() => readImage(bytes, name)).toThrow(name);
  });

  test('truncating a header or changing any byte gives an error or an image, and nothing else', () => {
    for (const [name, bytes] of [
      ['a.img', img],
      ['a.tif', tif],
      ['a.cbf', cbfFile([1, 300, 70_000, 2], 2, 2)],
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
