/** A run in a process of its own: what the first answer of a program costs. */
import { BraggError } from '../../../../contract/errors.ts';
import { fromNative } from '../../../io/addon/addon.ts';
import type { StartChild } from '../../../io/processes/link.ts';
import type { Factory } from '../../user-kernels/process/messages.ts';
import { UserKernelProcess } from '../../user-kernels/process/user-kernel-process.ts';

/** Work of a child process: it creates one of the addon's objects and calls its methods in order. */
export interface ColdRun {
  readonly factory: Factory;
  readonly problem: unknown;
  readonly calls: readonly {
    readonly method: string;
    readonly args: readonly unknown[];
    /** Its first argument is a callback, which hears nothing here. */
    readonly reports: boolean;
  }[];
}

/** A process that was killed is gone well within this. */
const GONE_MS = 5_000;

/**
 * The link, and a promise that resolves when its process has ended. The next process must not overlap with the previous
 * one.
 */
function watched(startChild: StartChild) {
  const link = startChild('user-kernel-child');
  let gone: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    gone = resolve;
  });
  const start: StartChild = () => ({
    send: (message) => link.send(message),
    onMessage: (listener) => link.onMessage(listener),
    onOutput: (listener) => link.onOutput(listener),
    kill: () => link.kill(),
    onEnded: (listener) =>
      link.onEnded((how) => {
        gone();
        listener(how);
      }),
  });
  return { start, ended };
}

function refuseFailed(result: unknown): void {
  if (result === null) throw new BraggError('device', 'its process gave no answer');
  if (typeof result === 'object' && 'error' in result && result.error !== null) throw fromNative(result.error);
}

/**
 * Seconds from starting a process to its answer, which stays in its memory. Starting Node.js and loading the addon are
 * in it. Null once `signal` is aborted. Throws a BraggError for a run that fails.
 */
export async function coldProcess_s(
  label: string,
  { factory, problem, calls }: ColdRun,
  startChild: StartChild,
  signal?: AbortSignal,
): Promise<number | null> {
  const aborted = (): boolean => signal?.aborted === true;
  if (aborted()) return null;
  const began = performance.now();
  const { start, ended } = watched(startChild);
  const child = await UserKernelProcess.start(label, start);
  const cancel = (): void => child.close();
  signal?.addEventListener('abort', cancel);
  try {
    await child.create(factory, problem);
    for (const { method, args, reports } of calls) {
      refuseFailed(await child.call(method, args, reports ? () => undefined : undefined, true));
    }
    return (performance.now() - began) / 1000;
  } catch (error) {
    if (aborted()) return null;
    throw error;
  } finally {
    signal?.removeEventListener('abort', cancel);
    child.close();
    let late: NodeJS.Timeout | undefined;
    await Promise.race([ended, new Promise((resolve) => (late = setTimeout(resolve, GONE_MS)))]);
    clearTimeout(late);
  }
}

export interface ColdTaken {
  /** From the start of the process to its answer. */
  readonly time_s: number;
  /** Set-up and whole time of the run itself, without the start of the process; absent where they are not timed apart. */
  readonly setup_s?: number;
  readonly wall_s?: number;
}

/** Starts a process of any kind and times its first run; null once `signal` is aborted. */
export type ColdStart = (label: string, startChild: StartChild, signal?: AbortSignal) => Promise<ColdTaken | null>;

/** Null if `run` is null. */
export const coldStart = (run: ColdRun | null): ColdStart | null =>
  run &&
  (async (label, startChild, signal) => {
    const time_s = await coldProcess_s(label, run, startChild, signal);
    return time_s === null ? null : { time_s };
  });
