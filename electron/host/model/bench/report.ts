/** What a benchmark says: declared in the contract, because pages and files hold it too. */
export type {
  BenchEntry,
  BenchReport,
  MeasuredEntry,
  ModeEntry,
  RefusedEntry,
  Sample,
  Timing,
} from '../../../contract/bench/bench.ts';
export type { Mode, Ratio } from '../../../contract/bench/bench-session.ts';
