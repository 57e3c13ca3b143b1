/** `npm run test:all`: what a change must pass before it is everybody's: `npm test`, `test:long`, `test:sanitized` and `test:clang` as one. */
import { testing } from './suites/entry.mjs';

await testing('npm run test:all', ({ suites, long, sanitized, byClang }) => [
  ...suites,
  ...long,
  ...sanitized,
  ...byClang,
]);
