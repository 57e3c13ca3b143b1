/** One variant over sessions of several days, in words: the page and the command line print the same. No React. */
import {
  fewestBefore,
  type HistoryPoint,
  type HistorySeries,
  type Trend,
} from '../../electron/contract/bench/history.ts';
import { measuredTime } from './measured.ts';
import { NO_VALUE, percent, significant } from './numbers.ts';

export const seriesTitle = ({ label, scenario, at, machine }: HistorySeries): string =>
  [label, scenario, ...(at === null ? [] : [at]), machine].join(' · ');

export function trendText(trend: Trend | null, sessions: number): string {
  if (trend === null)
    return `${sessions} sessions: at least ${fewestBefore + 1} are needed to judge how much sessions vary.`;
  const { spread, ratio, expected, verdict } = trend;
  const [low, high] = [expected.low, expected.high].map((value) => significant(value, 4));
  return `The last takes ${significant(ratio, 4)}× the time of those before: ${verdict}. They differ by ${percent(spread)} (standard deviation); 95 % of further sessions would take ${low} to ${high}×.`;
}

export function pointTexts({ created, commit, time_s, interval, right, flagged }: HistoryPoint, first_s: number) {
  const doubts = [...(right ? [] : ['wrong']), ...(flagged === null || flagged === 0 ? [] : [`${flagged} flagged`])];
  return {
    day: created.slice(0, 16).replace('T', ' '),
    commit: commit?.slice(0, 9) ?? NO_VALUE,
    time: measuredTime(time_s),
    interval: interval === null ? NO_VALUE : `${measuredTime(interval.low)}–${measuredTime(interval.high)}`,
    ratio: `${significant(time_s / first_s, 4)}×`,
    doubts: doubts.join(', '),
  };
}
