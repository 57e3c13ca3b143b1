import { describe, expect, it } from 'vitest';
import {
  depthDoseError,
  depthDoseLimit,
  onSameCells,
} from '../../../../../electron/host/workloads/transport/accuracy.ts';

describe('accuracy of variants on different cells', () => {
  it('compares cells only between variants that step on the same ones', () => {
    expect(onSameCells('depth', 'cuda-window')).toBe(true);
    expect(onSameCells('moments', 'moments')).toBe(true);
    expect(onSameCells('moments', 'depth')).toBe(false);
    expect(onSameCells('reference', 'moments')).toBe(false);
    expect(onSameCells('moments', 'cuda-moments')).toBe(true);
    expect(onSameCells('cuda-depth', 'cuda-moments')).toBe(false);
  });

  it('compares the sums of rows: a dose that is only wider across has no error', () => {
    const reference = Float64Array.of(2, 2, 3, 0);
    const wider = depthDoseError(Float64Array.of(3, 1, 1, 2), reference, 2, depthDoseLimit);
    expect(wider.value).toBe(0);
    expect(wider.holds).toBe(true);
  });

  it('rejects a depth dose that differs by more than 1 %', () => {
    // Rows 4 and 2 for 4 and 3: 1 over the norm of 5.
    const short = depthDoseError(Float64Array.of(2, 2, 1, 1), Float64Array.of(2, 2, 3, 0), 2, depthDoseLimit);
    expect(short.value).toBeCloseTo(0.2, 12);
    expect(short.holds).toBe(false);
    const told = depthDoseError(Float64Array.of(2, 2, 1, 1), Float64Array.of(2, 2, 3, 0), 2, null);
    expect(told.holds).toBe(true);
  });

  it('has no value without a reference', () => {
    expect(depthDoseError(Float64Array.of(1, 1), null, 2, depthDoseLimit).value).toBeNull();
  });
});
