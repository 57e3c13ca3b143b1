/**
 * Work that a user's file can make long runs on a worker thread. A task is a function with a name, which its caller
 * awaits like any other.
 */
import { isMainThread } from 'node:worker_threads';
import { threads } from './threads.ts';

type Work = (argument: never, signal: AbortSignal) => unknown;

/** Never aborted: for calls that cannot be cancelled. */
const NEVER = new AbortController().signal;

/** Takes and gives plain values. Throws BraggErrors; any other error comes back as one, `internal`. */
interface Task<A, R> {
  (argument: A, signal?: AbortSignal): Promise<R>;
  readonly task: string;
}

const made = new Set<string>();
/** Those that this program may ask for. */
export const taskNames = (): readonly string[] => [...made];

/** Those that go on with what they have read before. */
const keeping = new Set<string>();

/** Tasks that this thread can perform. */
const works = new Map<string, Work>();

/** Task with this name: only the thread that performs it needs the code. */
export function task<A, R>(name: string): Task<A, R> {
  // Other threads than the main one hold nobody up.
  const call = async (argument: A, signal = NEVER): Promise<R> =>
    (isMainThread
      ? await threads.perform(name, argument, keeping.has(name), signal)
      : await performHere(name, argument, signal)) as R;
  made.add(name);
  return Object.assign(call, { task: name });
}

/** Says what a task does, to the thread that this is loaded in. */
export function does<A, R>(
  { task: name }: Task<A, R>,
  work: (argument: A, signal: AbortSignal) => R | Promise<R>,
): void {
  works.set(name, work as Work);
}

/** Both in one: `work`, done on a thread. Its module is to be loaded there, too. */
export function aside<A, R>(name: string, work: (argument: A, signal: AbortSignal) => R | Promise<R>): Task<A, R> {
  const made = task<A, R>(name);
  does(made, work);
  return made;
}

/** The same for data that is read once and requested often: one thread does all of it, and lives longer. */
export function asideKeeping<A, R>(
  name: string,
  work: (argument: A, signal: AbortSignal) => R | Promise<R>,
): Task<A, R> {
  keeping.add(name);
  return aside(name, work);
}

/** For the thread that does it. */
export function performHere(name: string, argument: unknown, signal: AbortSignal): unknown {
  const work = works.get(name);
  if (work === undefined) throw new Error(`the thread does not know how to ${name}`);
  return work(argument as never, signal);
}
