import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inRoot } from '../setup/root.mjs';
import { printLine } from '../setup/say.mjs';

/**
 * @typedef {Readonly<{ name: string, reason: string }>} Skip a test that did not run
 * @typedef {Readonly<{ file: string, failure: string }>} Unsteady a test file that failed and passed when it ran again
 * @typedef {Readonly<{ passed: number, failed: number, skipped: readonly Skip[], unsteady?: readonly Unsteady[] }>} Result
 * of a suite or a file
 * @typedef {Readonly<{ name: string, builds?: boolean, run: () => Promise<Result> }>} Suite `builds`: it needs the addon and
 * the C++ tests
 */

/** @type {Result} */
export const PASSED_RESULT = { passed: 1, failed: 0, skipped: [] };

/** @type {Result} */
export const FAILED_RESULT = { passed: 0, failed: 1, skipped: [] };

/** @type {Result} */
export const EMPTY = { passed: 0, failed: 0, skipped: [] };

/**
 * @param {string} name
 * @param {string} reason
 * @returns {Result}
 */
export const skippedResult = (name, reason) => ({ passed: 0, failed: 0, skipped: [{ name, reason }] });

/**
 * @param {Result} a
 * @param {Result} b
 * @returns {Result}
 */
export const addResults = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: [...a.skipped, ...b.skipped],
  unsteady: [...(a.unsteady ?? []), ...(b.unsteady ?? [])],
});

/**
 * Groups tests that did not run by reason.
 * @param {readonly Skip[]} skips
 * @returns {ReadonlyMap<string, readonly string[]>} names by reason, in the order of the first of each
 */
export function groupByReason(skips) {
  /** @type {Map<string, string[]>} */
  const names = new Map();
  for (const { name, reason } of skips) names.set(reason, [...(names.get(reason) ?? []), name]);
  return names;
}

/**
 * Runs a suite, unless it passed earlier with the same `key`, on which alone its result depends.
 * @param {string} name name of its stamp
 * @param {string} key digest of its program, inputs and settings
 * @param {() => Promise<Result>} run
 * @param {string} [folder] folder of the stamps
 * @returns {Promise<Result>}
 */
export async function runUnlessPassed(name, key, run, folder = inRoot('dist/.stamps')) {
  const file = path.join(folder, `${name}.json`);
  if (existsSync(file)) {
    const stamp = JSON.parse(readFileSync(file, 'utf8'));
    if (stamp.key === key) {
      printLine('  unchanged since they last passed');
      return stamp.result;
    }
  }
  const result = await run();
  if (result.passed === 0 || result.failed > 0 || (result.unsteady ?? []).length > 0) return result;
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, JSON.stringify({ key, result }));
  return result;
}
