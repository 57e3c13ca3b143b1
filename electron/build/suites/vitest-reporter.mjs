import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../setup/root.mjs';

/** @typedef {import('vitest/node').TestModule} TestModule */
/** @typedef {import('vitest/node').TestCase} TestCase */
/** @typedef {Readonly<{ message: string, stack?: string | undefined, diff?: string | undefined }>} Problem */
/**
 * @typedef {Readonly<{ file: string, result: import('./result.mjs').Result, failure: string | null }>} FileCounts
 * `failure` is the first of its failures, with the test's name.
 * @typedef {Readonly<{ files: readonly FileCounts[], unhandled: number }>} Counts what the reporter leaves for `npm test`
 */

/** Stack lines of the tests' and the program's own files. */
const OWN_FRAME = /^\s+at (?=.*[/\\])(?!.*(?:node_modules|node:))/;

/** @param {Problem} problem */
function describe(problem) {
  const frames = (problem.stack ?? '').split('\n').filter((line) => OWN_FRAME.test(line));
  return [problem.message, problem.diff ?? '', ...frames.slice(0, 4)]
    .filter((part) => part !== '')
    .join('\n')
    .replace(/^/gm, '      ');
}

/** @param {TestModule} module */
const fileOf = (module) => path.relative(root, module.moduleId).replaceAll('\\', '/');

/**
 * What went wrong outside the tests: the file does not load, or a beforeAll failed.
 * @param {TestModule} module
 */
const setUpErrors = (module) => [
  ...module.errors(),
  ...[...module.children.allSuites()].flatMap((suite) => suite.errors()),
];

/**
 * @param {TestModule} module
 * @returns {FileCounts}
 */
function countsOf(module) {
  const broken = setUpErrors(module);
  let [passed, failed] = [0, broken.length];
  /** @type {import('./result.mjs').Skip[]} */
  const skipped = [];
  /** @type {string | null} */
  let failure = broken[0] === undefined ? null : `Set-up\n${describe(broken[0])}`;
  const noNote = broken.length > 0 ? 'its set-up failed' : 'no reason given';
  for (const test of module.children.allTests()) {
    const result = test.result();
    if (result.state === 'skipped') skipped.push({ name: test.fullName, reason: result.note ?? noNote });
    else if (result.state === 'passed') passed += 1;
    else {
      failed += 1;
      const [error] = result.errors ?? [];
      failure ??= `${test.fullName}\n${error === undefined ? '' : describe(error)}`;
    }
  }
  return { file: fileOf(module), result: { passed, failed, skipped }, failure };
}

/** One line per test file, every failure in full, and the counts in a file for `npm test`. */
export default class CountsReporter {
  /** @param {TestModule} module */
  onTestModuleEnd(module) {
    const tests = [...module.children.allTests()];
    const seconds = (module.diagnostic().duration / 1000).toFixed(1);
    console.log(`${module.ok() ? 'ok  ' : 'FAIL'} ${fileOf(module)} (${tests.length} tests, ${seconds} s)`);
    for (const test of tests) {
      const result = test.result();
      if (result.state !== 'failed') continue;
      console.log(`    FAIL ${test.fullName}`);
      for (const error of result.errors) console.log(describe(error));
    }
    for (const error of setUpErrors(module)) console.log(describe(error));
  }

  /**
   * @param {readonly TestModule[]} modules
   * @param {readonly Problem[]} unhandled
   */
  onTestRunEnd(modules, unhandled) {
    for (const error of unhandled) console.log(`    Unhandled error\n${describe(error)}`);
    const to = process.env['BRAGGBENCH_TEST_COUNTS'];
    if (!to) return;
    /** @type {Counts} */
    const counts = { files: modules.map(countsOf), unhandled: unhandled.length };
    mkdirSync(path.dirname(to), { recursive: true });
    writeFileSync(to, JSON.stringify(counts));
  }
}
