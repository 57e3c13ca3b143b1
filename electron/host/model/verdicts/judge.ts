/**
 * Decides whether a candidate is faster or slower than the reference, and estimates how many instances a decision
 * needs.
 */
import { MAX_LOG_NOISE_FLOOR } from '../../../contract/bench/bench-session.ts';
import { type Instances, instanceLogRatios, type LogInterval, pairedLogRatio } from './levels.ts';
import { median } from './order.ts';

/** Verdict on a ratio of times. `same` means equivalence: the whole interval of the ratio is within the margin. */
export type SpeedVerdict = 'faster' | 'slower' | 'same' | 'undecided';

/** Criteria that hold for all candidates of a session. */
interface Criteria {
  /** Number of candidates that are compared with the reference. Their intervals must hold simultaneously. */
  readonly candidates: number;
  /** Largest difference in time that does not matter to the user, as a ratio minus 1. */
  readonly margin: number;
}

export const defaultMargin = 0.01;

/**
 * Share of sessions in which at least one interval may miss the true ratio. It is 1 percentage point less than 5 %,
 * because a session ends when its intervals are narrow, and narrow intervals miss more often.
 */
const familyMissRate = 0.04;

/** Probability that one interval misses the true ratio, by Bonferroni's correction for the number of candidates. */
export const missProbability = ({ candidates }: Pick<Criteria, 'candidates'>): number =>
  familyMissRate / Math.max(1, candidates);

/**
 * Noise floor: the deviation to expect between two identical candidates, as the natural logarithm of a ratio. It is the
 * median deviation of the control's instances from the reference's, divided by the square root of their number. Null
 * for too few instances.
 */
export function noiseFloor(control: Instances, reference: Instances): number | null {
  if (pairedLogRatio(control, reference, familyMissRate) === null) return null;
  const apart = instanceLogRatios(control, reference).map(Math.abs);
  return Math.min(MAX_LOG_NOISE_FLOOR, median(apart) / Math.sqrt(apart.length));
}

interface Judgement {
  readonly standing: SpeedVerdict;
  /**
   * Number of instances per candidate that a decision needs, if the spread stays the same. Null if the verdict is
   * already decided, or if no number suffices.
   */
  readonly instancesToDecide: number | null;
}

/** Maximum number of instances that a user would wait for. If more are needed, the verdict stays undecided. */
const maxInstances = 10_000;

/**
 * Judges a ratio of times. `ratio` is the natural logarithm with its interval, measured with `instances` instances.
 * Without a control (`floor` is null) the verdict is undecided.
 */
export function judgeRatio(
  ratio: LogInterval | null,
  floor: number | null,
  { margin }: Pick<Criteria, 'margin'>,
  instances: number,
): Judgement {
  if (ratio === null || floor === null) return { standing: 'undecided', instancesToDecide: null };
  const { middle, half } = ratio;
  const decided = (standing: SpeedVerdict): Judgement => ({ standing, instancesToDecide: null });
  if (middle + half < -floor) return decided('faster');
  if (middle - half > floor) return decided('slower');
  const within = Math.log1p(margin);
  if (Math.abs(middle) + half <= within) return decided('same');
  const wanted = Math.max(Math.abs(middle) - floor, within - Math.abs(middle));
  const needed = wanted > 0 ? Math.ceil(instances * (half / wanted) ** 2 - 1e-9) : Number.POSITIVE_INFINITY;
  return { standing: 'undecided', instancesToDecide: needed > maxInstances ? null : Math.max(instances + 1, needed) };
}
