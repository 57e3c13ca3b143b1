/** Differences of timelines, and detection of slow steps. */
import { describe, expect, test } from 'vitest';
import type { NamedTime, TimelineStatistics } from '../../../../electron/contract/timeline.ts';
import { compareByName } from '../../../../renderer/panels/timeline/difference-table.tsx';
import { slowSteps } from '../../../../renderer/panels/timeline/steps.ts';

const namedTimes = (name: string, count: number, mean_ns: number): NamedTime => ({
  ...{ name, count, sum_ns: count * mean_ns, mean_ns, median_ns: mean_ns, min_ns: mean_ns, p95_ns: mean_ns },
  share: null,
});
const statistics = (...names: NamedTime[]): TimelineStatistics => ({
  ...{ from_ns: 0, to_ns: 1, count: 0, sum_ns: 0, median_ns: 0, min_ns: 0, max_ns: 0, mean_ns: 0, p95_ns: 0 },
  ...{ busyShare: null, gaps: { count: 0, sum_ns: 0, longest_ns: 0, median_ns: 0 }, names },
});

test('a timeline difference lists every name of both timelines, the largest change first', () => {
  const rows = compareByName(
    statistics(namedTimes('a', 2, 10), namedTimes('b', 1, 50)),
    statistics(namedTimes('a', 2, 12), namedTimes('c', 1, 9)),
  );
  expect(rows.map(({ name, difference_ns, ratio }) => [name, difference_ns, ratio])).toEqual([
    ['b', -50, null],
    ['c', 9, null],
    ['a', 4, 1.2],
  ]);
  expect(rows[0]?.second).toBeNull();
});

describe('slow steps of a run', () => {
  const table = (durations: readonly number[], step = durations.map((_, i) => i)) => ({
    step: Uint32Array.from(step),
    start_ns: Float64Array.from(durations, (_, i) => 1000 * i),
    end_ns: Float64Array.from(durations, (duration, i) => 1000 * i + duration),
  });

  test('are those above the 99th percentile, with their positions', () => {
    const durations = Array.from({ length: 200 }, (_, i) => (i === 70 ? 900 : i === 71 ? 800 : 100));
    const found = slowSteps(table(durations));
    expect(found).toMatchObject({ all: 200, median_ns: 100 });
    expect(found?.p99_ns).toBeCloseTo(100 + 0.01 * 700, 9);
    expect(found?.slow).toEqual([
      { step: 70, steps: 1, from_ns: 70_000, to_ns: 70_900, each_ns: 900 },
      { step: 71, steps: 1, from_ns: 71_000, to_ns: 71_800, each_ns: 800 },
    ]);
  });

  test('count one by one if launched together, and equally long steps are not slow', () => {
    expect(slowSteps(table([300, 100, 300], [0, 3, 4]))?.slow).toMatchObject([{ step: 4, each_ns: 300 }]);
    // The number of steps in the last of several launches is unknown, so it is never reported as slow.
    expect(slowSteps(table([490, 500, 480], [0, 49, 98]))).toMatchObject({
      ...{ all: 2, leftOut: 1, slow: [{ step: 49, steps: 49 }] },
    });
    expect(slowSteps(table([5, 5, 5]))?.slow).toEqual([]);
    expect(slowSteps(table([]))).toBeNull();
  });
});
