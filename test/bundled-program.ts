/**
 * Before the tests: the command line as it is shipped, bundled. Tests start it as a process over a hundred times;
 * one file is read in a third of the time that its several hundred sources take.
 */
import { build } from '../electron/build/steps/all.mjs';
import { bundlesStep } from '../electron/build/steps/bundles.mjs';

export async function setup(): Promise<void> {
  await build([bundlesStep()]);
}
