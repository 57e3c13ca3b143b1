/**
 * Rules by which a session ends: its verdicts are settled or, on request, its ratios are precise. The condition must
 * hold over the last tenth of the instances, and at least twice: stopping at the first narrow interval would select
 * those that are narrow by chance.
 */
import { judge } from './judge.ts';
import type { LogInterval } from './levels.ts';

/** With fewer instances an interval may be narrow by chance. */
const minForRule = 5;

/** Minimum number of instances before a rule may end a session, because its condition must hold twice. */
export const leastInstances = minForRule + 1;

/** Share of the instances over which the condition of a rule must hold. */
const shareOfInstances = 0.1;

class Persistence {
  #since: number | null = null;

  /** Whether the condition has held long enough; `instances` must not decrease. */
  holds(now: boolean, instances: number): boolean {
    if (!now || instances < minForRule) {
      this.#since = null;
      return false;
    }
    this.#since ??= instances;
    return instances - this.#since + 1 >= Math.max(2, Math.ceil(shareOfInstances * instances));
  }
}

/** Half width at which a ratio far from 1 is precise enough, as a share of its logarithm. */
const shareOfRatio = 0.1;

function isPrecise(ratio: LogInterval | null, precision: number): boolean {
  return ratio !== null && ratio.half <= Math.max(precision, shareOfRatio * Math.abs(ratio.middle));
}

/** `precision` is the requested half width, as a ratio minus 1. */
export class PrecisionRule {
  readonly #precision: number;
  readonly #narrow = new Persistence();

  constructor(precision: number) {
    this.#precision = precision;
  }

  /** Whether the session may end after `instances` instances of each candidate. */
  met(ratios: readonly (LogInterval | null)[], instances: number): boolean {
    return this.#narrow.holds(
      ratios.every((ratio) => isPrecise(ratio, this.#precision)),
      instances,
    );
  }
}

/**
 * Factor by which the interval that ends a session misses less often than the reported one. A session that evaluates
 * repeatedly until something is decided would find differences that do not exist. `bench -- verdicts` measures the
 * rates.
 */
export const strictShare = 0.02;

/** Largest half width of an interval for the verdicts faster or slower, as a share of the ratio's logarithm. */
const shareOfGain = 0.5;

/** A ratio with its reported interval, and the interval that may end a session. */
export interface SequentialRatio {
  readonly reported: LogInterval | null;
  readonly strict: LogInterval | null;
  /** Noise floor measured with the control, as the natural logarithm of a ratio. */
  readonly floor: number | null;
}

function isSettled({ reported, strict, floor }: SequentialRatio, margin: number): boolean {
  if (reported === null) return false;
  if (judge(reported, floor, { margin }, 0).standing === 'same') return true;
  const { standing } = judge(strict, floor, { margin }, 0);
  return (standing === 'faster' || standing === 'slower') && reported.half <= shareOfGain * Math.abs(reported.middle);
}

/** Decides which ratios are settled; ratios are identified by a key. */
export class DecisionRule<Key> {
  readonly #margin: number;
  readonly #settled = new Map<Key, Persistence>();

  constructor(margin: number) {
    this.#margin = margin;
  }

  /** Whether this ratio needs no further instances. */
  settled(key: Key, ratio: SequentialRatio, instances: number): boolean {
    const own = this.#settled.get(key) ?? new Persistence();
    this.#settled.set(key, own);
    return own.holds(isSettled(ratio, this.#margin), instances);
  }
}
