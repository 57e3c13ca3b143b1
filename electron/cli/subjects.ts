/** Opens the host for the command line, and reads the subjects of a comparison from run files and sessions. */
import path from 'node:path';
import type { ReportScenario, ReportSession } from '../../renderer/drawing/report/report.ts';
import type { BenchInfo, Subject } from '../contract/bench/benches.ts';
import type { Session } from '../contract/bench/session.ts';
import { BraggError } from '../contract/errors.ts';
import { formatScenario } from '../contract/scenario/index.ts';
import { type Host, openHost, openRegularFile } from '../host/index.ts';
import { UsageError } from './arguments.ts';
import { assetsFolder } from './assets-folder.ts';

/** Opens a host, calls `use`, and always closes the host. `gpu` selects the GPU of runs. */
export async function withHost<T>(use: (host: Host) => Promise<T>, gpu?: string): Promise<T> {
  const host = await openHost({
    assetsFolder: assetsFolder(),
    shell: { kind: 'none', dialogs: false, window: false, menus: false },
    ...(gpu === undefined ? {} : { gpu }),
  });
  try {
    return await use(host);
  } finally {
    await host.close();
  }
}

/** Whether the file is JSON, as sessions and runs of measured workloads are. Other runs are HDF5. */
export const isSessionFile = (file: string): boolean => path.extname(file).toLowerCase() === '.json';

/** Throws BraggError if the file does not exist. */
export async function requireFile(file: string): Promise<void> {
  const handle = await openRegularFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new BraggError('not-found', `The file ${file} does not exist.`);
    if (error.code === 'EISDIR')
      throw new BraggError('foreign-file', `${file} is a folder; expected a run or a session.`);
    throw error;
  });
  await handle.close();
}

interface ReadSubjects {
  /** Subjects in the files; of a sweep, those at its last value. */
  readonly subjects: readonly Subject[];
  readonly sessions: readonly ReportSession[];
  /** Scenarios of the runs in the files. */
  readonly scenarios: readonly ReportScenario[];
  /** Command lines that reproduce the files, without the program's name. */
  readonly commands: readonly string[];
}

/** Opens files that must all be sessions. Throws UsageError for a run, BraggError for other files. */
export function openSessions(
  verb: string,
  files: readonly string[],
): Promise<readonly { readonly file: string; readonly session: Session }[]> {
  const run = files.find((file) => !isSessionFile(file));
  if (run !== undefined) throw new UsageError(`${verb} needs sessions saved by bench, but ${run} is a single run`);
  return withHost(async (host) => {
    const opened = [];
    for (const file of files) opened.push({ file, session: (await openSession(host, file)).session });
    return opened;
  });
}

/** Opens a session of any workload. Throws BraggError if the file is not a session. */
export async function openSession(
  host: Host,
  file: string,
): Promise<{ readonly info: BenchInfo; readonly session: Session }> {
  await requireFile(file);
  const info = await host.call('bench.open', { source: { kind: 'file', file: host.grant(file).file } });
  const { session } = await host.call('bench.session', { bench: info.id });
  return { info, session };
}

/** Reads the subjects in files of runs and sessions. Throws BraggError for any other file. */
export async function readSubjects(host: Host, files: readonly string[]): Promise<ReadSubjects> {
  const subjects: Subject[] = [];
  const sessions: ReportSession[] = [];
  const scenarios: ReportScenario[] = [];
  const commands: string[] = [];
  for (const file of files) {
    if (isSessionFile(file)) {
      const { info, session } = await openSession(host, file);
      const last = session.reports.length - 1;
      subjects.push(
        ...info.subjects.map(({ subject }) => subject).filter((one) => one.kind !== 'run' && one.report === last),
      );
      sessions.push({ name: info.name, session });
      commands.push(session.command);
    } else {
      await requireFile(file);
      const run = await host.call('run.open', { source: { kind: 'file', file: host.grant(file).file } });
      const { scenario } = await host.call('run.scenario', { run: run.id });
      subjects.push({ kind: 'run', run: run.id });
      scenarios.push({ name: `${path.basename(file)}: ${run.variant}`, text: formatScenario(scenario) });
      commands.push(`run ${path.basename(file, path.extname(file))}.json --out ${path.basename(file)}`);
    }
  }
  return { subjects, sessions, scenarios, commands };
}
