/**
 * Work that a user's file can make long runs on a worker thread. A task is a function with a name, which its caller
 * awaits like any other.
 *
 * Work on arrays: immediate for small arrays, on a worker thread for large ones.
 */
import { isMainThread } from 'node:worker_threads';
import { sizeOf } from './shared.ts';
import { threads } from './threads.ts';

type Work = (argument: never, signal: AbortSignal) => unknown;

/** A signal that is never aborted, for calls that cannot be cancelled. */
const NEVER_ABORTED = new AbortController().signal;

/** Arguments and results are plain values. Errors other than BraggError become BraggError `internal`. */
interface Task<A, R> {
  (argument: A, signal?: AbortSignal): Promise<R>;
  readonly task: string;
}

const registeredNames = new Set<string>();
/** Names of all tasks that this program may request. */
export const taskNames = (): readonly string[] => [...registeredNames];

/** Tasks that reuse data of earlier calls. */
const retainingTasks = new Set<string>();

/** Tasks that this thread can perform. */
const taskFunctions = new Map<string, Work>();

/** Declares a task by name; only the thread that performs it loads its code. */
export function task<A, R>(name: string): Task<A, R> {
  // Worker threads perform tasks directly, because they do not block the event loop of the host.
  const call = async (argument: A, signal = NEVER_ABORTED): Promise<R> =>
    (isMainThread
      ? await threads.perform(name, argument, retainingTasks.has(name), signal)
      : await performHere(name, argument, signal)) as R;
  registeredNames.add(name);
  return Object.assign(call, { task: name });
}

/** Registers the function of a task in the thread that loads this module. */
export function registerTask<A, R>(
  { task: name }: Task<A, R>,
  work: (argument: A, signal: AbortSignal) => R | Promise<R>,
): void {
  taskFunctions.set(name, work as Work);
}

/** Declares a task and registers `work` for it. The worker thread must load the module too. */
export function onThread<A, R>(name: string, work: (argument: A, signal: AbortSignal) => R | Promise<R>): Task<A, R> {
  const made = task<A, R>(name);
  registerTask(made, work);
  return made;
}

/** Like `onThread`, for data that is read once and requested often: one thread performs all calls, and lives longer. */
export function onThreadReusing<A, R>(
  name: string,
  work: (argument: A, signal: AbortSignal) => R | Promise<R>,
): Task<A, R> {
  retainingTasks.add(name);
  return onThread(name, work);
}

/** Performs a task in the worker thread. */
export function performHere(name: string, argument: unknown, signal: AbortSignal): unknown {
  const work = taskFunctions.get(name);
  if (work === undefined) throw new Error(`the worker thread has no task ${name}`);
  return work(argument as never, signal);
}

/** Arrays of this size are processed within milliseconds, about the overhead of a thread. */
const SMALL_BYTES = 4 * 2 ** 20;

/**
 * Like `onThread`, for work whose time grows with the arrays in its argument. `work` gets no signal, because its
 * second parameter may have another meaning.
 */
export function onThreadIfLarge<A, R>(
  name: string,
  work: (argument: A) => R | Promise<R>,
): (argument: A) => Promise<R> {
  const task = onThread(name, (argument: A) => work(argument));
  return async (argument) => (sizeOf(argument) > SMALL_BYTES ? task(argument) : work(argument));
}
