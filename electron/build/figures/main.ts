/**
 * Regenerates every table of the documents between its markers, and the JSON Schemas. `--only NAME,…` selects tables,
 * or `schemas`. `--check` lists the files that differ and writes nothing.
 */
import { parseArgs } from 'node:util';
import { tables } from './recorded.ts';
import { changes, documents, placesIn, write } from './sessions.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false }, only: { type: 'string' } } });
const used = new Set(documents.flatMap((file) => placesIn(file).map(({ name }) => name)));
const wanted = new Set(values.only?.split(',') ?? [...used, 'schemas']);
const schemas = wanted.delete('schemas');
const generatedTables = new Map<string, string>();
for (const name of wanted) {
  const found = tables[name];
  if (found === undefined)
    throw new Error(`No table is called ${name}; known: schemas, ${Object.keys(tables).join(', ')}.`);
  generatedTables.set(name, await found.make());
}
const { check } = values;
const changed = changes(generatedTables, schemas);
if (!check) write(changed);
const files = [...changed.keys()].join(', ');
const outcomeText = files === '' ? 'as they are made' : `${check ? 'different' : 'changed'}: ${files}`;
process.stdout.write(`${generatedTables.size} tables${schemas ? ' and the schemas' : ''}, ${outcomeText}\n`);
if (check && changed.size > 0) process.exitCode = 1;
