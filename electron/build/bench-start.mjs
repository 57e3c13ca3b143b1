/**
 * `npm run bench:start`: how long the program takes from its start until a
 * person can work with it, and which part of that is whose.
 */
import { hand } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { main } from './setup/say.mjs';
import { build, everyStep, prepare } from './steps/all.mjs';

await main(async () => {
  const elsewhere = await prepare(process.argv.slice(2));
  if (elsewhere !== null) return elsewhere;
  await build(await everyStep());
  return hand(process.execPath, [inRoot('test/bench/start.ts'), ...process.argv.slice(2)]);
});
