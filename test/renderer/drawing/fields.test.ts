import { describe, expect, it, vi } from 'vitest';
import type { FieldMap, MapAxis } from '../../../electron/contract/fields.ts';
import { barValue, drawColorBar, movedLimit, nearestLimit } from '../../../renderer/drawing/color-bar.ts';
import { colorMap, normalisation } from '../../../renderer/drawing/colormap.ts';
import type { Drawing2D } from '../../../renderer/drawing/context-2d.ts';
import { fieldProfile, fieldStatistics } from '../../../renderer/drawing/field-statistics.ts';
import { colouring, contour, contourLevels, histogram } from '../../../renderer/drawing/paint-map.ts';
import type { DrawingTheme } from '../../../renderer/drawing/theme.ts';

const axis = (name: MapAxis['name'], unit: string, from: number, to: number, count: number): MapAxis => ({
  name,
  unit,
  from,
  to,
  count,
  cellsPerSample: 1,
  lastCells: 1,
  fullFrom: from,
  fullTo: to,
  edges: null,
});

function fieldMap(value: (h: number, v: number) => number, vertical = axis('x', 'mm', -20, 20, 80)): FieldMap {
  const horizontal = axis('z', 'mm', 0, 50, 100);
  const values = Float32Array.from({ length: horizontal.count * vertical.count }, (_, i) => {
    const h = horizontal.from + ((i % horizontal.count) + 0.5) * 0.5;
    const v =
      vertical.from + ((Math.floor(i / horizontal.count) + 0.5) * (vertical.to - vertical.from)) / vertical.count;
    return value(h, v);
  });
  const positive = values.filter((v) => v > 0);
  return {
    quantity: 'dose',
    unit: 'MeV/mm²',
    horizontal,
    vertical,
    values,
    min: values.reduce((a, b) => Math.min(a, b)),
    max: values.reduce((a, b) => Math.max(a, b)),
    statistic: 'mean',
    minPositive: positive.length === 0 ? 0 : positive.reduce((a, b) => Math.min(a, b)),
  };
}

const point = (horizontal: number, vertical: number) => ({ horizontal, vertical });
const gaussian = fieldMap((h, v) => Math.exp(-0.5 * (((h - 20) / 3) ** 2 + ((v + 2) / 4) ** 2)));

describe('contours of a field', () => {
  it('lie where the field has their value', () => {
    const { segments } = contour(gaussian, { value: 0.5, label: '50 %' });
    expect(segments.length).toBeGreaterThan(100);
    for (let i = 0; i < segments.length; i += 2) {
      const [h, v] = [segments[i] ?? 0, segments[i + 1] ?? 0];
      // On the ellipse of half the height, within the accuracy of straight lines between cells of half a millimetre.
      const radius = Math.hypot((h - 20) / 3, (v + 2) / 4) / Math.sqrt(2 * Math.LN2);
      expect(Math.abs(radius - 1)).toBeLessThan(0.01);
    }
  });

  it('are isodose lines on a linear scale, decades on a logarithmic one, and appear on both sides of zero', () => {
    const labels = (min: number, scale: 'linear' | 'log') => contourLevels({ min, max: 2 }, scale).map((l) => l.label);
    expect(labels(0, 'linear')).toEqual(['10 %', '30 %', '50 %', '80 %', '90 %', '95 %']);
    expect(labels(0, 'log')).toEqual(['0.001 %', '0.01 %', '0.1 %', '1 %', '10 %', '50 %']);
    expect(labels(-0.9, 'linear')).toEqual(['−10 %', '−30 %', '10 %', '30 %', '50 %', '80 %', '90 %', '95 %']);
    expect(contourLevels({ min: 0, max: 0 }, 'linear')).toEqual([]);
  });
});

describe('a profile along a segment', () => {
  it('reads the cells that it crosses, by their distance from its start', () => {
    const plane = fieldMap((h, v) => h + 10 * v);
    const { distance, unit, values } = fieldProfile(plane, point(10, -5), point(40, 15));
    expect(unit).toBe('mm');
    expect(distance.at(-1)).toBeCloseTo(Math.hypot(30, 20), 9);
    expect(distance.length).toBeGreaterThan(100);
    for (const [i, s] of distance.entries()) {
      const share = s / Math.hypot(30, 20);
      // Tolerance of half a cell along each axis.
      expect(Math.abs((values[i] ?? 0) - (10 + 30 * share + 10 * (-5 + 20 * share)))).toBeLessThan(0.25 + 2.5 + 1e-3);
    }
  });

  it('uses shares of its length if the axes have different units', () => {
    const { distance, unit } = fieldProfile(
      fieldMap(() => 1, axis('theta', 'mrad', -10, 10, 20)),
      point(0, -5),
      point(9, 5),
    );
    expect([unit, distance[0], distance.at(-1)]).toEqual(['', 0, 1]);
  });
});

describe('statistics of a rectangle', () => {
  it('equal those of the Gaussian inside it', () => {
    const found = fieldStatistics(gaussian, point(50, 20), point(0, -20));
    expect(found?.samples).toBe(8000);
    expect(found?.centroid?.horizontal).toBeCloseTo(20, 3);
    expect(found?.centroid?.vertical).toBeCloseTo(-2, 3);
    expect(found?.sigma?.horizontal).toBeCloseTo(3, 2);
    expect(found?.sigma?.vertical).toBeCloseTo(4, 2);
    expect(found?.total).toEqual({ name: 'Integral', value: expect.closeTo(2 * Math.PI * 3 * 4, 1), unit: 'MeV' });
    expect(Math.abs((found?.maxAt.horizontal ?? 0) - 20)).toBeLessThan(0.5);
  });

  it('weight a sample by its number of cells, of which the last sample has fewer', () => {
    // Five cells of z in samples of two, in one row: the values are 1, 1 | 1, 1 | 4.
    const horizontal = {
      ...axis('z', 'mm', 0, 5, 3),
      cellsPerSample: 2,
      lastCells: 1,
      edges: Float64Array.of(0, 2, 4, 5),
    };
    const vertical = axis('x', 'mm', 0, 1, 1);
    const cut = { ...gaussian, unit: 'protons per cell', horizontal, vertical, values: Float32Array.of(1, 1, 4) };
    expect(fieldStatistics(cut, point(0, 0), point(5, 1))).toMatchObject({
      samples: 3,
      total: { name: 'Sum over cells', value: 8, unit: 'protons' },
      mean: 8 / 5,
      centroid: { horizontal: (2 * 1 + 2 * 3 + 4 * 4.5) / 8 },
    });
    expect(fieldStatistics({ ...cut, unit: 'MeV/mm²' }, point(0, 0), point(5, 1))?.total).toEqual({
      name: 'Integral',
      value: 8,
      unit: 'MeV',
    });
  });

  it('have no centre for an empty area, and do not exist if no sample lies inside', () => {
    expect(
      fieldStatistics(
        fieldMap(() => 0),
        point(0, 0),
        point(9, 9),
      ),
    ).toMatchObject({ total: { value: 0 }, centroid: null, sigma: null });
    expect(fieldStatistics(gaussian, point(10.01, 3), point(10.02, 4))).toBeNull();
  });
});

describe('the colour bar', () => {
  const box = { left: 100, top: 10, width: 12, height: 200 };
  const range = normalisation('log', { low: 1e-4, high: 1 });

  it('moves the nearer limit when dragged, and never beyond the other', () => {
    const limits = { low: 1e-3, high: 1e-1 };
    expect(barValue(box, range, 110)).toBeCloseTo(1e-2, 12);
    expect(nearestLimit(box, range, limits, 30)).toBe('high');
    expect(nearestLimit(box, range, limits, 190)).toBe('low');
    expect(movedLimit(limits, 'low', 1e-2, range).low).toBeCloseTo(1e-2, 12);
    const pushed = movedLimit(limits, 'low', 0.9, range);
    expect(pushed.low).toBeLessThan(limits.high);
  });

  it('shows the complete field even if the limits are narrower, and zero in the middle of a difference', () => {
    const style = { colorMap: colorMap('viridis'), scale: 'linear', limits: { low: 0.2, high: 0.4 } } as const;
    const { colors, range: whole } = colouring(gaussian, style);
    expect([colors.low, colors.high]).toEqual([0.2, 0.4]);
    expect([whole.low, whole.high]).toEqual([gaussian.min, gaussian.max]);
    const difference = colouring(
      fieldMap((h) => h - 10),
      { ...style, limits: null, scale: 'log', centred: true },
    );
    expect(difference.colors.kind).toBe('symlog');
    expect(difference.colors.fraction(0)).toBeCloseTo(0.5, 12);
  });

  it('has a histogram of the values in the range', () => {
    const counts = histogram(
      Float32Array.of(0.05, 0.05, 0.05, 0.95, 2, -1, Number.NaN),
      normalisation('linear', { low: 0, high: 1 }),
      10,
    );
    expect(counts[0]).toBe(1);
    expect(counts[9]).toBeCloseTo(Math.log1p(1) / Math.log1p(3), 6);
    expect([...counts.subarray(1, 9)].every((count) => count === 0)).toBe(true);
  });

  it('draws the histogram if the limits can be dragged, but not in an exported figure', () => {
    const rectangles = (handles: boolean): readonly (readonly number[])[] => {
      const drawn: (readonly number[])[] = [];
      const canvas = {
        getContext: () => ({
          createImageData: (width: number, height: number) => ({ data: new Uint8ClampedArray(4 * width * height) }),
          putImageData: () => undefined,
        }),
      };
      vi.stubGlobal('document', { createElement: () => canvas });
      const calls: ProxyHandler<Record<string, unknown>> = {
        get: (_, name) =>
          name === 'measureText'
            ? () => ({ width: 10 })
            : (...values: readonly number[]) => name === 'fillRect' && drawn.push(values),
        set: () => true,
      };
      const scale = normalisation('linear', { low: 0, high: 1 });
      const theme = { labelSize: 10, family: 'sans-serif', axis: '#888', text: '#000', textMuted: '#444' };
      drawColorBar(
        new Proxy({}, calls) as unknown as Drawing2D,
        { left: 100, top: 0, width: 10, height: 100 },
        {
          map: colorMap('viridis'),
          colors: scale,
          range: scale,
          histogram: Float32Array.of(1, 0.5),
          title: null,
          handles,
        },
        theme as DrawingTheme,
      );
      return drawn;
    };
    // Two bins of 50 pixels, 10 and 5 wide, to the left of the bar.
    expect(rectangles(true)).toEqual(
      expect.arrayContaining([
        [89, 50, 10, 50],
        [94, 0, 5, 50],
      ]),
    );
    expect(rectangles(false)).toEqual([]);
    vi.unstubAllGlobals();
  });
});
