/** What two timelines differ by in the same selection, name by name. */
import type { NamedTime, TimelineStatistics } from '../../../../electron/contract/timeline.ts';

interface NamedDifference {
  readonly name: string;
  /** Null: nothing of that name there. */
  readonly first: NamedTime | null;
  readonly second: NamedTime | null;
  /** Sum of the second less that of the first. */
  readonly less_ns: number;
  /** Mean of the second over that of the first; null where one has none. */
  readonly over: number | null;
}

/** The largest change first. */
export function differenceOf(first: TimelineStatistics, second: TimelineStatistics): readonly NamedDifference[] {
  const find = ({ names }: TimelineStatistics): ReadonlyMap<string, NamedTime> =>
    new Map(names.map((one) => [one.name, one]));
  const [a, b] = [find(first), find(second)];
  return [...new Set([...a.keys(), ...b.keys()])]
    .map((name): NamedDifference => {
      const [one, other] = [a.get(name) ?? null, b.get(name) ?? null];
      const over = one !== null && other !== null && one.mean_ns > 0 ? other.mean_ns / one.mean_ns : null;
      return { name, first: one, second: other, less_ns: (other?.sum_ns ?? 0) - (one?.sum_ns ?? 0), over };
    })
    .toSorted((x, y) => Math.abs(y.less_ns) - Math.abs(x.less_ns));
}
