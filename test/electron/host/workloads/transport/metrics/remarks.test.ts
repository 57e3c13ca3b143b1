/** What a summary is told of, by real runs: lost protons, and cells and steps too coarse for the falloff. */
import { expect, test } from 'vitest';
import { readoutRemarks } from '../../../../../../electron/contract/remarks.ts';
import { metricsOf } from '../../../../../../electron/host/workloads/transport/metrics/run-metrics.ts';
import { summaryOf } from '../../../../../../electron/host/workloads/transport/readouts.ts';
import { measured } from '../../../../../../electron/host/workloads/transport/run-data.ts';
import { runScenario } from '../../../small-run.ts';

async function remarks(parts: object): Promise<readonly string[]> {
  const depth = { solver: { stepping: 'depth' } };
  const run = await runScenario({ kind: 'transport', version: 1, beam: { energy_MeV: 70 }, ...depth, ...parts });
  return readoutRemarks(summaryOf(run));
}

test.each([
  ['default grids have nothing to say', {}, []],
  [
    'a narrow box',
    { geometry: { width_mm: 2 } },
    [/^2\d % of the protons left through the sides: .* a larger geometry\.width_mm keeps them\.$/],
  ],
  [
    'few angles',
    { grid: { theta_max_mrad: 50 } },
    [/^9\d % of the protons left beyond the largest angle: .* a larger grid\.theta_max_mrad keeps them\.$/],
  ],
  ['coarse cells', { grid: { dz_mm: 0.5 } }, [/^0\.5 mm, a cell in depth or a step, is coarse: only 1\.0 lie in/]],
  ['no range to read', { geometry: { depth_mm: 20 } }, []],
])('%s', async (_name, parts, expected) => {
  expect(await remarks(parts)).toEqual(expected.map((text) => expect.stringMatching(text)));
});

test('lead at its default angles keeps its protons, and metals too', async () => {
  const parts = { geometry: { background: 'lead' }, grid: { dtheta_mrad: 40 } };
  expect(await remarks(parts)).toEqual([]);
});

test('R80 is that of the peak where protons stop, not of lead before it', async () => {
  // 20 mm of lead at 40 mm take more energy per millimetre than the peak in water: 68.63 mm by quadrature of PSTAR,
  // of which the detour through lead takes half a millimetre.
  const regions = [{ material: 'lead', x_mm: [-20, 20], z_mm: [40, 60] }];
  const geometry = { width_mm: 40, depth_mm: 80, regions };
  const grid = { dtheta_mrad: 20, dz_mm: 0.5, dx_mm: 1 };
  const beam = { energy_MeV: 150 };
  const parts = { beam, geometry, grid, solver: { stepping: 'depth' } };
  const { r80_mm, peak_mm } = metricsOf(measured(await runScenario({ kind: 'transport', version: 1, ...parts })));
  expect(Math.abs((r80_mm ?? 0) - 68.6)).toBeLessThan(0.8);
  expect(peak_mm ?? 0).toBeGreaterThan(62);
});

test('cells of a part of the step: the range and the peak of whole cells, no comb', async () => {
  const read = async (dz_mm: number) => {
    const grid = { dtheta_mrad: 10, dz_mm };
    const beam = { energy_MeV: 70 };
    return metricsOf(
      measured(await runScenario({ kind: 'transport', version: 1, beam, grid, solver: { step_mm: 0.2 } })),
    );
  };
  const whole = await read(0.2);
  for (const dz_mm of [0.1, 0.05]) {
    const part = await read(dz_mm);
    expect(Math.abs((part.r80_mm ?? 0) - (whole.r80_mm ?? 0))).toBeLessThan(0.03);
    expect(Math.abs((part.peak_to_entrance ?? 0) / (whole.peak_to_entrance ?? 0) - 1)).toBeLessThan(0.03);
    expect(Math.abs((part.fwhm_mm ?? 0) / (whole.fwhm_mm ?? 0) - 1)).toBeLessThan(0.05);
  }
});
