/** When a benchmark has measured enough. */
import type { LogInterval } from '../verdicts/levels.ts';
import { PrecisionRule } from '../verdicts/precision.ts';

/** `precise`: every ratio is as narrow as was asked for. The others: a limit was met. */
export type StopReason = 'precise' | 'time' | 'rounds' | 'cancelled';

export interface StoppingLimits {
  readonly mostRounds: number;
  /** No new round begins after this; one is always taken. */
  readonly mostSeconds: number;
  /** Half width of every ratio's interval that ends the session, as a ratio less 1. */
  readonly precision: number;
}

/** What people ask of a benchmark who ask nothing. */
export const usualPrecision = 0.01;

export function limitsOf(mostRounds: number, mostSeconds: number, precision = usualPrecision): StoppingLimits {
  return { mostRounds, mostSeconds, precision };
}

export class StoppingRule {
  readonly #limits: StoppingLimits;
  readonly #precision: PrecisionRule;

  constructor(limits: StoppingLimits) {
    this.#limits = limits;
    this.#precision = new PrecisionRule(limits.precision);
  }

  /** Why to stop after an instance is whole; null to go on. */
  afterInstance(ratios: readonly (LogInterval | null)[], instances: number): StopReason | null {
    return this.#precision.met(ratios, instances) ? 'precise' : null;
  }

  /** Why to stop after a round; null to go on. */
  afterRound(rounds: number, elapsed_s: number): StopReason | null {
    if (rounds >= this.#limits.mostRounds) return 'rounds';
    return elapsed_s >= this.#limits.mostSeconds ? 'time' : null;
  }
}
