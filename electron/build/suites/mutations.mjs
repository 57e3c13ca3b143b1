/** Mutation tests, which check whether the tests detect small errors inserted into the code. */
import {
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { capture, lastLines } from '../setup/command.mjs';
import { inRoot, root } from '../setup/root.mjs';
import { Failure, printLine, runTimed } from '../setup/say.mjs';
import { digest } from '../steps/up-to-date.mjs';
import { importedModules, needsBuild } from './chosen.mjs';

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
 * it; `unfound` is the reason why no test finds it
 * @typedef {Readonly<{ found: string } | { missed: true }>} Outcome `found`: the first test that failed
 */

const LIST = 'test/mutations.json';
const RESULTS = 'dist/mutate.json';

/** Number of mutations that must be detected if the full list runs. */
const MIN_FOUND = 58;

/**
 * Copy of the sources to which mutations are applied. Its programs are built from unmodified sources, unless a test
 * needs one with a mutation.
 */
const SCRATCH = inRoot('dist/.mutate');
const LEFT_OUT = new Set(['.git', 'dist', 'node_modules']);
const PROGRAMS = ['.stamps', '.tests', 'electron', 'host', 'image', 'kernels', 'native', 'renderer', 'workers'];

const TIMEOUT_S = 1800;

/**
 * @param {readonly string[]} chosen areas or ids; all if empty
 * @param {readonly Mutation[]} all
 */
export function chooseMutations(chosen, all) {
  for (const name of chosen) {
    if (all.some(({ id, area }) => id === name || area === name)) continue;
    const areas = [...new Set(all.map(({ area }) => area))].join(', ');
    throw new Failure(`npm run mutate: ${LIST} has no area or id "${name}"; its areas are ${areas}`, 2);
  }
  return chosen.length === 0 ? all : all.filter(({ id, area }) => chosen.includes(id) || chosen.includes(area));
}

/**
 * Text of the file with the mutation applied.
 * @param {string} before
 * @param {Mutation} mutation
 */
export function mutatedText(before, { id, file, text, replacement }) {
  const count = before.split(text).length - 1;
  if (count !== 1) throw new Failure(`${LIST}: the text of "${id}" occurs ${count} times in ${file}; allowed: once`);
  return before.replace(text, () => replacement);
}

/** @param {string} output output of tests, by the reporter of this folder or of C++ */
export const firstFailedTest = (output) =>
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
    if (existsSync(from))
      cpSync(from, to, { recursive: true, preserveTimestamps: true, mode: constants.COPYFILE_FICLONE });
  }
}

const isCpp = (/** @type {Mutation} */ { file }) => /^(kernels|native)\//.test(file);

/** @typedef {Pick<Mutation, 'tests' | 'cpp'>} Tests */

/**
 * Runs tests until the first one fails and thereby detects the mutation.
 * @param {Tests} tests
 * @returns {Promise<Readonly<{ ok: boolean, output: string }>>}
 */
async function runTests({ tests = [], cpp = [] }) {
  const args =
    cpp.length === 0
      ? [
          path.join(SCRATCH, 'node_modules/vitest/vitest.mjs'),
          ...['run', '--reporter', path.join(SCRATCH, 'electron/build/suites/vitest-reporter.mjs')],
          ...['--tagsFilter', '!slow'],
          ...['--bail', '1', '--project', 'unit', ...tests],
        ]
      : [path.join(SCRATCH, 'electron/build/test.mjs'), ...tests, ...cpp.flatMap((name) => ['--only', name])];
  const { code, output } = await capture(process.execPath, args, {
    cwd: SCRATCH,
    env: { ...process.env, ...((await needsBuild(tests)) ? {} : { BRAGGBENCH_TEST_PROGRAMS: 'none' }), NO_COLOR: '1' },
    timeout_s: TIMEOUT_S,
  });
  return { ok: code === 0, output };
}

/**
 * @param {Mutation} mutation
 * @returns {Promise<Outcome>}
 */
async function runMutation(mutation) {
  const file = path.join(SCRATCH, mutation.file);
  const before = readFileSync(file, 'utf8');
  writeFileSync(file, mutatedText(before, mutation));
  try {
    const { ok, output } = await runTests(mutation);
    if (ok) return { missed: true };
    const found = firstFailedTest(output);
    if (found === null)
      throw new Failure(`${lastLines(output, 30)}\nThe test process of "${mutation.id}" failed, but no test did.`);
    return { found };
  } finally {
    writeFileSync(file, before);
  }
}

/**
 * Results of mutations, saved after each one, so that an interrupted run can continue. A saved result is valid while
 * the mutation, and the sources on which its tests depend, are unchanged.
 */
export class MutationResults {
  #file;
  /** @type {Record<string, Readonly<{ key: string, outcome: Outcome | 'sound' }>>} */
  #all;

  /** @param {string} file */
  constructor(file) {
    this.#file = file;
    this.#all = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  }

  /**
   * @template {Outcome | 'sound'} T
   * @param {string} name
   * @param {string} key
   * @param {() => Promise<T>} run
   * @returns {Promise<T>}
   */
  async getOrRun(name, key, run) {
    const before = this.#all[name];
    if (before?.key === key) return /** @type {T} */ (before.outcome);
    const outcome = await run();
    this.#all[name] = { key, outcome };
    mkdirSync(path.dirname(this.#file), { recursive: true });
    writeFileSync(`${this.#file}.part`, `${JSON.stringify(this.#all, null, 2)}\n`);
    renameSync(`${this.#file}.part`, this.#file);
    return outcome;
  }
}

const ALL_SOURCES = ['electron', 'renderer', 'kernels', 'native', 'test'].map((folder) => `${folder}/**/*`);

/**
 * Key of the sources on which tests depend: the imported modules for tests of pure functions, all sources for other
 * tests.
 * @param {Tests} tests
 */
async function sourcesKey({ tests = [], cpp = [] }) {
  const imported = cpp.length > 0 || (await needsBuild(tests)) ? null : await importedModules(tests);
  return digest(imported ?? ALL_SOURCES, { tests: tests.join(), cpp: cpp.join() });
}

/**
 * @param {readonly string[]} args areas or ids
 * @returns {Promise<number>} the exit code
 */
export async function runMutations(args) {
  /** @type {readonly Mutation[]} */
  const all = JSON.parse(readFileSync(inRoot(LIST), 'utf8'));
  // Run mutations that need no compiler first.
  const chosen = [...chooseMutations(args, all)].sort((a, b) => Number(isCpp(a)) - Number(isCpp(b)));
  for (const mutation of all) mutatedText(readFileSync(inRoot(mutation.file), 'utf8'), mutation);
  await runTimed('Copying the sources', async () => copySources());
  const results = new MutationResults(inRoot(RESULTS));
  let found = 0;
  let unexplained = 0;
  for (const mutation of chosen) {
    const { id, area, tests = [], cpp = [], unfound } = mutation;
    const key = await sourcesKey(mutation);
    await results.getOrRun([...tests, ...cpp].join(' '), key, async () => {
      const { ok, output } = await runTests(mutation);
      if (!ok) throw new Failure(`${lastLines(output, 60)}\nThe tests of "${id}" fail without any mutation (above).`);
      return /** @type {const} */ ('sound');
    });
    const outcome = await results.getOrRun(id, `${key} ${JSON.stringify(mutation)}`, () => runMutation(mutation));
    if ('found' in outcome) {
      found += 1;
      printLine(`found   ${area} ${id}: ${outcome.found}`);
    } else {
      if (unfound === undefined) unexplained += 1;
      printLine(`missed  ${area} ${id}: ${unfound ?? 'no test fails'}`);
    }
  }
  printLine(`\n${found} of ${chosen.length} mutations detected; results are in ${RESULTS}`);
  return unexplained === 0 && (chosen.length < all.length || found >= MIN_FOUND) ? 0 : 1;
}
