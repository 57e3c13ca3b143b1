/**
 * Semantic mutation: one field of a good header changes at a time. The answer must change or the file be refused. All
 * other fields are on the format's list of ignored ones, each with a reason.
 */
import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { BraggError } from '../../electron/contract/errors.ts';
import {
  ctAttributes,
  doseAttributes,
  readDicomDose,
  readDicomHeader,
  readDicomPixels,
} from '../../electron/host/io/volumes/dicom.ts';
import type { FieldRule, FieldRules } from '../../electron/host/io/volumes/header-fields.ts';
import { metaImageFields } from '../../electron/host/io/volumes/metaimage.ts';
import { nrrdFields } from '../../electron/host/io/volumes/nrrd.ts';
import { volumeHeader, volumeIn } from '../../electron/host/io/volumes/volume-file.ts';
import { readImage } from '../../electron/host/workloads/diffraction/images/read.ts';
import { cbfFields } from '../../electron/host/workloads/diffraction/images/read-cbf.ts';
import { smvFields } from '../../electron/host/workloads/diffraction/images/read-smv.ts';
import { tiffTags } from '../../electron/host/workloads/diffraction/images/read-tiff.ts';
import { dicomOf, doseOf, type Elements, type Phantom } from '../electron/host/io/volumes/phantom.ts';

/** Different in every cell and along every axis. */
const odd: Phantom = {
  columns: 5,
  rows: 4,
  slices: 3,
  spacing_mm: [1, 2, 3],
  origin_mm: [-7, 11, -13],
  hu: (i, j, k) => 100 * i + 10 * j + k - 200,
};
const data = new Uint8Array(Int16Array.from({ length: 60 }, (_, i) => 300 * i - 9000).buffer);

interface Format {
  readonly rules: FieldRules;
  /** Lines of the header of a good file. */
  readonly good: readonly (readonly [string, string])[];
  /** A good file of another form, where fields have a meaning that the first form states by others. */
  readonly other: readonly (readonly [string, string])[];
  readonly bytesOf: (lines: readonly (readonly [string, string])[]) => Uint8Array;
  /** Values that a field may have in other files, besides those of VALUES. */
  readonly values: Readonly<Record<string, readonly string[]>>;
  readonly answer: (bytes: Uint8Array) => string;
}

const joined = (header: string): Uint8Array => Uint8Array.from(Buffer.concat([Buffer.from(header, 'latin1'), data]));

const metaImage: Format = {
  rules: metaImageFields,
  answer,
  other: [
    ['NDims', '3'],
    ['DimSize', '5 4 3'],
    ['ElementType', 'MET_SHORT'],
  ],
  good: [
    ['ObjectType', 'Image'],
    ['NDims', '3'],
    ['DimSize', '5 4 3'],
    ['ElementType', 'MET_SHORT'],
    ['ElementSpacing', '1 2 3'],
    ['Offset', '-7 11 -13'],
    ['TransformMatrix', '1 0 0 0 1 0 0 0 1'],
  ],
  bytesOf: (lines) =>
    joined(
      [
        ...lines.filter(([name]) => name !== 'elementdatafile').map(([name, value]) => `${name} = ${value}\n`),
        `ElementDataFile = ${lines.find(([name]) => name === 'elementdatafile')?.[1] ?? 'LOCAL'}\n`,
      ].join(''),
    ),
  values: {
    elementdatafile: ['other.raw', 'LIST'],
    transformmatrix: ['0 1 0 1 0 0 0 0 1', '-1 0 0 0 1 0 0 0 1'],
    rotation: ['0 1 0 1 0 0 0 0 1'],
    orientation: ['0 1 0 1 0 0 0 0 1'],
    elementtype: ['MET_USHORT', 'MET_FLOAT', 'MET_UCHAR'],
    binarydata: ['False'],
    binarydatabyteordermsb: ['True'],
    elementbyteordermsb: ['True'],
    compresseddata: ['True'],
    anatomicalorientation: ['LPS'],
    distanceunits: ['cm'],
    modality: ['MET_MOD_MR'],
    objecttype: ['Mesh'],
    dimsize: ['4 5 3', '5 4 2', '5 4 4'],
  },
};

const nrrd: Format = {
  rules: nrrdFields,
  answer,
  /** Steps and positions of each axis in place of a space. */
  other: [
    ['type', 'short'],
    ['dimension', '3'],
    ['sizes', '5 4 3'],
    ['spacings', '1 2 3'],
    ['axis mins', '-7 11 -13'],
    ['endian', 'little'],
    ['encoding', 'raw'],
  ],
  good: [
    ['type', 'short'],
    ['dimension', '3'],
    ['sizes', '5 4 3'],
    ['space', 'left-posterior-superior'],
    ['space directions', '(1,0,0) (0,2,0) (0,0,3)'],
    ['space origin', '(-7,11,-13)'],
    ['endian', 'little'],
    ['encoding', 'raw'],
  ],
  bytesOf: (lines) => joined(`NRRD0005\n${lines.map(([name, value]) => `${name}: ${value}\n`).join('')}\n`),
  values: {
    type: ['ushort', 'float', 'block'],
    space: ['right-anterior-superior', 'left-anterior-superior', 'scanner-xyz'],
    'space directions': ['(0,2,0) (1,0,0) (0,0,3)', '(-1,0,0) (0,2,0) (0,0,3)', 'none (0,2,0) (0,0,3)'],
    'space units': ['"cm" "cm" "cm"'],
    'sample units': ['Gy'],
    sampleunits: ['Gy'],
    endian: ['big', 'BIG'],
    encoding: ['gzip', 'ascii', 'hex'],
    kinds: ['vector domain domain'],
    sizes: ['4 5 3', '5 4 2', '5 4 4'],
    'data file': ['other.raw'],
    datafile: ['LIST'],
    centers: ['cell cell cell'],
    centerings: ['cell cell cell'],
    units: ['"cm" "cm" "cm"'],
  },
};
const VALUES = ['2', '-1', '64', '3 1 2', 'other'];

/** The whole answer, or the error. */
function answer(bytes: Uint8Array): string {
  try {
    const header = volumeHeader('file', bytes);
    if (header === null) return 'no volume';
    const { values, ...grid } = volumeIn('file', bytes, header, []);
    return JSON.stringify([grid, [...values]]);
  } catch (error) {
    if (error instanceof BraggError) return `refused: ${error.message}`;
    throw error;
  }
}

/** Fields whose change is neither seen, refused, nor on the list of ignored ones. */
function passedOver({ rules, good, other, bytesOf, values, answer }: Format): readonly string[] {
  return Object.entries(rules).flatMap(([name, rule]) => {
    const noticed = [good, other].some((lines) => {
      const before = answer(bytesOf(lines));
      expect(before).not.toMatch(/^refused|^no volume/);
      const others = lines.filter(([own]) => own.toLowerCase() !== name);
      return [...VALUES, ...(values[name] ?? [])].some(
        (value) => answer(bytesOf([...others, [name, value]])) !== before,
      );
    });
    if (rule.kind !== 'ignored') return noticed ? [] : [name];
    expect(rule.because.length, name).toBeGreaterThan(10);
    return noticed ? [`${name} is ignored and changes the answer`] : [];
  });
}

const imageAnswer =
  (name: string) =>
  (bytes: Uint8Array): string => {
    try {
      const { counts, left, ...rest } = readImage(bytes, name);
      return JSON.stringify([[...counts], [...left], rest]);
    } catch (error) {
      if (error instanceof BraggError) return `refused: ${error.message}`;
      throw error;
    }
  };

/** 4 × 3 counts of 16 bits, all different, with the highest bit in one. */
const smvPixels = new Uint8Array(Uint16Array.from({ length: 12 }, (_, i) => (i === 7 ? 40_000 : 257 * i)).buffer);
const smv: Format = {
  rules: smvFields,
  answer: imageAnswer('a.img'),
  good: [
    ['HEADER_BYTES', '512'],
    ['BYTE_ORDER', 'little_endian'],
    ['TYPE', 'unsigned_short'],
    ['SIZE1', '4'],
    ['SIZE2', '3'],
  ],
  other: [
    ['HEADER_BYTES', '512'],
    ['BYTE_ORDER', 'big_endian'],
    ['SIZE1', '4'],
    ['SIZE2', '3'],
  ],
  bytesOf: (lines) =>
    Uint8Array.from(
      Buffer.concat([
        Buffer.from(`{\n${lines.map(([name, value]) => `${name}=${value};\n`).join('')}}\f`.padEnd(512), 'latin1'),
        smvPixels,
      ]),
    ),
  values: { type: ['short_int'], data_type: ['short int', 'long int'], byte_order: ['big_endian'] },
};

const cbfPixels = [1, 2, 3, 4, 5, 250];
const cbfImage: Format = {
  rules: cbfFields,
  answer: imageAnswer('a.cbf'),
  good: [
    ['Content-Type', 'application/octet-stream; conversions="x-CBF_BYTE_OFFSET"'],
    ['Content-Transfer-Encoding', 'BINARY'],
    ['X-Binary-Size', '6'],
    ['X-Binary-Element-Type', '"signed 32-bit integer"'],
    ['X-Binary-Size-Fastest-Dimension', '3'],
    ['X-Binary-Size-Second-Dimension', '2'],
  ],
  other: [
    ['Content-Type', 'application/octet-stream; conversions="x-CBF_BYTE_OFFSET"'],
    ['X-Binary-Element-Type', '"signed 32-bit integer"'],
    ['X-Binary-Size-Fastest-Dimension', '3'],
    ['X-Binary-Size-Second-Dimension', '2'],
  ],
  bytesOf: (lines) =>
    Uint8Array.from(
      Buffer.concat([
        Buffer.from(
          `###CBF\r\n--CIF-BINARY-FORMAT-SECTION--\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
        ),
        Uint8Array.of(0x0c, 0x1a, 0x04, 0xd5, ...cbfPixels),
      ]),
    ),
  values: {
    'x-binary-element-type': ['"unsigned 32-bit integer"'],
    'x-binary-element-byte-order': ['BIG_ENDIAN'],
    'content-transfer-encoding': ['BASE64'],
  },
};

/** Tags by their number; 4 × 3 counts of 16 bits in one strip, or a tile of 4 × 3. */
const tiff: Format = {
  rules: Object.fromEntries(Object.values(tiffTags).map(({ tag, rule }) => [String(tag), rule])),
  answer: imageAnswer('a.tif'),
  good: Object.entries({ 256: 4, 257: 3, 258: 16, 259: 1, 262: 1, 273: 8, 277: 1, 279: 24 }).map(
    ([tag, value]) => [tag, String(value)] as const,
  ),
  other: Object.entries({ 256: 4, 257: 3, 258: 16, 259: 1, 262: 1, 277: 1, 322: 4, 323: 3, 324: 8, 325: 24 }).map(
    ([tag, value]) => [tag, String(value)] as const,
  ),
  bytesOf: (lines) => {
    const view = new DataView(new ArrayBuffer(34 + 12 * lines.length + 4 + 40));
    view.setUint32(0, 0x002a4949, true);
    view.setUint32(4, 32, true);
    new Uint8Array(view.buffer).set(smvPixels, 8);
    view.setUint16(32, lines.length, true);
    for (const [i, [tag, value]] of lines.entries()) {
      const [at, number] = [34 + 12 * i, Number(value)];
      view.setUint16(at, Number(tag), true);
      const described = Number.isNaN(number);
      view.setUint16(at + 2, described ? 2 : 4, true);
      view.setUint32(at + 4, described ? value.length : 1, true);
      view.setUint32(at + 8, described ? 38 + 12 * lines.length : number >>> 0, true);
      if (described) new Uint8Array(view.buffer).set(Buffer.from(value).subarray(0, 40), 38 + 12 * lines.length);
    }
    return new Uint8Array(view.buffer);
  },
  values: { 270: ['# Count_cutoff 1000 counts'], 339: ['2', '3'], 324: ['10'], 273: ['10'] },
};

/** Fields that the format's own document lists: a reader decides about each. */
const documents: readonly (readonly [string, Format, readonly string[]])[] = [
  [
    'MetaImage, by MetaIO: MetaObject and MetaImage',
    metaImage,
    `Comment ObjectType ObjectSubType TransformType NDims Name ID ParentID CompressedData CompressedDataSize BinaryData
      BinaryDataByteOrderMSB ElementByteOrderMSB Color Position Origin Offset Orientation Rotation TransformMatrix
      CenterOfRotation AnatomicalOrientation ElementSpacing DistanceUnits AcquisitionDate DimSize HeaderSize Modality
      ImagePosition SequenceID ElementMin ElementMax ElementNumberOfChannels ElementSize ElementType
      ElementToIntensityFunctionSlope ElementToIntensityFunctionOffset ElementDataFile`.split(/\s+/),
  ],
  [
    'NRRD, by its definition, sections 3 to 6',
    nrrd,
    [
      ...['dimension', 'type', 'block size', 'encoding', 'endian', 'content', 'old min', 'old max', 'min', 'max'],
      ...['data file', 'line skip', 'byte skip', 'number', 'sample units', 'sizes', 'spacings', 'thicknesses'],
      ...['axis mins', 'axis maxs', 'centers', 'labels', 'units', 'kinds', 'space', 'space dimension'],
      ...['space units', 'space origin', 'space directions', 'measurement frame'],
    ],
  ],
  [
    'TIFF 6.0, baseline and tiles, and SampleFormat',
    tiff,
    [256, 257, 258, 259, 262, 266, 270, 273, 274, 277, 278, 279, 284, 317, 320, 322, 323, 324, 325, 338, 339].map(
      String,
    ),
  ],
  [
    'CBF, by the header of its binary section',
    cbfImage,
    `Content-Type Content-Transfer-Encoding Content-MD5 X-Binary-Size X-Binary-ID X-Binary-Element-Type
      X-Binary-Element-Byte-Order X-Binary-Number-of-Elements X-Binary-Size-Fastest-Dimension
      X-Binary-Size-Second-Dimension X-Binary-Size-Third-Dimension X-Binary-Size-Padding`.split(/\s+/),
  ],
];

test.each(documents)('%s: every field has a rule', (_, { rules }, fields) => {
  expect(fields.filter((name) => rules[name.toLowerCase()] === undefined)).toEqual([]);
});

test.each([
  // This field belongs to packed data, which the next test changes.
  ['MetaImage', metaImage, ['compresseddatasize']],
  ['NRRD', nrrd, []],
  ['SMV', smv, []],
  ['CBF', cbfImage, []],
  ['TIFF', tiff, []],
])('%s: no field that changes the bytes’ meaning is passed over', (_, format, elsewhere) => {
  expect(passedOver(format)).toEqual(elsewhere);
});

test('MetaImage: the stated size of packed data is checked', () => {
  const lines = [...metaImage.good, ['CompressedData', 'True']] as const;
  const packed = (size: number): Uint8Array => {
    const header = metaImage.bytesOf([...lines, ['CompressedDataSize', String(size)]]);
    return Uint8Array.from(Buffer.concat([header.subarray(0, header.length - data.length), deflateSync(data)]));
  };
  const right = deflateSync(data).length;
  expect(answer(packed(right))).toBe(answer(metaImage.bytesOf(metaImage.good)));
  expect(answer(packed(right + 1))).toMatch(/^refused: .* bytes where \d+ are announced/);
});

test('NRRD: an unknown field is refused', () => {
  expect(answer(nrrd.bytesOf([...nrrd.good, ['slope', '2']]))).toMatch(/unknown field slope = 2/);
});

const ctOf = (changes: Readonly<Record<string, Elements[string] | undefined>>): string => {
  const bytes = dicomOf(odd, 1, changes);
  try {
    const { hu, ...rest } = readDicomPixels('file', bytes);
    return JSON.stringify([readDicomHeader('file', bytes), [...hu], rest]);
  } catch (error) {
    if (error instanceof BraggError) return `refused: ${error.message}`;
    throw error;
  }
};
const rtDoseOf = (changes: Readonly<Record<string, Elements[string] | undefined>>): string => {
  try {
    const { values, ...grid } = readDicomDose('file', doseOf(odd, changes));
    return JSON.stringify([grid, [...values]]);
  } catch (error) {
    if (error instanceof BraggError) return `refused: ${error.message}`;
    throw error;
  }
};

const dicomValues: Readonly<Record<string, readonly string[]>> = {
  ImagePositionPatient: ['1\\2\\3'],
  ImageOrientationPatient: ['-1\\0\\0\\0\\1\\0', '0\\1\\0\\1\\0\\0'],
  PixelSpacing: ['2\\2'],
  RescaleType: ['US'],
  PhotometricInterpretation: ['RGB'],
  SeriesDescription: ['other'],
  ImageType: ['ORIGINAL\\PRIMARY\\LOCALIZER'],
  GridFrameOffsetVector: ['0\\1\\2', '0\\1\\5'],
  DoseUnits: ['RELATIVE'],
  DoseType: ['EFFECTIVE', 'ERROR'],
};

/**
 * Attributes of an image's modules that concern values, positions, validity or order. Part 3 lists them: General Image
 * (C.7.6.1), Image Plane (C.7.6.2), Image Pixel (C.7.6.3), Multi-frame (C.7.6.6). CT Image (C.8.2.1), Modality LUT (C.11.1)
 * and VOI LUT (C.11.2) add to them.
 */
const ofImages = `ImageType PatientOrientation LossyImageCompression PresentationLUTShape AcquisitionNumber
  PixelSpacing ImageOrientationPatient ImagePositionPatient SliceThickness SpacingBetweenSlices SliceLocation
  SamplesPerPixel PhotometricInterpretation Rows Columns BitsAllocated BitsStored HighBit PixelRepresentation
  PlanarConfiguration PixelAspectRatio SmallestImagePixelValue LargestImagePixelValue PixelPaddingValue
  PixelPaddingRangeLimit PixelDataProviderURL ExtendedOffsetTable FloatPixelData DoubleFloatPixelData NumberOfFrames
  ModalityLUTSequence RescaleIntercept RescaleSlope RescaleType VOILUTSequence WindowCenter WindowWidth
  RealWorldValueMappingSequence PixelSpacingCalibrationType GantryDetectorTilt PatientPosition FrameOfReferenceUID
  AnatomicalOrientationType TemporalPositionIdentifier SeriesInstanceUID Modality`.split(/\s+/);
/** Attributes that an image of CT alone has. */
const ofCt =
  `ImageType PixelPaddingValue PixelPaddingRangeLimit FrameOfReferenceUID SeriesInstanceUID RescaleType`.split(' ');
/** C.8.8.3, RT Dose. */
const ofDoses = `DoseUnits DoseType SpatialTransformOfDose NormalizationPoint DoseSummationType FrameIncrementPointer
  GridFrameOffsetVector DoseGridScaling TissueHeterogeneityCorrection`.split(/\s+/);

test.each([
  ['CT', ctAttributes, ofImages],
  ['RT Dose', doseAttributes, [...ofImages.filter((name) => !ofCt.includes(name)), ...ofDoses]],
] as const)('DICOM %s: every attribute of its modules has a rule', (_, attributes, names) => {
  expect(names.filter((name) => !(name in attributes))).toEqual([]);
});

test.each([
  ['CT', ctAttributes, ctOf],
  ['RT Dose', doseAttributes, rtDoseOf],
] as const)('DICOM %s: no attribute that changes the pixels’ meaning is passed over', (_, attributes, read) => {
  const good = read({});
  expect(good).not.toMatch(/^refused/);
  const over = Object.entries(attributes).flatMap(([name, attribute]) => {
    const { tag, rule } = attribute as { readonly tag: string; readonly rule: FieldRule; readonly short?: true };
    const short = 'short' in attribute;
    const text = [...(dicomValues[name] ?? []), '7', '0.5', 'OTHER'];
    const values: readonly Elements[string][] = short
      ? [0, 2, 8, 12, 2124].map((n) => ['US', n])
      : text.map((t) => ['LO', t]);
    const noticed = values.some((value) => read({ [tag.slice(1)]: value }) !== good);
    if (rule.kind === 'ignored') expect(rule.because.length, name).toBeGreaterThan(10);
    return noticed === (rule.kind === 'ignored') ? [name] : [];
  });
  expect(over).toEqual([]);
});
