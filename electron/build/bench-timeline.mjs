/**
 * `npm run bench -- timeline`: what a frame costs the page's main thread while a
 * timeline of a million spans is zoomed from minutes to nanoseconds.
 */
import { hand } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { main } from './setup/say.mjs';
import { build, everyStep, prepare } from './steps/all.mjs';

await main(async () => {
  const elsewhere = await prepare(process.argv.slice(2));
  if (elsewhere !== null) return elsewhere;
  await build(await everyStep());
  return hand(process.execPath, [inRoot('test/bench/timeline.ts'), ...process.argv.slice(2)]);
});
