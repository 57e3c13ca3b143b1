import { describe, expect, it } from 'vitest';
import { fitGaussian } from '../../../renderer/base/gaussian-fit.ts';
import { fluenceWidth, widthChart } from '../../../renderer/panels/lateral/controller.ts';
import {
  depthProfile,
  depthToShow,
  gaussian,
  lateralChart,
  momentsAt,
} from '../../../renderer/panels/lateral/profile.ts';

const positions = Float64Array.from({ length: 81 }, (_, i) => (i - 40) * 0.25);
const values = positions.map((x) => 3 * Math.exp(-0.5 * ((x - 1) / 1.5) ** 2));
const total = (of: Float64Array): number => of.reduce((a, b) => a + b, 0);
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
    for (const [i, value] of values.entries()) expect(Math.abs((fit[i] ?? 0) - value)).toBeLessThan(0.004);
    expect(total(fit)).toBeCloseTo(total(values), 6);
  });

  it('of a beam narrower than a cell lies in its cells, no higher than the dose', () => {
    const one = { ...curve, values: positions.map((x) => (x === 1 ? 4 : 0)) };
    const two = { ...curve, values: positions.map((x) => (x === 1 || x === 1.25 ? 2 : 0)) };
    for (const sigma_x_mm of [1e-9, 0.001, 0.02]) {
      const at = { depth_mm: 0.5, sigma_x_mm };
      for (const [dose, mean_x_mm] of [[one, 1] as const, [two, 1.125] as const]) {
        const fit = gaussian(dose, { ...at, mean_x_mm });
        for (const [i, value] of dose.values.entries()) expect(fit[i]).toBeCloseTo(value, 2);
      }
    }
    // Cells too wide to tell a width have none; nor do three cells and fewer.
    const thin = { ...moments, sigma_x_mm: column(Number.NaN, 0.2, 0.3) };
    expect(depthProfile(one, 0.5, thin)).toMatchObject({ plane: null, fit: null });
    expect(fluenceWidth(thin)[0]).toBeNaN();
  });

  it('is shown at the pointer, else at half of the range, and always inside', () => {
    expect(depthToShow(7, 40, 50)).toBe(7);
    expect(depthToShow(null, 40, 50)).toBe(20);
    expect(depthToShow(null, null, 50)).toBe(25);
    expect(depthToShow(50, 40, 50)).toBeLessThan(50);
    expect(depthToShow(-3, 40, 50)).toBe(0);
  });

  it('shows the window that the maps are zoomed to, and a logarithmic axis above zero', () => {
    const without = { ...depthProfile(curve, 1.5, moments), plane: null };
    const chart = lateralChart([without], [-2, 2], 'log');
    const [pane] = chart?.panes ?? [];
    expect([pane?.x.from, pane?.x.to]).toEqual([-2, 2]);
    expect(pane?.y.from).toBeGreaterThan(0);
    expect(pane?.series).toHaveLength(1);
    const profiles = [depthProfile(curve, 1.5, moments), depthProfile(curve, 0.5, moments)];
    expect(lateralChart(profiles, undefined, 'linear')?.panes[0]?.series.map(({ name }) => name)).toEqual([
      'Dose at z 1.50 mm',
      'Gaussian of the fluence',
      'Dose at z 0.50 mm',
    ]);
    expect(lateralChart([], undefined, 'linear')).toBeNull();
  });

  it('is fitted where it is above a tenth of its peak', () => {
    expect(depthProfile(curve, 1.5, moments).fit?.sigma).toBeCloseTo(1.5, 6);
    const onBackground = values.map((value, i) => value + (i % 2 === 0 ? 0.02 : 0.01));
    expect(fitGaussian(positions, onBackground)?.mean).toBeCloseTo(1, 1);
    expect(fitGaussian(positions, new Float64Array(81))).toBeNull();
    expect(fitGaussian([0, 1], [1, 1])).toBeNull();
  });
});

describe('the width of the beam', () => {
  it('is drawn where protons cross, beside theory and what was fitted', () => {
    expect([...fluenceWidth(moments)]).toEqual([1, 1.5, Number.NaN]);
    const theory = { ...curve, positions: column(0.5, 1.5), values: column(1, 1.6) };
    const profiles = [depthProfile(curve, 1.5, moments), depthProfile(curve, 0.5, moments)];
    const [pane] = widthChart(moments, theory, profiles, undefined).panes;
    expect(pane?.series.map(({ name }) => name)).toEqual(['σx of the fluence', 'Fermi–Eyges', 'Fitted to the dose']);
    expect([...Array.from(pane?.series[2]?.x ?? [])]).toEqual([0.5, 1.5]);
    expect([pane?.x.from, pane?.x.to]).toEqual([0, 3]);
    expect(pane?.y.to).toBeCloseTo(1.6 * 1.3, 9);
  });
});
