/** An exported trace by the rules of the viewers that open it: spans of a thread nest, arrows end within spans. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TraceBuilder } from '../../../../../electron/host/model/timeline/builder.ts';
import { argumentsText, spanArguments } from '../../../../../electron/host/model/timeline/details.ts';
import { chromeTraceText } from '../../../../../electron/host/model/timeline/export.ts';
import { ChromeImport } from '../../../../../electron/host/model/timeline/import/chrome.ts';
import { selectionStatistics } from '../../../../../electron/host/model/timeline/statistics.ts';
import { kindOf, type Trace } from '../../../../../electron/host/model/timeline/trace.ts';
import { runs } from '../../../../fuzz/runs.ts';
import { random, traceOf } from './make.ts';

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

/** Spans that begin within another of their thread and end after it: what viewers drop. */
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

test('calls stay on one thread, requests side by side come on several', () => {
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

test('whatever overlaps, nothing is lost: any spans nest on their threads and come back', () => {
  const next = random(3);
  const spans = Array.from({ length: 2000 }, () => ({ start_ns: 1e4 * next(), duration_ns: 400 * next() ** 4 }));
  const trace = traceOf({ spans }, { spans: spans.slice(0, 100) });
  const events = eventsOf(trace).filter(({ ph }) => ph === 'X');
  expect(events).toHaveLength(2100);
  expect(crossings(events)).toBe(0);
  const again = new ChromeImport();
  again.push(Buffer.from(textOf(trace)));
  const whole = (of: Trace) => selectionStatistics(of, { from_ns: 0, to_ns: of.duration_ns, tracks: null, name: null });
  const [before, after] = [whole(trace), whole(again.finish('again'))];
  expect(after.count).toBe(before.count);
  // Written to the nanosecond.
  expect(Math.abs(after.sum_ns - before.sum_ns)).toBeLessThan(before.count);
});

test('any spans that are written read back: names, kinds, times and arguments', () => {
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
        // Microseconds with decimals resolve a nanosecond, and are not exact in binary.
        Math.round(start - first),
        Math.round(trace.duration[i] ?? 0),
        Object.entries(spanArguments(trace.details[trace.detailOf[i] ?? 0] ?? '')).sort(),
      ]),
    ).sort();
  };
  fc.assert(
    fc.property(fc.array(span, { minLength: 1, maxLength: 12 }), (spans) => {
      const builder = new TraceBuilder();
      // A lane for each: spans that overlap on one lane are shortened by no more than rounding.
      for (const { args, ...one } of spans) {
        const lane = builder.lane({ process: 'p', name: 'lane', kind: 'thread', scope: 0, order: 0 });
        builder.span({ ...one, lane, detail: argumentsText(args) });
      }
      const written = builder.build({ source: 'chrome-trace', name: 'n', about: '', device: null });
      const reading = new ChromeImport();
      reading.push(Buffer.from(textOf(written)));
      expect(rows(reading.finish('n'))).toEqual(rows(written));
    }),
    { numRuns: runs(200) },
  );
});
