/**
 * One variant on one problem over sessions of several days and commits: how far medians of sessions lie from each
 * other, and whether the last is further off than that. Drifts of the machine do not cancel between sessions, so
 * that no interval of a single one says it.
 */
import { gpusUsed, isUnproven, machineKey, type Ratio } from '../../../contract/bench/bench-session.ts';
import { fewestBefore, type HistorySeries, type Trend } from '../../../contract/bench/history.ts';
import type { Interval } from '../../../contract/bench/interval.ts';
import type { MeasuredSessionEntry, Session } from '../../../contract/bench/session.ts';
import { atOnce, type Pausing } from '../../../contract/pausing.ts';
import { inTurns } from '../../io/flow/in-turns.ts';
import { instancesOf } from '../../model/bench/comparison.ts';
import { asInterval, timeInterval } from '../../model/verdicts/levels.ts';
import { mean, variance } from '../../model/verdicts/order.ts';
import { twoSidedQuantile } from '../../model/verdicts/student.ts';

/** Share of further sessions that an interval may miss. */
const missing = 0.05;

/** A session against those before: Student's prediction interval on the logarithm. Null for too few. */
function awayFrom(earlier: readonly number[], time_s: number) {
  if (earlier.length < fewestBefore) return null;
  const before = earlier.map(Math.log);
  const deviation = Math.sqrt(variance(before));
  const away = Math.log(time_s) - mean(before);
  const half = twoSidedQuantile(missing, before.length - 1) * deviation * Math.sqrt(1 + 1 / before.length);
  return { deviation, away, half };
}

/** Over the mean of those before, with what sessions differ by: the interval of a ratio between sessions. */
export function ratioToEarlier(earlier: readonly number[], time_s: number): Ratio | null {
  const found = awayFrom(earlier, time_s);
  return found && { value: Math.exp(found.away), interval: asInterval({ middle: found.away, half: found.half }) };
}

/** The last of them against the others. Null for too few. */
export function trendOf(times: readonly number[]): Trend | null {
  const last = times.at(-1);
  const found = last === undefined ? null : awayFrom(times.slice(0, -1), last);
  if (found === null) return null;
  const { deviation, away, half } = found;
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

interface Keyed {
  /** Equal for one variant on one problem on one machine. */
  readonly key: string;
  readonly series: HistorySeries;
}

/** A series of one point for each measured variant. */
function* seriesIn({ file, session }: Named, i: number): Generator<Keyed> {
  const { workload, created, sweep } = session;
  const report = session.reports[i];
  if (report === undefined) return;
  const at = sweep === null ? null : `${sweep.path} = ${sweep.values[i]}`;
  const { bench, scenario, program } = report;
  for (const entry of report.entries) {
    if (entry.status === 'refused') continue;
    const { label, time_s, flagged, verdict } = entry;
    const gpus = gpusUsed(report.machine, [entry]);
    const { cpu, logical_cores } = report.machine;
    const machine = gpus.length === 0 ? `${cpu}, ${logical_cores} cores` : gpus.map(({ name }) => name).join(', ');
    const right = !isUnproven(verdict);
    const point = { file, created, commit: program.commit, time_s, interval: intervalOf(entry), right, flagged };
    const on = [machineKey(report.machine), ...gpus.map(({ uuid }) => uuid)];
    yield {
      key: JSON.stringify([workload, bench, scenario, at, entry.size, on, label]),
      series: { workload, bench, scenario, at, machine, label, points: [point] },
    };
  }
}

/** Those of `variant`, or all, that at least two sessions measured. */
function* gathering(sessions: readonly Named[], variant: string | null): Pausing<readonly HistorySeries[]> {
  const all: Keyed[] = [];
  for (const { file, session } of sessions) {
    for (let i = 0; i < session.reports.length; i += 1) {
      for (const one of seriesIn({ file, session }, i)) {
        if (variant === null || one.series.label === variant) all.push(one);
        yield;
      }
    }
  }
  const found: HistorySeries[] = [];
  for (const same of Map.groupBy(all, ({ key }) => key).values()) {
    const points = same
      .flatMap(({ series }) => series.points)
      .sort((a, b) => Date.parse(a.created) - Date.parse(b.created));
    const [first] = same;
    if (first !== undefined && points.length >= 2) found.push({ ...first.series, points });
    yield;
  }
  return named(found);
}

/** Machines of one name are numbered where a variant ran on several of them. */
function named(all: readonly HistorySeries[]): readonly HistorySeries[] {
  const groups = Map.groupBy(all, ({ points: _, ...rest }) => JSON.stringify(rest));
  return [...groups.values()].flatMap((same) =>
    same.length === 1 ? same : same.map((one, i) => ({ ...one, machine: `${one.machine}, machine ${i + 1}` })),
  );
}

export const historyOf = (sessions: readonly Named[], variant: string | null): readonly HistorySeries[] =>
  atOnce(gathering(sessions, variant));

/** The same with the turns of others in between. */
export const historyInTurns = (sessions: readonly Named[], variant: string | null): Promise<readonly HistorySeries[]> =>
  inTurns(gathering(sessions, variant));
