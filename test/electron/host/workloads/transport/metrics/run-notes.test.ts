/**
 * Notes of a summary, from real runs: lost protons, coarse cells, tables and energies with less effect than requested.
 */
import { expect, test } from 'vitest';
import type { RunSummary } from '../../../../../../electron/contract/run.ts';
import { metricsOf } from '../../../../../../electron/host/workloads/transport/metrics/run-metrics.ts';
import { runNotes } from '../../../../../../electron/host/workloads/transport/metrics/run-notes.ts';
import { summaryOf } from '../../../../../../electron/host/workloads/transport/readouts.ts';
import { measured } from '../../../../../../electron/host/workloads/transport/run-data.ts';
import { runScenario } from '../../../small-run.ts';

async function summary(parts: object): Promise<RunSummary> {
  const depth = { solver: { stepping: 'depth' } };
  const run = await runScenario({ kind: 'transport', version: 1, beam: { energy_MeV: 70 }, ...depth, ...parts });
  return summaryOf(run);
}

async function notes(parts: object): Promise<readonly string[]> {
  return (await summary(parts)).notes.map(({ text }) => text);
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
    [/^(89|90) % of the protons left beyond the largest angle: .* a larger grid\.theta_max_mrad keeps them\.$/],
  ],
  [
    'coarse cells',
    { grid: { dz_mm: 0.5 } },
    [/^Cells or steps of 0\.5 mm are too coarse: the falloff spans only 1\.2 of them, so R80, /],
  ],
  ['no range to read', { geometry: { depth_mm: 20 } }, []],
])('%s', async (_name, parts, expected) => {
  expect(await notes(parts)).toEqual(expected.map((text) => expect.stringMatching(text)));
});

test('a ledger that is open by more than a millionth is said, with its remedy', async () => {
  const found = await summary({ geometry: { width_mm: 20 }, grid: { dtheta_mrad: 40, dz_mm: 0.5 } });
  const cells = { dose: new Float64Array(4), nx: 2, dx_mm: 1, x_variance_of_representation_mm2: 0 };
  const codes = (number: number, energy: number) => {
    const ledger = {
      number: { ...found.ledger.number, rel_error: number },
      energy: { ...found.ledger.energy, rel_error: energy },
    };
    return runNotes({ ...found, ledger, bins: 400 }, cells, '', null).filter(({ code }) => code === 'ledger-open');
  };
  expect(codes(1e-6, 1e-6)).toEqual([]);
  expect(codes(1e-7, 7.7e-6).map(({ text }) => text)).toEqual([
    'The ledger of energy is open by 7.7e-6 of what entered; 1e-6 is allowed. Longer steps (grid.dz_mm) or ' +
      'solver.precision: fp64 close it.',
  ]);
  expect(codes(2e-6, 1e-7).map(({ text }) => text)).toEqual([
    expect.stringContaining('ledger of protons is open by 2.0e-6'),
  ]);
});

test('lead at its default angles keeps its protons, and metals too', async () => {
  const parts = { geometry: { background: 'lead' }, grid: { dtheta_mrad: 40 } };
  expect(await notes(parts)).toEqual([]);
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

/** For tests that do not depend on the run's quality. */
const coarse = { dtheta_mrad: 40, dx_mm: 1 };

test.each([
  ['icru90 in water says nothing', { physics: { stopping_power: 'icru90' } }, []],
  [
    'icru90 without water',
    { physics: { stopping_power: 'icru90' }, geometry: { background: 'muscle-skeletal' } },
    [{ code: 'table-of-water', text: expect.stringMatching(/^ICRU 90 changes nothing here, .*: muscle-skeletal by/) }],
  ],
  [
    'icru90 beside bone',
    {
      physics: { stopping_power: 'icru90' },
      geometry: { regions: [{ material: 'bone-compact-icru', x_mm: [-5, 5], z_mm: [10, 12] }] },
    },
    [{ code: 'table-of-water', text: expect.stringMatching(/^ICRU 90 is for water alone: bone-compact-icru by/) }],
  ],
])('a table that does less than it seems to: %s', async (_name, parts, expected) => {
  const found = (await summary({ grid: coarse, ...parts })).notes.filter(({ code }) => code === 'table-of-water');
  expect(found).toEqual(expected);
});

test('energies below the cutoff are left out, and the mean that enters is said', async () => {
  const read = await summary({ beam: { energy_MeV: 20, energy_sigma_MeV: 8 }, grid: { ...coarse, cutoff_MeV: 2 } });
  const [note] = read.notes.filter(({ code }) => code === 'energies-cut-off');
  expect(note?.text).toMatch(/^1\.2 % of the beam's energies lie below the cutoff of 2 MeV/);
  const { energy, number } = read.ledger;
  const said = Number(/([\d.]+) MeV is the mean/.exec(note?.text ?? '')?.[1]);
  expect(Math.abs(energy.in / number.in / said - 1)).toBeLessThan(1e-4);
  const narrow = await summary({ beam: { energy_MeV: 70, energy_sigma_MeV: 10 }, grid: coarse });
  expect(narrow.notes.map(({ code }) => code)).not.toContain('energies-cut-off');
});

test.each([0.1, 0.25, 0.35, 0.45, 1])(
  'what leaves through the back in steps of %d mm, cells of 0.5 mm: the last cells are said',
  async (step_mm) => {
    const geometry = { width_mm: 20, depth_mm: 10 };
    const grid = { dz_mm: 0.5, dtheta_mrad: 40, dx_mm: 1 };
    const lastCells = async (solver: object): Promise<readonly [number, string | undefined]> => {
      const parts = { beam: { energy_MeV: 70 }, geometry, grid, solver };
      const run = await runScenario({ kind: 'transport', version: 1, ...parts });
      const { nz, nx } = run.axes;
      const row = (z: number): number => run.dose.subarray(z * nx, (z + 1) * nx).reduce((a, b) => a + b, 0);
      return [row(nz - 1), summaryOf(run).notes.find(({ code }) => code === 'last-cells')?.text];
    };
    const [right, nothing] = await lastCells({ stepping: 'depth' });
    const [found, note] = await lastCells({ stepping: 'path', step_mm });
    expect(nothing).toBeUndefined();
    const said = Number(/up to (\d+) % too much/.exec(note ?? '')?.[1]) / 100;
    expect(Math.abs(found / right - 1)).toBeLessThan(said + 0.005);
    expect(said).toBeLessThan(3 * Math.abs(found / right - 1) + 0.01);
    expect((await lastCells({ stepping: 'path', step_mm: 0.5 }))[1]).toBeUndefined();
  },
);
