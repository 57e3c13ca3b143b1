/** Packs and unpacks run files on a worker thread. Only that thread loads the HDF5 library. */
import type { PackedFigure } from '../../../contract/figures.ts';
import { declareTask } from '../../io/threads/task.ts';
import type { AnyRunData } from '../../workloads/run-data.ts';
import type { Packer, RunFacts } from '../../workloads/run-files/run-file.ts';
import type { ExportedFile } from '../../workloads/workload.ts';

interface RunFileBytes {
  readonly bytes: Uint8Array;
  /** File name for messages. */
  readonly name: string;
}

export const packRun = declareTask<AnyRunData, Uint8Array>('pack a run');
export const packFigure = declareTask<PackedFigure, Uint8Array>('pack a figure');
export const unpackRun = declareTask<RunFileBytes, AnyRunData>('read a run');
export const unpackFacts = declareTask<RunFileBytes, RunFacts>('read the facts of a run');

/** Exports a run to a format other than its run file. */
export const exportRun = declareTask<{ readonly run: AnyRunData; readonly what: string }, ExportedFile>('export a run');

export interface RunPacker extends Packer {
  /** Reads a run of any workload. Throws BraggError `foreign-file` with `name` in its message. */
  read(bytes: Uint8Array, name: string): Promise<AnyRunData>;
  /** Reads the metadata of a run file for lists. Throws like `read`. */
  facts(bytes: Uint8Array, name: string): Promise<RunFacts>;
}

export const runPacker: RunPacker = {
  write: packRun,
  figure: packFigure,
  read: (bytes, name) => unpackRun({ bytes, name }),
  facts: (bytes, name) => unpackFacts({ bytes, name }),
};
