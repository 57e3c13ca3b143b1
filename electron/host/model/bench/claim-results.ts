/** Judges published claims by the measurements in a session's report. */
import type { Interval, Ratio } from '../../../contract/bench/bench-session.ts';
import {
  type ClaimResult,
  judgeClaim,
  judgePair,
  type TaskClaimResult,
  termsForMeasurement,
} from '../../../contract/bench/claims.ts';
import { type Instances, timeInterval, toInterval } from '../verdicts/levels.ts';
import { type Claim, type ClaimSide, evaluateFormula } from './claims.ts';
import { bootstrapRatio, pairedRatio } from './comparison.ts';
import { median, ratioInterval, unpairedRatioInterval } from './statistics.ts';

/** Times, in seconds, of one of the two variants that a claim compares. */
interface SideTimes {
  /** Times of each instance (prepared state); empty if the variant was not measured. */
  readonly times: Instances;
  readonly wrong: boolean;
  /** True if the answer was not checked, because there was no reference; its time then proves nothing. */
  readonly unchecked?: boolean;
  /** True if it was timed after the rounds instead of in them, as other programs are. */
  readonly afterRounds?: boolean;
}
export type TimesLookup = (side: ClaimSide) => SideTimes;

/**
 * A number about a variant. `interval` is set if the variant reports the number itself; it is absent if the number is
 * computed from its time.
 */
export interface ReportedNumber {
  readonly value: number;
  readonly unit: string;
  readonly interval?: Interval | null;
}
type NumberLookup = (variant: string, quantity: string) => ReportedNumber | null;

export const NO_TIMES: SideTimes = { times: [], wrong: false };

/** Measurements in a report, in the form that judging claims needs. */
export interface ReportMeasurements {
  readonly timesFor: TimesLookup;
  readonly numberOf: NumberLookup;
  /** Name of the GPU; null if the machine has none. */
  readonly gpu: string | null;
  readonly seed: number;
}

/** Groups recorded samples by instance. Samples of old files without `instance` form a single group. */
export function recordedInstances<S extends { readonly instance?: number | undefined }>(
  samples: readonly S[],
  secondsOf: (sample: S) => number,
): Instances {
  return [...Map.groupBy(samples, ({ instance }) => instance ?? 0).values()].map((each) => each.map(secondsOf));
}

const clockTitles = {
  ...{ counted: null, whole: 'end-to-end run', first: 'first run', process: 'cold process' },
  ...{ 'cold-whole': 'first run of a process', 'cold-run': 'first run of a process without set-up' },
} as const;

const sideTitle = ({ variant, mode, clock }: ClaimSide): string =>
  [variant, mode === 'warm' ? null : mode, clockTitles[clock]].filter((part) => part !== null).join(', ');

/** Minimum number of repetitions for an interval. With fewer, the value is shown but decides no claim. */
const MIN_REPETITIONS = 5;

const countRepetitions = (times: Instances): number => times.reduce((sum, each) => sum + each.length, 0);
const hasEnoughRepetitions = (times: Instances): boolean => countRepetitions(times) >= MIN_REPETITIONS;

/**
 * Ratio of the slower to the faster time. Its interval is from the variation between instances, or from a bootstrap of
 * the rounds if there is only one instance.
 */
export function gainBetween(slow: SideTimes, fast: SideTimes, seed: number): Ratio | null {
  const [own, other] = [slow.times, fast.times];
  if (countRepetitions(own) === 0 || countRepetitions(other) === 0) return null;
  const found = ((): Ratio => {
    if (slow.afterRounds === true || fast.afterRounds === true) {
      const [a, b] = [own.flat(), other.flat()];
      return { value: median(a) / median(b), interval: unpairedRatioInterval(a, b, seed) };
    }
    return own.length > 1 && other.length > 1
      ? pairedRatio(own, other)
      : bootstrapRatio(own.flat(), other.flat(), seed);
  })();
  return hasEnoughRepetitions(own) && hasEnoughRepetitions(other) ? found : { ...found, interval: null };
}

/** Interval of a variant's time, divided by the time; null for too few repetitions. */
export function relativeTimeInterval({ times }: SideTimes, seed: number): Interval | null {
  if (!hasEnoughRepetitions(times)) return null;
  const log = timeInterval(times, 0.05);
  if (log !== null) return toInterval({ middle: 0, half: log.half });
  const all = times.flat();
  const found = ratioInterval(
    all,
    all.map(() => median(all)),
    seed,
  );
  return found;
}

/** Ratio that follows from problem sizes alone, so that its interval has zero width. */
export function exactRatio({ formula }: Claim['counted'][number]): Ratio {
  const value = evaluateFormula(formula);
  return { value, interval: { low: value, high: value } };
}

/**
 * Number about a variant to which a claim refers. Its interval is that of the reported number, or of the time from
 * which it is computed.
 */
export function quantityValue(
  { variant, quantity, over }: Claim['values'][number],
  { numberOf, timesFor, seed }: ReportMeasurements,
): { readonly found: Ratio | null; readonly unit: string } {
  const side = (id: string): ClaimSide => ({ variant: id, mode: 'warm', clock: 'counted' });
  const own = numberOf(variant, quantity);
  if (own === null) return { found: null, unit: '' };
  const intervalOf = (id: string, { value, interval }: ReportedNumber): Interval | null => {
    if (interval !== undefined) return interval;
    const by = relativeTimeInterval(timesFor(side(id)), seed);
    return by && { low: value * by.low, high: value * by.high };
  };
  const width = intervalOf(variant, own);
  if (over === undefined) return { found: { value: own.value, interval: width }, unit: own.unit };
  const other = numberOf(over, quantity);
  if (other === null || other.value === 0) return { found: null, unit: '×' };
  const against = intervalOf(over, other);
  // If the interval of the divisor contains zero, the ratio has no interval.
  const known = width !== null && against !== null && width.low > 0 && against.low > 0;
  const interval = known ? { low: width.low / against.high, high: width.high / against.low } : null;
  return { found: { value: own.value / other.value, interval }, unit: '×' };
}

/** Whether a GPU is a consumer GPU. Claims about consumer GPUs do not apply to data-centre GPUs. */
const isConsumerGpu = (gpu: string): boolean =>
  /geforce|\brtx\b|titan/i.test(gpu) && !/rtx (a|pro )?\d{4} ada|quadro/i.test(gpu);

/** Requirement of a claim that this machine does not meet, so that the claim cannot be judged; undefined if none. */
export function unmetRequirement({ needs, gpus }: Claim, gpu: string | null): string | undefined {
  if (needs !== undefined) return needs;
  return gpus === 'consumer' && (gpu === null || !isConsumerGpu(gpu))
    ? 'a consumer GPU, which the claim is about'
    : undefined;
}

/** Fields of a claim that its result repeats. */
function copyClaimFields(claim: Claim, gpu: string | null) {
  const { id, claim: words, from, to, tolerance, source, reason, priority } = claim;
  const needs = unmetRequirement(claim, gpu);
  return {
    ...{ id, claim: words, from, to, source, reason },
    ...(priority === undefined ? {} : { priority }),
    ...(tolerance === undefined ? {} : { tolerance }),
    ...(needs === undefined ? {} : { needs }),
  };
}

export function judgeClaims(claims: readonly Claim[], measured: ReportMeasurements): ClaimResult[] {
  const { timesFor, gpu, seed } = measured;
  return claims.map((claim) => {
    const stated = copyClaimFields(claim, gpu);
    return {
      ...stated,
      pairs: claim.pairs.map(({ slower, faster, what, rival }) => {
        const [slow, fast] = [timesFor(slower), timesFor(faster)];
        // The gain is the time of the slower variant divided by that of the faster variant.
        const gain = gainBetween(slow, fast, seed);
        const sides = [
          { variant: slower.variant, ...slow },
          { variant: faster.variant, ...fast },
        ];
        const namesOf = (all: typeof sides): string[] => [...new Set(all.map(({ variant }) => variant))];
        const wrong = namesOf(sides.filter((side) => side.wrong));
        const unchecked = namesOf(sides.filter((side) => side.unchecked === true && !side.wrong));
        const pair = {
          ...{ slower: sideTitle(slower), faster: sideTitle(faster), what, gain },
          ...(rival && { rival }),
          ...(gain === null || wrong.length === 0 ? {} : { wrong }),
          ...(gain === null || unchecked.length === 0 ? {} : { unchecked }),
        };
        return { ...pair, verdict: judgePair(pair, stated) };
      }),
    };
  });
}

/** Results of claims, with the numbers that variants report about themselves. */
export function judgeTaskClaims(claims: readonly Claim[], measured: ReportMeasurements): TaskClaimResult[] {
  return claims.flatMap((claim) =>
    judgeClaims([claim], measured).map((result) => ({
      ...result,
      values: [
        ...claim.values.map((each) => {
          const { found, unit } = quantityValue(each, measured);
          const { variant, over, what } = each;
          const name = over === undefined ? variant : `${variant} over ${over}`;
          return {
            variant: name,
            what,
            value: found?.value ?? null,
            unit,
            verdict: judgeClaim(found, termsForMeasurement(result, each.rival)),
          };
        }),
        ...claim.counted.map((each) => {
          const found = exactRatio(each);
          const { by, what, unit } = each;
          return { variant: by, what, value: found.value, unit, verdict: judgeClaim(found, result) };
        }),
      ],
    })),
  );
}
