import { expect, test } from 'vitest';
import { halfDensityEffect, isMetal } from '../../../../../electron/host/model/matter/corrections.ts';

/** Kinetic energy of a proton at βγ, MeV. */
const energyAt = (betaGamma: number): number => 938.272 * (Math.hypot(1, betaGamma) - 1);

test.each([
  ['aluminium', 13, 0.1708, 0.12],
  ['copper', 29, -0.0254, 0.08],
  ['lead', 82, 0.3776, 0.14],
])('%s has δ₀ at x₀ and a hundredth of it at a tenth of βγ', (_, z, x0, delta0) => {
  expect(halfDensityEffect(z, energyAt(10 ** x0))).toBeCloseTo(delta0 / 2, 10);
  expect(halfDensityEffect(z, energyAt(10 ** (x0 - 1)))).toBeCloseTo(delta0 / 200, 10);
});

test('a metal between them has it from between, a lighter or heavier one that of the nearest', () => {
  const at = (z: number): number => halfDensityEffect(z, 200);
  expect(at(21)).toBeCloseTo((at(13) + at(29)) / 2, 10);
  expect(at(4)).toBe(at(13));
  expect(at(92)).toBe(at(82));
});

test('metals and alloys have one; oxides, tissue, plastics and semiconductors do not', () => {
  for (const metal of [{ Ti: 1 }, { Fe: 0.98, C: 0.02 }, { Al: 0.9, Cu: 0.04, Mg: 0.02, Si: 0.04 }]) {
    expect(isMetal(metal)).toBe(true);
  }
  for (const other of [{ Al: 0.529, O: 0.471 }, { H: 0.112, O: 0.888 }, { Si: 1 }, { Pb: 0.928, O: 0.072 }]) {
    expect(isMetal(other)).toBe(false);
  }
});
