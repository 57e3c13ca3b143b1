/** The few values of a run file that lists show, without its arrays. */
import { RunFileFields } from '../../io/hdf5/fields.ts';
import { openFile } from '../../io/hdf5/h5.ts';
import type { RunFacts } from '../../workloads/run-files/run-file.ts';
import { checkFormat, named, sessionFileOf } from './read.ts';

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
