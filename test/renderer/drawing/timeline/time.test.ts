import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactTime, timeText, timeTicks } from '../../../../renderer/drawing/timeline/time-text.ts';
import {
  bounded,
  fitted,
  movedBy,
  revealing,
  SHORTEST_NS,
  scrolledTo,
  zoomedAt,
} from '../../../../renderer/drawing/timeline/time-window.ts';

describe('times as text', () => {
  it.each([
    [0, '0 ns'],
    [0.25, '0.3 ns'],
    [12, '12 ns'],
    [999.4, '999 ns'],
    [999.6, '1.00 µs'],
    [17_230, '17.2 µs'],
    [3_946_490, '3.95 ms'],
    [999_999_999, '1.00 s'],
    [12.34e9, '12.3 s'],
    [90e9, '1.50 min'],
    [-17_230, '−17.2 µs'],
  ])('%d ns in three digits is %s', (ns, text) => {
    expect(timeText(ns)).toBe(text);
  });

  it.each([
    [0, '0 ns'],
    [950, '950 ns'],
    [112_153_932, '112.153\u202f932 ms'],
    [20_500, '20.5 µs'],
    [123_456_789_012, '2 min 3.456\u202f789\u202f012 s'],
    [-1_000_000, '−1 ms'],
  ])('%d ns exactly is %s', (ns, text) => {
    expect(exactTime(ns)).toBe(text);
  });
});

describe('a ruler', () => {
  it('has units from nanoseconds to minutes', () => {
    const labels = (from: number, to: number) => timeTicks(from, to, 5).ticks.map(({ label }) => label);
    expect(labels(0, 100)).toEqual(['0 ns', '20 ns', '40 ns', '60 ns', '80 ns', '100 ns']);
    expect(labels(0, 4e6)).toEqual(['0 ms', '1 ms', '2 ms', '3 ms', '4 ms']);
    expect(labels(0, 30e9)).toEqual(['0 s', '10 s', '20 s', '30 s']);
    expect(labels(0, 300e9)).toEqual(['0 min', '1 min', '2 min', '3 min', '4 min', '5 min']);
  });

  it('counts from a round time near by when it is far from zero', () => {
    const { base_ns, ticks } = timeTicks(120e9 + 300, 120e9 + 400, 5);
    expect(base_ns).toBe(120e9);
    expect(ticks.map(({ label }) => label)).toEqual(['+300 ns', '+320 ns', '+340 ns', '+360 ns', '+380 ns', '+400 ns']);
  });

  it('has no more ticks than asked for, all within, wherever it stands', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e12, max: 1e12, noNaN: true }),
        fc.double({ min: 1, max: 12, noNaN: true }),
        fc.integer({ min: 2, max: 20 }),
        (from, exponent, most) => {
          const to = from + 10 ** exponent;
          const { ticks, step_ns } = timeTicks(from, to, most);
          expect(ticks.length).toBeLessThanOrEqual(most + 1);
          for (const { ns } of ticks) {
            expect(ns).toBeGreaterThanOrEqual(from - step_ns * 1e-3 - 1e-3);
            expect(ns).toBeLessThanOrEqual(to + step_ns * 1e-3 + 1e-3);
          }
        },
      ),
    );
  });
});

describe('the window of time', () => {
  const whole = { from: 0, to: 180e9 };

  it('zooms from minutes to ten nanoseconds around a moment that stays where it is', () => {
    const at = 97.123456789e9;
    let window = fitted(whole);
    const share = (at - window.from) / (window.to - window.from);
    for (let i = 0; i < 200; i += 1) window = zoomedAt(window, whole, at, 0.85);
    expect(window.to - window.from).toBeCloseTo(SHORTEST_NS, 4);
    expect((at - window.from) / (window.to - window.from)).toBeCloseTo(share, 3);
    for (let i = 0; i < 200; i += 1) window = zoomedAt(window, whole, at, 1 / 0.85);
    expect(window.to - window.from).toBeCloseTo(fitted(whole).to - fitted(whole).from, -3);
  });

  it('never leaves what there is, whatever is done to it', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('zoom'), by: fc.double({ min: 0.01, max: 100, noNaN: true }) }),
      fc.record({ kind: fc.constant('move'), by: fc.double({ min: -1e12, max: 1e12, noNaN: true }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.double({ min: 0, max: 1, noNaN: true }), (steps, share) => {
        let window = fitted(whole);
        for (const { kind, by } of steps) {
          const at = window.from + share * (window.to - window.from);
          window = kind === 'zoom' ? zoomedAt(window, whole, at, by) : movedBy(window, whole, by);
          const all = fitted(whole);
          expect(window.from).toBeGreaterThanOrEqual(all.from - 1e-3);
          expect(window.to).toBeLessThanOrEqual(all.to + 1e-3);
          expect(window.to - window.from).toBeGreaterThan(SHORTEST_NS * 0.99);
        }
      }),
    );
  });

  it('stays where it is for a span that can be seen, and goes to one that cannot', () => {
    const window = { from: 0, to: 1000 };
    expect(revealing(window, whole, 200, 100)).toBe(window);
    const far = revealing(window, whole, 90e9, 100);
    expect([far.from, far.to]).toEqual([90e9 + 50 - 500, 90e9 + 50 + 500]);
    const tiny = revealing({ from: 0, to: 1e9 }, whole, 5e8, 100);
    expect(tiny.to - tiny.from).toBeCloseTo(1000, 3);
  });

  it('of a short trace is that trace', () => {
    expect(bounded({ from: -1e9, to: 1e9 }, { from: 0, to: 100 })).toEqual(fitted({ from: 0, to: 100 }));
  });
});

describe('the scroll position that shows a row', () => {
  it('stays where the row is in sight, and else puts its upper edge into the middle', () => {
    expect(scrolledTo({ y: 150, height: 20 }, 100, 200)).toBe(100);
    expect(scrolledTo({ y: 280, height: 20 }, 100, 200)).toBe(100);
    expect(scrolledTo({ y: 281, height: 20 }, 100, 200)).toBe(181);
    expect(scrolledTo({ y: 99, height: 20 }, 100, 200)).toBe(-1);
  });
});
