/**
 * `npm run pictures`: redraws the pictures of the library's examples and of the questions that they answer. Arguments
 * select questions by name.
 */
import { runInTerminal } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { allSteps, runEntryScript } from './steps/all.mjs';

await runEntryScript(
  async (wanted) => {
    const code = await runInTerminal(process.execPath, [inRoot('test/pictures/questions.ts'), ...wanted]);
    if (code !== 0 || wanted.length > 0) return code;
    return runInTerminal(process.execPath, [inRoot('test/pictures/examples.ts')]);
  },
  { steps: allSteps },
);
