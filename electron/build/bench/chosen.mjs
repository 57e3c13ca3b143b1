/** Sessions of a benchmark that `--sessions a,b` asks for. */
import { Failure } from '../setup/say.mjs';

/**
 * Value after a flag; null without the flag.
 * @param {readonly string[]} args @param {string} flag
 */
export function valueAfter(args, flag) {
  const at = args.indexOf(flag);
  return at < 0 ? null : (args[at + 1] ?? '');
}

/**
 * Chosen items, or null without `--sessions`: use all. Throws a Failure for an unknown name.
 * @template T
 * @param {readonly string[]} args @param {readonly T[]} all @param {(one: T) => string} nameOf
 * @returns {readonly T[] | null}
 */
export function chosenSessions(args, all, nameOf) {
  const asked = valueAfter(args, '--sessions');
  if (asked === null) return null;
  return asked.split(',').map((name) => {
    const found = all.find((one) => nameOf(one) === name);
    if (found !== undefined) return found;
    throw new Failure(`--sessions: ${JSON.stringify(name)} is not known; allowed: ${all.map(nameOf).join(', ')}`);
  });
}
