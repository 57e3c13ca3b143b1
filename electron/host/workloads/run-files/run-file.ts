/** What a workload does with the files of its runs. */
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
  /** What such a file holds and who opens it, for those who wanted another workload's. */
  readonly holds: string;
}

/** An HDF5 file, whose head is that of every workload's. */
export interface Hdf5RunFile extends AnyRunFile {
  readonly format: 'hdf5';
  readonly read: (f: RunFileFields) => AnyRunData;
  /** What the run came to, from the few values beside its arrays. */
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

/** Packs files beside the event loop. */
export interface Packer {
  write(run: AnyRunData): Promise<Uint8Array>;
  figure(figure: PackedFigure): Promise<Uint8Array>;
}
