/**
 * Tasks that run on a worker thread, because a user's file can make them long. A task is a named function that is
 * called and awaited like any other. Tasks on arrays run immediately for small arrays, and on a worker thread for large
 * ones.
 */
import { isMainThread } from 'node:worker_threads';
import { arrayBytesIn } from './shared.ts';
import { threadPool } from './threads.ts';

type TaskFunction = (argument: never, signal: AbortSignal) => unknown;

/** Signal that is never aborted, the default for calls that cannot be cancelled. */
const NEVER_ABORTED = new AbortController().signal;

/**
 * A callable task. Its argument and result are plain values. Errors other than BraggError become a BraggError
 * `internal`.
 */
interface ThreadTask<A, R> {
  (argument: A, signal?: AbortSignal): Promise<R>;
  readonly task: string;
}

const registeredNames = new Set<string>();
/** Names of all tasks that this program declares. */
export const taskNames = (): readonly string[] => [...registeredNames];

/** Names of tasks that reuse data of earlier calls, so that their thread must live longer. */
const cachingTaskNames = new Set<string>();

/** Functions of the tasks whose modules this thread has loaded. */
const taskFunctions = new Map<string, TaskFunction>();

/** Declares a task by name, without loading its code: only the worker thread loads the function. */
export function declareTask<A, R>(name: string): ThreadTask<A, R> {
  // In a worker thread a task runs directly, because it cannot block the host's event loop there.
  const call = async (argument: A, signal = NEVER_ABORTED): Promise<R> =>
    (isMainThread
      ? await threadPool.perform(name, argument, cachingTaskNames.has(name), signal)
      : await performInThisThread(name, argument, signal)) as R;
  registeredNames.add(name);
  return Object.assign(call, { task: name });
}

/** Sets the function of a task, in the thread that loads the calling module. */
export function registerTask<A, R>(
  { task: name }: ThreadTask<A, R>,
  work: (argument: A, signal: AbortSignal) => R | Promise<R>,
): void {
  taskFunctions.set(name, work as TaskFunction);
}

/** Declares a task and sets its function. The worker thread must load the calling module too. */
export function defineThreadTask<A, R>(
  name: string,
  work: (argument: A, signal: AbortSignal) => R | Promise<R>,
): ThreadTask<A, R> {
  const made = declareTask<A, R>(name);
  registerTask(made, work);
  return made;
}

/**
 * Like `defineThreadTask`, for tasks that read data once and then answer many calls from it. One thread performs all of
 * them, and lives longer.
 */
export function defineCachingThreadTask<A, R>(
  name: string,
  work: (argument: A, signal: AbortSignal) => R | Promise<R>,
): ThreadTask<A, R> {
  cachingTaskNames.add(name);
  return defineThreadTask(name, work);
}

/** Performs a task in the current thread. */
export function performInThisThread(name: string, argument: unknown, signal: AbortSignal): unknown {
  const work = taskFunctions.get(name);
  if (work === undefined) throw new Error(`the worker thread has no task ${name}`);
  return work(argument as never, signal);
}

/**
 * Maximum size of arrays that are processed in the current thread, because that needs only milliseconds, like starting
 * a thread's task.
 */
const MAX_IMMEDIATE_BYTES = 4 * 2 ** 20;

/**
 * Like `defineThreadTask`, for functions whose time grows with the arrays in their argument. `work` receives no signal,
 * because its second parameter may have another meaning.
 */
export function defineArrayTask<A, R>(
  name: string,
  work: (argument: A) => R | Promise<R>,
): (argument: A) => Promise<R> {
  const task = defineThreadTask(name, (argument: A) => work(argument));
  return async (argument) => (arrayBytesIn(argument) > MAX_IMMEDIATE_BYTES ? task(argument) : work(argument));
}
