/**
 * Output of the entry scripts. Standard output may belong to a program whose output is parsed (`braggbench run
 * --json`), so the stream is chosen once.
 */

import { AsyncLocalStorage } from 'node:async_hooks';

/** @type {NodeJS.WritableStream & { isTTY?: boolean }} */
let stream = process.stdout;

/**
 * Buffered lines of concurrent work, until it may print.
 * @type {AsyncLocalStorage<{ held: string[] | null }>}
 */
const beside = new AsyncLocalStorage();

/**
 * Send everything there from now on.
 * @param {NodeJS.WritableStream & { isTTY?: boolean }} to
 */
export function sayOn(to) {
  stream = to;
}

/** @param {string} line */
export function say(line) {
  const held = beside.getStore()?.held;
  if (held) held.push(line);
  else stream.write(`${line}\n`);
}

/**
 * Runs tasks concurrently to their ends without mixing their output. The first prints immediately, each of the others
 * once those before it have ended. Throws the error of the first of them that failed.
 * @template T
 * @param {readonly (() => Promise<T>)[]} works
 * @returns {Promise<T[]>}
 */
export async function besideEachOther(works) {
  const lanes = works.map((work, at) => {
    const own = { held: at === 0 ? null : /** @type {string[] | null} */ ([]) };
    return { own, result: beside.run(own, work) };
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

/** Interval between progress messages of a long step: a terminal's line is overwritten, a log's lines accumulate. */
const AGAIN_MS = { terminal: 500, log: 20_000 };

/**
 * Names a step, runs it, and says how long it took, and meanwhile for how long it has been at it.
 * @template T
 * @param {string} title
 * @param {(progress: (how_far: string) => void) => Promise<T>} body may tell how far it is, such as `12 of 260 files`
 * @returns {Promise<T>}
 */
export async function timed(title, body) {
  say(`${title} …`);
  const start = performance.now();
  const seconds = (digits = 0) => `${((performance.now() - start) / 1000).toFixed(digits)} s`;
  let howFar = '';
  const terminal = stream.isTTY === true;
  const again = () => {
    if (beside.getStore()?.held) return;
    const line = `  ${seconds()}${howFar && `, ${howFar}`}`;
    if (terminal) stream.write(`\r${line}\x1b[K`);
    else say(line);
  };
  const timer = setInterval(again, terminal ? AGAIN_MS.terminal : AGAIN_MS.log);
  /** @type {T} */
  let result;
  try {
    result = await body((text) => {
      howFar = text;
    });
  } finally {
    clearInterval(timer);
    if (terminal && !beside.getStore()?.held) stream.write('\r\x1b[K');
  }
  say(`  done in ${seconds(1)}`);
  return result;
}
