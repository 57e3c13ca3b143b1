import { describe, expect, test } from 'vitest';
import { atomsOf } from '../../../../../electron/contract/scenario/index.ts';
import { additiveExcitation, compoundExcitation } from '../../../../../electron/host/model/matter/mean-excitation.ts';
import { meanExcitationOf } from '../../../../../electron/host/model/matter/own-material.ts';
import { scenarios } from '../scenarios/open.ts';

const { materials } = scenarios;

describe('mean excitation energy', () => {
  test.each([
    ['H2O', 75],
    ['C5H8O2', 74],
    ['C2H4', 57.4],
    ['C8H8', 68.7],
    ['(C2F4)2', 99.1],
    ['O2Si', 139.2],
  ])('%s has what ICRU Reports 37 and 49 state', (formula, expected) => {
    expect(compoundExcitation(atomsOf(formula) ?? new Map())).toBe(expected);
  });

  test('a formula that they do not list goes by its elements', () => {
    const own = { name: 'lime', formula: 'Ca(OH)2', density_g_cm3: 2.2 };
    expect(meanExcitationOf(own).source).toContain('Bragg');
  });

  test('what is given is taken', () => {
    expect(meanExcitationOf({ name: 'a', formula: 'H2O', density_g_cm3: 1, mean_excitation_eV: 78 }).eV).toBe(78);
  });

  test.each([
    ['water', 75],
    ['adipose-icrp', 63.2],
    ['muscle-skeletal', 75.3],
    ['bone-compact-icru', 91.9],
    ['bone-cortical-icrp', 106.4],
    ['a150', 65.1],
    ['air', 85.7],
  ] as const)("Bragg's rule meets the report's value of %s within 2 %%", (name, listed) => {
    const { composition, density_g_cm3 } = materials[name];
    expect(Math.abs(additiveExcitation(composition, density_g_cm3) / listed - 1)).toBeLessThan(0.02);
  });

  test.each([
    ['aluminium', 166],
    ['copper', 322],
    ['lead', 823],
  ] as const)('an element by itself has its own: %s', (name, expected) => {
    const { composition, density_g_cm3 } = materials[name];
    expect(additiveExcitation(composition, density_g_cm3)).toBeCloseTo(expected, 9);
  });
});
