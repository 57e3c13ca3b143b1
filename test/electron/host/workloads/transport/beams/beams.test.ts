/**
 * Spread-out peaks with the real engine. Also recovers energy and spread from the program's own depth dose with added
 * noise, and reads measured curves.
 */
import { describe, expect, test } from 'vitest';
import { parseEnergies, spotsOfSobp, weightKinds } from '../../../../../../electron/contract/beams/sobp.ts';
import { readCurve, readOneCurve } from '../../../../../../electron/host/workloads/transport/beams/commission.ts';
import { buildSobp } from '../../../../../../electron/host/workloads/transport/beams/sobp.ts';
import { addon } from '../../../model/scenarios/open.ts';
import { buildPeak, check } from './build-peak.ts';
import { expectRecovered } from './find-again.ts';

const withoutReactions = { nuclear: 'off' } as const;

/** The flatness of a peak needs longer runs, and is tested in commission.long.test.ts. */
describe('an SOBP', () => {
  test('over a width has spots half a spacing inside its ends, with weights that add up to 1', async () => {
    const found = await buildPeak(
      { range_mm: 40, modulation_mm: 8, width_mm: 30 },
      { x_sigma_mm: 3, x_mm: 2 },
      withoutReactions,
    );
    expect(found.places_mm).toHaveLength(10);
    expect(found.places_mm[0]).toBeCloseTo(2 - 13.5, 9);
    expect(found.places_mm.at(-1)).toBeCloseTo(2 + 13.5, 9);
    const spots = spotsOfSobp(found);
    expect(spots).toHaveLength(10 * found.layers.length);
    expect(spots.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 4);
    const field = await check({ kind: 'transport', version: 1, beam: { x_sigma_mm: 3, spots } });
    expect(field.issues.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  test('has layers at the requested distance', async () => {
    const found = await buildPeak({ range_mm: 40, modulation_mm: 8, layer_spacing_mm: 2 }, {}, withoutReactions);
    // Layers from 40 mm down to the start of the plateau at 32 mm, and two standard deviations of the range (0.44 mm)
    // below it.
    expect(found.layers.length).toBeLessThanOrEqual(5);
    const [first, second] = found.layers.map(({ energy_MeV }) => energy_MeV);
    // The range is proportional to energy^1.77: 2 mm of 40 mm correspond to 2 MeV of 69.3 MeV.
    expect((first ?? 0) - (second ?? 0)).toBeCloseTo(2, 0);
    expect(found.plateau.r90_mm).toBeCloseTo(40, 1);
  });

  test.each([
    [30, 20],
    [300, 100],
  ])(
    'is flat with every kind of weights and has the requested extent (range %d mm, modulation %d mm)',
    async (...shape) => {
      const [range_mm, modulation_mm] = shape;
      const limits = { flattest: 0.01, smooth: 0.018, monotone: 0.018 } as const;
      const bend = (weights: readonly number[]): number =>
        Math.hypot(...weights.slice(2, -2).map((w, i) => ((weights[i + 1] ?? 0) - 2 * w + (weights[i + 3] ?? 0)) / w));
      const bends: Record<string, number> = {};
      for (const weights of weightKinds) {
        const found = await buildPeak({ range_mm, modulation_mm, weights }, {});
        expect(found.plateau.flatness, weights).toBeLessThan(limits[weights]);
        expect(found.plateau.flatness, weights).toBeLessThan(found.firstFlatness);
        expect(Math.abs(found.plateau.r90_mm - range_mm), weights).toBeLessThan(0.05);
        expect(Math.abs(found.plateau.m95_mm - modulation_mm), weights).toBeLessThan(0.1);
        const all = found.layers.map(({ weight }) => weight);
        bends[weights] = bend(all);
        // The distance of layers does not grow as their range falls: if weights per mm do not rise, neither do weights.
        const rises = all.some((weight, k) => weight > 1.0001 * (all[k - 1] ?? 1));
        if (weights !== 'smooth') expect(rises, weights).toBe(weights === 'flattest');
      }
      expect(bends['smooth']).toBeLessThan(0.5 * (bends['flattest'] ?? 0));
    },
  );

  test('uses only energies of a machine, nearest to the range, and reports its flatness', async () => {
    const energies_MeV = Array.from({ length: 120 }, (_, i) => 40 + 0.5 * i);
    const found = await buildPeak({ range_mm: 60, modulation_mm: 20, energies_MeV, weights: 'smooth' }, {});
    expect(found.layers.length).toBeGreaterThan(5);
    for (const { energy_MeV } of found.layers) expect(energies_MeV).toContain(energy_MeV);
    // The ranges of neighbouring energies differ by 0.6 mm, so that the nearest is within half of that.
    expect(Math.abs(found.plateau.r90_mm - 60)).toBeLessThan(0.35);
    expect(Math.abs(found.plateau.m95_mm - 20)).toBeLessThan(0.3);
    expect(found.plateau.flatness).toBeLessThan(0.015);
    expect(found.plateau.flatness).toBeLessThan(found.firstFlatness);
  });

  test.each([
    ['70, 72.5\n75 # last', [70, 72.5, 75]],
    ['70,5;72', [70.5, 72]],
    ['Energy (MeV)\n70\n80\n', [70, 80]],
    ['energy_MeV\r\n70\r\n80', [70, 80]],
    ['70 MeV', 'line 1: MeV is not an energy; allowed: above 0 to 1000 MeV, without a unit'],
    ['GeV\n0.07', 'line 1: GeV is not an energy'],
    ['70\n0', 'line 2: 0 is not an energy'],
    ['# none', 'no energies; allowed: energies in MeV'],
    [`${'7 '.repeat(1001)}`, '1001 energies; allowed: at most 1000'],
  ])('reads a list of energies in MeV, or rejects it at its line: case %#', (text, wanted) => {
    const read = parseEnergies(text);
    if (typeof wanted === 'string') expect(!read.ok && read.reason).toContain(wanted);
    else expect(read.ok && read.energies_MeV).toEqual(wanted);
  });

  test.each([
    [
      { range_mm: 300, modulation_mm: 50, energies_MeV: [70, 150] },
      {},
      'nearest to 300 mm, 150 MeV, reaches 157.0 mm; allowed: at most 5 % and 1 mm away',
    ],
    [{ range_mm: 50, modulation_mm: 10, energies_MeV: [70], layer_spacing_mm: 2 }, {}, 'allowed: one of them'],
    [
      { range_mm: 30, modulation_mm: 12, energies_MeV: Array.from({ length: 120 }, (_, i) => 48 + i / 8) },
      {},
      'MeV could be layers; allowed: at most 100',
    ],
    [
      { range_mm: 50, modulation_mm: 60 },
      {},
      'modulation_mm: 60 mm reaches the surface; allowed: at most 40 mm for this range',
    ],
    [{ range_mm: 50, modulation_mm: 10, width_mm: 20 }, {}, 'allowed: beam.x_sigma_mm above 0'],
    [{ range_mm: 50, modulation_mm: 10, width_mm: 20, spacing_mm: 8 }, { x_sigma_mm: 4 }, 'allowed: at most 6 mm'],
    [{ range_mm: 399, modulation_mm: 388 }, {}, 'modulation_mm: 388 mm needs more than'],
  ])('%j is rejected', async (request, beam, says) => {
    await expect(buildPeak(request, beam)).rejects.toThrow(says);
  });

  test('stops when it is aborted', async () => {
    const ended = new AbortController();
    ended.abort();
    const reading = await check({ kind: 'transport', version: 1, beam: { energy_MeV: 100 } });
    if (reading.scenario === null) throw new Error('no scenario');
    const going = buildSobp(
      { physics: {}, check, addon },
      reading.scenario,
      { range_mm: 50, modulation_mm: 10 },
      ended,
    );
    await expect(going).rejects.toThrow();
  });
});

describe('commissioning a beam', () => {
  test(
    'recovers 100 MeV, a spread of 0.6 MeV and a noise of 0.01 within three stated errors',
    () => expectRecovered(100, 0.6, 0.01, 1),
    60_000,
  );

  describe('a measured curve', () => {
    const peak = [10, 10, 11, 12, 14, 18, 30, 60, 100, 70, 20, 2, 0];
    const csv = (unit: number) => peak.map((dose, i) => `${(i + 1) * unit},${dose}`).join('\n');

    test('is read in mm and cm, with commas, semicolons or blanks', () => {
      const wanted = Float64Array.from(peak, (_, i) => 10 * (i + 1));
      for (const text of [
        `depth_mm,dose\n${csv(10)}`,
        `# a chamber\nDepth (cm);Dose\r\n${csv(1).replaceAll(',', ';').replaceAll('\n', '\r\n')}\r\n`,
        `z [mm]\tdose\n${csv(10).replaceAll(',', ' ')}`,
      ]) {
        const read = readCurve(text, null);
        expect(read.ok && [...read.curve.depth_mm]).toEqual([...wanted]);
      }
      const read = readCurve(csv(1), 'cm');
      expect(read.ok && [...read.curve.depth_mm]).toEqual([...wanted]);
    });

    test('is read like a curve overlaid on the depth dose: decimal commas, and columns by their names', () => {
      const wanted = [peak.map((_, i) => 10 * (i + 1)), peak.map((dose) => dose + 0.25)];
      const lines = (line: (depth: number, dose: number) => string) =>
        peak.map((dose, i) => line(10 * (i + 1), dose + 0.25)).join('\n');
      for (const text of [
        `depth_mm;dose\n${lines((depth, dose) => `${depth};${dose}`.replace('.', ','))}`,
        `Tiefe_mm;Dosis\n${lines((depth, dose) => `${depth},0;${dose}`.replace(/\.(\d+)$/, ',$1'))}`,
        `nr,dose,depth_mm\n${lines((depth, dose) => `7,${dose},${depth}`)}`,
        `\uFEFFdepth_mm,error,dose\n${lines((depth, dose) => `${depth},0.5,${dose}`)}`,
      ]) {
        const read = readCurve(text, null);
        expect(read.ok && [[...read.curve.depth_mm], [...read.curve.dose]]).toEqual(wanted);
      }
    });

    test('is rejected if commas are both decimal marks and separators, or if its column states another unit', () => {
      const commas = readCurve(`depth_mm,dose\n${peak.map((dose, i) => `${i + 1},5,${dose},25`).join('\n')}`, null);
      expect(!commas.ok && commas.faults[0]).toMatchObject({
        line: 2,
        message: expect.stringMatching(/^4 values; allowed: 2/),
      });
      const other = readOneCurve(`depth_cm,dose\n${csv(1)}`, 'mm');
      expect(!other.ok && other.faults[0]?.message).toContain('the depth column is in cm');
      expect(readOneCurve(`depth_cm,dose\n${csv(1)}`, 'cm').ok).toBe(true);
    });

    test.each([
      ['', 1, '0 points'],
      [csv(10), 1, 'the unit of depth is missing'],
      ['depth_mm,dose\n1,2\n2,3\n', 1, '2 points; allowed: 10 to'],
      [`depth_mm,dose\n${csv(10)}\nx,3`, 15, '"x" is not a number'],
      [`depth_mm,dose\n${csv(10)}\n130,`, 15, '"" is not a number'],
      [`depth_mm,dose\n${csv(10)}\n130,0`, 15, 'the depth 130 is out of order'],
      [`depth_mm,dose\n${csv(10).split('\n').slice(0, 10).join('\n')}`, 11, 'does not fall to 20 %'],
    ])('%j is rejected at its line', (text, line, says) => {
      const read = readCurve(text, null);
      expect(!read.ok && read.faults[0]?.line).toBe(line);
      expect(!read.ok && read.faults[0]?.message).toContain(says);
    });
  });
});
