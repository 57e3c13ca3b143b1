/** Formats all C++ and CUDA files in place, as part of `npm run format`. */
import { printLine } from './setup/say.mjs';
import { runEntryScript } from './steps/all.mjs';

await runEntryScript(async () => {
  const { code, output } = await (await import('./suites/cpp-format.mjs')).writeFormat();
  if (output) printLine(output.trim());
  return code;
});
