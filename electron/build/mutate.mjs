/**
 * `npm run mutate [-- AREA|ID…]`: mutation tests. Applies each mutation in test/mutations.json to a copy of the
 * sources, runs the tests that could detect it, and reports which of them did. C++ mutations are compiled; the first
 * one needs minutes.
 */
import { runEntryScript } from './steps/all.mjs';

await runEntryScript(async (args) => (await import('./suites/mutations.mjs')).runMutations(args));
