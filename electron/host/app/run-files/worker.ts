/** Worker thread that packs and unpacks run files, so that compression never holds up the host's event loop. */
import { parentPort } from 'node:worker_threads';
import { toWireError, type WireError } from '../../../contract/errors.ts';
import type { PackedFigure } from '../../../contract/figures.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import type { AnyRunData } from '../../workloads/run-data.ts';
import type { RunFacts } from '../../workloads/run-files/run-file.ts';
import { readRunFacts } from './facts.ts';
import { writeFigure } from './figure.ts';
import { readRun } from './read.ts';

export type Task =
  | { readonly id: number; readonly kind: 'write'; readonly run: AnyRunData }
  | { readonly id: number; readonly kind: 'figure'; readonly figure: PackedFigure }
  | { readonly id: number; readonly kind: 'facts'; readonly bytes: Uint8Array; readonly name: string }
  | { readonly id: number; readonly kind: 'read'; readonly bytes: Uint8Array; readonly name: string };

/** What each kind of task comes to. */
export interface Answers {
  readonly write: Uint8Array;
  readonly figure: Uint8Array;
  readonly read: AnyRunData;
  readonly facts: RunFacts;
}

export type Reply =
  | { readonly id: number; readonly ok: true; readonly value: Answers[Task['kind']] }
  | { readonly id: number; readonly ok: false; readonly error: WireError };

function perform(task: Task): Promise<Answers[Task['kind']]> {
  switch (task.kind) {
    case 'write':
      return hostWorkloads[task.run.workload].runFile.write(task.run);
    case 'figure':
      return writeFigure(task.figure);
    case 'read':
      return readRun(task.bytes, task.name);
    case 'facts':
      return readRunFacts(task.bytes, task.name);
  }
}

parentPort?.on('message', (task: Task) => {
  perform(task).then(
    (value) => parentPort?.postMessage({ id: task.id, ok: true, value } satisfies Reply),
    (error: unknown) => parentPort?.postMessage({ id: task.id, ok: false, error: toWireError(error) } satisfies Reply),
  );
});
