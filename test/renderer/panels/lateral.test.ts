import { describe, expect, it } from 'vitest';
import type { LedgerTable } from '../../../electron/contract/run.ts';
import { fluenceWidth, widthChart } from '../../../renderer/panels/lateral/controller.ts';
import {
  depthProfile,
  depthToShow,
  fitGaussian,
  gaussian,
  lateralChart,
  momentsAt,
} from '../../../renderer/panels/lateral/profile.ts';
import {
  decadeRange,
  errorCurve,
  errorPane,
  frameOfStep,
  ledgerSeries,
  rowOfStep,
  sharePane,
} from '../../../renderer/panels/ledger-steps/series.ts';

describe('lateral profiles', () => {
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
    it('uses the width of the nearest plane, and none where no protons cross', () => {
      expect(momentsAt(moments, 1.2)).toEqual({ depth_mm: 1.5, mean_x_mm: 1, sigma_x_mm: 1.5 });
      expect(momentsAt(moments, 9)).toBeNull();
    });

    it('matches a Gaussian of that width where it is Gaussian', () => {
      const plane = momentsAt(moments, 1.5);
      if (plane === null) throw new Error('no plane');
      const fit = gaussian(curve, plane);
      for (const [i, value] of values.entries()) expect(Math.abs((fit[i] ?? 0) - value)).toBeLessThan(0.004);
      expect(total(fit)).toBeCloseTo(total(values), 6);
    });

    it('stays within the cells of a beam narrower than a cell, and no higher than the dose', () => {
      const one = { ...curve, values: positions.map((x) => (x === 1 ? 4 : 0)) };
      const two = { ...curve, values: positions.map((x) => (x === 1 || x === 1.25 ? 2 : 0)) };
      for (const sigma_x_mm of [1e-9, 0.001, 0.02]) {
        const at = { depth_mm: 0.5, sigma_x_mm };
        for (const [dose, mean_x_mm] of [[one, 1] as const, [two, 1.125] as const]) {
          const fit = gaussian(dose, { ...at, mean_x_mm });
          for (const [i, value] of dose.values.entries()) expect(fit[i]).toBeCloseTo(value, 2);
        }
      }
      // A width is missing if cells are too wide for it, or if there are three cells or fewer.
      const thin = { ...moments, sigma_x_mm: column(Number.NaN, 0.2, 0.3) };
      expect(depthProfile(one, 0.5, thin)).toMatchObject({ plane: null, fit: null });
      expect(fluenceWidth(thin)[0]).toBeNaN();
    });

    it('is shown at the pointer, otherwise at half of the range, and always inside the box', () => {
      expect(depthToShow(7, 40, 50)).toBe(7);
      expect(depthToShow(null, 40, 50)).toBe(20);
      expect(depthToShow(null, null, 50)).toBe(25);
      expect(depthToShow(50, 40, 50)).toBeLessThan(50);
      expect(depthToShow(-3, 40, 50)).toBe(0);
    });

    it('shows the window to which the maps are zoomed, and a logarithmic axis above zero', () => {
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

    it('is fitted above a tenth of its peak', () => {
      expect(depthProfile(curve, 1.5, moments).fit?.sigma).toBeCloseTo(1.5, 6);
      const onBackground = values.map((value, i) => value + (i % 2 === 0 ? 0.02 : 0.01));
      expect(fitGaussian(positions, onBackground)?.mean).toBeCloseTo(1, 1);
      expect(fitGaussian(positions, new Float64Array(81))).toBeNull();
      expect(fitGaussian([0, 1], [1, 1])).toBeNull();
    });
  });

  describe('the beam width by depth', () => {
    it('is drawn where protons cross, with theory and fit', () => {
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
});

describe('steps of the ledger', () => {
  const column = (...values: number[]): Float64Array => Float64Array.of(...values);
  const zero = column(0, 0, 0);
  const table: LedgerTable = {
    step: Uint32Array.of(1, 10, 20),
    number: {
      in: column(4, 4, 4),
      in_flight: column(4, 3, 0),
      stopped: column(0, 1, 3.996),
      escaped_x: column(-2e-16, -4e-16, 3e-16),
      escaped_z: zero,
      escaped_theta: column(0, 0, 0.004),
      nuclear: zero,
      skipped: zero,
      rel_error: column(0, -1e-9, 2e-8),
    },
    energy_MeV: {
      in: column(280, 280, 280),
      in_flight: column(280, 140, 0),
      stopped: zero,
      escaped_x: zero,
      escaped_z: zero,
      escaped_theta: zero,
      nuclear: zero,
      skipped: zero,
      deposited: column(0, 140, 280),
      rel_error: column(0, 0, 0),
    },
  };

  describe('the ledger per step', () => {
    it('shows shares of the entering protons, and omits entries that are zero up to rounding', () => {
      const series = ledgerSeries(table, 'number');
      const of = (name: string) => series.find((each) => each.column === name);
      expect(Array.from(of('stopped')?.curve.y ?? [])).toEqual([0, 0.25, 0.999]);
      expect(of('escaped_x')?.present).toBe(false);
      expect(of('deposited')).toBeUndefined();
      expect(sharePane(table, 'number', 'linear').series).toHaveLength(3);
    });

    it('has one curve per face where faces are distinguished', () => {
      const faces = { escaped_x_low: column(0, 0.5, 1), escaped_x_high: zero };
      const told = ledgerSeries({ ...table, number: { ...table.number, ...faces } }, 'number');
      const names = told.map((each) => each.column);
      expect(names).toContain('escaped_x_low');
      expect(names).not.toContain('escaped_x');
      expect(names).toContain('escaped_z');
      expect(Array.from(told.find((each) => each.column === 'escaped_x_low')?.curve.y ?? [])).toEqual([0, 0.125, 0.25]);
    });

    it('shows deposited energy instead of stopped protons', () => {
      const names = ledgerSeries(table, 'energy').map((each) => each.column);
      expect(names).toContain('deposited');
      expect(names).not.toContain('stopped');
    });

    it('distinguishes every curve by its dash as well as by its colour', () => {
      const curves = ledgerSeries(table, 'number').map(({ curve }) => curve);
      expect(new Set(curves.map(({ dash }) => dash.join())).size).toBe(curves.length);
      expect(new Set(curves.map(({ ink }) => ink)).size).toBe(curves.length);
    });

    it('draws the size of the error on complete decadeRange, even for an exact sum', () => {
      expect([...(errorCurve(table, 'number').y as Float64Array)]).toEqual([1e-17, 1e-9, 2e-8]);
      const { from, to } = errorPane(table, 'number').y;
      expect([Math.log10(from), Math.log10(to)]).toEqual([-17, -7]);
      const exact = errorPane(table, 'energy').y;
      expect(exact.to).toBeGreaterThan(exact.from);
    });

    it('spans positive values, and at least one decade', () => {
      const curve = { y: [0, 1] } as const;
      expect(decadeRange([curve], 1e-12, 1)).toEqual([1, 10]);
      expect(decadeRange([{ ...curve, y: [1e-30, 0.5] }], 1e-12, 1)).toEqual([1e-12, 1]);
    });

    it('finds the row and the stored keyframe nearest to a step', () => {
      expect(
        [0, 5, 6, 14.9, 15.1, 99, Number.POSITIVE_INFINITY].map((at) => table.step[rowOfStep(table.step, at)]),
      ).toEqual([1, 1, 10, 10, 20, 20, 20]);
      expect(rowOfStep([], 3)).toBe(0);
      expect(frameOfStep([{ step: 0 }, { step: 4 }, { step: 8 }], 5)).toBe(1);
    });
  });
});
