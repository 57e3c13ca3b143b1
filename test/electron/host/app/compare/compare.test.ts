import { beforeAll, describe, expect, test } from 'vitest';
import { compareRuns, scenarioDifferences } from '../../../../../electron/host/app/compare/compare.ts';
import { type DoseMap, gamma } from '../../../../../electron/host/model/fields/gamma.ts';
import type { RunData } from '../../../../../electron/host/workloads/transport/run-data.ts';
import { runScenario, smallScenario } from '../../small-run.ts';

/** A Gaussian ridge along z, moved by `shift_mm` in x and scaled. */
function ridge(shift_mm: number, scale = 1): DoseMap {
  const [nz, nx, dz_mm, dx_mm] = [8, 60, 1, 0.5];
  const dose = Float64Array.from({ length: nz * nx }, (_, i) => {
    const x = ((i % nx) + 0.5 - nx / 2) * dx_mm - shift_mm;
    return scale * Math.exp(-0.5 * (x / 4) ** 2);
  });
  return { dose, nz, nx, dz_mm, dx_mm };
}

describe('the gamma index', () => {
  const strict = { dose: 0.01, distance_mm: 1 };

  test('is 0 for the same map', () => {
    expect(gamma(ridge(0), ridge(0), strict)).toMatchObject({ passed: 1, worst: 0 });
  });

  test('is the shift over the distance criterion where the dose is steep', () => {
    expect(gamma(ridge(0), ridge(0.5), strict).worst).toBeLessThan(0.55);
    expect(gamma(ridge(0), ridge(0.9), strict).passed).toBe(1);
    expect(gamma(ridge(0), ridge(1.5), strict).passed).toBeLessThan(0.6);
  });

  test('is the difference over the dose criterion where it is flat', () => {
    const flat = (value: number): DoseMap => ({
      dose: new Float64Array(25).fill(value),
      nz: 5,
      nx: 5,
      dz_mm: 1,
      dx_mm: 1,
    });
    expect(gamma(flat(1), flat(1.005), strict).worst).toBeCloseTo(0.5, 9);
    expect(gamma(flat(1), flat(1.02), strict).passed).toBe(0);
    expect(gamma(flat(1), flat(1.02), { dose: 0.02, distance_mm: 2 }).worst).toBeCloseTo(1, 9);
  });
});

describe('runs side by side', () => {
  let first: RunData;
  let other: RunData;
  beforeAll(async () => {
    first = await runScenario(smallScenario);
    other = await runScenario({ ...smallScenario, solver: { ...smallScenario.solver, precision: 'fp64' } });
  });

  test('dose, ledger and what differs in scenario', () => {
    const [a, b] = compareRuns([
      { file: 'a.h5', run: first },
      { file: 'b.h5', run: other },
    ]);
    expect(a?.against_first).toBeNull();
    expect(b?.against_first?.rel_l2).toBeGreaterThan(0);
    expect(b?.against_first?.rel_l2).toBeLessThan(1e-5);
    expect(b?.against_first).toMatchObject({ within_parity: true, same_bits: false, reason: null });
    expect(b?.against_first?.gamma.map(({ passed }) => passed)).toEqual([1, 1]);
    expect(b?.differences).toContainEqual({ what: 'solver.precision', first: '"fp32"', here: '"fp64"' });
  });

  test('other grids have a gamma index but no relL2', async () => {
    const coarse = await runScenario({ ...smallScenario, grid: { ...smallScenario.grid, dx_mm: 1 } });
    const versus = compareRuns([
      { file: 'a.h5', run: first },
      { file: 'c.h5', run: coarse },
    ])[1]?.against_first;
    expect(versus?.rel_l2).toBeNull();
    expect(versus?.reason).toMatch(/^the grids differ: 44 × 24 and 44 × 12 cells/);
    expect(versus?.gamma[1]?.points).toBeGreaterThan(10);
  });
});

test('scenarios of two versions of the format that mean the same do not differ', () => {
  const document = { kind: 'transport', version: 1, beam: { energy_MeV: 70 } };
  expect(scenarioDifferences(document, { ...document, version: 2, physics: { nuclear: 'off' } })).toEqual([]);
  expect(scenarioDifferences(document, { ...document, version: 2 })).toEqual([
    { what: 'physics', first: '{"nuclear":"off"}', here: 'absent' },
  ]);
});
