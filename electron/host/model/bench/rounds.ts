/**
 * Times variants of any workload against each other. Each round takes one sample of every series in shuffled order;
 * rounds are repeated until the verdicts are settled or a limit is reached.
 */
import { BraggError } from '../../../contract/errors.ts';
import { type RandomGenerator, seededRandom, shuffle } from './statistics.ts';
import { type BenchLimits, StoppingRule, type StopReason, type TimedSeries } from './stopping.ts';

/**
 * A series of samples: a candidate in one mode. The first series of a session is the reference, the last one its
 * control.
 */
export interface SampleSeries extends TimedSeries {
  /** Name of the series, shown to the user while it runs. */
  readonly what: string;
  /** Takes a sample. Returns a function that saves it once the round is complete, or null if cancelled. */
  readonly take: (where: SamplePosition) => Promise<(() => void) | null>;
  /** Prepares a new state (instance); false if cancelled. Absent if every sample prepares its state itself. */
  readonly prepare?: (instance: number) => Promise<boolean>;
  /** Takes untimed samples before the first timed one of an instance; false if cancelled. */
  readonly warmUp?: (instance: number) => Promise<boolean>;
  /** Candidate whose samples these are. */
  readonly owner?: object;
  /**
   * Called if the series fails. All series of the same owner are then dropped, and the session continues. If absent,
   * the whole session fails.
   */
  readonly onFailure?: (error: BraggError) => void;
}

/**
 * Position of a sample: its instance (prepared state), its round, and its index in the shuffled order of the round.
 */
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
  /** Returns the seconds since the session began. */
  readonly elapsed_s: () => number;
  /** Called before every sample with the name of its series and the round. */
  readonly onSample: (what: string, round: number) => void;
  /** Awaited before every round. */
  readonly beforeRound?: () => Promise<void>;
  /** Called after every complete round. */
  readonly onRound?: (rounds: number) => void;
}

/** A series that failed, with its error; the session can continue without its owner. */
interface FailedSeries {
  readonly series: SampleSeries;
  readonly error: BraggError;
}

/** Outcome of a step: `whole` if it was completed, `cancelled`, or the series that failed. */
type StepOutcome = 'whole' | 'cancelled' | FailedSeries;

/** Runs `work`. An error of a series that may be dropped becomes its outcome; other errors are thrown again. */
async function runStep(series: SampleSeries, work: () => Promise<boolean>): Promise<StepOutcome> {
  try {
    return (await work()) ? 'whole' : 'cancelled';
  } catch (error) {
    if (series.onFailure === undefined || !(error instanceof BraggError) || error.code === 'internal') throw error;
    return { series, error };
  }
}

/** Prepares the state of every candidate for an instance, or takes the warm-up samples of every series. */
async function prepareCandidates(
  allSeries: readonly SampleSeries[],
  { cancelled, onSample }: RoundOptions,
  { instance, round }: Omit<SamplePosition, 'position'>,
  by: 'prepare' | 'warmUp',
): Promise<StepOutcome> {
  for (const series of allSeries) {
    const ready = series[by];
    if (ready === undefined) continue;
    if (cancelled()) return 'cancelled';
    onSample(series.what, round);
    const outcome = await runStep(series, () => ready(instance));
    if (outcome !== 'whole') return outcome;
  }
  return 'whole';
}

/**
 * Takes one sample of every series. They are saved only when the round is complete, so that sample i of every series
 * belongs to round i.
 */
async function measureRound(
  allSeries: readonly SampleSeries[],
  where: Omit<SamplePosition, 'position'>,
  random: RandomGenerator,
  { cancelled, onSample, costs }: RoundOptions & { readonly costs: SeriesCosts },
): Promise<StepOutcome> {
  const taken: (() => void)[] = [];
  for (const [position, series] of shuffle(allSeries, random).entries()) {
    if (cancelled()) return 'cancelled';
    onSample(series.what, where.round);
    const outcome = await runStep(series, async () => {
      const began = performance.now();
      const saveSample = await series.take({ ...where, position });
      costs.record(series, (performance.now() - began) / 1000);
      if (saveSample !== null) taken.push(saveSample);
      return saveSample !== null;
    });
    if (outcome !== 'whole') return outcome;
  }
  for (const saveSample of taken) saveSample();
  return 'whole';
}

/**
 * A candidate whose verdicts are settled is dropped from further rounds if it needs more than this share of a round's
 * time.
 */
const COSTLY_SHARE = 0.5;

/** Time that each series needs per round, in seconds: moving average over its latest samples. */
class SeriesCosts {
  readonly #mean_s = new Map<SampleSeries, number>();

  record(series: SampleSeries, seconds: number): void {
    const before = this.#mean_s.get(series);
    this.#mean_s.set(series, before === undefined ? seconds : before + 0.3 * (seconds - before));
  }

  sumOf(allSeries: readonly SampleSeries[]): number {
    return allSeries.reduce((sum, series) => sum + (this.#mean_s.get(series) ?? 0), 0);
  }
}

/** Selects settled candidates to drop, with all their modes, so that undecided ones get more samples. */
function candidatesToDrop(
  allSeries: readonly SampleSeries[],
  settled: ReadonlySet<SampleSeries>,
  costs: SeriesCosts,
): readonly SampleSeries[] {
  const owners = new Set([...settled].flatMap(({ owner }) => owner ?? []));
  const [reference, control] = [allSeries[0], allSeries.at(-1)];
  const found = allSeries.filter(
    (series) => series !== reference && series !== control && series.owner !== undefined && owners.has(series.owner),
  );
  return costs.sumOf(found) > COSTLY_SHARE * costs.sumOf(allSeries) ? found : [];
}

/**
 * Measures rounds, at least one unless cancelled. All candidates prepare a new state every `roundsPerInstance` rounds;
 * the first state exists already.
 */
export async function measureRounds(
  all: readonly SampleSeries[],
  options: RoundOptions,
): Promise<{ readonly rounds: number; readonly stopped: StopReason }> {
  const { seed, limits, elapsed_s, beforeRound, onRound, roundsPerInstance } = options;
  const random = seededRandom(seed);
  const rule = new StoppingRule<SampleSeries>(limits);
  const costs = new SeriesCosts();
  const left = new Set<SampleSeries>();
  let present = all;
  let [prepared, warmed] = [0, -1];
  for (let round = 0; ; ) {
    const instance = Math.floor(round / roundsPerInstance);
    const allSeries = present.filter((series) => !left.has(series));
    const began_s = elapsed_s();
    let outcome: StepOutcome = 'whole';
    await beforeRound?.();
    if (instance > prepared) outcome = await prepareCandidates(allSeries, options, { instance, round }, 'prepare');
    if (outcome === 'whole') prepared = instance;
    if (outcome === 'whole' && instance > warmed) {
      outcome = await prepareCandidates(allSeries, options, { instance, round }, 'warmUp');
    }
    if (outcome === 'whole') {
      warmed = instance;
      outcome = await measureRound(allSeries, { instance, round }, random, { ...options, costs });
    }
    if (outcome === 'cancelled') return { rounds: round, stopped: 'cancelled' };
    if (outcome !== 'whole') {
      const { series, error } = outcome;
      series.onFailure?.(error);
      present = present.filter((one) => one !== series && (series.owner === undefined || one.owner !== series.owner));
      continue;
    }
    round += 1;
    onRound?.(round);
    if (round % roundsPerInstance === 0) {
      const { stop, settled } = rule.afterInstance(present, left, instance + 1);
      if (stop !== null) return { rounds: round, stopped: stop };
      // A dropped series never returns, because round i of a series is compared with round i of the reference.
      for (const series of candidatesToDrop(allSeries, settled, costs)) left.add(series);
    }
    const limit = rule.afterRound(round, elapsed_s(), elapsed_s() - began_s);
    if (limit !== null) return { rounds: round, stopped: limit };
  }
}
