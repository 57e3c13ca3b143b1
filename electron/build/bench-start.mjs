/**
 * `npm run bench -- start`: measures the time from starting the program until a user can work with it, and the parts of
 * that time. With `--cold`, measures the first start in a fresh clone with empty caches.
 */
import { handOver } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { main } from './setup/say.mjs';
import { allSteps, build, prepare } from './steps/all.mjs';

await main(async () => {
  const args = process.argv.slice(2);
  const elsewhere = await prepare(args);
  if (elsewhere !== null) return elsewhere;
  if (args.includes('--cold')) return handOver(process.execPath, [inRoot('test/bench/cold-start.ts'), ...args]);
  await build(await allSteps());
  return handOver(process.execPath, [inRoot('test/bench/start.ts'), ...args]);
});
