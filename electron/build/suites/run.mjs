import { fork } from 'node:child_process';
import { lastLines, runInBackground } from '../setup/command.mjs';
import { inRoot, root } from '../setup/root.mjs';
import { Failure, printLine } from '../setup/say.mjs';
import { addResults, EMPTY, FAILED_RESULT } from './result.mjs';
import { failureLines, reportLine } from './vitest-reporter.mjs';

/** @typedef {import('./vitest-reporter.mjs').Message} Message */
/** @typedef {import('./vitest-reporter.mjs').FileReport} FileReport */
/** @typedef {import('./result.mjs').Suite} Suite */
/** @typedef {import('./result.mjs').Result} Result */

/**
 * @typedef {Readonly<{
 *   projects: readonly string[],
 *   files?: readonly string[],
 *   more?: readonly string[],
 *   env?: NodeJS.ProcessEnv,
 *   onStart?: (files: number) => void,
 *   onFile?: (report: FileReport) => void,
 * }>} Call `projects` of vitest.config.ts; `files`: parts of the names of test files, all of the projects if not given
 */

/** Number of output lines to print if vitest exits before its tests have ended. */
const TAIL = 30;

/**
 * Runs vitest and reports each test file when it has ended.
 * @param {Call} call
 * @returns {Promise<readonly string[]>} errors that belong to no file
 */
async function runVitest({ projects, files = [], more = [], env = {}, onStart, onFile }) {
  const child = fork(
    inRoot('node_modules/vitest/vitest.mjs'),
    [
      'run',
      ...projects.flatMap((project) => ['--project', project]),
      ...['--reporter', inRoot('electron/build/suites/vitest-reporter.mjs')],
      ...more,
      ...files,
    ],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { BRAGGBENCH_SCREENSHOTS: 'failures', ...process.env, ...env, NO_COLOR: '1' },
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      output += text;
    });
  }
  /** @type {readonly string[] | null} */
  let unhandled = null;
  let failed = false;
  child.on('message', (/** @type {Message} */ message) => {
    if (message.kind === 'start') onStart?.(message.files);
    else if (message.kind === 'end') unhandled = message.unhandled;
    else {
      failed ||= message.report.result.failed > 0;
      onFile?.(message.report);
    }
  });
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(127)).once('close', resolve);
  });
  if (unhandled === null)
    return [`vitest exited with code ${code} before its tests ended:\n${lastLines(output, TAIL)}`];
  const loose = /** @type {readonly string[]} */ (unhandled);
  if (code === 0 || failed || loose.length > 0) return loose;
  return [`vitest exited with code ${code}, although no test failed:\n${lastLines(output, TAIL)}`];
}

/**
 * @typedef {Readonly<{
 *   name: string,
 *   result: Result,
 *   seconds: number,
 *   files?: Readonly<Record<string, number>>,
 *   cores?: Readonly<Record<string, number>>,
 * }>} SuiteRun a completed suite; for test files `seconds` is their sum, as if they had run one after another; `cores`: core
 * seconds of each file
 * @typedef {Readonly<{
 *   tests?: Omit<import('./run.mjs').Call, 'onStart' | 'onFile'>,
 *   beside?: readonly Suite[],
 * }>} Phase `tests`: one queue of test files over the workers of vitest; `beside`: suites that run one after another
 * meanwhile. Nothing else runs during a phase.
 */

/** Largest number of failed files that are run again. More failures are unlikely to be random. */
export const MAX_RERUNS = 3;

/**
 * Suites of test files by pattern, in the order of the report. A file belongs to the first suite whose pattern it
 * matches.
 */
const SUITES = /** @type {const} */ ([
  ['Long tests', /\.long\.test\.tsx?$/],
  ['End to end in Chromium', /^test\/e2e\//],
  ['The desktop program with a replacement for Electron', /^test\/electron\/main\//],
  ['The desktop program in Electron', /^test\/desktop\//],
  ['Unit and host tests', /(?:)/],
]);

/** @param {string} file */
export const suiteNameOf = (file) => SUITES.find(([, pattern]) => pattern.test(file))?.[0] ?? file;

/** @param {number} seconds */
export const formatSeconds = (seconds) => `${seconds.toFixed(1)} s`;

/** Numbers the lines of a run: `[12 of 393]`. The total is omitted until vitest has found all files. */
class Counter {
  #done = 0;
  /** @type {number | null} */
  #total = null;

  /** @param {number | null} total */
  setTotal(total) {
    this.#total = total;
  }

  /** @param {string} suite @param {string} line */
  printNumbered(suite, line) {
    this.#done += 1;
    const total = this.#total === null ? '' : ` of ${this.#total}`;
    printLine(`[${this.#done}${total}] ${suite}: ${line}`);
  }
}

/**
 * Runs a suite. If it throws, that counts as one failure, and other suites still run.
 * @param {Suite} suite
 * @returns {Promise<SuiteRun>}
 */
async function runSuite(suite) {
  const start = performance.now();
  /** @type {Result} */
  let result = FAILED_RESULT;
  try {
    result = await suite.run();
  } catch (error) {
    printLine(error instanceof Failure ? error.message : String(/** @type {Error} */ (error).stack));
  }
  return { name: suite.name, result, seconds: (performance.now() - start) / 1000 };
}

/** @param {Result} result */
function countsText({ passed, failed, skipped, unsteady = [] }) {
  const more = [
    ...(skipped.length > 0 ? [`${skipped.length} not run`] : []),
    ...(unsteady.length > 0 ? [`${unsteady.length} unsteady`] : []),
  ];
  return [`${passed} passed`, `${failed} failed`, ...more].join(', ');
}

/**
 * Combines the two runs of a failed file. If the second one passes, the file passes and is reported as unsteady.
 * @param {FileReport} first
 * @param {FileReport | null} second null if the second run ended without a result
 * @returns {Result}
 */
export function judgeRerun(first, second) {
  const [before] = first.failures;
  if (second === null) return first.result;
  if (second.result.failed === 0) {
    const failure = `${before?.test}\n${before?.text}`;
    printLine(`\n  UNSTEADY ${first.file}: failed once and passed when it ran again. It failed in ${failure}`);
    printLine('  Fix it, or list it with its cause in test/unsteady.json.\n');
    return { ...second.result, unsteady: [{ file: first.file, failure }] };
  }
  const [now] = second.failures;
  const same = now?.test === before?.test ? 'in the same test' : `in another test: ${now?.test}`;
  printLine([`\n  ${first.file} failed again, ${same}`, ...failureLines(second), ''].join('\n'));
  return second.result;
}

/**
 * Runs a failed test file again, concurrently with the remaining tests, so that failures caused by load reproduce.
 * @param {FileReport} first
 * @param {NonNullable<Phase['tests']>} tests
 */
async function callsForRerun(first, tests) {
  /** @type {FileReport[]} */
  const second = [];
  const loose = await runVitest({
    ...tests,
    // Do not build the programs of the tests again, because the first run did.
    env: { ...tests.env, BRAGGBENCH_TEST_PROGRAMS: 'none' },
    projects: [first.project],
    files: [first.file],
    onFile: (report) => void second.push(report),
  });
  return judgeRerun(first, loose.length > 0 ? null : (second.find(({ file }) => file === first.file) ?? null));
}

/**
 * @param {NonNullable<Phase['tests']>} tests
 * @param {Counter} counter
 * @param {number} others number of suites that run concurrently
 * @returns {Promise<readonly SuiteRun[]>}
 */
async function runFiles(tests, counter, others) {
  /** @type {FileReport[]} */
  const reports = [];
  /** @type {Map<FileReport, Promise<Result>>} */
  const reruns = new Map();
  const loose = await runVitest({
    ...tests,
    onStart: (files) => counter.setTotal(files + others),
    onFile: (report) => {
      reports.push(report);
      counter.printNumbered(suiteNameOf(report.file), reportLine(report));
      if (report.result.failed === 0) return;
      printLine(failureLines(report).join('\n'));
      if (reruns.size < MAX_RERUNS) reruns.set(report, callsForRerun(report, tests));
    },
  });
  for (const text of loose) printLine(text);
  const failed = reports.filter(({ result }) => result.failed > 0);
  const broken = failed.length > MAX_RERUNS;
  if (broken) printLine(`  ${failed.length} files failed: too many to be unsteady, so they are not run again`);
  /** @type {Map<string, Omit<Required<SuiteRun>, 'name'>>} */
  const suites = new Map();
  for (const report of reports) {
    const rerun = await reruns.get(report);
    const name = suiteNameOf(report.file);
    const before = suites.get(name) ?? { result: EMPTY, seconds: 0, files: {}, cores: {} };
    suites.set(name, {
      result: addResults(before.result, broken ? report.result : (rerun ?? report.result)),
      seconds: before.seconds + report.seconds,
      files: { ...before.files, [report.file]: report.seconds },
      cores: { ...before.cores, ...(report.coreSeconds === null ? {} : { [report.file]: report.coreSeconds }) },
    });
  }
  const ran = [...suites].map(([name, each]) => ({ name, ...each }));
  if (loose.length === 0) return ran;
  return [...ran, { name: 'Errors outside all tests', result: { ...FAILED_RESULT, failed: loose.length }, seconds: 0 }];
}

/**
 * @param {Phase} phase
 * @returns {Promise<readonly SuiteRun[]>}
 */
export async function runPhase({ tests, beside = [] }) {
  const counter = new Counter();
  if (!tests) counter.setTotal(beside.length);
  const others = async () => {
    /** @type {SuiteRun[]} */
    const ran = [];
    for (const suite of beside) {
      const one = await runSuite(suite);
      const state = one.result.failed === 0 ? 'ok  ' : 'FAIL';
      counter.printNumbered(one.name, `${state} ${countsText(one.result)} (${formatSeconds(one.seconds)})`);
      ran.push(one);
    }
    return ran;
  };
  const files = tests ? runFiles(tests, counter, beside.length) : [];
  const [small, large] = await Promise.all([tests ? runInBackground(others) : others(), files]);
  return [...small, ...large];
}
