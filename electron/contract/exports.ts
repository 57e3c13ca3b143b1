/** What a run of each workload can be written as, in the order of menus; a further workload is one entry here. */
import { eachTask } from './task.ts';
import type { WorkloadName } from './workload.ts';

export interface ExportChoice {
  readonly id: string;
  readonly title: string;
}

const taskExports: readonly ExportChoice[] = [
  { id: 'table', title: 'Variants (CSV)' },
  { id: 'run', title: 'Everything (JSON)' },
];

export const exportsOf: Readonly<Record<WorkloadName, readonly ExportChoice[]>> = {
  transport: [
    { id: 'dose', title: 'Dose map (CSV)' },
    { id: 'depth-dose', title: 'Depth dose (CSV)' },
    { id: 'moments', title: 'Moments of the fluence (CSV)' },
    { id: 'ledger', title: 'Ledger (CSV)' },
    { id: 'summary', title: 'Summary (JSON)' },
    { id: 'run', title: 'Everything (HDF5)' },
  ],
  diffraction: [
    { id: 'smv', title: 'SMV image, 16 bits (.img)' },
    { id: 'tiff', title: 'TIFF, 32-bit photons' },
    { id: 'tiff16', title: 'TIFF, 16-bit counts' },
    { id: 'raw', title: 'Raw float32, slow · width + fast' },
    { id: 'peaks', title: 'Peaks (CSV)' },
    { id: 'summary', title: 'Summary (JSON)' },
    { id: 'run', title: 'Everything (HDF5)' },
  ],
  ...eachTask(() => taskExports),
};

/** How the file that holds a whole run is called. */
export const runEndings: Readonly<Record<WorkloadName, string>> = {
  transport: '.h5',
  diffraction: '.h5',
  ...eachTask(() => '.task.json'),
};

/** Files that hold runs, by the end of their names. */
export const allRunEndings: readonly string[] = [...new Set(Object.values(runEndings))];
