/**
 * `npm run bench -- aa`: how often a benchmark calls a byte-identical user kernel
 * in a process of its own faster or slower; `--gpu` on a GPU. `--keep`
 * writes the handbook's numbers.
 */
import { hand } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { main } from './setup/say.mjs';
import { build, commandLineSteps, prepare } from './steps/all.mjs';

await main(async () => {
  const elsewhere = await prepare(process.argv.slice(2));
  if (elsewhere !== null) return elsewhere;
  await build(await commandLineSteps());
  return hand(process.execPath, [inRoot('test/bench/aa/main.ts'), ...process.argv.slice(2)]);
});
