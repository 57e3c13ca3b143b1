/**
 * `npm run test:all`: what a change must pass: `npm test`, `test:long`, `test:sanitized` and `test:desktop` in one run.
 * `npm run test:all -- nightly` also takes every view in every size and theme, and all damaged values.
 */
import { testing } from './suites/entry.mjs';

if (process.argv[2] === 'nightly') {
  // See test/e2e/looks.ts and test/fuzz/runs.ts.
  process.env['BRAGGBENCH_LOOKS'] ??= 'all';
  process.env['BRAGGBENCH_FUZZ'] ??= 'all';
}

await testing('npm run test:all', ({ all }) => all(), { name: 'nightly', values: ['nightly'] });
