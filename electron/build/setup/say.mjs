/**
 * Output of entry scripts. The stream can be changed, because standard output may be reserved for a program whose
 * output is parsed (`braggbench run --json`).
 */

import { AsyncLocalStorage } from 'node:async_hooks';

/** @type {NodeJS.WritableStream & { isTTY?: boolean }} */
let stream = process.stdout;

/**
 * Output of the current concurrent task, which is buffered until the task may print.
 * @type {AsyncLocalStorage<{ held: string[] | null }>}
 */
const concurrent = new AsyncLocalStorage();

/**
 * Sets the stream for all further output.
 * @param {NodeJS.WritableStream & { isTTY?: boolean }} to
 */
export function setOutputStream(to) {
  stream = to;
}

/** @param {string} line */
export function printLine(line) {
  const held = concurrent.getStore()?.held;
  if (held) held.push(line);
  else stream.write(`${line}\n`);
}

/**
 * Runs tasks concurrently without mixing their output. The first task prints immediately, each other task after the
 * preceding ones have ended. All tasks run to their end. Throws the error of the first task in the list that failed.
 * @template T
 * @param {readonly (() => Promise<T>)[]} works
 * @returns {Promise<T[]>}
 */
export async function runWithSeparateOutput(works) {
  const lanes = works.map((work, at) => {
    const own = { held: at === 0 ? null : /** @type {string[] | null} */ ([]) };
    return { own, result: concurrent.run(own, work) };
  });
  await Promise.allSettled(
    lanes.map(async ({ own, result }, at) => {
      await Promise.allSettled(lanes.slice(0, at).map((lane) => lane.result));
      for (const line of own.held ?? []) stream.write(`${line}\n`);
      own.held = null;
      return result;
    }),
  );
  return Promise.all(lanes.map(({ result }) => result));
}

/** Error that the user can correct. Only its message is printed; the exit code is 1 by default. */
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
 * Runs an entry script, prints its errors, and sets the exit code.
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
 * Interval between progress messages of a long step, ms. It is longer for a log, in which every message adds a line.
 */
const REPEAT_MS = { terminal: 500, log: 20_000 };

/** Steps that end within this time print nothing, ms. */
const QUIET_MS = 100;

/**
 * Runs a step and prints its title, progress and duration.
 * @template T
 * @param {string} title
 * @param {(progress: (how_far: string) => void) => Promise<T>} body may report its progress, such as `12 of 260 files`
 * @returns {Promise<T>}
 */
export async function runTimed(title, body) {
  let isNamed = false;
  const name = () => {
    if (!isNamed) printLine(`${title} …`);
    isNamed = true;
  };
  const naming = setTimeout(name, QUIET_MS);
  const start = performance.now();
  const seconds = (digits = 0) => `${((performance.now() - start) / 1000).toFixed(digits)} s`;
  let howFar = '';
  const terminal = stream.isTTY === true;
  const again = () => {
    if (concurrent.getStore()?.held) return;
    const line = `  ${seconds()}${howFar && `, ${howFar}`}`;
    if (terminal) stream.write(`\r${line}\x1b[K`);
    else printLine(line);
  };
  const timer = setInterval(again, terminal ? REPEAT_MS.terminal : REPEAT_MS.log);
  /** @type {T} */
  let result;
  try {
    result = await body((text) => {
      howFar = text;
    });
  } catch (error) {
    name();
    throw error;
  } finally {
    clearTimeout(naming);
    clearInterval(timer);
    if (terminal && !concurrent.getStore()?.held) stream.write('\r\x1b[K');
  }
  if (performance.now() - start >= QUIET_MS) {
    name();
    printLine(`  done in ${seconds(1)}`);
  }
  return result;
}
