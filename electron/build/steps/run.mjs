import { availableParallelism } from 'node:os';
import { Failure, timed } from '../setup/say.mjs';
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

/**
 * The same for steps of one core each: as many at a time as there are cores, and all of them whatever fails.
 * @param {string} title of all together
 * @param {readonly import('./up-to-date.mjs').Step[]} steps
 * @returns {Promise<readonly Failure[]>} of those that failed, in their order
 */
export async function runBeside(title, steps) {
  const stale = steps.filter((step) => !isUpToDate(step));
  if (stale.length === 0) return [];
  /** @type {Failure[]} */
  const failures = [];
  await timed(title, async (progress) => {
    const left = stale.entries();
    let done = 0;
    const lane = async () => {
      for (const [place, step] of left) {
        const before = digest(step.inputs, step.settings);
        try {
          await step.run(() => {});
          stamp(step, before);
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          failures[place] = error;
        }
        progress(`${++done} of ${stale.length}`);
      }
    };
    await Promise.all(Array.from({ length: Math.min(availableParallelism(), stale.length) }, lane));
  });
  return failures.filter(Boolean);
}
