import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FieldMap, MapAxis } from '../../../electron/contract/fields.ts';
import { powerOfTen } from '../../../electron/domain/numbers.ts';
import { contains, plotFrame } from '../../../renderer/drawing/axes.ts';
import { probe } from '../../../renderer/drawing/field-statistics.ts';
import { panWindow, zoomWindow } from '../../../renderer/drawing/map-gestures.ts';
import {
  cellOfEdges,
  linearScale,
  linearTicks,
  logScale,
  logTicks,
  roundedStep,
  shortNumber,
  uniformCell,
} from '../../../renderer/drawing/scale.ts';

describe('scales and cells', () => {
  it('convert to pixels and back, also on an axis that points up', () => {
    const up = linearScale(-20, 20, 300, 0);
    expect(up.toPixel(-20)).toBe(300);
    expect(up.toPixel(0)).toBe(150);
    expect(up.toValue(up.toPixel(7.25))).toBeCloseTo(7.25, 12);
  });

  it('give each decade of a logarithmic axis equal pixels', () => {
    const decades = logScale(1, 100, 0, 200);
    expect(decades.toPixel(10)).toBeCloseTo(100, 12);
    expect(decades.toValue(150)).toBeCloseTo(10 ** 1.5, 12);
    expect(decades.toPixel(0)).toBeNaN();
  });

  it('find the cell of a value; the far edge belongs to the last cell', () => {
    expect([-1e-9, 0, 0.1, 0.999, 1, 1.01].map((value) => uniformCell(value, 0, 1, 4))).toEqual([-1, 0, 0, 3, 3, -1]);
    const edges = Float64Array.of(1, 2, 4, 8);
    expect([0.9, 1, 1.9, 2, 7, 8, 8.1].map((value) => cellOfEdges(value, edges))).toEqual([-1, 0, 0, 1, 2, 2, -1]);
    expect(cellOfEdges(1, [])).toBe(-1);
  });

  it('probe a field with equal and with unequal samples', () => {
    const axis = (from: number, to: number, count: number, edges: Float64Array | null): MapAxis => ({
      name: 'z',
      unit: 'mm',
      from,
      to,
      count,
      cellsPerSample: 1,
      lastCells: 1,
      fullFrom: from,
      fullTo: to,
      edges,
    });
    const field: FieldMap = {
      quantity: 'dose',
      unit: 'MeV',
      horizontal: axis(0, 3, 3, null),
      vertical: axis(1, 100, 2, Float64Array.of(1, 10, 100)),
      values: Float32Array.of(1, 2, 3, 4, 5, 6),
      min: 1,
      max: 6,
      statistic: 'mean',
      minPositive: 1,
    };
    expect(probe(field, 2.5, 50)).toEqual({ value: 6, horizontal: [2, 3], vertical: [10, 100] });
    expect(probe(field, 0.5, 2)?.value).toBe(1);
    expect(probe(field, 3.1, 50)).toBeNull();
    expect(probe(field, 1, 0.5)).toBeNull();
  });
});

describe('zoom and pan', () => {
  const whole = [0, 100] as const;

  it('keep the point under the pointer in place', () => {
    const window = zoomWindow(whole, undefined, 40, 0.5);
    expect(window).toEqual([20, 70]);
    expect(zoomWindow(whole, window ?? undefined, 40, 2)).toBeNull();
  });

  it('stay inside the complete range and never become empty', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0.2, max: 5, noNaN: true })), {
          maxLength: 40,
        }),
        (steps) => {
          let window: readonly [number, number] | undefined;
          for (const [share, factor] of steps) {
            const [from, to] = window ?? whole;
            window = zoomWindow(whole, window, from + share * (to - from), factor) ?? undefined;
            if (window === undefined) continue;
            expect(window[0]).toBeGreaterThanOrEqual(0);
            expect(window[1]).toBeLessThanOrEqual(100 + 1e-9);
            expect(window[1] - window[0]).toBeGreaterThanOrEqual(0.1 - 1e-9);
          }
        },
      ),
    );
  });

  it('stop at the ends when panning, and a fully visible axis does not move', () => {
    expect(panWindow(whole, [10, 30], -50)).toEqual([0, 20]);
    expect(panWindow(whole, [10, 30], 500)).toEqual([80, 100]);
    expect(panWindow(whole, undefined, 5)).toBeNull();
  });
});

describe('the frame of a plot', () => {
  it('omits the colour bar if it does not fit, and never has a negative size', () => {
    expect(plotFrame(600, 400, 11).bar).not.toBeNull();
    expect(plotFrame(200, 400, 11).bar).toBeNull();
    const { plot } = plotFrame(10, 10, 11);
    expect(plot.width).toBeGreaterThan(0);
    expect(plot.height).toBeGreaterThan(0);
    expect(contains(plotFrame(600, 400, 11).plot, 300, 200)).toBe(true);
    expect(contains(plotFrame(600, 400, 11).plot, 590, 200)).toBe(false);
  });
});

describe('axis ticks', () => {
  const labels = (ticks: readonly { readonly label: string }[]) => ticks.map((tick) => tick.label);

  describe('ticks of a linear axis', () => {
    it('are at round numbers with a common number of decimals', () => {
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

    it('read the same from either end, and are absent on an empty axis', () => {
      expect(linearTicks(10, 0, 5).ticks).toEqual(linearTicks(0, 10, 5).ticks);
      expect(linearTicks(3, 3, 5).ticks).toEqual([]);
      expect(linearTicks(0, Number.NaN, 5).ticks).toEqual([]);
    });

    it('lie within the axis, never exceed the requested number, and have distinct labels', () => {
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
      expect([roundedStep(10, 10), roundedStep(10, 6), roundedStep(10, 3), roundedStep(0.6, 3)]).toEqual([
        1, 2, 5, 0.2,
      ]);
    });
  });

  describe('ticks of a logarithmic axis', () => {
    it('label decades, and thin them where there are many', () => {
      const named = labels(logTicks(1e-4, 1, 10)).filter((label) => label !== '');
      expect(named).toEqual(['10⁻⁴', '10⁻³', '10⁻²', '10⁻¹', '10⁰']);
      const thin = labels(logTicks(1e-12, 1, 4)).filter((label) => label !== '');
      expect(thin.length).toBeLessThanOrEqual(5);
    });

    it('label as many digits as fit if one or two decades are shown', () => {
      const named = (from: number, to: number, most: number) =>
        labels(logTicks(from, to, most)).filter((label) => label !== '');
      expect(named(1, 10, 5)).toEqual(['10⁰', '2', '3', '5', '10¹']);
      expect(named(1, 10, 4)).toEqual(['10⁰', '2', '5', '10¹']);
      expect(named(1, 10, 3)).toEqual(['10⁰', '10¹']);
      // The range contains three powers of ten, but is shorter than two decades.
      expect(named(2.5, 120, 12)).toEqual(['3', '5', '10¹', '20', '30', '50', '10²']);
      // A range without a power of ten.
      expect(named(1.3, 4.2, 8)).toEqual(['2', '3', '4']);
      expect(named(1, 1e4, 30)).toEqual(['10⁰', '10¹', '10²', '10³', '10⁴']);
    });

    it('are absent without a positive range', () => {
      expect(logTicks(0, 1, 5)).toEqual([]);
      expect(logTicks(2, 1, 5)).toEqual([]);
    });
  });

  it('powers and short numbers are formatted', () => {
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
});
