/** Work on arrays: immediate for small arrays, on a worker thread for large ones. */
import { sizeOf } from './size.ts';
import { aside } from './task.ts';

/** Arrays of so much are read within milliseconds; a thread costs as much. */
const FEW_BYTES = 4 * 2 ** 20;

/** As `aside`, for work whose time grows with the arrays in its argument. No signal: an optional parameter would take it. */
export function asideIfLarge<A, R>(name: string, work: (argument: A) => R | Promise<R>): (argument: A) => Promise<R> {
  const task = aside(name, (argument: A) => work(argument));
  return async (argument) => (sizeOf(argument) > FEW_BYTES ? task(argument) : work(argument));
}
