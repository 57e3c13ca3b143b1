/** Tasks on run files that run on a worker thread. */
import type { File } from 'h5wasm';
import { BraggError } from '../../../contract/errors.ts';
import type { PackedFigure } from '../../../contract/figures.ts';
import { RunFileFields } from '../../io/hdf5/fields.ts';
import { createFile, openFile } from '../../io/hdf5/h5.ts';
import { COMPRESSION_LEVEL, RUN_FILE_FORMAT, RUN_FILE_VERSION, rootAttributes } from '../../io/hdf5/put.ts';
import { withSharedArrays } from '../../io/threads/shared.ts';
import { registerTask } from '../../io/threads/task.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import type { AnyRunData } from '../../workloads/run-data.ts';
import type { Hdf5RunFile, RunFacts, SessionRunFile } from '../../workloads/run-files/run-file.ts';
import { exportRun, packFigure, packRun, runPacker, unpackFacts, unpackRun } from './packer.ts';

const runFiles = Object.entries(hostWorkloads).map(([workload, { runFile }]) => ({ workload, runFile }));

/**
 * Returns the format of a workload that stores its runs as JSON sessions. Null if `head` belongs to another kind of
 * file.
 */
export function sessionFileOf(head: Uint8Array): SessionRunFile | null {
  for (const { runFile } of runFiles) if (runFile.format === 'session' && runFile.is(head)) return runFile;
  return null;
}

/** Returns the workload of a run file and its reader, which is null if the workload is unknown. */
function readFormat(f: RunFileFields, file: File): { readonly workload: string; readonly runFile: Hdf5RunFile | null } {
  const format: unknown = file.attrs[rootAttributes.format]?.value;
  if (format !== RUN_FILE_FORMAT) f.refuse('it is an HDF5 file from another program');
  const version = f.count('/', rootAttributes.version);
  if (version > RUN_FILE_VERSION) {
    f.refuse(`it was written by a newer Braggbench (format ${version}, this one reads up to ${RUN_FILE_VERSION})`);
  }
  const workload = f.text('/', 'workload');
  const known = runFiles.find((one) => one.workload === workload)?.runFile;
  return { workload, runFile: known?.format === 'hdf5' ? known : null };
}

function readRunData(file: File, file_bytes: number): AnyRunData {
  const f = new RunFileFields(file);
  const { workload, runFile } = readFormat(f, file);
  f.limitTotal(file_bytes);
  return runFile === null
    ? f.refuse(`it contains a run of "${workload}", which this version does not support`)
    : runFile.read(f);
}

/** Reads a run of any workload. `name`: file name for messages. */
export async function readRun(bytes: Uint8Array, name: string): Promise<AnyRunData> {
  const session = sessionFileOf(bytes);
  if (session !== null) return session.read(bytes, name);
  return withFileName(name, () => openFile(bytes, (file) => readRunData(file, bytes.length)));
}

/**
 * Replaces the library's long technical errors, for example about a corrupt block, by a message that the file is
 * damaged.
 */
async function withFileName<T>(name: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const known = error instanceof BraggError;
    if (known && error.code !== 'foreign-file') throw error;
    const reason = known ? error.message : 'its contents are damaged';
    throw new BraggError('foreign-file', `${name} cannot be opened as a run: ${reason}.`, [], { cause: error });
  }
}

/** Writes the arrays of a figure into an HDF5 file, with HDF5's dimension scales for the axes. */
export function writeFigure({ title, notes, arrays }: PackedFigure): Promise<Uint8Array> {
  const positions = new Set(arrays.flatMap(({ axes }) => axes ?? []));
  return createFile((file) => {
    file.create_attribute('title', title);
    for (const [key, value] of Object.entries(notes)) {
      // Store numbers as doubles, because the library would store an integer as 32 bits.
      if (typeof value === 'number') file.create_attribute(key, value, null, '<d');
      else file.create_attribute(key, value);
    }
    // Write axes first, because other arrays refer to them.
    const ordered = [...arrays].sort((a, b) => Number(positions.has(b.name)) - Number(positions.has(a.name)));
    for (const { name, unit, description, shape, values, axes } of ordered) {
      const packed = values.length > 0 ? { chunks: [...shape], compression: COMPRESSION_LEVEL } : {};
      const dataset = file.create_dataset({ name, data: values, shape: [...shape], ...packed });
      dataset.create_attribute('units', unit);
      dataset.create_attribute('long_name', description);
      if (positions.has(name)) dataset.make_scale(name);
      for (const [index, axis] of (axes ?? []).entries()) {
        if (ordered.some((array) => array.name === axis)) dataset.attach_scale(index, axis);
      }
    }
  });
}

// Metadata for lists, read without the arrays of a run.

/** Reads the metadata of a run file. `name`: file name for messages. Throws BraggError `foreign-file`. */
export async function readRunFacts(bytes: Uint8Array, name: string): Promise<RunFacts> {
  const session = sessionFileOf(bytes);
  if (session !== null) return session.facts(session.read(bytes, name));
  return withFileName(name, () =>
    openFile(bytes, (file) => {
      const f = new RunFileFields(file);
      const { workload, runFile } = readFormat(f, file);
      const device = f.text('machine', 'device');
      return {
        workload,
        name: f.text('/', 'name'),
        scenario: f.document('scenario'),
        variant: f.text('engine', 'variant'),
        precision: f.text('engine', 'precision'),
        status: f.text('/', 'status'),
        device: device === '' ? 'cpu' : device,
        result: runFile?.result(f) ?? null,
        wall_s: f.finite('timing', 'wall_s'),
      };
    }),
  );
}

registerTask(packRun, (run) => hostWorkloads[run.workload].runFile.write(run));
registerTask(packFigure, writeFigure);
// Use shared arrays, so that worker threads can compute later views of the run without copies.
registerTask(unpackRun, async ({ bytes, name }) => withSharedArrays(await readRun(bytes, name)));
registerTask(unpackFacts, ({ bytes, name }) => readRunFacts(bytes, name));
registerTask(exportRun, ({ run, what }) => hostWorkloads[run.workload].exportFile(run, what, runPacker));
