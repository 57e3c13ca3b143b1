/**
 * Before the tests: the command line as it is shipped, bundled, and its start-up image. Tests start it as a process over
 * a hundred times; one file is read in a third of the time that its several hundred sources take, and the image in a
 * third of that. Programs of the tests' own are bundled likewise.
 */
import { build } from '../electron/build/steps/all.mjs';
import { bundlesStep, testProgramsStep } from '../electron/build/steps/bundles.mjs';
import { imageStep } from '../electron/build/steps/image.mjs';
import { testPrograms, testProgramsFolder } from './test-programs.ts';

export async function setup(): Promise<void> {
  await build([bundlesStep(), imageStep(), testProgramsStep(testProgramsFolder, testPrograms)]);
}
