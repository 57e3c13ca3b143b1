/** Recovers energy and spread from the program's own depth doses with added noise. */
import { expect } from 'vitest';
import { commission } from '../../../../../../electron/host/workloads/transport/beams/commission.ts';
import { depthDose, waterProblem } from '../../../../../../electron/host/workloads/transport/beams/depth-doses.ts';
import { addon, scenarios } from '../../../model/scenarios/open.ts';

export const check = (document: unknown) => scenarios.check(document, { name: 's', folder: null });
export const { signal } = new AbortController();

/** Normal deviates from a seed. */
function seededNormals(seed: number): () => number {
  let state = seed;
  const uniform = (): number => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return (state + 0.5) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** Expects both values within three of their stated errors. */
export async function expectRecovered(energy: number, sigma: number, noise: number, seed: number): Promise<void> {
  const tools = { physics: {}, check, addon };
  const { problem } = await waterProblem(tools, [{ energy_MeV: energy, energy_sigma_MeV: sigma }]);
  const curve = await depthDose(tools, problem, signal);
  const { dz_mm } = problem.grid;
  const normal = seededNormals(seed);
  const top = Math.max(...curve);
  const measured = {
    depth_mm: Float64Array.from(curve, (_, i) => (i + 0.5) * dz_mm),
    dose: curve.map((value) => 7 * (value + noise * top * normal())),
  };
  const found = await commission(tools, measured, signal);
  expect(Math.abs(found.energy_MeV - energy)).toBeLessThan(3 * found.energy_error_MeV + 2e-4 * energy);
  expect(Math.abs(found.energy_sigma_MeV - sigma)).toBeLessThan(3 * found.sigma_error_MeV + 0.02 * sigma);
  expect(found.energy_error_MeV).toBeLessThan(0.1);
  expect(found.residual).toBeLessThan(1.4 * noise);
}
