/**
 * Detector images that other programs wrote, or that were damaged: each is read correctly, read with a warning, or
 * rejected with a message that names the problem.
 */
import { gzipSync } from 'node:zlib';
import { readImage } from '../../../electron/host/workloads/diffraction/images/read.ts';
import {
  cbf,
  dataset,
  latin,
  marCcd,
  measure,
  nexus,
  nxModule,
  nxmx,
  setClass,
  smv,
  testHostileFiles,
  tiff,
} from './files.ts';

const image = (name: string, bytes: Uint8Array | string) => () =>
  readImage(typeof bytes === 'string' ? latin(bytes) : bytes, name);

testHostileFiles([
  [
    'images of other formats',
    [
      [
        'EDF named .img',
        image('a.img', '{\nHeaderID = EH:000001:000000:000000 ;\nByteOrder = LowByteFirst ;\nDim_1 = 4 ;\n}\n'),
        /a\.img: it is EDF of the ESRF; allowed: SMV, R-AXIS, TIFF, CBF, NXmx or raw numbers/,
      ],
      ['EDF of another writer', image('a.img', '{\nDim_1 = 4 ;\nDataType = UnsignedShort ;\n}\n'), /it is EDF/],
      [
        'gzip named .img',
        image('a.img', new Uint8Array(gzipSync('{\nHEADER_BYTES=512;'))),
        /it is compressed by gzip: decompress/,
      ],
      [
        'gzip',
        image('a.cbf.gz', new Uint8Array(gzipSync('###CBF'))),
        /a\.cbf\.gz: it is compressed by gzip: decompress it first/,
      ],
      ['bzip2', image('a.cbf.bz2', 'BZh91AY&SY'), /it is compressed by bzip2/],
      ['Bruker', image('a.sfrm', 'FORMAT :100       \nVERSION:18'), /it is an image of Bruker/],
      ['HDF5 named .img', image('a.img', '\x89HDF\r\n\x1a\n'), /it is HDF5: give it the extension \.h5/],
      ['a picture', image('a.png', '\x89PNG\r\n'), /it is a picture without counts/],
      ['an unknown format', image('a.mccd2', 'x'), /\.mccd2 is not a supported image format; allowed: \.img/],
      ['TIFF by another name', tiff({}, '', 'a.mccd'), /"counts":\[0,10,20/],
      ['TIFF named .img', tiff({}, '', 'a.img'), /"counts":\[0,10,20/],
    ],
  ],
  [
    'SMV',
    [
      ['a unit after a number', smv('DISTANCE=100 mm;\n'), /DISTANCE=100 mm is not supported; allowed: a number/],
      ['two pixel sizes', smv('PIXEL_SIZE=0.1 0.2;\n'), /PIXEL_SIZE=0\.1 0\.2 is not supported/],
      ['a size that is no whole number', smv('SIZE2=2.5;\n'), /refused: .*SIZE2 is in its header more than once/],
      ['a strange type', smv('TYPE=mad;\n'), /TYPE=mad is not supported; allowed/],
      ['packed pixels', smv('COMPRESSION=BS1;\n'), /COMPRESSION = BS1 is not supported; allowed: None/],
      [
        'a saturation with a comma',
        smv('SATURATED_VALUE=6,5e4;\n'),
        /SATURATED_VALUE=6,5e4 is not supported; allowed: a number/,
      ],
      [
        'more pixels than announced',
        smv('TYPE=unsigned_short;\n', new Uint8Array(26)),
        /their type or number is wrong/,
      ],
      [
        'the geometry of a named detector',
        smv('DETECTOR_NAMES=CCD_;\nCCD_GONIO_VALUES=0 0 0 0 0 45;\nCCD_SPATIAL_DISTORTION_INFO=2 1 0.1 0.1;\n'),
        /"header":\{"distance_mm":45,"pixel_mm":0\.1\}/,
      ],
      [
        'the names of d*TREK for a distance',
        smv(
          'GONIO_NAMES=RotZ RotX/Swing RotY TransX TransY TransZ/Dist;\nGONIO_VALUES=0 0 0 0 0 45;\nGONIO_UNITS=deg deg deg mm mm mm;\n',
        ),
        /"header":\{"distance_mm":45\}/,
      ],
      [
        'a saturation that begins as the name of the detector does',
        smv('DETECTOR_NAMES=CCD_;\nCCD_IMAGE_SATURATION=100;\n'),
        /"full":100,/,
      ],
      [
        'a distorted grid of a named detector',
        smv('DETECTOR_NAMES=CCD_;\nCCD_SPATIAL_DISTORTION_TYPE=Interp_spatial;\n'),
        /SPATIAL_DISTORTION_TYPE = Interp_spatial is not supported; allowed: Simple_spatial/,
      ],
      [
        'two distances',
        smv('DISTANCE=100;\nGONIO_VALUES=0 0 0 0 0 45;\n'),
        /DISTANCE=100, but 45 in the fields of d\*TREK; allowed: equal values/,
      ],
      ['a third axis', smv('SIZE3=2;\n'), /SIZE3 = 2 is not supported; allowed: 1/],
    ],
  ],
  [
    'CBF',
    [
      ['a distance in millimetres', cbf('# Detector_distance: 250 mm'), /"distance_mm":250/],
      [
        'a distance without a unit',
        cbf('# Detector_distance 250'),
        /Detector_distance is 250; allowed: a number in m, mm/,
      ],
      ['a wavelength with a comma', cbf('# Wavelength 0,9795 A'), /Wavelength is 0,9795 A; allowed: a number in A/],
      [
        'thousands in its cutoff',
        cbf('# Count_cutoff 1,048,575 counts'),
        /Count_cutoff is 1,048,575 counts; allowed: a number/,
      ],
      [
        'columns from the other side',
        cbf('_array_structure_list.direction decreasing'),
        /direction is decreasing; allowed: increasing/,
      ],
      ['an offset of counts', cbf('_array_intensities.offset -100'), /_array_intensities\.offset is -100; allowed: 0/],
      [
        'pixels that are not square',
        cbf('# Pixel_size 172e-6 m x 100e-6 m'),
        /Pixel_size is 172e-6 m x 100e-6 m; allowed: square pixels/,
      ],
      ['square pixels', cbf('# Pixel_size 172e-6 m x 172e-6 m'), /"pixel_mm":0\.172/],
      [
        'items of pixels that are not square',
        cbf('loop_\r\n_array_element_size.index\r\n_array_element_size.size\r\n1 172e-6\r\n2 75e-6\r\n'),
        /^refused: .*_array_element_size\.size is 0\.000172 m and 0\.000075 m; allowed: equal sides, for square pixels/,
      ],
      [
        'steps of axes that are not the same',
        cbf('loop_\r\n_array_structure_list_axis.displacement_increment\r\n0.172\r\n-0.1\r\n'),
        /^refused: .*displacement_increment is 0\.172 mm and 0\.1 mm; allowed: equal sides, for square pixels/,
      ],
      [
        'items and comments of different pixels',
        cbf('# Pixel_size 172e-6 m x 172e-6 m\r\n_array_element_size.size 75e-6'),
        /^refused: .*the size of its pixels in comments and CIF items is 0\.172 mm and 0\.075 mm; allowed: equal sides/,
      ],
      [
        'items of square pixels',
        cbf('loop_\r\n_array_element_size.index\r\n_array_element_size.size\r\n1 125e-6\r\n2 125e-6\r\n'),
        /"pixel_mm":0\.125/,
      ],
      [
        'base64',
        cbf('', 'Content-Transfer-Encoding: BASE64\r\n'),
        /Content-Transfer-Encoding = BASE64 is not supported/,
      ],
      ['a depth', cbf('', 'X-Binary-Size-Third-Dimension: 2\r\n'), /Third-Dimension = 2 is not supported/],
      [
        'another number of pixels',
        cbf('', 'X-Binary-Number-of-Elements: 7\r\n'),
        /Number-of-Elements is 7; allowed: 6/,
      ],
      ['an unknown field', cbf('', 'X-Binary-Gain: 2\r\n'), /unknown field X-Binary-Gain = 2/],
    ],
  ],
  [
    'TIFF',
    [
      [
        'a stack of tifffile in one directory',
        tiff({}, '{"shape": [3, 3, 4]}'),
        /ImageDescription gives 3 × 3 × 4 values; allowed: 12/,
      ],
      ['one image of tifffile', tiff({}, '{"shape": [3, 4]}'), /"counts":\[0,10,20/],
      ['a thumbnail first', tiff({ 254: 1 }), /NewSubfileType \(tag 254\) is 1; allowed: 0, 2/],
      ['a mask first', tiff({ 254: 4 }), /NewSubfileType \(tag 254\) is 4/],
      ['a page of several', tiff({ 254: 2 }), /"counts":\[0,10,20/],
      ['a curve of greys', tiff({ 291: 1 }), /GrayResponseCurve \(tag 291\) is 1; allowed: absent/],
      ['a value for none', tiff({ 42113: 7 }), /GDALNoData \(tag 42113\) is 7; allowed: absent/],
      [
        'a stack of MetaMorph',
        tiff({ 33629: [1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0] }),
        /it is a stack of 12 planes \(UIC2Tag, of MetaMorph\); allowed: one image/,
      ],
      ['one plane of MetaMorph', tiff({ 33628: 0, 33629: 0 }), /"counts":\[0,10,20/],
      ['a black level', tiff({ 50714: 64 }), /BlackLevel \(tag 50714\) is 64; allowed: 0/],
      ['black levels of which the first is 0', tiff({ 50714: [0, 64] }), /BlackLevel \(tag 50714\) is 64; allowed: 0/],
      ['a white level', tiff({ 50714: 0, 50717: 100 }), /"full":100,"excluded":\[0,0,0,0,0,0,0,0,0,0,1,1\]/],
      ['a table of linear values', tiff({ 50712: 1 }), /LinearizationTable \(tag 50712\) is 1; allowed: absent/],
      [
        'pixels that are not square',
        tiff({ 282: 100, 283: 50, 296: 3 }),
        /^refused: .*its resolution \(tags 282, 283\) is 100 pixels per unit and 50 pixels per unit; allowed: equal sides, for square pixels/,
      ],
      ['the same resolution along both axes', tiff({ 282: 72, 283: 72 }), /"counts":\[0,10,20/],
      [
        'pixels of OME-XML that are not square',
        tiff({}, '<OME><Pixels PhysicalSizeX="0.5" PhysicalSizeY="0.25"/></OME>'),
        /^refused: .*PhysicalSize in its OME-XML is 0\.5 µm and 0\.25 µm; allowed: equal sides/,
      ],
      [
        'pixels of OME-XML in two units',
        tiff({}, '<OME><Pixels PhysicalSizeX="1" PhysicalSizeXUnit="mm" PhysicalSizeY="1"/></OME>'),
        /^refused: .*its OME-XML has PhysicalSize in mm and µm; allowed: one unit/,
      ],
      ['metadata of GDAL', tiff({ 42112: '<GDALMetadata>' }), /GDALMetadata \(tag 42112\) is <GDALMetadata>; allowed/],
      ['a long value for none', tiff({ 42113: '-9999' }), /GDALNoData \(tag 42113\) is -9999; allowed: absent/],
      ['a short value for none', tiff({ 42113: '1' }), /GDALNoData \(tag 42113\) is 1; allowed: absent/],
      ['inverted greys', tiff({ 262: 0 }), /PhotometricInterpretation \(tag 262\) is 0; allowed: 1/],
      ['a turned image', tiff({ 274: 6 }), /Orientation \(tag 274\) is 6; allowed: 1/],
    ],
  ],
  [
    'MarCCD',
    [
      [
        // In micrometres, nanometres and femtometres.
        'its geometry',
        marCcd({ 104: 100, 640: 120_000, 772: 80_000, 776: 80_000, 908: 97_950 }),
        /"header":\{"distance_mm":120,"pixel_mm":0\.08,"wavelength_A":0\.9795\},"full":100/,
      ],
      ...['origin', 'orientation', 'view_direction'].map(
        (name, i) =>
          [
            `another ${name}`,
            marCcd({ [116 + 4 * i]: 1 }),
            new RegExp(`MarCCD header has ${name} 1, not 0: the scenario must describe this rotation of the detector`),
          ] as const,
      ),
      ['several images', marCcd({ 112: 4 }), /^refused: .*its MarCCD header has nimages 4; allowed: 0, 1/],
      ['multiplexed images', marCcd({ 140: 2 }), /^refused: .*its MarCCD header has multiplexed 2; allowed: 0/],
      [
        'a flat field and no correction of distortion',
        marCcd({ 160: 1 }),
        /Its MarCCD header has distortion_applied 0: its counts lack that correction\./,
      ],
      ['both corrections', marCcd({ 160: 1, 164: 1 }), /^(?!refused|.*notes)/],
    ],
  ],
  [
    'NXmx',
    [
      [
        'a saturation for each pixel',
        nxmx((detector) => {
          const limits = Int32Array.from({ length: 12 }, (_, i) => (i === 3 ? 40 : 1000));
          dataset(detector, 'saturation_value', limits, [3, 4]);
        }),
        /"excluded":\[0,0,0,1,0,0,0,0,0,0,0,0\]/,
      ],
      [
        'saturations that are neither one nor of each pixel',
        nxmx((detector) => dataset(detector, 'saturation_value', Int32Array.of(40, 1000), [2])),
        /^refused: .*saturation_value has 2 values that differ; allowed: 1, or 12, one for each pixel/,
      ],
      [
        'the same saturation for each image',
        nxmx((detector) => dataset(detector, 'saturation_value', Int32Array.of(110, 110), [2])),
        /"full":110/,
      ],
      [
        'a dark image as its first',
        nxmx((detector) => dataset(detector, 'image_key', Int32Array.of(2), [1])),
        /^refused: .*image_key is 2; allowed: 0/,
      ],
      [
        'counts of 6 bits stored in 16',
        nxmx((detector) => dataset(detector, 'bit_depth_image', Int32Array.of(6), [1])),
        // With 6 bits, the value 2^6 - 1 = 63 marks overloads.
        /"excluded":\[0,0,0,0,0,0,1,1,1,1,1,1\].*"full":63\}$/,
      ],
      [
        'two masks',
        nxmx((detector) => {
          for (const [name, masked] of [
            ['pixel_mask', 0],
            ['pixel_mask_1', 5],
          ] as const) {
            dataset(
              detector,
              name,
              Int32Array.from({ length: 12 }, (_, i) => (i === masked ? 1 : 0)),
              [3, 4],
            );
          }
        }),
        /"excluded":\[1,0,0,0,0,1,0,0,0,0,0,0\]/,
      ],
      [
        'the size of pixels in its module alone',
        nxmx((detector) => {
          const module = setClass(detector, 'module', 'NXdetector_module');
          const made = dataset(module, 'fast_pixel_direction', Float32Array.of(0.125), [1]);
          made.create_attribute('vector', Float64Array.of(-1, 0, 0));
          made.create_attribute('units', 'mm');
        }),
        /"header":\{"pixel_mm":0\.125\}/,
      ],
      [
        'another size of pixels in its module',
        nxmx((detector) => {
          for (const name of ['x_pixel_size', 'y_pixel_size']) measure(detector, name, 0.25, 'mm');
          const module = setClass(detector, 'module', 'NXdetector_module');
          const made = dataset(module, 'fast_pixel_direction', Float32Array.of(0.125), [1]);
          made.create_attribute('vector', Float64Array.of(-1, 0, 0));
          made.create_attribute('units', 'mm');
        }),
        /^refused: .*the size of its pixels in its detector and its module is 0\.25 mm and 0\.125 mm; allowed: equal sides/,
      ],
      [
        'two distances',
        nxmx((detector) => {
          measure(detector, 'distance', 0.25, 'm');
          measure(detector, 'detector_distance', 0.5, 'm');
        }),
        /^refused: .*detector_distance is 500 mm and distance 250 mm; allowed: equal values/,
      ],
      [
        'images of another file behind a virtual dataset',
        nexus('e02-virtual.h5'),
        /virtual dataset of vds_src\.h5; allowed: images in the file itself/,
      ],
      [
        'a flat field that is not applied',
        nxmx((detector) => {
          dataset(detector, 'flatfield', Float32Array.from({ length: 12 }).fill(2), [3, 4]);
          dataset(detector, 'flatfield_correction_applied', Int32Array.of(0), [1]);
        }),
        /^refused: .*its flatfield has 2, but flatfield_correction_applied is 0, so its counts are uncorrected; allowed: 1 everywhere/,
      ],
      [
        'a dark image that is not applied',
        nxmx((detector) => {
          dataset(detector, 'dark', Float32Array.from({ length: 12 }).fill(50), [3, 4]);
          dataset(detector, 'dark_applied', Int32Array.of(0), [1]);
        }),
        /^refused: .*its dark has 50, but dark_applied is 0/,
      ],
      [
        'a flat field that is applied',
        nxmx((detector) => {
          dataset(detector, 'flatfield', Float32Array.from({ length: 12 }).fill(2), [3, 4]);
          dataset(detector, 'flatfield_applied', Int32Array.of(1), [1]);
        }),
        /"counts":\[10,20,30.*"full":65535\}$/,
      ],
      [
        'a flat field of 1 that is not applied, except where pixels are masked',
        nxmx((detector) => {
          const flat = Float32Array.from({ length: 12 }, (_, i) => (i === 5 ? 0 : 1));
          dataset(
            detector,
            'pixel_mask',
            Int32Array.from(flat, (one) => 1 - one),
            [3, 4],
          );
          dataset(detector, 'flatfield', flat, [3, 4]);
          dataset(detector, 'flatfield_applied', Int32Array.of(0), [1]);
        }),
        /"excluded":\[0,0,0,0,0,1,0,0,0,0,0,0\].*"full":65535\}$/,
      ],
      [
        'a pedestal that may be in the counts',
        nxmx((detector) => dataset(detector, 'pedestal', Float32Array.from({ length: 12 }).fill(10), [3, 4])),
        /It has a pedestal but no pedestal_applied: its counts are read as stored\./,
      ],
      [
        'a pedestal that is not in the counts',
        nxmx((detector) => {
          dataset(detector, 'pedestal', Float32Array.from({ length: 12 }).fill(10), [3, 4]);
          dataset(detector, 'pedestal_applied', Int32Array.of(0), [1]);
        }),
        /^refused: .*its pedestal has 10, but pedestal_applied is 0, so its counts are uncorrected; allowed: 0 everywhere/,
      ],
      [
        'a pedestal that is in the counts',
        nxmx((detector) => {
          dataset(detector, 'pedestal', Float32Array.from({ length: 12 }).fill(10), [3, 4]);
          dataset(detector, 'pedestal_applied', Int32Array.of(1), [1]);
        }),
        /"counts":\[10,20,30.*"full":65535\}$/,
      ],
      [
        'a gain of one pixel',
        nxmx((detector) => {
          dataset(
            detector,
            'gain',
            Float32Array.from({ length: 12 }, (_, i) => (i === 7 ? 3 : 1)),
            [3, 4],
          );
        }),
        /^refused: .*its gain has 3; allowed: 1 everywhere or absent, counts of photons/,
      ],
      [
        'a gain of 1, except where pixels are masked',
        nxmx((detector) => {
          const gain = Float32Array.from({ length: 12 }, (_, i) => (i === 5 ? 0 : 1));
          dataset(
            detector,
            'pixel_mask',
            Int32Array.from(gain, (one) => 1 - one),
            [3, 4],
          );
          dataset(detector, 'gain', gain, [3, 4]);
        }),
        /"excluded":\[0,0,0,0,0,1,0,0,0,0,0,0\].*"full":65535\}$/,
      ],
      [
        'every second pixel of a panel',
        nxmx((detector) =>
          dataset(setClass(detector, 'module', 'NXdetector_module'), 'data_stride', Int32Array.of(1, 2), [2]),
        ),
        /^refused: .*data_stride of its module is 1, 2; allowed: 1/,
      ],
      [
        'scaled counts by an attribute',
        nxmx(() => undefined, null, {}, { scale_factor: 2 }),
        /^refused: .*scale_factor of its images data is 2; allowed: 1 or absent/,
      ],
      [
        'shifted counts by an attribute',
        nxmx(() => undefined, null, {}, { add_offset: 10 }),
        /^refused: .*add_offset of its images data is 10; allowed: 0 or absent/,
      ],
      [
        'attributes that change no count',
        nxmx(() => undefined, null, {}, { scale_factor: 1, offset: 0 }),
        /"excluded":\[0,0,0,0,0,0,0,0,0,0,0,0\].*"full":65535\}$/,
      ],
      [
        'a value for pixels without a count',
        nxmx(() => undefined, null, {}, { _FillValue: 110, missing_value: 20 }),
        /"excluded":\[0,1,0,0,0,0,0,0,0,0,1,0\]/,
      ],
      [
        'the value 0 for pixels without a count',
        nxmx(() => undefined, null, {}, { _FillValue: 0 }),
        /Its _FillValue is 0: counts of 0 are treated as valid\./,
      ],
      [
        'rows from right to left',
        nxmx((detector) => nxModule(detector, { fast_pixel_direction: [1, 0, 0], slow_pixel_direction: [0, -1, 0] })),
        /fast_pixel_direction is 1, 0, 0, not -1, 0, 0: the scenario must describe this rotation of the detector/,
      ],
      [
        'rows from bottom to top',
        nxmx((detector) => nxModule(detector, { fast_pixel_direction: [-1, 0, 0], slow_pixel_direction: [0, 1, 0] })),
        /slow_pixel_direction is 0, 1, 0, not 0, -1, 0/,
      ],
      [
        'a quarter turn',
        nxmx((detector) => nxModule(detector, { fast_pixel_direction: [0, -1, 0], slow_pixel_direction: [1, 0, 0] })),
        /fast_pixel_direction is 0, -1, 0.*slow_pixel_direction is 1, 0, 0/,
      ],
      [
        'a mask and limits of a detector of any name',
        nxmx((detector) => {
          dataset(
            detector,
            'pixel_mask',
            Int32Array.from({ length: 12 }, (_, i) => (i === 5 ? 1 : 0)),
            [3, 4],
          );
          dataset(detector, 'saturation_value', Int32Array.of(110), [1]);
          dataset(detector, 'underload_value', Int32Array.of(20), [1]);
        }),
        /"excluded":\[1,0,0,0,0,1,0,0,0,0,1,1\]/,
      ],
      [
        'several detectors',
        nxmx((_, instrument) => setClass(instrument, 'pilatus', 'NXdetector')),
        /^refused: .*2 groups of NXdetector \(eiger, pilatus\); allowed: 1/,
      ],
      [
        'several panels',
        nxmx((detector) => {
          for (const name of ['module_0', 'module_1']) setClass(detector, name, 'NXdetector_module');
        }),
        /^refused: .*2 groups of NXdetector_module \(module_0, module_1\); allowed: 1/,
      ],
      [
        'a panel that is a part of the image',
        nxmx((detector) =>
          dataset(setClass(detector, 'module', 'NXdetector_module'), 'data_size', Int32Array.of(2, 2), [2]),
        ),
        /^refused: .*data_size of its module is 2 × 2; allowed: 3 × 4/,
      ],
      ['a distance in inches', nxmx((detector) => measure(detector, 'distance', 5, 'inch')), /^refused: .*is in inch/],
      [
        'a distance without a unit',
        nxmx((detector) => measure(detector, 'distance', 0.25, null)),
        /"distance_mm":250.*Its distance has no unit: 0\.25 is assumed to be in m\./,
      ],
      [
        'a foot in millimetres',
        nxmx((detector) => measure(detector, 'beam_center_x', 80, 'mm')),
        /"header":\{\},"full":65535\}$/,
      ],
      [
        'chunks that were never written',
        nxmx(
          () => undefined,
          Uint16Array.from({ length: 12 }, (_, i) => (i < 4 ? 5 : 0)),
          { chunks: [1, 4] },
        ),
        /2 of 3 chunks of its first image contain only zeros: they may not have been written/,
      ],
      [
        'floats that are no number',
        nxmx(
          () => undefined,
          Float32Array.from({ length: 12 }, (_, i) => [7, Number.NaN, Infinity, -1][i % 4] ?? 0),
        ),
        /"excluded":\[0,1,1,1,0,1,1,1,0,1,1,1\]/,
      ],
    ],
  ],
]);
