/** `braggbench history`: times of a variant on a problem, in sessions of several days and commits. */

import { type HistorySeries, MIN_EARLIER_SESSIONS } from '../../contract/bench/history.ts';
import { BraggError } from '../../contract/errors.ts';
import { pointTexts, seriesTitle, trendText } from '../../domain/measured.ts';
import { historyOf, trendOf } from '../../host/api/benches.ts';
import { flagValue, hasFlag, jsonFlag } from '../arguments.ts';
import { openSessions } from '../subjects.ts';
import { formatTable } from '../table.ts';
import { exitCodes, type Verb } from '../verb.ts';

const columns = [
  { title: 'Measured' },
  { title: 'Commit' },
  { title: 'Time', align: 'right' },
  { title: '95 % interval', align: 'right' },
  { title: 'Relative to first', align: 'right' },
  { title: 'Session' },
] as const;

function seriesLines(series: HistorySeries, bold: (text: string) => string): readonly string[] {
  const { points } = series;
  const first_s = points[0]?.time_s ?? Number.NaN;
  const rows = points.map((point) => {
    const { day, commit, time, interval, ratio, doubts } = pointTexts(point, first_s);
    return [day, commit, time, interval, ratio, doubts === '' ? point.file : `${point.file} (${doubts})`];
  });
  return [
    bold(seriesTitle(series)),
    ...formatTable(columns, rows),
    trendText(trendOf(points.map(({ time_s }) => time_s)), points.length),
    '',
  ];
}

export const history: Verb = {
  name: 'history',
  usage: 'history SESSION.json… [--variant NAME] [--json]',
  summary: 'show one variant on one problem over sessions of several days and commits',
  details: [
    `Orders sessions by date, for each variant, scenario and machine that at least two of them measured. A machine is recognised by its identifier, cores, memory and GPU. With at least ${MIN_EARLIER_SESSIONS} earlier sessions it shows how much sessions vary, and whether the last lies beyond that: slower and faster are reported only outside of the interval in which 95 % of further sessions would lie.`,
    'Drifts of the machine do not cancel between sessions. If the baseline of gate is a session file, its --allow must exceed this spread.',
  ],
  flags: [
    { name: 'variant', value: 'NAME', help: 'Only this variant, named as in sessions: cuda-fused, gather@fp64.' },
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
      const allWithTrends = all.map((one) => ({ ...one, trend: trendOf(one.points.map(({ time_s }) => time_s)) }));
      terminal.printJson({ series: allWithTrends });
    } else
      for (const one of all)
        for (const line of seriesLines(one, (text) => terminal.style('bold', text))) terminal.print(line);
    return exitCodes.done;
  },
};
