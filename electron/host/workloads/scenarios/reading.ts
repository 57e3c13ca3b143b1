/** A reading of any workload's scenario, discriminated by its kind. */
import type { DiffractionReading } from '../diffraction/scenario/reading.ts';
import type { TaskReading } from '../task/scenario/reading.ts';
import type { TransportReading } from '../transport/scenario/reading.ts';
import type { NoReading } from './read.ts';

export type AnyReading = (TransportReading | DiffractionReading | TaskReading | NoReading) & {
  /** Time for reading and checking it. */
  readonly read_s?: number;
};
