/**
 * Regenerates every table of the documents between its markers; with `--only NAME,…` only these. `--check` lists the
 * tables that differ and writes nothing.
 */
import { parseArgs } from 'node:util';
import { documents, placesIn, textOf, withTables, write } from './documents.ts';
import { tables } from './tables.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false }, only: { type: 'string' } } });
const only = values.only?.split(',') ?? null;
const used = new Set(documents.flatMap((file) => placesIn(file).map(({ name }) => name)));
const made = new Map<string, string>();
for (const name of only ?? used) {
  const found = tables[name];
  if (found === undefined) throw new Error(`No table is called ${name}; known: ${Object.keys(tables).join(', ')}.`);
  made.set(name, await found.make());
}
const { check } = values;
const changed = check ? documents.filter((file) => withTables(textOf(file), made) !== textOf(file)) : write(made);
const what = changed.length === 0 ? 'as they are made' : `${check ? 'different' : 'changed'}: ${changed.join(', ')}`;
process.stdout.write(`${made.size} tables, ${what}\n`);
if (check && changed.length > 0) process.exitCode = 1;
