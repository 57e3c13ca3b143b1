import { availableParallelism } from 'node:os';
import { cppTests, gpuTests, longCppTests, sanitizedCppTests } from './cpp-tests.mjs';
import { cudaCompile } from './cuda-compile.mjs';
import { desktopStories } from './desktop.mjs';
import { instructionSets } from './instruction-sets.mjs';
import { staticChecks } from './static-checks.mjs';

/** @typedef {import('./run.mjs').Phase} Phase */

/** With more, the memory of the workers grows and the run waits for its longest file. */
const MOST_WORKERS = 8;

/**
 * Tests wait for processes and pages some 20 % of their time: one worker more than there are cores uses it.
 * @returns {readonly string[]}
 */
const workers = () => [`--maxWorkers=${Math.min(MOST_WORKERS, availableParallelism() + 1)}`];

/** @param {readonly string[]} projects */
const queue = (projects) => ({ projects, more: workers() });

/** Suites that are no test files: they run one after another, next to the queue. */
const others = [...staticChecks, instructionSets, cppTests, gpuTests];

/** Compilations hold the lock of the checkout, which tests that start the program wait for. @type {Phase} */
const cuda = { beside: [cudaCompile] };

/** Measures delays, and so runs next to nothing else. @type {Phase} */
const alone = { tests: { projects: ['alone'] } };

/** `npm test`. @type {readonly Phase[]} */
export const suites = [cuda, { tests: queue(['unit-desktop', 'unit']), beside: others }, alone];

/** Each starts a cluster that uses all cores of this machine. @type {Phase} */
const clusters = { tests: { projects: ['clusters'] } };

/** Long tests that compare delays with a limit: files named *.alone.long.test.ts. @type {Phase} */
const longAlone = { tests: { projects: ['long-alone'] } };

/** `npm run test:all -- long`. @type {readonly Phase[]} */
export const long = [{ tests: queue(['long']), beside: [longCppTests] }, clusters, longAlone];

/** `npm run test:all -- sanitized`. @type {readonly Phase[]} */
export const sanitized = [{ beside: [sanitizedCppTests] }];

/**
 * `npm run test:all -- desktop`.
 * @param {string | null} folder of a package
 * @returns {readonly Phase[]}
 */
export const desktop = (folder) => [desktopStories(folder)];

/** `npm run test:all`: the same suites in one queue. @returns {readonly Phase[]} */
export const all = () => [
  cuda,
  { tests: queue(['unit-desktop', 'long', 'unit']), beside: [...others, longCppTests] },
  ...sanitized,
  alone,
  longAlone,
  clusters,
  desktopStories(null),
];

/**
 * Every suite that `npm test -- --only NAME` finds by its name.
 * @type {readonly import('./result.mjs').Suite[]}
 */
export const named = [...others, cudaCompile, longCppTests, sanitizedCppTests];
