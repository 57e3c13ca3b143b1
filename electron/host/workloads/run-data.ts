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

/** Bytes that the arrays in a value take in memory. */
export function sizeOf(value: unknown): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, part) => sum + sizeOf(part), 0);
}
