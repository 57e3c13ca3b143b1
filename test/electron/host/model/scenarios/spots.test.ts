/** Spots and ranges of a beam: the engine's input for them, and the issues of invalid ones. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { runOnce } from '../../small-run.ts';
import { addon, checkBeam, issueLines, readYaml, scenarios } from './open.ts';

const folder = scratchFolder('spots');

const withBeam = (beam: object, parts: object = {}) =>
  scenarios.check({ kind: 'transport', version: 1, beam, ...parts }, { name: 's', folder });

const problemWith = async (beam: object, parts: object = {}) => {
  const reading = await withBeam(beam, parts);
  expect(issueLines(reading).filter((line) => !line.startsWith('warning'))).toEqual([]);
  return scenarios.resolve(reading);
};

describe('spots of a beam', () => {
  test('inherit missing values from the beam; the highest energy is that of the beam, and the weights are numbers of protons', async () => {
    const problem = await problemWith({
      energy_sigma_MeV: 0.5,
      x_sigma_mm: 3,
      weight: 10,
      spots: [
        { energy_MeV: 70, x_mm: -2 },
        { energy_MeV: 90, weight: 0.5, angle_deg: 1, x_sigma_mm: 4, energy_sigma_MeV: 0.2 },
      ],
    });
    expect(problem.beam).toMatchObject({ energy_MeV: 90, weight: 15 });
    expect(problem.spots).toMatchObject([
      { energy_MeV: 70, x_mm: -2, x_sigma_mm: 3, energy_sigma_MeV: 0.5, angle_rad: 0, weight: 10 },
      { energy_MeV: 90, x_mm: 0, x_sigma_mm: 4, energy_sigma_MeV: 0.2, angle_rad: Math.PI / 180, weight: 5 },
    ]);
  });

  test('determine the grid: the box contains the outermost spot, and the angles the most tilted one', async () => {
    const narrow = (await withBeam({ spots: [{ energy_MeV: 70 }] })).scenario;
    const wide = (await withBeam({ spots: [{ energy_MeV: 70, x_mm: 60, x_sigma_mm: 5, angle_deg: 4 }] })).scenario;
    expect(narrow?.geometry).toEqual((await checkBeam({}, 70)).scenario?.geometry);
    expect(wide?.geometry.width_mm).toBeGreaterThan(160);
    expect(wide?.grid.theta_max_mrad).toBeGreaterThan(460);
  });

  test.each([
    [{ spots: [] }, 's: beam.spots: [] has 0 entries; allowed:'],
    [{ spots: [{ energy_MeV: 70, weight: -1 }] }, 's: beam.spots[0].weight: -1 is too small; allowed: 0 to'],
    [{ spots: [{ energy_MeV: 70, weight: 0 }] }, 'contain no protons: every weight is 0; allowed: at least one weight'],
    [
      { spots: [{ x_mm: 1 }] },
      's: beam.spots[0].energy_MeV: is missing; needed: 0.5 to 300 MeV; in water with your own table up to 1000 MeV, or range_mm',
    ],
    [{ spots: [{ energy_MeV: 70, range_mm: 3 }] }, 'beam.spots[0].range_mm: 3 cannot be combined with energy_MeV'],
    [{ spots: [{ energy_MeV: 70, z_mm: 3 }] }, 'beam.spots[0].z_mm: is not a known key'],
    [
      { energy_MeV: 70, spots: [{ energy_MeV: 70 }] },
      'cannot be combined with energy_MeV; allowed: exactly one of energy_MeV, range_mm and',
    ],
    [{ spots: [{ energy_MeV: 70 }, { energy_MeV: 0.5 }] }, 'beam.spots[1].energy_MeV: 0.5 MeV is not above the cutoff'],
    [{ spots: [{ energy_MeV: 700 }] }, 'beam.spots[0].energy_MeV: 700 MeV, with 5 of its spreads, is above the'],
    [
      {},
      's: beam.energy_MeV: is missing; needed: 0.5 to 300 MeV; in water with your own table up to 1000 MeV, or range_mm or spots instead',
    ],
    [
      { energy_MeV: 70, range_mm: 40 },
      's: beam.range_mm: 40 cannot be combined with energy_MeV; allowed: exactly one of energy_MeV, range_mm',
    ],
    [{ range_mm: 3000 }, 's: beam.range_mm: 3000 mm is a beam of'],
  ])('%j is rejected', async (beam, says) => {
    const found = issueLines(await withBeam(beam)).filter((line) => !line.startsWith('warning'));
    expect(found.slice(1)).toEqual([]);
    expect(found[0]).toContain(says.replace(/^s: /, ''));
  });

  test('are rejected with their path if they are outside the box or the angles', async () => {
    const spots = [{ energy_MeV: 70, x_mm: 30 }, { energy_MeV: 70 }, { energy_MeV: 70, angle_deg: 31 }];
    const found = issueLines(await withBeam({ spots }, { geometry: { width_mm: 40 }, grid: { theta_max_mrad: 400 } }));
    expect(found.join('\n')).toContain(
      'beam.spots[0].x_mm: 30 mm is not inside the geometry; allowed: between -20 and 20',
    );
    expect(found.join('\n')).toContain(
      'beam.spots[2].angle_deg: 31 ° is outside the angle grid; allowed: between -22.92',
    );
  });
});

describe('a file of spots', () => {
  const read = async (name: string, text: string) => {
    await writeFile(path.join(folder, name), text);
    return withBeam({ x_sigma_mm: 2, spots: { file: name } });
  };

  test('equals an inline list, as CSV and as JSON', async () => {
    const spots = [
      { energy_MeV: 70.5, x_mm: -2, weight: 3 },
      { energy_MeV: 60, x_mm: 2, weight: 1 },
    ];
    const listed = await problemWith({ x_sigma_mm: 2, spots });
    const csv = await read('field.csv', '# a field\nenergy_MeV, x_mm, weight\r\n70.5,-2,3\r\n\r\n60,2,\r\n');
    const json = await read('field.json', JSON.stringify(spots));
    for (const reading of [csv, json]) {
      expect(issueLines(reading)).toEqual([]);
      expect(scenarios.resolve(reading).spots).toEqual(listed.spots);
      expect(reading.scenario?.beam.spots_file).toMatch(/^field/);
    }
  });

  test.each([
    ['empty.csv', '', 'empty.csv:1: beam.spots.file: the file is empty; allowed: columns of energy_MeV'],
    ['none.csv', 'energy_MeV\n', 'none.csv:1: beam.spots.file: the file has 0 spots; allowed: 1 to 10000'],
    [
      'name.csv',
      'energy_Mev\n70\n',
      'name.csv:1: beam.spots.file: the column "energy_Mev" is not known (did you mean energy_MeV',
    ],
    ['twice.csv', 'energy_MeV,x_mm,x_mm\n70,1,2\n', 'twice.csv:1: beam.spots.file: the column x_mm is given twice'],
    ['hex.csv', 'energy_MeV,x_mm\n70,0x10\n', 'hex.csv:2: beam.spots.file: x_mm: "0x10": is of type string'],
    ['text.csv', 'energy_MeV,x_mm\n70,1\n70,left\n', 'text.csv:3: beam.spots.file: x_mm: "left": is of type string'],
    ['minus.csv', 'energy_MeV,weight\n70,1\n\n60,-2\n', 'minus.csv:4: beam.spots.file: weight: -2:'],
    ['zero.csv', 'energy_MeV,weight\n70,0\n60,0\n', 'contain no protons: every weight is 0'],
    ['long.csv', 'energy_MeV\n70,3\n', 'long.csv:2: beam.spots.file: 2 values; allowed: 1'],
    ['cut.json', '[{"energy_MeV": 70},\n {"energy_MeV"', 'cut.json:2: beam.spots.file: expected'],
    [
      'bad.json',
      '[{"energy_MeV": 70},\n {"energy_MeV": 60,\n "weight": -3}]',
      'bad.json:3: beam.spots.file: weight: -3:',
    ],
    ['high.csv', 'energy_MeV\n290\n310\n', 'spot 2: 310 MeV, with 5 of its spreads, is above the stopping power table'],
  ])('is rejected once with line and value: %s', async (name, text, says) => {
    const found = issueLines(await read(name, text)).filter((line) => !line.startsWith('warning'));
    expect(found.slice(1)).toEqual([]);
    expect(found[0]).toContain(says);
  });

  test('is reported as an error of the scenario if it is missing', async () => {
    const found = issueLines(await withBeam({ spots: { file: 'gone.csv' } }));
    expect(found.slice(1)).toEqual([]);
    expect(found[0]).toContain('beam.spots.file: "gone.csv" cannot be used');
  });
});

describe('a beam given by its range in water', () => {
  test('uses the range of the table for csda', async () => {
    const { scenario, waterRange_mm } = await withBeam({ range_mm: 157.7, range_is: 'csda' });
    expect(waterRange_mm).toBeCloseTo(157.7, 6);
    expect(scenario?.beam.energy_MeV).toBeCloseTo(149.97, 1);
  });

  test.each([
    [30, 'r80', 0, 'off'],
    [100, 'r80', 0, 'off'],
    [100, 'r90', 0, 'off'],
    [100, 'r90', 1, 'off'],
    [150, 'r80', 0.8, 'attenuation'],
  ] as const)(
    '%d mm, %s, spread %d MeV, nuclear %s: the solution has this range within 0.1 mm',
    async (range_mm, range_is, sigma, nuclear) => {
      const beam = { range_mm, range_is, energy_sigma_MeV: sigma };
      const problem = await problemWith(beam, {
        physics: { nuclear },
        geometry: { width_mm: 60 },
        grid: { dx_mm: 3, dz_mm: 0.25, dtheta_mrad: 20 },
        solver: { stepping: 'depth', precision: 'fp32', variant: 'depth' },
      });
      const { r80_mm, r90_mm } = await runOnce(addon, problem);
      expect(Math.abs((range_is === 'r80' ? r80_mm : r90_mm) - range_mm)).toBeLessThan(0.1);
    },
  );

  test('equals a beam by energy, also for spots', async () => {
    const found = (await problemWith({ range_is: 'csda', spots: [{ range_mm: 40.8 }] })).spots?.[0]?.energy_MeV;
    expect(found).toBeCloseTo(70.0, 1);
  });

  test('needs two lines of YAML', async () => {
    const reading = await readYaml('kind: transport\nversion: 1\nbeam:\n  range_mm: 100\n');
    expect(issueLines(reading)).toEqual([]);
    expect(reading.scenario?.beam).toMatchObject({ range_is: 'r80' });
  });
});
