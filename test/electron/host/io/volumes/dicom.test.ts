/** DICOM in every transfer syntax that is read, RT Dose, and attributes that change the meaning of stored values. */
import { readFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  isDicom,
  readDicomDose,
  readDicomHeader,
  readDicomPixels,
} from '../../../../../electron/host/io/volumes/dicom.ts';
import { storedValue } from '../../../../../electron/host/io/volumes/dicom-pixels.ts';
import { dicomOf, doseOf, type Elements, type Phantom } from './phantom.ts';

const odd: Phantom = {
  columns: 7,
  rows: 5,
  slices: 3,
  spacing_mm: [0.5, 0.75, 2],
  origin_mm: [-10, 20, -6],
  hu: (i, j, k) => i * 100 + j * 10 + k - 500,
};
const wanted = Array.from({ length: 35 }, (_, at) => odd.hu(at % 7, Math.floor(at / 7), 1));

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));
const joined = (...parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts));

/** Encapsulated pixel data of one fragment: part 5, A.4. */
function encapsulated(fragment: Uint8Array): Uint8Array {
  const even = fragment.length % 2 === 0 ? fragment : joined(fragment, Uint8Array.of(0));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, even.length, true);
  return joined(hex('feff00e0 00000000 feff00e0'), length, even, hex('feffdde0 00000000'));
}

/** The same file with its pixels replaced by an element of undefined length. */
function withFragments(syntax: string, fragment: Uint8Array, changes: Elements = {}): Uint8Array {
  const bytes = dicomOf(odd, 1, { '00020010': ['UI', syntax], ...changes });
  const at = Buffer.from(bytes).lastIndexOf(Buffer.from('e07f10004f57', 'hex'));
  return joined(bytes.subarray(0, at), hex('e07f1000 4f42 0000 ffffffff'), encapsulated(fragment));
}

/** Two PackBits segments, high bytes first: a run of its first byte, then literals. */
function rleOf(values: readonly number[]): Uint8Array {
  const segment = (bytes: readonly number[]): number[] => {
    const run = bytes.findIndex((byte) => byte !== bytes[0]);
    const length = run < 0 ? bytes.length : run;
    const packed = length > 1 ? [257 - length, bytes[0] ?? 0] : [];
    const rest = length > 1 ? bytes.slice(length) : bytes;
    const all = rest.length === 0 ? packed : [...packed, rest.length - 1, ...rest];
    return all.length % 2 === 0 ? all : [...all, 128];
  };
  const high = segment(values.map((value) => value >> 8));
  const header = new Uint8Array(64);
  const view = new DataView(header.buffer);
  view.setUint32(0, 2, true);
  view.setUint32(4, 64, true);
  view.setUint32(8, 64 + high.length, true);
  return joined(header, Uint8Array.from(high), Uint8Array.from(segment(values.map((value) => value & 255))));
}

describe('a CT slice', () => {
  const stored = wanted.map((hu) => hu + 1024);

  test('is read from RLE', () => {
    const bytes = withFragments('1.2.840.10008.1.2.5', rleOf(stored));
    expect([...readDicomPixels('a', bytes).hu]).toEqual(wanted);
    const short = withFragments('1.2.840.10008.1.2.5', rleOf(stored.slice(1)));
    expect(() => readDicomPixels('a', short)).toThrow('its RLE frame unpacks to 34 pixels where 35 are announced');
  });

  describe('of lossless JPEG', () => {
    const frames = JSON.parse(readFileSync(new URL('./cases/jpeg-lossless.json', import.meta.url), 'utf8')) as Readonly<
      Record<string, string>
    >;
    const frame = (name: string): Uint8Array => hex(frames[name] ?? '');
    const asStored: Elements = { '00281052': ['DS', '0'] };
    const fileOf = (bytes: Uint8Array, signed: boolean, syntax = '1.2.840.10008.1.2.4.57'): Uint8Array =>
      withFragments(syntax, bytes, { ...asStored, '00280103': ['US', signed ? 1 : 0] });
    // Jumps of thousands across zero: as stored bits they wrap around 65536.
    const jumps = Array.from({ length: 35 }, (_, at) => {
      const [i, j] = [at % 7, Math.floor(at / 7)];
      return ((i * 7919 + j * 104729 + i * j * 31 + 1) % 4001) - 2000;
    });

    test.each(Object.keys(frames).filter((name) => !name.includes('point')))('has the values of %s', (name) => {
      const signed = name.startsWith('signed');
      const { hu } = readDicomPixels('a', fileOf(frame(name), signed));
      expect([...hu]).toEqual(jumps.map((value) => (signed ? value : value + 2000)));
    });

    test('with a point transform has its low bits zero', () => {
      const unsigned = readDicomPixels('a', fileOf(frame('unsigned, predictor 4, point transform 2'), false));
      expect([...unsigned.hu]).toEqual(jumps.map((value) => (value + 2000) & ~3));
    });

    test('is read with transfer syntax 70', () => {
      const bytes = fileOf(frame('signed, predictor 1'), true, '1.2.840.10008.1.2.4.70');
      expect([...readDicomPixels('a', bytes).hu]).toEqual(jumps);
    });

    test('restarts its prediction at each marker', () => {
      // Codes 0 and 10 are differences of no bits and of one. Rows 1 and 2 start from 2^15; a restart is between them.
      const table = 'ffc40015 00 01010000000000000000000000000000 0001'.replaceAll(' ', '');
      const one = withFragments(
        '1.2.840.10008.1.2.4.57',
        hex(`ffd8 ${table} ffdd0004 0002 ffc3000b 10 0002 0002 01 011100 ffda0008 01 0100 04 00 00 5f ffd0 af ffd9`),
        { ...asStored, '00280010': ['US', 2], '00280011': ['US', 2], '00280103': ['US', 0] },
      );
      // 0, then 10 1: +1. After the marker 10 1: +1, then 0.
      expect([...readDicomPixels('a', one).hu]).toEqual([32768, 32769, 32769, 32769]);
    });

    test.each([
      [
        'is cut',
        (bytes: Uint8Array) => bytes.subarray(0, bytes.length - 20),
        /its JPEG data is cut or damaged at pixel \d+ of 35/,
      ],
      [
        'has no end',
        (bytes: Uint8Array) => bytes.subarray(0, bytes.length - 2),
        /has further bytes after the last pixel; allowed: FFD9/,
      ],
      [
        'is cut in its header',
        (bytes: Uint8Array) => bytes.subarray(0, 30),
        /its JPEG frame is cut or damaged at byte \d+/,
      ],
      [
        'is of JPEG baseline',
        (bytes: Uint8Array) =>
          bytes.with(bytes.findIndex((byte, i) => byte === 0xff && bytes[i + 1] === 0xc3) + 1, 0xc0),
        /has marker FFC0; allowed: FFC3, lossless/,
      ],
      ['is no JPEG', (bytes: Uint8Array) => bytes.subarray(1), /its frame is no JPEG/],
      [
        'has predictor 0',
        (bytes: Uint8Array) => bytes.with(bytes.findIndex((byte, i) => byte === 0xff && bytes[i + 1] === 0xda) + 7, 0),
        /its JPEG predictor is 0; allowed: 1 to 7/,
      ],
    ] as const)('is refused where it %s', (_, change, message) => {
      const bytes = change(frame('signed, predictor 6'));
      expect(() => readDicomPixels('a', fileOf(bytes, true))).toThrow(message);
    });

    test('is refused with other sizes or bits than its attributes', () => {
      const other = withFragments('1.2.840.10008.1.2.4.57', frame('signed, predictor 1'), { '00280010': ['US', 4] });
      expect(() => readDicomPixels('a', other)).toThrow('its JPEG frame has 7 × 5 pixels where 7 × 4 are announced');
      const bytes = frame('signed, predictor 1');
      const precision = bytes.findIndex((byte, i) => byte === 0xff && bytes[i + 1] === 0xc3) + 4;
      expect(() => readDicomPixels('a', fileOf(bytes.with(precision, 12), true))).toThrow(
        'its JPEG frame has 12 bits; allowed: 16 (BitsStored) to 16',
      );
    });
  });

  test('is read from a deflated file', () => {
    const bytes = dicomOf(odd, 1, { '00020010': ['UI', '1.2.840.10008.1.2.1.99'] });
    const meta = 132 + 12 + new DataView(bytes.buffer).getUint32(140, true);
    const deflated = joined(bytes.subarray(0, meta), deflateRawSync(bytes.subarray(meta)));
    expect([...readDicomPixels('a', deflated).hu]).toEqual(wanted);
  });

  test('is read without the preamble, where file meta information begins it', () => {
    const bytes = dicomOf(odd, 1).subarray(132);
    expect(isDicom(bytes)).toBe(true);
    expect([...readDicomPixels('a', bytes).hu]).toEqual(wanted);
  });

  test('is read without file meta information, with types of elements or without', () => {
    const bytes = dicomOf(odd, 1);
    const explicit = bytes.subarray(132 + 12 + new DataView(bytes.buffer).getUint32(140, true));
    expect([...readDicomPixels('a', explicit).hu]).toEqual(wanted);
    // Implicit: tag and a length of 32 bits for every element.
    const parts: Uint8Array[] = [];
    const view = new DataView(explicit.buffer, explicit.byteOffset, explicit.length);
    for (let at = 0; at < explicit.length; ) {
      const wide = /OW|OB|SQ|UN|UT/.test(String.fromCharCode(explicit[at + 4] ?? 0, explicit[at + 5] ?? 0));
      const [from, length] = wide ? [at + 12, view.getUint32(at + 8, true)] : [at + 8, view.getUint16(at + 6, true)];
      const head = new Uint8Array(8);
      head.set(explicit.subarray(at, at + 4));
      new DataView(head.buffer).setUint32(4, length, true);
      parts.push(head, explicit.subarray(from, from + length));
      at = from + length;
    }
    expect([...readDicomPixels('a', joined(...parts)).hu]).toEqual(wanted);
  });

  test.each([
    ['HighBit', { '00280102': ['US', 11] }, 'HighBit is 11; allowed: 15, one less than BitsStored'],
    ['BitsStored', { '00280101': ['US', 17] }, 'BitsStored is 17; allowed: 1 to 16'],
    ['ModalityLUTSequence', { '00283000': ['LO', 'x'] }, 'ModalityLUTSequence is x; allowed: absent'],
    [
      'too many pixels',
      { '7fe00010': ['OW', new Uint8Array(72)] },
      'its PixelData has 72 bytes where 70 are announced',
    ],
  ] as const)('is refused for %s', (_, changes, message) => {
    expect(() => readDicomPixels('a.dcm', dicomOf(odd, 0, changes))).toThrow(`a.dcm: ${message}`);
  });

  test('has only the bits that BitsStored states, with their sign', () => {
    expect([0xf830, 0x0830, 0x07d0].map((raw) => storedValue(raw, { stored: 12, signed: true }))).toEqual([
      -2000, -2000, 2000,
    ]);
    // Bits above, such as those of overlays, are no part of the value.
    expect(storedValue(0xf123, { stored: 12, signed: false })).toBe(0x123);
    expect(storedValue(0xffffffff, { stored: 32, signed: false })).toBe(2 ** 32 - 1);
    expect(storedValue(0xffffffff, { stored: 32, signed: true })).toBe(-1);
  });

  test('has direction cosines within 1e-3', () => {
    const rounded = dicomOf(odd, 0, { '00200037': ['DS', '0.9999999\\0.0004\\0\\-0.0004\\0.9999999\\0'] });
    expect(readDicomHeader('a', rounded).way).toEqual([1, 1]);
  });
});

describe('RT Dose', () => {
  const dose = Float64Array.from(
    { length: 105 },
    (_, at) => 0.25 * (odd.hu(at % 7, Math.floor(at / 7) % 5, Math.floor(at / 35)) - odd.hu(0, 0, 0) + 1),
  );

  test('has its dose in Gy at its places', () => {
    expect(readDicomDose('d', doseOf(odd))).toEqual({
      sizes: [7, 5, 3],
      spacing_mm: [0.5, 0.75, 2],
      origin_mm: [-10, 20, -6],
      values: dose,
      unit: 'Gy',
    });
  });

  test('of a prone patient and with descending frames lies along the patient’s axes', () => {
    const turned = readDicomDose(
      'd',
      doseOf(odd, {
        '00200032': ['DS', '-7\\23\\-2'],
        '00200037': ['DS', '-1\\0\\0\\0\\-1\\0'],
        '3004000c': ['DS', '0\\-2\\-4'],
      }),
    );
    expect(turned.origin_mm).toEqual([-10, 20, -6]);
    expect([...turned.values]).toEqual([...dose].reverse());
  });

  test.each([
    ['uneven frames', { '3004000c': ['DS', '0\\2\\5'] }, 'frame 3 is at 5 mm; allowed: 4: equal steps'],
    ['too few offsets', { '3004000c': ['DS', '0\\2'] }, 'GridFrameOffsetVector has 2 values; allowed: 3'],
    ['no scaling', { '3004000e': undefined }, 'it has no DoseGridScaling'],
    ['no units', { '30040002': undefined }, 'it has no DoseUnits'],
    ['a rescale slope', { '00281053': ['DS', '2'] }, 'RescaleSlope is 2; allowed: absent'],
  ] as const)('is refused for %s', (_, changes, message) => {
    expect(() => readDicomDose('d.dcm', doseOf(odd, changes))).toThrow(`d.dcm: ${message}`);
  });
});
