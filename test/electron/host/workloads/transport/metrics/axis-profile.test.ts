import { describe, expect, it } from 'vitest';
import {
  type AxisGeometry,
  axisProfile,
} from '../../../../../../electron/host/workloads/transport/metrics/axis-profile.ts';
import { depthReadouts } from '../../../../../../electron/host/workloads/transport/metrics/depth-readouts.ts';
import { braggDose, braggTruth } from './bragg.ts';

function total(values: Float64Array): number {
  return values.reduce((a, b) => a + b, 0);
}

/** A pencil of dose with the given profile along a tilted axis, as cell contents by fine sampling. */
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

describe('dose across the axis', () => {
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
    expect(total(profile.values) * profile.step_mm).toBeCloseTo(total(dose), 9);
  });

  it('spreads a single cell as its shadow, symmetric about its centre', () => {
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

  it('at 45° gives the R80 of the curve along the axis within 0.05 mm', () => {
    const [range, sigma] = [40.8, 0.469];
    const g: AxisGeometry = { nz: 200, nx: 160, dz_mm: 0.2, dx_mm: 0.5, x_mm: -15, z_mm: 3, angle_rad: Math.PI / 4 };
    const table = Float64Array.from({ length: 4500 }, (_, i) => braggDose((i + 0.5) * 0.01, range, sigma));
    const dose = tiltedDose(g, 45, 0.5, (s) => table[Math.floor(s / 0.01)] ?? 0);
    const blur = (0.2 + 0.5) * Math.SQRT1_2 - 0.2;
    const readouts = depthReadouts(axisProfile(dose, g), blur);
    const truth = braggTruth(range, sigma);
    expect(Math.abs((readouts.r80_mm ?? 0) - truth.r80)).toBeLessThan(0.05);
    // The shadow of a cell, 0.5 mm long, takes the top off a peak of 3 mm.
    expect(Math.abs((readouts.peak_to_entrance ?? 0) / truth.ratio - 1)).toBeLessThan(0.04);
  });
});
