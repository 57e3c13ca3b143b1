/**
 * `npm run mutate [-- AREA|ID…]`: applies the mutations of test/mutations.json one at a time to a copy of the sources.
 * For each, runs the tests that could detect it, and reports which test did. C++ mutations are compiled; the first one
 * needs minutes.
 */
import { main } from './setup/say.mjs';
import { prepare } from './steps/all.mjs';

await main(async () => {
  const args = process.argv.slice(2);
  const elsewhere = await prepare(args);
  if (elsewhere !== null) return elsewhere;
  const { mutate } = await import('./suites/mutations.mjs');
  return mutate(args);
});
