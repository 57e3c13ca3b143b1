import { availableParallelism } from 'node:os';
import { capture, tail } from '../setup/command.mjs';
import { inRoot } from '../setup/root.mjs';
import { say } from '../setup/say.mjs';
import { checkFormat } from './cpp-format.mjs';
import { FAILED, PASSED, skipped } from './result.mjs';

/** @typedef {import('./result.mjs').Suite} Suite */

/**
 * A check that is one command: passed when it exits with 0, else its output is shown.
 * @param {readonly string[]} args script of an installed package and its arguments
 */
async function command(args) {
  const { code, output } = await capture(process.execPath, args);
  if (code === 0) return PASSED;
  say(tail(output, 120));
  return FAILED;
}

/** @type {Suite} */
const biome = {
  name: 'Lint and format (Biome)',
  run: () =>
    command([
      inRoot('node_modules/@biomejs/biome/bin/biome'),
      'check',
      '--error-on-warnings',
      '--max-diagnostics=40',
      '.',
    ]),
};

/**
 * The cached state of the last check identifies every file by its content: only changed files and their dependents are
 * checked again.
 * @type {Suite}
 */
const types = {
  name: 'Types (tsc)',
  run: () =>
    command([
      inRoot('node_modules/typescript/bin/tsc'),
      '--noEmit',
      // Each checker reads what all files see: of four, which is the usual number, two cores do that work twice.
      '--checkers',
      String(Math.min(4, availableParallelism())),
      '--incremental',
      '--tsBuildInfoFile',
      inRoot('dist/.stamps/types.tsbuildinfo'),
    ]),
};

/** @type {Suite} */
const cppFormat = {
  name: 'C++ and CUDA format (clang-format)',
  run: async () => {
    const { wrong, unavailable } = await checkFormat();
    if (unavailable) return skipped('C++ and CUDA format', unavailable);
    if (wrong.length === 0) return PASSED;
    say(`Not formatted (\`npm run format\` does it):\n  ${wrong.join('\n  ')}`);
    return FAILED;
  },
};

/** @type {readonly Suite[]} */
export const staticChecks = [biome, cppFormat, types];
