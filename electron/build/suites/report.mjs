import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inRoot } from '../setup/root.mjs';
import { printLine } from '../setup/say.mjs';
import { addResults, EMPTY, groupByReason } from './result.mjs';
import { formatSeconds } from './run.mjs';

/** @typedef {import('./run.mjs').SuiteRun} SuiteRun */

/** Largest allowed number of unsteady files. With more, the result of the run is not reliable. */
const MAX_UNSTEADY = 1;

/** File with the durations of the last run of all suites. Continuous integration saves it. */
const LAST_SECONDS = 'dist/test-seconds.json';

/**
 * Durations of test files from the last complete run on this machine. Files without one have that of the table, as do
 * all files in a new clone.
 * @param {string} [table]
 * @param {string} [last]
 * @returns {Readonly<Record<string, number>>} seconds by file
 */
export function listedSeconds(table = inRoot('test/seconds.json'), last = inRoot(LAST_SECONDS)) {
  const listed = JSON.parse(readFileSync(table, 'utf8'));
  return existsSync(last) ? { ...listed, ...JSON.parse(readFileSync(last, 'utf8')).files } : listed;
}

const round = (/** @type {number} */ value) => Math.round(value * 10) / 10;

/** @param {readonly (Readonly<Record<string, number>> | undefined)[]} tables @returns {Record<string, number>} */
const sortedByDuration = (tables) =>
  Object.fromEntries(
    tables
      .flatMap((table) => Object.entries(table ?? {}))
      .sort(([, a], [, b]) => b - a)
      .map(([file, value]) => [file, round(value)]),
  );

/**
 * Writes the duration of each suite, and duration and processor time of each test file. `files` has the format of
 * test/seconds.json.
 * @param {readonly SuiteRun[]} ran
 * @param {Readonly<{ seconds: number, coreSeconds?: number | null }>} run
 * @param {string} to
 */
function writeSeconds(ran, { seconds, coreSeconds = null }, to) {
  const suites = ran.map(({ name, seconds: value, result: { passed, failed } }) => ({
    ...{ name, seconds: round(value), passed, failed },
  }));
  mkdirSync(path.dirname(to), { recursive: true });
  const all = {
    seconds: round(seconds),
    core_seconds: coreSeconds === null ? null : round(coreSeconds),
    suites,
    files: sortedByDuration(ran.map((suite) => suite.files)),
    core_seconds_of_files: sortedByDuration(ran.map((suite) => suite.cores)),
  };
  writeFileSync(to, `${JSON.stringify(all, null, 2)}\n`);
}

/**
 * Prints the duration of each suite, tests that did not run, and unsteady files. The last line is `N passed, N failed`.
 * @param {readonly SuiteRun[]} ran
 * @param {Readonly<{ seconds: number, coreSeconds?: number | null, whole: boolean, to?: string }>} run `whole`: all tests
 * of the command, whose seconds are written to the file `to`; `coreSeconds`: processor time, where the system reports it
 * @returns {number} the exit code
 */
export function report(ran, { seconds, coreSeconds = null, whole, to = inRoot(LAST_SECONDS) }) {
  const total = ran.map(({ result }) => result).reduce(addResults, EMPTY);
  const widest = Math.max(...ran.map(({ name }) => name.length));
  const work = coreSeconds === null ? '' : `, ${Math.round(coreSeconds)} core-s`;
  printLine(`\nTook ${formatSeconds(seconds)}${work}; seconds of test files are summed`);
  for (const each of ran) printLine(`  ${each.name.padEnd(widest)} ${formatSeconds(each.seconds).padStart(8)}`);
  if (whole) {
    writeSeconds(ran, { seconds, coreSeconds }, to);
    printLine(`  by file: ${path.relative(inRoot(), to)}`);
  }
  if (total.skipped.length > 0) {
    printLine(`\nNot run: ${total.skipped.length}`);
    for (const [reason, names] of groupByReason(total.skipped)) {
      printLine(names.length > 2 ? `  ${names[0]}, … ${names.at(-1)} (${names.length})` : `  ${names.join('; ')}`);
      printLine(`    ${reason}`);
    }
  }
  const unsteady = total.unsteady ?? [];
  if (unsteady.length > 0) {
    printLine(
      `\nUnsteady: ${unsteady.length} failed and passed when run again. Fix them, or list them in test/unsteady.json:`,
    );
    for (const { file, failure } of unsteady) printLine(`  ${file}: ${failure.split('\n')[0]}`);
  }
  const unreliable = unsteady.length > MAX_UNSTEADY;
  if (unreliable) printLine(`More than ${MAX_UNSTEADY} test files failed and then passed: each counts as a failure.`);
  const failed = total.failed + (unreliable ? unsteady.length : 0);
  printLine(`\n${total.passed} passed, ${failed} failed`);
  return failed === 0 && total.passed > 0 ? 0 : 1;
}
