/** Style sheets stay few and short, without repeated rules and without rules for removed elements. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** Limit for the lines of all style sheets in the repository. */
const LINES = 4_500;
/** Limit for the number of utility classes, and least number of elements that share one. */
const UTILITIES = 31;
const MIN_SHARERS = 5;
/** From this number on, equal declarations of two rules must be merged into one rule or a utility. */
const MIN_REPEATS = 3;

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'renderer', '*.css'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(path.join(root, file)));
const sheets = files.filter((file) => file.endsWith('.css'));
const page = files
  .filter((file) => /\.(?:ts|tsx|html)$/.test(file))

  .map(read)
  .join('\n');

interface Rule {
  readonly sheet: string;
  readonly selector: string;
  readonly declarations: readonly string[];
}

/**
 * The rules of a sheet, including nested ones; names of at-rules such as `@media` precede the selectors inside them.
 */
function rulesOf(sheet: string): readonly Rule[] {
  const rules: Rule[] = [];
  const open: { selector: string; declarations: string[] }[] = [];
  const text = read(sheet).replace(/\/\*[\s\S]*?\*\//g, '');
  for (const [, words = '', end] of text.matchAll(/([^;{}]*)([;{}])/g)) {
    const part = words.trim().replace(/\s+/g, ' ');
    if (end === '{') open.push({ selector: part, declarations: [] });
    else if (part !== '') open.at(-1)?.declarations.push(part);
    if (end !== '}') continue;
    const { selector = '', declarations = [] } = open.pop() ?? {};
    rules.push({ sheet, selector: [...open.map((outer) => outer.selector), selector].join(' | '), declarations });
  }
  return rules;
}

const rules = sheets.flatMap(rulesOf);

it(`both themes define the same tokens`, () => {
  const lines = sheets.map((sheet) => read(sheet).split('\n').length - 1).reduce((sum, count) => sum + count, 0);
  expect(lines).toBeLessThanOrEqual(LINES);
});

it(`no two rules share ${MIN_REPEATS} or more declarations`, () => {
  const first = new Map<string, Rule>();
  const repeated: string[] = [];
  for (const rule of rules) {
    // Pages of benchmarks load only the tokens of the workbench's sheets, so they cannot share rules.
    if (rule.declarations.length < MIN_REPEATS || !rule.sheet.startsWith('renderer/')) continue;
    const body = [...rule.declarations].sort().join('; ');
    const other = first.get(body);
    if (other === undefined) first.set(body, rule);
    else repeated.push(`${other.sheet}: ${other.selector} = ${rule.sheet}: ${rule.selector}`);
  }
  expect(repeated).toEqual([]);
});

it('every class in a style sheet is used by an element of the page', () => {
  const words = new Set(page.match(/[\w-]+/g));
  // Prefixes of names that are composed at run time, such as `button--${tone}`.
  const beginnings = [...page.matchAll(/([a-z][\w-]*-)\$\{/g)].map(([, beginning = '']) => beginning);
  const unknown = rules
    // Plotly sets the names of its own elements.
    .filter(({ sheet, selector }) => sheet.startsWith('renderer/') && !selector.includes('.js-plotly-plot'))
    .flatMap(({ sheet, selector }) =>
      [...selector.matchAll(/\.([a-z][\w-]*)/g)].map(([, name = '']) => ({ sheet, name })),
    )
    .filter(({ name }) => !words.has(name) && !beginnings.some((beginning) => name.startsWith(beginning)));
  expect(unknown).toEqual([]);
});

it('every class queried by a script is used by an element', () => {
  const sought = [...page.matchAll(/classList\.contains\('([\w-]+)'\)/g)].map(([, name = '']) => name);
  expect(sought.length).toBeGreaterThan(0);
  const given = new Set([...page.matchAll(/className="([^"]*)"/g)].flatMap(([, names = '']) => names.split(/\s+/)));
  // Plotly adds the class `js-plotly-plot`.
  expect(sought.filter((name) => name !== 'js-plotly-plot' && !given.has(name))).toEqual([]);
});

it(`at most ${UTILITIES} utility classes exist, each used by at least ${MIN_SHARERS} elements`, () => {
  const given = [...page.matchAll(/className="([^"]*)"|'([^'\n]*)'/g)].flatMap(([, attribute, text]) => [
    ...new Set((attribute ?? text ?? '').split(/\s+/)),
  ]);
  const utilities = new Set(
    rules
      .filter(({ sheet }) => sheet.endsWith('/utilities.css'))
      .flatMap(({ selector }) => [...selector.matchAll(/\.([a-z][\w-]*)/g)].map(([, name = '']) => name)),
  );
  expect(utilities.size).toBeGreaterThan(10);
  expect(utilities.size).toBeLessThanOrEqual(UTILITIES);
  const rare = [...utilities].filter((utility) => given.filter((name) => name === utility).length < MIN_SHARERS);
  expect(rare).toEqual([]);
});
