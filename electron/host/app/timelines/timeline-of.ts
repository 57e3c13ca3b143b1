/** Timeline of a run, built by its workload. */
import type { RunTimeline } from '../../model/timeline/import/run.ts';
import type { DeclaredBytes } from '../../workloads/declared-bytes.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import type { AnyRunData } from '../../workloads/run-data.ts';

export function timelineOf(run: AnyRunData, declared: DeclaredBytes = () => 0): RunTimeline {
  return hostWorkloads[run.workload].timeline(run, declared);
}
