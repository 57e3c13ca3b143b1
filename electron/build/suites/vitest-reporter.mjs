import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../setup/root.mjs';

/** @typedef {import('vitest/node').TestModule} TestModule */
/** @typedef {import('vitest/node').TestCase} TestCase */
/** @typedef {Readonly<{ message: string, stack?: string | undefined, diff?: string | undefined }>} Problem */

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

/**
 * What went wrong outside the tests: the file does not load, or a beforeAll failed.
 * @param {TestModule} module
 */
const setUpErrors = (module) => [
  ...module.errors(),
  ...[...module.children.allSuites()].flatMap((suite) => suite.errors()),
];

/** One line per test file, every failure in full, and the counts in a file for `npm test`. */
export default class CountsReporter {
  /** @param {TestModule} module */
  onTestModuleEnd(module) {
    const file = path.relative(root, module.moduleId);
    const tests = [...module.children.allTests()];
    const seconds = (module.diagnostic().duration / 1000).toFixed(1);
    console.log(`${module.ok() ? 'ok  ' : 'FAIL'} ${file} (${tests.length} tests, ${seconds} s)`);
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
    const counts = { passed: 0, failed: unhandled.length, skipped: /** @type {import('./result.mjs').Skip[]} */ ([]) };
    for (const module of modules) {
      const broken = setUpErrors(module);
      counts.failed += broken.length;
      const noNote = broken.length > 0 ? 'its set-up failed' : 'no reason given';
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'skipped') counts.skipped.push({ name: test.fullName, reason: result.note ?? noNote });
        else counts[result.state === 'passed' ? 'passed' : 'failed'] += 1;
      }
    }
    const file = process.env['BRAGGBENCH_TEST_COUNTS'];
    if (!file) return;
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(counts));
  }
}
