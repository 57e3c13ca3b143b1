/** The result of a run of any workload. */
import { BraggError } from '../../contract/errors.ts';
import type { RunData } from '../runs/run-data.ts';
import type { ImageRunData } from './diffraction/image-data.ts';

export type AnyRunData = RunData | ImageRunData;

/** Of a run without a mark it is transport, the first workload. */
export function isImageRun(run: AnyRunData): run is ImageRunData {
  return 'workload' in run && run.workload === 'diffraction';
}

/** Throws BraggError `foreign-file`, with the file's `name` in its message, for a run of another workload. */
export function asTransportRun(run: AnyRunData, name: string): RunData {
  if (!isImageRun(run)) return run;
  const reason = 'it holds a diffraction image, which braggbench export writes as an image file';
  throw new BraggError('foreign-file', `${name} cannot be opened as a transport run: ${reason}.`);
}
