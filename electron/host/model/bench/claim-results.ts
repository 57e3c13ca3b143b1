/** Compares published claims with the results in one report of a session. */
import { type Interval, isUnproven, type Quantity, type Ratio } from '../../../contract/bench/bench-session.ts';
import {
  type ClaimResult,
  judgeClaim,
  judgePair,
  type TaskClaimResult,
  termsOf,
} from '../../../contract/bench/claims.ts';
import {
  correctnessOf,
  isIncorrect,
  type MeasuredSessionEntry,
  type SessionReport,
} from '../../../contract/bench/session.ts';
import { asInterval, type Instances, timeInterval } from '../verdicts/levels.ts';
import { type Claim, countedBy, type Side } from './claims.ts';
import { bootstrapRatioOf, ratioOf } from './comparison.ts';
import { median, ratioInterval, unpairedRatioInterval } from './statistics.ts';

/** Times of one side of a claim's pair, in seconds. */
interface SideTimes {
  /** Times by instance; empty if the side was not measured. */
  readonly times: Instances;
  readonly wrong: boolean;
  /** True if there was no reference for its answer; such a time proves nothing. */
  readonly unchecked?: boolean;
  /** True if it was timed after the rounds, as other programs are. */
  readonly apart?: boolean;
}
type TimesLookup = (side: Side) => SideTimes;

/**
 * Number reported for a variant. `interval` is set if the variant reports the value itself, and absent if the value
 * follows from its time.
 */
interface ReportedNumber {
  readonly value: number;
  readonly unit: string;
  readonly interval?: Interval | null;
}
type NumberLookup = (variant: string, quantity: string) => ReportedNumber | null;

const notMeasured: SideTimes = { times: [], wrong: false };

/** Measurements from one report by which claims are judged. */
export interface ReportMeasurements {
  readonly timesFor: TimesLookup;
  readonly numberOf: NumberLookup;
  /** Name of the GPU; null without one. */
  readonly gpu: string | null;
  readonly seed: number;
}

/** Groups samples from a file by instance; samples without `instance` belong to a single one. */
export function recordedInstances<S extends { readonly instance?: number | undefined }>(
  samples: readonly S[],
  secondsOf: (sample: S) => number,
): Instances {
  return [...Map.groupBy(samples, ({ instance }) => instance ?? 0).values()].map((each) => each.map(secondsOf));
}

const clockNames = {
  ...{ counted: null, whole: 'end-to-end run', first: 'first run', process: 'cold process' },
  ...{ 'cold-whole': 'first run of a process', 'cold-run': 'first run of a process without set-up' },
} as const;

const nameOf = ({ variant, mode, clock }: Side): string =>
  [variant, mode === 'warm' ? null : mode, clockNames[clock]].filter((part) => part !== null).join(', ');

/** Minimum number of repetitions for an interval. With fewer, values are reported, but decide nothing. */
const MIN_REPETITIONS = 5;

const count = (times: Instances): number => times.reduce((sum, each) => sum + each.length, 0);
const hasEnoughRepetitions = (times: Instances): boolean => count(times) >= MIN_REPETITIONS;

/** Compares by instances if there are at least two, else by the bootstrap of the rounds. */
export function gainOf(slow: SideTimes, fast: SideTimes, seed: number): Ratio | null {
  const [own, other] = [slow.times, fast.times];
  if (count(own) === 0 || count(other) === 0) return null;
  const found = ((): Ratio => {
    if (slow.apart === true || fast.apart === true) {
      const [a, b] = [own.flat(), other.flat()];
      return { value: median(a) / median(b), interval: unpairedRatioInterval(a, b, seed) };
    }
    return own.length > 1 && other.length > 1 ? ratioOf(own, other) : bootstrapRatioOf(own.flat(), other.flat(), seed);
  })();
  return hasEnoughRepetitions(own) && hasEnoughRepetitions(other) ? found : { ...found, interval: null };
}

/** Interval of a variant's time, relative to its value; null for too few repetitions. */
function relativeInterval({ times }: SideTimes, seed: number): Interval | null {
  if (!hasEnoughRepetitions(times)) return null;
  const log = timeInterval(times, 0.05);
  if (log !== null) return asInterval({ middle: 0, half: log.half });
  const all = times.flat();
  const found = ratioInterval(
    all,
    all.map(() => median(all)),
    seed,
  );
  return found;
}

/** Ratio computed from sizes alone, so its interval has zero width. */
export function countedRatio({ formula }: Claim['counted'][number]): Ratio {
  const value = countedBy(formula);
  return { value, interval: { low: value, high: value } };
}

/**
 * Reported value of a variant. Its interval comes from the variant's instances, or from the time from which the value
 * follows.
 */
export function statedValue(
  { variant, quantity, over }: Claim['values'][number],
  { numberOf, timesFor, seed }: ReportMeasurements,
): { readonly found: Ratio | null; readonly unit: string } {
  const side = (id: string): Side => ({ variant: id, mode: 'warm', clock: 'counted' });
  const own = numberOf(variant, quantity);
  if (own === null) return { found: null, unit: '' };
  const intervalOf = (id: string, { value, interval }: ReportedNumber): Interval | null => {
    if (interval !== undefined) return interval;
    const by = relativeInterval(timesFor(side(id)), seed);
    return by && { low: value * by.low, high: value * by.high };
  };
  const width = intervalOf(variant, own);
  if (over === undefined) return { found: { value: own.value, interval: width }, unit: own.unit };
  const other = numberOf(over, quantity);
  if (other === null || other.value === 0) return { found: null, unit: '×' };
  const against = intervalOf(over, other);
  // A ratio has no interval if its divisor may be zero.
  const known = width !== null && against !== null && width.low > 0 && against.low > 0;
  const interval = known ? { low: width.low / against.high, high: width.high / against.low } : null;
  return { found: { value: own.value / other.value, interval }, unit: '×' };
}

/** Whether a GPU is a consumer GPU: claims about these do not apply to data-centre GPUs. */
const isConsumer = (gpu: string): boolean =>
  /geforce|\brtx\b|titan/i.test(gpu) && !/rtx (a|pro )?\d{4} ada|quadro/i.test(gpu);

/** Requirement for measuring a claim that cannot be judged here; undefined if it can. */
export function unmetRequirement({ needs, gpus }: Claim, gpu: string | null): string | undefined {
  if (needs !== undefined) return needs;
  return gpus === 'consumer' && (gpu === null || !isConsumer(gpu))
    ? 'a consumer GPU, which the claim is about'
    : undefined;
}

/** Fields of a claim that are copied into its results. */
function statedBy(claim: Claim, gpu: string | null) {
  const { id, claim: words, from, to, tolerance, source, reason, priority } = claim;
  const needs = unmetRequirement(claim, gpu);
  return {
    ...{ id, claim: words, from, to, source, reason },
    ...(priority === undefined ? {} : { priority }),
    ...(tolerance === undefined ? {} : { tolerance }),
    ...(needs === undefined ? {} : { needs }),
  };
}

export function claimResults(claims: readonly Claim[], measured: ReportMeasurements): ClaimResult[] {
  const { timesFor, gpu, seed } = measured;
  return claims.map((claim) => {
    const stated = statedBy(claim, gpu);
    return {
      ...stated,
      pairs: claim.pairs.map(({ slower, faster, what, rival }) => {
        const [slow, fast] = [timesFor(slower), timesFor(faster)];
        // Gain: the time of the slower side divided by that of the faster side.
        const gain = gainOf(slow, fast, seed);
        const sides = [
          { variant: slower.variant, ...slow },
          { variant: faster.variant, ...fast },
        ];
        const namesOf = (all: typeof sides): string[] => [...new Set(all.map(({ variant }) => variant))];
        const wrong = namesOf(sides.filter((side) => side.wrong));
        const unchecked = namesOf(sides.filter((side) => side.unchecked === true && !side.wrong));
        const pair = {
          ...{ slower: nameOf(slower), faster: nameOf(faster), what, gain },
          ...(rival && { rival }),
          ...(gain === null || wrong.length === 0 ? {} : { wrong }),
          ...(gain === null || unchecked.length === 0 ? {} : { unchecked }),
        };
        return { ...pair, verdict: judgePair(pair, stated) };
      }),
    };
  });
}

/** Results of claims, including the numbers that variants report. */
export function taskClaimResults(claims: readonly Claim[], measured: ReportMeasurements): TaskClaimResult[] {
  return claims.flatMap((claim) =>
    claimResults([claim], measured).map((result) => ({
      ...result,
      values: [
        ...claim.values.map((each) => {
          const { found, unit } = statedValue(each, measured);
          const { variant, over, what } = each;
          const name = over === undefined ? variant : `${variant} over ${over}`;
          return {
            variant: name,
            what,
            value: found?.value ?? null,
            unit,
            verdict: judgeClaim(found, termsOf(result, each.rival)),
          };
        }),
        ...claim.counted.map((each) => {
          const found = countedRatio(each);
          const { by, what, unit } = each;
          return { variant: by, what, value: found.value, unit, verdict: judgeClaim(found, result) };
        }),
      ],
    })),
  );
}

type JudgedReport = Pick<SessionReport, 'entries' | 'external' | 'machine' | 'seed'>;

function measuredEntryOf({ entries }: JudgedReport, label: string): MeasuredSessionEntry | null {
  // Labels of a factorial session always contain the precision; claims contain it only if it is not fp32.
  const entry = [label, `${label}@fp32`].flatMap((name) => entries.find((one) => one.label === name) ?? [])[0];
  return entry?.status === 'measured' ? entry : null;
}

/**
 * Whether an answer beyond our tolerance is still within the tolerance of the claim's source. Impossible times are
 * never accepted.
 */
const isWithin = ({ verdict, accuracy }: MeasuredSessionEntry, within: Side['within']): boolean => {
  const error = accuracy.find(({ id }) => id === within?.error)?.value ?? null;
  return verdict === 'wrong' && within !== undefined && error !== null && error <= within.most;
};

/** Looks up times by the labels of entries and the ids of other programs. */
function reportTimes(report: JudgedReport): TimesLookup {
  return ({ variant, mode, clock, within }) => {
    const program = report.external.find(({ id }) => id === variant)?.result ?? null;
    if (program !== null) {
      const counted = mode === 'warm' && clock === 'counted';
      const unchecked = correctnessOf(program.accuracy) === 'not checked';
      return counted ? { times: [program.times], wrong: program.wrong, unchecked, apart: true } : notMeasured;
    }
    const entry = measuredEntryOf(report, variant);
    if (entry === null) return notMeasured;
    const wrong = isIncorrect(entry.verdict) && !isWithin(entry, within);
    const unchecked = entry.verdict === 'not checked';
    const cold = entry.process?.samples ?? [];
    const first = entry.first?.wall_s ?? null;
    if (clock === 'first') return first === null ? notMeasured : { times: [[first]], wrong, unchecked };
    // Processes and warm runs are not in the same rounds.
    if (clock === 'cold-whole' || clock === 'cold-run') {
      const times = cold.flatMap(({ wall_s, setup_s }) =>
        wall_s === undefined ? [] : [[clock === 'cold-run' ? wall_s - (setup_s ?? 0) : wall_s]],
      );
      return { times, wrong, unchecked, apart: true };
    }
    if (clock === 'process') return { times: cold.map(({ time_s }) => [time_s]), wrong, unchecked, apart: true };
    const samples = mode === 'warm' ? entry.samples : (entry.modes.find((one) => one.mode === mode)?.samples ?? []);
    if (clock === 'counted') return { times: recordedInstances(samples, ({ time_s }) => time_s), wrong, unchecked };
    const whole = samples.flatMap(({ wall_s, ...sample }) => (wall_s === undefined ? [] : [{ ...sample, wall_s }]));
    return { times: recordedInstances(whole, ({ wall_s }) => wall_s), wrong, unchecked };
  };
}

interface DeclaredRates {
  readonly time_s: number;
  readonly bytes_per_s: number | null;
  readonly flops_per_s: number | null;
  readonly share_of_copy: number | null;
}
const noRoofline = { bytes_per_s: null, flops_per_s: null, share_of_copy: null };

/** Quantity derived from a variant's time and its declared operations and bytes; undefined for other quantities. */
function countedNumber(
  { time_s, bytes_per_s, flops_per_s, share_of_copy }: DeclaredRates,
  quantity: string,
): ReturnType<ReportMeasurements['numberOf']> | undefined {
  const shown = (value: number | null, unit: string) => (value === null ? null : { value, unit });
  const giga = (value: number | null) => (value === null ? null : value / 1e9);
  switch (quantity) {
    case 'time':
      return { value: time_s, unit: 's' };
    case 'traffic':
      return shown(giga(bytes_per_s), 'GB/s');
    case 'rate':
      return shown(giga(flops_per_s), 'GFLOP/s');
    case 'operations':
      return shown(giga(flops_per_s === null ? null : flops_per_s * time_s), 'GFLOP');
    // Share of the time that moving every byte once would need at the copy bandwidth measured on this GPU.
    case 'memory-share':
      return shown(share_of_copy === null ? null : 100 * share_of_copy, '%');
    default:
      return undefined;
  }
}

/**
 * Values reported by the variant take precedence, because a bandwidth counts bytes, and is independent of the declared
 * operations.
 */
function reportedOrCounted(
  quantities: readonly Quantity[],
  declared: DeclaredRates,
  quantity: string,
): ReturnType<ReportMeasurements['numberOf']> {
  const told = quantities.find(({ id }) => id === quantity);
  if (told === undefined) return countedNumber(declared, quantity) ?? null;
  const { value, unit, interval = null } = told;
  return value === null ? null : { value, unit, interval };
}

/** An answer that is bitwise reproducible has an exact error, so its interval has zero width. */
function errorOf({ accuracy, determinism }: MeasuredSessionEntry, id: string): ReportedNumber | null {
  const value = accuracy.find((one) => one.id === id)?.value ?? null;
  if (value === null) return null;
  return { value, unit: '', interval: determinism?.bitwise === false ? null : { low: value, high: value } };
}

/** Share of the set-up in the first run of a process, in %; null if the set-up is not timed. */
function setupShare({ process }: MeasuredSessionEntry, seed: number): ReportedNumber | null {
  const shares = (process?.samples ?? []).flatMap(({ setup_s, wall_s }) =>
    setup_s == null || wall_s === undefined || wall_s === 0 ? [] : [(100 * setup_s) / wall_s],
  );
  if (shares.length === 0) return null;
  const value = median(shares);
  const by = relativeInterval({ times: shares.map((share) => [share]), wrong: false }, seed);
  return { value, unit: '%', interval: by && { low: value * by.low, high: value * by.high } };
}

/** Measurements of a report in the form by which claims are judged. */
export function measuredReport(report: JudgedReport): ReportMeasurements {
  return {
    gpu: report.machine.gpu?.name ?? null,
    seed: report.seed,
    timesFor: reportTimes(report),
    numberOf: (variant, quantity) => {
      const entry = measuredEntryOf(report, variant);
      if (entry === null) return null;
      const error = /^error\.(.+)$/.exec(quantity)?.[1];
      // An error is reported even if it makes the answer wrong.
      if (error !== undefined) return errorOf(entry, error);
      if (isUnproven(entry.verdict)) return null;
      if (quantity === 'setup-share') return setupShare(entry, report.seed);
      return reportedOrCounted(entry.quantities, { time_s: entry.time_s, ...(entry.roofline ?? noRoofline) }, quantity);
    },
  };
}

export const sessionClaims = (claims: readonly Claim[], report: JudgedReport): TaskClaimResult[] =>
  taskClaimResults(claims, measuredReport(report));
