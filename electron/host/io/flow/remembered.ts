/**
 * Caches the last answer of each kind: configurations of one problem share a reference, which is slower than they are.
 */
import { createHash } from 'node:crypto';

const last = new WeakMap<object, { readonly key: string; readonly answer: Promise<unknown> }>();

/**
 * `of`: the object that computes the answer; `question`: its inputs. Rejected answers, and those not worth caching, are
 * recomputed.
 */
export function remembered<T>(
  of: object,
  question: unknown,
  make: () => Promise<T>,
  isWorthKeeping: (answer: T) => boolean,
): Promise<T> {
  const key = createHash('sha256').update(JSON.stringify(question)).digest('hex');
  const known = last.get(of);
  if (known?.key === key) return known.answer as Promise<T>;
  const answer = make();
  last.set(of, { key, answer });
  const drop = (): void => {
    if (last.get(of)?.answer === answer) last.delete(of);
  };
  answer.then((found) => isWorthKeeping(found) || drop(), drop);
  return answer;
}
