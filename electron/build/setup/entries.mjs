/** Table of entries for an npm script whose first argument names an entry. */
import { readFileSync } from 'node:fs';
import { inRoot } from './root.mjs';
import { Failure, say } from './say.mjs';

/**
 * @typedef {Readonly<{
 *   about: string,
 *   usage: string,
 *   run: (words: readonly string[]) => Promise<number>,
 * }>} Entry
 * `usage`: text for `--help`, or the file whose first comment is that text, from the root; `run` gets the remaining
 * arguments and returns the exit code.
 */
/** @typedef {Readonly<Record<string, Entry>>} Entries by name */

/**
 * Lines of the table of entries.
 * @param {Entries} entries
 */
export function entryLines(entries) {
  const width = Math.max(...Object.keys(entries).map((name) => name.length));
  return Object.entries(entries).map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}`);
}

/** @param {string} usage */
function usageText(usage) {
  if (!/\.(mjs|ts)$/.test(usage)) return usage;
  const [, comment = ''] = /^\/\*\*([\s\S]*?)\*\//.exec(readFileSync(inRoot(usage), 'utf8')) ?? [];
  return comment.replace(/^\s*\* ?/gm, '').trim();
}

/**
 * Runs the entry named by the first argument with the remaining arguments. Without a name prints the table, and with
 * `--help` after a name its usage, without starting a measurement.
 * @param {string} command as a person types it
 * @param {Entries} entries
 */
export async function runEntry(command, entries) {
  const [name, ...words] = process.argv.slice(2);
  if (name === undefined) {
    say([`${command} -- NAME [ARGUMENT…], where NAME is`, ...entryLines(entries)].join('\n'));
    return 0;
  }
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
  if (entry === undefined) {
    throw new Failure(`${command}: unknown name ${name}; allowed: ${Object.keys(entries).join(', ')}`, 2);
  }
  if (words.some((word) => word === '--help' || word === '-h')) {
    say(usageText(entry.usage));
    return 0;
  }
  return entry.run(words);
}
