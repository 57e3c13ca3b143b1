import { availableParallelism } from 'node:os';
import { Failure, runTimed, runWithSeparateOutput } from '../setup/say.mjs';
import { digest, isUpToDate, saveStamp } from './up-to-date.mjs';

/**
 * Runs a step and saves that it is up to date.
 * @param {import('./up-to-date.mjs').Step} step
 * @param {(howFar: string) => void} progress
 */
export async function runStep(step, progress) {
  const before = digest(step.inputs, step.settings);
  await step.run(progress);
  saveStamp(step, before);
}

/** @param {readonly import('./up-to-date.mjs').Step[]} steps */
async function runInOrder(steps) {
  for (const step of steps) await runTimed(step.title, (progress) => runStep(step, progress));
}

/**
 * Runs the outdated steps. Steps other than C++ and CUDA use one core for seconds, so they run concurrently with
 * linking, which leaves cores idle.
 * @param {readonly import('./up-to-date.mjs').Step[]} steps
 */
export async function runSteps(steps) {
  const stale = steps.filter((step) => !isUpToDate(step));
  const lanes = [false, true].map((short) => stale.filter((step) => (step.short ?? false) === short));
  await runWithSeparateOutput(lanes.filter((lane) => lane.length > 0).map((lane) => () => runInOrder(lane)));
}

/**
 * Runs steps that use one core each, as many at a time as there are cores. If a step fails, the others continue.
 * @param {string} title title of all steps together
 * @param {readonly import('./up-to-date.mjs').Step[]} steps
 * @returns {Promise<readonly Failure[]>} failures of the steps that failed, in their order
 */
export async function runConcurrently(title, steps) {
  const stale = steps.filter((step) => !isUpToDate(step));
  if (stale.length === 0) return [];
  /** @type {Failure[]} */
  const failures = [];
  await runTimed(title, async (progress) => {
    const left = stale.entries();
    let done = 0;
    const lane = async () => {
      for (const [place, step] of left) {
        try {
          await runStep(step, () => {});
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
