/** `braggbench decide`: recommends a programming approach, from sessions that measured several. */
import { approachTitles, type Decision } from '../../contract/bench/decision.ts';
import { BraggError } from '../../contract/errors.ts';
import { adviceText, DEFAULT_RUNS, decisionTitle, optionText, sourceText } from '../../domain/decision-texts.ts';
import { measuredTime } from '../../domain/measured.ts';
import { plainDigits } from '../../domain/numbers.ts';
import { decisionsOf, readRegistry } from '../../host/api/benches.ts';
import { flagNumber, hasFlag, jsonFlag } from '../arguments.ts';
import { assetsFolder } from '../assets-folder.ts';
import { openSessions } from '../subjects.ts';
import { formatTable, wrap } from '../table.ts';
import { exitCodes, type Verb } from '../verb.ts';

const WIDTH = 110;

const columns = [
  { title: 'Way' },
  { title: 'Program' },
  { title: 'Time', align: 'right' },
  { title: 'Samples', align: 'right' },
  { title: 'Answer' },
] as const;

function decisionLines(decision: Decision, runs: number, bold: (text: string) => string): readonly string[] {
  const rows = decision.options.map(({ way, label, time_s, range, right }) => [
    approachTitles[way],
    label,
    measuredTime(time_s),
    `${measuredTime(range.low)} to ${measuredTime(range.high)}`,
    right ? 'correct' : 'wrong',
  ]);
  return [
    bold(decisionTitle(decision)),
    ...wrap(adviceText(decision), WIDTH),
    ...formatTable(columns, rows),
    ...decision.steps.flatMap((step) => wrap(optionText(step, runs), WIDTH)),
    sourceText(decision),
    '',
  ];
}

export const decide: Verb = {
  name: 'decide',
  usage: 'decide SESSION.json… [--runs N] [--json]',
  summary: 'choose between array expressions, a raw kernel and C++, from measured sessions',
  details: [
    'Uses sessions that measured one problem written in several ways, made by bench with --external. For each programming style it uses the fastest correct variant, and compares it with the correct style that needs the least effort.',
    'A difference counts only if every sample of one is faster than all samples of the other. Each needs five samples from three instances; otherwise there is no advice. Prints the time saved per run, and the total for your number of runs. Also prints the number of runs that pays back an hour of development.',
  ],
  flags: [
    { name: 'runs', value: 'N', help: `Number of runs that you plan; ${plainDigits(DEFAULT_RUNS, 5)} by default.` },
    jsonFlag,
  ],
  examples: ['braggbench decide assets/runs/h200-uniform-grid-70MeV.json --runs 1000000'],
  operands: { min: 1, max: 1000, name: 'one or more sessions' },
  run: async ({ parsed, terminal }) => {
    const runs = flagNumber(parsed, 'runs', { min: 1, max: 1e12, whole: true }) ?? DEFAULT_RUNS;
    const sessions = await openSessions('decide', parsed.operands);
    const { baselines } = await readRegistry(assetsFolder());
    const decisions = decisionsOf(sessions, baselines);
    if (decisions.length === 0) {
      const how = 'braggbench bench SCENARIO --external cupy-array,cupy-raw measures several of them';
      throw new BraggError('invalid', `None of these sessions has correct results for two programming styles; ${how}.`);
    }
    if (hasFlag(parsed, 'json')) terminal.printJson({ runs, decisions });
    else
      for (const one of decisions)
        for (const line of decisionLines(one, runs, (text) => terminal.style('bold', text))) terminal.print(line);
    return exitCodes.done;
  },
};
