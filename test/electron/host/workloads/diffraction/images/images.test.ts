/** Image files, read back byte by byte as other programs do. */
import type { Dataset } from 'h5wasm';
import { beforeAll, expect, test } from 'vitest';
import type { DiffractionScenario } from '../../../../../../electron/contract/scenario/index.ts';
import { runPacker } from '../../../../../../electron/host/app/run-files/packer.ts';
import { openFile } from '../../../../../../electron/host/io/hdf5/h5.ts';
import type { ImageRunData } from '../../../../../../electron/host/workloads/diffraction/image-data.ts';
import { isImageRun } from '../../../../../../electron/host/workloads/diffraction/image-data.ts';
import { imageFigure, imageFile } from '../../../../../../electron/host/workloads/diffraction/images/index.ts';
import { counts } from '../../../../../../electron/host/workloads/diffraction/images/pixels.ts';
import { smvHeader } from '../../../../../../electron/host/workloads/diffraction/images/smv.ts';
import { openedAs } from '../../../../../../electron/host/workloads/index.ts';
import { renderDocument } from '../../image.ts';
import { smallImage } from '../../small-image.ts';

let run: ImageRunData;
beforeAll(async () => {
  run = await renderDocument(smallImage);
});

test('counts: the largest pixel is 55040, no photon 40, halves round up', () => {
  expect([...counts(Float32Array.of(0, 1, 2, 4)).counts]).toEqual([40, 13790, 27540, 55040]);
  expect([...counts(new Float32Array(3)).counts]).toEqual([40, 40, 40]);
});

test('SMV: a header of 512 bytes, then the rows', () => {
  const bytes = imageFile(run, 'small.img');
  const header = Buffer.from(bytes.subarray(0, 512)).toString('latin1');
  expect(
    header.startsWith(
      '{\nHEADER_BYTES=512;\nDIM=2;\nBYTE_ORDER=little_endian;\nTYPE=unsigned_short;\nSIZE1=32;\nSIZE2=24;\n',
    ),
  ).toBe(true);
  for (const line of [
    'PIXEL_SIZE=0.1;',
    'DISTANCE=100;',
    'WAVELENGTH=6.2;',
    'BEAM_CENTER_X=1.25;',
    'BEAM_CENTER_Y=1.65;',
    'XDS_ORGX=17.5;',
    'XDS_ORGY=13.5;',
    'PHI=0;',
    'OSC_RANGE=0;',
  ]) {
    expect(header).toContain(`\n${line}\n`);
  }
  expect(header).toMatch(/\n\}\f *$/);
  expect(bytes.length).toBe(512 + 2 * 32 * 24);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const wanted = counts(run.image).counts;
  expect([0, 1, 32, 767].map((i) => view.getUint16(512 + 2 * i, true))).toEqual([0, 1, 32, 767].map((i) => wanted[i]));
});

test('the SMV header fits its 512 bytes with the longest numbers', () => {
  const scenario = run.completeScenario as unknown as DiffractionScenario;
  const third = 100 / 3;
  const detector = {
    ...scenario.detector,
    pixel_mm: 0.1234567,
    distance_mm: third,
    beam_x_mm: -third,
    beam_y_mm: third,
  };
  const rotation = { phi_deg: -third, oscillation_deg: third, steps: 1 };
  expect(smvHeader({ ...scenario, detector, rotation }).length).toBe(512);
});

/** A baseline TIFF's entries: tag → value, and its one strip. */
function tiff(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  expect(Buffer.from(bytes.subarray(0, 4)).toString('hex')).toBe('49492a00');
  const at = view.getUint32(4, true);
  const tags = new Map<number, number>();
  for (let i = 0; i < view.getUint16(at, true); i += 1) {
    const entry = at + 2 + 12 * i;
    const short = view.getUint16(entry + 2, true) === 3;
    tags.set(view.getUint16(entry, true), short ? view.getUint16(entry + 8, true) : view.getUint32(entry + 8, true));
  }
  expect([...tags.keys()]).toEqual([...tags.keys()].sort((x, y) => x - y));
  const start = tags.get(273) ?? 0;
  return { tags, strip: new DataView(bytes.buffer, bytes.byteOffset + start, tags.get(279)) };
}

test('TIFF: photons of 32 bits, or counts of 16', () => {
  const float = tiff(imageFile(run, 'small.tif'));
  expect([256, 257, 258, 259, 339].map((tag) => float.tags.get(tag))).toEqual([32, 24, 32, 1, 3]);
  expect(float.strip.byteLength).toBe(4 * 32 * 24);
  expect(float.strip.getFloat32(4 * 400, true)).toBe(run.image[400]);
  const short = tiff(imageFile(run, 'small.tiff', 16));
  expect([258, 339].map((tag) => short.tags.get(tag))).toEqual([16, 1]);
  expect(short.strip.getUint16(2 * 400, true)).toBe(counts(run.image).counts[400]);
});

test('raw: the pixels and nothing else', () => {
  const bytes = imageFile(run, 'small.bin');
  expect(new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))).toEqual(run.image);
});

test('other names and depths are refused with what is allowed', () => {
  expect(() => imageFile(run, 'small.png')).toThrow('.png is no image format; allowed: .img, .tif, .tiff, .bin, .raw');
  expect(() => imageFile(run, 'small.img', 32)).toThrow('SMV has no 32 bits; allowed: 16');
});

test('a run file keeps the image and everything beside it', async () => {
  const bytes = await runPacker.write(run);
  const back = await runPacker.read(bytes, 'small.h5');
  if (!isImageRun(back)) throw new Error('not an image');
  expect(back).toEqual(run);
  expect(() => openedAs('transport', back, 'small.h5')).toThrow(
    'small.h5 cannot be opened as a transport run: it holds a diffraction image',
  );
});

test('HDF5: photons over the detector, with axes that other programs find', async () => {
  const bytes = await runPacker.figure(imageFigure(run));
  await openFile(bytes, (file) => {
    const image = file.get('image') as Dataset;
    expect(image.shape).toEqual([run.height, run.width]);
    expect([...(image.value as Float32Array)]).toEqual([...run.image]);
    expect(image.attrs['units']?.value).toBe('photons');
    expect(image.get_attached_scales(0)).toEqual(['/slow']);
    expect((file.get('fast') as Dataset).slice([[0, 2]])).toEqual(Float64Array.of(0.05, 0.15000000000000002));
    expect(file.attrs['wavelength_A']?.value).toBe(6.2);
  });
});
