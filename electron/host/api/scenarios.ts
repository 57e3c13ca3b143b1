/** Host functions of the command line: scenarios and workloads. */

export type { BeamReadouts, SolvedBeam } from '../app/batches/batches.ts';
export { type ReadoutColumn, readoutColumns } from '../io/addon/beam-block.ts';
export {
  allVariants,
  hostWorkloads,
  kernelFoldersOf,
  requireWorkload,
  rulesOf,
  timelineOf,
} from '../workloads/index.ts';
export type { AnyRunData } from '../workloads/run-data.ts';
export {
  checkWritable,
  engineErrorWithIssue,
  engineIssue,
  invalidScenarioError,
  type Override,
  parseOverride,
  problemOf,
  type ScenarioReading,
  type TaskReading,
  writeAtomically,
} from '../workloads/scenarios/scenarios.ts';
export type { ResourceNeeds } from '../workloads/workload.ts';
