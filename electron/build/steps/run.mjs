import { timed } from '../setup/say.mjs';
import { digest, isUpToDate, stamp } from './up-to-date.mjs';

/**
 * Runs those of the steps that are out of date, in order.
 * @param {readonly import('./up-to-date.mjs').Step[]} steps
 */
export async function runSteps(steps) {
  for (const step of steps) {
    if (isUpToDate(step)) continue;
    const before = digest(step.inputs, step.settings);
    await timed(step.title, step.run);
    stamp(step, before);
  }
}
