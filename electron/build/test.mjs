/**
 * `npm test`: installs what is missing, builds, and runs every test. The last
 * line is `N passed, N failed`; what was not run, and why, stands above it.
 */
import { Failure, main, say } from './setup/say.mjs';
import { build, everyStep, prepare } from './steps/all.mjs';

await main(async () => {
  const args = process.argv.slice(2);
  if (args.length > 0) throw new Failure(`npm test takes no arguments, got: ${args.join(' ')}`, 2);
  const elsewhere = await prepare(args);
  if (elsewhere !== null) return elsewhere;

  const { cppTestsStep } = await import('./steps/native.mjs');
  await build([...(await everyStep()), cppTestsStep()]);

  const { suites } = await import('./suites/all.mjs');
  const { runSuite } = await import('./suites/run.mjs');
  const { byReason, sum } = await import('./suites/result.mjs');
  /** @type {import('./suites/result.mjs').Result} */
  let total = { passed: 0, failed: 0, skipped: [] };
  for (const suite of suites) total = sum(total, await runSuite(suite));

  if (total.skipped.length > 0) {
    say(`\nNot run: ${total.skipped.length}`);
    for (const [reason, names] of byReason(total.skipped)) {
      say(names.length > 2 ? `  ${names[0]}, … ${names.at(-1)} (${names.length})` : `  ${names.join('; ')}`);
      say(`    ${reason}`);
    }
  }
  const unsteady = total.unsteady ?? [];
  if (unsteady.length > 0) {
    say(`\nUnsteady files: ${unsteady.length}, which failed and passed when run again alone. Mend them:`);
    for (const { file, failure } of unsteady) say(`  ${file}: ${failure.split('\n')[0]}`);
  }
  say(`\n${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
});
