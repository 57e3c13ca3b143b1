/**
 * Process of one timeline. It reads the file, stores its spans in memory and answers queries, so that these do not
 * block the host's event loop.
 *
 * SQLite parses the user's file in native code, which can only be interrupted by ending the process. This also frees
 * all memory.
 */
import { BraggError, toWireError, type WireError } from '../../../contract/errors.ts';
import { connectToParent } from '../../io/processes/parent-link.ts';
import { importRun, type RunTimeline } from '../../model/timeline/import/run.ts';
import { type Answer, type Query, type Question, queryHandlers } from '../../model/timeline/questions.ts';
import { type Description, type Trace, traceDescription } from '../../model/timeline/trace.ts';
import { openTrace, type ReadProgress } from './open.ts';

export type MessageToTimeline =
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
      readonly asked: Query<Question>;
    };

export type MessageFromTimeline =
  | { readonly id: number; readonly kind: 'progress'; readonly progress: ReadProgress }
  | { readonly id: number; readonly kind: 'done'; readonly value: Description | Answer<Question> | null }
  | { readonly id: number; readonly kind: 'failed'; readonly error: WireError };

/** Interval between progress reports. A reader could not follow faster ones. */
const REPORT_MS = 100;

const link = connectToParent<MessageFromTimeline, MessageToTimeline>();
let trace: Trace | null = null;
let ceiling: number | null = null;

function setTrace(made: Trace): Description {
  trace = made;
  return traceDescription(made);
}

async function performTask(task: MessageToTimeline): Promise<Description | Answer<Question> | null> {
  switch (task.kind) {
    case 'file': {
      let next = 0;
      const report = (progress: ReadProgress): void => {
        const now = performance.now();
        if (now < next) return;
        next = now + REPORT_MS;
        link.send({ id: task.id, kind: 'progress', progress });
      };
      return setTrace(await openTrace(task.file, task.name, report, task.scratch));
    }
    case 'run':
      return setTrace(importRun(task.run));
    case 'ceiling':
      ceiling = task.ceiling;
      return null;
    case 'ask': {
      if (trace === null) throw new BraggError('internal', 'the timeline is not open');
      return answerQuery(trace, task.question, task.asked);
    }
  }
}

function answerQuery<Q extends Question>(from: Trace, question: Q, requested: Query<Q>): Answer<Q> {
  return queryHandlers[question](from, requested, ceiling);
}

link.onMessage((task) => {
  performTask(task).then(
    (value) => link.send({ id: task.id, kind: 'done', value }),
    (error: unknown) => link.send({ id: task.id, kind: 'failed', error: toWireError(error) }),
  );
});
