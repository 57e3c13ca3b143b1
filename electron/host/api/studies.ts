/** Host functions of the command line: studies, tuning, clusters and other machines. */

export { Connection } from '../app/remote/connection.ts';
export { PROBE_SCRIPT, type ProbeResult, readProbe } from '../app/remote/probe.ts';
export { folderName, installProgram, packProgram, programSource } from '../app/remote/program.ts';
export { checkedHost, OUTPUT_MARK, outputAfterMark, type PromptMode, Ssh } from '../app/remote/ssh.ts';
export { describeCluster, solveOnCluster, stopOnCluster, throwIfSearch } from '../app/studies/cluster/engine.ts';
export {
  entireMachine,
  type LocalOptions,
  type StudyOutcome,
  type StudyProgress,
  solveLocally,
} from '../app/studies/local/engine.ts';
export type { Share } from '../app/studies/local/groups.ts';
export {
  defaultFolder,
  forecastOf,
  lockStudy,
  MAX_CHECKED,
  meanSeconds,
  type PlannedStudy,
  plannedFolder,
  planStudy,
  savePlan,
  unsolvedPoints,
} from '../app/studies/plan.ts';
export { collectTable, readRows } from '../app/studies/results.ts';
export { SlurmEngine } from '../app/studies/slurm/engine.ts';
export { Slurm } from '../app/studies/slurm/slurm.ts';
export { quoteForShell, solveTask } from '../app/studies/slurm/task.ts';
export { type StudyStatus, statusOf } from '../app/studies/status.ts';
export {
  BEST_FILE,
  type PointMeasurer,
  type Search,
  type TuneOutcome,
  timeOf,
  tuneLocally,
  variantOf,
} from '../app/tuning/evaluator.ts';
export { importStudy, tuningResultsOf } from '../app/tuning/transfer.ts';
export { isStudyFolder, StudyFolder } from '../model/studies/folder.ts';
export { writeTarget } from '../model/studies/folder-state.ts';
export type { StudyPoint } from '../model/studies/points.ts';
export { columnTitle, type StudyTable, tableCsv, tableHdf5, tableNotes, tableParquet } from '../model/studies/table.ts';
export { readConstants } from '../model/tuning/constants.ts';
export { kernelTunerText, type TuningResults } from '../model/tuning/files/kernel-tuner.ts';
export { readTuning, t4Text } from '../model/tuning/files/t4.ts';
