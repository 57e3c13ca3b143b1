/** The result of a run of any workload. */
import { BraggError } from '../../contract/errors.ts';
import type { ImageRunData } from './diffraction/image-data.ts';
import type { TaskRunData } from './task/task-data.ts';
import type { RunData } from './transport/run-data.ts';

/** Each carries the name of its workload. */
export type AnyRunData = RunData | ImageRunData | TaskRunData;

/** The run as one of `workload`. Throws BraggError `unsupported` for one of another. */
export function runOf<W extends AnyRunData['workload']>(
  workload: W,
  run: AnyRunData,
): Extract<AnyRunData, { workload: W }> {
  const found: AnyRunData = run;
  if (found.workload === workload) return found as Extract<AnyRunData, { workload: W }>;
  throw new BraggError('unsupported', `${run.name} is a run of ${run.workload}, not of ${workload}.`);
}
