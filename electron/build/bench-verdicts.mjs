/**
 * `npm run bench -- verdicts`: how often a benchmark's verdicts are wrong, and
 * what they find, by simulation of how machines disturb times. `--keep`
 * writes the handbook's numbers.
 */
import { hand } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { main } from './setup/say.mjs';
import { prepare } from './steps/all.mjs';

await main(async () => {
  const elsewhere = await prepare(process.argv.slice(2));
  if (elsewhere !== null) return elsewhere;
  return hand(process.execPath, [inRoot('test/bench/verdicts/main.ts'), ...process.argv.slice(2)]);
});
