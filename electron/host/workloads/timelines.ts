/** What the timeline of each workload's run is made from. */
import type { RunTimeline } from '../model/timeline/import/run.ts';
import { imageTimeline } from './diffraction/timeline.ts';
import type { AnyRunData } from './run-data.ts';
import { taskTimeline } from './task/timeline.ts';
import { transportTimeline } from './transport/timeline.ts';

/** Bytes that a variant declares to move for a cell and step; 0 when unknown. */
export type DeclaredBytes = (variant: string) => number;

type Timelines = {
  readonly [W in AnyRunData['workload']]: (
    run: Extract<AnyRunData, { workload: W }>,
    declared: DeclaredBytes,
  ) => RunTimeline;
};

const timelines: Timelines = {
  transport: transportTimeline,
  diffraction: imageTimeline,
  'linear-relu': taskTimeline,
  micro: taskTimeline,
};

export function timelineOf<W extends AnyRunData['workload']>(
  run: Extract<AnyRunData, { workload: W }>,
  declared: DeclaredBytes = () => 0,
): RunTimeline {
  return (timelines[run.workload as W] as (one: typeof run, declared: DeclaredBytes) => RunTimeline)(run, declared);
}
