/** The README and the handbook, and the text between the markers of a table in them. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../../..');

/** Below the root, in a fixed order. */
export const documents: readonly string[] = [
  'README.md',
  ...globSync('assets/handbook/*.md', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .toSorted(),
];

export const textOf = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** `<!-- figures: name -->`, a table, `<!-- /figures -->`. */
const marked = /<!-- figures: ([\w-]+) -->\n([\s\S]*?)<!-- \/figures -->/g;

interface TableSlot {
  readonly file: string;
  /** Name of the table. */
  readonly name: string;
  readonly text: string;
}

export function placesIn(file: string, text = textOf(file)): readonly TableSlot[] {
  return [...text.matchAll(marked)].map(([, name = '', inner = '']) => ({ file, name, text: inner.trim() }));
}

/** The text with the tables that are given in their places; other places stay as they are. */
export function withTables(text: string, tables: ReadonlyMap<string, string>): string {
  return text.replace(marked, (whole, name: string) => {
    const table = tables.get(name);
    return table === undefined ? whole : `<!-- figures: ${name} -->\n\n${table}\n\n<!-- /figures -->`;
  });
}

/** Says which files changed. */
export function write(tables: ReadonlyMap<string, string>): readonly string[] {
  return documents.filter((file) => {
    const before = textOf(file);
    const after = withTables(before, tables);
    if (after !== before) writeFileSync(path.join(root, file), after);
    return after !== before;
  });
}
