/**
 * `npm test`: installs what is missing, builds, and runs the tests. The last
 * line is `N passed, N failed`; what was not run, and why, stands above it.
 */
import { testing } from './suites/entry.mjs';

await testing('npm test', ({ suites }) => suites);
