/** Converts runs of any workload to runs of proton transport. */
import { type AnyRunData, runOf } from '../run-data.ts';
import type { RunData } from './run-data.ts';

/** Returns the run if it is a transport run. Throws BraggError `unsupported` otherwise. */
export const transportRunOf = (run: AnyRunData): RunData => runOf('transport', run);
