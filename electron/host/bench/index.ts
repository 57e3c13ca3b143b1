export { type BenchOptions, type BenchProgress, benchmark } from './benchmark.ts';
export type { BenchEntry, BenchReport, MeasuredEntry, Ratio, RefusedEntry } from './report.ts';
export type { StoppingLimits } from './stopping.ts';
