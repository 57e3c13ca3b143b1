/**
 * Volumes that the program writes, opened by pydicom, SimpleITK and plastimatch: the same values at the same places. Skipped
 * where they are not installed. Debian has python3-pydicom and plastimatch, which reads by ITK; SimpleITK is on PyPI alone.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readDicomDose, readDicomHeader, readDicomPixels } from '../../../../../electron/host/io/volumes/dicom.ts';
import { rtDoseBytes } from '../../../../../electron/host/io/volumes/dicom-write.ts';
import { volumeHeader, volumeIn } from '../../../../../electron/host/io/volumes/volume-file.ts';
import { metaImageBytes, nrrdBytes } from '../../../../../electron/host/io/volumes/write.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';

const folder = scratchFolder('volumes-python');
/** The system's Python first: Debian's packages belong to it. */
const pythonWith = (module: string): string | null =>
  ['/usr/bin/python3', 'python3'].find((one) => spawnSync(one, ['-c', `import ${module}`]).status === 0) ?? null;
const [pydicom, simpleItk] = [pythonWith('pydicom'), pythonWith('SimpleITK')];
const plastimatch = spawnSync('plastimatch', ['--version']).status === 0 ? 'plastimatch' : null;

const volume = {
  sizes: [4, 3, 2],
  spacing_mm: [1.5, 2, 2.5],
  origin_mm: [-10, 20, 30.5],
  values: Float64Array.from({ length: 24 }, (_, i) => 0.25 * i),
};

/** x to the back, depth to the right, y to the head: a beam from the left. */
const turned = [
  [0, 1, 0],
  [-1, 0, 0],
  [0, 0, 1],
] as const;

function python(program: string | null, script: string, file: string): unknown {
  const { status, stdout, stderr } = spawnSync(program ?? 'python3', ['-c', script, file], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout);
}

test.skipIf(pydicom === null)('pydicom reads RT Dose with its places, units and every value (needs pydicom)', () => {
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
  const found = python(pydicom, script, file) as { values: number[] };
  expect(found).toMatchObject({
    ...{ modality: 'RTDOSE', units: 'GY', size: [4, 3, 2], spacing: [2, 1.5], origin: [-10, 20, 30.5] },
    ...{ offsets: [0, 2.5], pointer: 0x3004000c, syntax: '1.2.840.10008.1.2.1', same: true, valid: true },
  });
  for (const [i, value] of found.values.entries()) expect(value).toBeCloseTo(0.25 * i, 8);
});

test.skipIf(pydicom === null)('CT and RT Dose files of pydicom have its values and places (needs pydicom)', () => {
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
  const files = python(pydicom, script, '') as {
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
});

test.skipIf(pydicom === null)('pydicom reads the directions of RT Dose in a CT (needs pydicom)', () => {
  const file = path.join(folder, 'turned.dcm');
  writeFileSync(file, rtDoseBytes({ ...volume, directions: turned }, { content: 'dose', frame: null }));
  const script = `
import json, sys, pydicom
d = pydicom.dcmread(sys.argv[1])
print(json.dumps([float(v) for v in d.ImageOrientationPatient]))`;
  expect(python(pydicom, script, file)).toEqual([0, 1, 0, -1, 0, 0]);
});

test.skipIf(plastimatch === null).each([
  ['turned.mha', metaImageBytes({ ...volume, directions: turned }, { content: 'dose' })],
  ['turned.nrrd', nrrdBytes({ ...volume, directions: turned }, { content: 'dose' })],
  ['plain.mha', metaImageBytes(volume, { content: 'dose' })],
  ['plain.nrrd', nrrdBytes(volume, { content: 'dose' })],
])('plastimatch, by ITK, reads %s with its places and values (needs plastimatch)', (name, bytes) => {
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
  const probed = spawnSync('plastimatch', ['probe', '--index', '0 0 0;3 0 0;0 2 0;3 2 1', file], { encoding: 'utf8' });
  const values = probed.stdout.match(/(?<=; )[-\d.e+]+(?=\s*$)/gm)?.map(Number);
  expect(values, probed.stdout).toEqual([0, 0.75, 2, 5.75]);
});

test.skipIf(plastimatch === null)('plastimatch reads RT Dose with its places and values (needs plastimatch)', () => {
  const [file, out] = [path.join(folder, 'plan.dcm'), path.join(folder, 'plan.mha')];
  writeFileSync(file, rtDoseBytes(volume, { content: 'dose', frame: null }));
  const asked = ['convert', '--input-dose-img', file, '--output-dose-img', out];
  const converted = spawnSync('plastimatch', asked, { encoding: 'utf8' });
  expect(converted.status, converted.stderr).toBe(0);
  const bytes = new Uint8Array(readFileSync(out));
  const header = volumeHeader(out, bytes) ?? expect.fail('plastimatch wrote no volume');
  const read = volumeIn(out, bytes, header, []);
  expect([read.sizes, read.spacing_mm, read.origin_mm]).toEqual([
    [4, 3, 2],
    [1.5, 2, 2.5],
    [-10, 20, 30.5],
  ]);
  for (const [i, value] of read.values.entries()) expect(value).toBeCloseTo(0.25 * i, 5);
});

test.skipIf(simpleItk === null).each([
  ['dose.mha', metaImageBytes(volume, { content: 'dose' })],
  ['dose.nrrd', nrrdBytes(volume, { content: 'dose' })],
  ['dose.dcm', rtDoseBytes(volume, { content: 'dose', frame: null })],
])('SimpleITK reads %s with its places and every value (needs SimpleITK)', (name, bytes) => {
  const file = path.join(folder, name);
  writeFileSync(file, bytes);
  const script = `
import json, sys, SimpleITK as sitk
i = sitk.ReadImage(sys.argv[1])
print(json.dumps({'size': i.GetSize(), 'spacing': i.GetSpacing(), 'origin': i.GetOrigin(), 'direction': i.GetDirection(),
  'values': [float(v) for v in sitk.GetArrayFromImage(i).ravel()]}))`;
  const found = python(simpleItk, script, file) as { values: number[] };
  expect(found).toMatchObject({
    ...{ size: [4, 3, 2], spacing: [1.5, 2, 2.5], origin: [-10, 20, 30.5], direction: [1, 0, 0, 0, 1, 0, 0, 0, 1] },
  });
  for (const [i, value] of found.values.entries()) expect(value).toBeCloseTo(0.25 * i, 8);
});
