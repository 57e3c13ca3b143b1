import { describe, expect, it } from 'vitest';
import {
  cellCurve,
  fallsTo,
  peakOf,
  risesTo,
} from '../../../../../../electron/host/workloads/transport/metrics/cell-curve.ts';
import { depthReadouts } from '../../../../../../electron/host/workloads/transport/metrics/depth-readouts.ts';
import { braggCells, braggTruth } from './bragg.ts';

describe('readouts of a Bragg curve of 70 MeV (range 40.8 mm, sigma 0.469 mm)', () => {
  const [range, sigma] = [40.8, 0.469];
  const truth = braggTruth(range, sigma);

  // The grid's place against the peak must not matter.
  it.each([0, 0.03, 0.05, 0.1, 0.13, 0.17])('on cells of 0.2 mm shifted by %f mm', (shift) => {
    const readouts = depthReadouts(
      { start_mm: -shift, step_mm: 0.2, values: braggCells(-shift, 0.2, 250, range, sigma) },
      0,
    );
    expect(Math.abs((readouts.r80_mm ?? 0) - truth.r80)).toBeLessThan(0.005);
    expect(Math.abs((readouts.r20_mm ?? 0) - truth.r20)).toBeLessThan(0.005);
    expect(Math.abs((readouts.r90_mm ?? 0) - truth.r90)).toBeLessThan(0.01);
    expect(Math.abs((readouts.r50_mm ?? 0) - truth.r50)).toBeLessThan(0.005);
    expect(Math.abs((readouts.practical_range_mm ?? 0) - truth.r10)).toBeLessThan(0.01);
    const plateau = braggCells(-shift, 0.2, 250, range, sigma).filter((_, i) => {
      const depth = -shift + (i + 0.5) * 0.2;
      return depth >= 0.2 * truth.r80 && depth <= 0.5 * truth.r80;
    });
    expect((readouts.plateau ?? 0) / (plateau.reduce((a, b) => a + b, 0) / plateau.length)).toBeCloseTo(1, 2);
    expect(Math.abs((readouts.peak_mm ?? 0) - truth.peak)).toBeLessThan(0.02);
    expect(Math.abs((readouts.w80_20_mm ?? 0) - (truth.r20 - truth.r80))).toBeLessThan(0.006);
    expect(Math.abs((readouts.fwhm_mm ?? 0) - truth.fwhm)).toBeLessThan(0.01);
    expect((readouts.peak_to_entrance ?? 0) / truth.ratio).toBeCloseTo(1, 2);
  });

  it('on cells of 0.5 mm, as wide as sigma, R80 is still good to 0.05 mm', () => {
    for (const shift of [0, 0.1, 0.25, 0.4]) {
      const values = braggCells(-shift, 0.5, 100, range, sigma);
      const readouts = depthReadouts({ start_mm: -shift, step_mm: 0.5, values }, 0);
      expect(Math.abs((readouts.r80_mm ?? 0) - truth.r80)).toBeLessThan(0.05);
    }
  });
});

describe('readouts that are not there', () => {
  it('a beam that leaves before its peak has none', () => {
    const values = braggCells(0, 0.2, 150, 40.8, 0.469);
    expect(depthReadouts({ start_mm: 0, step_mm: 0.2, values }, 0)).toEqual({
      r80_mm: null,
      r20_mm: null,
      peak_mm: null,
      w80_20_mm: null,
      fwhm_mm: null,
      r90_mm: null,
      r50_mm: null,
      practical_range_mm: null,
      plateau: null,
      peak_to_entrance: null,
    });
  });

  it('a peak cut by the rear face has a peak but no distal readouts', () => {
    const values = braggCells(0, 0.2, 203, 40.8, 0.469);
    const readouts = depthReadouts({ start_mm: 0, step_mm: 0.2, values }, 0);
    expect(readouts.peak_mm).toBeCloseTo(40.25, 0);
    expect(readouts.r20_mm).toBeNull();
    expect(readouts.w80_20_mm).toBeNull();
  });

  it('no dose, one cell, no cell', () => {
    for (const values of [new Float64Array(10), new Float64Array([1]), new Float64Array(0)]) {
      expect(depthReadouts({ start_mm: 0, step_mm: 1, values }, 0).peak_mm).toBeNull();
    }
  });

  it('a plateau above half of the peak has no full width', () => {
    const values = Float64Array.from({ length: 40 }, (_, i) => (i < 30 ? 1 + i / 100 : 0));
    expect(depthReadouts({ start_mm: 0, step_mm: 1, values }, 0).fwhm_mm).toBeNull();
  });
});

describe('the curve through cell means', () => {
  it('keeps each mean and is continuous', () => {
    const means = Float64Array.from({ length: 20 }, (_, i) => Math.exp(-((i - 12.3) ** 2) / 8));
    const curve = cellCurve(0, 1, means);
    const peak = peakOf(curve);
    expect(peak).not.toBeNull();
    if (peak === null) return;
    // Cell i is centred on i + 0.5.
    expect(peak.position).toBeCloseTo(12.8, 1);
    for (let i = 0; i < means.length; i += 1) {
      const [a, b, m] = [curve.edges[i] ?? 0, curve.edges[i + 1] ?? 0, means[i] ?? 0];
      const value = (t: number): number =>
        a * (1 - 4 * t + 3 * t * t) + b * (-2 * t + 3 * t * t) + m * (6 * t - 6 * t * t);
      expect((value(0) + 4 * value(0.5) + value(1)) / 6).toBeCloseTo(m, 12);
    }
    // The values are a Gaussian's, taken as means of cells: the curve whose means they are is narrower by 1/12.
    const [rise, fall] = [risesTo(curve, peak, peak.height / 2), fallsTo(curve, peak, peak.height / 2)];
    expect((fall ?? 0) - (rise ?? 0)).toBeCloseTo(2 * Math.sqrt(2 * Math.log(2)) * Math.sqrt(4 - 1 / 12), 2);
  });
});
