/** Export formats of a diffraction run. */

import { csvText } from '../../../contract/csv.ts';
import { type DiffractionScenario, imageGeometry } from '../../../contract/scenario/index.ts';
import type { Packer } from '../run-files/run-file.ts';
import { stem } from '../stem.ts';
import type { ExportedFile } from '../workload.ts';
import type { ImageRunData } from './image-data.ts';
import { imageFile } from './images/index.ts';
import { imagePeaks } from './peaks.ts';
import { imageSummary } from './summary.ts';

const PEAKS = 1000;
const text = (words: string): Uint8Array => new TextEncoder().encode(words);

const peakColumns = 'pixel_fast,pixel_slow,fast,slow,photons,h,k,l,resolution_A,twotheta_deg'.split(',');

function peaksTable(run: ImageRunData): string {
  // A run of an older version may lack what its geometry needs: that is said where it is read.
  imageGeometry(run.completeScenario as unknown as DiffractionScenario);
  const rows = imagePeaks(run, PEAKS).map(({ pixel, fast, slow, photons, h, k, l, resolution_A, twotheta_deg }) => [
    ...pixel,
    fast,
    slow,
    photons,
    h,
    k,
    l,
    resolution_A,
    twotheta_deg,
  ]);
  return csvText(peakColumns, rows);
}

type Writer = (run: ImageRunData, packer: Packer) => Promise<Uint8Array> | Uint8Array;

const writers: Readonly<Record<string, { readonly ending: string; readonly mime: string; readonly write: Writer }>> = {
  run: { ending: '.h5', mime: 'application/x-hdf5', write: (run, packer) => packer.write(run) },
  smv: { ending: '.img', mime: 'application/octet-stream', write: (run) => imageFile(run, 'image.img') },
  tiff: { ending: '.tif', mime: 'image/tiff', write: (run) => imageFile(run, 'image.tif', 32) },
  tiff16: { ending: '-16.tif', mime: 'image/tiff', write: (run) => imageFile(run, 'image.tif', 16) },
  raw: { ending: '.bin', mime: 'application/octet-stream', write: (run) => imageFile(run, 'image.bin') },
  peaks: { ending: '-peaks.csv', mime: 'text/csv', write: (run) => text(peaksTable(run)) },
  summary: {
    ending: '-summary.json',
    mime: 'application/json',
    write: (run) => text(`${JSON.stringify(imageSummary(run), null, 2)}\n`),
  },
};

export async function exportImage(run: ImageRunData, what: string, packer: Packer): Promise<ExportedFile> {
  const writer = writers[what];
  if (writer === undefined) throw new Error(`a diffraction run has no ${what}`);
  return { name: `${stem(run.name)}${writer.ending}`, mime: writer.mime, bytes: await writer.write(run, packer) };
}
