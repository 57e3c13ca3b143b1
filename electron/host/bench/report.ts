/** What a benchmark says: declared in the contract, because pages and files hold it too. */
export type {
  BenchEntry,
  BenchReport,
  MeasuredEntry,
  Mode,
  ModeEntry,
  Ratio,
  RefusedEntry,
  Sample,
  Timing,
} from '../../contract/bench.ts';
