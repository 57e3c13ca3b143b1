import { existsSync, readFileSync, rmSync } from 'node:fs';
import { capture, tail } from '../setup/command.mjs';
import { inRoot } from '../setup/root.mjs';
import { say } from '../setup/say.mjs';
import { FAILED, sum } from './result.mjs';

/**
 * One of the projects of vitest.config.ts. The reporter beside this file
 * prints a line per test file and the failures, and leaves the counts in a file.
 * @param {string} project or several, as in `unit*`
 * @param {string} name
 * @returns {import('./result.mjs').Suite}
 */
export function vitestProject(project, name) {
  return {
    name,
    run: async () => {
      const counts = inRoot('dist/.stamps', `vitest-${project.replace('*', '')}.json`);
      rmSync(counts, { force: true });
      const args = ['run', '--project', project, '--reporter', inRoot('electron/build/suites/vitest-reporter.mjs')];
      const outcome = await capture(process.execPath, [inRoot('node_modules/vitest/vitest.mjs'), ...args], {
        env: { BRAGGBENCH_SCREENSHOTS: 'failures', ...process.env, BRAGGBENCH_TEST_COUNTS: counts, NO_COLOR: '1' },
        onLine: (line) => say(`  ${line}`),
      });
      if (!existsSync(counts)) {
        say(tail(outcome.output, 20));
        return FAILED;
      }
      /** @type {import('./result.mjs').Result} */
      const result = JSON.parse(readFileSync(counts, 'utf8'));
      // Vitest also fails for reasons that no test has, such as an unhandled rejection.
      return outcome.code !== 0 && result.failed === 0 ? sum(result, FAILED) : result;
    },
  };
}
