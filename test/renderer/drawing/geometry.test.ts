import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FieldMap, MapAxis } from '../../../electron/contract/fields.ts';
import { probe } from '../../../renderer/drawing/field-probe.ts';
import { panned, zoomed } from '../../../renderer/drawing/map-gestures.ts';
import { contains, plotFrame } from '../../../renderer/drawing/plot-frame.ts';
import { cellOfEdges, linearScale, logScale, uniformCell } from '../../../renderer/drawing/scale.ts';

describe('scales and cells', () => {
  it('lead to pixels and back, also on an axis that points up', () => {
    const up = linearScale(-20, 20, 300, 0);
    expect(up.toPixel(-20)).toBe(300);
    expect(up.toPixel(0)).toBe(150);
    expect(up.toValue(up.toPixel(7.25))).toBeCloseTo(7.25, 12);
  });

  it('have a decade of a logarithmic axis in equal pixels', () => {
    const decades = logScale(1, 100, 0, 200);
    expect(decades.toPixel(10)).toBeCloseTo(100, 12);
    expect(decades.toValue(150)).toBeCloseTo(10 ** 1.5, 12);
    expect(decades.toPixel(0)).toBeNaN();
  });

  it('find the cell of a value; the far edge belongs to the last one', () => {
    expect([-1e-9, 0, 0.1, 0.999, 1, 1.01].map((value) => uniformCell(value, 0, 1, 4))).toEqual([-1, 0, 0, 3, 3, -1]);
    const edges = Float64Array.of(1, 2, 4, 8);
    expect([0.9, 1, 1.9, 2, 7, 8, 8.1].map((value) => cellOfEdges(value, edges))).toEqual([-1, 0, 0, 1, 2, 2, -1]);
    expect(cellOfEdges(1, [])).toBe(-1);
  });

  it('probes a field with equal and with unequal samples', () => {
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

  it('keep the point under the pointer where it is', () => {
    const window = zoomed(whole, undefined, 40, 0.5);
    expect(window).toEqual([20, 70]);
    expect(zoomed(whole, window ?? undefined, 40, 2)).toBeNull();
  });

  it('stay inside the whole and never become empty', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0.2, max: 5, noNaN: true })), {
          maxLength: 40,
        }),
        (steps) => {
          let window: readonly [number, number] | undefined;
          for (const [share, factor] of steps) {
            const [from, to] = window ?? whole;
            window = zoomed(whole, window, from + share * (to - from), factor) ?? undefined;
            if (window === undefined) continue;
            expect(window[0]).toBeGreaterThanOrEqual(0);
            expect(window[1]).toBeLessThanOrEqual(100 + 1e-9);
            expect(window[1] - window[0]).toBeGreaterThanOrEqual(0.1 - 1e-9);
          }
        },
      ),
    );
  });

  it('pan to the ends and no further; a whole axis does not move', () => {
    expect(panned(whole, [10, 30], -50)).toEqual([0, 20]);
    expect(panned(whole, [10, 30], 500)).toEqual([80, 100]);
    expect(panned(whole, undefined, 5)).toBeNull();
  });
});

describe('the frame of a plot', () => {
  it('gives the colour bar up where there is no room, and never turns inside out', () => {
    expect(plotFrame(600, 400, 11).bar).not.toBeNull();
    expect(plotFrame(200, 400, 11).bar).toBeNull();
    const { plot } = plotFrame(10, 10, 11);
    expect(plot.width).toBeGreaterThan(0);
    expect(plot.height).toBeGreaterThan(0);
    expect(contains(plotFrame(600, 400, 11).plot, 300, 200)).toBe(true);
    expect(contains(plotFrame(600, 400, 11).plot, 590, 200)).toBe(false);
  });
});
