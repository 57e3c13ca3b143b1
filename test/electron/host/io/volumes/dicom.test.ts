/** DICOM in every transfer syntax that is read, RT Dose, and attributes that change the meaning of stored values. */
import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  isDicom,
  readDicomDose,
  readDicomHeader,
  readDicomPixels,
} from '../../../../../electron/host/io/volumes/dicom.ts';
import { storedValue } from '../../../../../electron/host/io/volumes/dicom-pixels.ts';
import { dicomOf, doseOf, type Phantom } from './phantom.ts';

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
function withFragments(syntax: string, fragment: Uint8Array): Uint8Array {
  const bytes = dicomOf(odd, 1, { '00020010': ['UI', syntax] });
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
