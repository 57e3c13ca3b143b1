/** When a benchmark has measured enough. */
import { noiseFloorOf, outsideOf, usualMargin } from '../verdicts/judge.ts';
import { type Instances, type LogInterval, pairedLogRatio } from '../verdicts/levels.ts';
import { median } from '../verdicts/order.ts';
import { DecisionRule, PrecisionRule, type SequentialRatio, strictShare } from '../verdicts/precision.ts';

/** `decided`: every verdict is settled. `precise`: every ratio is as narrow as requested. The others: a limit was met. */
export type StopReason = 'decided' | 'precise' | 'time' | 'rounds' | 'instances' | 'cancelled';

/** Until when a session measures, and what its verdicts mean. */
export interface BenchLimits {
  readonly mostRounds: number;
  /** The session ends within this; one round is always taken. */
  readonly mostSeconds: number;
  /** Number of separately prepared states. */
  readonly mostInstances: number;
  /** Half width of every ratio's interval that ends the session, as a ratio less 1; null: it ends when it is decided. */
  readonly precision: number | null;
  /** `same` means inside this, as a ratio less 1. */
  readonly margin: number;
}

/** As many rounds as anybody may request: by default the time alone is a limit. */
export const mostRounds = 100_000;

type Optional = Partial<Pick<BenchLimits, 'mostInstances' | 'precision' | 'margin'>>;

export function limitsOf(rounds: number, mostSeconds: number, more: Optional = {}): BenchLimits {
  const usual = { mostInstances: Number.POSITIVE_INFINITY, precision: null, margin: usualMargin };
  return { mostRounds: rounds, mostSeconds, ...usual, ...more };
}

/** A series of samples as the rule reads it. */
export interface Series {
  /** Seconds of every whole round so far, by instance. */
  readonly times: () => Instances;
  /** The same of end-to-end runs; absent if those are not timed. */
  readonly wholes?: () => Instances;
  /** It gets a verdict: a warm candidate with a correct answer. */
  readonly judged: boolean;
}

/** The next look is after as many further instances: one by one it would cost as much as the samples. */
const LOOKS = 1.03;

interface Look<S extends Series> {
  readonly stop: StopReason | null;
  /** Candidates whose verdicts need no further instances. */
  readonly settled: ReadonlySet<S>;
}

/** Reads the reference first and its control last. */
export class StoppingRule<S extends Series> {
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

  /** Whether to stop after a complete instance of `series`; those that `left` were settled and take part no more. */
  afterInstance(series: readonly S[], left: ReadonlySet<S>, instances: number): Look<S> {
    const limit = instances >= this.#limits.mostInstances ? 'instances' : null;
    if (instances < this.#next && limit === null) return { stop: null, settled: this.#settled };
    this.#next = Math.max(instances + 1, Math.floor(LOOKS * instances));
    if (this.#precision !== null) {
      const met = this.#precision.met(ratiosOf(series), instances);
      return { stop: met ? 'precise' : limit, settled: this.#settled };
    }
    const { settled, all } = this.#decided(series, left, instances);
    this.#settled = settled;
    return { stop: all ? 'decided' : limit, settled };
  }

  /** Why not to begin another round, which needs about `round_s`; null to go on. */
  afterRound(rounds: number, elapsed_s: number, round_s: number): StopReason | null {
    if (rounds >= this.#limits.mostRounds) return 'rounds';
    return elapsed_s + round_s > this.#limits.mostSeconds ? 'time' : null;
  }

  #name(series: S): number {
    const known = this.#names.get(series) ?? this.#names.size;
    this.#names.set(series, known);
    return known;
  }

  /** Each candidate's ratio to the reference, by steps and end to end, and that of the fastest two. */
  #decided(
    series: readonly S[],
    left: ReadonlySet<S>,
    instances: number,
  ): { readonly settled: ReadonlySet<S>; readonly all: boolean } {
    const [reference, control] = [series[0], series.at(-1)];
    if (reference === undefined || control === undefined) return { settled: new Set(), all: false };
    const judged = series.slice(1, -1).filter((one) => one.judged);
    // Alone, a variant has only its control to be compared with.
    const candidates = judged.length === 0 ? [control] : judged;
    const open = new Set<S>();
    const look = (own: S, against: S, kind: 'times' | 'wholes', outside: number): void => {
      if (left.has(own) || left.has(against)) return;
      const floors = [control, reference].map((one) => one[kind]?.() ?? []) as [Instances, Instances];
      const ratio = sequential(own[kind]?.() ?? [], against[kind]?.() ?? [], { outside, floors });
      const key = `${kind} ${this.#name(own)} ${this.#name(against)}`;
      if (!this.#decision.settled(key, ratio, instances)) for (const one of [own, against]) open.add(one);
    };
    const count = candidates.length;
    const kinds = [reference, ...candidates].every(({ wholes }) => wholes !== undefined)
      ? (['times', 'wholes'] as const)
      : (['times'] as const);
    for (const kind of kinds)
      for (const own of candidates) look(own, reference, kind, outsideOf({ contestants: count }));
    const [best, second] = fastestTwo([reference, ...judged], kinds.at(-1) ?? 'times');
    if (best !== undefined && second !== undefined && best !== reference && second !== reference) {
      look(second, best, kinds.at(-1) ?? 'times', outsideOf({ contestants: (count * (count + 1)) / 2 }));
    }
    return { settled: new Set(candidates.filter((one) => !open.has(one))), all: open.size === 0 };
  }
}

function fastestTwo<S extends Series>(all: readonly S[], kind: 'times' | 'wholes'): readonly S[] {
  const timed = all.map((one) => ({ one, time_s: median((one[kind]?.() ?? []).flat()) }));
  return timed
    .toSorted((a, b) => a.time_s - b.time_s)
    .slice(0, 2)
    .map(({ one }) => one);
}

function sequential(
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
    floor: noiseFloorOf(control, reference),
  };
}

/** The candidates' log ratios to the first, without the control's. */
function ratiosOf(series: readonly Series[]): readonly (LogInterval | null)[] {
  const [against = [], ...others] = series.map(({ times }) => times());
  const candidates = others.slice(0, -1);
  const outside = outsideOf({ contestants: candidates.length });
  // Alone, a variant has only its control to be as precise as.
  const all = candidates.length === 0 ? others : candidates;
  return all.map((own) => pairedLogRatio(own, against, outside));
}
