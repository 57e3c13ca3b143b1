/**
 * Notes of a summary, from real runs: lost protons, coarse cells, tables and energies with less effect than requested.
 * Also the distal falloff in matter of other densities, by real runs on default bins. Range straggling in g/cm² does
 * not depend on the density. At half the density it is twice as many millimetres, and behind a slab it does not
 * increase. Expected: 0.623 mm in water at 70 MeV, 0.149 in lead along the path, 0.161 in lead with the fluctuation of
 * the detour. These are from independent calculations (Fokker-Planck in residual range; Monte Carlo of the plane model)
 * with PSTAR and Bohr.
 */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { RunSummary } from '../../../../../../electron/contract/run.ts';
import {
  type AxisProfile,
  depthReadouts,
} from '../../../../../../electron/host/workloads/transport/metrics/depth-readouts.ts';
import {
  deblurProfile,
  metricsOf,
  penumbra_mm,
} from '../../../../../../electron/host/workloads/transport/metrics/run-metrics.ts';
import { runNotes } from '../../../../../../electron/host/workloads/transport/metrics/run-notes.ts';
import { summaryOf } from '../../../../../../electron/host/workloads/transport/readouts.ts';
import { measuredRunOf } from '../../../../../../electron/host/workloads/transport/run-data.ts';
import { runScenario } from '../../../small-run.ts';

describe('notes of a run', () => {
  async function summaryWith(parts: object): Promise<RunSummary> {
    const depth = { solver: { stepping: 'depth' } };
    const run = await runScenario({ kind: 'transport', version: 1, beam: { energy_MeV: 70 }, ...depth, ...parts });
    return summaryOf(run);
  }

  async function notesWith(parts: object): Promise<readonly string[]> {
    return (await summaryWith(parts)).notes.map(({ text }) => text);
  }

  test.each([
    ['default grids have nothing to say', {}, []],
    [
      'a narrow box',
      { geometry: { width_mm: 2 } },
      [/^2\d % of the protons left through the sides: .* a larger geometry\.width_mm avoids this\.$/],
    ],
    [
      'few angles',
      { grid: { theta_max_mrad: 50 } },
      [/^(89|90) % of the protons left beyond the largest angle: .* a larger grid\.theta_max_mrad avoids this\.$/],
    ],
    [
      'coarse cells',
      { grid: { dz_mm: 0.5 } },
      [/^Cells or steps of 0\.5 mm are too coarse: the falloff spans only 1\.2 of them, so R80, /],
    ],
    [
      'coarse cells of many digits',
      { geometry: { depth_mm: 50 }, grid: { dz_mm: 50 / 63 } },
      [/^Cells or steps of 0\.794 mm are too coarse: /],
    ],
    ['no range to read', { geometry: { depth_mm: 20 } }, []],
  ])('%s', async (_name, parts, expected) => {
    expect(await notesWith(parts)).toEqual(expected.map((text) => expect.stringMatching(text)));
  });

  test('a ledger that is open by more than 1e-6 is reported with a remedy', async () => {
    const found = await summaryWith({ geometry: { width_mm: 20 }, grid: { dtheta_mrad: 40, dz_mm: 0.5 } });
    const cells = { dose: () => new Float64Array(4), nx: 2, dx_mm: 1, x_variance_of_representation_mm2: 0 };
    const codes = (number: number, energy: number) => {
      const ledger = {
        number: { ...found.ledger.number, rel_error: number },
        energy: { ...found.ledger.energy, rel_error: energy },
      };
      return runNotes({ ...found, ledger, bins: 400 }, cells, '', null).filter(({ code }) => code === 'ledger-open');
    };
    expect(codes(1e-6, 1e-6)).toEqual([]);
    expect(codes(1e-7, 7.7e-6).map(({ text }) => text)).toEqual([
      'The ledger of energy does not close: its error is 7.7e-6 of the input, and at most 1e-6 is allowed. Use longer steps (grid.dz_mm) or ' +
        'solver.precision: fp64.',
    ]);
    expect(codes(2e-6, 1e-7).map(({ text }) => text)).toEqual([
      expect.stringContaining('ledger of protons does not close: its error is 2.0e-6'),
    ]);
  });

  test.each([
    ['a little wider', 0.4, ['make W80–20 about 16 % wider than the true value']],
    [
      'as wide',
      1,
      ['alone would make the falloff at least as wide as W80–20, which therefore does not describe the beam'],
    ],
    ['not noticeably wider', 0.05, []],
  ])('a tilted beam: the falloff is %s by cells and range bins', (_name, extra_straggling_mm, effects) => {
    const number = { rel_error: 0, escaped_z: 0, in: 1 } as RunSummary['ledger']['number'];
    const energy = { rel_error: 0 } as RunSummary['ledger']['energy'];
    const metrics = { r80_mm: null, w80_20_mm: 1.03, energy_deposited_MeV: 1 } as RunSummary['metrics'];
    const read = { metrics, ledger: { number, energy }, resolution_mm: 0.5, extra_straggling_mm, bins: 400 };
    const cells = { dose: () => new Float64Array(4), nx: 2, dx_mm: 2, x_variance_of_representation_mm2: 0 };
    const scenario = {
      beam: { energy_MeV: 70, energy_sigma_MeV: 0, angle_deg: 30 },
      grid: { cutoff_MeV: 1, dz_mm: 0.5, dx_mm: 2 },
      geometry: { background: 'water', regions: [] },
      physics: { stopping_power: 'pstar' },
      solver: { stepping: 'depth', step_mm: 0.5 },
      initial: { kind: 'beam' },
    };
    const notes = runNotes(read, cells, '', scenario).filter(({ code }) => code === 'tilted-rows');
    expect(notes.map(({ text }) => text)).toEqual(
      effects.map(
        (effect) =>
          'The beam is tilted by 30°. Cells of 0.5 mm in depth and 2 mm across and the range bins ' +
          `${effect}; use finer cells and range bins.`,
      ),
    );
  });

  test('moments agree with depth stepping in width inside and behind an air gap, without a note', async () => {
    const geometry = { width_mm: 60, depth_mm: 380, regions: [{ material: 'air', z_mm: [0, 300] }] };
    const beam = { energy_MeV: 150, x_sigma_mm: 3 };
    const parts = { kind: 'transport', version: 1, beam, geometry, physics: { nuclear: 'off' } };
    const run = await runScenario({ ...parts, solver: { variant: 'moments' } });
    const { nx, dx_mm, dz_mm } = run.axes;
    const sigma_mm = (depth_mm: number): number => {
      const row = run.dose.subarray(Math.floor(depth_mm / dz_mm) * nx).subarray(0, nx);
      let [sum, square] = [0, 0];
      row.forEach((dose, i) => {
        sum += dose;
        square += dose * ((i + 0.5 - nx / 2) * dx_mm) ** 2;
      });
      return Math.sqrt(square / sum);
    };
    expect(summaryOf(run).notes).toEqual([]);
    // With depth stepping on default grids: 3.005 mm at the end of the gap, 3.0225 mm 35 mm behind it.
    expect(Math.abs(sigma_mm(335) / 3.0225 - 1)).toBeLessThan(0.005);
    expect(Math.abs(sigma_mm(297) / 3.005 - 1)).toBeLessThan(0.005);
  });

  test('lead keeps its protons with the default angles, and so do other metals', async () => {
    const parts = { geometry: { background: 'lead' }, grid: { dtheta_mrad: 40 } };
    expect(await notesWith(parts)).toEqual([]);
  });

  test('R80 belongs to the peak where protons stop, not to lead in front of it', async () => {
    // 20 mm of lead at 40 mm absorb more energy per millimetre than the peak in water. R80 is 68.63 mm by quadrature of
    // PSTAR, half a millimetre of which is the detour through lead.
    const regions = [{ material: 'lead', x_mm: [-20, 20], z_mm: [40, 60] }];
    const geometry = { width_mm: 40, depth_mm: 80, regions };
    const grid = { dtheta_mrad: 20, dz_mm: 0.5, dx_mm: 1 };
    const beam = { energy_MeV: 150 };
    const parts = { beam, geometry, grid, solver: { stepping: 'depth' } };
    const { r80_mm, peak_mm } = metricsOf(
      measuredRunOf(await runScenario({ kind: 'transport', version: 1, ...parts })),
    );
    expect(Math.abs((r80_mm ?? 0) - 68.6)).toBeLessThan(0.8);
    expect(peak_mm ?? 0).toBeGreaterThan(62);
  });

  test('cells smaller than the step have the range and peak of step-sized cells, without a comb pattern', async () => {
    const read = async (dz_mm: number) => {
      const grid = { dtheta_mrad: 10, dz_mm };
      const beam = { energy_MeV: 70 };
      return metricsOf(
        measuredRunOf(await runScenario({ kind: 'transport', version: 1, beam, grid, solver: { step_mm: 0.2 } })),
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

  /** A coarse grid for tests that do not depend on the quality of the run. */
  const coarse = { dtheta_mrad: 40, dx_mm: 1 };

  test.each([
    ['icru90 in water says nothing', { physics: { stopping_power: 'icru90' } }, []],
    [
      'icru90 without water',
      { physics: { stopping_power: 'icru90' }, geometry: { background: 'muscle-skeletal' } },
      [
        {
          code: 'table-of-water',
          text: expect.stringMatching(/^ICRU 90 has no effect, .*; NIST PSTAR .* used for muscle-skeletal/),
        },
      ],
    ],
    [
      'icru90 beside bone',
      {
        physics: { stopping_power: 'icru90' },
        geometry: { regions: [{ material: 'bone-compact-icru', x_mm: [-5, 5], z_mm: [10, 12] }] },
      },
      [
        {
          code: 'table-of-water',
          text: expect.stringMatching(/^ICRU 90 applies to water only; NIST PSTAR .* used for bone-compact-icru/),
        },
      ],
    ],
  ])('a table that has less effect than it appears to have is reported: %s', async (_name, parts, expected) => {
    const found = (await summaryWith({ grid: coarse, ...parts })).notes.filter(({ code }) => code === 'table-of-water');
    expect(found).toEqual(expected);
  });

  test('energies below the cutoff are left out, and the mean energy that enters is reported', async () => {
    const read = await summaryWith({
      beam: { energy_MeV: 20, energy_sigma_MeV: 8 },
      grid: { ...coarse, cutoff_MeV: 2 },
    });
    const [note] = read.notes.filter(({ code }) => code === 'energies-cut-off');
    expect(note?.text).toMatch(/^1\.2 % of the protons would enter with less than the cutoff of 2 MeV/);
    const { energy, number } = read.ledger;
    const said = Number(/mean energy at entry is ([\d.]+) MeV/.exec(note?.text ?? '')?.[1]);
    expect(Math.abs(energy.in / number.in / said - 1)).toBeLessThan(1e-4);
    const narrow = await summaryWith({ beam: { energy_MeV: 70, energy_sigma_MeV: 10 }, grid: coarse });
    expect(narrow.notes.map(({ code }) => code)).not.toContain('energies-cut-off');
  });

  test.each([0.1, 0.25, 0.35, 0.45, 1])(
    'protons leaving through the back in steps of %d mm with cells of 0.5 mm: the last cells are reported',
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
      const said = Number(/error of up to (\d+) %/.exec(note ?? '')?.[1]) / 100;
      expect(Math.abs(found / right - 1)).toBeLessThan(said + 0.005);
      expect(said).toBeLessThan(3 * Math.abs(found / right - 1) + 0.01);
      expect((await lastCells({ stepping: 'path', step_mm: 0.5 }))[1]).toBeUndefined();
    },
  );
});

describe('the falloff of a run', () => {
  const half = (z_mm: readonly [number, number], width_mm = 60) => [
    { material: 'water', density_scale: 0.5, x_mm: [-width_mm / 2, width_mm / 2], z_mm },
  ];

  test.each([
    ['half the density throughout', { width_mm: 60, depth_mm: 90, regions: half([0, 90]) }, 81.55, 1.246],
    ['half the density where the beam stops', { width_mm: 60, depth_mm: 66, regions: half([29, 66]) }, 52.56, 1.246],
    ['behind a slab of half the density', { width_mm: 60, depth_mm: 54, regions: half([10, 20]) }, 45.77, 0.623],
    ['lead', { background: 'lead' }, 7.82, 0.161],
  ])('%s', { timeout: 60_000 }, async (_name, geometry, r80_mm, w80_20_mm) => {
    const grid = 'background' in geometry ? { dtheta_mrad: 20 } : { dtheta_mrad: 20, dx_mm: 1 };
    const parts = { beam: { energy_MeV: 70 }, geometry, grid, solver: { stepping: 'depth' } };
    const read = metricsOf(measuredRunOf(await runScenario({ kind: 'transport', version: 1, ...parts })));
    expect(Math.abs((read.r80_mm ?? 0) - r80_mm)).toBeLessThan(0.05);
    expect(Math.abs((read.w80_20_mm ?? 0) / w80_20_mm - 1)).toBeLessThan(0.05);
  });
});

describe('penumbra', () => {
  test('is 1.126 standard deviations for a Gaussian, in any row', () => {
    const nx = 200;
    const row = Float64Array.from({ length: nx }, (_, i) => Math.exp(-((((i + 0.5 - nx / 2) * 0.25) / 4) ** 2) / 2));
    const dose = Float64Array.from([...new Float64Array(nx), ...row]);
    // √(2 ln 5) − √(2 ln 1.25)
    expect((penumbra_mm(dose, nx, 1, 0.25) ?? 0) / 4).toBeCloseTo(1.1261, 2);
    expect(penumbra_mm(dose, nx, 0, 0.25)).toBeNull();
  });

  test('is not given if the dose reaches the edge, or falls within one cell', () => {
    expect(penumbra_mm(Float64Array.of(1, 1, 1, 1, 0.5, 0.1), 6, 0, 1)).toBeNull();
    expect(penumbra_mm(Float64Array.of(0, 0, 1, 0, 0), 5, 0, 1)).toBeNull();
  });
});

const STEP = 0.25;
const profileOf = (values: readonly number[], blur_mm2 = 0): AxisProfile => ({
  start_mm: 0,
  step_mm: STEP,
  values: Float64Array.from(values),
  blur_mm2,
});
const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);

/** Bin means of a Bragg curve: a plateau, a peak, and an end at 40 mm that straggles by `sigma`. */
function braggPeak(sigma: number): readonly number[] {
  const fine = 40;
  const dose = (x: number): number => {
    let [total, weights] = [0, 0];
    for (let k = -60; k <= 60; k += 1) {
      const end = 40 + (k / 10) * sigma;
      const weight = Math.exp(-((k / 10) ** 2) / 2);
      weights += weight;
      // Energy per length near the end of a range goes as 1 / √(residual range).
      total += end > x ? (weight * 1) / Math.sqrt(end - x + 0.02) : 0;
    }
    return total / weights;
  };
  return Array.from({ length: 200 }, (_, i) =>
    Array.from({ length: fine }, (_, k) => dose((i + (k + 0.5) / fine) * STEP) / fine).reduce((a, b) => a + b, 0),
  );
}

/** `values` convolved with a Gaussian of this variance. */
function convolveWithGaussian(values: readonly number[], variance_mm2: number): readonly number[] {
  const sigma = Math.sqrt(variance_mm2) / STEP;
  const reach = Math.ceil(6 * sigma);
  return values.map((_, i) => {
    let [total, weights] = [0, 0];
    for (let k = -reach; k <= reach; k += 1) {
      const weight = Math.exp(-((k / sigma) ** 2) / 2);
      weights += weight;
      total += weight * (values[Math.min(values.length - 1, Math.max(0, i + k))] ?? 0);
    }
    return total / weights;
  });
}

describe('a deblurred profile', () => {
  it('is unchanged without blur: straight beams keep every bit', () => {
    const profile = profileOf(braggPeak(0.7));
    expect(deblurProfile(profile)).toBe(profile);
  });

  it('recovers the peak and the falloff of the curve before it was blurred', () => {
    for (const variance of [0.02, 0.05, 0.1]) {
      const wanted = depthReadouts(profileOf(braggPeak(0.7)), 0);
      const blurred = depthReadouts(profileOf(convolveWithGaussian(braggPeak(0.7), variance)), 0);
      const found = depthReadouts(
        deblurProfile(profileOf(convolveWithGaussian(braggPeak(0.7), variance), variance)),
        0,
      );
      const off = (read: typeof found) => Math.abs((read.w80_20_mm ?? 0) / (wanted.w80_20_mm ?? 1) - 1);
      expect(off(blurred)).toBeGreaterThan(0.15 * variance);
      expect(off(found)).toBeLessThan(0.1 * off(blurred) + 0.001);
      expect(Math.abs((found.r80_mm ?? 0) - (wanted.r80_mm ?? 0))).toBeLessThan(0.005);
    }
  });

  it('reports the remaining blur if there is more than can be removed', () => {
    expect(deblurProfile(profileOf(braggPeak(0.7), 0.1)).blur_mm2).toBeCloseTo(0, 12);
    for (const variance of [0.2, 0.5]) {
      const left = deblurProfile(profileOf(convolveWithGaussian(braggPeak(0.7), variance), variance));
      expect(left.blur_mm2).toBeGreaterThan(0.05);
      // The falloff equals that of a curve with the reported blur, within a twentieth.
      const said = depthReadouts(profileOf(convolveWithGaussian(braggPeak(0.7), left.blur_mm2)), 0).w80_20_mm ?? 0;
      expect(Math.abs((depthReadouts(left, 0).w80_20_mm ?? 0) / said - 1)).toBeLessThan(0.05);
    }
  });

  it('keeps its sum, and no bin becomes negative or exceeds its neighbours at edges of the curve', () => {
    const level = fc.double({ min: 0, max: 100, noNaN: true });
    const pieces = fc.array(fc.record({ level, bins: fc.integer({ min: 2, max: 9 }) }), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(pieces, fc.double({ min: 0.001, max: 0.4, noNaN: true }), (slabs, variance) => {
        const values = slabs.flatMap(({ level: height, bins }) => Array.from({ length: bins }, () => height));
        const { values: sharp } = deblurProfile(profileOf(values, variance));
        expect(Math.abs(sum(sharp) - sum(Float64Array.from(values)))).toBeLessThan(1e-9 * (1 + sum(sharp)));
        // Flat on both sides of each edge, as in slabs of bone and lead: there is nothing to sharpen.
        sharp.forEach((value, i) => {
          expect(Math.abs(value - (values[i] ?? 0))).toBeLessThan(1e-9 * (1 + value));
        });
      }),
      { numRuns: 200 },
    );
  });

  it('overshoots by less than half a per cent at the blurred edge of a slab, stays positive, and is steeper', () => {
    const edge = Array.from({ length: 60 }, (_, i) => (i < 20 ? 0 : i < 40 ? 10 : 3));
    for (const variance of [0.02, 0.06, 0.2]) {
      const blurred = convolveWithGaussian(edge, variance);
      const { values } = deblurProfile(profileOf(blurred, variance));
      expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...values)).toBeLessThan(10.05);
      expect(values[20] ?? 0).toBeGreaterThan(blurred[20] ?? 0);
      expect(Math.abs(sum(values) - blurred.reduce((a, b) => a + b, 0))).toBeLessThan(1e-9);
    }
  });
});
