/**
 * `npm run mutate [-- AREA|ID…]`: applies the mutations of test/mutations.json one at a time to a copy of the sources.
 * For each, runs the tests that could detect it, and reports which test did. C++ mutations are compiled; the first one
 * needs minutes.
 */
import { entry } from './steps/all.mjs';

await entry(async (args) => (await import('./suites/mutations.mjs')).mutate(args));
