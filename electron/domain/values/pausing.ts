/** Cooperative tasks: generators that can run to the end at once, or yield to other work in the host. */

/** Task that yields often, so that its caller can decide when other work continues. */
export type YieldingTask<T> = Generator<void, T>;

export function runToCompletion<T>(work: YieldingTask<T>): T {
  let next = work.next();
  while (!next.done) next = work.next();
  return next.value;
}
