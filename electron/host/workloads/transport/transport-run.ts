/** Narrows runs of any workload to runs of proton transport. */
import { type AnyRunData, runOf } from '../run-data.ts';
import type { RunData } from './run-data.ts';

/** Throws BraggError `unsupported` for a run of another workload. */
export const transportRunOf = (run: AnyRunData): RunData => runOf('transport', run);
