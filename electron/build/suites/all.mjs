import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { capture, lastLines } from '../setup/command.mjs';
import { findDesktop } from '../setup/desktop-program.mjs';
import { callerFolder, inRoot } from '../setup/root.mjs';
import { printLine } from '../setup/say.mjs';
import { buildConcurrently } from '../steps/all.mjs';
import { cudaCheckStep, cudaWorkloads, findNvcc } from '../steps/kernels.mjs';
import { EVERY_MACHINE } from '../steps/native.mjs';
import { digest } from '../steps/up-to-date.mjs';
import { checkFormat, FILES } from './cpp-format.mjs';
import { cppTests, gpuTests, longCppTests, sanitizedCppTests } from './cpp-tests.mjs';
import { FAILED_RESULT, PASSED_RESULT, runUnlessPassed, skippedResult } from './result.mjs';

/** @typedef {import('./result.mjs').Suite} Suite */
/** @typedef {import('./run.mjs').Phase} Phase */

const INSTRUCTION_SETS_NAME = 'Instruction sets are separate';

/** Folders of CMake's objects in dist/cmake: those for all machines, and those for one instruction set each. */
const BASELINE = 'CMakeFiles/bb_{core,engine,cuda,more,launching}.dir';
const INSTRUCTION_SET_OBJECTS = 'CMakeFiles/bb_simd_{,more_}*.dir';

/**
 * Demangled names of the functions that objects define.
 * @param {readonly string[]} objects
 * @returns {Promise<readonly string[] | null>} null if `nm` is missing or fails
 */
async function definedFunctions(objects) {
  const { code, output } = await capture('nm', ['-C', '-g', '--defined-only', ...objects]);
  return code === 0 ? [...output.matchAll(/^[0-9a-f]+ [TW] (.+)$/gm)].map((match) => match[1] ?? '') : null;
}

/** @param {string} folder */
const findObjects = (folder) => globSync(`${folder}/**/*.{o,obj}`, { cwd: inRoot('dist/cmake') }).map(pathFromCmake);
const pathFromCmake = (/** @type {string} */ file) => inRoot('dist/cmake', file);

/**
 * Checks that object files for special instruction sets define no inline function outside the namespace of their
 * instruction set. The linker might use such a function for all callers, and machines without AVX-512, for example,
 * would crash. Functions of this program must not occur at all. Functions of the standard library may, if an object for
 * all machines defines them too, because it is linked first.
 * @type {import('./result.mjs').Suite}
 */
const instructionSets = {
  name: INSTRUCTION_SETS_NAME,
  builds: true,
  run: async () => {
    const { isas } = JSON.parse(readFileSync(inRoot('dist/native/include/user_kernel_build.json'), 'utf8'));
    const sets = Object.keys(isas);
    if (sets.length < 2)
      return skippedResult(INSTRUCTION_SETS_NAME, `this build has one instruction set (${EVERY_MACHINE}=1 builds all)`);
    const everywhere = await definedFunctions(findObjects(BASELINE));
    if (!everywhere)
      return skippedResult(INSTRUCTION_SETS_NAME, 'nm was not found, so symbols of objects cannot be listed');
    const first = new Set(everywhere);
    /** @type {string[]} */
    const wrong = [];
    for (const set of sets) {
      const defined = (await definedFunctions(findObjects(INSTRUCTION_SET_OBJECTS.replace('*', set)))) ?? [];
      if (defined.length === 0) wrong.push(`${set}: its objects define no symbols`);
      for (const name of defined) {
        if (name.includes(`${set}::`) || (!name.includes('bb::') && first.has(name))) continue;
        wrong.push(`${set}: ${name}`);
      }
    }
    if (wrong.length === 0) return PASSED_RESULT;
    printLine(`Compiled for one instruction set, but callable from all code:\n  ${wrong.join('\n  ')}`);
    return FAILED_RESULT;
  },
};

/**
 * Runs a check that is a single command. It passes if the command exits with 0; otherwise the output is printed.
 * @param {readonly string[]} args script of an installed package and its arguments
 */
async function runCheck(args) {
  const { code, output } = await capture(process.execPath, args);
  if (code === 0) return PASSED_RESULT;
  printLine(lastLines(output, 120));
  return FAILED_RESULT;
}

/** All files that Biome may read. Files that biome.json excludes only cause unnecessary runs. */
const READ_BY_BIOME = [
  '*',
  '{.ci,.github}/**/*',
  '{electron,renderer,native,kernels,test}/**/*',
  'node_modules/@biomejs/biome/package.json',
];

/** @type {Suite} */
const biome = {
  name: 'Lint and format (Biome)',
  run: () =>
    runUnlessPassed('lint-passed', digest([...READ_BY_BIOME, '.gitignore']), () =>
      runCheck([
        inRoot('node_modules/@biomejs/biome/bin/biome'),
        'check',
        '--error-on-warnings',
        '--max-diagnostics=40',
        '.',
      ]),
    ),
};

/**
 * Type check. The saved state of the last check identifies files by content, so only changed files and their dependents
 * are checked again.
 * @type {Suite}
 */
const types = {
  name: 'Types (tsc)',
  run: () =>
    runCheck([
      inRoot('node_modules/typescript/bin/tsc'),
      '--noEmit',
      // Limit the checkers, because each of them parses the shared files. The default of four would repeat that work on
      // two cores.
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
  run: () =>
    runUnlessPassed('cpp-format-passed', digest([...FILES, '.clang-format', 'package-lock.json']), async () => {
      const { wrong, unavailable } = await checkFormat();
      if (unavailable) return skippedResult('C++ and CUDA format', unavailable);
      if (wrong.length === 0) return PASSED_RESULT;
      printLine(`Not formatted; run \`npm run format\`:\n  ${wrong.join('\n  ')}`);
      return FAILED_RESULT;
    }),
};

/** @type {readonly Suite[]} */
const staticChecks = [biome, cppFormat, types];

/**
 * Compiles the CUDA kernels of every workload for one architecture, with warnings as errors. Each workload is a test.
 * @type {import('./result.mjs').Suite}
 */
const cudaCompile = {
  name: 'CUDA kernels compile',
  run: async () => {
    const workloads = cudaWorkloads();
    const nvcc = findNvcc();
    if (!nvcc) return skippedResult('CUDA kernels compile', 'nvcc is not installed');
    const failures = await buildConcurrently(
      'Checking that the CUDA kernels compile',
      workloads.map((workload) => cudaCheckStep(nvcc, workload)),
    );
    for (const { message } of failures) printLine(message);
    return { passed: workloads.length - failures.length, failed: failures.length, skipped: [] };
  },
};

const NAME = 'The desktop program in Electron';

/**
 * Desktop tests in Electron. `npm test` runs the same tests with a substitute for Electron.
 * @param {string | null} folder folder of a package; null: Electron's runtime, or the installed program
 * @returns {Phase}
 */
function desktopStories(folder) {
  const given = folder === null ? null : path.resolve(callerFolder, folder);
  const found = findDesktop(given);
  if ('missing' in found) {
    return { beside: [{ name: NAME, run: async () => skippedResult(NAME, found.missing) }] };
  }
  return { tests: { projects: ['desktop'], env: given === null ? {} : { BRAGGBENCH_PACKAGE: given } } };
}

/** Largest number of workers. More would use more memory, and wait for the longest file anyway. */
const MAX_WORKERS = 8;

/**
 * Uses one worker more than there are cores, because tests wait for processes and pages in about 20 % of their time.
 * @returns {readonly string[]}
 */
const workers = () => [`--maxWorkers=${Math.min(MAX_WORKERS, availableParallelism() + 1)}`];

/** @param {readonly string[]} projects */
const queueOf = (projects) => ({ projects, more: workers() });

/** Suites without test files. They run one after another, concurrently with the test files. */
const others = [...staticChecks, instructionSets, cppTests, gpuTests];

/**
 * Separate phase, because compiling locks the checkout, and tests that start the program would wait for the lock.
 * @type {Phase}
 */
const cuda = { beside: [cudaCompile] };

const units = queueOf(['unit-desktop', 'unit']);

/** Tests with the tag `slow` run only in `npm run test:all`. */
const quickUnits = { ...units, more: [...units.more, '--tagsFilter', '!slow'] };

/** Phases of `npm test`. @type {readonly Phase[]} */
export const suites = [cuda, { tests: quickUnits, beside: others }];

/**
 * Long tests in C++, whose threads wait for each other at every step. They run alone, because together with test files
 * they needed up to nine times as long.
 * @type {Phase}
 */
const longGates = { beside: [longCppTests] };

/** Tests that each start a cluster on all cores of this machine. @type {Phase} */
const clusters = { tests: { projects: ['clusters'] } };

/** Long tests that compare delays with a limit, in files named *.alone.long.test.ts. @type {Phase} */
const longAlone = { tests: { projects: ['long-alone'] } };

/** Phases of `npm run test:all -- long`. @type {readonly Phase[]} */
export const longSuites = [longGates, { tests: queueOf(['long']) }, clusters, longAlone];

/** Phases of `npm run test:all -- sanitized`. @type {readonly Phase[]} */
export const sanitizedSuites = [{ beside: [sanitizedCppTests] }];

/**
 * Phases of `npm run test:all -- desktop`.
 * @param {string | null} folder of a package
 * @returns {readonly Phase[]}
 */
export const desktop = (folder) => [desktopStories(folder)];

/** Phases of `npm run test:all`. @returns {readonly Phase[]} */
export const all = () => [
  cuda,
  { tests: queueOf(['unit-desktop', 'long', 'unit']), beside: others },
  longGates,
  ...sanitizedSuites,
  longAlone,
  clusters,
  desktopStories(null),
];

/**
 * Suites that `npm test -- --only NAME` can select.
 * @type {readonly import('./result.mjs').Suite[]}
 */
export const namedSuites = [...others, cudaCompile, longCppTests, sanitizedCppTests];
