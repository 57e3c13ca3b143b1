/**
 * The coarser grid: a whole number of cells in the same box, the energies of the scenario, and the limits of depth
 * stepping. The coarseness of the Live grid, from the times of earlier answers.
 */
import { describe, expect, it } from 'vitest';
import { loadAddon } from '../../../../../../electron/host/io/addon/addon.ts';
import {
  coarsenGrid,
  FactorSelector,
  isLayered,
} from '../../../../../../electron/host/workloads/transport/what-if/prepare.ts';
import { openTestScenarios, smallScenario } from '../../../small-run.ts';

const scenarios = await openTestScenarios(loadAddon());
const place = { name: 'test', folder: null };

async function coarserProblem(document: object, factors: { x: number; z: number; theta: number }) {
  const reading = await scenarios.check(document, place);
  if (reading.scenario === null) throw new Error('the scenario of the test is not valid');
  const found = await scenarios.check(coarsenGrid({ ...document }, reading.scenario, factors), place);
  expect(found.issues.filter(({ severity }) => severity === 'error')).toEqual([]);
  return { before: reading.scenario, after: found.scenario };
}

describe('layered media that moments can solve', () => {
  async function isLayeredWith(change: object): Promise<boolean> {
    const { problem } = await scenarios.check({ ...smallScenario, ...change }, place);
    if (problem === null) throw new Error('the scenario of the test is not valid');
    return isLayered(problem());
  }

  it('fill the complete width, with beams along z', async () => {
    expect(await isLayeredWith({})).toBe(true);
    const slab = (from_mm: number) => ({
      geometry: {
        ...smallScenario.geometry,
        background: 'water',
        regions: [{ name: 'slab', material: 'bone-compact-icru', x_mm: [from_mm, 6], z_mm: [2, 3] }],
      },
    });
    expect(await isLayeredWith(slab(-6))).toBe(true);
    expect(await isLayeredWith(slab(0))).toBe(false);
    expect(await isLayeredWith({ beam: { energy_MeV: 30, angle_deg: 5 } })).toBe(false);
  });
});

describe('the coarser grid of Live', () => {
  it('divides the same box into fewer cells, with the energies of the scenario', async () => {
    const { before, after } = await coarserProblem(smallScenario, { x: 1, z: 2, theta: 2 });
    expect(after?.geometry).toMatchObject({ width_mm: 12, depth_mm: 11 });
    expect(after?.grid).toMatchObject({ dx_mm: 0.5, dz_mm: 0.5, dtheta_mrad: 40, theta_max_mrad: 400 });
    expect(after?.grid.energy).toEqual(before.grid.energy);
    expect(after?.grid.cutoff_MeV).toBe(before.grid.cutoff_MeV);
    expect(after?.solver).toMatchObject({ stepping: 'depth', precision: 'fp32' });
  });

  it('keeps the other settings, and its angle stays within the limits of depth stepping', async () => {
    const { after } = await coarserProblem(smallScenario, { x: 1, z: 1, theta: 1 });
    expect(after?.grid).toMatchObject({ dx_mm: 0.5, dz_mm: 0.25, dtheta_mrad: 20, theta_max_mrad: 400 });
    const tilted = { ...smallScenario, beam: { energy_MeV: 30, angle_deg: 45 } };
    const { after: within } = await coarserProblem(tilted, { x: 1, z: 1, theta: 2 });
    expect((within?.grid.theta_max_mrad ?? 0) + (45 * 1000 * Math.PI) / 180).toBeLessThanOrEqual((Math.PI / 3) * 1000);
  });

  it('stores at most nine keyframes, and no more than the scenario requests', async () => {
    const { after } = await coarserProblem({ ...smallScenario, output: { keyframes: 64 } }, { x: 1, z: 1, theta: 1 });
    expect(after?.output.keyframes).toBe(9);
    const { after: few } = await coarserProblem(
      { ...smallScenario, output: { keyframes: 3 } },
      { x: 1, z: 1, theta: 1 },
    );
    expect(few?.output.keyframes).toBe(3);
  });

  it('has at least sixteen cells and eight bins, so that it shows a result', async () => {
    const few = { ...smallScenario, grid: { ...smallScenario.grid, dx_mm: 0.6, dtheta_mrad: 40 } };
    const { after } = await coarserProblem(few, { x: 4, z: 4, theta: 4 });
    expect(12 / (after?.grid.dx_mm ?? 1)).toBeCloseTo(16, 9);
    expect(after?.grid).toMatchObject({ dtheta_mrad: 50, theta_max_mrad: 400 });
  });
});

describe('the pace of Live', () => {
  const CELLS = 1e8;

  it('keeps the grid of the scenario if it answers in time', () => {
    const pace = new FactorSelector();
    pace.recordTimes('cpu', CELLS, 0.01, 0.05);
    pace.recordTimes('cpu', CELLS, 0.01, 0.05);
    expect(pace.factors('cpu', CELLS, false)).toEqual({ x: 1, z: 1, theta: 1 });
  });

  it('coarsens the grid until an answer takes a tenth of a second, and refines it only at rest', () => {
    const pace = new FactorSelector();
    for (let i = 0; i < 12; i += 1) pace.recordTimes('cpu', CELLS, 0.02, 2);
    // 2 s become 0.25 s with an eighth of the work, 0.11 s with an eighteenth, 0.06 s with a thirty-second: z is at
    // most halved.
    expect(pace.factors('cpu', CELLS, false)).toEqual({ x: 4, z: 2, theta: 4 });
    for (let i = 0; i < 12; i += 1) pace.recordTimes('cpu', CELLS, 0.02, 0.001);
    expect(pace.factors('cpu', CELLS, false).x).toBe(4);
    pace.reset();
    expect(pace.factors('cpu', CELLS, false).x).toBe(1);
  });

  it('coarsens only the angle if the dose cells must stay, and by at most four', () => {
    const pace = new FactorSelector();
    for (let i = 0; i < 12; i += 1) pace.recordTimes('cpu', CELLS, 0.02, 100);
    expect(pace.factors('cpu', CELLS, true)).toEqual({ x: 1, z: 1, theta: 4 });
  });

  it('does not coarsen because of set-up time, which fewer cells do not shorten', () => {
    const pace = new FactorSelector();
    for (let i = 0; i < 12; i += 1) pace.recordTimes('cpu', CELLS, 0.5, 0.04);
    expect(pace.factors('cpu', CELLS, false).x).toBe(1);
  });

  it("is determined for a GPU from the GPU's own times", () => {
    const pace = new FactorSelector();
    for (let i = 0; i < 12; i += 1) pace.recordTimes('cpu', CELLS, 0.02, 100);
    expect(pace.factors('gpu', CELLS, false).x).toBe(1);
  });
});
