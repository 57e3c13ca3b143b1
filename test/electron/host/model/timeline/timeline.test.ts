/** An exported trace follows the rules of viewers: spans of a thread nest, and arrows end within spans. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { TraceBuilder } from '../../../../../electron/host/model/timeline/builder.ts';
import { argumentsText, spanArguments } from '../../../../../electron/host/model/timeline/details.ts';
import { chromeTraceText } from '../../../../../electron/host/model/timeline/export.ts';
import { idleTime, selectionStatistics } from '../../../../../electron/host/model/timeline/idle-time.ts';
import { ChromeImport } from '../../../../../electron/host/model/timeline/import/chrome.ts';
import { timelineWindow } from '../../../../../electron/host/model/timeline/questions.ts';
import { hostTime } from '../../../../../electron/host/model/timeline/summary.ts';
import {
  buildLongest,
  findLongest,
  kindOf,
  spansWithin,
  type Trace,
} from '../../../../../electron/host/model/timeline/trace.ts';
import { runs } from '../../../../fuzz/seed.ts';
import { type SpanInput, seededRandom, traceOf } from './make.ts';

describe('time on the host', () => {
  const span = (name: string, start_ns: number, duration_ns: number) => ({ name, start_ns, duration_ns });

  test('within a nested call counts for that call, not for its caller, and recursion counts once', () => {
    const trace = traceOf({
      spans: [span('step', 0, 100), span('scatter', 10, 40), span('remap', 60, 20), span('scatter', 20, 10)],
    });
    const { operations, operationCount } = hostTime(trace);
    expect(operationCount).toBe(3);
    expect(operations.map(({ name, count, sum_ns, own_ns, share }) => [name, count, sum_ns, own_ns, share])).toEqual([
      ['step', 1, 100, 40, 0.4],
      ['scatter', 2, 40, 40, 0.4],
      ['remap', 1, 20, 20, 0.2],
    ]);
  });

  test('is listed per thread, with the excess of the busiest thread over the mean', () => {
    const trace = traceOf(
      { name: 'thread 0', spans: [span('set-up', 0, 1000), span('rows', 1000, 300)] },
      { name: 'thread 1', spans: [span('rows', 1000, 100)] },
    );
    const [use] = hostTime(trace).processes;
    expect(use).toMatchObject({ extent_ns: 1300, threadCount: 2, busyShare: (1300 + 100) / 2 / 1300 });
    expect(use?.threads.map(({ name, busy_ns }) => `${name} ${busy_ns}`)).toEqual(['thread 0 1300', 'thread 1 100']);
    // The imbalance omits the set-up, which runs on one thread only. It follows from the busy times 300 and 100 of the
    // two threads.
    expect(use?.imbalance).toBeCloseTo(0.5, 12);
    const of = Object.fromEntries(hostTime(trace).operations.map(({ name, imbalance }) => [name, imbalance]));
    expect(of).toEqual({ 'set-up': null, rows: 0.5 });
  });

  test('is uneven if one thread has no work', () => {
    const trace = traceOf(
      { name: 'a', spans: [span('rows', 0, 90)] },
      { name: 'b', spans: [span('rows', 0, 90)] },
      { name: 'c', spans: [span('set-up', 0, 10)] },
    );
    expect(hostTime(trace).processes[0]?.imbalance).toBeCloseTo(0.5, 12);
  });

  test('is separate for the variants of a session, with CUDA calls in their own table', () => {
    const trace = traceOf(
      { process: 'fast', spans: [span('rows', 0, 10)] },
      { process: 'slow', spans: [span('rows', 0, 30)] },
      { process: 'slow', kind: 'api', spans: [{ ...span('cuLaunchKernel', 5, 2), kind: 'call' }] },
      { process: 'GPU', kind: 'thread', spans: [{ ...span('steps on the device', 0, 99), kind: 'range' }] },
    );
    const { processes, operations, calls } = hostTime(trace);
    expect(processes.map(({ process, imbalance }) => [process, imbalance])).toEqual([
      ['fast', null],
      ['slow', null],
    ]);
    expect(operations).toEqual([
      { name: 'rows', count: 2, sum_ns: 40, own_ns: 40, share: 1, threads: 2, imbalance: null },
    ]);
    expect(calls.map(({ name, own_ns }) => `${name} ${own_ns}`)).toEqual(['cuLaunchKernel 2']);
  });

  test('includes threads without work', () => {
    const rows = [{ name: 'rows', start_ns: 0, duration_ns: 80 }];
    const trace = traceOf({ name: 'thread 0', spans: rows }, { name: 'thread 1', spans: [], alwaysShown: true });
    const [use] = hostTime(trace).processes;
    expect(use).toMatchObject({ threadCount: 2, busyShare: 0.5, extent_ns: 80 });
    expect(use?.threads[1]).toEqual({ name: 'thread 1', busy_ns: 0, share: 0 });
  });
});

const of =
  (kind: 'call' | 'kernel' | 'copy') =>
  (name: string, start_ns: number, duration_ns: number, correlation = 0): SpanInput => ({
    name,
    kind,
    start_ns,
    duration_ns,
    correlation,
  });
const [call, kernel] = [of('call'), of('kernel')];
const copy = (start_ns: number, duration_ns: number): SpanInput => of('copy')('copy', start_ns, duration_ns);

const made = (
  calls: readonly SpanInput[],
  kernels: readonly SpanInput[],
  copies: readonly SpanInput[] = [],
  host: SpanInput[] = [],
) =>
  idleTime(
    traceOf(
      { kind: 'thread', spans: [{ name: 'whole', start_ns: 0, duration_ns: 1 }, ...host] },
      ...(calls.length > 0 ? [{ kind: 'api' as const, spans: calls }] : []),
      { kind: 'stream', spans: kernels },
      ...(copies.length > 0 ? [{ kind: 'copies' as const, spans: copies }] : []),
    ),
  );
const causes = (found: ReturnType<typeof made>) =>
  Object.fromEntries((found?.causes ?? []).map(({ cause, sum_ns }) => [cause, sum_ns]));

describe('a gap between kernels', () => {
  it('is attributed to waiting before the launch, and to launching afterwards', () => {
    const found = made(
      [call('cuLaunchKernel', 0, 10, 1), call('cuStreamSynchronize', 20, 100), call('cuLaunchKernel', 150, 10, 2)],
      [kernel('a', 10, 90, 1), kernel('b', 165, 35, 2)],
      [],
      [{ name: 'optimizer', start_ns: 121, duration_ns: 25 }],
    );
    expect(found).toMatchObject({ count: 1, sum_ns: 65, extent_ns: 190 });
    expect(causes(found)).toEqual({ wait: 20, host: 30, launch: 15 });
    expect(found?.longest).toMatchObject([
      { start_ns: 100, duration_ns: 65, cause: 'host', host: 'optimizer', next: 'b' },
    ]);
  });

  it('is attributed to the queue if the next kernel was launched before the gap', () => {
    const calls = [call('cuLaunchKernel', 0, 10, 1), call('cuLaunchKernel', 12, 10, 2)];
    expect(causes(made(calls, [kernel('a', 10, 90, 1), kernel('b', 107, 10, 2)]))).toEqual({ queue: 7 });
    // The launching call extends into the gap.
    const late = [call('cuLaunchKernel', 0, 10, 1), call('cuLaunchKernel', 95, 10, 2)];
    expect(causes(made(late, [kernel('a', 10, 90, 1), kernel('b', 107, 10, 2)]))).toEqual({ launch: 7 });
  });

  it('is attributed to a copy while one runs, whatever the host waits for', () => {
    const found = made(
      [call('cudaLaunchKernel', 0, 5, 1), call('cudaMemcpy', 40, 200), call('cudaLaunchKernel', 250, 10, 2)],
      [kernel('a', 5, 45, 1), kernel('b', 270, 10, 2)],
      [copy(60, 150), copy(240, 20)],
    );
    // 50–60 waiting, 60–210 copy, 210–240 waiting, 240–260 copy, 260–270 launching.
    expect(causes(found)).toEqual({ copy: 170, wait: 40, launch: 10 });
    expect(found?.causes.map(({ cause, count }) => `${cause} ${count}`)).toEqual(['copy 1', 'wait 1', 'launch 1']);
    expect(found?.longest[0]).toMatchObject({ cause: 'copy', host: 'cudaMemcpy' });
  });

  it('is unexplained if no launch was recorded', () => {
    expect(causes(made([], [kernel('a', 0, 10), kernel('b', 30, 10)]))).toEqual({ unknown: 20 });
  });

  it('does not exist while a kernel of another stream runs, or without two kernels', () => {
    const trace = traceOf(
      { kind: 'stream', spans: [kernel('a', 0, 10), kernel('c', 30, 10)] },
      { kind: 'stream', spans: [kernel('b', 5, 30)] },
    );
    expect(idleTime(trace)).toEqual({ count: 0, sum_ns: 0, extent_ns: 40, causes: [], longest: [] });
    expect(idleTime(traceOf({ kind: 'stream', spans: [kernel('a', 0, 10)] }))).toBeNull();
  });

  it('is listed among thousands if it is one of the ten longest', () => {
    const spans = Array.from({ length: 3000 }, (_, i) => kernel('k', 100 * i, 100 - ((i * 37) % 90) - 1));
    const found = idleTime(traceOf({ kind: 'stream', spans }));
    expect(found?.count).toBe(2999);
    const gaps = spans.slice(0, -1).map(({ duration_ns }) => 100 - duration_ns);
    expect(found?.sum_ns).toBe(gaps.reduce((sum, gap) => sum + gap, 0));
    expect(found?.longest.map(({ duration_ns }) => duration_ns)).toEqual(gaps.toSorted((a, b) => b - a).slice(0, 10));
  });
});

function randomTrace(count: number, seed: number) {
  const next = seededRandom(seed);
  let at = 0;
  const spans = Array.from({ length: count }, (_, i) => {
    at += next() < 0.01 ? next() * 1e6 : next() * 40;
    const span = { start_ns: at, duration_ns: next() < 0.001 ? next() * 1e5 : next() * 30, name: `name ${i % 7}` };
    at += span.duration_ns;
    return span;
  });
  return traceOf({ spans });
}

describe('the longest span in a range', () => {
  it('equals the result of a linear search, for every range', () => {
    const next = seededRandom(3);
    const durations = Float64Array.from({ length: 700 }, () => Math.floor(next() * 200));
    const pyramid = buildLongest(durations);
    for (let from = 0; from < 700; from += 13) {
      for (let to = from + 1; to <= 700; to += 17) {
        const part = durations.subarray(from, to);
        expect(findLongest(pyramid, durations, from, to)).toBe(from + part.indexOf(Math.max(...part)));
      }
    }
  });
});

describe('a window drawn at pixel resolution', () => {
  const trace = randomTrace(50_000, 7);

  it.each([1, 10, 777, 2000])(
    'has at most two rectangles per pixel and counts every span once: %i pixels',
    (pixels) => {
      for (const [from, to] of [
        [0, trace.duration_ns],
        [trace.duration_ns * 0.3, trace.duration_ns * 0.301],
        [trace.duration_ns * 0.5, trace.duration_ns * 0.5 + 300],
      ] as const) {
        const window = timelineWindow(trace, { from_ns: from, to_ns: to, pixels, tracks: [0] });
        const [first, last] = spansWithin(trace, 0, from, to);
        expect(window.count.reduce((sum, count) => sum + count, 0)).toBe(last - first);
        expect(window.left.length).toBeLessThanOrEqual(2 * pixels + 1);
      }
    },
  );

  it('has ordered rectangles that overlap at most by the rounding to 32 bits', () => {
    const { left, right } = timelineWindow(trace, { from_ns: 0, to_ns: trace.duration_ns, pixels: 1500, tracks: [0] });
    for (let i = 1; i < left.length; i += 1) {
      expect(left[i]).toBeGreaterThan((left[i - 1] ?? 0) - 1e-3);
      expect(right[i]).toBeGreaterThanOrEqual(left[i] ?? 0);
    }
  });

  it('reports the busy share of shared pixels, and shows the longest span', () => {
    const packed = traceOf({
      spans: Array.from({ length: 1000 }, (_, i) => ({
        start_ns: i,
        duration_ns: i === 500 ? 0.9 : 0.25,
        name: `${i}`,
      })),
    });
    const { count, busy, name } = timelineWindow(packed, { from_ns: 0, to_ns: 1000, pixels: 10, tracks: [0] });
    expect([...count]).toEqual(Array(10).fill(100));
    expect(packed.names[name[5] ?? 0]).toBe('500');
    for (const share of busy) expect(share / 255).toBeCloseTo(0.25, 1);
  });

  it('resolves a nanosecond one minute into the trace', () => {
    const minute = 60e9;
    const late = traceOf({
      spans: [0, minute, minute + 1, minute + 3].map((start_ns) => ({ start_ns, duration_ns: 1 })),
    });
    const { left, right, count } = timelineWindow(late, {
      from_ns: minute,
      to_ns: minute + 10,
      pixels: 1000,
      tracks: [0],
    });
    expect([...left]).toEqual([0, 100, 300]);
    expect([...right]).toEqual([100, 200, 400]);
    expect([...count]).toEqual([1, 1, 1]);
  });

  it('clips a span that is many orders of magnitude longer than the window', () => {
    const { left, right } = timelineWindow(traceOf({ spans: [{ start_ns: 0, duration_ns: 1e12 }] }), {
      from_ns: 5e11,
      to_ns: 5e11 + 8,
      pixels: 400,
      tracks: [0],
    });
    expect([...left, ...right]).toEqual([-1, 401]);
  });

  it('rejects an empty window and an unknown track', () => {
    const ask = (from_ns: number, to_ns: number, track: number) => () =>
      timelineWindow(trace, { from_ns, to_ns, pixels: 10, tracks: [track] });
    expect(ask(5, 5, 0)).toThrow('The window from 5 to 5 ns is empty.');
    expect(ask(0, 5, 9)).toThrow('There is no track 9; this timeline has 1.');
  });
});

describe('exported timelines', () => {
  interface Event {
    readonly ph: string;
    readonly name: string;
    readonly pid: number;
    readonly tid: number;
    readonly ts: number;
    readonly dur: number;
    readonly args: Readonly<Record<string, unknown>>;
  }

  const textOf = (trace: Trace): string => [...chromeTraceText(trace, null)].join('');
  const eventsOf = (trace: Trace): readonly Event[] => JSON.parse(textOf(trace)).traceEvents;
  const ns = (us: number): number => Math.round(us * 1000);

  /** Spans that begin within another span of their thread and end after it, which viewers drop. */
  function crossings(events: readonly Event[]): number {
    let count = 0;
    for (const own of Map.groupBy(events, ({ pid, tid }) => `${pid} ${tid}`).values()) {
      const ends: number[] = [];
      const spans = own.map(({ ts, dur }) => [ns(ts), ns(ts + dur)] as const);
      for (const [from, to] of spans.sort((a, b) => a[0] - b[0] || b[1] - a[1])) {
        while (ends.length > 0 && (ends.at(-1) ?? 0) <= from) ends.pop();
        if (ends.length > 0 && to > (ends.at(-1) ?? 0)) count += 1;
        ends.push(to);
      }
    }
    return count;
  }

  test('keep calls on one thread, and use several for concurrent requests', () => {
    const trace = traceOf(
      {
        name: 'calls',
        spans: [
          { start_ns: 0, duration_ns: 100 },
          { start_ns: 10, duration_ns: 50 },
        ],
      },
      {
        name: 'requests',
        spans: [
          { start_ns: 0, duration_ns: 50 },
          { start_ns: 20, duration_ns: 80 },
          { start_ns: 60, duration_ns: 10 },
        ],
      },
    );
    const events = eventsOf(trace);
    const threads = events.filter(({ name }) => name === 'thread_name').map(({ args }) => args['name']);
    expect(threads).toEqual(['calls', 'requests', 'requests (2)']);
    expect(events.filter(({ name }) => name === 'process_sort_index')).toHaveLength(1);
    expect(crossings(events.filter(({ ph }) => ph === 'X'))).toBe(0);
  });

  test('nest overlapping spans on threads without loss, and read back', () => {
    const next = seededRandom(3);
    const spans = Array.from({ length: 2000 }, () => ({ start_ns: 1e4 * next(), duration_ns: 400 * next() ** 4 }));
    const trace = traceOf({ spans }, { spans: spans.slice(0, 100) });
    const events = eventsOf(trace).filter(({ ph }) => ph === 'X');
    expect(events).toHaveLength(2100);
    expect(crossings(events)).toBe(0);
    const again = new ChromeImport();
    again.push(Buffer.from(textOf(trace)));
    const whole = (of: Trace) =>
      selectionStatistics(of, { from_ns: 0, to_ns: of.duration_ns, tracks: null, name: null });
    const [before, after] = [whole(trace), whole(again.finish('again'))];
    expect(after.count).toBe(before.count);
    // Times are written to the nanosecond.
    expect(Math.abs(after.sum_ns - before.sum_ns)).toBeLessThan(before.count);
  });

  test('read back with names, kinds, times and arguments', () => {
    const size = fc.tuple(fc.nat(1000), fc.nat(1000), fc.nat(1000));
    const span = fc.record({
      name: fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
      kind: fc.constantFrom('other', 'kernel', 'copy', 'memset', 'graph', 'call', 'range' as const),
      start_ns: fc.nat(2 ** 40),
      duration_ns: fc.nat(1e9),
      args: fc.record({ grid: size, registers: fc.nat(255), bytes: fc.nat() }, { requiredKeys: [] }),
    });
    const rows = (trace: Trace): readonly string[] => {
      const first = trace.start.reduce((least, start) => Math.min(least, start), Number.POSITIVE_INFINITY);
      return Array.from(trace.start, (start, i) =>
        JSON.stringify([
          trace.names[trace.nameOf[i] ?? 0],
          kindOf(trace, i),
          // Microseconds with three decimals resolve a nanosecond, but are not exact in binary.
          Math.round(start - first),
          Math.round(trace.duration[i] ?? 0),
          Object.entries(spanArguments(trace.details[trace.detailOf[i] ?? 0] ?? '')).sort(),
        ]),
      ).sort();
    };
    fc.assert(
      fc.property(fc.array(span, { minLength: 1, maxLength: 12 }), (spans) => {
        const builder = new TraceBuilder();
        // Each span gets a separate lane. On one lane, rounding of times could make neighbouring spans overlap, and the
        // later one would be shortened.
        for (const { args, ...one } of spans) {
          const lane = builder.addLane({ process: 'p', name: 'lane', kind: 'thread', scope: 0, order: 0 });
          builder.addSpan({ ...one, lane, detail: argumentsText(args) });
        }
        const written = builder.build({ source: 'chrome-trace', name: 'n', about: '', device: null });
        const reading = new ChromeImport();
        reading.push(Buffer.from(textOf(written)));
        expect(rows(reading.finish('n'))).toEqual(rows(written));
      }),
      { numRuns: runs(200) },
    );
  });
});
