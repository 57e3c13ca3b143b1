/** The smooth curve through cell means, compared with its equations solved by hand. */
import { describe, expect, it } from 'vitest';
import {
  type AxisGeometry,
  axisProfile,
  cellCurve,
  depthReadouts,
  falloffPosition,
  peakOf,
  positionOnRise,
} from '../../../../../../electron/host/workloads/transport/metrics/depth-readouts.ts';
import { braggCells, braggDose, braggTruth } from './bragg.ts';

function sumOf(values: Float64Array): number {
  return values.reduce((a, b) => a + b, 0);
}

/** A pencil beam's dose with the given profile along a tilted axis, as cell contents by fine sampling. */
function tiltedDose(g: AxisGeometry, length: number, lateral_mm: number, profile: (s: number) => number): Float64Array {
  const dose = new Float64Array(g.nz * g.nx);
  const [uz, ux] = [Math.cos(g.angle_rad), Math.sin(g.angle_rad)];
  const ds = 0.01;
  for (let s = ds / 2; s < length; s += ds) {
    const value = profile(s) * ds;
    for (let k = -20; k <= 20; k += 1) {
      const across = (k / 20) * 2 * lateral_mm;
      const weight = Math.exp(-(across * across) / (2 * lateral_mm * lateral_mm));
      const z = Math.floor((g.z_mm + s * uz - across * ux) / g.dz_mm);
      const x = Math.floor((g.x_mm + s * ux + across * uz + (g.nx * g.dx_mm) / 2) / g.dx_mm);
      if (z < 0 || z >= g.nz || x < 0 || x >= g.nx) continue;
      dose[z * g.nx + x] = (dose[z * g.nx + x] ?? 0) + value * weight;
    }
  }
  return dose;
}

describe('dose along a tilted axis', () => {
  const straight: AxisGeometry = { nz: 5, nx: 3, dz_mm: 0.5, dx_mm: 1, x_mm: 0, z_mm: 1, angle_rad: 0 };

  it('is the plain sum over x for a beam along z, counted from the entrance', () => {
    const dose = Float64Array.from({ length: 15 }, (_, i) => i);
    const profile = axisProfile(dose, straight);
    expect(profile.start_mm).toBe(-1);
    expect([...profile.values]).toEqual([3, 12, 21, 30, 39].map((sum) => sum / 0.5));
  });

  it.each([0.1, 0.785, -0.785, 1.2, Math.PI / 2, 2.5])('loses no energy at %f rad', (angle_rad) => {
    const g: AxisGeometry = { nz: 20, nx: 15, dz_mm: 0.3, dx_mm: 0.7, x_mm: 1.1, z_mm: 0.4, angle_rad };
    const dose = Float64Array.from({ length: 300 }, (_, i) => Math.abs(Math.sin(i * 12.9898)));
    const profile = axisProfile(dose, g);
    expect(sumOf(profile.values) * profile.step_mm).toBeCloseTo(sumOf(dose), 9);
  });

  it('spreads a single cell as its projection, symmetric about its centre', () => {
    const g: AxisGeometry = { nz: 21, nx: 21, dz_mm: 0.5, dx_mm: 1, x_mm: 0, z_mm: 0, angle_rad: Math.PI / 4 };
    const dose = new Float64Array(21 * 21);
    dose[10 * 21 + 10] = 1;
    const profile = axisProfile(dose, g);
    const at = (i: number): number => profile.start_mm + (i + 0.5) * profile.step_mm;
    const mean = profile.values.reduce((sum, v, i) => sum + v * profile.step_mm * at(i), 0);
    expect(mean).toBeCloseTo(5.25 * Math.SQRT1_2, 2);
    const reach = profile.values.reduce((most, v, i) => (v > 0 ? Math.max(most, Math.abs(at(i) - mean)) : most), 0);
    expect(reach).toBeLessThan(((0.5 + 1) * Math.SQRT1_2) / 2 + profile.step_mm);
  });

  it('has at 45° the R80 of the curve along the axis within 0.05 mm', () => {
    const [range, sigma] = [40.8, 0.469];
    const g: AxisGeometry = { nz: 200, nx: 160, dz_mm: 0.2, dx_mm: 0.5, x_mm: -15, z_mm: 3, angle_rad: Math.PI / 4 };
    const table = Float64Array.from({ length: 4500 }, (_, i) => braggDose((i + 0.5) * 0.01, range, sigma));
    const dose = tiltedDose(g, 45, 0.5, (s) => table[Math.floor(s / 0.01)] ?? 0);
    const blur = (0.2 + 0.5) * Math.SQRT1_2 - 0.2;
    const readouts = depthReadouts(axisProfile(dose, g), blur);
    const truth = braggTruth(range, sigma);
    expect(Math.abs((readouts.r80_mm ?? 0) - truth.r80)).toBeLessThan(0.05);
    // Projected on the axis, a cell is 0.5 mm long, which flattens a peak of 3 mm.
    expect(Math.abs((readouts.peak_to_entrance ?? 0) / truth.ratio - 1)).toBeLessThan(0.04);
  });
});

describe('the readout curve of a single cell', () => {
  it('has edges from equal slopes on both sides', () => {
    // One cell is flat. For two cells with means 1 and 3, 2a + b = 3, a + 4b + c = 12 and b + 2c = 9. So a, b, c are
    // 0.5, 2, 3.5.
    expect([...cellCurve(0, 1, Float64Array.of(2)).edges]).toEqual([2, 2]);
    const { edges } = cellCurve(0, 1, Float64Array.of(1, 3));
    for (const [i, value] of [0.5, 2, 3.5].entries()) expect(edges[i]).toBeCloseTo(value, 12);
  });
});

describe('readouts of a Bragg curve of 70 MeV (range 40.8 mm, sigma 0.469 mm)', () => {
  const [range, sigma] = [40.8, 0.469];
  const truth = braggTruth(range, sigma);

  // The position of the grid relative to the peak must not matter.
  it.each([0, 0.03, 0.05, 0.1, 0.13, 0.17])('are accurate on cells of 0.2 mm shifted by %f mm', (shift) => {
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
    expect((readouts.plateau_MeV_per_mm ?? 0) / (plateau.reduce((a, b) => a + b, 0) / plateau.length)).toBeCloseTo(
      1,
      2,
    );
    expect(Math.abs((readouts.peak_mm ?? 0) - truth.peak)).toBeLessThan(0.02);
    expect(Math.abs((readouts.w80_20_mm ?? 0) - (truth.r20 - truth.r80))).toBeLessThan(0.006);
    expect(Math.abs((readouts.fwhm_mm ?? 0) - truth.fwhm)).toBeLessThan(0.01);
    expect((readouts.peak_to_entrance ?? 0) / truth.ratio).toBeCloseTo(1, 2);
  });

  it('have R80 accurate to 0.05 mm on cells of 0.5 mm, which are as wide as sigma', () => {
    for (const shift of [0, 0.1, 0.25, 0.4]) {
      const values = braggCells(-shift, 0.5, 100, range, sigma);
      const readouts = depthReadouts({ start_mm: -shift, step_mm: 0.5, values }, 0);
      expect(Math.abs((readouts.r80_mm ?? 0) - truth.r80)).toBeLessThan(0.05);
    }
  });
});

describe('missing readouts', () => {
  it('are reported for a beam that leaves before its peak', () => {
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
      plateau_MeV_per_mm: null,
      peak_to_entrance: null,
    });
  });

  it('leave a peak cut by the rear face with its peak but without distal readouts', () => {
    const values = braggCells(0, 0.2, 203, 40.8, 0.469);
    const readouts = depthReadouts({ start_mm: 0, step_mm: 0.2, values }, 0);
    expect(readouts.peak_mm).toBeCloseTo(40.25, 0);
    expect(readouts.r20_mm).toBeNull();
    expect(readouts.w80_20_mm).toBeNull();
  });

  it('are reported without dose, and for one cell or none', () => {
    for (const values of [new Float64Array(10), new Float64Array([1]), new Float64Array(0)]) {
      expect(depthReadouts({ start_mm: 0, step_mm: 1, values }, 0).peak_mm).toBeNull();
    }
  });

  it('include the full width if the plateau is above half of the peak', () => {
    const values = Float64Array.from({ length: 40 }, (_, i) => (i < 30 ? 1 + i / 100 : 0));
    expect(depthReadouts({ start_mm: 0, step_mm: 1, values }, 0).fwhm_mm).toBeNull();
  });
});

describe('the curve through cell means', () => {
  it('keeps each cell mean and is continuous', () => {
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
    // The cell values are a Gaussian's. The curve whose cell means they are is narrower: its variance is smaller by
    // 1/12.
    const [rise, fall] = [positionOnRise(curve, peak, peak.height / 2), falloffPosition(curve, peak, peak.height / 2)];
    expect((fall ?? 0) - (rise ?? 0)).toBeCloseTo(2 * Math.sqrt(2 * Math.log(2)) * Math.sqrt(4 - 1 / 12), 2);
  });
});
