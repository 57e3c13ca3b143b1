import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AxisProfile } from '../../../../../../electron/host/workloads/transport/metrics/axis-profile.ts';
import { depthReadouts } from '../../../../../../electron/host/workloads/transport/metrics/depth-readouts.ts';
import { withoutBlur } from '../../../../../../electron/host/workloads/transport/metrics/without-blur.ts';

const STEP = 0.25;
const profileOf = (values: readonly number[], blur_mm2 = 0): AxisProfile => ({
  start_mm: 0,
  step_mm: STEP,
  values: Float64Array.from(values),
  blur_mm2,
});
const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);

/** A Bragg peak: a plateau whose end at 40 mm straggles by `sigma`, and a peak before it; bins' means. */
function peak(sigma: number): readonly number[] {
  const fine = 40;
  const dose = (x: number): number => {
    let [total, weights] = [0, 0];
    for (let k = -60; k <= 60; k += 1) {
      const end = 40 + (k / 10) * sigma;
      const weight = Math.exp(-((k / 10) ** 2) / 2);
      weights += weight;
      // Energy by length near the end of a range goes as its root.
      total += end > x ? (weight * 1) / Math.sqrt(end - x + 0.02) : 0;
    }
    return total / weights;
  };
  return Array.from({ length: 200 }, (_, i) =>
    Array.from({ length: fine }, (_, k) => dose((i + (k + 0.5) / fine) * STEP) / fine).reduce((a, b) => a + b, 0),
  );
}

/** `values` spread by a Gaussian of this variance. */
function spread(values: readonly number[], variance_mm2: number): readonly number[] {
  const sigma = Math.sqrt(variance_mm2) / STEP;
  const reach = Math.ceil(6 * sigma);
  return values.map((_, i) => {
    let [total, weights] = [0, 0];
    for (let k = -reach; k <= reach; k += 1) {
      const weight = Math.exp(-((k / sigma) ** 2) / 2);
      weights += weight;
      total += weight * (values[Math.min(values.length - 1, Math.max(0, i + k))] ?? 0);
    }
    return total / weights;
  });
}

describe('a profile without its blur', () => {
  it('is the profile itself where there is none: beams straight ahead keep every bit', () => {
    const profile = profileOf(peak(0.7));
    expect(withoutBlur(profile)).toBe(profile);
  });

  it('has the peak and the falloff that the curve had before it was blurred', () => {
    for (const variance of [0.02, 0.05, 0.1]) {
      const wanted = depthReadouts(profileOf(peak(0.7)), 0);
      const blurred = depthReadouts(profileOf(spread(peak(0.7), variance)), 0);
      const found = depthReadouts(withoutBlur(profileOf(spread(peak(0.7), variance), variance)), 0);
      const off = (read: typeof found) => Math.abs((read.w80_20_mm ?? 0) / (wanted.w80_20_mm ?? 1) - 1);
      expect(off(blurred)).toBeGreaterThan(0.15 * variance);
      expect(off(found)).toBeLessThan(0.1 * off(blurred) + 0.001);
      expect(Math.abs((found.r80_mm ?? 0) - (wanted.r80_mm ?? 0))).toBeLessThan(0.005);
    }
  });

  it('says what stays where more blurs it than can be taken out', () => {
    expect(withoutBlur(profileOf(peak(0.7), 0.1)).blur_mm2).toBeCloseTo(0, 12);
    for (const variance of [0.2, 0.5]) {
      const left = withoutBlur(profileOf(spread(peak(0.7), variance), variance));
      expect(left.blur_mm2).toBeGreaterThan(0.05);
      // Its falloff is that of a curve blurred by as much as is said, to a twentieth.
      const said = depthReadouts(profileOf(spread(peak(0.7), left.blur_mm2)), 0).w80_20_mm ?? 0;
      expect(Math.abs((depthReadouts(left, 0).w80_20_mm ?? 0) / said - 1)).toBeLessThan(0.05);
    }
  });

  it('keeps its sum, and no bin turns negative or leaves its surroundings where the curve has edges', () => {
    const level = fc.double({ min: 0, max: 100, noNaN: true });
    const pieces = fc.array(fc.record({ level, bins: fc.integer({ min: 2, max: 9 }) }), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(pieces, fc.double({ min: 0.001, max: 0.4, noNaN: true }), (slabs, variance) => {
        const values = slabs.flatMap(({ level: height, bins }) => Array.from({ length: bins }, () => height));
        const { values: sharp } = withoutBlur(profileOf(values, variance));
        expect(Math.abs(sum(sharp) - sum(Float64Array.from(values)))).toBeLessThan(1e-9 * (1 + sum(sharp)));
        // Flat on both sides of each edge, as slabs, bone and lead are: nothing to sharpen.
        sharp.forEach((value, i) => {
          expect(Math.abs(value - (values[i] ?? 0))).toBeLessThan(1e-9 * (1 + value));
        });
      }),
      { numRuns: 200 },
    );
  });

  it('neither overshoots by half a percent nor turns negative at the blurred edge of a slab, and is steeper', () => {
    const edge = Array.from({ length: 60 }, (_, i) => (i < 20 ? 0 : i < 40 ? 10 : 3));
    for (const variance of [0.02, 0.06, 0.2]) {
      const blurred = spread(edge, variance);
      const { values } = withoutBlur(profileOf(blurred, variance));
      expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...values)).toBeLessThan(10.05);
      expect(values[20] ?? 0).toBeGreaterThan(blurred[20] ?? 0);
      expect(Math.abs(sum(values) - blurred.reduce((a, b) => a + b, 0))).toBeLessThan(1e-9);
    }
  });
});
