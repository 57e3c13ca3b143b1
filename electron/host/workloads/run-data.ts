/** Result of a run of any workload. */
import { BraggError } from '../../contract/errors.ts';
import type { ImageRunData } from './diffraction/image-data.ts';
import type { TaskRunData } from './task/task-data.ts';
import type { RunData } from './transport/run-data.ts';

/** Data of a run, discriminated by the name of its workload. */
export type AnyRunData = RunData | ImageRunData | TaskRunData;

/** Returns the run if it belongs to `workload`. Throws BraggError `unsupported` otherwise. */
export function runOf<W extends AnyRunData['workload']>(
  workload: W,
  run: AnyRunData,
): Extract<AnyRunData, { workload: W }> {
  const found: AnyRunData = run;
  if (found.workload === workload) return found as Extract<AnyRunData, { workload: W }>;
  throw new BraggError('unsupported', `${run.name} is a run of ${run.workload}, not of ${workload}.`);
}

/** Converts the name of a run to a file name that is valid on every system. */
export function fileNameStem(name: string): string {
  const plain = name.normalize('NFKD').replace(/[^A-Za-z0-9._-]+/g, '-');
  return plain.replace(/^[-.]+|[-.]+$/g, '').slice(0, 80) || 'run';
}
