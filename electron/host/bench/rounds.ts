/**
 * Interleaved rounds in shuffled order, until enough is known: how every
 * workload's variants are timed against each other.
 */
import { BraggError } from '../../contract/errors.ts';
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
  /** Whose series it is. */
  readonly owner?: object;
  /** Told that it failed: its owner's series are left out, and the others go on. Without it the session fails. */
  readonly lost?: (error: BraggError) => void;
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

/** A turn that failed for a reason of its own. */
interface Lost {
  readonly turn: Turn;
  readonly error: BraggError;
}

/** Samples are kept only when the round is whole, so that entry i of every series is of round i. */
async function takeRound(
  turns: readonly Turn[],
  round: number,
  random: Random,
  { cancelled, tell }: RoundOptions,
): Promise<'whole' | 'cancelled' | Lost> {
  const taken: (() => void)[] = [];
  for (const [position, turn] of shuffled(turns, random).entries()) {
    if (cancelled()) return 'cancelled';
    tell(turn.what, round);
    try {
      const keep = await turn.take(round, position);
      if (keep === null) return 'cancelled';
      taken.push(keep);
    } catch (error) {
      if (turn.lost === undefined || !(error instanceof BraggError) || error.code === 'internal') throw error;
      return { turn, error };
    }
  }
  for (const keep of taken) keep();
  return 'whole';
}

/** Takes at least one round, unless it is cancelled. */
export async function takeRounds(
  all: readonly Turn[],
  options: RoundOptions,
): Promise<{ readonly rounds: number; readonly stopped: StopReason }> {
  const { seed, limits, elapsed_s, onRound } = options;
  const random = seededRandom(seed);
  let turns = all;
  for (let round = 0; ; ) {
    const outcome = await takeRound(turns, round, random, options);
    if (outcome === 'cancelled') return { rounds: round, stopped: 'cancelled' };
    if (outcome !== 'whole') {
      const { turn, error } = outcome;
      turn.lost?.(error);
      turns = turns.filter((one) => one !== turn && (turn.owner === undefined || one.owner !== turn.owner));
      continue;
    }
    round += 1;
    onRound?.(round);
    const [against = [], ...others] = turns.map(({ times }) => times());
    const ratios = others.map((own) => ratioInterval(own, against, seed));
    const reason = stopReason([against, ...others], ratios, elapsed_s(), limits);
    if (reason !== null) return { rounds: round, stopped: reason };
  }
}
