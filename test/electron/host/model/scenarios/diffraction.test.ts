/** Diffraction scenarios: what is wrong with them, with place, value and what is allowed. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatIssue } from '../../../../../electron/contract/scenario/index.ts';
import { readHkl } from '../../../../../electron/host/workloads/diffraction/scenario/hkl.ts';
import { problemOf } from '../../../../../electron/host/workloads/scenarios/index.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { renderDocument } from '../../workloads/image.ts';
import { smallImage } from '../../workloads/small-image.ts';
import { addon, scenarios } from './open.ts';

const folder = scratchFolder('hkl');

async function read(document: object) {
  return scenarios.any.parse(JSON.stringify(document), { name: path.join(folder, 's.json'), folder });
}

async function issues(document: object): Promise<readonly string[]> {
  const { issues: found } = await read(document);
  return found.map((issue) => `${issue.severity}: ${issue.path}: ${issue.message}`);
}

const crystal = (parts: object) => ({ ...smallImage, crystal: { ...smallImage.crystal, ...parts } });

test('only the lattice is required', async () => {
  expect(await issues({ kind: 'diffraction', version: 1 })).toEqual([
    expect.stringMatching(/^error: crystal: is missing; needed: /),
  ]);
  expect(await issues(smallImage)).toEqual([]);
});

test('the beam centre is the middle, X along the slow axis', async () => {
  const reading = await read(smallImage);
  if (reading.kind !== 'diffraction') throw new Error('not a diffraction scenario');
  expect(reading.scenario.detector).toMatchObject({ beam_x_mm: 1.25, beam_y_mm: 1.65 });
});

test.each([
  [
    'directions and wavelengths',
    { ...smallImage, beam: { divergence_h_steps: 1000, divergence_v_steps: 60, dispersion_steps: 1000 } },
    /^error: beam\.divergence_h_steps: 1000 makes 1000 x 60 x 1000 = 60000000 directions and wavelengths; allowed: at most 100000$/,
  ],
  [
    'orientations',
    { ...crystal({ mosaic_domains: 10_000 }), rotation: { steps: 1000 } },
    /^error: crystal\.mosaic_domains: 10000 makes 10000 x 1000 = 10000000 orientations; allowed: at most 100000$/,
  ],
  [
    'cells',
    crystal({ cells: { a: 0, b: 1, c: 1 } }),
    /^error: crystal\.cells\.a: 0 is too small; allowed: a whole number, 1 to 100000$/,
  ],
  [
    'angles',
    crystal({ lattice: { kind: 'cell', a_A: 70, b_A: 80, c_A: 90, alpha_deg: 120, beta_deg: 120, gamma_deg: 125 } }),
    /^error: crystal\.lattice\.alpha_deg: 120 ° closes no cell with beta 120° and gamma 125°; allowed: each angle below/,
  ],
  [
    'flat matrix',
    crystal({
      lattice: {
        kind: 'matrix',
        a_star: { x: 1, y: 0, z: 0 },
        b_star: { x: 0, y: 1, z: 0 },
        c_star: { x: 1, y: 1, z: 0 },
      },
    }),
    /^error: crystal\.lattice\.c_star: .* lies in one plane/,
  ],
  [
    'wavelength',
    { ...smallImage, beam: { wavelength_A: 0 } },
    /^error: beam\.wavelength_A: 0 Å is too small; allowed: 0\.01 to 100 Å$/,
  ],
  [
    'a variant',
    { ...smallImage, solver: { variant: 'diffraction-fp46' } },
    /^error: solver\.variant: "diffraction-fp46" is not known \(did you mean diffraction-fp64\?\)/,
  ],
  ['a key', { ...smallImage, detectr: {} }, /^error: detectr: is not a known key \(did you mean detector\?\)/],
  ['an idle range', crystal({ mosaic_spread_deg: 1 }), /^warning: crystal\.mosaic_spread_deg: has no effect/],
  [
    'nothing to see',
    { ...smallImage, structure_factors: {} },
    /^warning: structure_factors\.default_electrons: leaves the image empty/,
  ],
] as const)('%s at fault', async (_name, document, expected) => {
  expect(await issues(document)).toEqual([expect.stringMatching(expected)]);
});

describe('lists of reflections', () => {
  const list = (file: string) => ({ ...smallImage, structure_factors: { default_electrons: 0, file } });

  test('are read, and light up their own spots only', async () => {
    await writeFile(path.join(folder, 'one.hkl'), '# h k l F\n0 0 1 250\n\n0,0,-1,125.5 sigma\n');
    const reading = await read(list('one.hkl'));
    if (reading.kind !== 'diffraction') throw new Error('not a diffraction scenario');
    expect(reading.reflections).toBe(2);
    expect([...problemOf(reading).structure_factors.reflections]).toEqual([0, 0, 1, 250, 0, 0, -1, 125.5]);
    const image = await renderDocument(
      { ...list('one.hkl'), detector: { width: 200, height: 1, pixel_mm: 0.1 } },
      folder,
    );
    // Along the spindle, 6.2 mm a reflection: pixels 39 and 163 of the row.
    const at = (fast: number): number => image.image[fast] ?? 0;
    expect(at(163)).toBeGreaterThan(10);
    expect(at(163) / at(39)).toBeCloseTo((250 / 125.5) ** 2, 0);
    expect(at(101)).toBe(0);
  });

  test('that are not there, or lead out of the folder, are refused', async () => {
    expect(await issues(list('none.hkl'))).toEqual([
      expect.stringMatching(/^error: structure_factors\.file: .*cannot be used/),
    ]);
    expect(await issues(list('../s.hkl'))).toEqual([expect.stringMatching(/^error: structure_factors\.file: /)]);
  });

  test('at fault are named with their lines', async () => {
    await writeFile(path.join(folder, 'bad.hkl'), '1 2 3 4\n1 2 3\n1.5 2 3 4\n1 2 3 five\n1 2 3 9\n');
    const { issues: found } = await read(list('bad.hkl'));
    expect(found.map((issue) => formatIssue(issue))).toEqual([
      expect.stringMatching(/bad\.hkl:2: .*"1 2 3" has 3 values; needed: h k l F$/),
      expect.stringMatching(/bad\.hkl:3: .*h = 1\.5 is not an index; allowed: whole numbers from -100000 to 100000$/),
      expect.stringMatching(/bad\.hkl:4: .*F = five is not allowed; allowed: -1e9 to 1e9 electrons$/),
      expect.stringMatching(/bad\.hkl:5: .*1 2 3 has F = 9, and F = 4 in line 1$/),
    ]);
  });

  test('without a reflection are at fault, and hostile ones end soon', () => {
    expect(readHkl('# nothing\n')).toEqual({
      ok: false,
      faults: [{ line: 1, message: 'holds no reflection; needed: h k l F' }],
    });
    const found = readHkl('x\n'.repeat(100_000));
    expect(found.ok ? 0 : found.faults.length).toBe(20);
  });
});

test('those who take transport scenarios refuse a diffraction scenario by its kind', async () => {
  const reading = await scenarios.check(smallImage, { name: 's', folder: null });
  expect(reading.problem).toBeNull();
  expect(reading.issues.map(({ path: at, message }) => `${at}: ${message}`)).toEqual([
    'kind: "diffraction" is another workload; allowed here: transport',
  ]);
});

test('the engine refuses what its variant cannot do, by name', async () => {
  const reading = await read({
    ...crystal({ cells: { a: 50, b: 5, c: 5 } }),
    solver: { variant: 'diffraction-chebyshev' },
  });
  if (reading.kind !== 'diffraction') throw new Error('not a diffraction scenario');
  expect(() => addon.createDiffraction(problemOf(reading))).toThrow(
    'solver.variant = diffraction-chebyshev: crystal.cells has 50 along an edge; the recurrence pays for at most 16',
  );
});
