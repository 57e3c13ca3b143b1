/** When a benchmark has measured enough. */
import { usualMargin } from '../verdicts/judge.ts';
import type { LogInterval } from '../verdicts/levels.ts';
import { PrecisionRule } from '../verdicts/precision.ts';

/** `precise`: every ratio is as narrow as was asked for. The others: a limit was met. */
export type StopReason = 'precise' | 'time' | 'rounds' | 'instances' | 'cancelled';

/** What is asked of a session: until when it measures, and what its verdicts mean. */
export interface BenchLimits {
  readonly mostRounds: number;
  /** No new round begins after this; one is always taken. */
  readonly mostSeconds: number;
  /** Number of separately prepared states. */
  readonly mostInstances: number;
  /** Half width of every ratio's interval that ends the session, as a ratio less 1. */
  readonly precision: number;
  /** `same` means inside this, as a ratio less 1. */
  readonly margin: number;
}

/** What people ask of a benchmark who ask nothing. */
const usualPrecision = 0.01;

type Optional = Partial<Pick<BenchLimits, 'mostInstances' | 'precision' | 'margin'>>;

export function limitsOf(mostRounds: number, mostSeconds: number, more: Optional = {}): BenchLimits {
  const usual = { mostInstances: Number.POSITIVE_INFINITY, precision: usualPrecision, margin: usualMargin };
  return { mostRounds, mostSeconds, ...usual, ...more };
}

export class StoppingRule {
  readonly #limits: BenchLimits;
  readonly #precision: PrecisionRule;

  constructor(limits: BenchLimits) {
    this.#limits = limits;
    this.#precision = new PrecisionRule(limits.precision);
  }

  /** Why to stop after an instance is whole; null to go on. */
  afterInstance(ratios: readonly (LogInterval | null)[], instances: number): StopReason | null {
    if (this.#precision.met(ratios, instances)) return 'precise';
    return instances >= this.#limits.mostInstances ? 'instances' : null;
  }

  /** Why to stop after a round; null to go on. */
  afterRound(rounds: number, elapsed_s: number): StopReason | null {
    if (rounds >= this.#limits.mostRounds) return 'rounds';
    return elapsed_s >= this.#limits.mostSeconds ? 'time' : null;
  }
}
