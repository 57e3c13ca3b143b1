/** One npm script for several entry scripts: the first argument names one. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { inRoot } from './root.mjs';
import { Failure, say } from './say.mjs';

/** @typedef {Readonly<Record<string, readonly [file: string, about: string]>>} Entries by name; files below electron/build */

/**
 * The lines of the table of names.
 * @param {Entries} entries
 */
export function entryLines(entries) {
  const width = Math.max(...Object.keys(entries).map((name) => name.length));
  return Object.entries(entries).map(([name, [, about]]) => `  ${name.padEnd(width)}  ${about}`);
}

/**
 * Runs the entry script that the first argument names, with the remaining arguments; without a name prints the table.
 * @param {string} command as a person types it
 * @param {Entries} entries
 */
export async function runEntry(command, entries) {
  const name = process.argv[2];
  if (name === undefined) {
    say([`${command} -- NAME [ARGUMENT…], where NAME is`, ...entryLines(entries)].join('\n'));
    return 0;
  }
  const [file] = Object.hasOwn(entries, name) ? (entries[name] ?? []) : [];
  if (file === undefined) {
    throw new Failure(`${command}: unknown name ${name}; allowed: ${Object.keys(entries).join(', ')}`, 2);
  }
  // The entry script reads its arguments itself, and may start again in another Node.
  process.argv.splice(1, 2, inRoot(path.join('electron/build', file)));
  await import(pathToFileURL(process.argv[1] ?? '').href);
  return Number(process.exitCode ?? 0);
}
