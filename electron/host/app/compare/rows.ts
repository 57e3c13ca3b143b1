/** One row per subject: its numbers, and how it stands to the reference. */
import type { ComparedRow } from '../../../contract/bench/comparison.ts';
import { verdictOf } from '../../../contract/bench/recorded/speed-verdict.ts';
import { type Accuracy, isRight } from '../../../contract/bench/session.ts';
import { BraggError } from '../../../contract/errors.ts';
import { asRatio } from '../../model/bench/comparison.ts';
import { median, medianInterval, ratioInterval, unpairedRatioInterval } from '../../model/bench/statistics.ts';
import { sameGrid } from '../../model/fields/field.ts';
import { judge, outsideOf, type Standing } from '../../model/verdicts/judge.ts';
import {
  asInterval,
  type Instances,
  type LogInterval,
  pairedLogRatio,
  separateLogRatio,
  timeInterval,
} from '../../model/verdicts/levels.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import { scenarioDifferences } from './compare.ts';
import type { Loaded, OwnRow } from './subjects.ts';

/** Seed of the bootstrap: the same numbers every time. */
const seed = 1;

/** In the same rounds: then round i of both was taken side by side. */
function pairedWith(here: Loaded, reference: Loaded): boolean {
  return here.rounds !== null && here.rounds === reference.rounds && here.times.length === reference.times.length;
}

/** Null where a session tells nothing of instances, or has too few. */
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
  here: Loaded,
  reference: Loaded,
  { paired, log }: { readonly paired: boolean; readonly log: LogInterval | null },
): ComparedRow['ratio'] {
  const ratio = asRatio(log, median(here.times) / median(reference.times));
  if (log !== null || here === reference) return ratio;
  const interval = paired ? ratioInterval : unpairedRatioInterval;
  return { ...ratio, interval: interval(here.times, reference.times, seed) };
}

/** By instances where both tell of them; else by the bootstrap of the rounds, as older sessions were judged. */
function speedOf(here: Loaded, reference: Loaded, log: LogInterval | null, ratio: ComparedRow['ratio']) {
  const floor = larger(here.floor, reference.floor);
  return log === null ? verdictOf(ratio.interval, floor) : standingOf(here, reference, { log, floor });
}

/** `floor` as a ratio less 1. The narrower margin of two sessions: what either calls apart is not the same. */
function standingOf(
  here: Loaded,
  reference: Loaded,
  { log, floor }: { readonly log: LogInterval; readonly floor: number | null },
): Standing {
  const criteria = { margin: Math.min(here.margin, reference.margin) };
  return judge(log, floor === null ? null : Math.log1p(floor), criteria, here.instances?.length ?? 0).standing;
}

/** What its session said of whole runs, where it is the reference of that session that both are compared with. */
function judgedWholeOf({ judgedWhole, rounds }: Loaded, reference: Loaded): Standing {
  const { subject } = reference.row;
  const ofSession = rounds !== null && rounds === reference.rounds && subject.kind !== 'run';
  if (judgedWhole === null || !ofSession || judgedWhole.reference !== subject.label) return 'undecided';
  return judgedWhole.verdict === 'reference' ? 'undecided' : judgedWhole.verdict;
}

function wholeOf(here: Loaded, reference: Loaded, among: Parameters<typeof logRatioOf>[2]): ComparedRow['whole'] {
  if (here.wholes === null || reference.wholes === null) return null;
  if (here === reference) return { ratio: { value: 1, interval: null }, verdict: 'reference' };
  const log = logRatioOf(here.wholes, reference.wholes, among);
  if (log === null) return null;
  const floor = larger(here.wholeFloor, reference.wholeFloor);
  // Older sessions keep how they judged, and not by which floor.
  const verdict = floor === null ? judgedWholeOf(here, reference) : standingOf(here, reference, { log, floor });
  return { ratio: asRatio(log, Number.NaN), verdict };
}

function timeIntervalOf({ instances, times }: Loaded): ComparedRow['time_interval'] {
  if (instances === null) return medianInterval(times, seed);
  const log = timeInterval(instances, outsideOf({ contestants: 1 }));
  return log === null ? null : asInterval(log);
}

/** The larger of two sessions' floors: what either could not tell, both together cannot. */
function larger(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.max(one, other);
}

/** Values of the scenario that are about how it is solved, not what. */
const howSolved = /^(solver\.(variant|precision|threads|device)|output|name|notes)(\.|$)/;

/** Both answers are of one problem: then what they differ by is an error. */
function sameProblem(here: Loaded, reference: Loaded): boolean {
  if (here.document === null || reference.document === null || reference.held) return false;
  return scenarioDifferences(reference.document, here.document).every(({ what }) => howSolved.test(what));
}

function accuracyOf(here: Loaded, reference: Loaded): readonly Accuracy[] {
  const { compared } = hostWorkloads[here.row.workload];
  const own = here.row.accuracy;
  if (here.held || here === reference || compared.kind === 'sessions') return own;
  if (here.field === null || reference.field === null || !sameGrid(here.field, reference.field)) return own;
  const answerOf = ({ field, row }: Loaded) => (field === null ? null : { field, precision: row.precision });
  const [a, b] = [answerOf(here), answerOf(reference)];
  return a === null || b === null ? own : [...compared.against(a, b, sameProblem(here, reference)), ...own];
}

function differencesOf(here: Loaded, reference: Loaded): ComparedRow['differences'] {
  const [a, b] = [reference.environment, here.environment];
  const machine = Object.keys(b).flatMap((what) =>
    a[what] === undefined || a[what] === b[what] ? [] : [{ what, reference: a[what], here: b[what] ?? '' }],
  );
  const kinds = here.row.subject.kind !== reference.row.subject.kind;
  if (here.document === null || reference.document === null || kinds) return machine;
  const scenario = scenarioDifferences(reference.document, here.document);
  return [...machine, ...scenario.map(({ what, first, here: value }) => ({ what, reference: first, here: value }))];
}

function sameSession({ subject: a }: OwnRow, { subject: b }: OwnRow): boolean {
  return a.kind !== 'run' && b.kind !== 'run' && a.bench === b.bench && a.report === b.report;
}

const anotherSize = (own: OwnRow, reference: OwnRow): boolean =>
  own.size !== null && reference.size !== null && own.size !== reference.size;

function noteOf(here: Loaded, reference: Loaded, ratio: ComparedRow['ratio'], paired: boolean): string | null {
  const [own, other] = [here.row, reference.row];
  if (own === other) return null;
  if (own.bench !== other.bench) return `another benchmark, ${own.bench}: the times do not compare`;
  if (anotherSize(own, other)) {
    const sizes = `${own.size} ${here.words.size} here, ${other.size} there`;
    return `another size than the reference (${sizes}): the times do not compare`;
  }
  if (own.scenario !== other.scenario) return `another scenario: ${own.scenario}`;
  if (ratio.interval === null) return 'too few samples for an interval';
  if (paired) return null;
  // In one session CPU and GPU are of one machine.
  if (!sameSession(own, other) && own.provenance.machine !== other.provenance.machine) {
    return `on another machine: ${own.provenance.machine}`;
  }
  return sameSession(own, other)
    ? 'timed after the rounds and not in them: drifts of the machine do not cancel'
    : 'of another session: drifts of the machine do not cancel';
}

/** Throws BraggError `unsupported`, with what each is of, where there are several workloads. */
function checkOneWorkload(all: readonly Loaded[]): void {
  const byWorkload = Map.groupBy(all, ({ row }) => row.workload);
  if (byWorkload.size < 2) return;
  const each = [...byWorkload].map(([workload, list]) => `${list[0]?.row.origin} of ${workload}`);
  throw new BraggError('unsupported', `A comparison is of one workload, and these are of several: ${each.join(', ')}.`);
}

/** Rows in the order given; `reference` is one of `all`. */
export function comparedRows(all: readonly Loaded[], reference: Loaded): ComparedRow[] {
  checkOneWorkload(all);
  return all.map((here) => {
    const paired = pairedWith(here, reference);
    const among = { paired, contestants: all.length - 1 };
    const log = logRatioOf(here.instances, reference.instances, among);
    const ratio = ratioTo(here, reference, { paired, log });
    const accuracy = accuracyOf(here, reference);
    const unlike = here.row.bench !== reference.row.bench || anotherSize(here.row, reference.row);
    const speed = unlike ? 'undecided' : speedOf(here, reference, log, ratio);
    return {
      ...here.row,
      time_interval: timeIntervalOf(here),
      has_map: here.field !== null,
      has_curve: here.field?.curve != null,
      accuracy: [...accuracy],
      ratio,
      whole: unlike ? null : wholeOf(here, reference, among),
      paired,
      verdict: here.wrong || !isRight(accuracy) ? 'wrong' : here === reference ? 'reference' : speed,
      note: noteOf(here, reference, ratio, paired),
      differences: here === reference ? [] : differencesOf(here, reference),
    };
  });
}
