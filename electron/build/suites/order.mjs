/** Order of test files: longest first, by their times in the last complete run or in test/seconds.json. */
import path from 'node:path';
import { BaseSequencer } from 'vitest/node';
import { root } from '../setup/root.mjs';
import { listedSeconds } from './report.mjs';

/** @typedef {Readonly<{ file: string, project: string }>} Entry a test file from the root, and its vitest project */

/** Assumed duration of a file without a known time, such as a new one. */
const UNLISTED_S = 2;

/** @param {string} file */
const isEndToEnd = (file) => file.startsWith('test/e2e/');

/**
 * Sorts test files. Files of a project stay together, because a worker serves one project and caches the modules that
 * its files share. Within a project, end-to-end tests are distributed evenly, because they need a page and a host.
 * Otherwise, every worker would start with one.
 * @template {Entry} E
 * @param {readonly E[]} entries
 * @param {readonly string[]} projects their order
 * @param {Readonly<Record<string, number>>} seconds
 * @returns {E[]}
 */
export function sortLongestFirst(entries, projects, seconds) {
  const of = (/** @type {E} */ { file }) => seconds[file] ?? UNLISTED_S;
  const sorted = (/** @type {readonly E[]} */ some) =>
    [...some].sort((a, b) => of(b) - of(a) || a.file.localeCompare(b.file));
  return projects.flatMap((project) => {
    const own = entries.filter((entry) => entry.project === project);
    const lists = [own.filter(({ file }) => isEndToEnd(file)), own.filter(({ file }) => !isEndToEnd(file))].map(
      (some) => ({
        left: sorted(some),
        total: some.reduce((sum, entry) => sum + of(entry), 0),
        started: 0,
      }),
    );
    /** @type {E[]} */
    const order = [];
    while (order.length < own.length) {
      const [next] = lists
        .filter(({ left }) => left.length > 0)
        .sort((a, b) => a.started / a.total - b.started / b.total);
      const entry = next?.left.shift();
      if (!next || !entry) break;
      next.started += of(entry);
      order.push(entry);
    }
    return order;
  });
}

/**
 * Sequencer for vitest that uses sortLongestFirst(). Projects with one process per file come first; the others reuse
 * their workers.
 */
export default class LongestFirstSequencer extends BaseSequencer {
  /**
   * @override
   * @param {import('vitest/node').TestSpecification[]} specs
   */
  async sort(specs) {
    const isolated = (/** @type {import('vitest/node').TestSpecification} */ spec) =>
      spec.project.config.isolate ? 0 : 1;
    const projects = [
      ...new Set([...specs].sort((a, b) => isolated(a) - isolated(b)).map(({ project }) => project.name)),
    ];
    const entries = specs.map((spec) => ({
      spec,
      file: path.relative(root, spec.moduleId).replaceAll('\\', '/'),
      project: spec.project.name,
    }));
    return sortLongestFirst(entries, projects, listedSeconds()).map(({ spec }) => spec);
  }
}
