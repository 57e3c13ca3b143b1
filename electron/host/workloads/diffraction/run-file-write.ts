/** A diffraction run as the bytes of an HDF5 file; the layout is in layout.ts. */

import { createFile } from '../../io/hdf5/h5.ts';
import { put, putValues } from '../../io/hdf5/put.ts';
import { putHead } from '../run-files/head.ts';
import { putRecording } from '../run-files/recording.ts';
import { putSetup } from '../run-files/setup.ts';
import type { ImageRunData } from './image-data.ts';

export function writeImageRun(run: ImageRunData): Promise<Uint8Array> {
  return createFile((file) => {
    putHead(file, run.workload, run);
    const { variant, precision, isa, threads, oversample, sources, orientations, layers } = run;
    putValues(file, 'engine', { variant, precision, isa, threads, oversample, sources, orientations, layers });
    const { done, wall_s, setup_s, solve_s, device_s, terms, scratch_bytes, peak_rss_bytes } = run;
    putValues(file, 'timing', { done, wall_s, setup_s, solve_s, device_s, terms, scratch_bytes, peak_rss_bytes });
    putSetup(file, run);
    put(file, 'image', run.image, [run.height, run.width], {
      units: 'photons',
      long_name: 'photons per pixel',
      axes: ['slow', 'fast'],
    });
    putRecording(file, run);
  });
}
