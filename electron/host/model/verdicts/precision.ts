/**
 * Rules that end a session: its verdicts are settled or, if requested, its ratios are precise. The condition of a rule
 * must hold over the last tenth of the instances, and at least twice. Stopping at the first narrow interval would
 * favour intervals that are narrow by chance.
 */
import { judgeRatio } from './judge.ts';
import type { LogInterval } from './levels.ts';

/** Minimum number of instances; with fewer an interval may be narrow by chance. */
const minForRule = 5;

/** Minimum number of instances before a session can end, because the condition of a rule must hold twice. */
export const leastInstances = minForRule + 1;

/** Fraction of all instances so far, counted from the latest, over which the condition of a rule must hold. */
const shareOfInstances = 0.1;

class SustainedCondition {
  #since: number | null = null;

  /**
   * Records whether the condition is met now, and returns whether it has been met for long enough. `instances` must not
   * decrease.
   */
  hasHeldLongEnough(now: boolean, instances: number): boolean {
    if (!now || instances < minForRule) {
      this.#since = null;
      return false;
    }
    this.#since ??= instances;
    return instances - this.#since + 1 >= Math.max(2, Math.ceil(shareOfInstances * instances));
  }
}

/** For a ratio far from 1, the half width that is precise enough, as a share of the ratio's logarithm. */
const shareOfRatio = 0.1;

function isPrecise(ratio: LogInterval | null, precision: number): boolean {
  return ratio !== null && ratio.half <= Math.max(precision, shareOfRatio * Math.abs(ratio.middle));
}

/** Ends a session when all ratios are precise. `precision` is the requested half width, as a ratio minus 1. */
export class PrecisionRule {
  readonly #precision: number;
  readonly #narrow = new SustainedCondition();

  constructor(precision: number) {
    this.#precision = precision;
  }

  /** Whether the session may end, after `instances` instances of each candidate. */
  mayEnd(ratios: readonly (LogInterval | null)[], instances: number): boolean {
    return this.#narrow.hasHeldLongEnough(
      ratios.every((ratio) => isPrecise(ratio, this.#precision)),
      instances,
    );
  }
}

/**
 * Probability of a miss for the intervals that end a session, relative to that for reported intervals. A session that
 * evaluates repeatedly until something is decided would otherwise find differences that do not exist. `bench --
 * verdicts` measures the error rates.
 */
export const strictShare = 0.02;

/** Largest half width for the verdicts `faster` and `slower`, as a share of the ratio's logarithm. */
const shareOfGain = 0.5;

/** A ratio with two intervals: the reported one, and a wider one that may end a session. */
export interface SequentialRatio {
  readonly reported: LogInterval | null;
  readonly strict: LogInterval | null;
  /** Noise floor from the control, as the natural logarithm of a ratio; null without a control. */
  readonly floor: number | null;
}

function isSettled({ reported, strict, floor }: SequentialRatio, margin: number): boolean {
  if (reported === null) return false;
  if (judgeRatio(reported, floor, { margin }, 0).standing === 'same') return true;
  const { standing } = judgeRatio(strict, floor, { margin }, 0);
  return (standing === 'faster' || standing === 'slower') && reported.half <= shareOfGain * Math.abs(reported.middle);
}

/** Determines which verdicts are settled. Each ratio is identified by a key. */
export class DecisionRule<Key> {
  readonly #margin: number;
  readonly #settled = new Map<Key, SustainedCondition>();

  constructor(margin: number) {
    this.#margin = margin;
  }

  /** Records a ratio, and returns whether its verdict is settled, so that it needs no further instances. */
  isSettledAfter(key: Key, ratio: SequentialRatio, instances: number): boolean {
    const own = this.#settled.get(key) ?? new SustainedCondition();
    this.#settled.set(key, own);
    return own.hasHeldLongEnough(isSettled(ratio, this.#margin), instances);
  }
}
