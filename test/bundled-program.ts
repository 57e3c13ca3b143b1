/**
 * Builds the programs that tests start as processes over a hundred times: the command line, and programs of the tests.
 * A bundle starts in a third of the time that its sources need, and a start-up image in a third of that.
 */
import { build } from '../electron/build/steps/all.mjs';
import { bundlesStep, testProgramsStep } from '../electron/build/steps/bundles.mjs';
import { imageStep } from '../electron/build/steps/image.mjs';
import { testPrograms, testProgramsFolder } from './test-programs.ts';

export async function setup(): Promise<void> {
  // `npm test -- FILE` sets this if the files start no program.
  if (process.env['BRAGGBENCH_TEST_PROGRAMS'] === 'none') return;
  await build([bundlesStep(), imageStep(), testProgramsStep(testProgramsFolder, testPrograms)]);
}
