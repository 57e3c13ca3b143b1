/** The files of runs of small measured workloads: their sessions. */
import type { AnyRunData } from '../run-data.ts';
import type { RunFacts, SessionRunFile } from '../run-files/run-file.ts';
import { asTaskRun, bestOf, type TaskRunData } from './task-data.ts';
import { isTaskFile, readTaskRun, writeTaskRun } from './task-file.ts';

function taskFacts({
  workload,
  name,
  scenario,
  variant,
  precision,
  status,
  machine,
  wall_s,
  session,
}: TaskRunData): RunFacts {
  const best = bestOf(session);
  const result = best === null ? null : `${(1 / best.ratio.value).toPrecision(3)} × with ${best.label}`;
  return { workload, name, scenario, variant, precision, status, device: machine.device ?? 'cpu', result, wall_s };
}

export const taskRunFile: SessionRunFile = {
  format: 'session',
  is: isTaskFile,
  read: readTaskRun,
  write: (run: AnyRunData) => writeTaskRun(asTaskRun(run)),
  facts: (run: AnyRunData) => taskFacts(asTaskRun(run)),
  holds: 'it holds a measurement of small workloads, which the page and braggbench replay show',
};
