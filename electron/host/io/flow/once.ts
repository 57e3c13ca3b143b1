/**
 * Caches the last answer of each kind: configurations of one problem share a reference answer, which takes longer to
 * compute than a configuration.
 */
import { createHash } from 'node:crypto';

/** Lazily computed and cached; errors are not cached. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * Runs `work` at most once per turn of the event loop, however often it is requested. Native threads call in bursts
 * that continue while new calls arrive; work inside the burst would block timers and sockets.
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

const lastAnswers = new WeakMap<object, { readonly key: string; readonly answer: Promise<unknown> }>();

/**
 * `of`: the object that computes the answer. `question`: its inputs. Rejected answers, and those not worth caching, are
 * recomputed.
 */
export function memoizedLast<T>(
  of: object,
  question: unknown,
  make: () => Promise<T>,
  isWorthKeeping: (answer: T) => boolean,
): Promise<T> {
  const key = createHash('sha256').update(JSON.stringify(question)).digest('hex');
  const known = lastAnswers.get(of);
  if (known?.key === key) return known.answer as Promise<T>;
  const answer = make();
  lastAnswers.set(of, { key, answer });
  const drop = (): void => {
    if (lastAnswers.get(of)?.answer === answer) lastAnswers.delete(of);
  };
  answer.then((found) => isWorthKeeping(found) || drop(), drop);
  return answer;
}
