import { expect, test } from 'vitest';
import { solvingTransport } from '../../../../electron/cli/workloads/transport/index.ts';
import { qualityOf } from '../../../../electron/host/workloads/transport/metrics/quality.ts';
import type { RunData } from '../../../../electron/host/workloads/transport/run-data.ts';
import { runScenario } from '../../host/small-run.ts';

const parts = {
  kind: 'transport',
  version: 1,
  beam: { energy_MeV: 40, x_sigma_mm: 2 },
  geometry: { width_mm: 20, depth_mm: 20 },
  grid: { energy: { kind: 'uniform', step_MeV: 0.5 }, dz_mm: 0.5, dx_mm: 1, dtheta_mrad: 40 },
  solver: { stepping: 'depth' },
} as const;

const told = (run: RunData): readonly string[] =>
  solvingTransport
    .tell(run, { scenario: null, issues: [], range_mm: null, table: null } as never)
    .lines(null, (_, text) => text);

test('a run that scored LET is told with the RBE of each model, where the LET is', async () => {
  const run = await runScenario({ ...parts, output: { let: true, alpha_beta_Gy: 3, fraction_Gy: 1.8 } });
  const lines = told(run);
  const title = lines.findIndex((line) => line.startsWith('  RBE, α/β 3 Gy, 1.8 Gy a fraction'));
  expect(lines[title]?.trim().split(/ {2,}/)).toEqual([
    'RBE, α/β 3 Gy, 1.8 Gy a fraction',
    'depth',
    '1.1',
    'McNamara',
    'Wedenberg',
    'Carabe',
  ]);
  const quality = qualityOf(run);
  const entrance = quality?.rbe.curves.map(({ rbe }) => rbe[0]?.toFixed(3));
  expect(lines[title + 1]?.trim().split(/ {2,}/)).toEqual(['entrance', '0.25 mm', ...(entrance ?? [])]);
  expect(lines.slice(title + 1, title + 5).map((line) => line.trim().split(/ {2,}/)[0])).toEqual([
    'entrance',
    'half of R80',
    'peak',
    'R80',
  ]);
  expect(told(await runScenario(parts)).some((line) => line.includes('RBE'))).toBe(false);
});

test('dose in Gy on the axis is told, or why there is none', async () => {
  const layered = told(await runScenario(parts));
  expect(layered.find((line) => line.includes('On the axis'))).toMatch(/Gy per 10⁹ protons at/);
  const regions = [{ material: 'lead', x_mm: [2, 4], z_mm: [1, 3] }];
  const beside = told(await runScenario({ ...parts, geometry: { ...parts.geometry, regions } }));
  expect(beside.find((line) => line.includes('On the axis'))).toMatch(
    /no Gy: matter is not layered: at z = 1\.25 mm water and lead lie beside each other/,
  );
});

test('cells that are too wide to tell the width of the beam tell none', async () => {
  const width = (lines: readonly string[]) => lines.find((line) => /^ *σx at z/.test(line))?.trim();
  expect(width(told(await runScenario(parts)))).toMatch(/ 2\.\d\d mm$/);
  const coarse = { ...parts, grid: { ...parts.grid, dx_mm: 20 } };
  expect(width(told(await runScenario(coarse)))).toMatch(/ –$/);
});
