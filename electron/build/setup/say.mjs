/**
 * What the entry scripts print. Standard output may belong to a program whose
 * output is parsed (`braggbench run --json`), so the place is chosen once.
 */

/** @type {NodeJS.WritableStream & { isTTY?: boolean }} */
let stream = process.stdout;

/**
 * Send everything there from now on.
 * @param {NodeJS.WritableStream & { isTTY?: boolean }} to
 */
export function sayOn(to) {
  stream = to;
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

/** How often a step that takes its time says so: a terminal's line is written over, a log's lines add up. */
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
    if (terminal) stream.write('\r\x1b[K');
  }
  say(`  done in ${seconds(1)}`);
  return result;
}
