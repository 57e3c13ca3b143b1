/** Reads and writes the header of run files: format, program, machine and scenario. */
import type { File } from 'h5wasm';
import { type ErrorCode, errorCodeSchema } from '../../../contract/errors.ts';
import type { RunFileFields } from '../../io/hdf5/fields.ts';
import { RUN_FILE_FORMAT, RUN_FILE_VERSION, rootAttributes, writeText, writeValues } from '../../io/hdf5/put.ts';
import type { RunContext, RunFailure } from '../run-context.ts';

type RunHead = Pick<
  RunContext,
  'program' | 'machine' | 'name' | 'created' | 'finished' | 'scenario' | 'completeScenario'
>;

/** Status of the run, and the reason if it failed. */
interface RunEnd<Status extends string> {
  readonly status: Status;
  readonly error: RunFailure | null;
}

export function writeHead(file: File, workload: string, run: RunHead & RunEnd<string>): void {
  file.create_attribute(rootAttributes.format, RUN_FILE_FORMAT);
  file.create_attribute(rootAttributes.version, RUN_FILE_VERSION);
  const { name, created, finished, status, error } = run;
  for (const [key, value] of Object.entries({ workload, name, created, finished, status })) {
    file.create_attribute(key, value);
  }
  if (error !== null) {
    file.create_attribute('error', error.message);
    file.create_attribute('error_code', error.code);
  }
  writeText(file, 'scenario', JSON.stringify(run.scenario));
  writeText(file, 'scenario_complete', JSON.stringify(run.completeScenario));
  const { commit, ...program } = run.program;
  writeValues(file, 'program', { ...program, commit: commit ?? '' });
  const { id, logicalCores, device, ...machine } = run.machine;
  writeValues(file, 'machine', { ...machine, id: id ?? '', logical_cores: logicalCores, device: device ?? '' });
}

export function readHead(f: RunFileFields): RunHead {
  const device = f.text('machine', 'device');
  const commit = f.textOr('program', 'commit', '');
  return {
    program: {
      version: f.text('program', 'version'),
      build: f.text('program', 'build'),
      compiler: f.text('program', 'compiler'),
      commit: commit === '' ? null : commit,
    },
    machine: {
      id: f.textOr('machine', 'id', '') || null,
      cpu: f.text('machine', 'cpu'),
      logicalCores: f.count('machine', 'logical_cores'),
      memory_bytes: f.finite('machine', 'memory_bytes'),
      os: f.text('machine', 'os'),
      device: device === '' ? null : device,
    },
    name: f.text('/', 'name'),
    created: f.text('/', 'created'),
    finished: f.text('/', 'finished'),
    scenario: f.document('scenario'),
    completeScenario: f.document('scenario_complete'),
  };
}

export function readEnd<Status extends string>(f: RunFileFields, allowed: readonly Status[]): RunEnd<Status> {
  const status = f.oneOf('/', 'status', allowed);
  if (status !== 'failed') return { status, error: null };
  const code: ErrorCode = f.oneOf('/', 'error_code', errorCodeSchema.options);
  return { status, error: { code, message: f.text('/', 'error') } };
}
