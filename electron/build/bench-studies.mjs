/**
 * `npm run bench -- studies`: measures the overhead of a study of a thousand points over the sum of its solves. Then
 * measures the time until each view of a hundred thousand rows is complete. `cost` or `views` runs only one of them;
 * `--points N` and `--rows N` set the sizes.
 */
import { commandLine, valueAfter } from './bench/command-line.mjs';
import { STUDY_POINTS, studyOfBeams } from './bench/study-cost.mjs';
import { studyTargets, targetLines } from './bench/targets.mjs';
import { handOver } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { main, say } from './setup/say.mjs';
import { prepare } from './steps/all.mjs';

/** @param {readonly string[]} words */
async function cost(words) {
  const points = Number(valueAfter(words, '--points') ?? STUDY_POINTS);
  const targets = studyTargets(await studyOfBeams(commandLine(), points));
  for (const line of targetLines(targets)) say(line);
  return targets.every(({ met }) => met === true) ? 0 : 1;
}

/** @param {readonly string[]} words */
const views = (words) => handOver(process.execPath, [inRoot('test/bench/study-views.ts'), ...words]);

const PARTS = { cost, views };

await main(async () => {
  const words = process.argv.slice(2);
  const elsewhere = await prepare(words);
  if (elsewhere !== null) return elsewhere;
  const named = Object.entries(PARTS).filter(([name]) => words.includes(name));
  let worst = 0;
  for (const [, part] of named.length > 0 ? named : Object.entries(PARTS)) worst = Math.max(worst, await part(words));
  return worst;
});
