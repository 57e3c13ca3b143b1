/** Formats every C++ and CUDA file in place, as part of `npm run format`. */
import { main, say } from './setup/say.mjs';
import { prepare } from './steps/all.mjs';

await main(async () => {
  const elsewhere = await prepare(process.argv.slice(2));
  if (elsewhere !== null) return elsewhere;
  const { writeFormat } = await import('./suites/cpp-format.mjs');
  const { code, output } = await writeFormat();
  if (output) say(output.trim());
  return code;
});
