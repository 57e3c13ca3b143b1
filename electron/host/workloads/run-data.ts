/** The result of a run of any workload. */
import { BraggError } from '../../contract/errors.ts';
import type { ImageRunData } from './diffraction/image-data.ts';
import type { TaskRunData } from './task/task-data.ts';
import type { RunData } from './transport/run-data.ts';

/** A further workload is one entry here; each carries its name. */
export type AnyRunData = RunData | ImageRunData | TaskRunData;

export function isImageRun(run: AnyRunData): run is ImageRunData {
  return run.workload === 'diffraction';
}

const taskReason = 'it holds a measurement of small workloads, which the page and braggbench replay show';
/** What a file of another workload holds, and where it goes. */
const other: Readonly<Record<Exclude<AnyRunData['workload'], 'transport'>, string>> = {
  diffraction: 'it holds a diffraction image, which braggbench export writes as an image file',
  'linear-relu': taskReason,
  micro: taskReason,
};

/** Throws BraggError `foreign-file`, with the file's `name` in its message, for a run of another workload. */
export function asTransportRun(run: AnyRunData, name: string): RunData {
  if (run.workload === 'transport') return run;
  const reason = other[run.workload];
  throw new BraggError('foreign-file', `${name} cannot be opened as a transport run: ${reason}.`);
}

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
