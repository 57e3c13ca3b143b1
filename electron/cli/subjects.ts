/** Run files and sessions as what a comparison is of. */
import path from 'node:path';
import type { ReportScenario, ReportSession } from '../../renderer/report/report.ts';
import type { BenchInfo, Subject } from '../contract/bench/benches.ts';
import type { Session } from '../contract/bench/session.ts';
import { BraggError } from '../contract/errors.ts';
import { writeScenarioText } from '../contract/scenario/index.ts';
import type { Host } from '../host/index.ts';
import { openPlain } from '../host/io/files/plain-file.ts';
import { UsageError } from './arguments.ts';
import { withHost } from './open-host.ts';

/** Sessions are JSON, and so are runs that are measurements; other runs are HDF5. */
export const isSessionFile = (file: string): boolean => path.extname(file).toLowerCase() === '.json';

async function present(file: string): Promise<void> {
  const handle = await openPlain(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new BraggError('not-found', `There is no file ${file}.`);
    if (error.code === 'EISDIR') throw new BraggError('foreign-file', `${file} is a folder, not a run or a session.`);
    throw error;
  });
  await handle.close();
}

interface ReadSubjects {
  /** For a sweep, those at its last value. */
  readonly subjects: readonly Subject[];
  readonly sessions: readonly ReportSession[];
  /** Scenarios of the runs. */
  readonly scenarios: readonly ReportScenario[];
  /** That make them again, without the program. */
  readonly commands: readonly string[];
}

/** For a verb that takes nothing else. Throws a UsageError for a run, a BraggError for a file that is neither. */
export function openSessions(
  verb: string,
  files: readonly string[],
): Promise<readonly { readonly file: string; readonly session: Session }[]> {
  const run = files.find((file) => !isSessionFile(file));
  if (run !== undefined) throw new UsageError(`${verb} needs sessions that bench kept: ${run} is one run`);
  return withHost(async (host) => {
    const opened = [];
    for (const file of files) opened.push({ file, session: (await openSession(host, file)).session });
    return opened;
  });
}

/** A session of any workload. Throws BraggError for a file that is none. */
export async function openSession(
  host: Host,
  file: string,
): Promise<{ readonly info: BenchInfo; readonly session: Session }> {
  await present(file);
  const info = await host.call('bench.open', { source: { kind: 'file', file: host.grant(file).file } });
  const { session } = await host.call('bench.session', { bench: info.id });
  return { info, session };
}

/** Throws BraggError for a file that is neither a run nor a session. */
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
      await present(file);
      const run = await host.call('run.open', { source: { kind: 'file', file: host.grant(file).file } });
      const { scenario } = await host.call('run.scenario', { run: run.id });
      subjects.push({ kind: 'run', run: run.id });
      scenarios.push({ name: `${path.basename(file)}: ${run.variant}`, text: writeScenarioText(scenario) });
      commands.push(`run ${path.basename(file, path.extname(file))}.json --out ${path.basename(file)}`);
    }
  }
  return { subjects, sessions, scenarios, commands };
}
