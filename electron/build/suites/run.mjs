import { Failure, say } from '../setup/say.mjs';

/**
 * A suite that breaks counts as one failure; the others still run.
 * @param {import('./result.mjs').Suite} suite
 */
export async function runSuite(suite) {
  say(`\n${suite.name}`);
  const start = performance.now();
  /** @type {import('./result.mjs').Result} */
  let result = { passed: 0, failed: 1, skipped: [] };
  try {
    result = await suite.run();
  } catch (error) {
    say(error instanceof Failure ? error.message : String(/** @type {Error} */ (error).stack));
  }
  const skips = result.skipped.length > 0 ? `, ${result.skipped.length} not run` : '';
  const unsteady = (result.unsteady ?? []).length;
  const twice = unsteady > 0 ? `, UNSTEADY: ${unsteady}` : '';
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  say(`  → ${result.passed} good, ${result.failed} bad${skips}${twice} (${seconds} s)`);
  return result;
}
