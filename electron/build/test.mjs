/**
 * `npm test`: installs missing packages, builds, and runs the tests. `npm test -- FILE… --only NAME` runs some of them.
 * The last line is `N passed, N failed`. Before it, tests that did not run are listed with the reason.
 */
import { runNpmTest } from './suites/entry.mjs';

await runNpmTest();
