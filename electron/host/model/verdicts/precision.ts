/** When the ratios of a session are known as well as was asked for. */
import type { LogInterval } from './levels.ts';

/** Before this many instances an interval may be narrow by chance. */
const fewestForPrecision = 5;

/** No session ends as precise before this many: it has to be so twice. */
export const leastInstances = fewestForPrecision + 1;

/** What is ten times as fast needs no tenth of a per cent: its ratio is known well enough to a tenth of its logarithm. */
const shareOfRatio = 0.1;

function isPrecise(ratio: LogInterval | null, precision: number): boolean {
  return ratio !== null && ratio.half <= Math.max(precision, shareOfRatio * Math.abs(ratio.middle));
}

/** Twice at the least, and for this share of the instances. */
const shareOfInstances = 0.1;

/**
 * Told all ratios after each instance. Precise when every one was so over the
 * last tenth of the instances, and twice at the least. Stopping at the first
 * narrow interval would pick those that are narrow by chance. After fifty
 * instances the next says little of its own. `precision` is the half width
 * asked for, as a ratio less 1.
 */
export class PrecisionRule {
  readonly #precision: number;
  #narrow = 0;

  constructor(precision: number) {
    this.#precision = precision;
  }

  /** Whether the session may end after `instances` instances of each contestant. */
  met(ratios: readonly (LogInterval | null)[], instances: number): boolean {
    const now = instances >= fewestForPrecision && ratios.every((ratio) => isPrecise(ratio, this.#precision));
    this.#narrow = now ? this.#narrow + 1 : 0;
    return this.#narrow >= Math.max(2, Math.ceil(shareOfInstances * instances));
  }
}
