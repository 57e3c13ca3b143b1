export { type BenchOptions, type BenchProgress, benchmark } from './benchmark.ts';
export { devicesWithCeilings } from './ceilings.ts';
export { readClaims, readTaskClaims } from './claims.ts';
export { gpuFacts } from './machine.ts';
export { recordedFacts } from './recorded.ts';
export type { BenchEntry, BenchReport, MeasuredEntry, Ratio, RefusedEntry } from './report.ts';
export { parseSession, readKept, readSession, writeSession } from './session-file.ts';
export type { StoppingLimits } from './stopping.ts';
export { sweepFits } from './sweep.ts';
