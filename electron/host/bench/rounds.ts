/**
 * Interleaved rounds in shuffled order, until enough is known: how every
 * workload's variants are timed against each other.
 */
import { type Random, seededRandom, shuffled } from './random.ts';
import { ratioInterval } from './statistics.ts';
import { type StoppingLimits, type StopReason, stopReason } from './stopping.ts';

/** One series of samples; the first of a session is what the others are compared with. */
export interface Turn {
  /** What runs now, for people. */
  readonly what: string;
  /** Seconds of every whole round so far. */
  readonly times: () => readonly number[];
  /** Takes a sample; gives what keeps it, or null when it was cancelled. */
  readonly take: (round: number, position: number) => Promise<(() => void) | null>;
}

export interface RoundOptions {
  readonly seed: number;
  readonly limits: StoppingLimits;
  readonly cancelled: () => boolean;
  /** Since the session began. */
  readonly elapsed_s: () => number;
  /** Called before every sample. */
  readonly tell: (what: string, round: number) => void;
  /** Called after every whole round. */
  readonly onRound?: (rounds: number) => void;
}

/** Samples are kept only when the round is whole, so that entry i of every series is of round i. */
async function takeRound(
  turns: readonly Turn[],
  round: number,
  random: Random,
  { cancelled, tell }: RoundOptions,
): Promise<boolean> {
  const taken: (() => void)[] = [];
  for (const [position, { what, take }] of shuffled(turns, random).entries()) {
    if (cancelled()) return false;
    tell(what, round);
    const keep = await take(round, position);
    if (keep === null) return false;
    taken.push(keep);
  }
  for (const keep of taken) keep();
  return true;
}

/** Takes at least one round, unless it is cancelled. */
export async function takeRounds(
  turns: readonly Turn[],
  options: RoundOptions,
): Promise<{ readonly rounds: number; readonly stopped: StopReason }> {
  const { seed, limits, elapsed_s, onRound } = options;
  const random = seededRandom(seed);
  for (let round = 0; ; ) {
    if (!(await takeRound(turns, round, random, options))) return { rounds: round, stopped: 'cancelled' };
    round += 1;
    onRound?.(round);
    const [against = [], ...others] = turns.map(({ times }) => times());
    const ratios = others.map((own) => ratioInterval(own, against, seed));
    const reason = stopReason([against, ...others], ratios, elapsed_s(), limits);
    if (reason !== null) return { rounds: round, stopped: reason };
  }
}
