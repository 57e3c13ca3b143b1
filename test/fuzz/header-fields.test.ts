/**
 * Changes one field of a good header at a time. The result must change, or the file must be rejected. Exceptions are on
 * the format's list of ignored fields, each with a reason.
 */
import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { BraggError } from '../../electron/contract/errors.ts';
import type { FieldRule, FieldRules } from '../../electron/domain/header-fields.ts';
import { readDicomDose, readDicomHeader, readDicomPixels } from '../../electron/host/io/volumes/dicom.ts';
import { ctAttributes, doseAttributes } from '../../electron/host/io/volumes/dicom-attributes.ts';
import { metaImageFields } from '../../electron/host/io/volumes/metaimage.ts';
import { nrrdFields } from '../../electron/host/io/volumes/nrrd.ts';
import { decodeVolumeFile, volumeHeader } from '../../electron/host/io/volumes/volume-file.ts';
import { readImage, smvFields } from '../../electron/host/workloads/diffraction/images/read.ts';
import { cbfFields, cifItems, detectorLines } from '../../electron/host/workloads/diffraction/images/read-cbf.ts';
import { raxisFields } from '../../electron/host/workloads/diffraction/images/read-raxis.ts';
import {
  imageJFields,
  marFields,
  omeFields,
  tiffTags,
} from '../../electron/host/workloads/diffraction/images/read-tiff.ts';
import { dicomOf, doseOf, type Elements, type Phantom } from '../electron/host/io/volumes/phantom.ts';

/** A phantom that differs in every cell and along every axis. */
const irregularPhantom: Phantom = {
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
  /** A good file of another form, in which other fields carry the meaning. */
  readonly other: readonly (readonly [string, string])[];
  readonly bytesOf: (lines: readonly (readonly [string, string])[]) => Uint8Array;
  /** Further values that a field has in other files, in addition to VALUES. */
  readonly values: Readonly<Record<string, readonly string[]>>;
  readonly answer: (bytes: Uint8Array) => string;
}

const joinFile = (header: string): Uint8Array => Uint8Array.from(Buffer.concat([Buffer.from(header, 'latin1'), data]));

const metaImage: Format = {
  rules: metaImageFields,
  answer: resultOf,
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
    joinFile(
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
  answer: resultOf,
  /** Gives steps and positions of each axis instead of a space. */
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
  bytesOf: (lines) => joinFile(`NRRD0005\n${lines.map(([name, value]) => `${name}: ${value}\n`).join('')}\n`),
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
    centers: ['node node node'],
    centerings: ['node node node'],
    labels: ['"z" "y" "x"', '"x" "y" "time"'],
    units: ['"cm" "cm" "cm"'],
  },
};
const VALUES = ['2', '-1', '64', '3 1 2', 'other'];

/** The complete result, or the error. */
function resultOf(bytes: Uint8Array): string {
  try {
    const header = volumeHeader('file', bytes);
    if (header === null) return 'no volume';
    const { values, ...grid } = decodeVolumeFile('file', bytes, header, []);
    return JSON.stringify([grid, [...values]]);
  } catch (error) {
    if (error instanceof BraggError) return `refused: ${error.message}`;
    throw error;
  }
}

/**
 * Fields whose change has no effect although they are not on the list of ignored fields, and ignored fields whose
 * change has an effect.
 */
function wronglyIgnoredFields({ rules, good, other, bytesOf, values, answer }: Format): readonly string[] {
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
      const { counts, excluded: left, ...rest } = readImage(bytes, name);
      return JSON.stringify([[...counts], [...left], rest]);
    } catch (error) {
      if (error instanceof BraggError) return `refused: ${error.message}`;
      throw error;
    }
  };

/** 4 × 3 counts of 16 bits, all different, one of them with the highest bit set. */
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
  /** Header as d*TREK writes it: CCD_ is the prefix of a detector. */
  other: [
    ['HEADER_BYTES', '1024'],
    ['BYTE_ORDER', 'big_endian'],
    ['Data_type', 'unsigned short int'],
    ['SIZE1', '4'],
    ['SIZE2', '3'],
    ['GONIO_VALUES', '0 0 0 0 0 100'],
    ['CCD_SPATIAL_DISTORTION_INFO', '2 1.5 0.1 0.1'],
    ['SOURCE_WAVELENGTH', '1 0.71'],
  ],
  bytesOf: (lines) =>
    Uint8Array.from(
      Buffer.concat([
        Buffer.from(
          `{\n${lines.map(([name, value]) => `${name}=${value};\n`).join('')}}\f`.padEnd(
            lines.some(([, value]) => value === '1024') ? 1024 : 512,
          ),
          'latin1',
        ),
        smvPixels,
      ]),
    ),
  values: {
    type: ['short_int'],
    data_type: ['short int', 'long int'],
    byte_order: ['big_endian'],
    detector_names: ['CCD_'],
    gonio_units: ['deg deg deg m m m'],
    spatial_distortion_type: ['Interp_spatial'],
  },
};

/** Each line is a record of 700 counts. */
const plate: Format = {
  rules: Object.fromEntries(Object.entries(raxisFields).map(([name, { rule }]) => [name, rule])),
  answer: imageAnswer('a.osc'),
  good: Object.entries({ name: 'R-AXIS4', wlng: 1.54, camr: 100, xpxl: 700, zpxl: 2, xsiz: 0.1, zsiz: 0.1, rlng: 1400 })
    .concat(Object.entries({ rnum: 2, rato: 8, host: 'IRIS' }))
    .map(([name, value]) => [name, String(value)] as const),
  other: Object.entries({ name: 'RAXIS', xpxl: 700, zpxl: 2, xsiz: 0.1, zsiz: 0.1, rlng: 1400, rnum: 2, rato: 1 }).map(
    ([name, value]) => [name, String(value)] as const,
  ),
  bytesOf: (lines) => {
    const view = new DataView(new ArrayBuffer(3 * 1400));
    for (const [name, value] of lines) {
      const { at = 0, form = 'long' } = raxisFields[name] ?? {};
      if (typeof form === 'number') new Uint8Array(view.buffer).set(Buffer.from(value).subarray(0, form), at);
      else if (form === 'long') view.setInt32(at, Number(value));
      else view.setFloat32(at, Number(value));
    }
    for (let i = 0; i < 1400; i += 1) view.setUint16(1400 + 2 * i, i === 7 ? 40_000 : i);
    return new Uint8Array(view.buffer);
  },
  values: {},
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

const cbfWith = (before: string): Uint8Array =>
  Uint8Array.from(Buffer.concat([Buffer.from(`###CBF\r\n${before}`), cbfImage.bytesOf(cbfImage.good).subarray(8)]));

/** Detectors by DECTRIS write comment lines in front of the section. */
const miniCbf: Format = {
  ...cbfImage,
  rules: detectorLines,
  good: [
    ['Pixel_size', '172e-6 m x 172e-6 m'],
    ['Wavelength', '0.9795 A'],
    ['Detector_distance', '0.25 m'],
    ['Count_cutoff', '1000 counts'],
  ],
  other: [['Detector:', 'PILATUS3 6M']],
  bytesOf: (lines) =>
    cbfWith(
      `_array_data.header_contents\r\n;\r\n${lines.map(([name, value]) => `# ${name} ${value}\r\n`).join('')};\r\n`,
    ),
  values: { count_cutoff: ['3 counts'], pixel_size: ['1e-4 m x 1e-4 m'] },
};

const imgCif: Format = {
  ...cbfImage,
  rules: cifItems,
  good: [['_array_intensities.linearity', 'linear']],
  other: [['_array_intensities.array_id', 'ARRAY1']],
  bytesOf: (lines) => cbfWith(lines.map(([name, value]) => `${name} ${value}\r\n`).join('')),
  values: { '_array_structure_list.direction': ['decreasing'], '_array_intensities.linearity': ['scaling'] },
};

/** Tags by number; 4 × 3 counts of 16 bits in one strip, or a tile of 4 × 3. */
const tiff: Format = {
  rules: Object.fromEntries(Object.values(tiffTags).map(({ tag, rule }) => [String(tag), rule])),
  answer: imageAnswer('a.tif'),
  good: Object.entries({ 256: 4, 257: 3, 258: 16, 259: 1, 262: 1, 273: 8, 277: 1, 279: 24, 282: 1, 283: 1 }).map(
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

/** Fields of Rigaku's header with the byte offsets in Rigaku's program ReadRAXISImage. */
const raxisDocument = `name 0 vers 10 crnm 20 crsy 40 alng 52 blng 56 clng 60 alfa 64 beta 68 gamm 72 spgr 76 mosc 88 memo 92
  res1 172 date 256 opnm 268 trgt 288 wlng 292 mcro 296 m2ta 316 colm 320 filt 340 camr 344 vltg 348 crnt 352 focs 356
  optc 368 cyld 448 weis 452 res2 456 mnax 512 bmax 516 phi0 520 phis 524 phie 528 oscn 532 fext 536 drtx 540 drtz 544
  omga 548 fkai 552 thta 556 mu 560 scan 564 xpxl 768 zpxl 772 xsiz 776 zsiz 780 rlng 784 rnum 788 ipst 792 ipnm 796
  rato 800 ft_1 804 ft_2 808 host 812 ip 822 dr_x 832 dr_z 836 drxz 840 shft 844 ineo 848 majc 852 naxs 856 gvec 860
  gst 920 gend 940 goff 960 saxs 980 gnom 984`;
const raxisPlaces = [...raxisDocument.matchAll(/(\w+) (\d+)/g)].map(([, name = '', at]) => [name, Number(at)] as const);

/** Fields listed in the format's own specification: a reader must handle each. */
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
    [
      254, 255, 263, 280, 281, 282, 283, 290, 291, 296, 297, 301, 340, 341, 532, 256, 257, 258, 259, 262, 266, 270, 273,
      274, 277, 278, 279, 284, 317, 320, 322, 323, 324, 325, 338, 339,
    ].map(String),
  ],
  [
    'SMV, by headers of ADSC detectors',
    smv,
    `HEADER_BYTES DIM BYTE_ORDER TYPE SIZE1 SIZE2 PIXEL_SIZE BIN BIN_TYPE ADC DETECTOR_SN DATE TIME DISTANCE OSC_RANGE PHI
      OSC_START TWOTHETA AXIS WAVELENGTH BEAM_CENTER_X BEAM_CENTER_Y DENZO_XBEAM DENZO_YBEAM CREV CCD ACC_TIME UNIF_PED
      IMAGE_PEDESTAL CCD_IMAGE_SATURATION LOGNAME BEAMLINE`.split(/\s+/),
  ],
  [
    'd*TREK, by its image format 1.1 as iotbx and dxtbx require it',
    smv,
    `HEADER_BYTES DIM SIZE1 SIZE2 BYTE_ORDER Data_type COMPRESSION RAXIS_COMPRESSION_RATIO SATURATED_VALUE COMMENT FILENAME
      DETECTOR_NAMES DETECTOR_NUMBER DETECTOR_TYPE DETECTOR_DIMENSIONS DETECTOR_SIZE DETECTOR_VECTORS DETECTOR_DESCRIPTION
      GONIO_NAMES GONIO_UNITS GONIO_VALUES GONIO_VECTORS GONIO_NUM_VALUES SPATIAL_DISTORTION_TYPE SPATIAL_DISTORTION_INFO
      SPATIAL_DISTORTION_VECTORS SPATIAL_BEAM_POSITION NONUNF_TYPE NONUNF_INFO SOURCE_WAVELENGTH ROTATION SCAN_ROTATION
      CRYSTAL_GONIO_VALUES`.split(/\s+/),
  ],
  ['RAXIS, by the header of ReadRAXISImage', plate, raxisPlaces.map(([name]) => name)],
  [
    'CBF, by the header of its binary section',
    cbfImage,
    `Content-Type Content-Transfer-Encoding Content-MD5 X-Binary-Size X-Binary-ID X-Binary-Element-Type
      X-Binary-Element-Byte-Order X-Binary-Number-of-Elements X-Binary-Size-Fastest-Dimension
      X-Binary-Size-Second-Dimension X-Binary-Size-Third-Dimension X-Binary-Size-Padding`.split(/\s+/),
  ],
  [
    'CBF of DECTRIS, by its header specification 1.5',
    miniCbf,
    `Detector Pixel_size Silicon Exposure_time Exposure_period Tau Count_cutoff Threshold_setting Gain_setting
      N_excluded_pixels Excluded_pixels Flat_field Trim_file Image_path Ratecorr_lut_directory Retrigger_mode Wavelength
      Energy_range Detector_distance Detector_Voffset Beam_xy Flux Filter_transmission Start_angle Angle_increment
      Detector_2theta Polarization Alpha Kappa Phi Phi_increment Omega Omega_increment Chi Chi_increment Oscillation_axis
      N_oscillations Start_position Position_increment Shutter_time`.split(/\s+/),
  ],
  [
    'imgCIF, by its dictionary: ARRAY_INTENSITIES, ARRAY_STRUCTURE, ARRAY_STRUCTURE_LIST and ARRAY_ELEMENT_SIZE',
    imgCif,
    [
      ...['array_id', 'binary_id', 'details', 'gain', 'gain_esd', 'linearity', 'offset', 'overload', 'scaling'],
      ...['undefined_value', 'pixel_fast_bin_size', 'pixel_slow_bin_size', 'pixel_binning_method'],
    ]
      .map((name) => `_array_intensities.${name}`)
      .concat(['id', 'byte_order', 'compression', 'encoding_type'].map((name) => `_array_structure.${name}`))
      .concat(
        ['array_id', 'axis_set_id', 'dimension', 'direction', 'index', 'precedence'].map(
          (name) => `_array_structure_list.${name}`,
        ),
      )
      .concat(['array_id', 'index', 'size'].map((name) => `_array_element_size.${name}`)),
  ],
];

test('MarCCD, frame_header: every field that determines the form or position of pixels has a rule', () => {
  const fields =
    `header_byte_order data_byte_order compression_type nfast nslow depth signif_bits data_type saturated_value
    nimages origin orientation view_direction overflow_location over_16_bits multiplexed darkcurrent_applied bias_applied
    flatfield_applied distortion_applied xtal_to_detector pixelsize_x pixelsize_y source_wavelength`.split(/\s+/);
  expect(fields.filter((name) => marFields[name] === undefined)).toEqual([]);
});

test.each(documents)('%s: every field has a rule', (_, { rules }, fields) => {
  expect(fields.filter((name) => rules[name.toLowerCase()] === undefined)).toEqual([]);
});

/** 4 × 3 counts of 16 bits with a description, and with words of MarCCD's header by byte offset. */
const describedTiff = (text: string, words: Readonly<Record<number, number>> | null = null): Uint8Array => {
  const description = Buffer.from(`${text.padEnd(8)}\0`);
  const tags = [
    [256, 4],
    [257, 3],
    [258, 16],
    [259, 1],
    [262, 1],
    [270, 200],
    [273, 8],
    [277, 1],
    [279, 24],
  ] as const;
  const view = new DataView(new ArrayBuffer(words === null ? 200 + description.length : 4096));
  const bytes = new Uint8Array(view.buffer);
  view.setUint32(0, 0x002a4949, true);
  view.setUint32(4, 32, true);
  for (let i = 0; i < 12; i += 1) view.setUint16(8 + 2 * i, 10 * i, true);
  view.setUint16(32, tags.length, true);
  for (const [i, [tag, value]] of tags.entries()) {
    view.setUint16(34 + 12 * i, tag, true);
    view.setUint16(36 + 12 * i, tag === 270 ? 2 : 4, true);
    view.setUint32(38 + 12 * i, tag === 270 ? description.length : 1, true);
    view.setUint32(42 + 12 * i, value, true);
  }
  bytes.set(description, 200);
  if (words !== null) bytes.set(Buffer.from('MMX'), 1028);
  for (const [at, value] of Object.entries(words ?? {})) view.setUint32(1024 + Number(at), value, true);
  return bytes;
};
const readTiff = imageAnswer('a.tif');

test.each([
  [
    'ImageJ',
    imageJFields,
    (name: string, value: string) => describedTiff(`ImageJ=1.53t\n${name}=${value}\n`),
    describedTiff('ImageJ=1.53t\n'),
  ],
  [
    'OME-XML',
    omeFields,
    (name: string, value: string) => {
      const other = name === 'physicalsizex' ? 'PhysicalSizeY' : 'PhysicalSizeX';
      return describedTiff(`<OME><Pixels ${other}="3" ${name}="${value}"/></OME>`);
    },
    describedTiff('<OME><Pixels/></OME>'),
  ],
  [
    'MarCCD',
    Object.fromEntries(Object.entries(marFields).map(([name, { rule }]) => [name, rule])),
    (name: string, value: string) =>
      describedTiff('', { 28: 1234, 104: 100, [marFields[name]?.at ?? 0]: Number(value) }),
    describedTiff('', { 28: 1234, 104: 100 }),
  ],
] as const)('TIFF with a description of %s: no field is ignored', (_, rules, bytesOf, good) => {
  const right = readTiff(good);
  expect(right).not.toMatch(/^refused/);
  const over = Object.entries(rules).filter(([name, rule]) => {
    if (rule.kind === 'ignored') expect(rule.because.length, name).toBeGreaterThan(10);
    const noticed = ['2', '20', '7'].some((value) => readTiff(bytesOf(name, value)) !== right);
    return noticed === (rule.kind === 'ignored');
  });
  expect(over).toEqual([]);
});

test('TIFF: counts above the stated saturation are excluded', () => {
  const left = (bytes: Uint8Array): string => [...readImage(bytes, 'a.tif').excluded].join('');
  expect(left(describedTiff('', { 28: 1234, 104: 100 }))).toBe('000000000011');
  expect(left(describedTiff('', { 28: 1234 }))).toBe('000000000000');
  // Sides of 100 µm and 50 µm, in nanometres.
  expect(() => left(describedTiff('', { 28: 1234, 772: 100_000, 776: 50_000 }))).toThrow(
    'pixelsize of its MarCCD header is 100000 nm and 50000 nm; allowed: equal sides, for square pixels',
  );
  const square = readImage(describedTiff('', { 28: 1234, 772: 100_000, 776: 100_000 }), 'a.tif');
  expect(square.header).toEqual({ pixel_mm: 0.1 });
  expect(left(describedTiff('<OME><Pixels SignificantBits="6" SizeX="4"/></OME>'))).toBe('000000011111');
  expect(() => left(describedTiff('ImageJ=1.53t\ncf=1\nc0=0\nc1=1\nc2=0.5\n'))).toThrow(
    /cf = 1 is not supported; allowed: 0/,
  );
  expect(() => left(describedTiff('ImageJ=1.53t\ncf=20\n'))).toThrow(/cf = 20 is not supported/);
});

test('RAXIS: every field is at the byte offset documented by Rigaku', () => {
  expect(Object.entries(raxisFields).map(([name, { at }]) => [name, at])).toEqual(raxisPlaces);
});

test.each([
  // This field belongs to compressed data, which the next test changes.
  ['MetaImage', metaImage, ['compresseddatasize']],
  ['NRRD', nrrd, []],
  ['SMV and d*TREK', smv, []],
  ['RAXIS', plate, []],
  ['CBF', cbfImage, []],
  ['CBF of DECTRIS', miniCbf, []],
  ['imgCIF', imgCif, []],
  ['TIFF', tiff, []],
])('%s: no field that changes the meaning of the bytes is ignored', (_, format, elsewhere) => {
  expect(wronglyIgnoredFields(format)).toEqual(elsewhere);
});

test('MetaImage: the stated size of compressed data is checked', () => {
  const lines = [...metaImage.good, ['CompressedData', 'True']] as const;
  const packed = (size: number): Uint8Array => {
    const header = metaImage.bytesOf([...lines, ['CompressedDataSize', String(size)]]);
    return Uint8Array.from(Buffer.concat([header.subarray(0, header.length - data.length), deflateSync(data)]));
  };
  const right = deflateSync(data).length;
  expect(resultOf(packed(right))).toBe(resultOf(metaImage.bytesOf(metaImage.good)));
  expect(resultOf(packed(right + 1))).toMatch(/^refused: .* bytes, but \d+ are specified/);
});

test('NRRD: an unknown field is rejected', () => {
  expect(resultOf(nrrd.bytesOf([...nrrd.good, ['slope', '2']]))).toMatch(/unknown field slope = 2/);
});

const ctOf = (changes: Readonly<Record<string, Elements[string] | undefined>>): string => {
  const bytes = dicomOf(irregularPhantom, 1, changes);
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
    const { values, ...grid } = readDicomDose('file', doseOf(irregularPhantom, changes));
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
  ImageType: ['ORIGINAL\\PRIMARY\\LOCALIZER', 'DERIVED\\SECONDARY\\AXIAL\\VMI'],
  DerivationDescription: ['Monoenergetic 70 keV'],
  ImageComments: ['iodine map'],
  MultienergyCTAcquisition: ['YES'],
  LossyImageCompression: ['01'],
  BurnedInAnnotation: ['YES'],
  DoseSummationType: ['BEAM'],
  TissueHeterogeneityCorrection: ['WATER'],
  GridFrameOffsetVector: ['0\\1\\2', '0\\1\\5'],
  DoseUnits: ['RELATIVE'],
  DoseType: ['EFFECTIVE', 'ERROR'],
};

/**
 * Attributes of an image's modules that concern values, positions, validity or order. Part 3 lists them: General Image
 * (C.7.6.1), Image Plane (C.7.6.2), Image Pixel (C.7.6.3), Multi-frame (C.7.6.6). CT Image (C.8.2.1), Modality LUT
 * (C.11.1) and VOI LUT (C.11.2) add to them.
 */
const listedImageAttributes = `ImageType PatientOrientation LossyImageCompression PresentationLUTShape AcquisitionNumber
  PixelSpacing ImageOrientationPatient ImagePositionPatient SliceThickness SpacingBetweenSlices SliceLocation
  SamplesPerPixel PhotometricInterpretation Rows Columns BitsAllocated BitsStored HighBit PixelRepresentation
  PlanarConfiguration PixelAspectRatio RedPaletteColorLookupTableDescriptor
  SegmentedRedPaletteColorLookupTableData ICCProfile OverlayData PixelPresentation PixelIntensityRelationship
  LossyImageCompressionRatio SharedFunctionalGroupsSequence PerFrameFunctionalGroupsSequence MaskSubtractionSequence
  QuantityDefinitionSequence SOPClassUID SmallestImagePixelValue LargestImagePixelValue PixelPaddingValue
  PixelPaddingRangeLimit PixelDataProviderURL ExtendedOffsetTable FloatPixelData DoubleFloatPixelData NumberOfFrames
  ModalityLUTSequence RescaleIntercept RescaleSlope RescaleType VOILUTSequence WindowCenter WindowWidth
  RealWorldValueMappingSequence PixelSpacingCalibrationType GantryDetectorTilt PatientPosition FrameOfReferenceUID
  AnatomicalOrientationType TemporalPositionIdentifier SeriesInstanceUID Modality`.split(/\s+/);
/** Attributes that only CT images have. */
const listedCtAttributes =
  `ImageType PixelPaddingValue PixelPaddingRangeLimit FrameOfReferenceUID SeriesInstanceUID RescaleType
  SeriesDescription DerivationDescription ImageComments MultienergyCTAcquisition MultienergyCTCharacteristicsSequence
  ContrastBolusAgent BurnedInAnnotation VolumetricProperties VolumeBasedCalculationTechnique KVP ConvolutionKernel
  CTAdditionalXRaySourceSequence`.split(/\s+/);
/** One DICOM item whose MonoenergeticEnergyEquivalent is 70 keV, of type FD. */
const keV70 = (() => {
  const item = new DataView(new ArrayBuffer(24));
  for (const [i, word] of [0xfffe, 0xe000, 16, 0, 0x0018, 0x937c, 0x4446, 8].entries())
    item.setUint16(2 * i, word, true);
  item.setFloat64(16, 70, true);
  return new Uint8Array(item.buffer);
})();

/** C.8.8.3, RT Dose. */
const listedDoseAttributes =
  `DoseUnits DoseType SpatialTransformOfDose NormalizationPoint DoseSummationType FrameIncrementPointer
  GridFrameOffsetVector DoseGridScaling TissueHeterogeneityCorrection DoseComment`.split(/\s+/);

test.each([
  ['CT', ctAttributes, [...listedImageAttributes, ...listedCtAttributes]],
  [
    'RT Dose',
    doseAttributes,
    [...listedImageAttributes.filter((name) => !listedCtAttributes.includes(name)), ...listedDoseAttributes],
  ],
] as const)('DICOM %s: every attribute of its modules has a rule', (_, attributes, names) => {
  expect(names.filter((name) => !(name in attributes))).toEqual([]);
});

test.each([
  ['CT', ctAttributes, ctOf],
  ['RT Dose', doseAttributes, rtDoseOf],
] as const)('DICOM %s: no attribute that changes the meaning of the pixels is ignored', (_, attributes, read) => {
  const good = read({});
  expect(good).not.toMatch(/^refused/);
  const over = Object.entries(attributes).flatMap(([name, attribute]) => {
    const { tag, rule } = attribute as { readonly tag: string; readonly rule: FieldRule; readonly short?: true };
    const short = 'short' in attribute;
    const text = [...(dicomValues[name] ?? []), '7', '0.5', 'OTHER'];
    const values: readonly Elements[string][] = name.endsWith('Sequence')
      ? [['SQ', keV70]]
      : short
        ? [0, 2, 8, 12, 2124].map((n) => ['US', n])
        : text.map((t) => ['LO', t]);
    const noticed = values.some((value) => read({ [tag.slice(1)]: value }) !== good);
    if (rule.kind === 'ignored') expect(rule.because.length, name).toBeGreaterThan(10);
    return noticed === (rule.kind === 'ignored') ? [name] : [];
  });
  expect(over).toEqual([]);
});
