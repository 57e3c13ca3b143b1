/**
 * `npm run bench -- verdicts`: simulates the rates of false verdicts and of found differences with the shipped code.
 * `--keep` writes the data of the handbook's table; `--seed N` uses other random numbers.
 */
import { parseArgs } from 'node:util';
import { saveRecording } from '../recorded.ts';
import { missedTargets, noiseModels, type Rates, ratesOf } from './simulate.ts';

const { values: requestedTrials } = parseArgs({
  options: { keep: { type: 'boolean', default: false }, seed: { type: 'string', default: '20260101' } },
});
const trials = 2000;
const seed = Number(requestedTrials.seed);
if (!Number.isSafeInteger(seed))
  throw new Error(`--seed: ${JSON.stringify(requestedTrials.seed)} is not a whole number`);

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`.padStart(8);

const shareText = (share: number | null): string => (share === null ? 'none'.padStart(8) : percent(share));

const columns: readonly (readonly [string, (rates: Rates) => string])[] = [
  ['asked', ({ precision }) => percent(precision)],
  ['false', ({ falseVerdicts }) => percent(falseVerdicts)],
  ['ratio', ({ ratioCoverage }) => percent(ratioCoverage)],
  ['time', ({ timeCoverage }) => shareText(timeCoverage)],
  ['apart', ({ apartCoverage }) => shareText(apartCoverage)],
  ['found', ({ found }) => percent(found)],
  ['same', ({ sameAtTwoPercent }) => percent(sameAtTwoPercent)],
  ['ended', ({ ended }) => percent(ended)],
  ['instances', ({ instances }) => instances.toFixed(1).padStart(8)],
];

console.log(`${trials} sessions per number, seed ${seed}. Targets: false and same at most 5 %; ratio, time and apart at
least 93 %; found at least 90 %. False: identical code is called faster or slower. Ratio, time: the interval contains
the true value. Apart: the same for the ratio of two sessions. Found: a difference of twice the model's precision is
detected. Same: a true difference of 2 % is called the same within 1 %. Decided: sessions end when every verdict is
decided. Precise: sessions end at the model's precision. All end after at most 60 instances.\n`);
const width = 48;
console.log(''.padEnd(width) + columns.map(([name]) => name.padStart(10)).join(''));
let failures = 0;
const found: Rates[] = [];
const rules = ['decided', 'precise'] as const;
const rows = rules.flatMap((rule) => [
  ...noiseModels.map((model) => ({ model, candidates: 1, rule })),
  { model: noiseModels[1], candidates: 10, rule },
]);
for (const { model, candidates, rule } of rows) {
  if (model === undefined) continue;
  const rates = ratesOf(model, { candidates, rule }, trials, seed);
  found.push(rates);
  const name = `${rule}: ${model.name}${candidates === 1 ? '' : `, ${candidates} candidates`}`;
  console.log(name.padEnd(width) + columns.map(([, show]) => `  ${show(rates)}`).join(''));
  for (const line of missedTargets(rates, trials, 2)) {
    failures += 1;
    console.log(`  MISSED: ${line}`);
  }
}
console.log(failures === 0 ? '\nAll rows meet their targets.' : `\n${failures} targets missed.`);
if (requestedTrials.keep)
  console.log(
    `Saved as ${saveRecording('simulated', { trials, seed, rows: found })}. Next: npm run figures -- --only verdicts-simulated`,
  );
process.exitCode = failures === 0 ? 0 : 1;
