/** A run of a small measured workload as a file: the session itself, JSON with every raw sample. */

import type { Session } from '../../../contract/bench/session.ts';
import { BraggError } from '../../../contract/errors.ts';
import { isTaskKind } from '../../../contract/task.ts';
import { isTaskSession, parseTaskSession } from './session-file.ts';
import { type TaskRunData, taskRunData } from './task-data.ts';

export function writeTaskRun({ session }: TaskRunData): Promise<Uint8Array> {
  return Promise.resolve(new TextEncoder().encode(`${JSON.stringify(session)}\n`));
}

/** Everything else follows from the session. Throws BraggError `foreign-file`. */
export function runOfSession(session: Session, name: string): TaskRunData {
  const [report] = session.reports;
  const { workload } = session;
  if (report === undefined || !isTaskKind(workload)) {
    throw new BraggError('foreign-file', `${name} holds a run of "${workload}", which this version does not know.`);
  }
  const { machine, program, document, elapsed_s } = report;
  const scenario = document ?? { kind: workload, version: 1, name: report.scenario };
  return taskRunData(
    workload,
    {
      program: {
        version: program.version ?? '',
        build: program.build,
        compiler: program.compiler ?? '',
        commit: program.commit,
      },
      machine: {
        id: machine.id ?? null,
        cpu: machine.cpu,
        logicalCores: machine.logical_cores,
        memory_bytes: machine.memory_bytes ?? 0,
        os: machine.os,
        device: machine.gpu?.name ?? null,
      },
      name: report.scenario,
      created: session.created,
      finished: session.created,
      scenario,
      completeScenario: scenario,
      wall_s: session.reports.reduce((sum, one) => sum + one.elapsed_s, 0) || elapsed_s,
    },
    session,
  ) as TaskRunData;
}

/** Bytes that threads share, too, which a TextDecoder refuses. */
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

/** Throws BraggError `foreign-file`. */
export function readTaskRun(bytes: Uint8Array, name: string): TaskRunData {
  return runOfSession(parseTaskSession(textOf(bytes), name), name);
}

/** Enough for the format's name, which comes first. */
const HEAD_BYTES = 200;

/** Run files of other workloads are HDF5. */
export function isTaskFile(bytes: Uint8Array): boolean {
  return isTaskSession(textOf(bytes.subarray(0, HEAD_BYTES)));
}
