/**
 * What the entry scripts print. Standard output may belong to a program whose
 * output is parsed (`braggbench run --json`), so the place is chosen once.
 */

/** @type {NodeJS.WritableStream} */
let stream = process.stdout;

/** Send everything to standard error from now on. */
export function sayOnStandardError() {
  stream = process.stderr;
}

/** @param {string} line */
export function say(line) {
  stream.write(`${line}\n`);
}

/** A failure that the person can act on: shown as its message alone, exit code 1. */
export class Failure extends Error {
  /**
   * @param {string} message
   * @param {number} exitCode
   */
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Runs an entry script and sets the exit code.
 * @param {() => Promise<number>} entry returns the exit code
 */
export async function main(entry) {
  try {
    process.exitCode = await entry();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error.exitCode;
  }
}

/**
 * Names a step, runs it, and says how long it took.
 * @template T
 * @param {string} title
 * @param {() => Promise<T>} body
 * @returns {Promise<T>}
 */
export async function timed(title, body) {
  say(`${title} …`);
  const start = performance.now();
  const result = await body();
  say(`  done in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return result;
}
