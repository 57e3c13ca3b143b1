/** Interfaces to read and write the run files of a workload. */
import type { PackedFigure } from '../../../contract/figures.ts';
import type { RunFileFields } from '../../io/hdf5/fields.ts';
import type { AnyRunData } from '../run-data.ts';

/** Scalar values of a run that lists display. */
export interface RunFacts {
  readonly workload: string;
  readonly name: string;
  readonly scenario: Readonly<Record<string, unknown>>;
  readonly variant: string;
  readonly precision: string;
  readonly status: string;
  readonly device: string;
  /** Result as text, for example `R80 40.75 mm`. */
  readonly result: string | null;
  readonly wall_s: number;
}

interface AnyRunFile {
  readonly write: (run: AnyRunData) => Promise<Uint8Array>;
  /** Describes the content and the command that opens it, for messages if a file of another workload was expected. */
  readonly holds: string;
}

/** Run file in HDF5, with the header that all workloads share. */
export interface Hdf5RunFile extends AnyRunFile {
  readonly format: 'hdf5';
  readonly read: (f: RunFileFields) => AnyRunData;
  /** Returns the result of the run as text, from scalar values only. */
  readonly result: (f: RunFileFields) => string | null;
}

/** Run file in JSON, which is the session that the run measured. */
export interface SessionRunFile extends AnyRunFile {
  readonly format: 'session';
  /** Whether a file with these first bytes has this format. */
  readonly is: (head: Uint8Array) => boolean;
  /** Reads a run. `name`: file name for messages. Throws BraggError `foreign-file`. */
  readonly read: (bytes: Uint8Array, name: string) => AnyRunData;
  readonly facts: (run: AnyRunData) => RunFacts;
}

export type RunFile = Hdf5RunFile | SessionRunFile;

/** Writes run files on a worker thread. */
export interface Packer {
  write(run: AnyRunData): Promise<Uint8Array>;
  figure(figure: PackedFigure): Promise<Uint8Array>;
}
