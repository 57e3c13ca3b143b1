/**
 * `npm run bench -- gate`: how often `braggbench gate` fails an unchanged sum, and how often it finds one that is 5 %
 * slower by extra work. `--keep` saves every gate for the handbook's table.
 */
import { hand } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { main } from './setup/say.mjs';
import { build, commandLineSteps, prepare } from './steps/all.mjs';

await main(async () => {
  const elsewhere = await prepare(process.argv.slice(2));
  if (elsewhere !== null) return elsewhere;
  await build(await commandLineSteps());
  return hand(process.execPath, [inRoot('test/bench/gate.ts'), ...process.argv.slice(2)]);
});
