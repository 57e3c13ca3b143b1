/** Comments are for readers who do not know the code: short sentences whose first words name the subject. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const SOURCES = ['electron', 'renderer', 'native', 'kernels', 'test'];
const listTracked = ['ls-files', '--cached', '--others', '--exclude-standard', ...SOURCES];
const sources = execFileSync('git', listTracked, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
  .split('\n')
  .filter((file) => /\.(ts|tsx|mjs|cpp|hpp|cu|cuh)$/.test(file) && existsSync(path.join(root, file)));

/** Matches comments that begin with `Of`, such as "Of a run: its time". "Time of a run" is easier to read. */
const ofPattern = /^\s*(?:\/\*\*|\*|\/\/+)\s+Of\s/;
const linesThatBeginWithOf = (text: string): readonly number[] =>
  text.split('\n').flatMap((line, index) => (ofPattern.test(line) ? [index + 1] : []));

test('no comment begins with "Of"', () => {
  const opening = 'Of ';
  expect(linesThatBeginWithOf(`/** ${opening}the run. */\n// The run.\n  // ${opening}both.`)).toEqual([1, 3]);
  const found = sources.flatMap((file) =>
    linesThatBeginWithOf(readFileSync(path.join(root, file), 'utf8')).map((line) => `${file}:${line}`),
  );
  expect(sources.length).toBeGreaterThan(1000);
  expect(found).toEqual([]);
});

/**
 * Matches clauses without a subject: `What is kept` hides the noun that `Cache of parsed tables` names. `Null if` is
 * allowed, because it states a condition.
 */
const clause = /^(?:(?:What|How|Where)\b|Null\b(?! if\b))/;
/**
 * Words that have a plainer word: `told` (reported), `kept` (cached), `beside` (next to), `stands in for` (replaces).
 */
const retiredWords = new RegExp(
  `\\b(?:${[
    'told|tells|kept|asked|beside|anew|aside|endless|made up|held to|goes wrong|so long as|for so long|in turns',
    "of one's own|rivals?|contestants?|entrants?|whole runs?|what it is made from",
    'stands?(?!-in\\b| for\\b)|(?<!page )(?<!segmentation )(?<!planted )faults?(?! injection\\b)',
  ].join('|')})\\b`,
  'i',
);
const commentStart =
  /(?<![\w'"`*.])\/\*(?<block>[\s\S]*?)\*\/|(?<lines>(?:^[ \t]*\/\/[^\n]*\n)+)|(?<![:\w'"`/])\/\/(?<rest>[^\n]*)/gm;

function commentsToReword(text: string): readonly string[] {
  return [...text.matchAll(commentStart)].flatMap(({ groups }) => {
    const raw = groups?.['block'] ?? groups?.['lines'] ?? groups?.['rest'] ?? '';
    // Ignore code in comments, because types and code are not prose.
    let prose = raw.replace(/^\s*(?:\*+|\/\/+)/gm, '').replace(/`[^`]*`/g, '');
    while (/\{[^{}]*\}/.test(prose)) prose = prose.replace(/\{[^{}]*\}/g, '');
    const plain = prose
      .replace(/@typedef\s+\w+/g, '')
      .replace(/\s+/g, ' ')
      .trim();
    return clause.test(plain) || retiredWords.test(plain) ? [plain] : [];
  });
}

test('comments name their subject and contain no retired words', () => {
  const [open, close, line] = ['/' + '*', '*' + '/', '/' + '/'];
  const bad = `${open}* What is kept. ${close}\n${line} Null where there is none.\nint a;  ${line} beside b\n`;
  expect(commentsToReword(bad)).toHaveLength(3);
  expect(commentsToReword(`${open}* Cache of tables. Null if \`kept\` is empty. ${close}\n`)).toEqual([]);
  const found = sources.flatMap((file) =>
    commentsToReword(readFileSync(path.join(root, file), 'utf8')).map((words) => `${file}: ${words}`),
  );
  expect(found).toEqual([]);
});

/** String literals and JSX text of more than one word. A match that contains code is a misread quotation mark. */
const stringPattern = /'((?:[^'\\\n]|\\.)+)'|"((?:[^"\\\n]|\\.)+)"|`((?:[^`\\]|\\.)+)`|>([^<>{}]*\w[^<>{}]*)</g;
const code =
  /=>|=\s|\? \[|\): |\(\w+: |__|[.#]\w+\(\w?|\((?:Math|await)\b|;\s+(?:const|let|if|return|for|await|export)\b/;

function stringsToReword(text: string): readonly string[] {
  const bare = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(?<![:'"`\w])\/\/[^\n]*/g, '');
  return [...bare.matchAll(stringPattern)].flatMap((match) => {
    const said = (match.slice(1).find((each) => each !== undefined) ?? '').replace(/\$\{[^}]*\}/g, 'X').trim();
    return said.includes(' ') && !code.test(said) && retiredWords.test(said) ? [said.replace(/\s+/g, ' ')] : [];
  });
}

test('messages, labels and tooltips contain no retired words', () => {
  expect(stringsToReword("say('The run was kept.');\nconst kept = 'kept';")).toEqual(['The run was kept.']);
  const found = sources
    .filter((file) => /^(?:electron|renderer)\/.*\.(?:ts|tsx|mjs)$/.test(file))
    .flatMap((file) => stringsToReword(readFileSync(path.join(root, file), 'utf8')).map((said) => `${file}: ${said}`));
  expect(found).toEqual([]);
});

/** Matches the titles of tests. */
const titlePattern = /\b(?:it|test|describe)(?:\.\w+(?:\([^()]*\))?)*\(\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1/g;
const titlesIn = (text: string): readonly string[] => [...text.matchAll(titlePattern)].map(([, , title = '']) => title);
/** Prose of a handbook page, without code and without the tables that programs write between markers. */
const proseIn = (page: string): readonly string[] =>
  page.replace(/<!-- figures[\s\S]*?<!-- \/figures -->|```[\s\S]*?```|`[^`\n]*`|\]\([^)]*\)/g, '').split('\n');
/** Whether the text contains a retired word. The handbook may use `asked` where the program asks a person. */
const hasRetiredWord = (prose: string): boolean => retiredWords.test(prose.replace(/\basked\b/g, ''));

test('test titles and handbook pages contain no retired words', () => {
  expect(titlesIn("it.each([1])('%d is short', () => 0); test(\n'b', f)")).toEqual(['%d is short', 'b']);
  expect(proseIn('It is kept.\n```\nkept\n```\n`kept`').filter(hasRetiredWord)).toEqual(['It is kept.']);
  const titles = sources
    .filter((file) => /^test\/.*\.(?:ts|tsx|mjs)$/.test(file))
    .flatMap((file) => titlesIn(readFileSync(path.join(root, file), 'utf8')).map((title) => `${file}: ${title}`));
  const pages = globSync('assets/handbook/*.md', { cwd: root }).flatMap((file) =>
    proseIn(readFileSync(path.join(root, file), 'utf8')).map((line) => `${file}: ${line}`),
  );
  expect([titles.length > 2000, pages.length > 1000]).toEqual([true, true]);
  expect([...titles, ...pages].filter((each) => hasRetiredWord(each.slice(each.indexOf(': '))))).toEqual([]);
});

/** Matches declarations at module level: types, functions and variables. */
const declarationPattern =
  /^(?:export )?(?:default )?(?:abstract )?(?:async )?(?:function\*?|class|interface|type|const|let) (\w+)/gm;
const retiredPart =
  /^(?:told|kept|asked|beside|anew|aside)(?![a-z])|(?:^|[a-z0-9])(?:Told|Kept|Asked|Beside|Anew|Aside)(?![a-z])/;

test('no module declares a name that contains a retired word', () => {
  const namesIn = (text: string): readonly string[] =>
    [...text.matchAll(declarationPattern)].map(([, name = '']) => name);
  expect(
    namesIn('const keptOne = 1;\n  const inner = 2;\nexport type Masked = 1;').filter((name) => retiredPart.test(name)),
  ).toEqual(['keptOne']);
  const found = sources
    .filter((file) => /^(?:electron|renderer)\/.*\.(?:ts|tsx|mjs)$/.test(file))
    .flatMap((file) => namesIn(readFileSync(path.join(root, file), 'utf8')).map((name) => `${file}: ${name}`));
  expect(found.length).toBeGreaterThan(5000);
  expect(found.filter((each) => retiredPart.test(each.slice(each.indexOf(': ') + 2)))).toEqual([]);
  const files = sources.filter((file) => /(?:^|[/_-])(?:told|kept|asked|beside|anew|aside)(?=[._-])/.test(file));
  expect(files.filter((file) => !file.startsWith('kernels/micro/launch/beside_library'))).toEqual([]);
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

test(`comments have sentences of fewer than ${WORDS} words, as in the handbook`, () => {
  const long = `${'word '.repeat(WORDS)}end.`;
  expect(longIn(`/** ${long} */\n// Short.\n  // ${long}\n`)).toHaveLength(2);
  expect(longIn(`/**\n * Short: ${'word '.repeat(WORDS - 2)}end.\n * Then.\n */`)).toEqual([]);
  const found = sources.flatMap((file) =>
    longIn(readFileSync(path.join(root, file), 'utf8')).map((sentence) => `${file}: ${sentence}`),
  );
  expect(found).toEqual([]);
});

/**
 * Matches sizes in decimal units. Rates and published quantities are decimal (`GB/s`), but sizes that the program
 * reports must be binary.
 */
const decimalSize = /(?:\}|["'`]) (?:kB|MB|GB|TB)\b(?!\/s)/;

test('messages give sizes with binary prefixes', () => {
  expect(decimalSize.test('{size} MB')).toBe(true);
  expect(decimalSize.test('{rate} GB/s')).toBe(false);
  const found = sources
    .filter((file) => !/^(?:test|electron\/build)\//.test(file))
    .filter((file) => decimalSize.test(readFileSync(path.join(root, file), 'utf8')));
  expect(found).toEqual([]);
});
