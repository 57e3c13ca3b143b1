/**
 * A crystal fitted to a user's image: a rotation and a change of the cell are found again. Least squares by the
 * Gauss–Newton method.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import type { DiffractionProblem } from '../../../../../../electron/host/io/addon/task.ts';
import { maskExcluded } from '../../../../../../electron/host/workloads/diffraction/images/read.ts';
import {
  gaussNewton,
  type NormalEquations,
  type RefineOptions,
  refineCrystal,
  solveCholesky,
} from '../../../../../../electron/host/workloads/diffraction/refine.ts';
import { problemOf } from '../../../../../../electron/host/workloads/scenarios/scenarios.ts';
import { addon, scenarios } from '../../../model/scenarios/open.ts';
import { renderDocument } from '../../image.ts';
import { triclinic } from './triclinic.ts';

describe('the Gauss–Newton solver', () => {
  test('solves a positive definite system, and rejects others', () => {
    const found = solveCholesky(Float64Array.of(4, 2, 2, 3), Float64Array.of(10, 8));
    expect([...(found ?? [])].map((one) => Number(one.toFixed(12)))).toEqual([1.75, 1.5]);
    expect(solveCholesky(Float64Array.of(1, 2, 2, 1), Float64Array.of(1, 1))).toBeNull();
  });

  /** Normal equations from residuals and their derivatives. */
  function normalEquations(residuals: readonly number[], slopes: readonly (readonly number[])[]): NormalEquations {
    const count = slopes[0]?.length ?? 0;
    const square = new Float64Array(count * count);
    const right = new Float64Array(count);
    for (const [i, r] of residuals.entries()) {
      for (let u = 0; u < count; u += 1) {
        right[u] = (right[u] ?? 0) + (slopes[i]?.[u] ?? 0) * r;
        for (let v = 0; v < count; v += 1) {
          square[u * count + v] = (square[u * count + v] ?? 0) + (slopes[i]?.[u] ?? 0) * (slopes[i]?.[v] ?? 0);
        }
      }
    }
    return { square, right, residual: residuals.reduce((sum, r) => sum + r * r, 0) };
  }

  test('follows the Rosenbrock valley to its minimum, where a full step would leave it', async () => {
    const found = await gaussNewton(Float64Array.of(-1.2, 1), { iterations: 100, step: 1e-9 }, async ([x = 0, y = 0]) =>
      normalEquations(
        [10 * (y - x * x), 1 - x],
        [
          [-20 * x, 10],
          [-1, 0],
        ],
      ),
    );
    expect(found.converged).toBe(true);
    expect([...found.unknowns].map((one) => Number(one.toFixed(6)))).toEqual([1, 1]);
  });

  test('keeps an unknown without influence constant', async () => {
    const found = await gaussNewton(Float64Array.of(3, 5), { iterations: 10, step: 1e-9 }, async ([x = 0]) =>
      normalEquations([x - 1], [[1, 0]]),
    );
    expect(found.converged).toBe(true);
    expect([...found.unknowns]).toEqual([1, 5]);
  });
});

describe('refinement of a crystal', () => {
  const start = {
    ...triclinic,
    detector: { width: 128, height: 128, pixel_mm: 0.4, distance_mm: 100 },
    solver: { threads: 2 },
  };
  const truth = {
    ...start,
    crystal: {
      ...start.crystal,
      lattice: { ...start.crystal.lattice, a_A: 70.05, b_A: 79.95, c_A: 90.06, alpha_deg: 75.03 },
      misset: { x_deg: 17.04, y_deg: -40.03, z_deg: 62.97 },
    },
  };

  async function imageProblem(document: object): Promise<DiffractionProblem> {
    const reading = await scenarios.any.parse(JSON.stringify(document), { name: 'a.json', folder: null });
    if (reading.kind !== 'diffraction') throw new Error('not a crystal');
    return problemOf(reading);
  }

  let photons: Float32Array;
  beforeAll(async () => {
    photons = (await renderDocument(truth)).image;
  });

  const pixels = (counts: Float32Array, full = Number.POSITIVE_INFINITY) =>
    maskExcluded({ width: 128, height: 128, counts, full, header: {} });
  const refine = async (counts: Float32Array, options: Partial<RefineOptions> = {}, from: object = start) =>
    refineCrystal(addon, await imageProblem(from), pixels(counts), {
      fit: ['misset', 'cell'],
      iterations: 30,
      ...options,
    });

  describe('orientation and cell', () => {
    test('are recovered from the image in any unit of counts, and with gaps in it', async () => {
      const counts = photons.map((photon) => 7 * photon + 40);
      // A gap of the detector, marked as by photon counters, and a NaN.
      counts.fill(-1, 64 * 128, 68 * 128);
      counts[300] = Number.NaN;
      const found = await refine(counts);
      expect(found.converged).toBe(true);
      expect(found.pixels).toBe(128 * 128 - 4 * 128 - 1);
      const value = Object.fromEntries(found.unknowns.map((one) => [`${one.of}.${one.id}`, one.value]));
      const { lattice, misset } = truth.crystal;
      for (const [id, wanted] of Object.entries(misset)) expect(value[`misset.${id}`], id).toBeCloseTo(wanted, 3);
      for (const [id, wanted] of Object.entries(lattice)) {
        if (typeof wanted === 'number') expect(value[`cell.${id}`], id).toBeCloseTo(wanted, 2);
      }
      expect(found.scale).toBeCloseTo(7, 3);
      expect(found.background).toBeCloseTo(40, 2);
      expect(found.correlation.end).toBeGreaterThan(0.999999);
      expect(found.correlation.start).toBeLessThan(0.999);
    });

    test('have standard deviations consistent with the noise', async () => {
      // A square wave over the pixels, so that the noise is the same in every run.
      const noisy = photons.map((photon, i) => photon + (i % 2 === 0 ? 0.05 : -0.05) * (1 + (i % 7)));
      const found = await refine(noisy);
      expect(found.converged).toBe(true);
      const x = found.unknowns.find(({ id }) => id === 'x_deg');
      expect(x?.sigma).toBeGreaterThan(0);
      expect(Math.abs((x?.value ?? 0) - truth.crystal.misset.x_deg)).toBeLessThan(4 * (x?.sigma ?? 0));
      const exact = await refine(photons);
      expect(exact.unknowns[0]?.sigma ?? 1).toBeLessThan((x?.sigma ?? 0) / 10);
    });

    test('are fitted separately on request', async () => {
      const turned = await renderDocument({ ...truth, crystal: { ...truth.crystal, lattice: start.crystal.lattice } });
      const found = await refine(turned.image, { fit: ['misset'] });
      expect(found.unknowns.map(({ id }) => id)).toEqual(['x_deg', 'y_deg', 'z_deg']);
      expect(found.images).toBe(4);
      expect(found.unknowns[1]?.value).toBeCloseTo(truth.crystal.misset.y_deg, 3);
    });
  });

  describe('an impossible fit', () => {
    test('is rejected with a remedy: another size, an orientation matrix, an image with nothing in common', async () => {
      await expect(refine(photons, {}, { ...start, detector: { ...start.detector, width: 64 } })).rejects.toThrow(
        'the image has 128 × 128 pixels, but the detector of the scenario has 64 × 128; set detector.width and detector.height',
      );
      const star = (x: number, y: number, z: number) => ({ x, y, z });
      const lattice = { kind: 'matrix', a_star: star(0.01, 0, 0), b_star: star(0, 0.01, 0), c_star: star(0, 0, 0.01) };
      await expect(refine(photons, {}, { ...start, crystal: { ...start.crystal, lattice } })).rejects.toThrow(
        'an orientation matrix cannot be refined',
      );
      await expect(refine(new Float32Array(128 * 128).fill(3))).rejects.toThrow('no spot of the image is near');
    });

    test('ends without convergence after few iterations', async () => {
      const found = await refine(photons, { iterations: 2 });
      expect(found.converged).toBe(false);
      expect(found.iterations).toBe(2);
    });

    test('ends when it is cancelled', async () => {
      await expect(refine(photons, { signal: AbortSignal.abort() })).rejects.toThrow();
      const ending = new AbortController();
      const told: number[] = [];
      const halted = refine(photons, {
        signal: ending.signal,
        onIteration: ({ iteration }) => {
          told.push(iteration);
          ending.abort();
        },
      });
      await expect(halted).rejects.toThrow();
      expect(told).toEqual([1]);
    });
  });
});
