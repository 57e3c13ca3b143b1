/** The last answer of its kind: configurations of one problem are held to the same one, which takes longer than they do. */
import { createHash } from 'node:crypto';

const last = new WeakMap<object, { readonly key: string; readonly answer: Promise<unknown> }>();

/** `of` is what makes it, `question` what it depends on. What is rejected, or not worth keeping, is asked anew. */
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
