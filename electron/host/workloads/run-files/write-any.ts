/** How a run of each workload is written. */
import type { AnyRunData } from '../run-data.ts';
import { writeTaskRun } from '../task/task-file.ts';
import { writeImageRun } from './image-write.ts';
import { writeRun } from './write.ts';

type Writers = {
  readonly [W in AnyRunData['workload']]: (run: Extract<AnyRunData, { workload: W }>) => Promise<Uint8Array>;
};

const writers: Writers = {
  transport: writeRun,
  diffraction: writeImageRun,
  'linear-relu': writeTaskRun,
  micro: writeTaskRun,
};

export function writeAnyRun<W extends AnyRunData['workload']>(
  run: Extract<AnyRunData, { workload: W }>,
): Promise<Uint8Array> {
  return (writers[run.workload as W] as (one: typeof run) => Promise<Uint8Array>)(run);
}
