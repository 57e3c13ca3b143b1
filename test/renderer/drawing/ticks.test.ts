import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { powerOfTen } from '../../../renderer/base/numbers.ts';
import { linearTicks, logTicks, niceStep, shortNumber } from '../../../renderer/drawing/ticks.ts';

const labels = (ticks: readonly { readonly label: string }[]) => ticks.map((tick) => tick.label);

describe('ticks of a linear axis', () => {
  it('stand at round numbers with one number of decimals', () => {
    expect(labels(linearTicks(0, 50, 10).ticks)).toEqual([
      '0',
      '5',
      '10',
      '15',
      '20',
      '25',
      '30',
      '35',
      '40',
      '45',
      '50',
    ]);
    expect(labels(linearTicks(-0.4, 0.4, 4).ticks)).toEqual(['−0.4', '−0.2', '0.0', '0.2', '0.4']);
    expect(labels(linearTicks(39.95, 40.2, 5).ticks)).toEqual(['39.95', '40.00', '40.05', '40.10', '40.15', '40.20']);
  });

  it('share a power of ten where the numbers are very large or small', () => {
    const tiny = linearTicks(0, 4e-7, 4);
    expect(tiny.exponent).toBe(-7);
    expect(labels(tiny.ticks)).toEqual(['0', '1', '2', '3', '4']);
    expect(linearTicks(0, 99_000, 4).exponent).toBe(0);
    expect(linearTicks(0, 200_000, 4).exponent).toBe(5);
  });

  it('read the same from either end, and are none on an empty axis', () => {
    expect(linearTicks(10, 0, 5).ticks).toEqual(linearTicks(0, 10, 5).ticks);
    expect(linearTicks(3, 3, 5).ticks).toEqual([]);
    expect(linearTicks(0, Number.NaN, 5).ticks).toEqual([]);
  });

  it('lie within the axis, are never more than asked for, and differ in their labels', () => {
    const ends = fc.tuple(
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      fc.double({ min: 1e-9, max: 1e6, noNaN: true }),
    );
    fc.assert(
      fc.property(ends, fc.integer({ min: 2, max: 14 }), ([from, span], most) => {
        const to = from + span;
        fc.pre(to > from && span / Math.max(1, Math.abs(from)) > 1e-6);
        const { ticks, step } = linearTicks(from, to, most);
        expect(ticks.length).toBeLessThanOrEqual(most + 1);
        for (const { value } of ticks) {
          expect(value).toBeGreaterThanOrEqual(from - step * 1e-5);
          expect(value).toBeLessThanOrEqual(to + step * 1e-5);
        }
        expect(new Set(labels(ticks)).size).toBe(ticks.length);
      }),
    );
  });

  it('have steps of 1, 2 and 5', () => {
    expect([niceStep(10, 10), niceStep(10, 6), niceStep(10, 3), niceStep(0.6, 3)]).toEqual([1, 2, 5, 0.2]);
  });
});

describe('ticks of a logarithmic axis', () => {
  it('label decades, and thin them where there are many', () => {
    const named = labels(logTicks(1e-4, 1, 10)).filter((label) => label !== '');
    expect(named).toEqual(['10⁻⁴', '10⁻³', '10⁻²', '10⁻¹', '10⁰']);
    const thin = labels(logTicks(1e-12, 1, 4)).filter((label) => label !== '');
    expect(thin.length).toBeLessThanOrEqual(5);
  });

  it('label as many digits as there is room for where a decade or two are shown', () => {
    const named = (from: number, to: number, most: number) =>
      labels(logTicks(from, to, most)).filter((label) => label !== '');
    expect(named(1, 10, 5)).toEqual(['10⁰', '2', '3', '5', '10¹']);
    expect(named(1, 10, 4)).toEqual(['10⁰', '2', '5', '10¹']);
    expect(named(1, 10, 3)).toEqual(['10⁰', '10¹']);
    // Across three powers, and still less than two decades.
    expect(named(2.5, 120, 12)).toEqual(['3', '5', '10¹', '20', '30', '50', '10²']);
    // Without a power in it.
    expect(named(1.3, 4.2, 8)).toEqual(['2', '3', '4']);
    expect(named(1, 1e4, 30)).toEqual(['10⁰', '10¹', '10²', '10³', '10⁴']);
  });

  it('are none where there is no logarithm', () => {
    expect(logTicks(0, 1, 5)).toEqual([]);
    expect(logTicks(2, 1, 5)).toEqual([]);
  });
});

it('writes powers and short numbers', () => {
  expect(powerOfTen(-12)).toBe('10⁻¹²');
  expect([0, 0.02, 1234.5, 1e5, 999_999, -3.2e-7].map(shortNumber)).toEqual([
    '0',
    '0.02',
    '1230',
    '10⁵',
    '10⁶',
    '−3.2×10⁻⁷',
  ]);
});
