/**
 * DICOM in every supported transfer syntax, RT Dose, and attributes that change the meaning of stored values. Volumes
 * that the program writes, opened by pydicom, ITK and plastimatch: equal values at equal positions. Skipped if these
 * are not installed. Debian has python3-pydicom and elastix, whose transformix uses the same ITK readers as SimpleITK;
 * SimpleITK itself is only on PyPI.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';
import dicom from 'dicom-parser';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isDicom,
  readDicomDose,
  readDicomHeader,
  readDicomPixels,
} from '../../../../../electron/host/io/volumes/dicom.ts';
import { storedValue } from '../../../../../electron/host/io/volumes/dicom-pixels.ts';
import { decodeJpegLossless } from '../../../../../electron/host/io/volumes/jpeg-lossless.ts';
import { decodeVolumeFile, volumeHeader } from '../../../../../electron/host/io/volumes/volume-file.ts';
import {
  type DirectedVolume,
  metaImageBytes,
  nrrdBytes,
  rtDoseBytes,
} from '../../../../../electron/host/io/volumes/write.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { unless } from '../../../../unless.ts';
import { dicomOf, doseOf, type Elements, type Phantom } from './phantom.ts';

describe('volumes in Python packages', () => {
  const folder = scratchFolder('volumes-python');
  /**
   * Path of a Python that has these modules. The system's Python is tried first, since Debian installs packages for it.
   */
  const pythonWith = (module: string): string | null =>
    ['/usr/bin/python3', 'python3'].find((one) => spawnSync(one, ['-c', `import ${module}`]).status === 0) ?? null;
  const [pydicom, simpleItk] = [pythonWith('pydicom, numpy'), pythonWith('SimpleITK')];
  const transformix = spawnSync('transformix', ['--version']).status === 0 ? 'transformix' : null;
  const plastimatch = spawnSync('plastimatch', ['--version']).status === 0 ? 'plastimatch' : null;

  const volume = {
    sizes: [4, 3, 2],
    spacing_mm: [1.5, 2, 2.5],
    origin_mm: [-10, 20, 30.5],
    values: Float64Array.from({ length: 24 }, (_, i) => 0.25 * i),
  };

  /** Axes that point to the back (x), to the right (depth) and to the head (y): a beam from the left. */
  const turned = [
    [0, 1, 0],
    [-1, 0, 0],
    [0, 0, 1],
  ] as const;

  function runPython(program: string | null, script: string, file: string): unknown {
    const { status, stdout, stderr } = spawnSync(program ?? 'python3', ['-c', script, file], { encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    return JSON.parse(stdout);
  }

  test(
    'pydicom reads RT Dose with its coordinates, units and every value (needs pydicom)',
    unless(pydicom === null && 'Python with pydicom and NumPy is not installed'),
    () => {
      const file = path.join(folder, 'dose.dcm');
      writeFileSync(file, rtDoseBytes(volume, { content: 'dose', frame: null }));
      const script = `
import json, struct, sys, pydicom
d = pydicom.dcmread(sys.argv[1])
values = [v * float(d.DoseGridScaling) for v in struct.unpack('<%dI' % (len(d.PixelData) // 4), d.PixelData)]
print(json.dumps({'modality': d.Modality, 'units': d.DoseUnits, 'size': [d.Columns, d.Rows, int(d.NumberOfFrames)],
  'spacing': [float(v) for v in d.PixelSpacing], 'origin': [float(v) for v in d.ImagePositionPatient],
  'offsets': [float(v) for v in d.GridFrameOffsetVector], 'pointer': int(d.FrameIncrementPointer),
  'syntax': d.file_meta.TransferSyntaxUID, 'same': d.SOPInstanceUID == d.file_meta.MediaStorageSOPInstanceUID,
  'valid': all(u.is_valid for u in [d.SOPInstanceUID, d.StudyInstanceUID, d.SeriesInstanceUID, d.FrameOfReferenceUID]),
  'values': values}))`;
      const found = runPython(pydicom, script, file) as { values: number[] };
      expect(found).toMatchObject({
        ...{ modality: 'RTDOSE', units: 'GY', size: [4, 3, 2], spacing: [2, 1.5], origin: [-10, 20, 30.5] },
        ...{ offsets: [0, 2.5], pointer: 0x3004000c, syntax: '1.2.840.10008.1.2.1', same: true, valid: true },
      });
      for (const [i, value] of found.values.entries()) expect(value).toBeCloseTo(0.25 * i, 8);
    },
  );

  test(
    'CT and RT Dose files of pydicom have its values and coordinates (needs pydicom)',
    unless(pydicom === null && 'Python with pydicom and NumPy is not installed'),
    () => {
      const script = `
import json, os, sys, pydicom
folder = os.path.join(os.path.dirname(pydicom.__file__), 'data', 'test_files')
out = []
for name in ['CT_small.dcm', 'rtdose.dcm', 'rtdose_1frame.dcm', 'rtdose_rle.dcm']:
    file = os.path.join(folder, name)
    if os.path.exists(file):
        d = pydicom.dcmread(file)
        a = d.pixel_array.astype(float)
        v = a * float(d.RescaleSlope) + float(d.RescaleIntercept) if d.Modality == 'CT' else a * float(d.DoseGridScaling)
        out.append({'file': file, 'modality': d.Modality, 'mean': float(v.mean()), 'size': v.size, 'origin': [float(x) for x in d.ImagePositionPatient]})
print(json.dumps(out))`;
      const files = runPython(pydicom, script, '') as {
        file: string;
        modality: string;
        mean: number;
        size: number;
        origin: number[];
      }[];
      for (const { file, modality, mean, size, origin } of files) {
        const bytes = new Uint8Array(readFileSync(file));
        const [values, place] =
          modality === 'CT'
            ? [readDicomPixels(file, bytes).hu, readDicomHeader(file, bytes).position_mm]
            : [readDicomDose(file, bytes).values, readDicomDose(file, bytes).origin_mm];
        const sum = Array.from(values).reduce((a, b) => a + b, 0);
        expect(values.length, file).toBe(size);
        expect(sum / size, file).toBeCloseTo(mean, 6);
        expect(place, file).toEqual(origin);
      }
    },
  );

  test(
    'pydicom reads the directions of RT Dose in a CT (needs pydicom)',
    unless(pydicom === null && 'Python with pydicom and NumPy is not installed'),
    () => {
      const file = path.join(folder, 'turned.dcm');
      writeFileSync(file, rtDoseBytes({ ...volume, directions: turned }, { content: 'dose', frame: null }));
      const script = `
import json, sys, pydicom
d = pydicom.dcmread(sys.argv[1])
print(json.dumps([float(v) for v in d.ImageOrientationPatient]))`;
      expect(runPython(pydicom, script, file)).toEqual([0, 1, 0, -1, 0, 0]);
    },
  );

  test.each([
    ['turned.mha', metaImageBytes({ ...volume, directions: turned }, { content: 'dose' })],
    ['turned.nrrd', nrrdBytes({ ...volume, directions: turned }, { content: 'dose' })],
    ['plain.mha', metaImageBytes(volume, { content: 'dose' })],
    ['plain.nrrd', nrrdBytes(volume, { content: 'dose' })],
  ])(
    'plastimatch, by ITK, reads %s with its coordinates and values (needs plastimatch)',
    unless(plastimatch === null && 'plastimatch is not installed'),
    (name, bytes) => {
      const file = path.join(folder, name);
      writeFileSync(file, bytes);
      const header = spawnSync('plastimatch', ['header', file], { encoding: 'utf8' }).stdout;
      const line = (key: string): number[] =>
        (new RegExp(`^${key} = (.*)$`, 'm').exec(header)?.[1] ?? '').trim().split(/\s+/).map(Number);
      expect([line('Origin'), line('Size'), line('Spacing')]).toEqual([
        [-10, 20, 30.5],
        [4, 3, 2],
        [1.5, 2, 2.5],
      ]);
      // ITK prints the matrix whose columns are the directions of the axes.
      const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1];
      expect(line('Direction')).toEqual(name.startsWith('plain') ? identity : [0, -1, 0, 1, 0, 0, 0, 0, 1]);
      const probed = spawnSync('plastimatch', ['probe', '--index', '0 0 0;3 0 0;0 2 0;3 2 1', file], {
        encoding: 'utf8',
      });
      const values = probed.stdout.match(/(?<=; )[-\d.e+]+(?=\s*$)/gm)?.map(Number);
      expect(values, probed.stdout).toEqual([0, 0.75, 2, 5.75]);
    },
  );

  test(
    'plastimatch reads RT Dose with its coordinates and values (needs plastimatch)',
    unless(plastimatch === null && 'plastimatch is not installed'),
    () => {
      const [file, out] = [path.join(folder, 'plan.dcm'), path.join(folder, 'plan.mha')];
      writeFileSync(file, rtDoseBytes(volume, { content: 'dose', frame: null }));
      const requested = ['convert', '--input-dose-img', file, '--output-dose-img', out];
      const converted = spawnSync('plastimatch', requested, { encoding: 'utf8' });
      expect(converted.status, converted.stderr).toBe(0);
      const bytes = new Uint8Array(readFileSync(out));
      const header = volumeHeader(out, bytes) ?? expect.fail('plastimatch wrote no volume');
      const read = decodeVolumeFile(out, bytes, header, []);
      expect([read.sizes, read.spacing_mm, read.origin_mm]).toEqual([
        [4, 3, 2],
        [1.5, 2, 2.5],
        [-10, 20, 30.5],
      ]);
      for (const [i, value] of read.values.entries()) expect(value).toBeCloseTo(0.25 * i, 5);
    },
  );

  /** Scale of the stored values: ITK does not apply that of RT Dose. */
  const scaleOf = (name: string, bytes: Uint8Array): number =>
    name.endsWith('.dcm') ? (dicom.parseDicom(bytes).floatString('x3004000e') ?? Number.NaN) : 1;

  test.each([
    ['dose.mha', metaImageBytes(volume, { content: 'dose' })],
    ['dose.nrrd', nrrdBytes(volume, { content: 'dose' })],
    ['dose.dcm', rtDoseBytes(volume, { content: 'dose', frame: null })],
  ])(
    'SimpleITK reads %s with its coordinates and every value (needs SimpleITK)',
    unless(simpleItk === null && 'Python with SimpleITK is not installed'),
    (name, bytes) => {
      const file = path.join(folder, name);
      writeFileSync(file, bytes);
      const script = `
import json, sys, SimpleITK as sitk
i = sitk.ReadImage(sys.argv[1])
print(json.dumps({'size': i.GetSize(), 'spacing': i.GetSpacing(), 'origin': i.GetOrigin(), 'direction': i.GetDirection(),
  'values': [float(v) for v in sitk.GetArrayFromImage(i).ravel()]}))`;
      const found = runPython(simpleItk, script, file) as { values: number[] };
      expect(found).toMatchObject({
        ...{ size: [4, 3, 2], spacing: [1.5, 2, 2.5], origin: [-10, 20, 30.5], direction: [1, 0, 0, 0, 1, 0, 0, 0, 1] },
      });
      for (const [i, value] of found.values.entries()) expect(value * scaleOf(name, bytes)).toBeCloseTo(0.25 * i, 8);
    },
  );

  /** Lets ITK resample a file on a grid by nearest neighbours. Values outside the file become -1. */
  function resampleByItk(
    file: string,
    { sizes, spacing_mm, origin_mm, directions }: DirectedVolume,
  ): readonly number[] {
    const [out, parameters] = [`${file}-out`, `${file}.txt`];
    mkdirSync(out, { recursive: true });
    const lines = [
      ...['Transform "TranslationTransform"', 'NumberOfParameters 3', 'TransformParameters 0 0 0'],
      ...['InitialTransformParametersFileName "NoInitialTransform"', 'HowToCombineTransforms "Compose"'],
      ...['FixedImageDimension 3', 'MovingImageDimension 3', 'FixedInternalImagePixelType "float"'],
      ...['MovingInternalImagePixelType "float"', 'UseDirectionCosines "true"', 'Index 0 0 0'],
      ...[`Size ${sizes.join(' ')}`, `Spacing ${spacing_mm.join(' ')}`, `Origin ${origin_mm.join(' ')}`],
      `Direction ${(directions ?? [1, 0, 0, 0, 1, 0, 0, 0, 1]).flat().join(' ')}`,
      ...['ResampleInterpolator "FinalBSplineInterpolator"', 'FinalBSplineInterpolationOrder 0'],
      ...['Resampler "DefaultResampler"', 'DefaultPixelValue -1', 'ResultImageFormat "mha"'],
      ...['ResultImagePixelType "float"', 'CompressResultImage "false"'],
    ];
    writeFileSync(parameters, lines.map((line) => `(${line})\n`).join(''));
    const { status, stdout } = spawnSync(
      'transformix',
      ['-in', file, '-out', out, '-tp', parameters, '-threads', '1'],
      {
        encoding: 'utf8',
      },
    );
    expect(status, stdout).toBe(0);
    // The result has the requested grid, so only its data is read.
    const data = readFileSync(path.join(out, 'result.mha')).subarray(-4 * sizes.reduce((a, b) => a * b, 1));
    return Array.from({ length: data.length / 4 }, (_, i) => data.readFloatLE(4 * i));
  }

  const [cos, sin] = [Math.cos(0.5), Math.sin(0.5)];
  /** A beam at 28.6°. */
  const tilted = [
    [cos, sin, 0],
    [-sin, cos, 0],
    [0, 0, 1],
  ] as const;
  const formats = {
    mha: (of: DirectedVolume) => metaImageBytes(of, { content: 'dose' }),
    nrrd: (of: DirectedVolume) => nrrdBytes(of, { content: 'dose' }),
    dcm: (of: DirectedVolume) => rtDoseBytes(of, { content: 'dose', frame: null }),
  } as const;

  test.each(Object.entries(formats))(
    'ITK reads .%s with its coordinates, directions and every value (needs transformix of elastix)',
    unless(transformix === null && 'transformix is not installed'),
    (ending, write) => {
      for (const [name, directions] of Object.entries({ plain: undefined, turned, tilted })) {
        const own: DirectedVolume = directions === undefined ? volume : { ...volume, directions };
        const [file, bytes] = [path.join(folder, `itk-${name}.${ending}`), write(own)];
        writeFileSync(file, bytes);
        const scale = scaleOf(file, bytes);
        const same = resampleByItk(file, own);
        expect(
          same.map((value) => Number((value * scale).toFixed(5))),
          name,
        ).toEqual([...volume.values]);
      }
    },
  );

  test.each(Object.entries(formats))(
    'a rotated volume in .%s has its values at the positions that ITK computes (needs transformix of elastix)',
    unless(transformix === null && 'transformix is not installed'),
    (ending, write) => {
      const [file, bytes] = [path.join(folder, `itk-own.${ending}`), write({ ...volume, directions: turned })];
      writeFileSync(file, bytes);
      const header = volumeHeader(file, bytes);
      const own = header === null ? readDicomDose(file, bytes) : decodeVolumeFile(file, bytes, header, []);
      const itk = resampleByItk(file, own);
      expect([own.sizes, own.origin_mm]).toEqual([
        [3, 4, 2],
        [-14, 20, 30.5],
      ]);
      for (const [i, value] of itk.entries()) expect(value * scaleOf(file, bytes)).toBeCloseTo(own.values[i] ?? 0, 5);
    },
  );
});

const irregularPhantom: Phantom = {
  columns: 7,
  rows: 5,
  slices: 3,
  spacing_mm: [0.5, 0.75, 2],
  origin_mm: [-10, 20, -6],
  hu: (i, j, k) => i * 100 + j * 10 + k - 500,
};
const expectedPixels = Array.from({ length: 35 }, (_, at) => irregularPhantom.hu(at % 7, Math.floor(at / 7), 1));

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));
const concatenateBytes = (...parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts));

/** Encapsulated pixel data of one fragment: part 5, A.4. */
function encapsulate(fragment: Uint8Array): Uint8Array {
  const even = fragment.length % 2 === 0 ? fragment : concatenateBytes(fragment, Uint8Array.of(0));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, even.length, true);
  return concatenateBytes(hex('feff00e0 00000000 feff00e0'), length, even, hex('feffdde0 00000000'));
}

/** A file whose pixels are replaced by an element of undefined length. */
function withFragments(syntax: string, fragment: Uint8Array, changes: Elements = {}): Uint8Array {
  const bytes = dicomOf(irregularPhantom, 1, { '00020010': ['UI', syntax], ...changes });
  const at = Buffer.from(bytes).lastIndexOf(Buffer.from('e07f10004f57', 'hex'));
  return concatenateBytes(bytes.subarray(0, at), hex('e07f1000 4f42 0000 ffffffff'), encapsulate(fragment));
}

/** Two PackBits segments, high bytes first: a run of its first byte, then literals. */
function encodeRle(values: readonly number[]): Uint8Array {
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
  return concatenateBytes(header, Uint8Array.from(high), Uint8Array.from(segment(values.map((value) => value & 255))));
}

interface JpegSettings {
  readonly columns: number;
  readonly precision: number;
  readonly predictor: number;
  /** Number of low bits that are dropped. */
  readonly point: number;
  /** Rows between restart markers; 0: no restart markers. */
  readonly restart: number;
}

/** Lossless JPEG as ITU-T T.81, annex H, describes it; an encoder for tests, with one table of 17 codes. */
function encodeJpeg(values: readonly number[], { columns, precision, predictor, point, restart }: JpegSettings) {
  const rows = values.length / columns;
  const segment = (marker: number, bytes: readonly number[]): number[] => [0xff, marker, 0, bytes.length + 2, ...bytes];
  // Fourteen codes of 4 bits and three of 6 bits, for differences of 0 to 16 bits.
  const lengths = [0, 0, 0, 14, 0, 3, ...Array.from({ length: 10 }, () => 0)];
  const codes = Array.from({ length: 17 }, (_, size) =>
    size < 14 ? size.toString(2).padStart(4, '0') : (56 + size - 14).toString(2),
  );
  const parts: number[] = [];
  let bits = '';
  const endPart = (): void => {
    for (const eight of bits.padEnd(Math.ceil(bits.length / 8) * 8, '1').match(/.{8}/g) ?? []) {
      const byte = Number.parseInt(eight, 2);
      parts.push(...(byte === 0xff ? [0xff, 0] : [byte]));
    }
    bits = '';
  };
  const low = values.map((value) => value >> point);
  let first = 0;
  for (const [at, value] of low.entries()) {
    const [row, column] = [Math.floor(at / columns), at % columns];
    if (restart > 0 && at > 0 && column === 0 && row % restart === 0) {
      endPart();
      parts.push(0xff, 0xd0 + ((row / restart - 1) & 7));
      first = row;
    }
    const [a = 0, b = 0, c = 0] = [low[at - 1], low[at - columns], low[at - columns - 1]];
    const inside = [a, b, c, a + b - c, a + ((b - c) >> 1), b + ((a - c) >> 1), (a + b) >> 1][predictor - 1] ?? 0;
    const start = column === 0 ? 2 ** (precision - point - 1) : a;
    const edge = row === first ? start : column === 0 ? b : inside;
    const apart = ((value - edge + 2 ** 15) & 0xffff) - 2 ** 15;
    const size = apart === -(2 ** 15) ? 16 : 32 - Math.clz32(Math.abs(apart));
    const extra = apart > 0 ? apart : apart + 2 ** size - 1;
    bits += (codes[size] ?? '') + (size === 0 || size === 16 ? '' : extra.toString(2).padStart(size, '0'));
  }
  endPart();
  const interval = restart * columns;
  return Uint8Array.from([
    ...[0xff, 0xd8],
    ...segment(0xc4, [0, ...lengths, ...codes.keys()]),
    ...(interval === 0 ? [] : segment(0xdd, [interval >> 8, interval & 255])),
    ...segment(0xc3, [precision, rows >> 8, rows & 255, columns >> 8, columns & 255, 1, 1, 0x11, 0]),
    ...segment(0xda, [1, 1, 0, predictor, 0, point]),
    ...parts,
    ...[0xff, 0xd9],
  ]);
}

const jpegSettings = fc.record({
  columns: fc.integer({ min: 1, max: 9 }),
  precision: fc.integer({ min: 4, max: 16 }),
  predictor: fc.integer({ min: 1, max: 7 }),
  point: fc.integer({ min: 0, max: 3 }),
  restart: fc.integer({ min: 0, max: 2 }),
});
const jpegs = jpegSettings.chain((settings) =>
  fc
    .array(
      fc.array(fc.nat(2 ** settings.precision - 1), { minLength: settings.columns, maxLength: settings.columns }),
      {
        minLength: 1,
        maxLength: 8,
      },
    )
    .map((rows) => ({ settings, values: rows.flat().map((value) => (value >> settings.point) << settings.point) })),
);

describe('a CT slice in DICOM', () => {
  const stored = expectedPixels.map((hu) => hu + 1024);

  test('is read from RLE', () => {
    const bytes = withFragments('1.2.840.10008.1.2.5', encodeRle(stored));
    expect([...readDicomPixels('a', bytes).hu]).toEqual(expectedPixels);
    const short = withFragments('1.2.840.10008.1.2.5', encodeRle(stored.slice(1)));
    expect(() => readDicomPixels('a', short)).toThrow('its RLE frame decompresses to 34 pixels, but 35 are specified');
  });

  describe('is read from lossless JPEG', () => {
    const frames = JSON.parse(readFileSync(new URL('./cases/jpeg-lossless.json', import.meta.url), 'utf8')) as Readonly<
      Record<string, string>
    >;
    const frame = (name: string): Uint8Array => hex(frames[name] ?? '');
    const asStored: Elements = { '00281052': ['DS', '0'] };
    const fileOf = (bytes: Uint8Array, signed: boolean, syntax = '1.2.840.10008.1.2.4.57'): Uint8Array =>
      withFragments(syntax, bytes, { ...asStored, '00280103': ['US', signed ? 1 : 0] });
    // Differences of thousands across zero: in stored bits they wrap around 65536.
    const jumps = Array.from({ length: 35 }, (_, at) => {
      const [i, j] = [at % 7, Math.floor(at / 7)];
      return ((i * 7919 + j * 104729 + i * j * 31 + 1) % 4001) - 2000;
    });

    test.each(Object.keys(frames).filter((name) => !name.includes('point')))('has the values of %s', (name) => {
      const signed = name.startsWith('signed');
      const { hu } = readDicomPixels('a', fileOf(frame(name), signed));
      expect([...hu]).toEqual(jumps.map((value) => (signed ? value : value + 2000)));
    });

    test('has zero low bits if lossless JPEG uses a point transform', () => {
      const unsigned = readDicomPixels('a', fileOf(frame('unsigned, predictor 4, point transform 2'), false));
      expect([...unsigned.hu]).toEqual(jumps.map((value) => (value + 2000) & ~3));
    });

    test('is read with transfer syntax 70', () => {
      const bytes = fileOf(frame('signed, predictor 1'), true, '1.2.840.10008.1.2.4.70');
      expect([...readDicomPixels('a', bytes).hu]).toEqual(jumps);
    });

    test('restarts its JPEG prediction at each marker', () => {
      // Codes 0 and 10 stand for differences of zero bits and of one bit. Rows 1 and 2 both start from 2^15, because a
      // restart is between them.
      const table = 'ffc40015 00 01010000000000000000000000000000 0001'.replaceAll(' ', '');
      const one = withFragments(
        '1.2.840.10008.1.2.4.57',
        hex(`ffd8 ${table} ffdd0004 0002 ffc3000b 10 0002 0002 01 011100 ffda0008 01 0100 04 00 00 5f ffd0 af ffd9`),
        { ...asStored, '00280010': ['US', 2], '00280011': ['US', 2], '00280103': ['US', 0] },
      );
      // Bits 0, then 10 1: differences 0 and +1. After the marker 10 1, then 0: differences +1 and 0.
      expect([...readDicomPixels('a', one).hu]).toEqual([32768, 32769, 32769, 32769]);
    });

    test('is decoded with any predictor, precision, point transform and restart interval', () => {
      const property = fc.property(jpegs, ({ settings, values }) => {
        const { columns, rows, values: found } = decodeJpegLossless('a', encodeJpeg(values, settings));
        expect([columns, rows, [...found]]).toEqual([settings.columns, values.length / columns, values]);
      });
      fc.assert(property, { numRuns: 200 });
    });

    test('is rejected with missing or excess bytes in its data', () => {
      const property = fc.property(
        jpegs,
        fc.nat(),
        fc.integer({ min: 1, max: 4 }),
        ({ settings, values }, at, count) => {
          const good = encodeJpeg(values, settings);
          const data = good.length - 2;
          // Insert bytes before the end marker.
          const longer = concatenateBytes(
            good.subarray(0, data),
            new Uint8Array(count).fill(at & 127),
            good.subarray(data),
          );
          expect(() => decodeJpegLossless('a', longer)).toThrow(/has further bytes after the last pixel/);
          const shorter = good.subarray(0, 1 + (at % (good.length - 1)));
          expect(() => decodeJpegLossless('a', shorter)).toThrow(/truncated or damaged|not a JPEG/);
        },
      );
      fc.assert(property, { numRuns: 200 });
    });

    test.each([
      [
        'is cut',
        (bytes: Uint8Array) => bytes.subarray(0, bytes.length - 20),
        /its JPEG data is truncated or damaged: it does not end with FFD9/,
      ],
      [
        'has no end',
        (bytes: Uint8Array) => bytes.subarray(0, bytes.length - 2),
        /its JPEG data is truncated or damaged: it does not end with FFD9/,
      ],
      [
        'is cut before its end marker',
        (bytes: Uint8Array) => concatenateBytes(bytes.subarray(0, bytes.length - 12), hex('ffd9')),
        /its JPEG data is truncated or damaged: premature end of data segment/,
      ],
      [
        'has two components',
        (bytes: Uint8Array) => bytes.with(bytes.findIndex((byte, i) => byte === 0xff && bytes[i + 1] === 0xc3) + 9, 2),
        /its JPEG frame has 2 components; allowed: 1/,
      ],
      [
        'is cut in its header',
        (bytes: Uint8Array) => bytes.subarray(0, 30),
        /its JPEG frame is truncated or damaged at byte \d+/,
      ],
      [
        'is of JPEG baseline',
        (bytes: Uint8Array) =>
          bytes.with(bytes.findIndex((byte, i) => byte === 0xff && bytes[i + 1] === 0xc3) + 1, 0xc0),
        /has marker FFC0; allowed: FFC3, lossless/,
      ],
      ['is not a JPEG', (bytes: Uint8Array) => bytes.subarray(1), /its frame is not a JPEG/],
      [
        'has predictor 0',
        (bytes: Uint8Array) => bytes.with(bytes.findIndex((byte, i) => byte === 0xff && bytes[i + 1] === 0xda) + 7, 0),
        /its JPEG predictor is 0; allowed: 1 to 7/,
      ],
    ] as const)('is rejected where it %s', (_, change, message) => {
      const bytes = change(frame('signed, predictor 6'));
      expect(() => readDicomPixels('a', fileOf(bytes, true))).toThrow(message);
    });

    test('is rejected if its size or bit depth differs from its attributes', () => {
      const other = withFragments('1.2.840.10008.1.2.4.57', frame('signed, predictor 1'), { '00280010': ['US', 4] });
      expect(() => readDicomPixels('a', other)).toThrow('its JPEG frame has 7 × 5 pixels, but 7 × 4 are specified');
      const bytes = frame('signed, predictor 1');
      const precision = bytes.findIndex((byte, i) => byte === 0xff && bytes[i + 1] === 0xc3) + 4;
      expect(() => readDicomPixels('a', fileOf(bytes.with(precision, 12), true))).toThrow(
        'its JPEG frame has 12 bits; allowed: 16 (BitsStored) to 16',
      );
    });
  });

  test('is read from a deflated file', () => {
    const bytes = dicomOf(irregularPhantom, 1, { '00020010': ['UI', '1.2.840.10008.1.2.1.99'] });
    const meta = 132 + 12 + new DataView(bytes.buffer).getUint32(140, true);
    const deflated = concatenateBytes(bytes.subarray(0, meta), deflateRawSync(bytes.subarray(meta)));
    expect([...readDicomPixels('a', deflated).hu]).toEqual(expectedPixels);
  });

  test('is read without a preamble if it begins with the file meta information', () => {
    const bytes = dicomOf(irregularPhantom, 1).subarray(132);
    expect(isDicom(bytes)).toBe(true);
    expect([...readDicomPixels('a', bytes).hu]).toEqual(expectedPixels);
  });

  test('is read without file meta information, with explicit or implicit element types', () => {
    const bytes = dicomOf(irregularPhantom, 1);
    const explicit = bytes.subarray(132 + 12 + new DataView(bytes.buffer).getUint32(140, true));
    expect([...readDicomPixels('a', explicit).hu]).toEqual(expectedPixels);
    // Implicit VR: a tag and a 32-bit length for every element.
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
    expect([...readDicomPixels('a', concatenateBytes(...parts)).hu]).toEqual(expectedPixels);
  });

  test.each([
    ['HighBit', { '00280102': ['US', 11] }, 'HighBit is 11; allowed: 15, one less than BitsStored'],
    ['BitsStored', { '00280101': ['US', 17] }, 'BitsStored is 17; allowed: 1 to 16'],
    ['ModalityLUTSequence', { '00283000': ['LO', 'x'] }, 'ModalityLUTSequence is present; allowed: absent'],
    ['too many pixels', { '7fe00010': ['OW', new Uint8Array(72)] }, 'its PixelData has 72 bytes, but 70 are specified'],
  ] as const)('is rejected for %s', (_, changes, message) => {
    expect(() => readDicomPixels('a.dcm', dicomOf(irregularPhantom, 0, changes))).toThrow(`a.dcm: ${message}`);
  });

  test('uses only the bits that BitsStored states, with their sign', () => {
    expect([0xf830, 0x0830, 0x07d0].map((raw) => storedValue(raw, { stored: 12, signed: true }))).toEqual([
      -2000, -2000, 2000,
    ]);
    // Higher bits, such as those of overlays, are not part of the value.
    expect(storedValue(0xf123, { stored: 12, signed: false })).toBe(0x123);
    expect(storedValue(0xffffffff, { stored: 32, signed: false })).toBe(2 ** 32 - 1);
    expect(storedValue(0xffffffff, { stored: 32, signed: true })).toBe(-1);
  });

  test('accepts direction cosines to within 1e-3', () => {
    const rounded = dicomOf(irregularPhantom, 0, { '00200037': ['DS', '0.9999999\\0.0004\\0\\-0.0004\\0.9999999\\0'] });
    expect(readDicomHeader('a', rounded).way).toEqual([1, 1]);
  });
});

describe('DICOM RT Dose', () => {
  const dose = Float64Array.from(
    { length: 105 },
    (_, at) =>
      0.25 *
      (irregularPhantom.hu(at % 7, Math.floor(at / 7) % 5, Math.floor(at / 35)) - irregularPhantom.hu(0, 0, 0) + 1),
  );

  test('is read in Gy at its coordinates', () => {
    expect(readDicomDose('d', doseOf(irregularPhantom))).toEqual({
      sizes: [7, 5, 3],
      spacing_mm: [0.5, 0.75, 2],
      origin_mm: [-10, 20, -6],
      values: dose,
      unit: 'Gy',
    });
  });

  test('lies along the axes of the patient for a prone patient and descending frames', () => {
    const turned = readDicomDose(
      'd',
      doseOf(irregularPhantom, {
        '00200032': ['DS', '-7\\23\\-2'],
        '00200037': ['DS', '-1\\0\\0\\0\\-1\\0'],
        '3004000c': ['DS', '0\\-2\\-4'],
      }),
    );
    expect(turned.origin_mm).toEqual([-10, 20, -6]);
    expect([...turned.values]).toEqual([...dose].reverse());
  });

  test.each([
    [
      'uneven frames',
      { '3004000c': ['DS', '0\\2\\5'] },
      'frame 3 is at 5 mm; allowed: 4 mm, because steps must be equal',
    ],
    ['too few offsets', { '3004000c': ['DS', '0\\2'] }, 'GridFrameOffsetVector has 2 values; allowed: 3'],
    ['no scaling', { '3004000e': undefined }, 'it has no DoseGridScaling'],
    ['no units', { '30040002': undefined }, 'it has no DoseUnits'],
    ['a rescale slope', { '00281053': ['DS', '2'] }, 'RescaleSlope is 2; allowed: 1 or absent'],
  ] as const)('is rejected for %s', (_, changes, message) => {
    expect(() => readDicomDose('d.dcm', doseOf(irregularPhantom, changes))).toThrow(`d.dcm: ${message}`);
  });
});
