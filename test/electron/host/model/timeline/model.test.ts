import { describe, expect, it } from 'vitest';
import { MAX_ROWS, tintOf } from '../../../../../electron/host/model/timeline/builder.ts';
import { busyTime, medianInPlace, selectionStatistics } from '../../../../../electron/host/model/timeline/idle-time.ts';
import {
  arrowsWithin,
  searchTrace,
  spanDetails,
  stepTimes,
} from '../../../../../electron/host/model/timeline/questions.ts';
import { traceSummary } from '../../../../../electron/host/model/timeline/summary.ts';
import { endOf, trackOf } from '../../../../../electron/host/model/timeline/trace.ts';
import { seededRandom, traceOf } from './make.ts';

describe('rows of the timeline model', () => {
  it('have calls below their callers', () => {
    const trace = traceOf({
      spans: [
        { name: 'c', start_ns: 20, duration_ns: 10 },
        { name: 'a', start_ns: 0, duration_ns: 100 },
        { name: 'b', start_ns: 10, duration_ns: 50 },
        { name: 'd', start_ns: 60, duration_ns: 40 },
        { name: 'e', start_ns: 100, duration_ns: 5 },
      ],
    });
    const rows = Array.from(trace.start, (_, span) => `${trace.names[trace.nameOf[span] ?? 0]}${trackOf(trace, span)}`);
    expect(rows.sort()).toEqual(['a0', 'b1', 'c2', 'd1', 'e0']);
  });

  it('never contain overlapping spans, however crowded the lane', () => {
    const next = seededRandom(11);
    const spans = Array.from({ length: 4000 }, () => ({ start_ns: next() * 1000, duration_ns: next() * 200 }));
    const trace = traceOf({ spans });
    expect(trace.lanes[0]?.tracks).toBe(MAX_ROWS);
    expect(trace.notes[0]).toMatch(/spans were shortened, because more than \d+ spans of a lane overlap/);
    for (let track = 0; track < trace.laneOf.length; track += 1) {
      for (let span = (trace.offsets[track] ?? 0) + 1; span < (trace.offsets[track + 1] ?? 0); span += 1) {
        expect(trace.start[span]).toBeGreaterThanOrEqual(endOf(trace, span - 1) - 0.8);
      }
    }
  });
});

const gpu = () =>
  traceOf(
    {
      kind: 'api',
      spans: [
        { name: 'cuLaunchKernel', kind: 'call', start_ns: 1000, duration_ns: 100, correlation: 1 },
        { name: 'cuGraphLaunch', kind: 'call', start_ns: 1200, duration_ns: 200, correlation: 2 },
        { name: 'cuMemcpyDtoDAsync', kind: 'call', start_ns: 1500, duration_ns: 50, correlation: 3 },
      ],
    },
    {
      kind: 'stream',
      spans: [
        { name: 'march', kind: 'kernel', start_ns: 1300, duration_ns: 300, correlation: 1 },
        { name: 'march', kind: 'kernel', start_ns: 1700, duration_ns: 100, correlation: 2 },
        { name: 'collide', kind: 'kernel', start_ns: 1800, duration_ns: 100, correlation: 2 },
      ],
    },
    {
      kind: 'copies',
      spans: [
        {
          name: 'copy device to device',
          kind: 'copy',
          start_ns: 1900,
          duration_ns: 100,
          correlation: 3,
          detail: '{"bytes":100000}',
        },
      ],
    },
  );

describe('links of launches', () => {
  it('connect each call to its work, and a graph to all of its nodes', () => {
    const trace = gpu();
    const details = [0, 1, 2].map((span) => spanDetails(trace, span, null));
    expect(details.map(({ launched }) => launched.map(({ name, start_ns }) => `${name} ${start_ns}`))).toEqual([
      ['march 300'],
      ['march 700', 'collide 800'],
      ['copy device to device 900'],
    ]);
    expect(spanDetails(trace, 5, null).launchedBy.map(({ name }) => name)).toEqual(['cuGraphLaunch']);
  });

  it('do not cross processes, even if both number their calls from one', () => {
    const call = { name: 'cuLaunchKernel', kind: 'call', duration_ns: 1, correlation: 1 } as const;
    const kernel = { name: 'k', kind: 'kernel', duration_ns: 1, correlation: 1 } as const;
    const trace = traceOf(
      { scope: 1, spans: [{ ...call, start_ns: 0 }] },
      { scope: 2, spans: [{ ...call, start_ns: 5 }] },
      { scope: 2, spans: [{ ...kernel, start_ns: 10 }] },
      { scope: 1, spans: [{ ...kernel, start_ns: 20 }] },
    );
    expect(spanDetails(trace, 0, null).launched.map(({ start_ns }) => start_ns)).toEqual([20]);
    expect(spanDetails(trace, 1, null).launched.map(({ start_ns }) => start_ns)).toEqual([10]);
  });

  it('are returned as arrows of a window, or only counted if there are too many', () => {
    const trace = gpu();
    const all = { from_ns: 0, to_ns: 1000, tracks: [0, 1, 2] };
    const some = arrowsWithin(trace, { ...all, limit: 10 });
    expect([some.count, ...some.from_ns, ...some.to_ns]).toEqual([4, 0, 200, 200, 500, 300, 700, 800, 900]);
    expect(arrowsWithin(trace, { ...all, limit: 3 })).toMatchObject({ count: 4, from_ns: new Float64Array() });
    expect(arrowsWithin(trace, { ...all, tracks: [0, 1], limit: 10 }).count).toBe(3);
  });
});

describe('a summary of a timeline', () => {
  it('counts kernels, graphs, launches and idle time', () => {
    const summary = traceSummary(gpu());
    expect(summary.device_ns).toBe(1000);
    expect(summary.kernels).toMatchObject({ count: 3, unique: 2, sum_ns: 500 });
    expect(summary.kernels.top[0]).toEqual({
      ...{ name: 'march', count: 2, sum_ns: 400, share: 0.8 },
      ...{ median_ns: 200, min_ns: 100, mean_ns: 200, p95_ns: 290 },
    });
    expect(summary.graphs).toEqual({ launches: 1, kernels: 2, share: 0.4 });
    expect(summary.launches).toEqual({ count: 2, sum_ns: 300, share: 0.3 });
    expect(summary.copies).toEqual({ count: 1, sum_ns: 100, bytes: 100_000 });
    expect(summary.idleShare).toBeCloseTo(0.4, 12);
  });

  it('has no shares without a GPU', () => {
    const summary = traceSummary(traceOf({ spans: [{ start_ns: 0, duration_ns: 5 }] }));
    expect(summary).toMatchObject({
      device_ns: null,
      idleShare: null,
      graphs: { share: null },
      launches: { share: null },
    });
  });
});

describe('a selected span', () => {
  it('shows its rate, and the share of the copy bandwidth if that is known', () => {
    const details = spanDetails(gpu(), 6, 4e12);
    expect(details).toMatchObject({ bytes: 100_000, kind: 'copy' });
    expect(details.bytes_per_s).toBeCloseTo(1e12, -3);
    // A copy within the device reads and writes each byte.
    expect(details.shareOfCeiling).toBeCloseTo(0.5, 9);
    expect(spanDetails(gpu(), 6, null).shareOfCeiling).toBeNull();
  });

  it('is rejected if it does not exist', () => {
    expect(() => spanDetails(gpu(), 7, null)).toThrow('There is no span 7; this timeline has 7.');
  });
});

describe('a selected time range', () => {
  const spans = [
    { name: 'a', start_ns: 0, duration_ns: 10 },
    { name: 'b', start_ns: 20, duration_ns: 30 },
    { name: 'a', start_ns: 60, duration_ns: 20 },
    { name: 'a', start_ns: 100, duration_ns: 5 },
  ];

  it('sums the parts of spans inside it, and uses the median of complete durations', () => {
    const all = selectionStatistics(traceOf({ spans }), { from_ns: 5, to_ns: 70, tracks: null, name: null });
    expect(all).toMatchObject({ count: 3, sum_ns: 45, median_ns: 20, min_ns: 10, max_ns: 30, mean_ns: 20, p95_ns: 29 });
    expect(all.busyShare).toBeCloseTo(45 / 65, 12);
    expect(all.gaps).toEqual({ count: 2, sum_ns: 20, longest_ns: 10, median_ns: 10 });
    expect(all.names).toEqual([
      { name: 'b', count: 1, sum_ns: 30, median_ns: 30, min_ns: 30, mean_ns: 30, p95_ns: 30, share: 30 / 45 },
      { name: 'a', count: 2, sum_ns: 15, median_ns: 15, min_ns: 10, mean_ns: 15, p95_ns: 19.5, share: 15 / 45 },
    ]);
  });

  it('can be restricted to one name', () => {
    const { count, sum_ns, gaps } = selectionStatistics(traceOf({ spans }), {
      from_ns: 0,
      to_ns: 105,
      tracks: null,
      name: 'a',
    });
    expect({ count, sum_ns, gaps: gaps.count, longest: gaps.longest_ns }).toEqual({
      count: 3,
      sum_ns: 35,
      gaps: 2,
      longest: 50,
    });
  });

  it('counts concurrent spans in several rows only once in its busy time', () => {
    const next = seededRandom(5);
    const many = Array.from({ length: 300 }, () => ({ start_ns: next() * 1000, duration_ns: next() * 12 }));
    const trace = traceOf({ spans: many });
    const covered = new Uint8Array(100_000);
    const origin = Math.min(...many.map(({ start_ns }) => start_ns));
    for (const { start_ns, duration_ns } of many) {
      covered.fill(1, Math.round((start_ns - origin) * 100), Math.round((start_ns - origin + duration_ns) * 100));
    }
    const { busy_ns } = busyTime(trace, [...trace.laneOf.keys()], 0, 1000);
    expect(busy_ns).toBeCloseTo(covered.reduce((sum, one) => sum + one, 0) / 100, -0.5);
  });
});

describe('search results, steps, medians and colours', () => {
  it('find names by a part, in order of time', () => {
    const trace = traceOf(
      { spans: [{ name: 'Collide path', start_ns: 50, duration_ns: 5 }] },
      {
        spans: [
          { name: 'collide depth', start_ns: 10, duration_ns: 5 },
          { name: 'stream', start_ns: 20, duration_ns: 5 },
        ],
      },
    );
    const found = searchTrace(trace, 'COLLIDE', 10);
    expect([found.count, found.names, found.sum_ns, ...found.start_ns]).toEqual([2, 2, 10, 0, 40]);
    expect([...found.track]).toEqual([1, 0]);
    expect([...searchTrace(trace, 'l', 1).span]).toHaveLength(1);
    expect(searchTrace(trace, 'nothing', 5).count).toBe(0);
  });

  it('place steps from their first start to their last end', () => {
    const steps = stepTimes(
      traceOf({
        spans: [
          { start_ns: 100, duration_ns: 10, step: 3 },
          { start_ns: 0, duration_ns: 10, step: 1 },
          { start_ns: 120, duration_ns: 30, step: 3 },
          { start_ns: 200, duration_ns: 30 },
        ],
      }),
    );
    expect([[...steps.step], [...steps.start_ns], [...steps.end_ns]]).toEqual([
      [1, 3],
      [0, 100],
      [10, 150],
    ]);
  });

  it('average the two middle values of an even number, and give 0 for none', () => {
    expect([
      medianInPlace(new Float64Array()),
      medianInPlace(Float64Array.of(4, 1, 3, 2)),
      medianInPlace(Float64Array.of(9, 1, 5)),
    ]).toEqual([0, 2.5, 5]);
  });

  it('use the same colour for versions of one kernel', () => {
    expect(tintOf('void march<float, 4>(float*, int)')).toBe(tintOf('void march<double, 8>(double*)'));
    const tints = new Set(Array.from({ length: 200 }, (_, i) => tintOf(`kernel ${i}`)));
    expect(tints.size).toBe(8);
  });
});
