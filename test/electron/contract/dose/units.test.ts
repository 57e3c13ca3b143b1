/**
 * Units of doses of other programs: those that a header may contain, and their conversion for comparison with a run.
 */
import { describe, expect, test } from 'vitest';
import { depthDoseUnit, planeUnits } from '../../../../electron/contract/dose/units.ts';

describe('a depth dose', () => {
  // 1 MeV = 1.602176634e-13 J; 1 MeV cm²/g = 1.602176634e-13 J × 1e-4 m² / 1e-3 kg, in nGy mm².
  const perMass = ((1.602176634e-13 * 1e-4) / 1e-3) * 1e9 * 1e6;

  test.each([
    ['MeV/mm', 'length', 1, false],
    ['MeV_cm^-1', 'length', 0.1, false],
    ['MeV/mm/proton', 'length', 1, true],
    ['MeV cm² g⁻¹ per proton', 'mass', perMass, true],
    ['MeV_cm2/g/proton', 'mass', perMass, true],
    ['MeV·cm^2/g', 'mass', perMass, false],
    ['nGy mm²', 'mass', 1, false],
    ['Gy cm2', 'mass', 1e11, false],
    // 10⁹ protons and 10⁻⁹ Gy: the same number.
    ['Gy mm² per 10⁹ protons', 'mass', 1, true],
    ['Gy_mm2/1e9_protons', 'mass', 1, true],
  ] as const)('in %s', (text, by, factor, perProton) => {
    const found = depthDoseUnit(text);
    expect(found).toMatchObject({ by, perProton });
    expect((found?.factor ?? Number.NaN) / factor).toBeCloseTo(1, 9);
  });

  test.each([[null], ['%'], ['a.u.'], ['Gy'], ['MeV'], ['1e9'], ['MeV/mm/week']])(
    'has no absolute unit in %s',
    (text) => {
      expect(depthDoseUnit(text)).toBeNull();
    },
  );
});

test('a volume by mass is in nGy, a plane in nGy mm', () => {
  expect(planeUnits['Gy/1e9'].factor).toBe(1);
  expect(planeUnits.Gy.factor).toBe(1e9);
  expect(planeUnits['MeV/g'].factor).toBeCloseTo((1.602176634e-13 / 1e-3) * 1e9, 12);
  expect(planeUnits['MeV cm/g'].factor).toBeCloseTo((1.602176634e-13 / 1e-3) * 1e9 * 10, 11);
});
