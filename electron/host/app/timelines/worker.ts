/**
 * Worker thread of one timeline: reads it, keeps it, and answers. So neither
 * reading gigabytes nor a query over millions of spans holds up the host.
 * Closing a timeline frees all of its memory at once.
 */
import { parentPort } from 'node:worker_threads';
import { BraggError, toWireError, type WireError } from '../../../contract/errors.ts';
import { type Description, describe } from '../../model/timeline/description.ts';
import { importRun, type RunTimeline } from '../../model/timeline/import/run.ts';
import { type Answer, type Asked, answers, type Question } from '../../model/timeline/questions.ts';
import type { Trace } from '../../model/timeline/trace.ts';
import { openTrace, type ReadProgress } from './open.ts';

export type WorkerTask =
  | {
      readonly id: number;
      readonly kind: 'file';
      readonly file: string;
      readonly name: string;
      readonly scratch: string;
    }
  | { readonly id: number; readonly kind: 'run'; readonly run: RunTimeline }
  | { readonly id: number; readonly kind: 'ceiling'; readonly ceiling: number | null }
  | {
      readonly id: number;
      readonly kind: 'ask';
      readonly question: Question;
      readonly asked: Asked<Question>;
    };

export type WorkerReply =
  | { readonly id: number; readonly kind: 'progress'; readonly progress: ReadProgress }
  | { readonly id: number; readonly kind: 'done'; readonly value: Description | Answer<Question> | null }
  | { readonly id: number; readonly kind: 'failed'; readonly error: WireError };

/** Between two reports of progress: as often as a reader can follow. */
const REPORT_MS = 100;

let trace: Trace | null = null;
let ceiling: number | null = null;

function opened(made: Trace): Description {
  trace = made;
  return describe(made);
}

async function perform(task: WorkerTask): Promise<Description | Answer<Question> | null> {
  switch (task.kind) {
    case 'file': {
      let next = 0;
      const report = (progress: ReadProgress): void => {
        const now = performance.now();
        if (now < next) return;
        next = now + REPORT_MS;
        send({ id: task.id, kind: 'progress', progress });
      };
      return opened(await openTrace(task.file, task.name, report, task.scratch));
    }
    case 'run':
      return opened(importRun(task.run));
    case 'ceiling':
      ceiling = task.ceiling;
      return null;
    case 'ask': {
      if (trace === null) throw new BraggError('internal', 'the timeline is not open');
      return ask(trace, task.question, task.asked);
    }
  }
}

function ask<Q extends Question>(from: Trace, question: Q, asked: Asked<Q>): Answer<Q> {
  return answers[question](from, asked, ceiling);
}

/** Arrays of an answer were made for it alone: they move to the host instead of being copied. */
function movable(value: unknown): ArrayBuffer[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((part) =>
    ArrayBuffer.isView(part) && part.byteLength === part.buffer.byteLength && part.buffer instanceof ArrayBuffer
      ? [part.buffer]
      : [],
  );
}

function send(reply: WorkerReply): void {
  parentPort?.postMessage(reply, reply.kind === 'done' ? movable(reply.value) : []);
}

parentPort?.on('message', (task: WorkerTask) => {
  perform(task).then(
    (value) => send({ id: task.id, kind: 'done', value }),
    (error: unknown) => send({ id: task.id, kind: 'failed', error: toWireError(error) }),
  );
});
