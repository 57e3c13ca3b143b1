/**
 * History of one variant on one problem, over sessions from several days and commits. It contains the spread of the
 * sessions' medians, and whether the last session differs. The interval of a single session does not include this
 * spread, because a machine drifts between sessions.
 *
 * Attempts of coding agents are read from such sessions too.
 */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Interval, isUnproven, machineKey, type Ratio, usedGpus } from '../../../contract/bench/bench-session.ts';
import {
  type AgentAttempt,
  type AttemptHistory,
  type HistorySeries,
  MIN_EARLIER_SESSIONS,
  parseAttemptFileName,
  type Trend,
} from '../../../contract/bench/history.ts';
import {
  correctnessOf,
  correctnessReason,
  isIncorrect,
  type MeasuredSessionEntry,
  type Session,
} from '../../../contract/bench/session.ts';
import { BraggError, messageOf } from '../../../contract/errors.ts';
import { USER_KERNEL_TEXT_MAX } from '../../../contract/user-kernels.ts';
import { runToCompletion, type YieldingTask } from '../../../domain/values/pausing.ts';
import { runInSlices } from '../../io/flow/cooperative.ts';
import { readText } from '../../io/text/read.ts';
import { groupByInstance, pairedRatio } from '../../model/bench/comparison.ts';
import { timeInterval, toInterval } from '../../model/verdicts/levels.ts';
import { mean, variance } from '../../model/verdicts/order.ts';
import { twoSidedQuantile } from '../../model/verdicts/student.ts';
import { readSessionNamed } from '../sessions/index.ts';
import { SESSION_ENDING } from './stored.ts';

/** Probability that a further session lies outside the prediction interval. */
const outsideShare = 0.05;

/**
 * Compares a time with those of earlier sessions by Student's prediction interval for log time. Null if there are too
 * few sessions.
 */
function deviationFromEarlier(earlier: readonly number[], time_s: number) {
  if (earlier.length < MIN_EARLIER_SESSIONS) return null;
  const before = earlier.map(Math.log);
  const deviation = Math.sqrt(variance(before));
  const away = Math.log(time_s) - mean(before);
  const half = twoSidedQuantile(outsideShare, before.length - 1) * deviation * Math.sqrt(1 + 1 / before.length);
  return { deviation, away, half };
}

/** Ratio of a time to the mean of earlier sessions, with an interval from the spread between sessions. */
export function ratioToEarlier(earlier: readonly number[], time_s: number): Ratio | null {
  const found = deviationFromEarlier(earlier, time_s);
  return found && { value: Math.exp(found.away), interval: toInterval({ middle: found.away, half: found.half }) };
}

/** Compares the last time with the earlier ones. Null if there are too few. */
export function trendOf(times: readonly number[]): Trend | null {
  const last = times.at(-1);
  const found = last === undefined ? null : deviationFromEarlier(times.slice(0, -1), last);
  if (found === null) return null;
  const { deviation, away, half } = found;
  return {
    spread: Math.expm1(deviation),
    ratio: Math.exp(away),
    expected: toInterval({ middle: 0, half }),
    verdict: away > half ? 'slower' : away < -half ? 'faster' : 'as before',
  };
}

function intervalOf({ samples }: MeasuredSessionEntry): Interval | null {
  const samplesWithTime = samples.flatMap((sample) =>
    sample.instance === undefined ? [] : [{ instance: sample.instance, time_s: sample.time_s }],
  );
  const log = timeInterval(
    groupByInstance(samplesWithTime, ({ time_s }) => time_s),
    outsideShare,
  );
  return log === null ? null : toInterval(log);
}

interface NamedSession {
  readonly file: string;
  readonly session: Session;
}

interface KeyedSeries {
  /** Identifies one variant on one problem on one machine. */
  readonly key: string;
  readonly series: HistorySeries;
}

/** Yields a series of one point for each variant measured in report `i`. */
function* seriesOfReport({ file, session }: NamedSession, i: number): Generator<KeyedSeries> {
  const { workload, created, sweep } = session;
  const report = session.reports[i];
  if (report === undefined) return;
  const at = sweep === null ? null : `${sweep.path} = ${sweep.values[i]}`;
  const { bench, scenario, program } = report;
  for (const entry of report.entries) {
    if (entry.status === 'refused') continue;
    const { label, time_s, flagged, verdict } = entry;
    const gpus = usedGpus(report.machine, [entry]);
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

/** Collects the series with at least two sessions, for `variant` or for all variants. */
function* collectSeries(
  sessions: readonly NamedSession[],
  variant: string | null,
): YieldingTask<readonly HistorySeries[]> {
  const all: KeyedSeries[] = [];
  for (const { file, session } of sessions) {
    for (let i = 0; i < session.reports.length; i += 1) {
      for (const one of seriesOfReport({ file, session }, i)) {
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
  return numberEqualMachines(found);
}

/** Appends a number to machine names if a variant ran on several machines of the same name. */
function numberEqualMachines(all: readonly HistorySeries[]): readonly HistorySeries[] {
  const groups = Map.groupBy(all, ({ points: _, ...rest }) => JSON.stringify(rest));
  return [...groups.values()].flatMap((same) =>
    same.length === 1 ? same : same.map((one, i) => ({ ...one, machine: `${one.machine}, machine ${i + 1}` })),
  );
}

export const historyOf = (sessions: readonly NamedSession[], variant: string | null): readonly HistorySeries[] =>
  runToCompletion(collectSeries(sessions, variant));

/** Like `historyOf`, but lets other tasks run between slices of work. */
export const historyInSlices = (
  sessions: readonly NamedSession[],
  variant: string | null,
): Promise<readonly HistorySeries[]> => runInSlices(collectSeries(sessions, variant));

type AttemptResult = Omit<AgentAttempt, 'attempt' | 'file' | 'created'>;

const noResult = { time_s: null, interval: null, vs_reference: null, vs_best: null } as const;
/** Result of an attempt that has no session. */
const unmeasuredResult: AttemptResult = {
  ...noResult,
  verdict: 'not measured',
  reason: 'There is no session: the attempt does not compile, is being measured, or was cancelled.',
};

const inverseRatio = ({ value, interval }: Ratio): Ratio => ({
  value: 1 / value,
  interval: interval === null ? null : { low: 1 / interval.high, high: 1 / interval.low },
});

const timesOf = ({ samples }: MeasuredSessionEntry) =>
  groupByInstance(
    samples.map(({ instance = 0, time_s }) => ({ instance, time_s })),
    ({ time_s }) => time_s,
  );

/**
 * Reads the result of an attempt from its session. Its entries are the reference, the best earlier attempt if there is
 * one, and the attempt, in this order.
 */
function resultFromSession(session: Session, file: string): AttemptResult {
  const entries = session.reports[0]?.entries ?? [];
  const entry = entries.find(({ label }) => label === file);
  if (entry?.status !== 'measured')
    return {
      ...noResult,
      verdict: 'crashed',
      reason: entry?.reason ?? 'The session ended before this attempt was measured.',
    };
  const { accuracy, time_s, ratio } = entry;
  const verdict = isIncorrect(entry.verdict) ? entry.verdict : correctnessOf(accuracy);
  const counts = verdict === 'correct' || verdict === 'not checked';
  const best = entries.find((one) => one !== entry && parseAttemptFileName(one.label) !== null);
  const attempt = best === undefined ? undefined : parseAttemptFileName(best.label)?.attempt;
  const vs_best =
    !counts || best?.status !== 'measured' || attempt === undefined
      ? null
      : { ...inverseRatio(pairedRatio(timesOf(entry), timesOf(best), 2)), attempt };
  const measured = { verdict, reason: correctnessReason(accuracy), time_s, interval: intervalOf(entry) };
  return { ...measured, vs_reference: counts ? inverseRatio(ratio) : null, vs_best };
}

export class AttemptHistories {
  /** Results by path of the session file. A file is read again only after it has changed. */
  readonly #known = new Map<string, { readonly changed: number; readonly result: AttemptResult }>();

  /** Returns one history per series of attempts in the folder. The series with the newest attempt comes first. */
  async list(folder: string): Promise<AttemptHistory[]> {
    const found: (AgentAttempt & { readonly problem: string })[] = [];
    for (const file of (await readdir(folder).catch(() => [])).sort()) {
      const of = parseAttemptFileName(file);
      const source = of === null ? null : await stat(path.join(folder, file)).catch(() => null);
      if (of === null || source === null) continue;
      const result = await this.#resultOf(folder, file);
      found.push({ ...of, ...result, file, created: source.mtime.toISOString() });
    }
    const groups = [...Map.groupBy(found, ({ problem }) => problem)];
    const climbs = groups.map(([problem, all]) => ({
      problem,
      attempts: all.map(({ problem: _, ...one }) => one).toSorted((a, b) => a.attempt - b.attempt),
    }));
    const newestTime = ({ attempts }: AttemptHistory) =>
      Math.max(...attempts.map(({ created }) => Date.parse(created)));
    return climbs.toSorted((a, b) => newestTime(b) - newestTime(a));
  }

  async #resultOf(folder: string, file: string): Promise<AttemptResult> {
    const session = path.join(folder, file.replace(/\.\w+$/, SESSION_ENDING));
    const changed = await stat(session).then(
      ({ mtimeMs }) => mtimeMs,
      () => null,
    );
    if (changed === null) return unmeasuredResult;
    const known = this.#known.get(session);
    if (known?.changed === changed) return known.result;
    const result = await readSessionNamed(session).then(
      (read) => resultFromSession(read, file),
      (error: unknown): AttemptResult => ({ ...unmeasuredResult, reason: messageOf(error) }),
    );
    this.#known.set(session, { changed, result });
    return result;
  }
}

/** Returns the source code of an attempt. Throws BraggError `not-found`. */
export async function attemptText(folder: string, file: string): Promise<string> {
  const read = await readText(path.join(folder, file), USER_KERNEL_TEXT_MAX);
  if (!read.ok) throw new BraggError('not-found', `${file} in the library: ${read.reason}`);
  return read.text;
}
