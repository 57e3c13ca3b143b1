import { describe, expect, it } from 'vitest';
import { buildLongest, longestIn } from '../../../../../electron/host/model/timeline/longest.ts';
import { spansWithin } from '../../../../../electron/host/model/timeline/trace.ts';
import { timelineWindow } from '../../../../../electron/host/model/timeline/window.ts';
import { random, traceOf } from './make.ts';

function crowd(count: number, seed: number) {
  const next = random(seed);
  let at = 0;
  const spans = Array.from({ length: count }, (_, i) => {
    at += next() < 0.01 ? next() * 1e6 : next() * 40;
    const span = { start_ns: at, duration_ns: next() < 0.001 ? next() * 1e5 : next() * 30, name: `name ${i % 7}` };
    at += span.duration_ns;
    return span;
  });
  return traceOf({ spans });
}

describe('the longest of a range', () => {
  it('is what looking at each one finds, for every range', () => {
    const next = random(3);
    const durations = Float64Array.from({ length: 700 }, () => Math.floor(next() * 200));
    const pyramid = buildLongest(durations);
    for (let from = 0; from < 700; from += 13) {
      for (let to = from + 1; to <= 700; to += 17) {
        const part = durations.subarray(from, to);
        expect(longestIn(pyramid, durations, from, to)).toBe(from + part.indexOf(Math.max(...part)));
      }
    }
  });
});

describe('a window at the width of its pixels', () => {
  const trace = crowd(50_000, 7);

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

  it('has rectangles in order that do not overlap by more than the rounding to 32 bits', () => {
    const { left, right } = timelineWindow(trace, { from_ns: 0, to_ns: trace.duration_ns, pixels: 1500, tracks: [0] });
    for (let i = 1; i < left.length; i += 1) {
      expect(left[i]).toBeGreaterThan((left[i - 1] ?? 0) - 1e-3);
      expect(right[i]).toBeGreaterThanOrEqual(left[i] ?? 0);
    }
  });

  it('says of shared pixels how much of their time was busy, and shows the longest', () => {
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

  it('keeps a nanosecond apart a minute into the trace', () => {
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

  it('clips a span that is longer than the window by many orders', () => {
    const { left, right } = timelineWindow(traceOf({ spans: [{ start_ns: 0, duration_ns: 1e12 }] }), {
      from_ns: 5e11,
      to_ns: 5e11 + 8,
      pixels: 400,
      tracks: [0],
    });
    expect([...left, ...right]).toEqual([-1, 401]);
  });

  it('refuses an empty window and a track that is not there', () => {
    const ask = (from_ns: number, to_ns: number, track: number) => () =>
      timelineWindow(trace, { from_ns, to_ns, pixels: 10, tracks: [track] });
    expect(ask(5, 5, 0)).toThrow('The window from 5 to 5 ns is empty.');
    expect(ask(0, 5, 9)).toThrow('There is no track 9; this timeline has 1.');
  });
});
