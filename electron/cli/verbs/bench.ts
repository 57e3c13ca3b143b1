/** `braggbench bench`: variants against each other on one scenario. */
import type { Variant } from '../../contract/capabilities.ts';
import { type BenchProgress, benchmark } from '../../host/bench/index.ts';
import { flagNumber, flagValue, hasFlag, type ParsedArguments, UsageError } from '../arguments.ts';
import { benchReport } from '../bench-report.ts';
import { exitCodes } from '../exit-codes.ts';
import { issueLine } from '../issues.ts';
import { duration } from '../numbers.ts';
import { withHost } from '../open-host.ts';
import { bar, ProgressBar } from '../progress-bar.ts';
import { overridesOf, scenarioPath } from '../scenario-file.ts';
import type { Verb } from '../verb.ts';

/** Enough for an interval; more tighten it. */
const fewestRounds = 7;
const usualMostRounds = 100;
const usualSeconds = 60;

/** Those of --variants in their order, else every one that this machine can run and that the scenario's stepping fits. */
function variantIds(parsed: ParsedArguments, all: readonly Variant[], stepping: 'path' | 'depth'): readonly string[] {
  const list = flagValue(parsed, 'variants');
  if (list === undefined) {
    return all.filter((v) => v.available && v.id !== 'reference' && v.steppings.includes(stepping)).map(({ id }) => id);
  }
  const ids = list
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  if (ids.length === 0)
    throw new UsageError('--variants names no variant; allowed: ids with commas, such as fused,window');
  return ids;
}

function progressLine({ phase, variant, round, mostRounds, elapsed_s }: BenchProgress): string {
  if (phase !== 'rounds') return `${phase}: ${variant}  ${duration(elapsed_s)}`;
  return `${bar(round / mostRounds)}  round ${round + 1} of at most ${mostRounds}: ${variant}  ${duration(elapsed_s)}`;
}

export const bench: Verb = {
  name: 'bench',
  usage: 'bench SCENARIO [--variants a,b,…] [--set path=value …] [--rounds N] [--time SECONDS] [--seed N] [--json]',
  summary: 'compare variants: speed with its uncertainty, and whether the answer is right',
  details: [
    'Runs the variants in interleaved rounds of shuffled order and prints medians and ratios to the first one, with 95 % bootstrap intervals. The first variant runs twice in every round: how far it strays from itself is the noise floor, below which nothing is called faster or slower. Every row carries the error of its dose against an FP64 reference; a variant beyond parity is wrong, whatever its speed.',
    'Ends when every ratio is known to 1 %, when more rounds no longer change the noise, or at the limits.',
  ],
  flags: [
    { name: 'variants', value: 'a,b,…', help: 'Which ones, in this order; all that can run by default.' },
    { name: 'set', value: 'path=value', repeats: true, help: 'Change a value of the scenario. Repeats.' },
    { name: 'rounds', value: 'N', help: `Most rounds, ${usualMostRounds} by default.` },
    {
      name: 'time',
      value: 'SECONDS',
      help: `Time after which no new round begins, ${usualSeconds} by default.`,
    },
    { name: 'seed', value: 'N', help: 'Of shuffles and bootstrap, 1 by default.' },
    { name: 'json', help: 'Print one JSON document, with every sample, instead of text.' },
  ],
  examples: [
    'braggbench bench water-70MeV --variants window,depth',
    'braggbench bench uniform-grid-70MeV --json > bench.json',
  ],
  operands: { min: 1, max: 1, name: 'a scenario' },
  run: ({ parsed, terminal, signal }) =>
    withHost(async (host) => {
      const mostRounds = flagNumber(parsed, 'rounds', { min: 1, max: 100_000, whole: true }) ?? usualMostRounds;
      const seed = flagNumber(parsed, 'seed', { min: 0, max: 2 ** 32 - 1, whole: true }) ?? 1;
      const mostSeconds = flagNumber(parsed, 'time', { min: 0, max: 86_400 }) ?? usualSeconds;
      const path = scenarioPath(parsed.operands[0] ?? '');
      const reading = await host.scenarios.read(path, { overrides: overridesOf(parsed) });
      const problem = host.scenarios.resolve(reading);
      for (const issue of reading.issues)
        terminal.say(issueLine(issue, (style, text) => terminal.styleSaid(style, text)));
      const progress = new ProgressBar(terminal);
      const report = await benchmark(host.addon, problem, {
        scenario: reading.scenario?.name || path,
        variants: variantIds(parsed, host.capabilities().variants, problem.solver.stepping),
        seed,
        limits: { fewestRounds: Math.min(fewestRounds, mostRounds), mostRounds, mostSeconds },
        onProgress: (now) => progress.draw(progressLine(now)),
        signal,
      }).finally(() => progress.clear());
      if (hasFlag(parsed, 'json')) terminal.printJson(report);
      else for (const line of benchReport(report, (style, text) => terminal.style(style, text))) terminal.print(line);
      if (report.stopped === 'cancelled') return exitCodes.interrupted;
      return report.stopped === 'refused' ? exitCodes.badInput : exitCodes.done;
    }),
};
