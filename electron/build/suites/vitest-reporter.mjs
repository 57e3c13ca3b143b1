import path from 'node:path';
import { root } from '../setup/root.mjs';

/** @typedef {import('vitest/node').TestModule} TestModule */
/** @typedef {import('vitest/node').TestCase} TestCase */
/** @typedef {Readonly<{ message: string, stack?: string | undefined, diff?: string | undefined }>} Problem */
/** @typedef {Readonly<{ test: string, text: string }>} Failed a failed test, and its errors as text */
/**
 * @typedef {Readonly<{
 *   file: string,
 *   project: string,
 *   seconds: number,
 *   coreSeconds: number | null,
 *   result: import('./result.mjs').Result,
 *   failures: readonly Failed[],
 * }>} FileReport one finished test file
 * @typedef {Readonly<{ kind: 'start', files: number }>
 *   | Readonly<{ kind: 'file', report: FileReport }>
 *   | Readonly<{ kind: 'end', unhandled: readonly string[] }>} Message from the reporter to `npm test`
 */

/** Matches stack frames in files of the tests and of the program. */
const OWN_FRAME = /^\s+at (?=.*[/\\])(?!.*(?:node_modules|node:))/;

/** @param {Problem} problem */
function describeProblem(problem) {
  const frames = (problem.stack ?? '').split('\n').filter((line) => OWN_FRAME.test(line));
  return [problem.message, problem.diff ?? '', ...frames.slice(0, 4)]
    .filter((part) => part !== '')
    .join('\n')
    .replace(/^/gm, '      ');
}

/** @param {TestModule} module */
const relativeFile = (module) => path.relative(root, module.moduleId).replaceAll('\\', '/');

/**
 * Errors outside of tests, such as a file that cannot be loaded or a failing beforeAll.
 * @param {TestModule} module
 */
const setUpErrors = (module) => [
  ...module.errors(),
  ...[...module.children.allSuites()].flatMap((suite) => suite.errors()),
];

/** Reason given for tests that the tag filter of `npm test` excludes. */
const SLOW = 'is tagged slow; run it with npm run test:all or npm test -- FILE';

/**
 * Reason for skipping a test, which may be given by an enclosing suite; see test/unless.ts.
 * @param {TestCase | import('vitest/node').TestSuite | TestModule} task
 * @returns {string | null}
 */
function skipReason(task) {
  return task.meta().reason ?? (task.type === 'module' ? null : skipReason(task.parent));
}

/**
 * Duration of a test file, including imports, because modules may compute when they are imported.
 * @param {TestModule} module
 */
function durationSeconds(module) {
  const { collectDuration, duration } = module.diagnostic();
  return (collectDuration + duration) / 1000;
}

/**
 * @param {TestModule} module
 * @returns {FileReport}
 */
export function fileReport(module) {
  const broken = setUpErrors(module);
  /** @type {Failed[]} */
  const failures = broken.map((error) => ({ test: 'Set-up', text: describeProblem(error) }));
  let passed = 0;
  /** @type {import('./result.mjs').Skip[]} */
  const skipped = [];
  const noNote = broken.length > 0 ? 'its setup failed' : 'no reason given';
  for (const test of module.children.allTests()) {
    const result = test.result();
    if (result.state === 'skipped')
      skipped.push({
        name: test.fullName,
        reason: result.note ?? skipReason(test) ?? (test.tags.includes('slow') ? SLOW : noNote),
      });
    else if (result.state === 'passed') passed += 1;
    else failures.push({ test: test.fullName, text: (result.errors ?? []).map(describeProblem).join('\n') });
  }
  return {
    file: relativeFile(module),
    project: module.project.name,
    seconds: durationSeconds(module),
    coreSeconds: module.meta().coreSeconds ?? null,
    result: { passed, failed: failures.length, skipped },
    failures,
  };
}

/** @param {FileReport} report */
export function reportLine({ file, seconds, coreSeconds, result: { passed, failed, skipped } }) {
  const tests = passed + failed + skipped.length;
  const work = coreSeconds === null ? '' : `, ${coreSeconds.toFixed(1)} core-s`;
  return `${failed === 0 ? 'ok  ' : 'FAIL'} ${file} (${tests} tests, ${seconds.toFixed(1)} s${work})`;
}

/** @param {FileReport} report */
export const failureLines = ({ failures }) => failures.flatMap(({ test, text }) => [`    FAIL ${test}`, text]);

/**
 * Sends the report of each test file to `npm test`, which started vitest. If vitest was started directly, prints it.
 */
export default class FileReporter {
  /** @param {Message} message */
  #send(message) {
    if (process.send) process.send(message);
    else if (message.kind === 'file') {
      console.log([reportLine(message.report), ...failureLines(message.report)].join('\n'));
    } else if (message.kind === 'end') for (const text of message.unhandled) console.log(text);
  }

  /** @param {readonly import('vitest/node').TestSpecification[]} specifications */
  onTestRunStart(specifications) {
    this.#send({ kind: 'start', files: specifications.length });
  }

  /** @param {TestModule} module */
  onTestModuleEnd(module) {
    this.#send({ kind: 'file', report: fileReport(module) });
  }

  /**
   * @param {readonly TestModule[]} _modules
   * @param {readonly Problem[]} unhandled
   */
  onTestRunEnd(_modules, unhandled) {
    this.#send({ kind: 'end', unhandled: unhandled.map((error) => `    Unhandled error\n${describeProblem(error)}`) });
  }
}
