/**
 * Computes times relative to the reference on a worker thread. A bootstrap over some hundred rounds needs 0.1 s, and a
 * session may need many of them.
 */
import type { Subject } from '../../../contract/bench/benches.ts';
import type { ComparedRow } from '../../../contract/bench/comparison.ts';
import { defineThreadTask } from '../../io/threads/task.ts';
import { bootstrapVerdict, toRatio } from '../../model/bench/comparison.ts';
import { median, medianInterval, ratioInterval, unpairedRatioInterval } from '../../model/bench/statistics.ts';
import { judgeRatio, missProbability, type SpeedVerdict } from '../../model/verdicts/judge.ts';
import {
  type Instances,
  type LogInterval,
  pairedLogRatio,
  separateLogRatio,
  timeInterval,
  toInterval,
} from '../../model/verdicts/levels.ts';
import type { LoadedSubject } from './subjects.ts';

/** The part of a subject that is sent to the worker thread. It contains only plain data. */
interface SubjectTimes
  extends Pick<LoadedSubject, 'times' | 'instances' | 'wholes' | 'processes' | 'rounds' | 'margin'>,
    Pick<LoadedSubject, 'judgedWhole' | 'sessionReference' | 'floor' | 'wholeFloor' | 'processFloor'> {
  readonly subject: Subject;
}

/** Time columns of a comparison row. */
interface ComparedTimes extends Pick<ComparedRow, 'time_interval' | 'ratio' | 'whole' | 'process' | 'paired'> {
  readonly speed: ComparedRow['verdict'];
}

/** Seed of the bootstrap. It is constant so that the numbers are reproducible. */
const seed = 1;

/** Whether both were measured in the same rounds, so that the times of round i form a pair. */
function arePaired(here: SubjectTimes, reference: SubjectTimes): boolean {
  return here.rounds !== null && here.rounds === reference.rounds && here.times.length === reference.times.length;
}

/** Logarithm of the ratio of two times, with its interval. Null if a session has no instances, or too few. */
function logRatioOf(
  here: Instances | null,
  reference: Instances | null,
  { paired, candidates }: { readonly paired: boolean; readonly candidates: number },
): LogInterval | null {
  if (here === null || reference === null || here === reference) return null;
  const ratio = paired ? pairedLogRatio : separateLogRatio;
  return ratio(here, reference, missProbability({ candidates }));
}

function ratioToReference(
  here: SubjectTimes,
  reference: SubjectTimes,
  { paired, log }: { readonly paired: boolean; readonly log: LogInterval | null },
): ComparedRow['ratio'] {
  const ratio = toRatio(log, median(here.times) / median(reference.times));
  if (log !== null || here === reference) return ratio;
  const interval = paired ? ratioInterval : unpairedRatioInterval;
  return { ...ratio, interval: interval(here.times, reference.times, seed) };
}

/** Judges the speed from instances if both sessions have them, otherwise by a bootstrap over the rounds. */
function speedOf(here: SubjectTimes, reference: SubjectTimes, log: LogInterval | null, ratio: ComparedRow['ratio']) {
  const floor = largerFloor(here.floor, reference.floor);
  return log === null ? bootstrapVerdict(ratio.interval, floor) : speedVerdict(here, reference, { log, floor });
}

/**
 * Judges a ratio of times. `floor` is the noise floor as a ratio minus 1. The narrower margin of the two sessions
 * applies, so a difference that either can resolve is not called the same.
 */
function speedVerdict(
  here: SubjectTimes,
  reference: SubjectTimes,
  { log, floor }: { readonly log: LogInterval; readonly floor: number | null },
): SpeedVerdict {
  const criteria = { margin: Math.min(here.margin, reference.margin) };
  return judgeRatio(log, floor === null ? null : Math.log1p(floor), criteria, here.instances?.length ?? 0).standing;
}

/** Whether `reference` is the reference of the same session, which then already contains a verdict. */
function isSessionReference(
  { rounds, sessionReference }: SubjectTimes,
  { rounds: other, subject }: SubjectTimes,
): boolean {
  return rounds !== null && rounds === other && subject.kind !== 'run' && subject.label === sessionReference;
}

function compareEndToEnd(
  here: SubjectTimes,
  reference: SubjectTimes,
  among: Parameters<typeof logRatioOf>[2],
): ComparedRow['whole'] {
  if (here.wholes === null || reference.wholes === null) return null;
  if (here === reference) return { ratio: { value: 1, interval: null }, verdict: 'reference' };
  const judged = isSessionReference(here, reference) ? here.judgedWhole : null;
  const log = logRatioOf(here.wholes, reference.wholes, among);
  if (log === null) return judged;
  const floor = largerFloor(here.wholeFloor, reference.wholeFloor);
  // Older sessions record the verdict but not the noise floor.
  const verdict = floor === null ? (judged?.verdict ?? 'undecided') : speedVerdict(here, reference, { log, floor });
  return { ratio: toRatio(log, Number.NaN), verdict };
}

function compareProcesses(
  here: SubjectTimes,
  reference: SubjectTimes,
  among: Parameters<typeof logRatioOf>[2],
): ComparedRow['process'] {
  if (here.processes === null) return null;
  const { times, reason } = here.processes;
  const against = reference.processes?.times ?? [];
  const verdict = here === reference ? 'reference' : 'undecided';
  if (times.length === 0) return { reason, time_s: null, ratio: null, verdict };
  const time_s = median(times.flat());
  if (here === reference) return { reason, time_s, ratio: { value: 1, interval: null }, verdict };
  if (against.length === 0) return { reason, time_s, ratio: null, verdict };
  const log = logRatioOf(times, against, among);
  const floor = largerFloor(here.processFloor, reference.processFloor);
  const ratio = toRatio(log, time_s / median(against.flat()));
  return { reason, time_s, ratio, verdict: log === null ? verdict : speedVerdict(here, reference, { log, floor }) };
}

function timeIntervalOf({ instances, times }: SubjectTimes): ComparedRow['time_interval'] {
  if (instances === null) return medianInterval(times, seed);
  const log = timeInterval(instances, missProbability({ candidates: 1 }));
  return log === null ? null : toInterval(log);
}

/**
 * Returns the larger noise floor of two sessions, because a difference must exceed both. Null if either is unknown.
 */
function largerFloor(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.max(one, other);
}

function compareWithReference(here: SubjectTimes, reference: SubjectTimes, candidates: number): ComparedTimes {
  const paired = arePaired(here, reference);
  const among = { paired, candidates };
  const log = logRatioOf(here.instances, reference.instances, among);
  const ratio = ratioToReference(here, reference, { paired, log });
  return {
    time_interval: timeIntervalOf(here),
    ratio,
    whole: compareEndToEnd(here, reference, among),
    process: compareProcesses(here, reference, among),
    paired,
    speed: speedOf(here, reference, log, ratio),
  };
}

interface ComparedSubjects {
  readonly all: readonly SubjectTimes[];
  /** Index of each subject's reference in `all`. */
  readonly references: readonly number[];
}

const compareAll = ({ all, references }: ComparedSubjects): readonly ComparedTimes[] =>
  all.map((here, i): ComparedTimes => {
    const against = all[references[i] ?? -1];
    if (against === undefined) throw new Error('a comparison has no reference');
    const group = references.filter((one) => one === references[i]);
    return compareWithReference(here, against, group.length - 1);
  });

const compare = defineThreadTask('compare times', compareAll);

const timesOf = ({ row: { subject }, ...loaded }: LoadedSubject): SubjectTimes => {
  const { times, instances, wholes, processes, rounds, margin, floor, wholeFloor, processFloor } = loaded;
  const judged = { judgedWhole: loaded.judgedWhole, sessionReference: loaded.sessionReference };
  const floors = { floor, wholeFloor, processFloor };
  return { subject, times, instances, wholes, processes, rounds, margin, ...judged, ...floors };
};

/** Returns the results in the order of `all`. `references` contains the index of each subject's reference. */
type CompareTimes = (
  all: readonly LoadedSubject[],
  references: readonly number[],
) => Promise<readonly ComparedTimes[]> | readonly ComparedTimes[];

export const comparedTimes: CompareTimes = (all, references) => compare({ all: all.map(timesOf), references });

/** Runs on the calling thread, for programs that serve no pages. */
export const comparedTimesOnThisThread: CompareTimes = (all, references) =>
  compareAll({ all: all.map(timesOf), references });
