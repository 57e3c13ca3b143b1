import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { atomsOf, compositionOfAtoms, elements } from '../../../../electron/contract/scenario/index.ts';

describe('formulas', () => {
  test.each([
    ['H2O', { H: 2, O: 1 }],
    ['C5H8O2', { C: 5, H: 8, O: 2 }],
    ['Ca(OH)2', { Ca: 1, O: 2, H: 2 }],
    ['Ca5(PO4)3(OH)', { Ca: 5, P: 3, O: 13, H: 1 }],
    ['CO0.5', { C: 1, O: 0.5 }],
    ['((CH2)2O)3', { C: 6, H: 12, O: 3 }],
    [' Na Cl ', { Na: 1, Cl: 1 }],
  ])('%s', (formula, atoms) => {
    expect(Object.fromEntries(atomsOf(formula) ?? [])).toEqual(atoms);
  });

  test.each(['', 'h2o', 'Xx', 'H2O)', '(H2O', '2H', 'H22 2', 'H-O', '()', 'H0', 'Jq2'])('%j is none', (formula) => {
    const atoms = atomsOf(formula);
    // Blanks are left out: H22 2 is H222.
    if (formula === 'H22 2') expect(atoms?.get('H')).toBe(222);
    else expect(atoms).toBeNull();
  });

  test('mass fractions of water', () => {
    const { H, O } = compositionOfAtoms(atomsOf('H2O') ?? new Map());
    expect(H).toBeCloseTo(0.1119, 4);
    expect((H ?? 0) + (O ?? 0)).toBeCloseTo(1, 12);
  });
});

test('the elements are those of the solver, with the same weights', () => {
  const source = readFileSync(join(import.meta.dirname, '../../../../kernels/physics/elements.cpp'), 'utf8');
  const listed = [...source.matchAll(/\{"([A-Z][a-z]?)", (\d+), ([\d.]+)\}/g)].map(([, symbol, z, weight]) => ({
    symbol,
    z: Number(z),
    weight: Number(weight),
  }));
  expect(listed).toHaveLength(92);
  expect(elements.map(({ symbol, z, weight }) => ({ symbol, z, weight }))).toEqual(listed);
});
