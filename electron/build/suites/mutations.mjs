/** Planted faults: whether the tests find an error of one idea in the code. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { capture, tail } from '../setup/command.mjs';
import { inRoot, root } from '../setup/root.mjs';
import { Failure, say, timed } from '../setup/say.mjs';
import { needBuild } from './chosen.mjs';

/**
 * @typedef {Readonly<{
 *   id: string,
 *   area: string,
 *   file: string,
 *   text: string,
 *   replacement: string,
 *   tests?: readonly string[],
 *   cpp?: readonly string[],
 *   unfound?: string,
 * }>} Mutation `text` is in the file once; `tests` are test files and `cpp` parts of the names of C++ tests that could find
 * it; `unfound` is the reason why none does
 * @typedef {Readonly<{ found: string } | { missed: true }>} Outcome `found`: the first test that failed
 */

const LIST = 'test/mutations.json';

/** Minimum number of mutations that the tests must detect over the full list. */
const FEWEST_FOUND = 57;

/** The copy. Its programs are built from unmodified sources until a test needs one with a mutation. */
const SCRATCH = inRoot('dist/.mutate');
const LEFT_OUT = new Set(['.git', 'dist', 'node_modules']);
const PROGRAMS = ['.stamps', '.tests', 'electron', 'host', 'image', 'kernels', 'native', 'renderer', 'workers'];

const TIMEOUT_S = 1800;

/**
 * @param {readonly string[]} chosen areas or ids; all if empty
 * @param {readonly Mutation[]} all
 */
export function choose(chosen, all) {
  for (const name of chosen) {
    if (all.some(({ id, area }) => id === name || area === name)) continue;
    const areas = [...new Set(all.map(({ area }) => area))].join(', ');
    throw new Failure(`npm run mutate: ${LIST} has no area or id "${name}"; its areas are ${areas}`, 2);
  }
  return chosen.length === 0 ? all : all.filter(({ id, area }) => chosen.includes(id) || chosen.includes(area));
}

/**
 * The file's text with the mutation applied.
 * @param {string} before
 * @param {Mutation} mutation
 */
export function planted(before, { id, file, text, replacement }) {
  const count = before.split(text).length - 1;
  if (count !== 1) throw new Failure(`${LIST}: the text of "${id}" is ${count} times in ${file}; allowed: once`);
  return before.replace(text, () => replacement);
}

/** @param {string} output of tests, by the reporter of this folder or of C++ */
export const failedTest = (output) =>
  /^ *FAIL +(?!test\/)(?!\[)(.+)$/m.exec(output)?.[1]?.replace(/ \(\d+ ms\)$/, '') ?? null;

function copySources() {
  mkdirSync(SCRATCH, { recursive: true });
  for (const name of readdirSync(SCRATCH))
    if (!LEFT_OUT.has(name)) rmSync(path.join(SCRATCH, name), { recursive: true });
  for (const name of readdirSync(root)) {
    if (!LEFT_OUT.has(name)) cpSync(inRoot(name), path.join(SCRATCH, name), { recursive: true });
  }
  if (!existsSync(path.join(SCRATCH, 'node_modules'))) {
    symlinkSync(inRoot('node_modules'), path.join(SCRATCH, 'node_modules'), 'junction');
  }
  for (const name of PROGRAMS) {
    const from = inRoot('dist', name);
    const to = path.join(SCRATCH, 'dist', name);
    if (existsSync(from)) cpSync(from, to, { recursive: true, preserveTimestamps: true });
  }
}

const isCpp = (/** @type {Mutation} */ { file }) => /^(kernels|native)\//.test(file);

/**
 * @param {readonly Mutation[]} mutations whose tests run, those of C++ or of TypeScript
 * @returns {Promise<Readonly<{ ok: boolean, output: string }>>}
 */
async function runTests(mutations) {
  const files = [...new Set(mutations.flatMap(({ tests = [] }) => tests))];
  const names = [...new Set(mutations.flatMap(({ cpp = [] }) => cpp))];
  const args = mutations.every((mutation) => !isCpp(mutation))
    ? [
        path.join(SCRATCH, 'node_modules/vitest/vitest.mjs'),
        ...['run', '--reporter', path.join(SCRATCH, 'electron/build/suites/vitest-reporter.mjs')],
        ...['--project', 'unit', ...files],
      ]
    : [path.join(SCRATCH, 'electron/build/test.mjs'), ...files, ...names.flatMap((name) => ['--only', name])];
  const { code, output } = await capture(process.execPath, args, {
    cwd: SCRATCH,
    env: { ...process.env, ...((await needBuild(files)) ? {} : { BRAGGBENCH_TEST_PROGRAMS: 'none' }), NO_COLOR: '1' },
    timeout_s: TIMEOUT_S,
  });
  return { ok: code === 0, output };
}

/**
 * @param {Mutation} mutation
 * @returns {Promise<Outcome>}
 */
async function plant(mutation) {
  const file = path.join(SCRATCH, mutation.file);
  const before = readFileSync(file, 'utf8');
  writeFileSync(file, planted(before, mutation));
  try {
    const { ok, output } = await runTests([mutation]);
    if (ok) return { missed: true };
    const found = failedTest(output);
    if (found === null)
      throw new Failure(`${tail(output, 30)}\n"${mutation.id}" ended its tests without a failed one.`);
    return { found };
  } finally {
    writeFileSync(file, before);
  }
}

/**
 * @param {readonly string[]} args areas or ids
 * @returns {Promise<number>} the exit code
 */
export async function mutate(args) {
  /** @type {readonly Mutation[]} */
  const all = JSON.parse(readFileSync(inRoot(LIST), 'utf8'));
  const chosen = choose(args, all);
  for (const mutation of all) planted(readFileSync(inRoot(mutation.file), 'utf8'), mutation);
  await timed('Copying the sources', async () => copySources());
  await timed('Running the tests without a fault', async () => {
    for (const kind of [chosen.filter(isCpp), chosen.filter((mutation) => !isCpp(mutation))]) {
      const { ok, output } = kind.length === 0 ? { ok: true, output: '' } : await runTests(kind);
      if (!ok) throw new Failure(`${tail(output, 60)}\nThe tests fail without a fault (above).`);
    }
  });
  let found = 0;
  let unexplained = 0;
  for (const mutation of chosen) {
    const outcome = await plant(mutation);
    const name = `${mutation.area} ${mutation.id}`;
    if ('found' in outcome) {
      found += 1;
      say(`found   ${name}: ${outcome.found}`);
    } else {
      if (mutation.unfound === undefined) unexplained += 1;
      say(`missed  ${name}: ${mutation.unfound ?? 'no test fails'}`);
    }
  }
  say(`\n${found} of ${chosen.length} faults found`);
  return unexplained === 0 && (chosen.length < all.length || found >= FEWEST_FOUND) ? 0 : 1;
}
