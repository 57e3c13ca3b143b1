/** Verdict on a candidate compared with the reference, and the number of instances that would decide it. */
import { MAX_LOG_NOISE_FLOOR } from '../../../contract/bench/bench-session.ts';
import { type Instances, instanceLogRatios, type LogInterval, pairedLogRatio } from './levels.ts';
import { median } from './order.ts';

/** `same` means equivalence: the whole interval lies within the margin. */
export type SpeedVerdict = 'faster' | 'slower' | 'same' | 'undecided';

/** Criteria for judging a table of candidates. */
interface Criteria {
  /** Number of candidates compared with the reference; their intervals hold simultaneously. */
  readonly candidates: number;
  /** Largest difference that does not matter to the user, as a ratio minus 1. */
  readonly margin: number;
}

export const defaultMargin = 0.01;

/**
 * Share of sessions in which an interval of the table may miss the true ratio. One percentage point below 5 %, because
 * sessions end when intervals are narrow, and narrow intervals miss more often.
 */
const familyMissRate = 0.04;

/** Probability of a miss for one interval, by Bonferroni's correction. */
export const missProbability = ({ candidates }: Pick<Criteria, 'candidates'>): number =>
  familyMissRate / Math.max(1, candidates);

/**
 * Noise floor as a natural logarithm: the expected deviation between two identical candidates, for means over as many
 * instances. It is the median deviation of the control's instances from the reference's, divided by the square root of
 * their number. Null if there are too few.
 */
export function noiseFloorOf(control: Instances, reference: Instances): number | null {
  if (pairedLogRatio(control, reference, familyMissRate) === null) return null;
  const apart = instanceLogRatios(control, reference).map(Math.abs);
  return Math.min(MAX_LOG_NOISE_FLOOR, median(apart) / Math.sqrt(apart.length));
}

interface Judgement {
  readonly standing: SpeedVerdict;
  /**
   * Number of instances of each candidate needed for a decision, at the spread seen so far. Null if already decided, or
   * if no number suffices.
   */
  readonly instancesToDecide: number | null;
}

/**
 * Maximum number of instances that a user would wait for. If more are needed, measuring does not lead to a decision.
 */
const maxInstances = 10_000;

/** `ratio` is on the natural logarithm, from `instances` instances. Without a control the verdict is undecided. */
export function judge(
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
