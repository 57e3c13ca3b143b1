/** Reads the bytes of a run file. Throws BraggError `foreign-file` that says what is wrong with it. */
import type { File } from 'h5wasm';
import { BraggError } from '../../../contract/errors.ts';
import { RunFileFields } from '../../io/hdf5/fields.ts';
import { openFile } from '../../io/hdf5/h5.ts';
import { attributes, FORMAT, FORMAT_VERSION } from '../../io/hdf5/layout.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import type { AnyRunData } from '../../workloads/run-data.ts';
import type { Hdf5RunFile, SessionRunFile } from '../../workloads/run-files/run-file.ts';

const runFiles = Object.entries(hostWorkloads).map(([workload, { runFile }]) => ({ workload, runFile }));

/** Format of the workload whose runs are stored as such JSON; null for any other file. */
export function sessionFileOf(head: Uint8Array): SessionRunFile | null {
  for (const { runFile } of runFiles) if (runFile.format === 'session' && runFile.is(head)) return runFile;
  return null;
}

/** The workload that the file holds a run of, and how it is read; null for one that is not known. */
export function checkFormat(
  f: RunFileFields,
  file: File,
): { readonly workload: string; readonly runFile: Hdf5RunFile | null } {
  const format: unknown = file.attrs[attributes.format]?.value;
  if (format !== FORMAT) f.refuse('it is an HDF5 file of another program');
  const version = f.count('/', attributes.version);
  if (version > FORMAT_VERSION) {
    f.refuse(`it was written by a newer Braggbench (format ${version}, this one reads up to ${FORMAT_VERSION})`);
  }
  const workload = f.text('/', 'workload');
  const known = runFiles.find((one) => one.workload === workload)?.runFile;
  return { workload, runFile: known?.format === 'hdf5' ? known : null };
}

function readAll(file: File, file_bytes: number): AnyRunData {
  const f = new RunFileFields(file);
  const { workload, runFile } = checkFormat(f, file);
  f.limitTotal(file_bytes);
  return runFile === null
    ? f.refuse(`it holds a run of "${workload}", which this version does not know`)
    : runFile.read(f);
}

/** A run of any workload. `name` is the file as the user knows it, for messages. */
export async function readRun(bytes: Uint8Array, name: string): Promise<AnyRunData> {
  const session = sessionFileOf(bytes);
  if (session !== null) return session.read(bytes, name);
  return named(name, () => openFile(bytes, (file) => readAll(file, bytes.length)));
}

/** The library's own errors, of a damaged block say, are long and technical: their gist is that the file is damaged. */
export async function named<T>(name: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const known = error instanceof BraggError;
    if (known && error.code !== 'foreign-file') throw error;
    const reason = known ? error.message : 'its contents are damaged';
    throw new BraggError('foreign-file', `${name} cannot be opened as a run: ${reason}.`, [], { cause: error });
  }
}
