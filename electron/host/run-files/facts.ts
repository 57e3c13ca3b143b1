/** The few values of a run file that lists show, without its arrays. */
import { BraggError } from '../../contract/errors.ts';
import { RunFileFields } from './fields.ts';
import { openFile } from './h5.ts';
import { checkFormat } from './read.ts';

export interface RunFacts {
  readonly name: string;
  readonly scenario: Readonly<Record<string, unknown>>;
  readonly variant: string;
  readonly precision: string;
  readonly status: string;
  readonly device: string;
  readonly r80_mm: number | null;
  readonly wall_s: number;
}

/** Throws BraggError `foreign-file`; `name` is the file as the user knows it. */
export async function readRunFacts(bytes: Uint8Array, name: string): Promise<RunFacts> {
  try {
    return await openFile(bytes, (file) => {
      const f = new RunFileFields(file);
      checkFormat(f, file);
      // Runs of other workloads have no metrics of a dose.
      const r80 = f.has('metrics') ? f.number('metrics', 'r80_mm') : Number.NaN;
      const device = f.text('machine', 'device');
      return {
        name: f.text('/', 'name'),
        scenario: f.document('scenario'),
        variant: f.text('engine', 'variant'),
        precision: f.text('engine', 'precision'),
        status: f.text('/', 'status'),
        device: device === '' ? 'cpu' : device,
        // NaN stands for a dose that has no R80.
        r80_mm: Number.isFinite(r80) ? r80 : null,
        wall_s: f.finite('timing', 'wall_s'),
      };
    });
  } catch (error) {
    const known = error instanceof BraggError;
    if (known && error.code !== 'foreign-file') throw error;
    const reason = known ? error.message : 'its contents are damaged';
    throw new BraggError('foreign-file', `${name} cannot be opened as a run: ${reason}.`, [], { cause: error });
  }
}
