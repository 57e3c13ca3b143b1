/** A reading of any workload's scenario, told apart by its kind. */
import type { DiffractionReading } from '../diffraction/scenario/reading.ts';
import type { TaskReading } from '../task/scenario/reading.ts';
import type { TransportReading } from '../transport/scenario/reading.ts';
import type { NoReading } from './read.ts';

export type AnyReading = (TransportReading | DiffractionReading | TaskReading | NoReading) & {
  /** What reading and checking it took. */
  readonly read_s?: number;
};
