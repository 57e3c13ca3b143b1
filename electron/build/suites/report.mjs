import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inRoot } from '../setup/root.mjs';
import { say } from '../setup/say.mjs';
import { byReason, EMPTY, sum } from './result.mjs';
import { inSeconds } from './run.mjs';

/** @typedef {import('./run.mjs').Ran} Ran */

/** One file may be unsteady; with two the result of the run is not reliable. */
const MOST_UNSTEADY = 1;

/** Rewritten by every run of all suites; continuous integration saves it. */
const SECONDS = 'dist/test-seconds.json';

/**
 * Writes the seconds of each suite and of each test file. `files` has the form of test/seconds.json.
 * @param {readonly Ran[]} ran
 * @param {number} seconds of the run
 * @param {string} to
 */
function writeSeconds(ran, seconds, to) {
  const round = (/** @type {number} */ value) => Math.round(value * 10) / 10;
  const files = ran
    .flatMap((suite) => Object.entries(suite.files ?? {}))
    .sort(([, a], [, b]) => b - a)
    .map(([file, value]) => [file, round(value)]);
  const suites = ran.map(({ name, seconds: value, result: { passed, failed } }) => ({
    ...{ name, seconds: round(value), passed, failed },
  }));
  mkdirSync(path.dirname(to), { recursive: true });
  const all = { seconds: round(seconds), suites, files: Object.fromEntries(files) };
  writeFileSync(to, `${JSON.stringify(all, null, 2)}\n`);
}

/**
 * Prints the seconds of each suite, tests that did not run, and unsteady files; the last line is `N passed, N failed`.
 * @param {readonly Ran[]} ran
 * @param {Readonly<{ seconds: number, whole: boolean, to?: string }>} run `whole`: all tests of the command, whose seconds
 * are written to the file `to`
 * @returns {number} the exit code
 */
export function report(ran, { seconds, whole, to = inRoot(SECONDS) }) {
  const total = ran.map(({ result }) => result).reduce(sum, EMPTY);
  const widest = Math.max(...ran.map(({ name }) => name.length));
  say(`\nTook ${inSeconds(seconds)}; of test files the seconds of all are added`);
  for (const each of ran) say(`  ${each.name.padEnd(widest)} ${inSeconds(each.seconds).padStart(8)}`);
  if (whole) {
    writeSeconds(ran, seconds, to);
    say(`  by file: ${path.relative(inRoot(), to)}`);
  }
  if (total.skipped.length > 0) {
    say(`\nNot run: ${total.skipped.length}`);
    for (const [reason, names] of byReason(total.skipped)) {
      say(names.length > 2 ? `  ${names[0]}, … ${names.at(-1)} (${names.length})` : `  ${names.join('; ')}`);
      say(`    ${reason}`);
    }
  }
  const unsteady = total.unsteady ?? [];
  if (unsteady.length > 0) {
    say(
      `\nUnsteady: ${unsteady.length} failed and passed when run again. Mend them, or list them in test/unsteady.json:`,
    );
    for (const { file, failure } of unsteady) say(`  ${file}: ${failure.split('\n')[0]}`);
  }
  const unreliable = unsteady.length > MOST_UNSTEADY;
  if (unreliable) say(`More than ${MOST_UNSTEADY} of them: each counts as a failure.`);
  const failed = total.failed + (unreliable ? unsteady.length : 0);
  say(`\n${total.passed} passed, ${failed} failed`);
  return failed === 0 && total.passed > 0 ? 0 : 1;
}
