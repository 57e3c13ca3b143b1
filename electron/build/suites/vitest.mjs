import { fork } from 'node:child_process';
import { tail } from '../setup/command.mjs';
import { inRoot, root } from '../setup/root.mjs';

/** @typedef {import('./vitest-reporter.mjs').Message} Message */
/** @typedef {import('./vitest-reporter.mjs').FileReport} FileReport */
/**
 * @typedef {Readonly<{
 *   projects: readonly string[],
 *   files?: readonly string[],
 *   more?: readonly string[],
 *   env?: NodeJS.ProcessEnv,
 *   onStart?: (files: number) => void,
 *   onFile?: (report: FileReport) => void,
 * }>} Call `projects` of vitest.config.ts; `files`: parts of the names of test files, all of the projects if not given
 */

/** Printed lines that help when vitest ends before its tests do. */
const TAIL = 30;

/**
 * Runs vitest and reports its files as they finish.
 * @param {Call} call
 * @returns {Promise<readonly string[]>} errors that belong to no file
 */
export async function runVitest({ projects, files = [], more = [], env = {}, onStart, onFile }) {
  const child = fork(
    inRoot('node_modules/vitest/vitest.mjs'),
    [
      'run',
      ...projects.flatMap((project) => ['--project', project]),
      ...['--reporter', inRoot('electron/build/suites/vitest-reporter.mjs')],
      ...more,
      ...files,
    ],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { BRAGGBENCH_SCREENSHOTS: 'failures', ...process.env, ...env, NO_COLOR: '1' },
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      output += text;
    });
  }
  /** @type {readonly string[] | null} */
  let unhandled = null;
  let failed = false;
  child.on('message', (/** @type {Message} */ message) => {
    if (message.kind === 'start') onStart?.(message.files);
    else if (message.kind === 'end') unhandled = message.unhandled;
    else {
      failed ||= message.report.result.failed > 0;
      onFile?.(message.report);
    }
  });
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(127)).once('close', resolve);
  });
  if (unhandled === null) return [`vitest ended with code ${code} before its tests did:\n${tail(output, TAIL)}`];
  const loose = /** @type {readonly string[]} */ (unhandled);
  if (code === 0 || failed || loose.length > 0) return loose;
  return [`vitest ended with code ${code}, and no test failed:\n${tail(output, TAIL)}`];
}
