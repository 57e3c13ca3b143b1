/**
 * Output of the entry scripts. Standard output may be reserved for a program whose output is parsed (`braggbench run
 * --json`), so the stream can be selected.
 */

import { AsyncLocalStorage } from 'node:async_hooks';

/** @type {NodeJS.WritableStream & { isTTY?: boolean }} */
let stream = process.stdout;

/**
 * Lines of concurrent tasks, buffered until the task may print.
 * @type {AsyncLocalStorage<{ held: string[] | null }>}
 */
const concurrent = new AsyncLocalStorage();

/**
 * Sends all further output to a stream.
 * @param {NodeJS.WritableStream & { isTTY?: boolean }} to
 */
export function sayOn(to) {
  stream = to;
}

/** @param {string} line */
export function say(line) {
  const held = concurrent.getStore()?.held;
  if (held) held.push(line);
  else stream.write(`${line}\n`);
}

/**
 * Runs all tasks concurrently to their ends without mixing their output. The first task prints immediately, and each of
 * the others as soon as those before it have ended. Throws the error of the first task in the list that failed.
 * @template T
 * @param {readonly (() => Promise<T>)[]} works
 * @returns {Promise<T[]>}
 */
export async function concurrently(works) {
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

/** A failure that the user can correct: shown as its message alone, with exit code 1 by default. */
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
 * Interval between progress messages of a long step. It is longer for a log, whose lines accumulate, than for a
 * terminal, whose line is overwritten.
 */
const REPEAT_MS = { terminal: 500, log: 20_000 };

/** Steps that end within this time are not shown. */
const QUIET_MS = 100;

/**
 * Runs a step, and prints its title, progress, elapsed time and duration.
 * @template T
 * @param {string} title
 * @param {(progress: (how_far: string) => void) => Promise<T>} body may report its progress, such as `12 of 260 files`
 * @returns {Promise<T>}
 */
export async function runTimed(title, body) {
  let isNamed = false;
  const name = () => {
    if (!isNamed) say(`${title} …`);
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
    else say(line);
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
    say(`  done in ${seconds(1)}`);
  }
  return result;
}
