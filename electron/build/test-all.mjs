/** `npm run test:all`: what a change must pass before it is everybody's: `npm test`, `test:long`, `test:sanitized`, `test:clang` and `test:desktop` as one. */
import { testing } from './suites/entry.mjs';

// Stories are looked at in all sizes and themes, of which `npm test` takes two: test/e2e/looks.ts.
process.env['BRAGGBENCH_LOOKS'] ??= 'all';

await testing('npm run test:all', ({ suites, long, sanitized, byClang, desktop }) => [
  ...suites,
  ...long,
  ...sanitized,
  ...byClang,
  ...desktop(null),
]);
