/** NRRD and MetaImage files made by the tests, and the messages about invalid ones. */
import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { readDicomDose } from '../../../../../electron/host/io/volumes/dicom.ts';
import { metaImageHeader } from '../../../../../electron/host/io/volumes/metaimage.ts';
import { nrrdHeader } from '../../../../../electron/host/io/volumes/nrrd.ts';
import type { Volume } from '../../../../../electron/host/io/volumes/volume.ts';
import { decodeVolumeFile } from '../../../../../electron/host/io/volumes/volume-file.ts';
import { metaImageBytes, nrrdBytes, rtDoseBytes } from '../../../../../electron/host/io/volumes/write.ts';

const readNrrd = (name: string, bytes: Uint8Array): Volume =>
  decodeVolumeFile(name, bytes, nrrdHeader(name, bytes), []);
const readMetaImage = (name: string, bytes: Uint8Array, data: Uint8Array | null): Volume =>
  decodeVolumeFile(name, bytes, metaImageHeader(name, bytes), [data]);

const numbers = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];

function floatBytes(little: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * numbers.length));
  for (const [i, value] of numbers.entries()) view.setFloat32(4 * i, value, little);
  return new Uint8Array(view.buffer);
}

const joinFile = (header: string, data: Uint8Array): Uint8Array =>
  Uint8Array.from([...new TextEncoder().encode(header), ...data]);

const volume = {
  sizes: [2, 3, 2],
  spacing_mm: [1, 2, 2.5],
  origin_mm: [-0.5, 0, 10],
  values: Float64Array.from(numbers),
};

const nrrd = (more: string, data: Uint8Array): Uint8Array =>
  joinFile(
    `NRRD0004\n# a comment\ntype: float\ndimension: 3\nspace: left-posterior-superior\nsizes: 2 3 2\n${more}space origin: (-0.5,0,10)\n\n`,
    data,
  );
const steps = 'space directions: (1,0,0) (0,2,0) (0,0,2.5)\n';
const textOf = (type: string, values: string): Uint8Array =>
  joinFile(
    `NRRD0004\ntype: ${type}\ndimension: 3\nsizes: 2 3 2\nspacings: 1 1 1\nencoding: ascii\n\n`,
    Buffer.from(values),
  );

describe('NRRD volumes', () => {
  it('are read raw and compressed, in either byte order', () => {
    expect(readNrrd('a.nrrd', nrrd(`encoding: raw\nendian: little\n${steps}`, floatBytes(true)))).toEqual(volume);
    expect(readNrrd('a.nrrd', nrrd(`encoding: raw\nendian: big\n${steps}`, floatBytes(false)))).toEqual(volume);
    const packed = nrrd(`encoding: gzip\nendian: little\n${steps}`, gzipSync(floatBytes(true)));
    expect(readNrrd('a.nrrd', packed)).toEqual(volume);
    expect(readNrrd('a.nrrd', nrrd('encoding: raw\nendian: little\nspacings: 1 2 2.5\n', floatBytes(true)))).toEqual(
      volume,
    );
  });

  test.each([
    [
      'cut',
      nrrd(`encoding: raw\nendian: little\n${steps}`, floatBytes(true).subarray(0, 40)),
      /40 bytes, but 48 are specified: it is truncated/,
    ],
    ['no NRRD', floatBytes(true), /does not begin with NRRD0001/],
    [
      // atan(0.1) is 5.7°.
      'sheared',
      nrrd('encoding: raw\nendian: little\nspace directions: (1,0.1,0) (0,2,0) (0,0,2.5)\n', floatBytes(true)),
      /its axes 1 and 2 are at an angle of 84\.3°; allowed: right angles/,
    ],
    [
      // The axes are rotated by 10°: sin 10° = 0.1736, cos 10° = 0.9848.
      'oblique',
      nrrd(
        'encoding: raw\nendian: little\nspace directions: (0.9848,0.1736,0) (-0.1736,0.9848,0) (0,0,2.5)\n',
        floatBytes(true),
      ),
      /its axes are rotated by 10\.0° from those of the patient; allowed: up to 0\.06°/,
    ],
    [
      'a field without a space after its colon',
      nrrd(`encoding: raw\nendian: little\nspace:RAS\n${steps}`, floatBytes(true)),
      /its header contains the line "space:RAS"; allowed: "field: value", with a space/,
    ],
    [
      'without steps',
      nrrd('encoding: raw\nendian: little\n', floatBytes(true)),
      /neither spacings, space directions, nor axis mins/,
    ],
    [
      'a length below 0',
      nrrd('encoding: raw\nendian: little\nspacings: 1 -2 2.5\n', floatBytes(true)),
      /spacings has -2; allowed: lengths above 0/,
    ],
    [
      'another compression',
      nrrd(`encoding: bzip2\n${steps}`, floatBytes(true)),
      /encoding is bzip2; allowed: raw, gzip, gz, ascii/,
    ],
    [
      'text that is hexadecimal',
      textOf('float', '0x10 1 2 3 4 5 6 7 8 9 10 11'),
      /value 1 is 0x10; allowed: numbers of float32/,
    ],
    [
      'text beyond the range of its type',
      textOf('short', '0 1 2 3 4 5 6 7 8 9 10 70000'),
      /value 12 is 70000; allowed: numbers of int16/,
    ],
    [
      'text with a fraction',
      textOf('short', '0 1.5 2 3 4 5 6 7 8 9 10 11'),
      /value 2 is 1\.5; allowed: numbers of int16/,
    ],
    [
      'damaged compressed data',
      nrrd(`encoding: gzip\nendian: little\n${steps}`, floatBytes(true)),
      /cannot be decompressed/,
    ],
  ])('are rejected with the file name for %s', (_name, bytes, why) => {
    expect(() => readNrrd('plan.nrrd', bytes)).toThrow(why);
    expect(() => readNrrd('plan.nrrd', bytes)).toThrow(/^plan.nrrd: /);
  });

  it('are rejected if they unpack to more than their stated size', () => {
    const bomb = nrrd(`encoding: gzip\nendian: little\n${steps}`, gzipSync(new Uint8Array(1e6)));
    expect(() => readNrrd('bomb.nrrd', bomb)).toThrow(/decompresses to more than the 48 bytes specified/);
  });
});

const meta = (more: string, data: Uint8Array, file = 'LOCAL'): Uint8Array =>
  joinFile(
    `ObjectType = Image\nNDims = 3\n${more}Offset = -0.5 0 10\nElementSpacing = 1 2 2.5\nDimSize = 2 3 2\nElementType = MET_FLOAT\nElementDataFile = ${file}\n`,
    data,
  );

describe('MetaImage volumes', () => {
  it('are read from one file or two, compressed or not, in either byte order', () => {
    const plain = meta('BinaryDataByteOrderMSB = False\n', floatBytes(true));
    expect(metaImageHeader('a.mha', plain).dataFiles).toBeNull();
    expect(readMetaImage('a.mha', plain, null)).toEqual(volume);
    expect(readMetaImage('a.mha', meta('BinaryDataByteOrderMSB = True\n', floatBytes(false)), null)).toEqual(volume);
    const packed = meta('CompressedData = True\n', deflateSync(floatBytes(true)));
    expect(readMetaImage('a.mha', packed, null)).toEqual(volume);
    // MetaIO also accepts a colon, other names of a field and other spellings of numbers.
    const colon = meta('Position : -0.5 0.0 10.0\nBinaryData: True\n', floatBytes(true));
    expect(readMetaImage('a.mha', colon, null)).toEqual(volume);
    const head = meta('', new Uint8Array(0), 'a.raw');
    expect(metaImageHeader('a.mhd', head).dataFiles).toEqual(['a.raw']);
    expect(readMetaImage('a.mhd', head, floatBytes(true))).toEqual(volume);
  });

  test.each([
    ['cut', meta('', floatBytes(true).subarray(0, 40)), /40 bytes, but 48 are specified: it is truncated/],
    ['with one axis twice', meta('TransformMatrix = 0 1 0 0 1 0 0 0 1\n', floatBytes(true)), /two of its axes/],
    [
      'of channels',
      meta('ElementNumberOfChannels = 3\n', floatBytes(true)),
      /ElementNumberOfChannels = 3 is not supported; allowed: 1/,
    ],
    ['not a MetaImage', floatBytes(true), /no ElementDataFile/],
    [
      'packed with bytes after the data',
      meta('CompressedData = True\n', Buffer.concat([deflateSync(floatBytes(true)), Buffer.from('more')])),
      /its compressed data ends at byte \d+, but the section has \d+ bytes/,
    ],
    [
      'a line that is no field',
      meta('HeaderSize 16\n', floatBytes(true)),
      /its header contains the line "HeaderSize 16"/,
    ],
    [
      'a size of a header with a colon',
      meta('HeaderSize: 16\n', floatBytes(true)),
      /HeaderSize = 16 with .* not supported/,
    ],
  ])('are rejected with the file name for %s', (_name, bytes, why) => {
    expect(() => readMetaImage('plan.mha', bytes, null)).toThrow(why);
  });

  it('are read along the axes of the patient if their axes are permuted', () => {
    // A row is the direction of one axis of the file, as in ITK: to y, to z, to x.
    const turned = readMetaImage('a.mha', meta('TransformMatrix = 0 1 0 0 0 1 1 0 0\n', floatBytes(true)), null);
    expect(turned).toEqual({
      sizes: [2, 2, 3],
      spacing_mm: [2.5, 1, 2],
      origin_mm: [-0.5, 0, 10],
      values: Float64Array.from([0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11]),
    });
    const back = readMetaImage('a.mha', meta('TransformMatrix = -1 0 0 0 1 0 0 0 1\n', floatBytes(true)), null);
    // The first cell is at -0.5 mm, and the axis points to negative x; so the last of two cells of 1 mm is at -1.5 mm.
    expect([back.origin_mm[0], ...back.values.subarray(0, 4)]).toEqual([-1.5, 1, 0, 3, 2]);
  });

  it('are rejected if they name a file outside their folder', () => {
    expect(() => metaImageHeader('a.mhd', meta('', new Uint8Array(0), '../secret'))).toThrow(
      /names "\.\.\/secret"; allowed: files in the same folder/,
    );
  });
});

/** Grids of any size, spacing and origin, rounded to 10 digits, which is the precision of DICOM. */
const digits = (least: number, most: number) =>
  fc.double({ min: least, max: most, noNaN: true }).map((value) => Number(value.toPrecision(10)) + 0);
const volumes = (axes: 2 | 3, values: fc.Arbitrary<number>): fc.Arbitrary<Volume> =>
  fc
    .tuple(
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: axes, maxLength: axes }),
      fc.array(digits(0.01, 10), { minLength: axes, maxLength: axes }),
      fc.array(digits(-500, 500), { minLength: axes, maxLength: axes }),
    )
    .chain(([sizes, spacing_mm, origin_mm]) => {
      const count = sizes.reduce((a, b) => a * b, 1);
      return fc
        .array(values, { minLength: count, maxLength: count })
        .map((all) => ({ sizes, spacing_mm, origin_mm, values: Float64Array.from(all, (value) => value + 0) }));
    });

describe('a list of data files', () => {
  // 2 × 3 × 2 values: each slice of the last axis has six values, and each row has two.
  const cut = (count: number): Uint8Array[] =>
    Array.from({ length: count }, (_, i) => floatBytes(true).subarray((i * 48) / count, ((i + 1) * 48) / count));
  const metaList = (value: string, names = ''): Uint8Array => meta('', new TextEncoder().encode(names), value);
  const nrrdList = (value: string, names = ''): Uint8Array =>
    new TextEncoder().encode(
      `NRRD0004\ntype: float\ndimension: 3\nsizes: 2 3 2\nspace: lps\nspace directions: (1,0,0) (0,2,0) (0,0,2.5)\nspace origin: (-0.5,0,10)\nendian: little\nencoding: raw\ndata file: ${value}\n${names}`,
    );

  test.each([
    ['LIST', 'b.raw\na.raw\n', ['b.raw', 'a.raw']],
    ['LIST 2', 'b.raw\r\na.raw', ['b.raw', 'a.raw']],
    ['LIST 3', 'a.raw\n', ['a.raw']],
    ['LIST 1', 'a\nb\nc\nd\ne\nf\n', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['s%02d.raw 9 10 1', '', ['s09.raw', 's10.raw']],
    ['s%d.raw 10 5 -5', '', ['s10.raw', 's5.raw']],
    ['s%d.raw 0 1 1 2', '', ['s0.raw', 's1.raw']],
  ] as const)('is read by both headers, part by part: %s', (value, names, wanted) => {
    for (const [header, bytes] of [
      [metaImageHeader, metaList(value, names)],
      [nrrdHeader, nrrdList(value, names)],
    ] as const) {
      const read = header('a', bytes);
      expect(read.dataFiles).toEqual(wanted);
      expect(decodeVolumeFile('a', bytes, read, cut(wanted.length))).toEqual(volume);
    }
  });

  it('starts at 1 in steps of 1 if the MetaImage pattern has no numbers', () => {
    expect(metaImageHeader('a', metaList('s%03d.raw')).dataFiles).toEqual(['s001.raw', 's002.raw']);
    expect(metaImageHeader('a', metaList('s%03d.raw 7')).dataFiles).toEqual(['s007.raw', 's008.raw']);
  });

  it('is unpacked and skipped file by file for NRRD', () => {
    const bytes = nrrdList('LIST', 'a\nb\n');
    const text = new TextDecoder().decode(bytes).replace('encoding: raw', 'encoding: gzip\nbyte skip: 4');
    const packed = new TextEncoder().encode(text);
    const parts = cut(2).map((part) => gzipSync(Buffer.concat([Buffer.alloc(4, 9), part])));
    expect(decodeVolumeFile('a', packed, nrrdHeader('a', packed), parts)).toEqual(volume);
  });

  test.each([
    ['LIST', 'a.raw\n', 'names 1 files; allowed: 2, of 2 axes each, for 2 × 3 × 2'],
    ['LIST', 'a\nb\nc\n', 'names 3 files; allowed: 2'],
    ['LIST', '', 'names 0 files; allowed: 1 to 4000'],
    ['LIST 4', 'a\nb\n', 'names 2 files of 4 axes; allowed: equal parts of 2 × 3 × 2'],
    ['LIST', 'a\n../b\n', 'names "../b"; allowed: files in the same folder'],
    ['s%d%d.raw 1 2 1', '', 'is s%d%d.raw; allowed: a pattern with one number, as in slice%03d.raw'],
    ['s%f.raw 1 2 1', '', 'is s%f.raw; allowed: a pattern with one number'],
    ['s%d.raw 1 2 0', '', 'counts by 1 2 0; allowed'],
    ['s%d.raw 1 1e9 1', '', 'names 1000000000 files; allowed: 4000'],
  ] as const)('is rejected for %s with %j', (value, names, message) => {
    expect(() => metaImageHeader('a', metaList(value, names))).toThrow(`a: ElementDataFile ${message}`);
    expect(() => nrrdHeader('a', nrrdList(value, names))).toThrow(`a: data file ${message}`);
  });

  it('is rejected with the name of the missing or truncated part', () => {
    const bytes = nrrdList('LIST', 'a.raw\nb.raw\n');
    const header = nrrdHeader('v', bytes);
    const [first = new Uint8Array(0)] = cut(2);
    expect(() => decodeVolumeFile('v', bytes, header, [first, null])).toThrow('v: its data file b.raw cannot be read');
    expect(() => decodeVolumeFile('v', bytes, header, [first, first.subarray(4)])).toThrow(
      'v: b.raw: its data has 20 bytes, but 24 are specified: it is truncated',
    );
  });
});

describe('a written volume reads back', () => {
  const any = fc.double({ noNaN: true, noDefaultInfinity: true });
  const content = { content: 'any' };

  it.each([2, 3] as const)('is unchanged bit for bit with %i axes as MetaImage and NRRD', (axes) => {
    fc.assert(
      fc.property(volumes(axes, any), (volume) => {
        expect(readMetaImage('a.mha', metaImageBytes(volume, content), null)).toEqual(volume);
        expect(readNrrd('a.nrrd', nrrdBytes(volume, content))).toEqual(volume);
      }),
      { numRuns: 60 },
    );
  });

  it('agrees to 32 bits of its largest value as RT Dose', () => {
    fc.assert(
      fc.property(volumes(3, fc.double({ min: 0, max: 1e9, noNaN: true })), (volume) => {
        const { values, unit, ...grid } = readDicomDose('a.dcm', rtDoseBytes(volume, { ...content, frame: null }));
        const { sizes, spacing_mm, origin_mm } = volume;
        const frames = sizes[2] ?? 1;
        // A single frame has no spacing to its neighbour.
        expect(grid).toEqual({
          sizes,
          origin_mm,
          spacing_mm: frames > 1 ? spacing_mm : [...spacing_mm.slice(0, 2), 1],
        });
        expect(unit).toBe('Gy');
        const most = volume.values.reduce((a, b) => Math.max(a, b), 0);
        for (const [i, value] of values.entries()) {
          expect(Math.abs(value - (volume.values[i] ?? 0))).toBeLessThanOrEqual(most / 2 ** 31);
        }
      }),
      { numRuns: 60 },
    );
  });
});
