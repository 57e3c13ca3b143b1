/**
 * Volumes and slices that other programs wrote, or that were damaged: each is read correctly, read with a warning, or
 * rejected with a message that names the problem.
 */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { readCtSlice } from '../../../electron/host/io/volumes/ct-slice.ts';
import { readDicomDose, readDicomPixels } from '../../../electron/host/io/volumes/dicom.ts';
import { readVolumeFile, volumeHeader } from '../../../electron/host/io/volumes/volume-file.ts';
import { readDoseFile } from '../../../electron/host/workloads/transport/dose-file.ts';
import { dicomOf, doseOf, type Elements } from '../../electron/host/io/volumes/phantom.ts';
import {
  dose,
  folder,
  irregularPhantom,
  joinFile,
  latin,
  meta,
  nrrd,
  pixels,
  series,
  shorts,
  testHostileFiles,
  volume,
} from './files.ts';

const headOf = (encoding: string): string =>
  `NRRD0004\ntype: short\ndimension: 3\nsizes: 4 3 2\nspacings: 1 2 3\nencoding: ${encoding}\nendian: little\n\n`;
const byAxes = (lines: string) => volume(joinFile(headOf('raw').replace('spacings: 1 2 3', lines), shorts));
const textData = (words: string) =>
  volume(latin(`NRRD0004\ntype: float\ndimension: 2\nsizes: 2 2\nspacings: 1 2\nencoding: ascii\n\n${words}`));
const asDose = (name: string, bytes: Uint8Array) => () => {
  const file = path.join(folder, name);
  writeFileSync(file, bytes);
  return readDoseFile(file, {}, null);
};
const asCt = (name: string, bytes: Uint8Array) => () => {
  writeFileSync(path.join(folder, name), bytes);
  return readCtSlice({ path: path.join(folder, name), name, series: null, plane: 'transverse', at_mm: null });
};
/** Unsigned 12-bit pixels in a phantom of air: the stored value 0 is -1024 HU. */
const twelveBitSlice = (raw: readonly number[], changes: Elements = {}) =>
  pixels({
    ...{ '00280101': ['US', 12], '00280102': ['US', 11], '00280103': ['US', 0], '00281052': ['DS', '-1024'] },
    '7fe00010': ['OW', new Uint8Array(Uint16Array.from({ length: 12 }, (_, i) => raw[i] ?? 1024).buffer)],
    ...changes,
  });
/** A MetaImage or NRRD header in UTF-8 whose data is in a second file. */
const writeDetached = (name: string, header: string, data: string) => () => {
  const [file, bytes] = [path.join(folder, name), new TextEncoder().encode(header)];
  writeFileSync(file, bytes);
  writeFileSync(path.join(folder, data), shorts);
  const found = volumeHeader(name, bytes);
  return found === null ? 'no volume' : readVolumeFile(name, file, bytes, found);
};
/** A sequence item with an image size of its own, such as an icon. */
const icon = (() => {
  const inner = [0x10, 0x11].flatMap((element) => [0x28, 0, element, 0, 0x55, 0x53, 2, 0, 1, 0]);
  return Uint8Array.from([0xfe, 0xff, 0, 0xe0, inner.length, 0, 0, 0, ...inner]);
})();
const nifti = new Uint8Array(352);
nifti.set(latin('n+1\0'), 344);

testHostileFiles([
  [
    'DICOM CT',
    [
      [
        'a sequence of tables',
        pixels({ '00283000': ['SQ', icon] }),
        /^refused: .*ModalityLUTSequence is present; allowed: absent/,
      ],
      [
        'a sequence of real-world values',
        pixels({ '00409096': ['SQ', icon] }),
        /^refused: .*RealWorldValueMappingSequence is present; allowed: absent/,
      ],
      [
        'pixels of floats',
        pixels({ '7fe00008': ['LO', 'ab'] }),
        /^refused: .*FloatPixelData is present; allowed: absent/,
      ],
      [
        'a tilt that the orientation lacks',
        series('gantry', () => ({ '00181120': ['DS', '15'] })),
        /GantryDetectorTilt is 15°, but ImageOrientationPatient shows no tilt: slices are read without a tilt\./,
      ],
      ['a tilt of 0', series('no-gantry', () => ({ '00181120': ['DS', '0.0'] })), /^(?!refused|.*Gantry)/],
      ['an icon with its own rows', pixels({ '00880200': ['SQ', icon] }), /^\{"hu":\[0,100/],
      [
        'a commercial comma',
        pixels({ '00280030': ['DS', '1,5\\2'] }),
        /PixelSpacing is "1,5\\\\2"; allowed: 2 numbers/,
      ],
      ['a position that is not a number', pixels({ '00200032': ['DS', '0\\0\\nan'] }), /ImagePositionPatient is .*nan/],
      [
        'rows without a direction',
        pixels({ '00200037': ['DS', '0\\0\\0\\0\\1\\0'] }),
        /its axis 1 has the direction 0, 0, 0; allowed: a vector longer than 0/,
      ],
      ['one spacing for both', pixels({ '00280030': ['DS', '1'] }), /PixelSpacing is "1"; allowed: 2 numbers/],
      ['inverted greys', pixels({ '00280004': ['CS', 'MONOCHROME1'] }), /^\{"hu":\[0,100/],
      [
        'two acquisitions between each other',
        series('phases', (k) => ({ '00200012': ['IS', String(k)] })),
        /slices differ in AcquisitionNumber: 0, 1/,
      ],
      [
        'two voltages',
        series('voltages', (k) => ({ '00180060': ['DS', String(80 + 60 * k)] })),
        /slices differ in KVP: 80, 140/,
      ],
      [
        'two kernels',
        series('kernels', (k) => ({ '00181210': ['SH', k === 0 ? 'B30f' : 'B70f'] })),
        /differ in ConvolutionKernel/,
      ],
      ['a numeric string that ends with nulls', pixels({ '00281053': ['DS', '1\0'] }), /^\{"hu":\[0,100/],
      ['two slopes', pixels({ '00281053': ['DS', '1\\2'] }), /^refused: ct: RescaleSlope is "1\\\\2"/],
      [
        'a palette',
        pixels({ '00280004': ['CS', 'PALETTE COLOR'] }),
        /PhotometricInterpretation is PALETTE COLOR; allowed/,
      ],
      ['optical density', pixels({ '00281054': ['LO', 'OD'] }), /RescaleType is OD; allowed: HU/],
      ['a logarithm', pixels({ '00281040': ['CS', 'LOG'] }), /PixelIntensityRelationship is LOG; allowed: LIN/],
      [
        'a capture of a screen',
        pixels({ '00080016': ['UI', '1.2.840.10008.5.1.4.1.1.7'] }),
        /SOPClassUID is 1\.2\.840\.10008\.5\.1\.4\.1\.1\.7/,
      ],
      [
        'a volume rendering',
        pixels({ '00089207': ['CS', 'VOLUME_RENDER'] }),
        /VolumeBasedCalculationTechnique is VOLUME_RENDER/,
      ],
      [
        'padding beyond its bits',
        twelveBitSlice([63536, 2096, 1024], { '00280120': ['US', 63536] }),
        /^\{"hu":\[-1000,1072,0,.*"padded":1,"padding":\[63536,63536\]/,
      ],
      [
        'padding beyond its bits and their sign',
        twelveBitSlice([0x8000, 0, 0xf830], { '00280103': ['US', 1], '00280120': ['SS', 0x8000] }),
        /^\{"hu":\[-1000,-1024,-3024,0,.*"padded":1,"padding":\[-32768,-32768\]/,
      ],
      [
        'a range of padding beyond its bits',
        twelveBitSlice([63536], { '00280120': ['US', 63536], '00280121': ['US', 10] }),
        /its padding is from 63536 to 10; allowed: 0 to 4095, because BitsStored is 12/,
      ],
      [
        'values beyond its bits',
        twelveBitSlice([1024, 5000, 63536]),
        /^refused: ct: 2 pixels have bits above BitsStored = 12, the first is 5000; allowed: 0, the sign again/,
      ],
      [
        'a sign in bits above of a value without one',
        twelveBitSlice([0xf123], { '00280103': ['US', 1] }),
        /1 pixel has bits above BitsStored = 12, the first is 61731/,
      ],
      [
        'an overlay in the bits above',
        twelveBitSlice([0x1400, 0x400], { '60000100': ['US', 16], '60000102': ['US', 12] }),
        /^\{"hu":\[0,0,0/,
      ],
      [
        'an overlay in bits of the value',
        twelveBitSlice([], { '60000100': ['US', 16], '60000102': ['US', 11] }),
        /OverlayBitPosition is 11; allowed: 12 to 15, above BitsStored/,
      ],
      [
        'padding by two bytes',
        () => readDicomPixels('ct', dicomOf(irregularPhantom, 0, { '7fe00010': ['OW', new Uint8Array(26)] })),
        /PixelData has 26 bytes, but 24 are specified/,
      ],
    ],
  ],
  [
    'files of other formats',
    [
      ['NIfTI as a dose', asDose('dose.nii', nifti), /dose\.nii: it is NIfTI: convert it to NRRD or MetaImage/],
      ['NIfTI as a CT', asCt('ct.nii', nifti), /ct\.nii: it is NIfTI.*allowed: DICOM, NRRD or MetaImage/],
      [
        'a packed table',
        asDose('tank.csv.gz', gzipSync('depth_mm,dose\n1,2\n2,3\n')),
        /it is compressed by gzip: decompress it first/,
      ],
      [
        'a workbook',
        asDose('tank.xlsx', latin('PK\x03\x04xl/worksheets')),
        /it is a spreadsheet or a ZIP archive: export a table as CSV/,
      ],
      ['an old workbook', asDose('tank.xls', latin('\xd0\xcf\x11\xe0\xa1\xb1')), /it is a spreadsheet/],
      ['NetCDF of MINC', asCt('brain.mnc', latin('CDF\x01\0\0\0\0')), /it is an HDF5 or netCDF file/],
      ...['plan-Edep-Squared.txt', 'plan-Dose-Uncertainty.txt', 'plan-NbOfHits.txt'].map(
        (name) =>
          [
            `GATE's ${name}`,
            asDose(name, latin('# Resol = (1,1,2)\n# VoxelSize = (1,1,2)\n1\n2\n')),
            new RegExp(
              `${name}: its name contains (Squared|Uncertainty|NbOfHits), which is not a dose; allowed: names such`,
            ),
          ] as const,
      ),
      ...['plan-Edep-Squared.mha', 'plan_dose_uncertainty.mha', 'plan_counts.mha', 'plan-Dose-Squared.mhd.mha'].map(
        (name) =>
          [
            `GATE's ${name}`,
            asDose(
              name,
              joinFile('NDims = 3\nDimSize = 4 3 2\nElementType = MET_SHORT\nElementDataFile = LOCAL\n', shorts),
            ),
            /its name contains (Squared|uncertainty|counts), which is not a dose/,
          ] as const,
      ),
      [
        "GATE's dose of a plan that is named as a quantity",
        asDose(
          'uncertainty-plan-Dose.mha',
          joinFile('NDims = 3\nDimSize = 4 3 2\nElementType = MET_SHORT\nElementDataFile = LOCAL\n', shorts),
        ),
        /"kind":"map"/,
      ],
      ['a grid of EGSnrc', asDose('a.3ddose', latin(' 2 2 2\n 0 1 2\n')), /3 columns without names; allowed: two/],
    ],
  ],
  [
    'RT Dose',
    [
      [
        'a scaling with a comma',
        dose({ '3004000e': ['DS', '0,25'] }),
        /DoseGridScaling is "0,25"; allowed: a number with a decimal/,
      ],
      [
        'histograms and no grid',
        () => readDicomDose('dose', doseOf(irregularPhantom, { '7fe00010': undefined })),
        /^refused: dose: it has no PixelData, so it may contain histograms or doses at points; allowed: a grid of doses/,
      ],
      ['centigray', dose({ '30040002': ['CS', 'CGY'] }), /DoseUnits is CGY; allowed: GY, RELATIVE/],
      ['positions for offsets', dose({ '3004000c': ['DS', '-13\\-10'] }), /"origin_mm":\[-7,11,-13\]/],
      [
        'of a control point',
        dose({ '3004000a': ['CS', 'CONTROL_POINT'] }),
        /is CONTROL_POINT: not the dose of a whole plan/,
      ],
      [
        'a beam that is turned',
        dose({ '00200037': ['DS', '0.9\\0.43589\\0\\-0.43589\\0.9\\0'] }),
        /rotated by 25\.8° from those of the patient; .*Resample it/,
      ],
      ['of a fraction', dose({ '3004000a': ['CS', 'FRACTION'] }), /DoseSummationType is FRACTION/],
      ['of errors', dose({ '30040004': ['CS', 'ERROR'] }), /DoseType is ERROR; allowed: PHYSICAL, EFFECTIVE/],
      ['weighted by RBE', dose({ '30040004': ['CS', 'EFFECTIVE'] }), /"unit":"Gy \(RBE\)"/],
      ['packed with loss', dose({ '00282110': ['CS', '01'] }), /LossyImageCompression is 01; allowed: 00/],
      ['with a slope of its own', dose({ '00281053': ['DS', '2'] }), /RescaleSlope is 2; allowed: 1 or absent/],
      ['with an offset of its own', dose({ '00281052': ['DS', '-1'] }), /RescaleIntercept is -1; allowed: 0 or absent/],
      [
        'with a slope and an offset that change nothing',
        dose({ '00281052': ['DS', '0'], '00281053': ['DS', '1.0'] }),
        /^\{.*"unit":"Gy"/,
      ],
      [
        'positions for offsets in frames that go down',
        dose({ '00200037': ['DS', '-1\\0\\0\\0\\1\\0'], '3004000c': ['DS', '-13\\-16'] }),
        /GridFrameOffsetVector begins with -13; allowed: 0 \(offsets along the normal of the frames\), or positions along z where ImageOrientationPatient is 1, 0, 0, 0, 1, 0/,
      ],
      [
        'a negative position in frames that go down',
        dose({ '00200037': ['DS', '-1\\0\\0\\0\\1\\0'], '3004000c': ['DS', '13\\16'] }),
        /GridFrameOffsetVector begins with 13; allowed: 0/,
      ],
      [
        'another position',
        dose({ '3004000c': ['DS', '-12\\-9'] }),
        /begins with -12; allowed: 0 .*, or -13 \(positions/,
      ],
      [
        'with unequal frames',
        dose({ '00280008': ['IS', '2'], '3004000c': ['DS', '0'] }),
        /GridFrameOffsetVector has 1 values; allowed: 2/,
      ],
      ['in no unit', dose({ '30040002': ['CS', ''] }), /^refused|"unit":"relative"/],
    ],
  ],
  [
    'MetaImage',
    [
      ['commas between sizes', meta({ DimSize: '4, 3, 2' }), /DimSize is "4, 3, 2"; allowed: 3 numbers/],
      ['64 bits or 32, as the machine has', meta({ ElementType: 'MET_LONG' }), /ElementType is MET_LONG; allowed/],
      ['steps backwards', meta({ ElementSpacing: '1 -2 3' }), /ElementSpacing has -2; allowed: lengths above 0 mm/],
      [
        'data of gzip, which MetaIO unpacks too',
        meta({ CompressedData: 'True' }, new Uint8Array(gzipSync(shorts))),
        /"values":\[0,1,2,/,
      ],
      [
        'letters of another system',
        meta({ AnatomicalOrientation: 'RAS' }),
        /AnatomicalOrientation = RAS without TransformMatrix/,
      ],
      ['a time of one', meta({ NDims: '4', DimSize: '4 3 2 1' }), /it has 4 axes; allowed: 2 or 3/],
      ['decimal commas', meta({ ElementSpacing: '1,5 2' }), /ElementSpacing is "1,5 2"; allowed: 3 numbers/],
      ['a comma in an offset', meta({ Offset: '0,5 0 0' }), /Offset is "0,5 0 0"; allowed: 3 numbers/],
      ['64 bits', meta({ ElementType: 'MET_LONG_LONG' }), /ElementType is MET_LONG_LONG; allowed/],
      ['three channels', meta({ ElementNumberOfChannels: '3' }), /ElementNumberOfChannels = 3 is not supported/],
      [
        'a slope',
        meta({ ElementToIntensityFunctionSlope: '2' }),
        /ElementToIntensityFunctionSlope = 2 is not supported/,
      ],
      [
        'no steps',
        volume(joinFile('NDims = 3\nDimSize = 4 3 2\nElementType = MET_SHORT\nElementDataFile = LOCAL\n', shorts)),
        /"spacing_mm":\[1,1,1\].*"notes":\["It has no ElementSpacing: a spacing of 1 mm is assumed/,
      ],
      ['a byte too many', meta({}, new Uint8Array(49)), /data has 49 bytes, but 48 are specified/],
      ['a size of zero', meta({ DimSize: '4 3 0' }), /a size is 0; allowed/],
      [
        'keys of DICOM, as ITK writes them',
        meta({ '0008|0060': 'CT', '0028|1052': '-1024', ITK_original_direction: '1 0' }),
        /"values":\[0,1,2,/,
      ],
      [
        'the modality MR by a key of DICOM',
        meta({ '0008|0060': 'MR' }),
        /0008\|0060 = MR is not supported; allowed: CT/,
      ],
      [
        'data at the end of the file',
        meta({ HeaderSize: '-1' }, Uint8Array.from([9, 9, 9, 9, ...shorts])),
        /"values":\[0,1,2,/,
      ],
      [
        'text at the end of the file',
        meta({ HeaderSize: '-1', BinaryData: 'False' }),
        /HeaderSize = -1 with BinaryData/,
      ],
      [
        'its data after other bytes',
        meta({ HeaderSize: '5' }),
        /HeaderSize = 5 with ElementDataFile = LOCAL .*allowed: 0, \d+, -1/,
      ],
      [
        'a name of data in UTF-8',
        writeDetached(
          'a.mhd',
          'NDims = 3\nDimSize = 4 3 2\nElementType = MET_SHORT\nElementDataFile = Prüfung.raw\n',
          'Prüfung.raw',
        ),
        /"values":\[0,1,2,/,
      ],
    ],
  ],
  [
    'NRRD',
    [
      ['decimal commas in its text', textData('1,5 2,5'), /its data has 1,5; allowed: decimal points, and spaces/],
      ['commas alone in its text', textData('1,2,3,4'), /its data has 1,2,3,4; allowed: decimal points, and spaces/],
      ['commas and spaces in its text', textData('1, 2 ,3, 4.5'), /"values":\[1,2,3,4\.5\]/],
      [
        'a decimal comma in spacings',
        volume(latin(headOf('raw').replace('1 2 3', '1,5 2 3'))),
        /spacings is "1,5 2 3"; allowed: 3 numbers/,
      ],
      [
        'two members of gzip',
        volume(
          joinFile(
            headOf('gzip'),
            new Uint8Array(Buffer.concat([gzipSync(shorts.subarray(0, 20)), gzipSync(shorts.subarray(20))])),
          ),
        ),
        /"values":\[0,1,2,3,4,5,6,7,8,9,10,11,/,
      ],
      ['half precision', volume(joinFile(headOf('raw').replace('short', 'half'), shorts)), /its type is half; allowed/],
      ['a space by another name', nrrd({ space: '3D-right-handed' }), /its space is 3D-right-handed; allowed/],
      ['seconds for a step', nrrd({ 'space units': '"mm" "mm" "s"' }), /space units is s; allowed: mm, cm, m, um/],
      ['hexadecimal data', nrrd({ encoding: 'hex' }), /its encoding is hex; allowed/],
      ['integers of 64 bits', nrrd({ type: 'int64' }), /its type is int64; allowed/],
      [
        'a comma in spacings',
        nrrd({ 'axis mins': '0,5 0 0' }),
        /axis mins = 0,5 0 0 with space directions is not supported/,
      ],
      [
        'vectors with spaces',
        nrrd({ 'space directions': '( 1, 0, 0 ) ( 0, 2, 0 ) ( 0, 0, 3 )' }),
        /"spacing_mm":\[1,2,3\]/,
      ],
      [
        'a list of colours',
        nrrd({ kinds: 'RGB-color domain domain' }),
        /kinds = RGB-color domain domain is not supported/,
      ],
      [
        'an axis without a direction',
        nrrd({ 'space directions': '(1,0,0) (0,0,0) (0,0,3)' }),
        /its axis 2 has the direction 0, 0, 0; allowed: a vector longer than 0/,
      ],
      ['a number of samples', nrrd({ number: '23' }), /number is 23; allowed: 24/],
      [
        'a name of data in UTF-8',
        writeDetached('a.nhdr', `${headOf('raw').trimEnd()}\ndata file: Größe.raw\n`, 'Größe.raw'),
        /"values":\[0,1,2,/,
      ],
      ['values in Gy', nrrd({ 'sample units': '"Gy"' }), /"unit":"Gy"/],
      // By default Teem places samples at cell centres: 4 cells of width 1 from 0 to 4, so that the first centre is at
      // 0.5.
      [
        'ends of axes without centers',
        byAxes('axis mins: 0 0 0\naxis maxs: 4 6 6'),
        /"spacing_mm":\[1,2,3\],"origin_mm":\[0\.5,1,1\.5\].*Without centers, its axis mins are read as the edges/,
      ],
      [
        'ends of axes at nodes',
        byAxes('axis mins: 0 0 0\naxis maxs: 3 4 3\ncenters: node node node'),
        /"spacing_mm":\[1,2,3\],"origin_mm":\[0,0,0\],"values":\[[\d,]+\]\}$/,
      ],
      [
        'ends of axes with a centre for one alone',
        byAxes('axis mins: 10 20 30\nspacings: 1 2 3\ncenters: node none cell'),
        /"origin_mm":\[10,21,31\.5\].*Without centers/,
      ],
      [
        'axes in the order of numpy',
        byAxes('spacings: 1 2 3\nlabels: "z" "y" "x"'),
        /labels = "z" "y" "x" without space directions is not supported; allowed: x, y, z in this order/,
      ],
      ['axes by name', byAxes('spacings: 1 2 3\nlabels: "x (mm)" "Y" "slice"'), /"values":\[0,1,2,/],
      ['an axis of time', byAxes('spacings: 1 2 3\nlabels: "x" "y" "time"'), /labels = "x" "y" "time" without/],
      [
        'an axis of energy in a space',
        nrrd({ labels: '"R" "A" "energy"' }),
        /labels has "energy"; allowed: spatial axes/,
      ],
      ['directions of the patient', nrrd({ labels: '"R" "A" "S"' }), /"spacing_mm":\[1,2,3\]/],
    ],
  ],
]);
