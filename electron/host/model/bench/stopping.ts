/** Rule that ends a benchmark, and the progress of a benchmark; both are the same for every workload. */
import type { Ratio } from '../../../contract/bench/bench-session.ts';
import { defaultMargin, missProbability, noiseFloor } from '../verdicts/judge.ts';
import { type Instances, type LogInterval, pairedLogRatio } from '../verdicts/levels.ts';
import { median } from '../verdicts/order.ts';
import { DecisionRule, PrecisionRule, type SequentialRatio, strictShare } from '../verdicts/precision.ts';
import { OtherLoadMeter, pairedRatio } from './comparison.ts';

/**
 * Reason for the end of a session. `decided`: every verdict is settled. `precise`: every ratio is as precise as
 * requested. The other values name the limit that was reached.
 */
export type StopReason = 'decided' | 'precise' | 'time' | 'rounds' | 'instances' | 'cancelled';

/** Limits of a session, its number of warm-up samples, and the margin of its verdicts. */
export interface BenchLimits {
  readonly mostRounds: number;
  /** Time limit of the session in seconds. One round is always taken, even if it exceeds the limit. */
  readonly mostSeconds: number;
  /** Maximum number of separately prepared states. */
  readonly mostInstances: number;
  /**
   * The session ends when the interval of every ratio has at most this half width, as a ratio minus 1. Null to end when
   * all verdicts are settled.
   */
  readonly precision: number | null;
  /** Largest difference that gets the verdict `same`, as a ratio minus 1. */
  readonly margin: number;
  /** Number of untimed samples of each series, before its first timed sample with a new prepared state. */
  readonly warmUp: number;
}

/** Maximum number of rounds that a user can request. By default only the time is limited. */
export const maxRounds = 100_000;

type OptionalLimits = Partial<Pick<BenchLimits, 'mostInstances' | 'precision' | 'margin' | 'warmUp'>>;

export function createLimits(rounds: number, mostSeconds: number, more: OptionalLimits = {}): BenchLimits {
  const usual = { mostInstances: Number.POSITIVE_INFINITY, precision: null, margin: defaultMargin, warmUp: 0 };
  return { mostRounds: rounds, mostSeconds, ...usual, ...more };
}

/** Times of a series of samples, as the stopping rule needs them. */
export interface TimedSeries {
  /** Times of all complete rounds, in seconds, by instance. */
  readonly times: () => Instances;
  /** End-to-end times in seconds, by instance; absent if they are not measured. */
  readonly wholes?: () => Instances;
  /** Whether the series gets a verdict: it is in mode `warm`, and its answer is not wrong. */
  readonly judged: boolean;
}

/**
 * Ratio of the numbers of instances at successive evaluations. Evaluating after each instance would cost as much time
 * as the samples.
 */
const EVALUATION_GROWTH = 1.03;

interface Evaluation<S extends TimedSeries> {
  readonly stop: StopReason | null;
  /** Candidates whose verdicts are settled, so that they need no further samples. */
  readonly settled: ReadonlySet<S>;
}

/** Stopping rule of a session. In lists of series, the reference is the first and its control the last. */
export class StoppingRule<S extends TimedSeries> {
  readonly #limits: BenchLimits;
  readonly #precision: PrecisionRule | null;
  readonly #decision: DecisionRule<string>;
  readonly #names = new Map<S, number>();
  #next = 0;
  #settled: ReadonlySet<S> = new Set();

  constructor(limits: BenchLimits) {
    this.#limits = limits;
    this.#precision = limits.precision === null ? null : new PrecisionRule(limits.precision);
    this.#decision = new DecisionRule(limits.margin);
  }

  /**
   * Decides whether to stop after a complete instance of all `series`. Candidates in `left` were settled before and are
   * no longer measured.
   */
  afterInstance(series: readonly S[], left: ReadonlySet<S>, instances: number): Evaluation<S> {
    const limit = instances >= this.#limits.mostInstances ? 'instances' : null;
    if (instances < this.#next && limit === null) return { stop: null, settled: this.#settled };
    this.#next = Math.max(instances + 1, Math.floor(EVALUATION_GROWTH * instances));
    if (this.#precision !== null) {
      const met = this.#precision.mayEnd(logRatios(series), instances);
      return { stop: met ? 'precise' : limit, settled: this.#settled };
    }
    const { settled, all } = this.#evaluateRatios(series, left, instances);
    this.#settled = settled;
    return { stop: all ? 'decided' : limit, settled };
  }

  /** Reason not to begin another round, which would need about `round_s` seconds; null to continue. */
  afterRound(rounds: number, elapsed_s: number, round_s: number): StopReason | null {
    if (rounds >= this.#limits.mostRounds) return 'rounds';
    return elapsed_s + round_s > this.#limits.mostSeconds ? 'time' : null;
  }

  #name(series: S): number {
    const known = this.#names.get(series) ?? this.#names.size;
    this.#names.set(series, known);
    return known;
  }

  /**
   * Evaluates the ratio of each candidate's time to the reference's, for single steps and end to end, and the ratio of
   * the two fastest.
   */
  #evaluateRatios(
    series: readonly S[],
    left: ReadonlySet<S>,
    instances: number,
  ): { readonly settled: ReadonlySet<S>; readonly all: boolean } {
    const [reference, control] = [series[0], series.at(-1)];
    if (reference === undefined || control === undefined) return { settled: new Set(), all: false };
    const judged = series.slice(1, -1).filter((one) => one.judged);
    // A single variant can only be compared with its control.
    const candidates = judged.length === 0 ? [control] : judged;
    const open = new Set<S>();
    const evaluate = (own: S, against: S, kind: 'times' | 'wholes', outside: number): void => {
      if (left.has(own) || left.has(against)) return;
      const floors = [control, reference].map((one) => one[kind]?.() ?? []) as [Instances, Instances];
      const ratio = sequentialVerdict(own[kind]?.() ?? [], against[kind]?.() ?? [], { outside, floors });
      const key = `${kind} ${this.#name(own)} ${this.#name(against)}`;
      if (!this.#decision.isSettledAfter(key, ratio, instances)) for (const one of [own, against]) open.add(one);
    };
    const count = candidates.length;
    const kinds = [reference, ...candidates].every(({ wholes }) => wholes !== undefined)
      ? (['times', 'wholes'] as const)
      : (['times'] as const);
    for (const kind of kinds)
      for (const own of candidates) evaluate(own, reference, kind, missProbability({ candidates: count }));
    const [best, second] = fastestTwo([reference, ...judged], kinds.at(-1) ?? 'times');
    if (best !== undefined && second !== undefined && best !== reference && second !== reference) {
      evaluate(second, best, kinds.at(-1) ?? 'times', missProbability({ candidates: (count * (count + 1)) / 2 }));
    }
    return { settled: new Set(candidates.filter((one) => !open.has(one))), all: open.size === 0 };
  }
}

function fastestTwo<S extends TimedSeries>(all: readonly S[], kind: 'times' | 'wholes'): readonly S[] {
  const timed = all.map((one) => ({ one, time_s: median((one[kind]?.() ?? []).flat()) }));
  return timed
    .toSorted((a, b) => a.time_s - b.time_s)
    .slice(0, 2)
    .map(({ one }) => one);
}

function sequentialVerdict(
  own: Instances,
  against: Instances,
  {
    outside,
    floors: [control, reference],
  }: { readonly outside: number; readonly floors: readonly [Instances, Instances] },
): SequentialRatio {
  return {
    reported: pairedLogRatio(own, against, outside),
    strict: pairedLogRatio(own, against, strictShare * outside),
    floor: noiseFloor(control, reference),
  };
}

/** Logarithmic ratio of each candidate's time to the reference's; the control is left out. */
function logRatios(series: readonly TimedSeries[]): readonly (LogInterval | null)[] {
  const [against = [], ...others] = series.map(({ times }) => times());
  const candidates = others.slice(0, -1);
  const outside = missProbability({ candidates: candidates.length });
  // For a single variant, the ratio of its control is used.
  const all = candidates.length === 0 ? others : candidates;
  return all.map((own) => pairedLogRatio(own, against, outside));
}

/** Median time of a candidate over the complete rounds so far, and its ratio to the reference's. */
interface LatestMedian {
  readonly label: string;
  readonly time_s: number;
  readonly ratio: Ratio | null;
}

export interface BenchProgress {
  /** Current phase: `first runs`, `fp64 reference`, `rounds`, `other programs`. */
  readonly phase: string;
  readonly variant: string;
  readonly round: number;
  readonly mostRounds: number;
  readonly elapsed_s: number;
  /** Upper limit for the remaining time in seconds; null before the first round is complete. */
  readonly left_s: number | null;
  readonly latest: readonly LatestMedian[];
}

/** Minimum time in seconds between two updates of the medians. */
const MEDIAN_UPDATE_S = 0.2;

export class SessionClock {
  readonly #start = performance.now();
  readonly #others = new OtherLoadMeter();
  readonly #limits: BenchLimits;
  #roundsStart_s = 0;
  #rounds = 0;
  #latest: readonly LatestMedian[] = [];
  #latestDue_s = 0;

  constructor(limits: BenchLimits) {
    this.#limits = limits;
  }

  get elapsed_s(): number {
    return (performance.now() - this.#start) / 1000;
  }

  /** Mean number of cores that other programs used; null if not known yet. */
  get otherLoad_cores(): number | null {
    return this.#others.cores();
  }

  get rounds(): number {
    return this.#rounds;
  }

  startRounds(): void {
    this.#roundsStart_s = this.elapsed_s;
  }

  /** Shows the times of the first runs as medians until the first round is complete. */
  afterFirst(firsts: readonly { readonly label: string; readonly time_s: number }[]): void {
    this.#latest = firsts.map(({ label, time_s }) => ({ label, time_s, ratio: null }));
  }

  /**
   * Updates the progress after a round. `read` returns the times of each candidate's warm samples, in seconds by
   * instance, with the reference first.
   */
  afterRound(rounds: number, read: () => readonly { readonly label: string; readonly times: Instances }[]): void {
    this.#rounds = rounds;
    const now_s = this.elapsed_s;
    if (now_s < this.#latestDue_s) return;
    const series = read();
    const against = series[0]?.times ?? [];
    this.#latest = series.map(({ label, times }, i) => ({
      label,
      time_s: median(times.flat()),
      ratio: i === 0 ? null : pairedRatio(times, against, series.length - 1),
    }));
    // Reading all samples becomes slower with each round. The next update is delayed so that it uses at most a
    // twentieth of the time.
    const took_s = this.elapsed_s - now_s;
    this.#latestDue_s = this.elapsed_s + Math.max(MEDIAN_UPDATE_S, 20 * took_s);
  }

  progress(phase: string, variant: string): BenchProgress {
    return {
      phase,
      variant,
      round: this.#rounds,
      mostRounds: this.#limits.mostRounds,
      elapsed_s: this.elapsed_s,
      left_s: this.#left_s,
      latest: this.#latest,
    };
  }

  /** Upper limit for the remaining time, assuming that rounds need similar times. */
  get #left_s(): number | null {
    if (this.#rounds === 0) return null;
    const { mostRounds, mostSeconds } = this.#limits;
    const elapsed = this.elapsed_s;
    const perRound = (elapsed - this.#roundsStart_s) / this.#rounds;
    return Math.max(0, Math.min((mostRounds - this.#rounds) * perRound, mostSeconds - elapsed));
  }
}
