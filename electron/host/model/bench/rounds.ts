/**
 * Times the variants of any workload against each other, in interleaved rounds of shuffled order, until the results
 * suffice.
 */
import { BraggError } from '../../../contract/errors.ts';
import { type Random, seededRandom, shuffle } from './statistics.ts';
import { type BenchLimits, type Series, StoppingRule, type StopReason } from './stopping.ts';

/** One series of samples. The first series of a session is the reference, the last one its control. */
export interface SampleSeries extends Series {
  /** Name of the running work, for the user. */
  readonly what: string;
  /** Takes a sample; returns a function that saves it, or null if cancelled. */
  readonly take: (where: SamplePosition) => Promise<(() => void) | null>;
  /** Prepares the state for an instance; false if cancelled. Absent if every sample prepares its own state. */
  readonly prepare?: (instance: number) => Promise<boolean>;
  /** Takes untimed samples before the first one of an instance; false if cancelled. */
  readonly warmUp?: (instance: number) => Promise<boolean>;
  /** Candidate to which the series belongs. */
  readonly owner?: object;
  /**
   * Called if the series fails: all series of the same owner are dropped, and the others continue. If absent, the
   * session fails.
   */
  readonly lost?: (error: BraggError) => void;
}

/** Position of a sample: prepared state, round, and index in the round's shuffled order. */
export interface SamplePosition {
  readonly instance: number;
  readonly round: number;
  readonly position: number;
}

interface RoundOptions {
  readonly seed: number;
  readonly limits: BenchLimits;
  readonly roundsPerInstance: number;
  readonly cancelled: () => boolean;
  /** Seconds since the session began. */
  readonly elapsed_s: () => number;
  /** Called before every sample. */
  readonly tell: (what: string, round: number) => void;
  /** Awaited before every round. */
  readonly beforeRound?: () => Promise<void>;
  /** Called after every complete round. */
  readonly onRound?: (rounds: number) => void;
}

/** A series whose failure lets the session continue without its owner. */
interface LostSeries {
  readonly turn: SampleSeries;
  readonly error: BraggError;
}

/** Outcome of a step: complete, cancelled, or failed. */
type Outcome = 'whole' | 'cancelled' | LostSeries;

/** Attributes an error to the series if its owner may be dropped; rethrows other errors. */
async function attributeError(turn: SampleSeries, work: () => Promise<boolean>): Promise<Outcome> {
  try {
    return (await work()) ? 'whole' : 'cancelled';
  } catch (error) {
    if (turn.lost === undefined || !(error instanceof BraggError) || error.code === 'internal') throw error;
    return { turn, error };
  }
}

/** Prepares all candidates, or warms up all series, for an instance. */
async function prepareAll(
  turns: readonly SampleSeries[],
  { cancelled, tell }: RoundOptions,
  { instance, round }: Omit<SamplePosition, 'position'>,
  by: 'prepare' | 'warmUp',
): Promise<Outcome> {
  for (const turn of turns) {
    const ready = turn[by];
    if (ready === undefined) continue;
    if (cancelled()) return 'cancelled';
    tell(turn.what, round);
    const outcome = await attributeError(turn, () => ready(instance));
    if (outcome !== 'whole') return outcome;
  }
  return 'whole';
}

/** Samples are saved only when the round is complete, so that entry i of every series belongs to round i. */
async function measureRound(
  turns: readonly SampleSeries[],
  where: Omit<SamplePosition, 'position'>,
  random: Random,
  { cancelled, tell, costs }: RoundOptions & { readonly costs: Costs },
): Promise<Outcome> {
  const taken: (() => void)[] = [];
  for (const [position, turn] of shuffle(turns, random).entries()) {
    if (cancelled()) return 'cancelled';
    tell(turn.what, where.round);
    const outcome = await attributeError(turn, async () => {
      const began = performance.now();
      const keep = await turn.take({ ...where, position });
      costs.took(turn, (performance.now() - began) / 1000);
      if (keep !== null) taken.push(keep);
      return keep !== null;
    });
    if (outcome !== 'whole') return outcome;
  }
  for (const keep of taken) keep();
  return 'whole';
}

/** Settled candidates are dropped from further rounds if they need more than this share of a round. */
const COSTLY_SHARE = 0.5;

/** Seconds of a round by series: moving average of each one's latest samples. */
class Costs {
  readonly #mean_s = new Map<SampleSeries, number>();

  took(turn: SampleSeries, seconds: number): void {
    const before = this.#mean_s.get(turn);
    this.#mean_s.set(turn, before === undefined ? seconds : before + 0.3 * (seconds - before));
  }

  of(turns: readonly SampleSeries[]): number {
    return turns.reduce((sum, turn) => sum + (this.#mean_s.get(turn) ?? 0), 0);
  }
}

/** Settled candidates to drop, with their other modes, so that the time is spent on the others. */
function candidatesToDrop(
  turns: readonly SampleSeries[],
  settled: ReadonlySet<SampleSeries>,
  costs: Costs,
): readonly SampleSeries[] {
  const owners = new Set([...settled].flatMap(({ owner }) => owner ?? []));
  const [reference, control] = [turns[0], turns.at(-1)];
  const found = turns.filter(
    (turn) => turn !== reference && turn !== control && turn.owner !== undefined && owners.has(turn.owner),
  );
  return costs.of(found) > COSTLY_SHARE * costs.of(turns) ? found : [];
}

/**
 * Runs at least one round unless cancelled. All candidates are prepared again every `roundsPerInstance` rounds, except
 * before the first.
 */
export async function measureRounds(
  all: readonly SampleSeries[],
  options: RoundOptions,
): Promise<{ readonly rounds: number; readonly stopped: StopReason }> {
  const { seed, limits, elapsed_s, beforeRound, onRound, roundsPerInstance } = options;
  const random = seededRandom(seed);
  const rule = new StoppingRule<SampleSeries>(limits);
  const costs = new Costs();
  const left = new Set<SampleSeries>();
  let present = all;
  let [prepared, warmed] = [0, -1];
  for (let round = 0; ; ) {
    const instance = Math.floor(round / roundsPerInstance);
    const turns = present.filter((turn) => !left.has(turn));
    const began_s = elapsed_s();
    let outcome: Outcome = 'whole';
    await beforeRound?.();
    if (instance > prepared) outcome = await prepareAll(turns, options, { instance, round }, 'prepare');
    if (outcome === 'whole') prepared = instance;
    if (outcome === 'whole' && instance > warmed) {
      outcome = await prepareAll(turns, options, { instance, round }, 'warmUp');
    }
    if (outcome === 'whole') {
      warmed = instance;
      outcome = await measureRound(turns, { instance, round }, random, { ...options, costs });
    }
    if (outcome === 'cancelled') return { rounds: round, stopped: 'cancelled' };
    if (outcome !== 'whole') {
      const { turn, error } = outcome;
      turn.lost?.(error);
      present = present.filter((one) => one !== turn && (turn.owner === undefined || one.owner !== turn.owner));
      continue;
    }
    round += 1;
    onRound?.(round);
    if (round % roundsPerInstance === 0) {
      const { stop, settled } = rule.afterInstance(present, left, instance + 1);
      if (stop !== null) return { rounds: round, stopped: stop };
      // Dropped series do not return, because round i of every series is paired with round i of the reference.
      for (const turn of candidatesToDrop(turns, settled, costs)) left.add(turn);
    }
    const limit = rule.afterRound(round, elapsed_s(), elapsed_s() - began_s);
    if (limit !== null) return { rounds: round, stopped: limit };
  }
}
