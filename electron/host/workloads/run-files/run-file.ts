/** Reads and writes the files of a workload's runs. */
import type { PackedFigure } from '../../../contract/figures.ts';
import type { RunFileFields } from '../../io/hdf5/fields.ts';
import type { AnyRunData } from '../run-data.ts';

/** The few values of a run that lists show. */
export interface RunFacts {
  readonly workload: string;
  readonly name: string;
  readonly scenario: Readonly<Record<string, unknown>>;
  readonly variant: string;
  readonly precision: string;
  readonly status: string;
  readonly device: string;
  /** In words: `R80 40.75 mm`. */
  readonly result: string | null;
  readonly wall_s: number;
}

interface AnyRunFile {
  readonly write: (run: AnyRunData) => Promise<Uint8Array>;
  /** Contents of such a file and the command that opens it, for messages if another workload's file was expected. */
  readonly holds: string;
}

/** An HDF5 file, whose head is that of every workload's. */
export interface Hdf5RunFile extends AnyRunFile {
  readonly format: 'hdf5';
  readonly read: (f: RunFileFields) => AnyRunData;
  /** Result of the run in words, from its few scalar values and not its arrays. */
  readonly result: (f: RunFileFields) => string | null;
}

/** JSON: the session that the run measured. */
export interface SessionRunFile extends AnyRunFile {
  readonly format: 'session';
  /** From the first bytes. */
  readonly is: (head: Uint8Array) => boolean;
  /** Throws BraggError `foreign-file`. */
  readonly read: (bytes: Uint8Array, name: string) => AnyRunData;
  readonly facts: (run: AnyRunData) => RunFacts;
}

export type RunFile = Hdf5RunFile | SessionRunFile;

/** Packs files on a worker thread. */
export interface Packer {
  write(run: AnyRunData): Promise<Uint8Array>;
  figure(figure: PackedFigure): Promise<Uint8Array>;
}
