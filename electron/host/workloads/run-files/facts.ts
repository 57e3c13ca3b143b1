/** The few values of a run file that lists show, without its arrays. */
import { BraggError } from '../../../contract/errors.ts';
import { RunFileFields } from '../../io/hdf5/fields.ts';
import { openFile } from '../../io/hdf5/h5.ts';
import { bestOf, type TaskRunData } from '../task/task-data.ts';
import { isTaskFile, readTaskRun } from '../task/task-file.ts';
import { checkFormat } from './read.ts';

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

function taskFacts({
  workload,
  name,
  scenario,
  variant,
  precision,
  status,
  machine,
  wall_s,
  session,
}: TaskRunData): RunFacts {
  const best = bestOf(session);
  const result = best === null ? null : `${(1 / best.ratio.value).toPrecision(3)} × with ${best.label}`;
  return { workload, name, scenario, variant, precision, status, device: machine.device ?? 'cpu', result, wall_s };
}

/** What a run of each workload came to, from the few values beside its arrays. */
const results: Readonly<Record<string, (f: RunFileFields) => string | null>> = {
  transport: (f) => {
    const r80 = f.number('metrics', 'r80_mm');
    // NaN stands for a dose that has no R80.
    return Number.isFinite(r80) ? `R80 ${r80.toFixed(2)} mm` : null;
  },
  diffraction: (f) => {
    const [height, width] = f.size('image');
    return `${width} × ${height} pixels`;
  },
};

/** Throws BraggError `foreign-file`; `name` is the file as the user knows it. */
export async function readRunFacts(bytes: Uint8Array, name: string): Promise<RunFacts> {
  if (isTaskFile(bytes)) return taskFacts(readTaskRun(bytes, name));
  try {
    return await openFile(bytes, (file) => {
      const f = new RunFileFields(file);
      const workload = checkFormat(f, file);
      const device = f.text('machine', 'device');
      return {
        workload,
        name: f.text('/', 'name'),
        scenario: f.document('scenario'),
        variant: f.text('engine', 'variant'),
        precision: f.text('engine', 'precision'),
        status: f.text('/', 'status'),
        device: device === '' ? 'cpu' : device,
        result: results[workload]?.(f) ?? null,
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
