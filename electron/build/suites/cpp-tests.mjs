import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { capture } from '../setup/command.mjs';
import { findClang } from '../setup/cpp-toolchain.mjs';
import { inRoot } from '../setup/root.mjs';
import { Failure, say } from '../setup/say.mjs';
import { build } from '../steps/all.mjs';
import {
  ADDON,
  addonStep,
  CLANG_TESTS,
  CPP_TESTS,
  clangStep,
  GPU_TESTS,
  SANITIZED_TESTS,
  sanitizedTestsStep,
} from '../steps/native.mjs';
import { skipped, sum } from './result.mjs';

/** @typedef {import('./result.mjs').Suite} Suite */

/** Far above what they take; a hang should not cost the whole test run. */
const TIMEOUT_S = 600;

/** The tests' last line. */
const TOTALS = /^(\d+) passed, (\d+) failed$/m;

/** What a test's last line begins with. */
const ENDS_TEST = /^(ok {2}|FAIL) /;

/** A test that cannot run here: its name and why. Told once, at the end of all suites. */
const SKIPPED = /^skip (.*)\t(.*)$/gm;

/**
 * @param {string} program
 * @param {readonly string[]} [args] parts of the tests' names
 * @param {NodeJS.ProcessEnv} [env]
 */
async function runTests(program, args = [], env = process.env) {
  // What a test said stays together when several processes speak at once.
  /** @type {string[]} */
  const block = [];
  const sayBlock = () => {
    if (block.length > 0) say(block.splice(0).join('\n'));
  };
  const outcome = await capture(inRoot(program), args, {
    env,
    timeout_s: TIMEOUT_S,
    onLine: (line) => {
      if (TOTALS.test(line) || line.startsWith('skip ')) return;
      block.push(`  ${line}`);
      if (ENDS_TEST.test(line)) sayBlock();
    },
  });
  sayBlock();
  const totals = TOTALS.exec(outcome.output);
  const left = [...outcome.output.matchAll(SKIPPED)].map(([, name = '', reason = '']) => ({ name, reason }));
  const counted = { passed: Number(totals?.[1] ?? 0), failed: Number(totals?.[2] ?? 0), skipped: left };
  if (outcome.code === 0 || counted.failed > 0) return counted;
  // The search runs after the tests and in a tracer of its own, which on some kernels dies of a signal.
  if (totals && outcome.output.includes('LeakSanitizer has encountered a fatal error')) {
    return sum(counted, skipped('leak check of the C++ tests', 'LeakSanitizer could not look at the ended tests here'));
  }
  say(outcome.timedOut ? `  stopped after ${TIMEOUT_S} s` : `  ended with code ${outcome.code}`);
  // A crash takes the totals with it: the tests that ended before it stay counted.
  const ended = (/** @type {RegExp} */ line) => (totals ? 0 : [...outcome.output.matchAll(line)].length);
  return sum(counted, { passed: ended(/^ok {3}/gm), failed: 1 + ended(/^FAIL /gm), skipped: [] });
}

/** More processes than this only wait for the longest test. */
const MOST_PROCESSES = 8;

/**
 * The tests shared out over as many processes as there are cores: most of them use one.
 * @type {typeof runTests}
 */
async function runShared(program, args = [], env = process.env) {
  const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-tests-'));
  try {
    const processes = Math.min(MOST_PROCESSES, availableParallelism());
    const each = Array.from({ length: processes }, () => runTests(program, [...args, `--shared=${folder}`], env));
    return (await Promise.all(each)).reduce(sum);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the names of the tests begin with that `npm run test:long` runs. */
const LONG = 'long gate, ';

/** @type {Suite} */
export const cppTests = { name: 'C++ tests, with the physics gates', run: () => runShared(CPP_TESTS, [`-${LONG}`]) };

/** @type {Suite} */
export const longCppTests = { name: 'Long physics gates in C++', run: () => runShared(CPP_TESTS, [LONG]) };

/** @returns {string | null} why no CUDA device can be used here */
function noGpu() {
  const { devices } = createRequire(import.meta.url)(inRoot(ADDON));
  const { cuda } = devices();
  return cuda.available ? null : `${cuda.reason ?? 'no CUDA device'}`;
}

/** @type {Suite} */
export const gpuTests = {
  name: 'C++ tests on the GPU',
  run: async () => {
    const reason = noGpu();
    if (reason !== null) return skipped('C++ tests on the GPU', reason);
    /** @type {import('./result.mjs').Result} */
    let total = { passed: 0, failed: 0, skipped: [] };
    for (const program of GPU_TESTS) total = sum(total, await runTests(program));
    return total;
  },
};

/** @type {Suite} */
export const sanitizedCppTests = {
  name: 'C++ tests with address and undefined-behaviour sanitizers',
  run: async () => {
    if (process.platform === 'win32') return skipped('sanitized C++ tests', 'not set up for Visual C++');
    try {
      await build([addonStep(), sanitizedTestsStep()]);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const missing = /(cannot find|unable to find library|No such file).*(l?[au]b?san|clang_rt)/.exec(error.message);
      if (missing) return skipped('sanitized C++ tests', 'the compiler has no sanitizer libraries');
      throw error;
    }
    // The gates take minutes here and run the code that parity and run tests run.
    const result = await runShared(SANITIZED_TESTS, ['-gate, '], {
      ...process.env,
      ASAN_OPTIONS: 'detect_leaks=1:strict_string_checks=1',
      UBSAN_OPTIONS: 'print_stacktrace=1',
    });
    // What no GPU could run was named by the plain run.
    return { ...result, skipped: result.skipped.filter(({ name }) => name.startsWith('leak check')) };
  },
};

/** @type {Suite} */
export const clangCppTests = {
  name: 'Addon and C++ tests by Clang',
  run: async () => {
    const found = await findClang();
    if ('missing' in found) return skipped('C++ tests by Clang', found.missing);
    say(`  ${found.version}`);
    await build([clangStep(found)]);
    const result = await runShared(CLANG_TESTS, [`-${LONG}`]);
    // What no GPU could run was named by the other compiler's run.
    return { ...result, skipped: [] };
  },
};
