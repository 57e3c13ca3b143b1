/** Verdict on a candidate compared with the reference, and the number of instances that would decide it. */
import { highestFloor } from '../../../contract/bench/bench-session.ts';
import { type Instances, instanceLogRatios, type LogInterval, pairedLogRatio } from './levels.ts';
import { median } from './order.ts';

/** `same` is an equivalence: the whole interval lies inside the margin. */
export type Standing = 'faster' | 'slower' | 'same' | 'undecided';

/** Criteria for judging a table of candidates. */
interface Criteria {
  /** Number of candidates compared with the reference: all their intervals hold at once. */
  readonly contestants: number;
  /** A difference of this much, as a ratio less 1, does not matter to the user. */
  readonly margin: number;
}

export const usualMargin = 0.01;

/**
 * Share of sessions in which some interval of a table may miss. One per cent
 * below 5 %, because sessions end when intervals are narrow, and the narrow ones
 * miss more often.
 */
const missing = 0.04;

/** Bonferroni's share of one interval. */
export const outsideOf = ({ contestants }: Pick<Criteria, 'contestants'>): number => missing / Math.max(1, contestants);

/**
 * Noise floor on the natural logarithm: the deviation of a mean over as many instances between two identical
 * candidates. Median deviation of the control's instances from the reference's, over the root of their number. Null if
 * there are too few.
 */
export function noiseFloorOf(control: Instances, reference: Instances): number | null {
  if (pairedLogRatio(control, reference, missing) === null) return null;
  const apart = instanceLogRatios(control, reference).map(Math.abs);
  return Math.min(highestFloor, median(apart) / Math.sqrt(apart.length));
}

interface Judgement {
  readonly standing: Standing;
  /**
   * Instances of each candidate needed for a decision at the spread seen so far. Null if decided, or if no number
   * suffices.
   */
  readonly instancesToDecide: number | null;
}

/** More than anyone waits for: what needs these is not decided by measuring. */
const mostInstances = 10_000;

/** `ratio` on the natural logarithm, made of `instances` instances. Without a control nothing is said. */
export function judge(
  ratio: LogInterval | null,
  floor: number | null,
  { margin }: Pick<Criteria, 'margin'>,
  instances: number,
): Judgement {
  if (ratio === null || floor === null) return { standing: 'undecided', instancesToDecide: null };
  const { middle, half } = ratio;
  const decided = (standing: Standing): Judgement => ({ standing, instancesToDecide: null });
  if (middle + half < -floor) return decided('faster');
  if (middle - half > floor) return decided('slower');
  const within = Math.log1p(margin);
  if (Math.abs(middle) + half <= within) return decided('same');
  const wanted = Math.max(Math.abs(middle) - floor, within - Math.abs(middle));
  const needed = wanted > 0 ? Math.ceil(instances * (half / wanted) ** 2 - 1e-9) : Number.POSITIVE_INFINITY;
  return { standing: 'undecided', instancesToDecide: needed > mostInstances ? null : Math.max(instances + 1, needed) };
}
