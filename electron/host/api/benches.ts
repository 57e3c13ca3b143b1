/** Host functions of the command line: benchmarks, sessions, comparisons and claims. */

export { decisionsOf } from '../app/benches/decision.ts';
export { historyOf, ratioToEarlier, trendOf } from '../app/benches/history.ts';
export { claimTable } from '../app/claim-table/index.ts';
export { type ComparedRun, compareRuns } from '../app/compare/compare.ts';
export { reportRows } from '../app/compare/rows.ts';
export { deriveSession, readCurrentRules, readSessionNamed, withoutRecordings } from '../app/sessions/index.ts';
export type { BenchmarkId } from '../model/bench/claims.ts';
export { bootstrapRatio, groupByInstance, pairedRatio } from '../model/bench/comparison.ts';
export { runnableDesigns } from '../model/bench/factorial/effects.ts';
export { devicesWithCeilings, kernelFolders } from '../model/bench/machine.ts';
export { sessionText } from '../model/bench/session-file.ts';
export { median, unpairedRatioInterval } from '../model/bench/statistics.ts';
export { type BenchLimits, type BenchProgress, createLimits, maxRounds } from '../model/bench/stopping.ts';
export { readNcuCsv } from '../model/counters/ncu.ts';
export { addCounters, countWithNcu } from '../model/counters/run-ncu.ts';
export { readRegistry } from '../model/external/conversation.ts';
export { runSanitizer } from '../model/sanitizer/sanitize.ts';
export { measureSession } from '../workloads/bench.ts';
export {
  type BenchTask,
  benchTaskOfReadings,
  taskOptions,
  throwIfBenchTooLong,
  type ValidReading,
} from '../workloads/benchable.ts';
