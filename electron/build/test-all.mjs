/** `npm run test:all`: what a change must pass before it is everybody's: `npm test`, `test:long`, `test:sanitized`, `test:clang` and `test:desktop` as one. */
import { testing } from './suites/entry.mjs';

await testing('npm run test:all', ({ suites, long, sanitized, byClang, desktop }) => [
  ...suites,
  ...long,
  ...sanitized,
  ...byClang,
  ...desktop(null),
]);
