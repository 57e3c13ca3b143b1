/**
 * Before the tests: the command line as it is shipped, bundled. Tests start it as a process over a hundred times;
 * one file is read in a third of the time that its several hundred sources take. Programs of the tests' own likewise.
 */
import { build } from '../electron/build/steps/all.mjs';
import { bundlesStep, testProgramsStep } from '../electron/build/steps/bundles.mjs';
import { testPrograms, testProgramsFolder } from './test-programs.ts';

export async function setup(): Promise<void> {
  await build([bundlesStep(), testProgramsStep(testProgramsFolder, testPrograms)]);
}
