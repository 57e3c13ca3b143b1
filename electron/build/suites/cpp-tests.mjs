import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { capture } from '../setup/command.mjs';
import { findClang } from '../setup/cpp-toolchain.mjs';
import { inRoot } from '../setup/root.mjs';
import { Failure, printLine } from '../setup/say.mjs';
import { build } from '../steps/all.mjs';
import { ADDON, CPP_TESTS, coreLibraryStep, GPU_TESTS, SANITIZED_TESTS, sanitizedTestsStep } from '../steps/native.mjs';
import { digest } from '../steps/up-to-date.mjs';
import { addResults, runUnlessPassed, skippedResult } from './result.mjs';
import { MAX_RERUNS } from './run.mjs';

/** @typedef {import('./result.mjs').Suite} Suite */
/** @typedef {import('./result.mjs').Result} Result */

/** Time limit far above the duration of the tests, so that a hanging test does not stop all suites. */
const TIMEOUT_S = 1800;

/** Matches the last line that the tests print. */
const TOTALS = /^(\d+) passed, (\d+) failed$/m;

/** Matches the line about a test that cannot run on this machine: its name and the reason. */
const SKIPPED_LINE = /^skip (.*)\t(.*)$/gm;

/**
 * Runs C++ tests and prints each failed one immediately.
 * @param {string} program
 * @param {readonly string[]} [args] parts of the tests' names
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<Readonly<{ result: Result, failed: readonly string[] }>>} the result and the names of failed tests
 */
async function runTests(program, args = [], env = process.env) {
  /** @type {string[]} lines of the test that runs */
  const block = [];
  /** @type {string[]} */
  const failed = [];
  const outcome = await capture(inRoot(program), args, {
    env,
    timeout_s: TIMEOUT_S,
    onLine: (line) => {
      if (TOTALS.test(line) || line.startsWith('skip ')) return;
      block.push(`  ${line}`);
      if (line.startsWith('FAIL ')) {
        failed.push(line.replace(/^FAIL /, '').replace(/ \([\d.]+ m?s\)$/, ''));
        printLine(block.join('\n'));
      }
      if (/^(ok {2}|FAIL) /.test(line)) block.length = 0;
    },
  });
  if (block.length > 0) printLine(block.join('\n'));
  const totals = TOTALS.exec(outcome.output);
  const left = [...outcome.output.matchAll(SKIPPED_LINE)].map(([, name = '', reason = '']) => ({ name, reason }));
  const counted = { passed: Number(totals?.[1] ?? 0), failed: Number(totals?.[2] ?? 0), skipped: left };
  if (outcome.code === 0 || counted.failed > 0) return { result: counted, failed };
  // LeakSanitizer searches in a tracer process after the tests. On some kernels, a signal kills that process.
  if (totals && outcome.output.includes('LeakSanitizer has encountered a fatal error')) {
    const unavailable = skippedResult('leak check of the C++ tests', 'LeakSanitizer does not run on this kernel');
    return { result: addResults(counted, unavailable), failed };
  }
  printLine(outcome.timedOut ? `  stopped after ${TIMEOUT_S} s` : `  exited with code ${outcome.code}`);
  // After a crash, totals are missing, so count the tests that ended before it.
  const ended = (/** @type {RegExp} */ line) => (totals ? 0 : [...outcome.output.matchAll(line)].length);
  const passed = ended(/^ok {3}/gm);
  return { result: addResults(counted, { passed, failed: 1 + ended(/^FAIL /gm), skipped: [] }), failed: [] };
}

/**
 * Runs C++ tests, and a few failed ones a second time. A test that then passes is reported as unsteady, as for test
 * files.
 * @type {(...args: Parameters<typeof runTests>) => Promise<Result>}
 */
async function runWithRetry(program, args = [], env = process.env) {
  const { result, failed } = await runTests(program, args, env);
  if (failed.length === 0 || failed.length > MAX_RERUNS || failed.length < result.failed) return result;
  const second = await runTests(program, failed, env);
  if (second.result.failed > 0 || second.result.passed < failed.length) return result;
  printLine(`\n  UNSTEADY C++ tests: ${failed.join('; ')}\n`);
  const unsteady = failed.map((name) => ({ file: `C++ test "${name}"`, failure: name }));
  return { ...result, passed: result.passed + failed.length, failed: 0, unsteady };
}

/** Largest number of processes. More would only wait for the longest test. */
const MAX_PROCESSES = 8;

/**
 * Distributes tests over one process per core, because most tests use one core.
 * @type {typeof runWithRetry}
 */
async function runOnAllCores(program, args = [], env = process.env) {
  const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-tests-'));
  try {
    const processes = Math.min(MAX_PROCESSES, availableParallelism());
    const each = Array.from({ length: processes }, () => runTests(program, [...args, `--shared=${folder}`], env));
    return (await Promise.all(each)).map(({ result }) => result).reduce(addResults);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Prefix of the names of long C++ tests, which `npm run test:all -- long` runs. */
const LONG_GATE_PREFIX = 'long gate, ';

/** Files that the tests read, in addition to their program. */
const READ_BY_TESTS = ['assets/**/*', 'test/golden/**/*', 'test/physics/**/*.{json,hpp,md}', 'dist/kernels/**/*'];

/**
 * Skips a program that passed earlier on this machine with the same files, because C++ tests are deterministic.
 * @param {string} name
 * @param {string} program
 * @param {readonly string[]} args
 * @returns {Promise<Result>}
 */
function runUnlessProgramPassed(name, program, args) {
  const machine = { cpu: cpus()[0]?.model ?? '', cores: availableParallelism(), gpu: missingGpuReason() === null };
  const key = digest([program, ...READ_BY_TESTS], { args: args.join(), ...machine });
  return runUnlessPassed(name, key, () => runWithRetry(program, args));
}

/** @type {Suite} */
export const cppTests = {
  name: 'C++ tests, with the physics gates',
  builds: true,
  run: () => runUnlessProgramPassed('cpp-tests-passed', CPP_TESTS, [`-${LONG_GATE_PREFIX}`]),
};

/** @type {Suite} */
export const longCppTests = {
  name: 'Long physics gates in C++',
  builds: true,
  run: () => runUnlessProgramPassed('long-cpp-tests-passed', CPP_TESTS, [LONG_GATE_PREFIX]),
};

/**
 * Creates a suite of selected C++ tests.
 * @param {readonly string[]} parts parts of their names
 * @returns {Suite}
 */
export const selectedCppTests = (parts) => ({
  name: `C++ tests with ${parts.map((part) => `"${part}"`).join(' or ')} in their names`,
  run: () => runWithRetry(CPP_TESTS, parts),
});

/** @returns {string | null} why no CUDA device can be used here */
function missingGpuReason() {
  const { devices } = createRequire(import.meta.url)(inRoot(ADDON));
  const { cuda } = devices();
  return cuda.available ? null : `${cuda.reason ?? 'no CUDA device'}`;
}

/** @type {Suite} */
export const gpuTests = {
  name: 'C++ tests on the GPU',
  builds: true,
  run: async () => {
    const reason = missingGpuReason();
    if (reason !== null) return skippedResult('C++ tests on the GPU', reason);
    /** @type {import('./result.mjs').Result} */
    let total = { passed: 0, failed: 0, skipped: [] };
    for (const program of GPU_TESTS) total = addResults(total, (await runTests(program)).result);
    return total;
  },
};

/** Whether an error is due to missing libraries of the sanitizers. @param {unknown} error */
const lacksSanitizers = (error) =>
  error instanceof Failure &&
  /(cannot find|unable to find library|No such file).*(l?[au]b?san|clang_rt)/.test(error.message);

/**
 * C++ tests with address and undefined-behaviour sanitizers. Clang compiles them, because a second compiler finds
 * further errors. If it is not installed, the default compiler is used.
 * @type {Suite}
 */
export const sanitizedCppTests = {
  name: 'C++ tests with sanitizers, with Clang if installed',
  run: async () => {
    if (process.platform === 'win32') return skippedResult('sanitized C++ tests', 'not supported with Visual C++');
    const found = await findClang();
    const clang = 'missing' in found ? null : found;
    printLine(
      clang === null
        ? `  built by the default compiler: ${'missing' in found ? found.missing : ''}`
        : `  ${clang.version}`,
    );
    try {
      await build([...(clang === null ? [coreLibraryStep()] : []), sanitizedTestsStep(clang)]);
    } catch (error) {
      if (lacksSanitizers(error))
        return skippedResult('sanitized C++ tests', 'the compiler has no sanitizer libraries');
      throw error;
    }
    // Exclude gates, which need minutes with sanitizers, and whose code the parity and run tests cover.
    const result = await runOnAllCores(SANITIZED_TESTS, ['-gate, '], {
      ...process.env,
      ASAN_OPTIONS: 'detect_leaks=1:strict_string_checks=1',
      UBSAN_OPTIONS: 'print_stacktrace=1',
    });
    // List only the leak check as skipped here; other skipped tests are listed by the run without sanitizers.
    return { ...result, skipped: result.skipped.filter(({ name }) => name.startsWith('leak check')) };
  },
};
