/** `npm run test:all`: what a change must pass before it is everybody's: `npm test`, `test:long`, `test:sanitized`, `test:clang` and `test:desktop` as one. */
import { testing } from './suites/entry.mjs';

// Stories are looked at in all sizes and themes, of which `npm test` takes one: test/e2e/looks.ts.
process.env['BRAGGBENCH_LOOKS'] ??= 'all';
// And as many damaged values are tried as are worth it: test/fuzz/runs.ts.
process.env['BRAGGBENCH_FUZZ'] ??= 'all';

await testing('npm run test:all', ({ suites, long, sanitized, byClang, desktop }) => [
  ...suites,
  ...long,
  ...sanitized,
  ...byClang,
  ...desktop(null),
]);
