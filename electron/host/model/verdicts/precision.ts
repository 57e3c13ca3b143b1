/**
 * When a session has measured enough: its verdicts are settled or, on request, its ratios are precise. Both rules wait
 * until that holds over the last tenth of the instances, and twice at the least: stopping at the first narrow interval
 * would pick those that are narrow by chance.
 */
import { judge } from './judge.ts';
import type { LogInterval } from './levels.ts';

/** Before this many instances an interval may be narrow by chance. */
const fewestForRule = 5;

/** No session ends by a rule before this many: it has to hold twice. */
export const leastInstances = fewestForRule + 1;

/** Share of the instances over which a rule has to hold. */
const shareOfInstances = 0.1;

class Persistence {
  #since: number | null = null;

  /** Whether the condition has held long enough; `instances` only rises. */
  holds(now: boolean, instances: number): boolean {
    if (!now || instances < fewestForRule) {
      this.#since = null;
      return false;
    }
    this.#since ??= instances;
    return instances - this.#since + 1 >= Math.max(2, Math.ceil(shareOfInstances * instances));
  }
}

/** A ratio far from 1 is precise enough at a tenth of its logarithm. */
const shareOfRatio = 0.1;

function isPrecise(ratio: LogInterval | null, precision: number): boolean {
  return ratio !== null && ratio.half <= Math.max(precision, shareOfRatio * Math.abs(ratio.middle));
}

/** `precision` is the requested half width, as a ratio less 1. */
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
 * A session that looks again and again until something is decided finds differences that are none. The interval that
 * ends it misses this much less often than the one that is reported; `bench -- verdicts` holds the rates.
 */
export const strictShare = 0.02;

/** A ratio that is called faster or slower has an interval of at most this share of its logarithm. */
const shareOfGain = 0.5;

/** A ratio as it is reported, and at the level that may end a session. */
export interface SequentialRatio {
  readonly reported: LogInterval | null;
  readonly strict: LogInterval | null;
  /** The control's noise floor, on the logarithm. */
  readonly floor: number | null;
}

function isSettled({ reported, strict, floor }: SequentialRatio, margin: number): boolean {
  if (reported === null) return false;
  if (judge(reported, floor, { margin }, 0).standing === 'same') return true;
  const { standing } = judge(strict, floor, { margin }, 0);
  return (standing === 'faster' || standing === 'slower') && reported.half <= shareOfGain * Math.abs(reported.middle);
}

/** Which ratios are settled, each by its own key. */
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
