import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byPriority, claimedText, claimTitle, claimVerdictText, pairText } from '../../../renderer/base/claims.ts';
import { arrowStep, moved, nudge, parseEntry } from '../../../renderer/base/entry.ts';
import { measuredTime, spreadText, timeAndSpread, timesText } from '../../../renderer/base/measured.ts';
import { compact, count, errorSize, fixed, percent, significant } from '../../../renderer/base/numbers.ts';
import { sameJson } from '../../../renderer/base/same-json.ts';
import { clock, duration, timeLeft } from '../../../renderer/base/time.ts';

describe('numbers for a reader', () => {
  it('keep the digits that are known', () => {
    expect([40.8, 0.5, 123456, 0.00012, 0, -Math.PI].map((value) => significant(value, 4))).toEqual([
      '40.80',
      '0.5000',
      '1.235×10⁵',
      '1.200×10⁻⁴',
      '0',
      '−3.142',
    ]);
    expect([33792, 99999.9, 9999.96, 12345].map((value) => significant(value, 3))).toEqual([
      '33800',
      '100000',
      '10000',
      '12300',
    ]);
    expect([null, undefined, Number.NaN].map((value) => significant(value))).toEqual(['–', '–', '–']);
    expect([fixed(-0.001, 2), fixed(-0.04, 2), fixed(null, 1)]).toEqual(['0.00', '−0.04', '–']);
    expect([percent(1), percent(0.5), percent(0.0123), percent(2e-7), percent(0)]).toEqual([
      '100.0 %',
      '50.0 %',
      '1.23 %',
      '2.0×10⁻⁵ %',
      '0 %',
    ]);
    expect([percent(0.9996), percent(0.999_999), percent(1 - 1e-12), percent(1.0004)]).toEqual([
      '99.96 %',
      '99.9999 %',
      '100.0 %',
      '100.0 %',
    ]);
    expect([errorSize(4.63e-7), errorSize(0)]).toEqual(['4.6×10⁻⁷', '0']);
    expect([compact(1_310_000_000), compact(36e6), compact(512), count(1234567)]).toEqual([
      '1.31 G',
      '36.0 M',
      '512',
      '1\u202f234\u202f567',
    ]);
  });

  it('say times as people do', () => {
    expect([0.0123, 0.42, 12.34, 245, 7800].map(duration)).toEqual([
      '12 ms',
      '0.42 s',
      '12.3 s',
      '4 min 05 s',
      '2 h 10 min',
    ]);
    expect([0.3, 7.2, 93].map(timeLeft)).toEqual(['under 1 s', '8 s', '1 min 35 s']);
    const now = new Date('2026-11-21T16:00:00');
    expect(clock('2026-11-21T14:05:09', now)).toBe('14:05:09');
    expect(clock('2026-11-20T14:05:09', now)).toBe('20 Nov 14:05');
    expect(clock('never', now)).toBe('–');
  });
});

describe('what was measured', () => {
  it('has the unit and the digits that it is known to', () => {
    expect([6.8e-8, 1.0003e-5, 0.0123, 119, 179.7, null].map(measuredTime)).toEqual([
      '68.0 ns',
      '10.0 µs',
      '12.3 ms',
      '119 s',
      '3 min 00 s',
      '–',
    ]);
    expect(measuredTime(-2e-3)).toBe('−2.00 ms');
    expect(timesText({ value: 0.000689, interval: { low: 0.000672, high: 0.0013 } })).toBe(
      '0.000689× (0.000672–0.00130)',
    );
  });

  it('once says nothing of its spread', () => {
    expect([spreadText(0, 1), spreadText(0.0021, 7), spreadText(null, 7)]).toEqual(['–', '0.21 %', '–']);
    expect([timeAndSpread(0.0802, 0, 1), timeAndSpread(0.0802, 0.0021, 7)]).toEqual([
      '80.2 ms, once',
      '80.2 ms ± 0.21 %',
    ]);
  });

  it('stands beside what was claimed as it was claimed', () => {
    const claim = (from: number, to: number | null, reason: string | null = null) => ({ from, to, reason });
    expect(
      [claim(2, 10), claim(32, 32), claim(1, null), claim(1, null, 'right or wrong')].map((one) => claimedText(one)),
    ).toEqual(['2–10×', '32× ± 20 %', 'faster', '–']);
    expect([claim(5, 20), claim(1500, 1500)].map((one) => claimedText(one, 'µs'))).toEqual([
      '5–20 µs',
      '1500 µs ± 20 %',
    ]);
    expect(claimedText(claim(1.1, null), '')).toBe('above 1.1');
    expect([claim(10, null), claim(0.5, null)].map((one) => claimedText(one))).toEqual([
      'at least 10×',
      'at least 0.5×',
    ]);
    const said = (claim: string, priority?: number) => ({ claim, ...(priority === undefined ? {} : { priority }) });
    const sorted = byPriority([said('a'), said('b', 3), said('c', 1), said('d', 3), said('e')]);
    expect(sorted.map(claimTitle)).toEqual(['Priority 1: c', 'Priority 3: b', 'Priority 3: d', 'a', 'e']);
    const pair = { slower: 'a, whole run', faster: 'ab', verdict: 'more' as const };
    expect([pairText(pair), claimVerdictText(pair)]).toEqual(['a, whole run → ab', 'more']);
    const wrong = { ...pair, wrong: ['a'] };
    expect([pairText(wrong), claimVerdictText(wrong)]).toEqual([
      'a, whole run (wrong) → ab',
      'more, by a wrong answer',
    ]);
  });
});

describe('numbers as they are typed', () => {
  it('may have a unit of the same kind, a decimal comma, an exponent', () => {
    expect(parseEntry('70', 'MeV')).toBe(70);
    expect(parseEntry(' 5 cm ', 'mm')).toBe(50);
    expect(parseEntry('0,07 GeV', 'MeV')).toBe(70);
    expect(parseEntry('5 µm', 'mm')).toBe(0.005);
    expect(parseEntry('−1.5e-3', '1')).toBe(-0.0015);
    expect(parseEntry('180 deg', 'mrad')).toBeCloseTo(3141.59, 1);
    expect(parseEntry('45°', 'deg')).toBe(45);
  });

  it('are none with another unit or anything else', () => {
    for (const text of ['', '-', 'abc', '5 MeV', '1 2', '1.2.3', '0x10', 'Infinity', 'NaN', '1e9999']) {
      expect(parseEntry(text, 'mm'), text).toBeNull();
    }
  });

  it('read back what was written', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(parseEntry(String(value), '1')).toBe(value + 0); // -0 is 0
      }),
    );
  });

  it('move in their second digit, within their bounds', () => {
    expect([arrowStep(70, 'normal', false), arrowStep(0.2, 'normal', false), arrowStep(70, 'coarse', false)]).toEqual([
      1, 0.01, 10,
    ]);
    const free = { min: -1e9, max: 1e9, whole: false };
    expect([nudge(70, 1, 'normal', free), nudge(0.2, -1, 'normal', free), nudge(0.3, 1, 'fine', free)]).toEqual([
      71, 0.19, 0.301,
    ]);
    expect(nudge(0.5, -1, 'coarse', { min: 0.5, max: 1000, whole: false })).toBe(0.5);
    expect(nudge(5, 1, 'fine', { min: 0, max: 100, whole: true })).toBe(6);
    // As often as the key is pressed: below a hundred by ones, above by tens.
    expect([moved(98, 4, 'normal', free), moved(98, 0, 'normal', free), moved(0.12, -3, 'normal', free)]).toEqual([
      120, 98, 0.09,
    ]);
    expect(moved(5, -9, 'normal', { min: 1, max: 9, whole: true })).toBe(1);
  });
});

it('compares plain values whatever the order of their keys', () => {
  expect(sameJson({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 })).toBe(true);
  expect(sameJson({ a: 1 }, { a: 1, b: undefined })).toBe(false);
  expect(sameJson([1, 2], { 0: 1, 1: 2 })).toBe(false);
  expect(sameJson(null, {})).toBe(false);
});
