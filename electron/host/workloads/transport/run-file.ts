/** The files of transport runs. */
import { runOf } from '../run-data.ts';
import type { Hdf5RunFile } from '../run-files/run-file.ts';
import { readTransportRun } from './run-file-read.ts';
import { writeRun } from './run-file-write.ts';

export const transportRunFile: Hdf5RunFile = {
  format: 'hdf5',
  read: readTransportRun,
  write: (run) => writeRun(runOf('transport', run)),
  result: (f) => {
    const r80 = f.number('metrics', 'r80_mm');
    // NaN stands for a dose that has no R80.
    return Number.isFinite(r80) ? `R80 ${r80.toFixed(2)} mm` : null;
  },
  holds: 'it holds a run of proton transport',
};
