/**
 * `npm run bench -- start`: how long the program takes from its start until a
 * person can work with it, and which part of that is whose. With `--cold` the
 * first start in a fresh clone with empty caches.
 */
import { hand } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { main } from './setup/say.mjs';
import { build, everyStep, prepare } from './steps/all.mjs';

await main(async () => {
  const args = process.argv.slice(2);
  const elsewhere = await prepare(args);
  if (elsewhere !== null) return elsewhere;
  if (args.includes('--cold')) return hand(process.execPath, [inRoot('test/bench/cold-start.ts'), ...args]);
  await build(await everyStep());
  return hand(process.execPath, [inRoot('test/bench/start.ts'), ...args]);
});
