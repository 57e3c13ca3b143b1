/** Runs a benchmark on a dedicated thread. Defines the messages between the host and that thread. */
import { Worker } from 'node:worker_threads';
import type { Session } from '../../../contract/bench/session.ts';
import { BraggError, type WireError } from '../../../contract/errors.ts';
import type { StartChild } from '../../io/processes/link.ts';
import { programPath } from '../../io/programs.ts';
import type { BenchProgress } from '../../model/bench/stopping.ts';
import {
  ChildrenForThread,
  isFromRelay,
  type MessageFromRelay,
  type MessageToRelay,
} from '../../model/user-kernels/process/relay.ts';
import type { BenchOutcome, BenchTask } from '../../workloads/benchable.ts';

export type MessageFromBench =
  | { readonly kind: 'progress'; readonly progress: BenchProgress; readonly report: number }
  | { readonly kind: 'so far'; readonly session: Session }
  | { readonly kind: 'printed'; readonly id: string; readonly text: string }
  | { readonly kind: 'done'; readonly outcome: BenchOutcome }
  | { readonly kind: 'failed'; readonly error: WireError }
  | MessageFromRelay;

export type MessageToBench =
  | {
      readonly kind: 'start';
      readonly task: BenchTask;
      /** Whether the thread sends intermediate results, which are saved for recovery after a crash. */
      readonly sendsIntermediate: boolean;
    }
  | { readonly kind: 'cancel' }
  | MessageToRelay;

export type BenchRunner = (
  task: BenchTask,
  onProgress: (progress: BenchProgress, report: number) => void,
  signal: AbortSignal,
  soFar?: (session: Session) => void,
) => Promise<BenchOutcome>;

/**
 * Creates a runner that starts one thread per benchmark. Aborting ends the session after its current run, with the
 * results so far. Rejects with BraggError.
 */
export const benchOnThread =
  (startChild: StartChild, onPrinted: (id: string, text: string) => void): BenchRunner =>
  async (task, onProgress, signal, soFar) => {
    const worker = new Worker(programPath('bench-worker', 'app/benches/worker.ts'));
    const send = (message: MessageToBench): void => worker.postMessage(message);
    const children = new ChildrenForThread(startChild, send);
    const cancel = (): void => send({ kind: 'cancel' });
    try {
      return await new Promise<BenchOutcome>((resolve, reject) => {
        const rejectWith = (reason: string): void =>
          reject(new BraggError('internal', `The benchmark failed: ${reason}`));
        worker.on('message', (message: MessageFromBench) => {
          if (isFromRelay(message)) children.receive(message);
          else if (message.kind === 'progress') onProgress(message.progress, message.report);
          else if (message.kind === 'printed') onPrinted(message.id, message.text);
          else if (message.kind === 'so far') soFar?.(message.session);
          else if (message.kind === 'done') resolve(message.outcome);
          else reject(BraggError.fromWire(message.error));
        });
        worker.on('error', (error: Error) => rejectWith(error.message));
        worker.on('exit', () => rejectWith('its thread ended'));
        send({ kind: 'start', task, sendsIntermediate: soFar !== undefined });
        if (signal.aborted) cancel();
        else signal.addEventListener('abort', cancel, { once: true });
      });
    } finally {
      signal.removeEventListener('abort', cancel);
      children.close();
      await worker.terminate();
    }
  };
