/** Host functions of the command line: scenarios and workloads. */

export type { SolvedBeam } from '../app/batches/batches.ts';
export { allVariants, hostWorkloads, kernelFoldersOf, openedAs, rulesOf, timelineOf } from '../workloads/index.ts';
export type { AnyRunData } from '../workloads/run-data.ts';
export {
  checkWritable,
  engineIssue,
  engineRefusal,
  type Override,
  parseOverride,
  problemOf,
  refusalOf,
  type ScenarioReading,
  type TaskReading,
  writeAtomically,
} from '../workloads/scenarios/scenarios.ts';
export type { ResourceNeeds } from '../workloads/workload.ts';
