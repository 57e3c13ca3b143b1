/**
 * `braggbench run --uncertainty`: the band, each input's contribution, and rejected input. `braggbench volume`: printed
 * and written output, and rejected input. `braggbench pencils`. `braggbench gamma`: a run against files in absolute
 * terms.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readAnyRunFile } from '../../../electron/cli/read-scenario.ts';
import type { Uncertainty } from '../../../electron/contract/beams/uncertainty.ts';
import type { VolumeSummary } from '../../../electron/contract/beams/volume.ts';
import { depthDoseOf, measuredRunOf, transportRunOf } from '../../../electron/host/api/workloads.ts';
import { readDicomDose } from '../../../electron/host/io/volumes/dicom.ts';
import type { Volume } from '../../../electron/host/io/volumes/volume.ts';
import { decodeVolumeFile, volumeHeader } from '../../../electron/host/io/volumes/volume-file.ts';
import { scratchFolder } from '../../scratch-folder.ts';
import { braggbenchInProcess } from './command.ts';

describe('braggbench uncertainty', () => {
  type PrintedUncertainty = { uncertainty: Omit<Uncertainty, 'depth_mm' | 'dose' | 'dose_sigma'> & { curve: Curve } };
  interface Curve {
    readonly depth_mm: readonly number[];
    readonly dose_MeV_per_mm: readonly number[];
    readonly sigma_MeV_per_mm: readonly number[];
  }

  const quick = ['--variant', 'moments', '--set', 'solver.stepping=depth'];

  async function uncertaintyOf(...words: readonly string[]): Promise<PrintedUncertainty['uncertainty']> {
    const { code, stdout, stderr } = await braggbenchInProcess(['run', ...words, '--uncertainty', '--json']);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    return (JSON.parse(stdout) as PrintedUncertainty).uncertainty;
  }

  const only = (input: string): readonly string[] =>
    ['beam_range_mm', 'mean_excitation_eV', 'density_percent']
      .filter((name) => name !== input)
      .flatMap((name) => ['--vary', `${name}=0`]);

  test('the range uncertainty in water agrees with theory, and the shares add up', async () => {
    const { r80_mm, r80_sigma_mm, parts, differences_because } = await uncertaintyOf('water-70MeV', ...quick);
    expect(differences_because).toBeNull();
    const by = new Map(parts.map((part) => [part.input, part]));
    // R80 is inversely proportional to the density, and a range uncertainty of 0.2 mm shifts R80 by 0.2 mm.
    expect(by.get('density_percent')?.r80_mm).toBeCloseTo(-0.01 * (r80_mm ?? 0), 2);
    expect(by.get('beam_range_mm')?.r80_mm).toBeCloseTo(0.2, 2);
    // From 75 to 78 eV the range of 70 MeV becomes 0.56 % longer (ICRU Report 90).
    expect((by.get('mean_excitation_eV')?.r80_mm ?? 0) / (r80_mm ?? 1)).toBeCloseTo((0.0056 * 2) / 3, 3);
    const sum = parts.reduce((all, part) => all + (part.r80_mm ?? 0) ** 2, 0);
    expect(r80_sigma_mm).toBeCloseTo(Math.sqrt(sum), 6);
    expect(parts.reduce((all, part) => all + (part.share ?? 0), 0)).toBeCloseTo(1, 6);
  });

  test('derivatives and differences of end-to-end runs give the same uncertainty band', { tags: 'slow' }, async () => {
    const words = ['bone-slab-150MeV', ...quick, ...only('density_percent')];
    const tangents = await uncertaintyOf(...words, '--set', 'physics.nuclear=off');
    expect(tangents.parts.map(({ title }) => title)).toEqual(['Density, water', 'Density, bone-compact-icru']);
    const differences = await uncertaintyOf(...words, '--set', 'physics.nuclear=icru63');
    expect(differences.differences_because).toBe('reaction products are followed');
    for (const [i, part] of differences.parts.entries()) {
      expect(part.r80_mm).toBeCloseTo(tangents.parts[i]?.r80_mm ?? 0, 1);
    }
  });

  test('the uncertainty band is widest in the falloff', async () => {
    const { curve, r80_mm } = await uncertaintyOf('water-70MeV', ...quick);
    const widest = curve.sigma_MeV_per_mm.indexOf(Math.max(...curve.sigma_MeV_per_mm));
    expect(Math.abs((curve.depth_mm[widest] ?? 0) - (r80_mm ?? 0))).toBeLessThan(1);
  });

  test('a table names every input with its source, and the clinical margin', async () => {
    const { stdout } = await braggbenchInProcess([
      'run',
      'water-70MeV',
      ...quick,
      '--uncertainty',
      '--vary',
      'density_percent=2',
    ]);
    expect(stdout).toMatch(/R80 40\.\d\d ± 0\.\d\d mm/);
    expect(stdout).toMatch(/Density, water +± 2 % .*as given/);
    expect(stdout).toMatch(/Mean excitation energy, water +± 2 eV .*ICRU Report 90/);
    // 2.43 mm is 3.5 % of 40.8 mm plus 1 mm.
    expect(stdout).toContain('3.5 % of the range plus 1 mm is 2.43 mm');
  });

  test.each([
    [['water-70MeV', '--vary', 'density_percent=2'], '--vary needs --uncertainty'],
    [
      ['water-70MeV', '--uncertainty', '--vary', 'weight=1'],
      '--vary: weight is not a known input; allowed: beam_range_mm',
    ],
    [
      ['water-70MeV', '--uncertainty', '--vary', 'density_percent=much'],
      '--vary: density_percent=much is not valid; allowed: an input',
    ],
    [
      ['simple-cubic-1024', '--uncertainty'],
      '--uncertainty is for scenarios of kind transport; this one is of kind diffraction',
    ],
  ])('%j is rejected', async (words, says) => {
    const { code, stderr } = await braggbenchInProcess(['run', ...words]);
    expect(stderr).toContain(says);
    expect(code).toBe(2);
  });
});

describe('braggbench volume', () => {
  const folder = scratchFolder('volume');

  /** A field of two spots, one on either side of y = 0, in 60 mm of water. */
  function twoSpotField(): string {
    const file = path.join(folder, 'field.json');
    writeFileSync(
      file,
      JSON.stringify({
        kind: 'transport',
        version: 2,
        beam: {
          x_sigma_mm: 3,
          spots: [
            { energy_MeV: 70, x_mm: -5, y_mm: 10, weight: 3 },
            { energy_MeV: 60, x_mm: 5, y_mm: -10, weight: 1 },
          ],
        },
        geometry: { width_mm: 100, depth_mm: 60 },
        grid: { dz_mm: 1 },
        physics: { nuclear: 'off' },
        solver: { stepping: 'depth' },
      }),
    );
    return file;
  }

  function readVolumeFile(file: string): Volume {
    const bytes = readFileSync(file);
    const header = volumeHeader(file, bytes);
    return header === null ? readDicomDose(file, bytes) : decodeVolumeFile(file, bytes, header, [null]);
  }

  test('a field of two spots has its maximum dose in the peak of the heavier one', async () => {
    const { code, stdout } = await braggbenchInProcess(['volume', twoSpotField(), '--across', '80', '--json']);
    expect(code).toBe(0);
    const answer = JSON.parse(stdout) as VolumeSummary;
    expect(answer.sizes).toEqual([40, 40, 60]);
    // With cells of 2 mm, −5 is the middle of a cell, and 10 is a border between the cells at 9 and 11.
    expect(answer.most_at_mm[0]).toBe(-5);
    expect(Math.abs(answer.most_at_mm[1] - 10)).toBe(1);
    expect(answer.most_at_mm[2]).toBeCloseTo(40, -1);
    expect(answer.energy.rel_error).toBeCloseTo(0, 9);
    // Three protons of 70 MeV and one of 60 MeV.
    expect(answer.energy.in).toBeCloseTo(270, 6);
    expect(answer.energy.deposited / answer.energy.in).toBeCloseTo(1, 4);
  });

  test.each(['mha', 'nrrd', 'dcm'])(
    'a dose written as .%s reads back with its coordinates and its energy',
    async (ending) => {
      const out = path.join(folder, `dose.${ending}`);
      const { code, stdout } = await braggbenchInProcess(['volume', twoSpotField(), '--across', '80', '--out', out]);
      expect(code).toBe(0);
      expect(stdout).toContain('Largest dose');
      const { sizes, spacing_mm, origin_mm, values } = readVolumeFile(out);
      expect(sizes).toEqual([40, 60, 40]);
      expect(spacing_mm.map((side) => Number(side))).toEqual([2, 1, 2]);
      expect([...origin_mm]).toEqual([-39, 0.5, -39]);
      const sum = values.reduce((a, b) => a + b, 0);
      // 270 MeV of 4 protons in cells of 4 mm³ of water; doses in Gy per 10⁹ protons.
      expect((sum * 4) / 160.2176634).toBeCloseTo(270 / 4, ending === 'dcm' ? 3 : 2);
    },
  );

  test('monitor units and the protons of the field scale the dose', async () => {
    const words = ['volume', twoSpotField(), '--across', '80', '--json'];
    const plain = JSON.parse((await braggbenchInProcess(words)).stdout) as VolumeSummary;
    const units = JSON.parse(
      (await braggbenchInProcess([...words, '--protons-per-mu', '8e7'])).stdout,
    ) as VolumeSummary;
    expect(units.unit).toBe('Gy per MU');
    expect(units.most).toBeCloseTo(0.08 * plain.most, 9);
    // The field has four protons.
    const whole = JSON.parse((await braggbenchInProcess([...words, '--whole-field'])).stdout) as VolumeSummary;
    expect(whole.unit).toBe('Gy');
    expect(whole.most / (4e-9 * plain.most)).toBeCloseTo(1, 9);
  });

  test.each([
    [['--out', 'dose.png'], '--out: "dose.png" has an unknown extension; allowed: .mha, .nrrd, .dcm'],
    [['--across', '2000', '--cell', '0.1'], 'cells of 0.1 mm; allowed: at most 64000000 in total'],
    [['--whole-field', '--protons-per-mu', '8e7'], '--whole-field and --protons-per-mu exclude each other'],
    [
      ['--set', 'beam.spots[0].angle_deg=10'],
      'error beam.angle_deg = 10: tilted beams are solved by the variant moments',
    ],
  ])('%j is rejected', async (words, says) => {
    const { code, stderr } = await braggbenchInProcess(['volume', twoSpotField(), ...words]);
    expect(stderr).toContain(says);
    expect(code).not.toBe(0);
  });
});

describe('braggbench pencils', () => {
  const folder = scratchFolder('pencils');

  test('prints gamma pass rates against the plane solver, and writes a map of the gamma index', async () => {
    const file = path.join(folder, 'edge.json');
    const bone = { material: 'bone-compact-icru', x_mm: [0, 20], z_mm: [5, 15] };
    const document = {
      ...{ kind: 'transport', version: 2, name: 'Edge', beam: { energy_MeV: 60, x_sigma_mm: 4 } },
      ...{ geometry: { width_mm: 40, depth_mm: 40, regions: [bone] }, grid: { dx_mm: 1, dz_mm: 0.5 } },
      ...{ physics: { nuclear: 'off' }, solver: { stepping: 'depth', variant: 'depth' }, output: { keyframes: 0 } },
    };
    writeFileSync(file, JSON.stringify(document));
    const out = path.join(folder, 'gamma.mha');
    const { code, stdout, stderr } = await braggbenchInProcess(['pencils', file, '--out', out]);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^48 pencils in 2 different columns of matter, solved in [\d.]+ s; plane solved by depth$/m);
    const rates = [...stdout.matchAll(/^Gamma (\d) %\/\d mm: ([\d.]+) % of \d+ cells pass, worst [\d.]+$/gm)];
    expect(rates.map(([, percent]) => percent)).toEqual(['1', '2', '3']);
    const [first = 0, second = 0, third = 0] = rates.map(([, , passed]) => Number(passed));
    expect(first).toBeLessThan(second);
    expect(second).toBeLessThanOrEqual(third);
    const bytes = readFileSync(out);
    const header = volumeHeader(out, bytes);
    if (header === null) throw new Error('no MetaImage');
    const { sizes, spacing_mm, values } = decodeVolumeFile(out, bytes, header, [null]);
    expect([sizes, spacing_mm]).toEqual([
      [80, 40],
      [0.5, 1],
    ]);
    expect(values.some((value) => value > 1)).toBe(true);
  });

  test('refuses another file format than MetaImage', async () => {
    const { code, stderr } = await braggbenchInProcess(['pencils', 'bone-edge-150MeV', '--out', 'gamma.png']);
    expect(stderr).toContain('--out: "gamma.png" has an unknown extension; allowed: .mha');
    expect(code).not.toBe(0);
  });
});

describe('braggbench gamma', () => {
  const folder = scratchFolder('gamma');
  const file = (name: string): string => path.join(folder, name);
  const run = file('run.h5');

  async function solveRun() {
    const words = [
      'run',
      'water-70MeV',
      '--variant',
      'moments',
      '--set',
      'solver.stepping=depth',
      '--set',
      'beam.weight=5',
      '--out',
      run,
      '--force',
    ];
    expect(await braggbenchInProcess(words)).toMatchObject({ code: 0, stderr: '' });
    return transportRunOf(await readAnyRunFile(run));
  }

  async function compareWithFile(name: string, ...flags: readonly string[]) {
    const words = ['gamma', run, file(name), '--criteria', '1%/1mm', '--absolute', '--json', ...flags];
    const { code, stdout, stderr } = await braggbenchInProcess(words);
    if (code !== 0) return stderr;
    const { by, results } = JSON.parse(stdout) as { by: string; results: readonly { passed: number }[] };
    return `${by} ${results[0]?.passed}`;
  }

  test('a depth dose in any absolute unit is converted to the units of the run', {
    tags: 'slow',
    timeout: 60_000,
  }, async () => {
    const { curve, perMass } = depthDoseOf(measuredRunOf(await solveRun()));
    // 1 MeV/g is 0.1602176634 nGy; 1 MeV cm² g⁻¹ is 16.02 nGy mm². Five protons.
    const write = (name: string, column: string, factor: number, { positions, values } = curve): void => {
      const rows = Array.from(positions, (depth, i) => `${depth},${(values[i] ?? 0) * factor}`);
      writeFileSync(file(name), [`depth_mm,${column}`, ...rows, ''].join('\n'));
    };
    write('per-mm.csv', 'dose [MeV/mm]', 1);
    write('per-cm.csv', 'dose [MeV/cm per proton]', 2);
    write('mass.csv', 'dose [MeV cm2/g per proton]', 1 / (5 * 16.02176634), perMass ?? curve);
    write('high.csv', 'dose [MeV/mm]', 2);
    write('bare.csv', 'dose', 1);
    expect(await compareWithFile('per-mm.csv')).toBe('area 1');
    expect(await compareWithFile('per-cm.csv')).toBe('area 1');
    expect(await compareWithFile('mass.csv')).toBe('mass 1');
    expect(await compareWithFile('high.csv')).toMatch(/^area 0\.0/);
    expect(await compareWithFile('bare.csv', '--dose-unit', 'MeV/mm')).toBe('area 1');
    expect(await compareWithFile('bare.csv')).toContain(
      'bare.csv: its doses have no unit. Allowed for an absolute comparison',
    );
    expect(await compareWithFile('per-mm.csv', '--dose-unit', 'MeV/cm')).toContain(
      'its doses are in MeV/mm, and --dose-unit is MeV/cm',
    );
    expect(await compareWithFile('per-mm.csv', '--by', 'mass')).toContain('contains energy per area; allowed: area');
    expect(await compareWithFile('run.h5', '--dose-unit', 'MeV/mm')).toContain(
      '--dose-unit is for a file that --absolute',
    );
  });

  test('a map in an absolute unit is converted to the units of the run', { tags: 'slow' }, async () => {
    const { dose, axes } = await solveRun();
    const { nz, nx, dz_mm, dx_mm } = axes;
    const x = Array.from({ length: nx }, (_, i) => (i + 0.5 - nx / 2) * dx_mm);
    const rows = Array.from({ length: nz }, (_, z) => {
      const values = Array.from(dose.subarray(z * nx, (z + 1) * nx), (value) => value / (dz_mm * dx_mm));
      return [(z + 0.5) * dz_mm, ...values].join(',');
    });
    writeFileSync(
      file('map.csv'),
      [['depth_mm', ...x.map((at) => `dose_at_x_${at}_mm`)].join(','), ...rows].join('\n'),
    );
    expect(await compareWithFile('map.csv', '--dose-unit', 'MeV/mm2')).toBe('area 1');
    expect(await compareWithFile('map.csv')).toContain('its doses have no unit. Allowed');
    expect(await compareWithFile('map.csv', '--dose-unit', 'Gy')).toContain('Gy mm/1e9, nGy mm, MeV cm/g, MeV/mm2');
  });
});
