/**
 * Regenerates the tables between markers in the documents, and the JSON Schemas. `--only NAME,…` selects tables, or
 * `schemas`. `--check` only lists files that would change.
 */
import { parseArgs } from 'node:util';
import { tables } from './recorded.ts';
import { changedTexts, documents, tableSlots, writeFiles } from './sessions.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false }, only: { type: 'string' } } });
const usedTables = new Set(documents.flatMap((file) => tableSlots(file).map(({ name }) => name)));
const wantedTables = new Set(values.only?.split(',') ?? [...usedTables, 'schemas']);
const schemas = wantedTables.delete('schemas');
const generatedTables = new Map<string, string>();
for (const name of wantedTables) {
  const found = tables[name];
  if (found === undefined)
    throw new Error(`No table is called ${name}; known: schemas, ${Object.keys(tables).join(', ')}.`);
  generatedTables.set(name, await found.make());
}
const { check } = values;
const changedFiles = changedTexts(generatedTables, schemas);
if (!check) writeFiles(changedFiles);
const files = [...changedFiles.keys()].join(', ');
const outcomeText = files === '' ? 'current' : `${check ? 'different' : 'changed'}: ${files}`;
process.stdout.write(`${generatedTables.size} tables${schemas ? ' and the schemas' : ''}, ${outcomeText}\n`);
if (check && changedFiles.size > 0) process.exitCode = 1;
