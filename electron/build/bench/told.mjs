/** JSON output of the built command line (`--json`). */
import { capture } from '../setup/command.mjs';
import { inRoot } from '../setup/root.mjs';
import { Failure } from '../setup/say.mjs';

/** The built command line, which benchmarks start as a user does. */
export const commandLine = () => inRoot('dist/host/cli.js');

/**
 * A command may end with 1 where it found something. Throws a Failure with its words where it says no JSON.
 * @param {readonly string[]} words
 * @returns {Promise<any>}
 */
export async function told(...words) {
  const { code, output } = await capture(process.execPath, [commandLine(), ...words, '--json']);
  const from = output.indexOf('{');
  if (code > 1 || from < 0) throw new Failure(output.trim(), 2);
  return JSON.parse(output.slice(from));
}
