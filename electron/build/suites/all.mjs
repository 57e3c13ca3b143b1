import { availableParallelism } from 'node:os';
import { clangCppTests, cppTests, gpuTests, longCppTests, sanitizedCppTests } from './cpp-tests.mjs';
import { cudaCompile } from './cuda-compile.mjs';
import { desktopStories } from './desktop.mjs';
import { instructionSets } from './instruction-sets.mjs';
import { staticChecks } from './static-checks.mjs';
import { vitestProject } from './vitest.mjs';

/** @typedef {readonly (readonly import('./result.mjs').Suite[])[]} Lanes suites that run beside others, in lanes */

/** With more, what they keep in memory grows and the longest file is waited for. */
const MOST_WORKERS = 8;

/** @param {number} files of vitest that are under way at once */
const atOnce = (files) => ['--maxWorkers', `${Math.min(MOST_WORKERS, Math.max(1, Math.floor(files)))}`];

/**
 * The tests of the host wait for processes, and are the longer lane: a file for each core. Stories keep a page and a host
 * busy: one for every two. With two stories, or three of each, a run that is waited for took longer than a test waits.
 */
const OF_HOST = atOnce(availableParallelism());
const OF_STORIES = atOnce(availableParallelism() / 2);

/**
 * What `npm test` runs, in order. The stories in Chromium wait for pages a third of their time, which the others use;
 * what measures delays has the cores to itself. Tests of the desktop program, with the host's, were alone at the end;
 * both are bundled first, and so begin one long after the other.
 * @type {readonly Lanes[]}
 */
export const suites = [
  [
    [
      ...[...staticChecks, instructionSets, cudaCompile, cppTests, gpuTests],
      vitestProject('unit', 'Unit and host tests', OF_HOST),
    ],
    [
      vitestProject('unit-desktop', 'The desktop program over a stand-in of Electron', OF_STORIES),
      vitestProject('e2e', 'End to end in Chromium', OF_STORIES),
    ],
  ],
  [[vitestProject('alone', 'The event loop while runs compute')]],
];

/**
 * What takes long for what it asks: `npm run test:long`. A test is one of them by its name, in C++ `long gate, …` and
 * else its file's, `*.long.test.ts`. They hold delays to a limit, and so run beside nothing else.
 * @type {readonly Lanes[]}
 */
export const long = [
  [
    [
      longCppTests,
      vitestProject('long', 'Long tests'),
      vitestProject('clusters', 'Studies on a cluster of this machine'),
    ],
  ],
];

/** @type {readonly Lanes[]} */
export const sanitized = [[[sanitizedCppTests]]];

/** @type {readonly Lanes[]} */
export const byClang = [[[clangCppTests]]];

/**
 * With windows of their own, which `npm test` opens none of.
 * @param {string | null} folder of a package
 * @returns {readonly Lanes[]}
 */
export const desktop = (folder) => [[[desktopStories(folder)]]];
