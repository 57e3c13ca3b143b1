import { describe, expect, it } from 'vitest';
import { plotFrame } from '../../../renderer/drawing/plot-frame.ts';
import { logScale } from '../../../renderer/drawing/scale.ts';

describe('a logarithmic axis', () => {
  const scale = logScale(1e-6, 1, 120, 0);

  it('gives every decade the same room, there and back', () => {
    expect(scale.toPixel(1e-6)).toBeCloseTo(120, 9);
    expect(scale.toPixel(1e-3)).toBeCloseTo(60, 9);
    for (const value of [1e-6, 3e-4, 0.5]) expect(scale.toValue(scale.toPixel(value))).toBeCloseTo(value, 12);
  });

  it('has no place for what is not above zero', () => {
    expect(scale.toPixel(0)).toBeNaN();
    expect(scale.toPixel(-1)).toBeNaN();
  });
});

describe('the room around a plot', () => {
  it('leaves maps side by side more of it, and curves no colour bar', () => {
    const [full, compact, curves] = (['full', 'compact', 'curves'] as const).map((room) =>
      plotFrame(400, 200, 11, room),
    );
    expect(compact?.plot.width).toBeGreaterThan(full?.plot.width ?? Number.POSITIVE_INFINITY);
    expect(compact?.bar).not.toBeNull();
    expect(curves?.bar).toBeNull();
    // Their left edges line up.
    expect([compact?.plot.left, curves?.plot.left]).toEqual([full?.plot.left, full?.plot.left]);
  });

  it('gives up the bar before the field', () => {
    expect(plotFrame(200, 200, 11, 'compact').bar).toBeNull();
  });
});
