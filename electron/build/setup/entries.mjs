/** Entries of an npm script, one of which its first argument selects. */
import { readFileSync } from 'node:fs';
import { inRoot } from './root.mjs';
import { Failure, printLine } from './say.mjs';

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
 * Lines that list all entries.
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
 * Runs the entry that the first argument names, and passes the remaining arguments. Without a name, lists the entries.
 * With `--help` after a name, prints the usage of the entry.
 * @param {string} command as a person types it
 * @param {Entries} entries
 */
export async function runEntry(command, entries) {
  const [name, ...words] = process.argv.slice(2);
  if (name === undefined) {
    printLine([`${command} -- NAME [ARGUMENT…], where NAME is`, ...entryLines(entries)].join('\n'));
    return 0;
  }
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
  if (entry === undefined) {
    throw new Failure(`${command}: unknown name ${name}; allowed: ${Object.keys(entries).join(', ')}`, 2);
  }
  if (words.some((word) => word === '--help' || word === '-h')) {
    printLine(usageText(entry.usage));
    return 0;
  }
  return entry.run(words);
}
