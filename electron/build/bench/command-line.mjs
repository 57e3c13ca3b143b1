/**
 * Starts the built command line for benchmarks and parses its JSON output. Also parses flags that several benchmarks
 * accept.
 */
import { capture } from '../setup/command.mjs';
import { inRoot } from '../setup/root.mjs';
import { Failure } from '../setup/say.mjs';

/** Path of the built command line, which is the one that users start. */
export const commandLine = () => inRoot('dist/host/cli.js');

/**
 * Runs a command and parses its JSON output. Exit code 1 is accepted, because commands report findings by it. Throws a
 * Failure if the output contains no JSON.
 * @param {readonly string[]} words
 * @returns {Promise<any>}
 */
export async function runForJson(...words) {
  const { code, output } = await capture(process.execPath, [commandLine(), ...words, '--json']);
  const from = output.indexOf('{');
  if (code > 1 || from < 0) throw new Failure(output.trim(), 2);
  return JSON.parse(output.slice(from));
}

/**
 * Value after a flag; null if the flag is absent.
 * @param {readonly string[]} args @param {string} flag
 */
export function valueAfter(args, flag) {
  const at = args.indexOf(flag);
  return at < 0 ? null : (args[at + 1] ?? '');
}

/**
 * Parses the value of a flag as a positive integer. Throws a Failure for any other text.
 * @param {string} flag @param {string} text
 */
export function parsePositiveInteger(flag, text) {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Failure(`--${flag}: ${JSON.stringify(text)} is not a whole number above 0`, 2);
}

/**
 * Selects items by the names in `--sessions`; null if the flag is absent, which selects all. Throws a Failure for an
 * unknown name.
 * @template T
 * @param {readonly string[]} args @param {readonly T[]} all @param {(one: T) => string} nameOf
 * @returns {readonly T[] | null}
 */
export function selectSessions(args, all, nameOf) {
  const asked = valueAfter(args, '--sessions');
  if (asked === null) return null;
  return asked.split(',').map((name) => {
    const found = all.find((one) => nameOf(one) === name);
    if (found !== undefined) return found;
    throw new Failure(`--sessions: ${JSON.stringify(name)} is not known; allowed: ${all.map(nameOf).join(', ')}`);
  });
}
