/** Reads and writes the files of a workload's runs. */
import type { PackedFigure } from '../../../contract/figures.ts';
import type { RunFileFields } from '../../io/hdf5/fields.ts';
import type { AnyRunData } from '../run-data.ts';

/** Scalar values of a run that lists show. */
export interface RunFacts {
  readonly workload: string;
  readonly name: string;
  readonly scenario: Readonly<Record<string, unknown>>;
  readonly variant: string;
  readonly precision: string;
  readonly status: string;
  readonly device: string;
  /** Result as text: `R80 40.75 mm`. */
  readonly result: string | null;
  readonly wall_s: number;
}

interface AnyRunFile {
  readonly write: (run: AnyRunData) => Promise<Uint8Array>;
  /** Contents of such a file and the command that opens it, for messages if another workload's file was expected. */
  readonly holds: string;
}

/** HDF5 file with the header that all workloads share. */
export interface Hdf5RunFile extends AnyRunFile {
  readonly format: 'hdf5';
  readonly read: (f: RunFileFields) => AnyRunData;
  /** Result of the run as text, from its scalar values without reading its arrays. */
  readonly result: (f: RunFileFields) => string | null;
}

/** JSON file: the session that the run measured. */
export interface SessionRunFile extends AnyRunFile {
  readonly format: 'session';
  /** Detects the format from the first bytes. */
  readonly is: (head: Uint8Array) => boolean;
  /** Reads a file. Throws BraggError `foreign-file`. */
  readonly read: (bytes: Uint8Array, name: string) => AnyRunData;
  readonly facts: (run: AnyRunData) => RunFacts;
}

export type RunFile = Hdf5RunFile | SessionRunFile;

/** Writes run files on a worker thread. */
export interface Packer {
  write(run: AnyRunData): Promise<Uint8Array>;
  figure(figure: PackedFigure): Promise<Uint8Array>;
}
