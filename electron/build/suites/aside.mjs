/**
 * The suite that runs beside the others, in a process of the lowest priority: it takes the cores that a suite
 * which waits for a browser leaves idle. As a program, this file runs it and leaves the counts in the file named.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { capture } from '../setup/command.mjs';
import { inRoot } from '../setup/root.mjs';
import { say } from '../setup/say.mjs';
import { sanitizedCppTests } from './cpp-tests.mjs';
import { FAILED } from './result.mjs';
import { runSuite } from './run.mjs';

const self = fileURLToPath(import.meta.url);
const COUNTS = 'dist/.stamps/suite-aside.json';

/**
 * Starts it; call the result to wait for its end, print what it said, in one piece, and get what it found.
 * @returns {() => Promise<import('./result.mjs').Result>}
 */
export function startAside() {
  rmSync(inRoot(COUNTS), { force: true });
  const ended = capture(process.execPath, [self]);
  return async () => {
    const { output } = await ended;
    say(`\n${output.trim()}`);
    return existsSync(inRoot(COUNTS)) ? JSON.parse(readFileSync(inRoot(COUNTS), 'utf8')) : FAILED;
  };
}

if (process.argv[1] === self) {
  setPriority(constants.priority.PRIORITY_LOW);
  writeFileSync(inRoot(COUNTS), JSON.stringify(await runSuite(sanitizedCppTests)));
}
