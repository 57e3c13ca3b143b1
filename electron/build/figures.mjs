/**
 * `npm run figures`: regenerates the tables in the README and the handbook from recorded sessions, the command line and
 * the solver. Also generates the JSON Schemas of files.
 */
import { runInTerminal } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { commandLineSteps, runEntryScript } from './steps/all.mjs';

await runEntryScript((args) => runInTerminal(process.execPath, [inRoot('electron/build/figures/main.ts'), ...args]), {
  // Some tables are printed by tests in C++, so build these.
  steps: async () => [...(await commandLineSteps()), (await import('./steps/native.mjs')).cppTestsStep()],
});
