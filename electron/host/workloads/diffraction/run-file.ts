/** The files of diffraction images. */
import { runOf } from '../run-data.ts';
import type { Hdf5RunFile } from '../run-files/run-file.ts';
import { readImageRun } from './run-file-read.ts';
import { writeImageRun } from './run-file-write.ts';

export const imageRunFile: Hdf5RunFile = {
  format: 'hdf5',
  read: readImageRun,
  write: (run) => writeImageRun(runOf('diffraction', run)),
  result: (f) => {
    const [height, width] = f.size('image');
    return `${width} × ${height} pixels`;
  },
  holds: 'it holds a diffraction image, which braggbench export writes as an image file',
};
