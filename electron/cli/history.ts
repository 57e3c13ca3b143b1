/**
 * One variant on one problem over sessions of several days and commits: how far medians of sessions lie from each
 * other, and whether the last is further off than that. Drifts of the machine do not cancel between sessions, so
 * that no interval of a single one says it.
 */
import { reportProvenance } from '../../renderer/base/provenance.ts';
import type { Interval } from '../contract/bench/interval.ts';
import type { MeasuredSessionEntry, Session } from '../contract/bench/session.ts';
import { instancesOf } from '../host/model/bench/comparison.ts';
import { asInterval, timeInterval } from '../host/model/verdicts/levels.ts';
import { mean, variance } from '../host/model/verdicts/order.ts';
import { twoSidedQuantile } from '../host/model/verdicts/student.ts';

export interface HistoryPoint {
  readonly file: string;
  /** ISO 8601. */
  readonly created: string;
  readonly commit: string | null;
  readonly time_s: number;
  /** 95 %, from what varies between the session's instances; null where it tells nothing of them. */
  readonly interval: Interval | null;
  readonly right: boolean;
  readonly flagged: number | null;
}

export interface Series {
  readonly workload: string;
  readonly bench: string;
  readonly scenario: string;
  /** The value of a sweep; null without one. */
  readonly at: string | null;
  /** The GPU, or the processor. */
  readonly machine: string;
  readonly label: string;
  /** By day. */
  readonly points: readonly HistoryPoint[];
}

/** Fewer sessions than this before the last say nothing of how sessions differ. */
export const fewestBefore = 3;

const missing = 0.05;

export interface Trend {
  /** Standard deviation of the sessions' times before the last, as a ratio less 1. */
  readonly spread: number;
  /** The last time over their geometric mean, and where 95 % of further sessions would lie. */
  readonly ratio: number;
  readonly expected: Interval;
  readonly verdict: 'faster' | 'slower' | 'as before';
}

/** The last session against those before: Student's prediction interval on the logarithm. Null for too few. */
export function trendOf(times: readonly number[]): Trend | null {
  const logs = times.map(Math.log);
  const [last, before] = [logs.at(-1), logs.slice(0, -1)];
  if (last === undefined || before.length < fewestBefore) return null;
  const deviation = Math.sqrt(variance(before));
  const away = last - mean(before);
  const half = twoSidedQuantile(missing, before.length - 1) * deviation * Math.sqrt(1 + 1 / before.length);
  return {
    spread: Math.expm1(deviation),
    ratio: Math.exp(away),
    expected: asInterval({ middle: 0, half }),
    verdict: away > half ? 'slower' : away < -half ? 'faster' : 'as before',
  };
}

function intervalOf({ samples }: MeasuredSessionEntry): Interval | null {
  const told = samples.flatMap((sample) =>
    sample.instance === undefined ? [] : [{ instance: sample.instance, time_s: sample.time_s }],
  );
  const log = timeInterval(
    instancesOf(told, ({ time_s }) => time_s),
    missing,
  );
  return log === null ? null : asInterval(log);
}

interface Named {
  readonly file: string;
  readonly session: Session;
}

function seriesIn({ file, session }: Named): readonly Series[] {
  const { workload, created, sweep } = session;
  return session.reports.flatMap((report, i) =>
    report.entries.flatMap((entry): Series[] => {
      if (entry.status === 'refused') return [];
      const { label, time_s, accuracy, flagged, verdict } = entry;
      const { machine } = reportProvenance({ ...report, entries: [entry] }, created);
      const right = verdict !== 'wrong' && accuracy.every(({ holds }) => holds);
      const at = sweep === null ? null : `${sweep.path} = ${sweep.values[i]}`;
      const point = {
        file,
        created,
        commit: report.program.commit,
        time_s,
        interval: intervalOf(entry),
        right,
        flagged,
      };
      return [{ workload, bench: report.bench, scenario: report.scenario, at, machine, label, points: [point] }];
    }),
  );
}

const keyOf = ({ workload, bench, scenario, at, machine, label }: Series): string =>
  JSON.stringify([workload, bench, scenario, at, machine, label]);

/** Those of `variant`, or all, that at least two sessions measured. */
export function historyOf(sessions: readonly Named[], variant: string | null): readonly Series[] {
  const all = sessions.flatMap(seriesIn).filter(({ label }) => variant === null || label === variant);
  return [...Map.groupBy(all, keyOf).values()].flatMap((same) => {
    const points = same.flatMap((one) => one.points).sort((a, b) => Date.parse(a.created) - Date.parse(b.created));
    const [first] = same;
    return first === undefined || points.length < 2 ? [] : [{ ...first, points }];
  });
}
