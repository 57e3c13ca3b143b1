/**
 * Interleaved rounds in shuffled order, until enough is known: how every
 * workload's variants are timed against each other.
 */
import { BraggError } from '../../../contract/errors.ts';
import { outsideOf } from '../verdicts/judge.ts';
import { type Instances, type LogInterval, pairedLogRatio } from '../verdicts/levels.ts';
import { type Random, seededRandom, shuffled } from './random.ts';
import { type BenchLimits, StoppingRule, type StopReason } from './stopping.ts';

/** One series of samples; the first of a session is what the others are compared with, the last its control. */
export interface Turn {
  /** What runs now, for people. */
  readonly what: string;
  /** Seconds of every whole round so far, by instance. */
  readonly times: () => Instances;
  /** Takes a sample; gives what keeps it, or null when it was cancelled. */
  readonly take: (where: Where) => Promise<(() => void) | null>;
  /** Prepares it anew; false when that was cancelled. Without it every sample is of a state that was prepared for it. */
  readonly prepare?: () => Promise<boolean>;
  /** Whose series it is. */
  readonly owner?: object;
  /** Told that it failed: its owner's series are left out, and the others go on. Without it the session fails. */
  readonly lost?: (error: BraggError) => void;
}

/** Where a sample stands: its prepared state, its round, and its place in that round's shuffled order. */
export interface Where {
  readonly instance: number;
  readonly round: number;
  readonly position: number;
}

interface RoundOptions {
  readonly seed: number;
  readonly limits: BenchLimits;
  readonly roundsPerInstance: number;
  readonly cancelled: () => boolean;
  /** Since the session began. */
  readonly elapsed_s: () => number;
  /** Called before every sample. */
  readonly tell: (what: string, round: number) => void;
  /** Waited for before every round. */
  readonly beforeRound?: () => Promise<void>;
  /** Called after every whole round. */
  readonly onRound?: (rounds: number) => void;
}

/** A turn that failed for a reason of its own. */
interface Lost {
  readonly turn: Turn;
  readonly error: BraggError;
}

/** What a step of a session comes to. */
type Outcome = 'whole' | 'cancelled' | Lost;

/** An error is the turn's own where it has an owner that may be left out. */
async function orLost(turn: Turn, work: () => Promise<boolean>): Promise<Outcome> {
  try {
    return (await work()) ? 'whole' : 'cancelled';
  } catch (error) {
    if (turn.lost === undefined || !(error instanceof BraggError) || error.code === 'internal') throw error;
    return { turn, error };
  }
}

async function prepareAll(turns: readonly Turn[], { cancelled, tell }: RoundOptions, round: number): Promise<Outcome> {
  for (const turn of turns) {
    const { prepare } = turn;
    if (prepare === undefined) continue;
    if (cancelled()) return 'cancelled';
    tell(turn.what, round);
    const outcome = await orLost(turn, prepare);
    if (outcome !== 'whole') return outcome;
  }
  return 'whole';
}

/** Samples are kept only when the round is whole, so that entry i of every series is of round i. */
async function takeRound(
  turns: readonly Turn[],
  where: Omit<Where, 'position'>,
  random: Random,
  { cancelled, tell }: RoundOptions,
): Promise<Outcome> {
  const taken: (() => void)[] = [];
  for (const [position, turn] of shuffled(turns, random).entries()) {
    if (cancelled()) return 'cancelled';
    tell(turn.what, where.round);
    const outcome = await orLost(turn, async () => {
      const keep = await turn.take({ ...where, position });
      if (keep !== null) taken.push(keep);
      return keep !== null;
    });
    if (outcome !== 'whole') return outcome;
  }
  for (const keep of taken) keep();
  return 'whole';
}

/** The contestants' log ratios to the first, without the control's. */
function ratiosOf(turns: readonly Turn[]): readonly (LogInterval | null)[] {
  const [against = [], ...others] = turns.map(({ times }) => times());
  const contestants = others.slice(0, -1);
  const outside = outsideOf({ contestants: contestants.length });
  // Alone a variant has only its control to be as precise as.
  const all = contestants.length === 0 ? others : contestants;
  return all.map((own) => pairedLogRatio(own, against, outside));
}

/**
 * Takes at least one round, unless it is cancelled. Every `roundsPerInstance`
 * rounds all contestants are prepared anew, but before the first.
 */
export async function takeRounds(
  all: readonly Turn[],
  options: RoundOptions,
): Promise<{ readonly rounds: number; readonly stopped: StopReason }> {
  const { seed, limits, elapsed_s, beforeRound, onRound, roundsPerInstance } = options;
  const random = seededRandom(seed);
  const rule = new StoppingRule(limits);
  let turns = all;
  let prepared = 0;
  for (let round = 0; ; ) {
    const instance = Math.floor(round / roundsPerInstance);
    let outcome: Outcome = 'whole';
    await beforeRound?.();
    if (instance > prepared) outcome = await prepareAll(turns, options, round);
    if (outcome === 'whole') {
      prepared = instance;
      outcome = await takeRound(turns, { instance, round }, random, options);
    }
    if (outcome === 'cancelled') return { rounds: round, stopped: 'cancelled' };
    if (outcome !== 'whole') {
      const { turn, error } = outcome;
      turn.lost?.(error);
      turns = turns.filter((one) => one !== turn && (turn.owner === undefined || one.owner !== turn.owner));
      continue;
    }
    round += 1;
    onRound?.(round);
    const reason =
      (round % roundsPerInstance === 0 ? rule.afterInstance(ratiosOf(turns), instance + 1) : null) ??
      rule.afterRound(round, elapsed_s());
    if (reason !== null) return { rounds: round, stopped: reason };
  }
}
