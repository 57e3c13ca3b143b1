/**
 * `npm run mutate [-- AREA|ID…]`: plants the faults of test/mutations.json one at a time in a copy of the sources. For
 * each it runs the tests that could find it, and says which did. Faults in C++ are compiled; the first needs minutes.
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
