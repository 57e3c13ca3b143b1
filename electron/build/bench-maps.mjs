/**
 * `npm run bench -- maps`: what a frame costs the page's main thread while four
 * maps of 512 × 512 cells change with every one.
 */
import { hand } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { main } from './setup/say.mjs';
import { prepare } from './steps/all.mjs';

await main(async () => {
  const elsewhere = await prepare(process.argv.slice(2));
  if (elsewhere !== null) return elsewhere;
  return hand(process.execPath, [inRoot('test/bench/maps.ts'), ...process.argv.slice(2)]);
});
