import { describe, expect, it } from 'vitest';
import { depthToShow, gaussian, lateralScene, momentsAt } from '../../../renderer/panels/lateral/profile.ts';

const positions = Float64Array.from({ length: 81 }, (_, i) => (i - 40) * 0.25);
const values = positions.map((x) => 3 * Math.exp(-0.5 * ((x - 1) / 1.5) ** 2));
const curve = { quantity: 'dose', unit: 'MeV/mm²', axis: 'x', axisUnit: 'mm', positions, values };
const column = (...of: number[]): Float64Array => Float64Array.of(...of);
const moments = {
  depth_mm: column(0.5, 1.5, 2.5),
  protons: column(1, 1, 0),
  mean_x_mm: column(0, 1, Number.NaN),
  sigma_x_mm: column(1, 1.5, Number.NaN),
  mean_theta_mrad: column(0, 0, 0),
  theta_rms_mrad: column(1, 2, 3),
  covariance_mm_mrad: column(0, 0, 0),
};

describe('the lateral profile', () => {
  it('takes the width of the nearest plane, and none where no protons cross', () => {
    expect(momentsAt(moments, 1.2)).toEqual({ depth_mm: 1.5, mean_x_mm: 1, sigma_x_mm: 1.5 });
    expect(momentsAt(moments, 9)).toBeNull();
  });

  it('lies under a Gaussian of that width where it is one', () => {
    const plane = momentsAt(moments, 1.5);
    if (plane === null) throw new Error('no plane');
    const fit = gaussian(curve, plane);
    for (const [i, value] of values.entries()) expect(Math.abs((fit[i] ?? 0) - value)).toBeLessThan(1e-6);
  });

  it('is shown at the pointer, else at half of the range, and always inside', () => {
    expect(depthToShow(7, 40, 50)).toBe(7);
    expect(depthToShow(null, 40, 50)).toBe(20);
    expect(depthToShow(null, null, 50)).toBe(25);
    expect(depthToShow(50, 40, 50)).toBeLessThan(50);
    expect(depthToShow(-3, 40, 50)).toBe(0);
  });

  it('shows the window that the maps are zoomed to, and a logarithmic axis above zero', () => {
    const scene = lateralScene(curve, null, [-2, 2], 'log');
    expect([scene.horizontal.from, scene.horizontal.to]).toEqual([-2, 2]);
    expect(scene.vertical.from).toBeGreaterThan(0);
    expect(scene.curves).toHaveLength(1);
    expect(lateralScene(curve, momentsAt(moments, 1.5), undefined, 'linear').curves).toHaveLength(2);
  });
});
