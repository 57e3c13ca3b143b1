/** Inputs to a gamma index of an overlaid depth dose: curves as drawn, over their peaks, or in absolute terms. */
import { expect, test } from 'vitest';
import { gammaOfCurves } from '../../../electron/contract/gamma-curve.ts';
import type { ShownDepthDose } from '../../../renderer/data/run-data.ts';
import { pairOf, protonsOf } from '../../../renderer/panels/depth-dose/overlays.tsx';

const positions = Float64Array.of(0, 1, 2, 3);
const values = Float64Array.of(1, 2, 4, 1);
/** 1 MeV/mm in water is 160.2 nGy mm². */
const nGy = 160.2176634;
const curve = { quantity: 'depth dose', axis: 'depth', axisUnit: 'mm', positions };
const shown = {
  curve: { ...curve, unit: 'MeV/mm', values },
  perMass: { ...curve, unit: 'nGy mm²', values: values.map((value) => value * nGy) },
  final: {},
} as unknown as ShownDepthDose;

const file = (factor: number, unit: string | null) => ({
  depth_mm: positions,
  dose: values.map((value) => value * factor),
  unit,
});

function passed(overlay: ReturnType<typeof file>, scale: 'drawn' | 'peak' | 'absolute', protons = 1): number | string {
  const pair = pairOf(shown, overlay, { unit: 'absolute', scale, protons });
  return typeof pair === 'string' ? pair : gammaOfCurves(...pair, { dose: 0.001, distance_mm: 0.001 }).passed;
}

test('a dose 5 % too high passes over its peak, and fails in absolute terms', () => {
  expect(passed(file(1.05, 'MeV/mm'), 'peak')).toBe(1);
  expect(passed(file(1.05, 'MeV/mm'), 'absolute')).toBe(0);
  expect(passed(file(1, 'MeV/mm'), 'absolute')).toBe(1);
});

test('a dose by mass is held against the dose by mass, of one proton times those of the run', () => {
  // MeV cm² g⁻¹ is a tenth of MeV/mm in water.
  expect(passed(file(10, 'MeV cm2/g'), 'absolute')).toBe(1);
  expect(passed(file(10, 'MeV cm2/g per proton'), 'absolute', 5)).toBe(0);
  expect(passed(file(2, 'MeV cm2/g per proton'), 'absolute', 5)).toBe(1);
  expect(passed(file(nGy, 'Gy mm² per 10⁹ protons'), 'absolute')).toBe(1);
});

test('a run has as many protons as its scenario says', () => {
  const of = (scenario: object) => protonsOf({ scenario } as unknown as Parameters<typeof protonsOf>[0]);
  expect([of({ beam: { weight: 5 } }), of({}), protonsOf(null)]).toEqual([5, 1, 1]);
});

test('a file without an absolute unit is told from one, and so is a run without densities', () => {
  expect(passed(file(1, null), 'absolute')).toMatch(/^the file names no unit; allowed in its header: MeV\/mm/);
  expect(passed(file(1, '%'), 'absolute')).toMatch(/^% is no absolute unit/);
  expect(passed(file(1, null), 'drawn')).toBe(1);
  const old = { ...shown, perMass: null } as unknown as ShownDepthDose;
  const told = pairOf(old, file(10, 'MeV cm2/g'), { unit: 'absolute', scale: 'absolute', protons: 1 });
  expect(told).toMatch(/stored without densities/);
});
