/**
 * `npm run bench:studies`: what a study of a thousand points costs over the sum of its solves. Then how long each view of
 * a hundred thousand rows takes until it is whole. `cost` or `views` alone; `--points N`, `--rows N`.
 */
import { hand } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { main } from './setup/say.mjs';
import { prepare } from './steps/all.mjs';

const PARTS = [
  { name: 'cost', file: 'test/bench/study-cost.ts' },
  { name: 'views', file: 'test/bench/study-views.ts' },
];

await main(async () => {
  const words = process.argv.slice(2);
  const elsewhere = await prepare(words);
  if (elsewhere !== null) return elsewhere;
  const chosen = PARTS.filter(({ name }) => words.includes(name));
  let worst = 0;
  for (const { file } of chosen.length > 0 ? chosen : PARTS)
    worst = Math.max(worst, await hand(process.execPath, [inRoot(file), ...words]));
  return worst;
});
