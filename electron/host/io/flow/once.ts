/**
 * Caches of computed values. `cachedLastAnswer` caches the last reference answer of a user's program: configurations of
 * one problem share it, and computing it needs longer than running a configuration.
 */
import { createHash } from 'node:crypto';

/** Returns a function that computes its value on the first call and caches it; errors are not cached. */
export function lazyValue<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * Returns a function that runs `work` at most once per turn of the event loop, however often it is called. Native
 * threads call it in bursts. Work inside such a burst would delay timers and sockets.
 */
export function oncePerTick(work: () => void): () => void {
  let requested = false;
  return () => {
    if (requested) return;
    requested = true;
    setImmediate(() => {
      requested = false;
      work();
    });
  };
}

const cachedAnswers = new WeakMap<object, { readonly key: string; readonly answer: Promise<unknown> }>();

/**
 * Returns the cached answer of `of` if the last question to it was the same; otherwise computes the answer. `of`: the
 * object that answers. `question`: all inputs of the answer. Rejected answers, and those not worth caching, are
 * computed again.
 */
export function cachedLastAnswer<T>(
  of: object,
  question: unknown,
  make: () => Promise<T>,
  isWorthKeeping: (answer: T) => boolean,
): Promise<T> {
  const key = createHash('sha256').update(JSON.stringify(question)).digest('hex');
  const known = cachedAnswers.get(of);
  if (known?.key === key) return known.answer as Promise<T>;
  const answer = make();
  cachedAnswers.set(of, { key, answer });
  const drop = (): void => {
    if (cachedAnswers.get(of)?.answer === answer) cachedAnswers.delete(of);
  };
  answer.then((found) => isWorthKeeping(found) || drop(), drop);
  return answer;
}
