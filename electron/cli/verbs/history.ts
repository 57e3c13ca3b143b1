/** `braggbench history`: one variant on one problem over sessions of several days and commits. */
import { percent } from '../../../renderer/base/numbers.ts';
import { fewestBefore, type HistoryPoint, type HistorySeries, type Trend } from '../../contract/bench/history.ts';
import { BraggError } from '../../contract/errors.ts';
import { historyOf, trendOf } from '../../host/app/benches/history.ts';
import { flagValue, hasFlag, jsonFlag } from '../arguments.ts';
import { exitCodes } from '../exit-codes.ts';
import { duration, significant } from '../numbers.ts';
import { openSessions } from '../subjects.ts';
import { table } from '../table.ts';
import type { Verb } from '../verb.ts';

const columns = [
  { title: 'Measured' },
  { title: 'Commit' },
  { title: 'Time', align: 'right' },
  { title: '95 % interval', align: 'right' },
  { title: 'Over the first', align: 'right' },
  { title: 'Session' },
] as const;

function row({ created, commit, time_s, interval, right, flagged, file }: HistoryPoint, first_s: number) {
  const doubts = [...(right ? [] : ['wrong']), ...(flagged === null || flagged === 0 ? [] : [`${flagged} flagged`])];
  return [
    created.slice(0, 16).replace('T', ' '),
    commit?.slice(0, 9) ?? '–',
    duration(time_s),
    interval === null ? '–' : `${duration(interval.low)} to ${duration(interval.high)}`,
    `${significant(time_s / first_s, 4)}×`,
    doubts.length === 0 ? file : `${file} (${doubts.join(', ')})`,
  ];
}

function trendText(trend: Trend | null, sessions: number): string {
  if (trend === null) return `${sessions} sessions: ${fewestBefore} before the last tell how far sessions differ.`;
  const { spread, ratio, expected, verdict } = trend;
  const [low, high] = [expected.low, expected.high].map((value) => significant(value, 4));
  return `The last takes ${significant(ratio, 4)}× the time of those before: ${verdict}. They differ by ${percent(spread)} (standard deviation); 95 % of further sessions would take ${low} to ${high}×.`;
}

function seriesLines(
  { scenario, at, machine, label, points }: HistorySeries,
  bold: (text: string) => string,
): readonly string[] {
  const first_s = points[0]?.time_s ?? Number.NaN;
  const rows = points.map((point) => row(point, first_s));
  return [
    bold([label, scenario, ...(at === null ? [] : [at]), machine].join(' · ')),
    ...table(columns, rows),
    trendText(trendOf(points.map(({ time_s }) => time_s)), points.length),
    '',
  ];
}

export const history: Verb = {
  name: 'history',
  usage: 'history SESSION.json… [--variant NAME] [--json]',
  summary: 'one variant on one problem over sessions of several days and commits',
  details: [
    `Puts the sessions in the order of their days, for each variant, scenario and machine that at least two of them measured. With ${fewestBefore} sessions before the last it says how far sessions differ from each other, and whether the last lies beyond that: slower and faster are told only outside of where 95 % of further sessions would lie.`,
    'Drifts of the machine do not cancel between sessions. Their spread is what a limit of compare --fail-if-slower has to be wider than.',
  ],
  flags: [
    { name: 'variant', value: 'NAME', help: 'Only this one, as sessions call it: cuda-fused, gather@fp64.' },
    jsonFlag,
  ],
  examples: ['braggbench history sessions/*.json --variant cuda-window'],
  operands: { min: 2, max: 1000, name: 'two sessions or more' },
  run: async ({ parsed, terminal }) => {
    const sessions = await openSessions('history', parsed.operands);
    const variant = flagValue(parsed, 'variant') ?? null;
    const all = historyOf(sessions, variant);
    if (all.length === 0) {
      const what = variant ?? 'the same variant on the same scenario and machine';
      throw new BraggError('invalid', `No two of these sessions measured ${what}.`);
    }
    if (hasFlag(parsed, 'json')) {
      const told = all.map((one) => ({ ...one, trend: trendOf(one.points.map(({ time_s }) => time_s)) }));
      terminal.printJson({ series: told });
    } else
      for (const one of all)
        for (const line of seriesLines(one, (text) => terminal.style('bold', text))) terminal.print(line);
    return exitCodes.done;
  },
};
