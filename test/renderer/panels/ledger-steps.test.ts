import { describe, expect, it } from 'vitest';
import type { LedgerTable } from '../../../electron/contract/run.ts';
import {
  decades,
  errorCurve,
  errorPane,
  frameOfStep,
  ledgerSeries,
  rowOfStep,
  sharePane,
} from '../../../renderer/panels/ledger-steps/series.ts';

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

describe('the ledger by step', () => {
  it('is in shares of what entered, and leaves out what is zero but for rounding', () => {
    const series = ledgerSeries(table, 'number');
    const of = (name: string) => series.find((each) => each.column === name);
    expect(Array.from(of('stopped')?.curve.y ?? [])).toEqual([0, 0.25, 0.999]);
    expect(of('escaped_x')?.present).toBe(false);
    expect(of('deposited')).toBeUndefined();
    expect(sharePane(table, 'number', 'linear').series).toHaveLength(3);
  });

  it('has a curve for each face where faces are told apart', () => {
    const faces = { escaped_x_low: column(0, 0.5, 1), escaped_x_high: zero };
    const told = ledgerSeries({ ...table, number: { ...table.number, ...faces } }, 'number');
    const names = told.map((each) => each.column);
    expect(names).toContain('escaped_x_low');
    expect(names).not.toContain('escaped_x');
    expect(names).toContain('escaped_z');
    expect(Array.from(told.find((each) => each.column === 'escaped_x_low')?.curve.y ?? [])).toEqual([0, 0.125, 0.25]);
  });

  it('has energy that is deposited in the place of protons that stopped', () => {
    const names = ledgerSeries(table, 'energy').map((each) => each.column);
    expect(names).toContain('deposited');
    expect(names).not.toContain('stopped');
  });

  it('tells every curve apart by its dash as well as by its colour', () => {
    const curves = ledgerSeries(table, 'number').map(({ curve }) => curve);
    expect(new Set(curves.map(({ dash }) => dash.join())).size).toBe(curves.length);
    expect(new Set(curves.map(({ ink }) => ink)).size).toBe(curves.length);
  });

  it('draws the size of the error, an exact sum too, on whole decades', () => {
    expect([...(errorCurve(table, 'number').y as Float64Array)]).toEqual([1e-17, 1e-9, 2e-8]);
    const { from, to } = errorPane(table, 'number').y;
    expect([Math.log10(from), Math.log10(to)]).toEqual([-17, -7]);
    const exact = errorPane(table, 'energy').y;
    expect(exact.to).toBeGreaterThan(exact.from);
  });

  it('spans what is above zero, and a decade at least', () => {
    const curve = { y: [0, 1] } as const;
    expect(decades([curve], 1e-12, 1)).toEqual([1, 10]);
    expect(decades([{ ...curve, y: [1e-30, 0.5] }], 1e-12, 1)).toEqual([1e-12, 1]);
  });

  it('finds the row and the stored moment nearest to a step', () => {
    expect(
      [0, 5, 6, 14.9, 15.1, 99, Number.POSITIVE_INFINITY].map((at) => table.step[rowOfStep(table.step, at)]),
    ).toEqual([1, 1, 10, 10, 20, 20, 20]);
    expect(rowOfStep([], 3)).toBe(0);
    expect(frameOfStep([{ step: 0 }, { step: 4 }, { step: 8 }], 5)).toBe(1);
  });
});
