/** Comments are read by people who do not know the code: they begin with what a thing is, in short sentences. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const SOURCES = ['electron', 'renderer', 'native', 'kernels', 'test'];
const tracked = ['ls-files', '--cached', '--others', '--exclude-standard', ...SOURCES];
const sources = execFileSync('git', tracked, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
  .split('\n')
  .filter((file) => /\.(ts|tsx|mjs|cpp|hpp|cu|cuh)$/.test(file) && existsSync(path.join(root, file)));

/** "Of a run: its time" is a riddle; "Time of a run" is not. */
const riddle = /^\s*(?:\/\*\*|\*|\/\/+)\s+Of\s/;
const riddlesIn = (text: string): readonly number[] =>
  text.split('\n').flatMap((line, index) => (riddle.test(line) ? [index + 1] : []));

test('no comment begins with "Of"', () => {
  const opening = 'Of ';
  expect(riddlesIn(`/** ${opening}the run. */\n// The run.\n  // ${opening}both.`)).toEqual([1, 3]);
  const found = sources.flatMap((file) =>
    riddlesIn(readFileSync(path.join(root, file), 'utf8')).map((line) => `${file}:${line}`),
  );
  expect(sources.length).toBeGreaterThan(1000);
  expect(found).toEqual([]);
});

/** `What is kept` leaves its reader to find the noun; `Cache of parsed tables` names it. `Null if` states a condition. */
const clause = /^(?:(?:What|How|Where)\b|Null\b(?! if\b))/;
/** Words for which the field has others: `told` (reported), `kept` (cached), `beside` (next to), `stands in for` (replaces). */
const retired = new RegExp(
  `\\b(?:${[
    'told|tells|kept|asked|beside|anew|aside|endless|made up|held to|goes wrong|so long as|for so long|in turns',
    "of one's own|rivals?|contestants?|entrants?|whole runs?|what it is made from",
    'stands?(?!-in\\b| for\\b)|(?<!page )(?<!segmentation )(?<!planted )faults?(?! injection\\b)',
  ].join('|')})\\b`,
  'i',
);
const commentStart =
  /(?<![\w'"`*.])\/\*(?<block>[\s\S]*?)\*\/|(?<lines>(?:^[ \t]*\/\/[^\n]*\n)+)|(?<![:\w'"`/])\/\/(?<rest>[^\n]*)/gm;

function dialectIn(text: string): readonly string[] {
  return [...text.matchAll(commentStart)].flatMap(({ groups }) => {
    const raw = groups?.['block'] ?? groups?.['lines'] ?? groups?.['rest'] ?? '';
    // Types and code are names, which are not prose.
    let prose = raw.replace(/^\s*(?:\*+|\/\/+)/gm, '').replace(/`[^`]*`/g, '');
    while (/\{[^{}]*\}/.test(prose)) prose = prose.replace(/\{[^{}]*\}/g, '');
    const plain = prose
      .replace(/@typedef\s+\w+/g, '')
      .replace(/\s+/g, ' ')
      .trim();
    return clause.test(plain) || retired.test(plain) ? [plain] : [];
  });
}

test('a comment has a subject from the field, and no word of a private dialect', () => {
  const [open, close, line] = ['/' + '*', '*' + '/', '/' + '/'];
  const bad = `${open}* What is kept. ${close}\n${line} Null where there is none.\nint a;  ${line} beside b\n`;
  expect(dialectIn(bad)).toHaveLength(3);
  expect(dialectIn(`${open}* Cache of tables. Null if \`kept\` is empty. ${close}\n`)).toEqual([]);
  const found = sources.flatMap((file) =>
    dialectIn(readFileSync(path.join(root, file), 'utf8')).map((words) => `${file}: ${words}`),
  );
  expect(found).toEqual([]);
});

const WORDS = 25;
const comment = /\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/[^\n]*\n)+|(?<![:\w'"`])\/\/[^\n]*/gm;
/** A table row: columns separated by three or more spaces. */
const columns = /\S {3,}\S/;

function longIn(text: string): readonly string[] {
  return [...text.matchAll(comment)]
    .flatMap(([found]) => found.replace(/^\s*(?:\/\*+|\*\/|\*|\/\/+)/gm, '').split(/\n\s*\n|\n\s*(?=[-*@] ?\w)/))
    .filter((paragraph) => !columns.test(paragraph))
    .flatMap((paragraph) => paragraph.replaceAll(/\s+/g, ' ').split(/(?<=[.:;?!])\s+/))
    .filter((sentence) => sentence.split(' ').filter((word) => /[A-Za-z]/.test(word)).length >= WORDS);
}

test(`a sentence has fewer than ${WORDS} words, as in the handbook`, () => {
  const long = `${'word '.repeat(WORDS)}end.`;
  expect(longIn(`/** ${long} */\n// Short.\n  // ${long}\n`)).toHaveLength(2);
  expect(longIn(`/**\n * Short: ${'word '.repeat(WORDS - 2)}end.\n * Then.\n */`)).toEqual([]);
  const found = sources.flatMap((file) =>
    longIn(readFileSync(path.join(root, file), 'utf8')).map((sentence) => `${file}: ${sentence}`),
  );
  expect(found).toEqual([]);
});
