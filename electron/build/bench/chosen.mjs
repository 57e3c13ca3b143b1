/** Sessions of a benchmark that `--sessions a,b` asks for. */
import { Failure } from '../setup/say.mjs';

/**
 * Null without `--sessions`: all. Throws a Failure for a name that is none.
 * @template T
 * @param {readonly string[]} args @param {readonly T[]} all @param {(one: T) => string} nameOf
 * @returns {readonly T[] | null}
 */
export function chosenSessions(args, all, nameOf) {
  const at = args.indexOf('--sessions');
  if (at < 0) return null;
  return (args[at + 1] ?? '').split(',').map((name) => {
    const found = all.find((one) => nameOf(one) === name);
    if (found !== undefined) return found;
    throw new Failure(`--sessions: ${JSON.stringify(name)} is not known; allowed: ${all.map(nameOf).join(', ')}`);
  });
}
