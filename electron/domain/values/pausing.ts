/** Cooperative work: it runs to its end at once or, in the host, yields to other work. */

/** Generator that yields often; its caller decides how long it runs before other work continues. */
export type YieldingTask<T> = Generator<void, T>;

export function runToCompletion<T>(work: YieldingTask<T>): T {
  let next = work.next();
  while (!next.done) next = work.next();
  return next.value;
}
