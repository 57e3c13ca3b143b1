/**
 * `npm run figures`: regenerates every table of the README and the handbook from recorded sessions, the command line
 * and the solver, and the JSON Schemas of files.
 */
import { handOver } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { main } from './setup/say.mjs';
import { build, commandLineSteps, prepare } from './steps/all.mjs';

await main(async () => {
  const elsewhere = await prepare(process.argv.slice(2));
  if (elsewhere !== null) return elsewhere;
  // Some tables are printed by gates of the C++ tests.
  const { cppTestsStep } = await import('./steps/native.mjs');
  await build([...(await commandLineSteps()), cppTestsStep()]);
  return handOver(process.execPath, [inRoot('electron/build/figures/main.ts'), ...process.argv.slice(2)]);
});
