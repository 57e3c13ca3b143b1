/** The README and the handbook: their tables match sessions and program output, and their links have targets. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { waterBeams } from '../../../electron/build/figures/programs.ts';
import { tables } from '../../../electron/build/figures/recorded.ts';
import {
  digits,
  documents,
  replaceTables,
  root,
  schemaTexts,
  seconds,
  tableSlots,
  textOf,
} from '../../../electron/build/figures/sessions.ts';
import { again, cells, equalNumbers, expectRows, places } from './document-rows.ts';

test('tables are found by their markers and written between them', () => {
  const text = 'a\n<!-- figures: one -->\n\n| x |\n\n<!-- /figures -->\nb\n<!-- figures: two -->\n<!-- /figures -->\n';
  expect(tableSlots('a.md', text).map(({ name, text: inner }) => [name, inner])).toEqual([
    ['one', '| x |'],
    ['two', ''],
  ]);
  const filled = replaceTables(text, new Map([['two', '| y |']]));
  expect(tableSlots('a.md', filled).map(({ text: inner }) => inner)).toEqual(['| x |', '| y |']);
  expect(replaceTables(filled, new Map([['two', '| y |']]))).toBe(filled);
});

test('numbers keep three significant digits', () => {
  expect([0.0713, 1, 14.32, 216.4, 3201].map((value) => digits(value))).toEqual([
    '0.0713',
    '1.00',
    '14.3',
    '216',
    '3201',
  ]);
  expect([0.1182, 0.0016, 0.0009999, 7.57e-5, 1.2].map(seconds)).toEqual([
    '118 ms',
    '1.60 ms',
    '1.00 ms',
    '75.7 µs',
    '1.20 s',
  ]);
});

test('every generated table appears in a document, and every marker names a table', () => {
  expect([...new Set(places.map(({ name }) => name))].toSorted()).toEqual(Object.keys(tables).toSorted());
});

test('the published JSON Schemas equal the output of npm run figures -- --only schemas', () => {
  const folder = readdirSync(path.join(root, 'assets/schemas')).map((name) => `assets/schemas/${name}`);
  expect([...schemaTexts().keys()].toSorted()).toEqual(folder.toSorted());
  for (const [file, text] of schemaTexts()) expect(textOf(file), file).toBe(text);
});

describe('figures from sessions and the command line are current', () => {
  test.each(places.filter(({ name }) => tables[name]?.from !== 'solver'))(
    '$name in $file',
    async ({ name, text }) => {
      expect(text, again).toBe(await tables[name]?.make());
    },
    60_000,
  );
});

/**
 * Tables of spread-out peaks are tested with the code that builds the peaks. Tables that need longer are in
 * figures-of-solver.long.test.ts.
 */
describe('figures from the solver are current', () => {
  test('a beam in water', async () => expectRows('water-beams', await waterBeams([70])), 120_000);
  test('the headline', async () => {
    const kept = cells(places.find(({ name }) => name === 'headline')?.text ?? '');
    const made = cells((await tables['headline']?.make()) ?? '');
    // The first row of the table is computed by the solver; the others are from sessions.
    expect(kept.slice(3), again).toEqual(made.slice(3));
    const range = (row: readonly string[] | undefined) => (row?.[1] ?? '').match(/[\d.]+/g) ?? [];
    expect(range(kept[2])).toHaveLength(2);
    for (const [at, value] of range(made[2]).entries())
      expect(equalNumbers(range(kept[2])[at] ?? '', value), again).toBe(true);
  }, 120_000);
});

/**
 * Tables with numbers that were entered by hand. Each number is either from a source that the table names, or a typical
 * requirement, or the tolerance of a gate.
 */
const typedTables: readonly (readonly [file: string, title: string])[] = [
  ['assets/handbook/fields.md', '`range_is`'],
  ['assets/handbook/fields.md', 'Request'],
  ['assets/handbook/let-and-rbe.md', 'Model'],
  ['assets/handbook/nuclear-reactions.md', 'What'],
  ['assets/handbook/physics-and-limits.md', 'Compared with `depth` in FP64 on fine grids'],
  ['assets/handbook/uncertainty.md', 'Input'],
];

test('every other table of figures is generated', () => {
  const figure = /\d\.\d|\d\s?(?:%|×|mm|MeV|[mµn]?s|[kMG]i?B)(?![\w-])/;
  const found = documents.flatMap((file) => {
    const outside = textOf(file).replace(/<!-- figures[\s\S]*?\/figures -->/g, '');
    return [...outside.matchAll(/(?:^\|.*\n)+/gm)].flatMap(([text]) => {
      const [head = '', , ...body] = text.trim().split('\n');
      const figures = body
        .join(' ')
        .replace(/`[^`]*`/g, '')
        .split('|')
        .filter((cell) => figure.test(cell));
      return figures.length < 2 ? [] : [[file, head.split('|')[1]?.trim()]];
    });
  });
  expect(found).toEqual(typedTables);
});

/** Text of a page without tables, code and markers. */
const prose = (text: string): string =>
  text
    .replace(/<!-- figures[\s\S]*?\/figures -->/g, '')
    .replace(/```[\s\S]*?```/g, '')
    .replace(/^\|.*$/gm, '')
    .replace(/<[^>]*>/g, '');

describe.each(documents)('%s', (file) => {
  const text = textOf(file);

  test('links point to existing files and headings', () => {
    const anchors = (of: string) =>
      [...of.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replace(/[^\p{L}\p{N} -]/gu, '')
          .replaceAll(' ', '-'),
      );
    for (const [, to = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(to)) continue;
      const [name = '', anchor] = to.split('#');
      const target = name === '' ? file : path.posix.join(path.posix.dirname(file), name);
      expect(existsSync(path.join(root, target)), to).toBe(true);
      if (anchor !== undefined) expect(anchors(textOf(target)), to).toContain(anchor);
    }
  });

  test('sentences have fewer than 25 words', () => {
    const sentences = prose(text)
      .split(/\n\s*\n|\n(?=[-*#] |\d+\. )/)
      .flatMap((block) => block.replaceAll('\n', ' ').split(/(?<=[.:;?!]\**)\s+/));
    const long = sentences.filter((sentence) => sentence.split(/\s+/).filter((word) => /\w/.test(word)).length >= 25);
    expect(long).toEqual([]);
  });

  test('no document contains a time or ratio written by hand', () => {
    const typed = prose(text).match(/\d[\d.,]*(?:×|\s?(?:ms|µs|ns|[GMT]B\/s)\b)/g) ?? [];
    expect(typed).toEqual([]);
  });
});

test('the README has at most 9 kB, and its pictures exist in both themes', () => {
  const text = textOf('README.md');
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(9000);
  for (const theme of ['light', 'dark']) {
    expect(text).toContain(`assets/readme/workbench-${theme}.png`);
    expect(existsSync(path.join(root, `assets/readme/workbench-${theme}.png`))).toBe(true);
  }
});
