/** Compares one candidate's times with the others': the part of a report shared by all workloads. */
import type { Mode, Ratio } from '../../../contract/bench/bench-session.ts';
import type { Interval } from '../../../contract/bench/interval.ts';
import { judge, noiseFloorOf, outsideOf, type Standing } from '../verdicts/judge.ts';
import { asInterval, type Instances, type LogInterval, pairedLogRatio } from '../verdicts/levels.ts';
import { type Clocked, flagSeries, highestOf } from './flags.ts';
import { median, ratioInterval, relativeSpread } from './statistics.ts';

/** Fields that samples of all workloads have. */
export interface Marked {
  readonly clocks: Clocked;
  /** Which separately prepared state it is of. */
  readonly instance: number;
}

/** Seconds by instance, in the order of the rounds. */
export function instancesOf<S extends Pick<Marked, 'instance'>>(
  samples: readonly S[],
  timeOf: (sample: S) => number,
): Instances {
  return [...Map.groupBy(samples, ({ instance }) => instance).values()].map((each) => each.map(timeOf));
}

/** Samples of a candidate in one mode. */
export interface Series<S> {
  readonly mode: Mode;
  readonly samples: S[];
  /** Why this mode cannot be measured; null when it can. */
  readonly reason: string | null;
}

export interface Ranked<S> {
  readonly label: string;
  /** The label that it builds on. */
  readonly buildsOn: string | null;
  /** From before the rounds: all there is of a session that was cancelled before the first was whole. */
  readonly first: S;
  readonly warm: Series<S>;
  readonly others: readonly Series<S>[];
}

export interface Basis<S> {
  /** Candidate that the others are compared with. */
  readonly reference: Ranked<S> | undefined;
  readonly all: readonly Ranked<S>[];
  /** The control's floor, on the natural logarithm. */
  readonly floor: number | null;
  /** Differences within this, as a ratio less 1, do not matter. */
  readonly margin: number;
  /** The seconds that a sample counts with. */
  readonly timeOf: (sample: S) => number;
}

interface ComparedMode<S> {
  readonly mode: Mode;
  readonly reason: string | null;
  readonly time_s: number | null;
  readonly spread: number | null;
  /** Relative to the same candidate's warm time. */
  readonly ratio: Ratio | null;
  readonly samples: readonly Flagged<S>[];
}

export interface Flagged<S> {
  readonly raw: S;
  readonly flag: string | null;
}

interface Comparison<S> {
  /** Warm ones, or the first alone. */
  readonly raw: readonly S[];
  readonly time_s: number;
  readonly spread: number;
  readonly ratio: Ratio;
  readonly ratio_unflagged: Ratio | null;
  readonly flagged: number;
  /** Verdict on speed alone. */
  readonly verdict: Standing | 'reference';
  readonly instances_to_decide: number | null;
  readonly rung: Ratio | null;
  readonly cumulative: Ratio | null;
  readonly modes: readonly ComparedMode<S>[];
  readonly samples: readonly Flagged<S>[];
}

const flat = (times: Instances): readonly number[] => times.flat();

/** A ratio as files and people take it; of `medians` where there are too few instances for an interval. */
export function asRatio(log: LogInterval | null, medians: number): Ratio {
  return log === null ? { value: medians, interval: null } : { value: Math.exp(log.middle), interval: asInterval(log) };
}

/** Compares two series taken in the same rounds; intervals hold for all `contestants` at once. */
export function ratioOf(times: Instances, references: Instances, contestants = 1): Ratio {
  const log = pairedLogRatio(times, references, outsideOf({ contestants }));
  return asRatio(log, median(flat(times)) / median(flat(references)));
}

/** The same of a session without instances: ratio of medians, bootstrap interval. */
export function bootstrapRatioOf(times: readonly number[], references: readonly number[], seed: number): Ratio {
  return { value: median(times) / median(references), interval: ratioInterval(times, references, seed) };
}

/** However noisy a session is, two times that may differ by more than this are never called the same. */
const WIDEST_SAME = 0.05;

/** The verdict on a bootstrap interval of time over the reference's time. The floor, a ratio less 1, counts to either side. */
export function bootstrapVerdictOf(ratio: Interval | null, floor: number | null): Standing {
  if (ratio === null || floor === null) return 'undecided';
  if (ratio.high < 1 / (1 + floor)) return 'faster';
  if (ratio.low > 1 + floor) return 'slower';
  const same = Math.min(floor, WIDEST_SAME);
  return ratio.low >= 1 - same && ratio.high <= 1 + same ? 'same' : 'undecided';
}

/** Noise of a session from its control: ratio to the reference, and the floor on the natural logarithm. */
export function noiseOf(control: Instances, reference: Instances) {
  return { ratio: ratioOf(control, reference), floor: noiseFloorOf(control, reference) };
}

/** As files and people take a floor: a ratio less 1. */
export const floorAsRatio = (floor: number | null): number | null => (floor === null ? null : Math.expm1(floor));

const allSamples = <S>(all: readonly Ranked<S>[]): readonly S[] =>
  all.flatMap(({ warm, others }) => [warm, ...others].flatMap(({ samples }) => samples));

/** Chain of candidates that this one builds on, itself first. */
function chain<S>(own: Ranked<S>, all: readonly Ranked<S>[]): readonly Ranked<S>[] {
  const links = [own];
  for (;;) {
    const top = links.at(-1);
    const base = all.find(({ label }) => label === top?.buildsOn);
    if (base === undefined || links.includes(base)) return links;
    links.push(base);
  }
}

export function compareTimes<S extends Marked>(own: Ranked<S>, basis: Basis<S>): Comparison<S> {
  const { reference, all, floor, margin, timeOf } = basis;
  const contestants = Math.max(1, all.length - 1);
  const levels = (of: readonly S[]): Instances => instancesOf(of, timeOf);
  const highest_MHz = highestOf(allSamples(all));
  const flagged = (samples: readonly S[]): readonly Flagged<S>[] => flagSeries(samples, { highest_MHz, timeOf });
  const whole = own.warm.samples.length > 0;
  const raw = whole ? own.warm.samples : [own.first];
  const times = raw.map(timeOf);
  const againstRaw = whole ? (reference?.warm.samples ?? []) : reference ? [reference.first] : [];
  const log = pairedLogRatio(levels(raw), levels(againstRaw), outsideOf({ contestants }));
  const ratio = asRatio(log, median(times) / median(againstRaw.map(timeOf)));
  const { standing, instancesToDecide } = judge(log, floor, { margin }, levels(raw).length);
  const [samples, against] = [flagged(own.warm.samples), flagged(reference?.warm.samples ?? [])];
  const links = chain(own, all);
  const [base, root] = [links[1], links.at(-1)];
  const over = (other: Ranked<S> | undefined): Ratio | null =>
    other === undefined || other === own || !whole
      ? null
      : ratioOf(levels(raw), levels(other.warm.samples), contestants);

  const unflagged = (): Ratio | null => {
    const clean = samples.map(({ flag }, i) => flag === null && against[i]?.flag === null);
    if (clean.every(Boolean) || !clean.some(Boolean)) return null;
    const keep = (each: readonly Flagged<S>[]): Instances =>
      levels(each.filter((_, i) => clean[i]).map((one) => one.raw));
    return ratioOf(keep(samples), keep(against), contestants);
  };

  const mode = (series: Series<S>): ComparedMode<S> => {
    const own_s = series.samples.map(timeOf);
    const common = { mode: series.mode, samples: flagged(series.samples) };
    if (own_s.length === 0) {
      const reason = series.reason ?? 'the session ended before a round was whole';
      return { ...common, reason, time_s: null, spread: null, ratio: null };
    }
    return {
      ...common,
      reason: null,
      time_s: median(own_s),
      spread: relativeSpread(own_s),
      ratio: ratioOf(levels(series.samples), levels(raw), contestants),
    };
  };

  return {
    raw,
    time_s: median(times),
    spread: relativeSpread(times),
    ratio,
    ratio_unflagged: unflagged(),
    flagged: samples.filter(({ flag }) => flag !== null).length,
    verdict: own.label === reference?.label ? 'reference' : standing,
    instances_to_decide: own.label === reference?.label ? null : instancesToDecide,
    rung: over(base),
    cumulative: over(root),
    modes: own.others.map(mode),
    samples,
  };
}
