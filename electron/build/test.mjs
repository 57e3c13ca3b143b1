/**
 * `npm test`: installs what is missing, builds, and runs every test. The last
 * line is `N passed, N failed` (and `, N skipped`, with the reasons above it).
 */
import { Failure, main, say } from './setup/say.mjs';
import { build, everyStep, prepare } from './steps/all.mjs';

/**
 * A suite that breaks counts as one failure; the others still run.
 * @param {import('./suites/result.mjs').Suite} suite
 */
async function runSuite(suite) {
  say(`\n${suite.name}`);
  const start = performance.now();
  /** @type {import('./suites/result.mjs').Result} */
  let result = { passed: 0, failed: 1, skipped: [] };
  try {
    result = await suite.run();
  } catch (error) {
    say(error instanceof Failure ? error.message : String(/** @type {Error} */ (error).stack));
  }
  const skips = result.skipped.length > 0 ? `, ${result.skipped.length} not run` : '';
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  say(`  → ${result.passed} good, ${result.failed} bad${skips} (${seconds} s)`);
  return result;
}

await main(async () => {
  const args = process.argv.slice(2);
  if (args.length > 0) throw new Failure(`npm test takes no arguments, got: ${args.join(' ')}`, 2);
  const elsewhere = await prepare(args);
  if (elsewhere !== null) return elsewhere;

  const { cppTestsStep } = await import('./steps/native.mjs');
  await build([...(await everyStep()), cppTestsStep()]);

  const { suites } = await import('./suites/all.mjs');
  const { sum } = await import('./suites/result.mjs');
  /** @type {import('./suites/result.mjs').Result} */
  let total = { passed: 0, failed: 0, skipped: [] };
  for (const suite of suites) total = sum(total, await runSuite(suite));

  if (total.skipped.length > 0) say(`\nNot run:\n  ${total.skipped.join('\n  ')}`);
  const skips = total.skipped.length > 0 ? `, ${total.skipped.length} skipped` : '';
  say(`\n${total.passed} passed, ${total.failed} failed${skips}`);
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
});
