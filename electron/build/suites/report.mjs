import { say } from '../setup/say.mjs';
import { byReason, sum } from './result.mjs';
import { inSeconds } from './run.mjs';

/** One file may be unsteady; of two the run says nothing that can be relied on. */
const MOST_UNSTEADY = 1;

/**
 * What ran, for how long, and what did not; the last line is `N passed, N failed`.
 * @param {readonly import('./run.mjs').Ran[]} ran
 * @returns {number} the exit code
 */
export function report(ran) {
  const total = ran.map(({ result }) => result).reduce(sum);
  const widest = Math.max(...ran.map(({ name }) => name.length));
  say('\nTook');
  for (const { name, seconds } of ran) say(`  ${name.padEnd(widest)} ${inSeconds(seconds).padStart(8)}`);
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
  const shaky = unsteady.length > MOST_UNSTEADY;
  if (shaky) say(`More than ${MOST_UNSTEADY} of them: each counts as a failure.`);
  const failed = total.failed + (shaky ? unsteady.length : 0);
  say(`\n${total.passed} passed, ${failed} failed`);
  return failed === 0 && total.passed > 0 ? 0 : 1;
}
