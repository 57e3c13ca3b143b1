/**
 * Every reader must read a number with a decimal comma completely, or reject its file: reading only a part of the
 * number would be wrong. The tests use good files of every text format, with the number at every position that may have
 * one.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseEnergies } from '../../electron/contract/beams/sobp.ts';
import { readCurveCsv } from '../../electron/domain/dose/curve-csv.ts';
import { openTrace } from '../../electron/host/app/timelines/open.ts';
import { readDicomDose, readDicomHeader, readDicomPixels } from '../../electron/host/io/volumes/dicom.ts';
import { decodeVolumeFile, volumeHeader } from '../../electron/host/io/volumes/volume-file.ts';
import { readNcuCsv } from '../../electron/host/model/counters/ncu.ts';
import { readStoppingCsv } from '../../electron/host/model/scenarios/stopping-table.ts';
import { parseTuning } from '../../electron/host/model/tuning/files/t4.ts';
import { readImage } from '../../electron/host/workloads/diffraction/images/read.ts';
import { readHkl } from '../../electron/host/workloads/diffraction/scenario/hkl.ts';
import { readDoseFile } from '../../electron/host/workloads/transport/dose-file.ts';
import { readSpots } from '../../electron/host/workloads/transport/scenario/spots-file.ts';
import { dicomOf, doseOf, nrrdOf, type Phantom } from '../electron/host/io/volumes/phantom.ts';
import { scratchFolder } from '../scratch-folder.ts';

const folder = scratchFolder('decimal-commas');
const latin = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));
const irregularPhantom: Phantom = {
  ...{ columns: 2, rows: 2, slices: 2, spacing_mm: [1, 2, 3], origin_mm: [-7, 11, -13] },
  hu: (i, j, k) => 100 * i + 10 * j + k,
};

/** The result as text; "refused" for an error, or for a result that reports an issue. */
async function answerOf(read: () => unknown): Promise<string> {
  try {
    const answer = await read();
    const text = JSON.stringify(answer, (_, value: unknown) =>
      ArrayBuffer.isView(value) ? [...(value as unknown as Iterable<number>)] : value,
    );
    return /^\{"ok":false|"(faults|issues)":\[\{|events have no valid time/.test(text) ? 'refused' : text;
  } catch (error) {
    expect(error).toMatchObject({ name: 'BraggError' });
    return 'refused';
  }
}

const shorts = new Uint8Array(Int16Array.from({ length: 8 }, (_, i) => i).buffer);
const volume = (header: string, data: Uint8Array = shorts): unknown => {
  const bytes = new Uint8Array(Buffer.concat([latin(header), data]));
  const head = volumeHeader('v', bytes);
  return head === null ? 'no volume' : decodeVolumeFile('v', bytes, head, []);
};
const meta = (more: string, data?: Uint8Array) =>
  volume(`NDims = 3\nDimSize = 2 2 2\nElementType = MET_SHORT\n${more}ElementDataFile = LOCAL\n`, data);
const nrrd = (changes: Readonly<Record<string, string>>): unknown => {
  const bytes = nrrdOf(irregularPhantom, changes);
  const head = volumeHeader('v', bytes);
  return head === null ? 'no volume' : decodeVolumeFile('v', bytes, head, []);
};
const textVolume = (values: string): unknown =>
  volume(`NRRD0004\ntype: float\ndimension: 2\nsizes: 2 1\nspacings: 1 1\nencoding: ascii\n\n${values}`, latin(''));
const smv = (fields: string): unknown =>
  readImage(
    new Uint8Array(
      Buffer.concat([
        latin(`{\nHEADER_BYTES=512;\nBYTE_ORDER=little_endian;\nSIZE1=2;\nSIZE2=2;\n${fields}}`.padEnd(512)),
        shorts.subarray(0, 8),
      ]),
    ),
    'a.img',
  );
const cbf = (line: string): unknown =>
  readImage(
    new Uint8Array(
      Buffer.concat([
        latin(
          `###CBF\r\n${line}\r\nContent-Type: application/octet-stream; conversions="x-CBF_BYTE_OFFSET"\r\nX-Binary-Element-Type: "signed 32-bit integer"\r\nX-Binary-Size-Fastest-Dimension: 2\r\nX-Binary-Size-Second-Dimension: 1\r\n\r\n`,
        ),
        Uint8Array.of(0x0c, 0x1a, 0x04, 0xd5, 1, 2),
      ]),
    ),
    'a.cbf',
  );
const inFile = <T>(name: string, text: string, read: (file: string) => T): T => {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return read(file);
};
const topas = (depth: string, dose: string): string =>
  `# X in 1 bin of 20 cm\n# Y in 1 bin of 20 cm\n# Z in 2 bins of ${depth} mm\n# DoseToMedium ( Gy ) : Sum\n0, 0, 0, ${dose}\n0, 0, 1, 3\n`;
const shieldHit = (end: string, dose: string, length = 4): string =>
  `# DETECTOR OUTPUT A\n# X BIN: 1 Y BIN: 1 Z BIN: 2\n# JPART: -1 DETECTOR TYPE: DOSE\n# X START: 0 Y START: 0 Z START: 0\n# X END: 1 Y END: 1 Z END: ${end}\n# PRIMARIES: 10\n0 0 ${length / 4} ${dose}\n0 0 ${(3 * length) / 4} 1\n`;
const dicom = (tag: string, value: string): unknown => {
  const bytes = dicomOf(irregularPhantom, 0, { [tag]: ['DS', value] });
  return [readDicomHeader('d', bytes), readDicomPixels('d', bytes)];
};

/** Readers of a good file that has the number at one position. */
const readers: Readonly<Record<string, (number: string) => unknown>> = {
  'depth dose, dose after a semicolon': (x) => readCurveCsv(`depth_mm;dose\n0;1\n1;${x}\n`),
  'depth dose, depth before a semicolon': (x) => readCurveCsv(`depth_mm;dose\n0;1\n${x};2\n`),
  'depth dose, dose after a tab': (x) => readCurveCsv(`depth_mm\tdose\n0\t1\n1\t${x}\n`),
  'depth dose, dose after a space': (x) => readCurveCsv(`depth_mm dose\n0 1\n1 ${x}\n`),
  'depth dose, depth before a space': (x) => readCurveCsv(`0 1\n${x} 2\n`),
  'depth dose, dose after a comma': (x) => readCurveCsv(`depth_mm,dose\n0,1\n1,${x}\n`),
  'depth dose, both between commas': (x) => readCurveCsv(`depth_mm,dose\n0,1\n${x},${x}\n`),
  'TOPAS, dose': (x) => readCurveCsv(topas('5', x)),
  'TOPAS, bins': (x) => readCurveCsv(topas(x, '2')),
  'GATE, dose': (x) => readCurveCsv(`# Matrix Size= (1,1,4)\n# Resol = (1,1,2)\n# VoxelSize = (1,1,2)\n${x}\n2\n`),
  'GATE, sizes': (x) => readCurveCsv(`# Resol = (1,1,2)\n# VoxelSize = (1,1,${x})\n1\n2\n`),
  'FLUKA, dose': (x) => readCurveCsv(` # Detector n:  1 depth\n 0 1 ${x} 0.1\n 1 2 3 0.1\n`, 'cm'),
  'PHITS, dose': (x) =>
    readCurveCsv(
      `x:  z [cm]\ny:  Dose [MeV/source]\nh: n x y(all),l3 n\n# z-lower z-upper all r.err\n 0 1 ${x} 0.1\n 1 2 3 0.1\n`,
    ),
  'SHIELD-HIT12A, dose': (x) => readCurveCsv(shieldHit('4', x)),
  'SHIELD-HIT12A, end': (x) => readCurveCsv(shieldHit(x, '1', Number(x.replace(',', '.')))),
  'dose map, dose': (x) =>
    inFile(`m.csv`, `z_mm,d_at_x_0_mm,d_at_x_1_mm\n0,${x},2\n1,3,4\n`, (file) => readDoseFile(file, {}, null)),
  'reflections between spaces': (x) => readHkl(`1 0 0 ${x}\n`),
  'reflections between semicolons': (x) => readHkl(`h;k;l;F\n1;0;0;${x}\n`),
  'reflections between commas': (x) => readHkl(`h,k,l,F\n1,0,0,${x}\n`),
  'reflections without a header between commas': (x) => readHkl(`1,0,0,${x}\n`),
  'intensities with sigma': (x) => readHkl(`h k l I sigma\n1 0 0 9 ${x}\n1 0 1 ${x} 1\n`),
  XDS: (x) =>
    readHkl(
      `!FORMAT=XDS_ASCII MERGE=FALSE FRIEDEL'S_LAW=FALSE\n!ITEM_H=1\n!ITEM_K=2\n!ITEM_L=3\n!ITEM_IOBS=4\n!ITEM_SIGMA(IOBS)=5\n!END_OF_HEADER\n1 0 0 ${x} 1\n!END_OF_DATA\n`,
    ),
  'stopping table': (x) => readStoppingCsv(`T_MeV,S\n1,260\n2,${x}\n3,100\n4,90\n`, 'a.csv'),
  spots: (x) =>
    inFile(`s-${x}.csv`, `energy_MeV,x_mm,weight\n70,${x},1\n`, (file) =>
      readSpots(path.basename(file), { name: 'a.json', folder }),
    ),
  'list of energies': (x) => parseEnergies(`70;${x};200`),
  'list of energies, one per line': (x) => parseEnergies(`70\n${x}\n200\n`),
  'ncu, long': (x) =>
    readNcuCsv(`"ID","Metric Name","Metric Unit","Metric Value"\n"0","lts__t_bytes.sum","Mbyte","${x}"`, 'n'),
  'ncu, wide': (x) => readNcuCsv(`"ID","Kernel Name","lts__t_bytes.sum"\n"","","Mbyte"\n"0","k","${x}"`, 'n'),
  'Kernel Tuner, time as text': (x) =>
    parseTuning({ text: `{"tune_params_keys":["t"],"cache":{"8":{"t":8,"time":"${x}"}}}`, name: 'k' }),
  'Chrome trace, time as text': (x) =>
    inFile(
      `t.json`,
      `{"traceEvents":[{"ph":"X","ts":"0","dur":5,"name":"a","pid":1,"tid":1},{"ph":"X","ts":"${x}","dur":5,"name":"b","pid":1,"tid":1}]}`,
      async (file) => {
        const { start, duration, notes } = await openTrace(file, 'trace.json');
        return { start, duration, notes };
      },
    ),
  'MetaImage, spacing': (x) => meta(`ElementSpacing = 1 ${x} 3\n`),
  'MetaImage, offset': (x) => meta(`Offset = 1 2 ${x}\n`),
  'MetaImage, values': (x) =>
    volume(
      'NDims = 2\nDimSize = 2 1\nElementType = MET_FLOAT\nBinaryData = False\nElementDataFile = LOCAL\n',
      latin(`${x} 2`),
    ),
  'MetaImage, one value in place of two': (x) =>
    volume(
      'NDims = 2\nDimSize = 2 1\nElementType = MET_FLOAT\nBinaryData = False\nElementDataFile = LOCAL\n',
      latin(x),
    ),
  'NRRD, spacings': (x) =>
    volume(`NRRD0004\ntype: short\ndimension: 3\nsizes: 2 2 2\nspacings: 1 ${x} 1\nencoding: raw\nendian: little\n\n`),
  'NRRD, directions': (x) => nrrd({ 'space directions': `(${x},0,0) (0,1,0) (0,0,1)` }),
  'NRRD, origin': (x) => nrrd({ 'space origin': `(${x},0,0)` }),
  'NRRD, values': (x) => textVolume(`${x} 2`),
  'NRRD, one value in place of two': (x) => textVolume(x),
  'DICOM, slope': (x) => dicom('00281053', x),
  'DICOM, spacing': (x) => dicom('00280030', `${x}\\1`),
  'DICOM, position': (x) => dicom('00200032', `0\\${x}\\1`),
  'RT Dose, scaling': (x) => readDicomDose('d', doseOf(irregularPhantom, { '3004000e': ['DS', x] })),
  'RT Dose, offsets': (x) => readDicomDose('d', doseOf(irregularPhantom, { '3004000c': ['DS', `0\\${x}`] })),
  'SMV, distance': (x) => smv(`DISTANCE=${x};\n`),
  'SMV, saturation': (x) => smv(`CCD_IMAGE_SATURATION=${x};\n`),
  'd*TREK, numbers': (x) => smv(`GONIO_VALUES=0 0 0 0 0 ${x};\n`),
  'CBF, wavelength': (x) => cbf(`# Wavelength ${x} A`),
  'CBF, distance': (x) => cbf(`# Detector_distance ${x} m`),
  'CBF, pixels': (x) => cbf(`# Pixel_size ${x} m x ${x} m`),
  'CBF, cutoff': (x) => cbf(`# Count_cutoff ${x} counts`),
  'imgCIF, overload': (x) => cbf(`_array_intensities.overload ${x}`),
};

/** Numbers above 1 with one to four decimals. */
const decimals = fc
  .tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 9999 }))
  .map(([whole, part]) => `${whole}.${String(part).replace(/0+$/, '') || '5'}`);

test.each(Object.entries(readers))('decimal comma in %s', async (_, read) => {
  // The unchanged file must be accepted, so that a reader that rejects all files fails the test.
  if (!/in place of two/.test(_)) expect(await answerOf(() => read('3.5'))).not.toBe('refused');
  await fc.assert(
    fc.asyncProperty(decimals, async (point) => {
      const [right, comma] = [await answerOf(() => read(point)), await answerOf(() => read(point.replace('.', ',')))];
      if (comma !== 'refused') expect(comma).toBe(right);
    }),
    { numRuns: 25 },
  );
});
