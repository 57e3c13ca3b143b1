/**
 * What a suite found. `skipped` holds one `name: reason` for each test that did not run.
 * @typedef {Readonly<{ passed: number, failed: number, skipped: readonly string[] }>} Result
 * @typedef {Readonly<{ name: string, run: () => Promise<Result> }>} Suite
 */

/** @type {Result} */
export const PASSED = { passed: 1, failed: 0, skipped: [] };

/** @type {Result} */
export const FAILED = { passed: 0, failed: 1, skipped: [] };

/**
 * @param {string} name
 * @param {string} reason
 * @returns {Result}
 */
export const skipped = (name, reason) => ({ passed: 0, failed: 0, skipped: [`${name}: ${reason}`] });

/**
 * @param {Result} a
 * @param {Result} b
 * @returns {Result}
 */
export const sum = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: [...a.skipped, ...b.skipped],
});
