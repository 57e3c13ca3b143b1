/**
 * `npm run bench -- power`: how often a benchmark finds a sum that is 1, 3 and 10 % slower by extra work. `--keep`
 * saves every session.
 */
import { hand } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { main } from './setup/say.mjs';
import { build, commandLineSteps, prepare } from './steps/all.mjs';

await main(async () => {
  const elsewhere = await prepare(process.argv.slice(2));
  if (elsewhere !== null) return elsewhere;
  await build(await commandLineSteps());
  return hand(process.execPath, [inRoot('test/bench/aa/power.ts'), ...process.argv.slice(2)]);
});
