/**
 * Times relative to the reference's, on a worker thread: a bootstrap of some hundred rounds takes a tenth of a second,
 * and sessions have any number of them.
 */
import type { Subject } from '../../../contract/bench/benches.ts';
import type { ComparedRow } from '../../../contract/bench/comparison.ts';
import { aside } from '../../io/aside/task.ts';
import { asRatio, bootstrapVerdictOf } from '../../model/bench/comparison.ts';
import { median, medianInterval, ratioInterval, unpairedRatioInterval } from '../../model/bench/statistics.ts';
import { judge, outsideOf, type Standing } from '../../model/verdicts/judge.ts';
import {
  asInterval,
  type Instances,
  type LogInterval,
  pairedLogRatio,
  separateLogRatio,
  timeInterval,
} from '../../model/verdicts/levels.ts';
import type { Loaded } from './subjects.ts';

/** Plain values: they go to a thread. */
interface Times
  extends Pick<Loaded, 'times' | 'instances' | 'wholes' | 'processes' | 'rounds' | 'margin' | 'judgedWhole'>,
    Pick<Loaded, 'floor' | 'wholeFloor' | 'processFloor'> {
  readonly subject: Subject;
}

/** Time columns of a comparison row. */
interface ComparedTimes extends Pick<ComparedRow, 'time_interval' | 'ratio' | 'whole' | 'process' | 'paired'> {
  readonly speed: ComparedRow['verdict'];
}

/** Seed of the bootstrap: the same numbers every time. */
const seed = 1;

/** In the same rounds: then round i of both was taken side by side. */
function pairedWith(here: Times, reference: Times): boolean {
  return here.rounds !== null && here.rounds === reference.rounds && here.times.length === reference.times.length;
}

/** Null if a session has no instances, or too few. */
function logRatioOf(
  here: Instances | null,
  reference: Instances | null,
  { paired, contestants }: { readonly paired: boolean; readonly contestants: number },
): LogInterval | null {
  if (here === null || reference === null || here === reference) return null;
  const ratio = paired ? pairedLogRatio : separateLogRatio;
  return ratio(here, reference, outsideOf({ contestants }));
}

function ratioTo(
  here: Times,
  reference: Times,
  { paired, log }: { readonly paired: boolean; readonly log: LogInterval | null },
): ComparedRow['ratio'] {
  const ratio = asRatio(log, median(here.times) / median(reference.times));
  if (log !== null || here === reference) return ratio;
  const interval = paired ? ratioInterval : unpairedRatioInterval;
  return { ...ratio, interval: interval(here.times, reference.times, seed) };
}

/** By instances if both sessions have them, else by the bootstrap of the rounds. */
function speedOf(here: Times, reference: Times, log: LogInterval | null, ratio: ComparedRow['ratio']) {
  const floor = larger(here.floor, reference.floor);
  return log === null ? bootstrapVerdictOf(ratio.interval, floor) : standingOf(here, reference, { log, floor });
}

/** `floor` as a ratio less 1. The narrower margin of two sessions: what either calls apart is not the same. */
function standingOf(
  here: Times,
  reference: Times,
  { log, floor }: { readonly log: LogInterval; readonly floor: number | null },
): Standing {
  const criteria = { margin: Math.min(here.margin, reference.margin) };
  return judge(log, floor === null ? null : Math.log1p(floor), criteria, here.instances?.length ?? 0).standing;
}

/** Verdict of its session on end-to-end runs; undecided unless `reference` is the reference of that session. */
function judgedWholeOf({ judgedWhole, rounds }: Times, reference: Times): Standing {
  const { subject } = reference;
  const ofSession = rounds !== null && rounds === reference.rounds && subject.kind !== 'run';
  if (judgedWhole === null || !ofSession || judgedWhole.reference !== subject.label) return 'undecided';
  return judgedWhole.verdict === 'reference' ? 'undecided' : judgedWhole.verdict;
}

function wholeOf(here: Times, reference: Times, among: Parameters<typeof logRatioOf>[2]): ComparedRow['whole'] {
  if (here.wholes === null || reference.wholes === null) return null;
  if (here === reference) return { ratio: { value: 1, interval: null }, verdict: 'reference' };
  const log = logRatioOf(here.wholes, reference.wholes, among);
  if (log === null) return null;
  const floor = larger(here.wholeFloor, reference.wholeFloor);
  // Older sessions keep how they judged, and not by which floor.
  const verdict = floor === null ? judgedWholeOf(here, reference) : standingOf(here, reference, { log, floor });
  return { ratio: asRatio(log, Number.NaN), verdict };
}

function processOf(here: Times, reference: Times, among: Parameters<typeof logRatioOf>[2]): ComparedRow['process'] {
  if (here.processes === null) return null;
  const { times, reason } = here.processes;
  const against = reference.processes?.times ?? [];
  const verdict = here === reference ? 'reference' : 'undecided';
  if (times.length === 0) return { reason, time_s: null, ratio: null, verdict };
  const time_s = median(times.flat());
  if (here === reference) return { reason, time_s, ratio: { value: 1, interval: null }, verdict };
  if (against.length === 0) return { reason, time_s, ratio: null, verdict };
  const log = logRatioOf(times, against, among);
  const floor = larger(here.processFloor, reference.processFloor);
  const ratio = asRatio(log, time_s / median(against.flat()));
  return { reason, time_s, ratio, verdict: log === null ? verdict : standingOf(here, reference, { log, floor }) };
}

function timeIntervalOf({ instances, times }: Times): ComparedRow['time_interval'] {
  if (instances === null) return medianInterval(times, seed);
  const log = timeInterval(instances, outsideOf({ contestants: 1 }));
  return log === null ? null : asInterval(log);
}

/** The larger of two sessions' floors: what either could not tell, both together cannot. */
function larger(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.max(one, other);
}

function standing(here: Times, reference: Times, contestants: number): ComparedTimes {
  const paired = pairedWith(here, reference);
  const among = { paired, contestants };
  const log = logRatioOf(here.instances, reference.instances, among);
  const ratio = ratioTo(here, reference, { paired, log });
  return {
    time_interval: timeIntervalOf(here),
    ratio,
    whole: wholeOf(here, reference, among),
    process: processOf(here, reference, among),
    paired,
    speed: speedOf(here, reference, log, ratio),
  };
}

const compare = aside(
  'compare times',
  ({ all, references }: { readonly all: readonly Times[]; readonly references: readonly number[] }) =>
    all.map((here, i): ComparedTimes => {
      const against = all[references[i] ?? -1];
      if (against === undefined) throw new Error('a comparison without its reference');
      const group = references.filter((one) => one === references[i]);
      return standing(here, against, group.length - 1);
    }),
);

const timesOf = ({ row: { subject }, ...loaded }: Loaded): Times => {
  const { times, instances, wholes, processes, rounds, margin, judgedWhole, floor, wholeFloor, processFloor } = loaded;
  const floors = { floor, wholeFloor, processFloor };
  return { subject, times, instances, wholes, processes, rounds, margin, judgedWhole, ...floors };
};

/** In the order given; `references` has the index of each one's reference. */
export const comparedTimes = (
  all: readonly Loaded[],
  references: readonly number[],
): Promise<readonly ComparedTimes[]> => compare({ all: all.map(timesOf), references });
