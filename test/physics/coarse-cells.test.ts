/**
 * Cells that are coarse compared with the falloff contain the mean of finer cells. Range bins as wide as a step once
 * made a comb of the last cells, with R80 beyond the CSDA range.
 */
import { expect, test } from 'vitest';
import { summaryOf } from '../../electron/host/workloads/transport/readouts.ts';
import type { RunData } from '../../electron/host/workloads/transport/run-data.ts';
import { runScenario } from '../electron/host/small-run.ts';

const solved = (energy_MeV: number, dz_mm: number, parts: object = {}, grid: object = {}): Promise<RunData> =>
  runScenario({
    kind: 'transport',
    version: 1,
    beam: { energy_MeV },
    grid: { dz_mm, dtheta_mrad: 40, dx_mm: 1, ...grid },
    solver: { stepping: 'depth' },
    output: { keyframes: 0 },
    ...parts,
  });

/** MeV/mm by depth; `cells` of the run are one here. */
function depthDose({ axes: { nz, nx, dz_mm }, dose }: RunData, cells = 1): number[] {
  const rows = Array.from({ length: nz }, (_, z) => dose.subarray(z * nx, (z + 1) * nx).reduce((a, b) => a + b, 0));
  return Array.from(
    { length: Math.floor(nz / cells) },
    (_, i) => rows.slice(i * cells, (i + 1) * cells).reduce((a, b) => a + b, 0) / (cells * dz_mm),
  );
}

/** The largest difference of cells that both have, as a share of the peak. */
function difference(found: readonly number[], wanted: readonly number[]): number {
  const peak = Math.max(...wanted);
  const common = Math.min(found.length, wanted.length);
  return Math.max(...wanted.slice(0, common).map((value, i) => Math.abs((found[i] ?? 0) - value))) / peak;
}

test.each([
  [70, 0.1, 0.5],
  [70, 0.1, 1],
  [30, 0.025, 0.1],
  [30, 0.025, 0.2],
  [150, 0.5, 2],
])('%d MeV: cells of %d mm, taken together, are those of %d mm', async (energy_MeV, fine_mm, coarse_mm) => {
  const wanted = depthDose(await solved(energy_MeV, fine_mm), Math.round(coarse_mm / fine_mm));
  for (const stepping of ['depth', 'path']) {
    const run = await solved(energy_MeV, coarse_mm, { solver: { stepping } });
    expect(difference(depthDose(run), wanted)).toBeLessThan(0.03);
    expect(summaryOf(run).metrics.r80_mm).toBeLessThan(run.range_mm);
  }
});

test.each(['off', 'bohr'])(
  'straggling %s: no cell before the peak holds less than the one before it',
  async (straggling) => {
    const dose = depthDose(await solved(70, 1, { physics: { scattering: 'off', straggling } }));
    const peak = dose.indexOf(Math.max(...dose));
    for (let i = 1; i <= peak; i += 1) expect(dose[i]).toBeGreaterThan(dose[i - 1] ?? 0);
  },
);

test('bins of a file as wide as the falloff are taken in parts', async () => {
  const bins = { energy: { kind: 'range', step_mm: 0.5 } };
  const wanted = depthDose(await solved(70, 0.1), 5);
  expect(difference(depthDose(await solved(70, 0.5, {}, bins)), wanted)).toBeLessThan(0.03);
});

test('a note says that the grid shows, in R80 too, where it does', async () => {
  const codes = async (dz_mm: number, grid: object = {}): Promise<readonly string[]> =>
    summaryOf(await solved(70, dz_mm, {}, grid)).notes.map(({ code }) => code);
  expect(await codes(0.25)).not.toContain('coarse-grid');
  expect(await codes(0.4)).not.toContain('coarse-grid');
  expect(await codes(0.5)).toContain('coarse-grid');
  // Six parts of such bins are still wide.
  expect(await codes(0.25, { energy: { kind: 'range', step_mm: 1.5 } })).toContain('coarse-grid');
});

test('planes too far apart for the mean range of a tilted beam tell none, and no wrong one', async () => {
  // Cells of 1 mm counted 40.82 mm, where the CSDA range is 40.80.
  const mean_mm = async (dz_mm: number): Promise<number | null> =>
    summaryOf(await solved(70, dz_mm, { beam: { energy_MeV: 70, angle_deg: 45 } })).metrics.mean_range_mm;
  expect(await mean_mm(1)).toBeNull();
  expect(Math.abs(((await mean_mm(0.4)) ?? 0) - ((await mean_mm(0.2)) ?? Number.NaN))).toBeLessThan(0.02);
});
