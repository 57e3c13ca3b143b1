import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  colorAt,
  colorMap,
  colorMaps,
  drawableLimits,
  normalisation,
  unpackColor,
  withOpacity,
} from '../../../renderer/drawing/colormap.ts';
import { colorTable, makeColorizer } from '../../../renderer/drawing/field-image.ts';

/** CIE lightness L*, 0 to 100. */
function lightness(pixel: number): number {
  const [r = 0, g = 0, b = 0] = unpackColor(pixel).map((c) => {
    const s = c / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  });
  const y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return y > 0.008856 ? 116 * Math.cbrt(y) - 16 : 903.3 * y;
}

describe('colour maps', () => {
  it('have names, and the default is the first', () => {
    expect(colorMaps.map((map) => map.name)).toEqual(['viridis', 'cividis', 'magma', 'inferno', 'coolwarm', 'berlin']);
    expect(colorMap('no such map')).toBe(colorMaps[0]);
    expect(unpackColor(colorAt(colorMap('viridis'), 0))).toEqual([68, 1, 84]);
    expect(unpackColor(colorAt(colorMap('viridis'), 1))).toEqual([253, 231, 37]);
  });

  it.each(colorMaps.filter((map) => map.kind === 'sequential').map((map) => [map.name, map]))(
    '%s becomes lighter evenly, so that it is readable in grey and with colour-vision deficiencies',
    (_name, map) => {
      const steps = Array.from(map.colors, lightness);
      const span = (steps.at(-1) ?? 0) - (steps[0] ?? 0);
      expect(span).toBeGreaterThan(65);
      for (let i = 8; i < steps.length; i += 1) {
        // Over eight entries, the change is a quarter to two and a half times that of even steps.
        const part = ((steps[i] ?? 0) - (steps[i - 8] ?? 0)) / (span * (8 / (steps.length - 1)));
        expect(part).toBeGreaterThan(0.25);
        expect(part).toBeLessThan(2.5);
      }
    },
  );

  it.each(colorMaps.filter((map) => map.kind === 'diverging').map((map) => [map.name, map]))(
    '%s is neutral in its middle and changes its lightness towards both sides',
    (_name, map) => {
      const middle = unpackColor(map.colors[map.colors.length >> 1] ?? 0);
      expect(Math.max(...middle) - Math.min(...middle)).toBeLessThan(24);
      const [low, centre, high] = [0, map.colors.length >> 1, map.colors.length - 1].map((i) =>
        lightness(map.colors[i] ?? 0),
      );
      expect(Math.abs((low ?? 0) - (centre ?? 0))).toBeGreaterThan(20);
      expect(Math.abs((high ?? 0) - (centre ?? 0))).toBeGreaterThan(20);
    },
  );
});

describe('colouring of values', () => {
  const map = colorMap('viridis');
  const paint = (kind: 'linear' | 'log' | 'symlog', low: number, high: number, values: number[]) => {
    const pixels = new Uint32Array(values.length);
    makeColorizer(map, normalisation(kind, { low, high })).all(Float32Array.from(values), pixels);
    return pixels;
  };
  const indexOf = (pixel: number) => map.colors.indexOf(pixel);

  it('puts the limits at the ends, clamps values beyond them, and omits NaN', () => {
    const [under, low, middle, high, over, none] = paint('linear', 2, 4, [1, 2, 3, 4, 9, Number.NaN]);
    expect([under, low]).toEqual([map.colors[0], map.colors[0]]);
    expect(indexOf(middle ?? 0)).toBe(128);
    expect([high, over]).toEqual([map.colors.at(-1), map.colors.at(-1)]);
    expect(none).toBe(0);
  });

  it('agrees with the scale itself to one of 256 colours', () => {
    const kinds = fc.constantFrom('linear' as const, 'log' as const, 'symlog' as const);
    fc.assert(
      fc.property(kinds, fc.float({ min: Math.fround(1e-6), max: 1000, noNaN: true }), (kind, value) => {
        const limits = { low: kind === 'log' ? 1e-5 : 0, high: 1000 };
        const scale = normalisation(kind, limits);
        const [pixel] = paint(kind, limits.low, limits.high, [value]);
        const exact = Math.min(255, Math.max(0, Math.floor(scale.fraction(value) * 256)));
        expect(Math.abs(indexOf(pixel ?? 0) - exact)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('agrees on both sides of zero, with every second value in between', () => {
    const limits = { low: -300, high: 1000 };
    const scale = normalisation('symlog', limits);
    const values = Array.from({ length: 4000 }, (_, i) => (i - 1200) * 0.37 * Math.exp((i % 7) - 5));
    const pixels = paint('symlog', limits.low, limits.high, values);
    for (const [i, value] of values.entries()) {
      const exact = Math.min(255, Math.max(0, Math.floor(scale.fraction(value) * 256)));
      expect(Math.abs(indexOf(pixels[i] ?? 0) - exact)).toBeLessThanOrEqual(1);
    }
    const ends = [Number.NEGATIVE_INFINITY, -1e30, 1e30, Number.POSITIVE_INFINITY, Number.NaN];
    const [a, b, c, d, none] = paint('symlog', limits.low, limits.high, ends);
    expect([a, b, c, d, none]).toEqual([map.colors[0], map.colors[0], map.colors.at(-1), map.colors.at(-1), 0]);
  });

  it('is the same sample by sample and with a table that coloured another field before', () => {
    const table = colorTable();
    const values = Float32Array.from([-900, -1, -1e-3, 0, 1e-4, 0.02, 0.5, 1, 7, Number.NaN]);
    const samples = Uint16Array.from([9, 3, 3, 0, 6]);
    for (const [kind, low, high] of [
      ['symlog', -1000, 1000],
      ['log', 1e-3, 1],
      ['linear', 0.1, 0.9],
      ['linear', -2, 2],
      ['log', 1e-6, 1e3],
    ] as const) {
      const scale = normalisation(kind, { low, high });
      const alone = new Uint32Array(values.length);
      makeColorizer(map, scale).all(values, alone);
      const [whole, row] = [new Uint32Array(values.length), new Uint32Array(8)];
      const colorizer = makeColorizer(map, scale, table);
      colorizer.all(values, whole);
      expect(whole).toEqual(alone);
      // Sample positions are relative to the start of the row.
      colorizer.row(Float32Array.from([5, 5, ...values]), 2, samples, row, 3);
      expect([...row]).toEqual([0, 0, 0, ...[...samples].map((sample) => alone[sample])]);
    }
  });

  it('shows zero on a logarithmic scale as the lowest value, and omits negative values', () => {
    const [zero, negative, top] = paint('log', 1e-3, 1, [0, -1, 1]);
    expect(zero).toBe(map.colors[0]);
    expect(negative).toBe(0);
    expect(top).toBe(map.colors.at(-1));
  });
});

describe('colour scales', () => {
  it('convert a value to its fraction and back', () => {
    for (const kind of ['linear', 'log', 'symlog'] as const) {
      const scale = normalisation(kind, { low: kind === 'log' ? 0.01 : -5, high: 100 });
      for (const fraction of [0, 0.2, 0.5, 1]) expect(scale.fraction(scale.value(fraction))).toBeCloseTo(fraction, 9);
    }
  });

  it('keep zero in the middle of a symmetric symlog scale, with ordered ticks', () => {
    const scale = normalisation('symlog', { low: -10, high: 10 });
    expect(scale.fraction(0)).toBeCloseTo(0.5, 12);
    const values = scale.ticks(8).ticks.map((tick) => tick.value);
    expect(values).toContain(0);
    expect(values).toEqual([...values].sort((a, b) => a - b));
    expect(values).toEqual(
      values
        .map((value) => -value)
        .reverse()
        .map((value) => (value === 0 ? 0 : value)),
    );
  });

  it('can always be drawn', () => {
    expect(drawableLimits('linear', { low: 3, high: 3 }, 0)).toEqual({ low: 3, high: 6 });
    expect(drawableLimits('linear', { low: 0, high: 0 }, 0)).toEqual({ low: 0, high: 1 });
    expect(drawableLimits('log', { low: 0, high: 10 }, 1e-30)).toEqual({ low: 1e-4, high: 10 });
    expect(drawableLimits('log', { low: 0, high: 10 }, 0.5)).toEqual({ low: 0.5, high: 10 });
    expect(drawableLimits('log', { low: 0, high: 0 }, 0)).toEqual({ low: 1e-5, high: 1 });
    expect(drawableLimits('symlog', { low: Number.NaN, high: Number.POSITIVE_INFINITY }, 0)).toEqual({
      low: 0,
      high: 1,
    });
  });
});

describe('transparency of an overlay', () => {
  const alphas = (wash: 'rising' | 'centred' | 'even'): readonly number[] =>
    [...withOpacity(colorMap('viridis'), wash).colors].map((color) => color >>> 24);

  it('makes dose transparent at its lower end, a difference in its middle, and gamma uniformly', () => {
    const rising = alphas('rising');
    expect([rising[0], rising.at(-1)]).toEqual([0, 179]);
    expect(rising.every((alpha, i) => alpha >= (rising[i - 1] ?? 0))).toBe(true);
    const centred = alphas('centred');
    expect(centred[0]).toBe(179);
    expect(Math.min(...centred)).toBeLessThan(5);
    expect(centred.indexOf(Math.min(...centred))).toBeGreaterThan(120);
    expect(new Set(alphas('even'))).toEqual(new Set([179]));
  });

  it('keeps every hue, and is the same object for the same colours', () => {
    const map = colorMap('magma');
    const made = withOpacity(map, 'rising');
    expect([...made.colors].map((color) => color & 0xffffff)).toEqual([...map.colors].map((color) => color & 0xffffff));
    expect(withOpacity(map, 'rising')).toBe(made);
    expect(withOpacity(map, 'even')).not.toBe(made);
  });
});
