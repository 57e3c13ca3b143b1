import { existsSync, readFileSync, rmSync } from 'node:fs';
import { capture, tail } from '../setup/command.mjs';
import { inRoot } from '../setup/root.mjs';
import { say } from '../setup/say.mjs';
import { FAILED, sum } from './result.mjs';

/** @typedef {import('./result.mjs').Result} Result */
/** @typedef {import('./vitest-reporter.mjs').Counts} Counts */
/** @typedef {import('./vitest-reporter.mjs').FileCounts} FileCounts */

/** More failing files mean that something broke, and no test is to be blamed for the moment it ran at. */
export const MOST_AGAIN = 3;

/**
 * @param {string} project
 * @param {readonly string[]} more arguments of vitest
 * @returns {Promise<Counts & { code: number } | null>} null: it ended before it could count
 */
async function runVitest(project, more) {
  const file = inRoot('dist/.stamps', `vitest-${project}.json`);
  rmSync(file, { force: true });
  const args = ['run', '--project', project, '--reporter', inRoot('electron/build/suites/vitest-reporter.mjs')];
  const outcome = await capture(process.execPath, [inRoot('node_modules/vitest/vitest.mjs'), ...args, ...more], {
    env: { BRAGGBENCH_SCREENSHOTS: 'failures', ...process.env, BRAGGBENCH_TEST_COUNTS: file, NO_COLOR: '1' },
    onLine: (line) => say(`  ${line}`),
  });
  if (!existsSync(file)) {
    say(tail(outcome.output, 20));
    return null;
  }
  return { .../** @type {Counts} */ (JSON.parse(readFileSync(file, 'utf8'))), code: outcome.code };
}

/**
 * A file that failed, once more and alone: what then passes is counted as passed, and named so that it is mended.
 * @param {FileCounts} first
 * @param {string} project
 * @param {readonly string[]} more
 * @returns {Promise<Result>}
 */
async function again({ file, result: failed, failure }, project, more) {
  say(`\n  Again, alone: ${file}`);
  const counts = await runVitest(project, [...more, file]);
  const second = counts?.files.find((each) => each.file === file)?.result;
  if (second === undefined) return failed;
  if (second.failed > 0 || counts?.code !== 0) return second.failed > 0 ? second : failed;
  const said = failure ?? 'no failure was reported';
  say(`\n  UNSTEADY ${file}: passed only when run again alone. It had failed in ${said}\n`);
  return { ...second, unsteady: [{ file, failure: said }] };
}

/**
 * One of the projects of vitest.config.ts. The reporter beside this file prints a line per test file and the
 * failures, and leaves the counts in a file. A file that failed is run again, alone, after all others: one that
 * fails twice has failed.
 * @param {string} project
 * @param {string} name
 * @param {readonly string[]} [more] arguments of vitest
 * @returns {import('./result.mjs').Suite}
 */
export function vitestProject(project, name, more = []) {
  return {
    name,
    run: async (quiet) => {
      const counts = await runVitest(project, more);
      if (counts === null) return FAILED;
      const bad = counts.files.filter(({ result }) => result.failed > 0);
      // An unhandled rejection belongs to no test: nobody knows which file to run again.
      const broken = counts.unhandled > 0 || (counts.code !== 0 && bad.length === 0);
      if (bad.length > MOST_AGAIN) say(`  ${bad.length} files failed: too many to be unsteady, none is run again`);
      const rerun = bad.length <= MOST_AGAIN;
      if (rerun && bad.length > 0) await quiet();
      let total = broken ? { ...FAILED, failed: Math.max(1, counts.unhandled) } : { passed: 0, failed: 0, skipped: [] };
      for (const each of counts.files) {
        total = sum(total, rerun && each.result.failed > 0 ? await again(each, project, more) : each.result);
      }
      return total;
    },
  };
}
