import { expect, it } from 'vitest';
import { fluenceMoments } from '../../../../../../electron/host/workloads/transport/metrics/fluence-moments.ts';
import { meanRange } from '../../../../../../electron/host/workloads/transport/metrics/mean-range.ts';

/** One plane's sums for protons of given x (mm) and θ (rad). */
function sums(protons: readonly (readonly [weight: number, x: number, theta: number])[]): number[] {
  const out = [0, 0, 0, 0, 0, 0];
  for (const [w, x, t] of protons) {
    [w, w * x, w * x * x, w * t, w * t * t, w * x * t].forEach((term, i) => {
      out[i] = (out[i] ?? 0) + term;
    });
  }
  return out;
}

it('gives widths about the mean, without the width of the representation', () => {
  const plane = sums([
    [2, 1, 0.01],
    [2, 3, 0.03],
  ]);
  const moments = fluenceMoments(new Float64Array(plane), 0.5, 0.19);
  expect(moments.depth_mm[0]).toBe(0.25);
  expect(moments.protons[0]).toBe(4);
  expect(moments.mean_x_mm[0]).toBe(2);
  expect(moments.sigma_x_mm[0]).toBeCloseTo(Math.sqrt(1 - 0.19), 12);
  expect(moments.mean_theta_mrad[0]).toBeCloseTo(20, 12);
  expect(moments.theta_rms_mrad[0]).toBeCloseTo(10, 12);
  expect(moments.covariance_mm_mrad[0]).toBeCloseTo(10, 9);
});

it('leaves out planes that no proton reaches, and tells no width where cells are too wide for one', () => {
  const crossing = new Float64Array([...sums([[1, 0, 0]]), ...sums([[1e-9, 5, 1]]), 0, 0, 0, 0, 0, 0]);
  const moments = fluenceMoments(crossing, 1, 0.5);
  expect([...moments.depth_mm]).toEqual([0.5]);
  expect([...moments.sigma_x_mm, ...moments.theta_rms_mrad]).toEqual([Number.NaN, 0]);
});

it('an empty run has empty columns', () => {
  expect(fluenceMoments(new Float64Array(12), 1, 0).depth_mm.length).toBe(0);
});

it('mean range is the mean depth of those that stop, and not of those that are lost on the way', () => {
  // 20 % lost on the way; those left stop around 40 mm.
  const planes = Array.from({ length: 50 }, (_, i) => {
    const z = i + 0.5;
    return sums([[(1 - 0.005 * Math.min(z, 40)) * 0.5 * (1 - Math.tanh(z - 40)), 0, 0]]);
  });
  const grid = { nz: 50, dz_mm: 1 };
  const end = { stopped: 0.8, excess_mm: 0, lostBehind: () => 0, aside: 0 };
  const moments = fluenceMoments(new Float64Array(planes.flat()), 1, 0);
  const [ahead, behind] = [
    { z_mm: 0, angle_rad: 0 },
    { z_mm: 2, angle_rad: 0 },
  ];
  expect(Math.abs((meanRange(moments, ahead, grid, end, 40) ?? 0) - 40)).toBeLessThan(0.03);
  expect(Math.abs((meanRange(moments, behind, grid, { ...end, excess_mm: 0.3 }, 38) ?? 0) - 37.7)).toBeLessThan(0.03);
  expect(meanRange(moments, ahead, grid, end, null)).toBeNull();
  // A side that takes some of a straight beam leaves those that stop where they stop; of a tilted one it takes its axis.
  expect(meanRange(moments, ahead, grid, { ...end, aside: 0.1 }, 40)).not.toBeNull();
  expect(meanRange(moments, { ...ahead, angle_rad: 0.1 }, grid, { ...end, aside: 0.1 }, 40)).toBeNull();
  // The beam leaves behind the 40th plane, where most of it is still under way.
  const cut = fluenceMoments(new Float64Array(planes.slice(0, 40).flat()), 1, 0);
  expect(meanRange(cut, ahead, { nz: 40, dz_mm: 1 }, end, 38)).toBeNull();
});
