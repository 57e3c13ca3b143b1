/** Worker-thread tasks on run files. */

import type { PackedFigure } from '../../../contract/figures.ts';
import { withSharedArrays } from '../../io/aside/shared.ts';
import { does } from '../../io/aside/task.ts';
import { RunFileFields } from '../../io/hdf5/fields.ts';
import { createFile, openFile } from '../../io/hdf5/h5.ts';
import { COMPRESSION } from '../../io/hdf5/layout.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import type { RunFacts } from '../../workloads/run-files/run-file.ts';
import { exportRun, packFigure, packRun, runPacker, unpackFacts, unpackRun } from './packer.ts';
import { checkFormat, named, readRun, sessionFileOf } from './read.ts';

/** The arrays of a figure as an HDF5 file, with HDF5's own dimension scales for the axes. */
export function writeFigure({ title, notes, arrays }: PackedFigure): Promise<Uint8Array> {
  const positions = new Set(arrays.flatMap(({ axes }) => axes ?? []));
  return createFile((file) => {
    file.create_attribute('title', title);
    for (const [key, value] of Object.entries(notes)) {
      // Numbers always as doubles: the library would take a whole one for a 32-bit integer.
      if (typeof value === 'number') file.create_attribute(key, value, null, '<d');
      else file.create_attribute(key, value);
    }
    // Axes first: what lies over them refers to them.
    const ordered = [...arrays].sort((a, b) => Number(positions.has(b.name)) - Number(positions.has(a.name)));
    for (const { name, unit, description, shape, values, axes } of ordered) {
      const packed = values.length > 0 ? { chunks: [...shape], compression: COMPRESSION } : {};
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

// The few values of a run file that lists show, without its arrays.

/** Throws BraggError `foreign-file`; `name` is the file as the user knows it. */
export async function readRunFacts(bytes: Uint8Array, name: string): Promise<RunFacts> {
  const session = sessionFileOf(bytes);
  if (session !== null) return session.facts(session.read(bytes, name));
  return named(name, () =>
    openFile(bytes, (file) => {
      const f = new RunFileFields(file);
      const { workload, runFile } = checkFormat(f, file);
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

does(packRun, (run) => hostWorkloads[run.workload].runFile.write(run));
does(packFigure, writeFigure);
// Shared arrays, because later views of the run are computed on such a thread without another copy.
does(unpackRun, async ({ bytes, name }) => withSharedArrays(await readRun(bytes, name)));
does(unpackFacts, ({ bytes, name }) => readRunFacts(bytes, name));
does(exportRun, ({ run, what }) => hostWorkloads[run.workload].exported(run, what, runPacker));
