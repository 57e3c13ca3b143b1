import { describe, expect, test } from 'vitest';
import { extraStragglingOf, variantOptionsOf } from '../../../../../electron/host/io/addon/addon.ts';
import { hostWorkloads } from '../../../../../electron/host/workloads/index.ts';
import { openScenarios } from '../../../../../electron/host/workloads/scenarios/scenarios.ts';
import { TransportScenarios } from '../../small-run.ts';
import { addon, assetsFolder, checkBeam, issueLines, namedVariants, readYaml, scenarios } from './open.ts';

const region = { material: 'lead', x_mm: [-5, 5], z_mm: [10, 20] };

describe('fields that contradict each other', () => {
  test.each([
    [
      'energy above the tables',
      { beam: { energy_MeV: 301 } },
      'beam.energy_MeV: 301 MeV is above the stopping power table of water, NIST PSTAR (ICRU 49); allowed: at most 300 MeV',
    ],
    [
      'energy at the cutoff',
      { beam: { energy_MeV: 3 }, grid: { cutoff_MeV: 3 } },
      'beam.energy_MeV: 3 MeV is not above the cutoff; allowed: more than 3 MeV (grid.cutoff_MeV)',
    ],
    [
      'spectrum above the tables',
      { beam: { energy_MeV: 290, energy_sigma_MeV: 3 } },
      'beam.energy_sigma_MeV: 3 MeV is too wide: 5 sigma reach 305 MeV, above the stopping power table of water, NIST PSTAR (ICRU 49); allowed: 0 to 2 MeV at this energy',
    ],
    [
      'lowest bin above the cutoff',
      { grid: { energy: { kind: 'uniform', min_MeV: 5 } } },
      'grid.energy.min_MeV: 5 MeV is above the cutoff: protons with energies between the two values would have no bin; allowed: at most 2 MeV (grid.cutoff_MeV)',
    ],
    [
      'one bin of energy',
      { grid: { energy: { kind: 'uniform', step_MeV: 50 } } },
      'grid.energy.step_MeV: 50 MeV leaves the beam fewer than two bins; allowed: at most 34.5 MeV',
    ],
    [
      'one bin of range',
      { grid: { energy: { kind: 'range', step_mm: 30 } } },
      'grid.energy.step_mm: 30 mm leaves the beam fewer than two bins above the cutoff; allowed: at most 20.4 mm',
    ],
    [
      'cells across',
      { geometry: { width_mm: 40 }, grid: { dx_mm: 0.3 } },
      'grid.dx_mm: 0.3 mm does not divide geometry.width_mm, 40 mm, into whole cells; allowed: a whole fraction of it, such as 0.25 mm',
    ],
    [
      'cells in depth',
      { geometry: { depth_mm: 51.3 }, grid: { dz_mm: 0.25 } },
      'grid.dz_mm: 0.25 mm does not divide geometry.depth_mm, 51.3 mm, into whole cells; allowed: a whole fraction of it, such as 0.1 mm',
    ],
    [
      'angles',
      { grid: { theta_max_mrad: 402 } },
      'grid.theta_max_mrad: 402 mrad is not a whole number of angle bins from the beam angle; allowed: a multiple of grid.dtheta_mrad, such as 400 or 405 mrad',
    ],
    [
      'angles of a filled state',
      { grid: { theta_max_mrad: 401 }, initial: { kind: 'filled' }, solver: { stepping: 'depth' } },
      'grid.theta_max_mrad: 401 mrad is not a whole number of angle bins; allowed: a multiple of half of grid.dtheta_mrad, such as 400 or 402.5 mrad',
    ],
    [
      'depth stepping beyond 60 degrees',
      {
        beam: { energy_MeV: 70, angle_deg: 45 },
        grid: { theta_max_mrad: 400, dx_mm: 0.25 },
        solver: { stepping: 'depth' },
      },
      'grid.theta_max_mrad: 400 mrad extends the angle grid to 68°, but depth stepping ends at 60°; allowed: at most 260 mrad with this beam angle, or solver.stepping: path',
    ],
    [
      'depth stepping with a flat beam',
      { beam: { energy_MeV: 70, angle_deg: 80 }, solver: { stepping: 'depth' } },
      'grid.theta_max_mrad: 200 mrad extends the angle grid to 91°, but depth stepping ends at 60°; allowed: with this beam angle only solver.stepping: path',
    ],
    [
      'region outside across',
      { geometry: { width_mm: 40, regions: [{ ...region, x_mm: [-5, 21] }] } },
      'geometry.regions[0].x_mm: [-5,21] mm extends outside the geometry; allowed: -20 to 20 mm',
    ],
    [
      'region outside in depth',
      { geometry: { depth_mm: 50, regions: [region, { ...region, z_mm: [49, 51] }] } },
      'geometry.regions[1].z_mm: [49,51] mm extends outside the geometry; allowed: 0 to 50 mm',
    ],
    [
      'beam beside the geometry',
      { beam: { energy_MeV: 70, x_mm: -20 }, geometry: { width_mm: 40 } },
      'beam.x_mm: -20 mm is not inside the geometry; allowed: between -20 and 20 mm',
    ],
    [
      'beam beyond the geometry',
      { beam: { energy_MeV: 70, z_mm: 50 }, geometry: { depth_mm: 50 } },
      'beam.z_mm: 50 mm is not inside the geometry; allowed: 0 to less than 50 mm',
    ],
    [
      'unknown variant',
      { solver: { variant: 'windwo' } },
      'solver.variant: "windwo" is not known (did you mean window?); allowed: auto, reference, window, depth',
    ],
    [
      'table of an unsaved scenario',
      { physics: { stopping_power: { file: 'a.csv' } } },
      'physics.stopping_power.file: "a.csv" cannot be found before the scenario is saved, because the path is relative to its file; allowed: a CSV file with the columns T_MeV,S in the folder of the scenario',
    ],
    [
      'memory of a full state',
      { grid: { theta_max_mrad: 402.5 }, initial: { kind: 'filled' }, solver: { precision: 'fp64' } },
      'grid: 409 × 162 × 250 × 160 = 2.65e9 cells (energy, angle, depth, across) need at least 39.5 GiB of memory; allowed: 1.00 GiB',
    ],
    [
      'memory of one plane',
      { geometry: { width_mm: 100 }, grid: { dx_mm: 0.01, dtheta_mrad: 0.5 }, solver: { stepping: 'depth' } },
      'grid: 409 × 1601 × 250 × 10000 = 1.64e12 cells (energy, angle, depth, across) need at least 48.8 GiB of memory; allowed: 1.00 GiB',
    ],
  ])('%s', async (_name, parts, expected) => {
    const reading = await checkBeam(parts);
    expect(issueLines(reading).filter((line) => !line.startsWith('warning'))).toEqual([expected]);
    expect(() => scenarios.resolve(reading)).toThrow(expected);
  });

  test('too many cells along each axis', async () => {
    const fine = { dx_mm: 0.001, dz_mm: 0.001, dtheta_mrad: 0.05, energy: { kind: 'range', step_mm: 0.001 } };
    const reading = await checkBeam({ geometry: { width_mm: 40, depth_mm: 50 }, grid: fine });
    expect(issueLines(reading)).toEqual([
      'warning solver.max_steps: the beam needs about 40801 steps to stop, but the run ends after 20000',
      'grid.dx_mm: 0.001 mm makes 40000 cells; allowed: at most 16384 cells along this axis',
      'grid.dz_mm: 0.001 mm makes 50000 cells; allowed: at most 16384 cells along this axis',
      'grid.dtheta_mrad: 0.05 mrad makes 16001 cells; allowed: at most 8192 cells along this axis',
      'grid.energy.step_mm: 0.001 mm makes 40793 cells; allowed: at most 16384 cells along this axis',
      expect.stringMatching(/^grid: 40793 × 16001 × 50000 × 40000 = .* allowed: 1.00 GiB$/),
    ]);
  });

  test('too many cells in x and z together', async () => {
    const reading = await checkBeam({ geometry: { width_mm: 100, depth_mm: 100 }, grid: { dx_mm: 0.01, dz_mm: 0.01 } });
    expect(issueLines(reading)).toContain(
      'grid.dx_mm: 0.01 mm by 0.01 mm gives 10000 × 10000 cells; allowed: at most 4194304 cells in x and z together',
    );
  });

  test('frames of a run that take too long to copy', async () => {
    const fine = { dx_mm: 4, dz_mm: 0.005, dtheta_mrad: 100, energy: { kind: 'range', step_mm: 0.005 } };
    const reading = await checkBeam({
      geometry: { width_mm: 40, depth_mm: 50 },
      grid: fine,
      solver: { step_mm: 0.05 },
    });
    expect(issueLines(reading)).toContain(
      'grid: 8159 × 9 × 10000 × 10 cells (energy, angle, depth, across) need 313 MiB for one frame of the run, ' +
        'its dose and the sums over every two axes; allowed: 96.0 MiB; a larger grid.dz_mm or grid.dx_mm makes it smaller',
    );
  });
});

describe('warnings about scenarios', () => {
  test('for an energy outside the tables no range is reported', async () => {
    const beyond = await checkBeam({ beam: { energy_MeV: 500 }, geometry: { depth_mm: 50 } });
    expect(issueLines(beyond).filter((line) => line.includes('geometry.depth_mm'))).toEqual([]);
  });

  test.each([
    [
      'a box that the beam leaves',
      { geometry: { depth_mm: 30 } },
      'warning geometry.depth_mm: the beam reaches 40.8 mm, but the box ends at 30 mm; without depth_mm the box follows the range',
    ],
    [
      'too few steps',
      { solver: { max_steps: 100 } },
      'warning solver.max_steps: the beam needs about 205 steps to stop, but the run ends after 100',
    ],
    [
      'a step that depth stepping does not use',
      { solver: { stepping: 'depth', step_mm: 0.5 } },
      'warning solver.step_mm: is not used: depth stepping steps by grid.dz_mm, 0.2 mm',
    ],
    [
      'a step that ends between cells',
      { solver: { step_mm: 0.3 } },
      'warning solver.step_mm: 0.3 mm is not a whole number of cells in depth (grid.dz_mm, 0.2 mm): the remap in z widens the distal falloff',
    ],
  ])('%s', async (_name, parts, expected) => {
    const reading = await checkBeam(parts);
    expect(issueLines(reading)).toEqual([expected]);
    expect(reading.problem).not.toBeNull();
  });

  test('a cutoff that shortens the range', async () => {
    expect(issueLines(await checkBeam({}, 10))).toEqual([]);
    expect(issueLines(await checkBeam({ grid: { cutoff_MeV: 2 } }, 10))).toEqual([
      'warning grid.cutoff_MeV: protons of 2 MeV still have a range of 0.075 mm in water, which is cut off: R80 is too short by that amount',
    ]);
  });

  test('no warning is given for borders inside cells', async () => {
    const regions = [
      { ...region, z_mm: [10.08, 10.12] },
      { ...region, x_mm: [-4.9, 5], z_mm: [10, 20.001] },
    ];
    expect(issueLines(await checkBeam({ geometry: { width_mm: 40, depth_mm: 50, regions } }))).toEqual([]);
  });
});

describe('all issues together', () => {
  test('include errors of schema, text and consistency, in the order of the text', async () => {
    const reading = await readYaml(`kind: transport
version: 1
beam: {energy_MeV: 70, x_mm: 100, weight: -1}
geometry:
  width_mm: 40
  depth_mm: 50
  depth_mm: 50
  regions:
    - {material: leed, x_mm: [-30, 10], z_mm: [10, 20]}
    - {material: lead, x_mm: [-30, 10], z_mm: [10, 20]}
    - {material: lead, x_mm: [-3, a], z_mm: [10, 20]}
    - {material: lead, x_mm: [-3, 1], z_mm: [10, 90]}
grid: {dx_mm: 0.3, theta_max_mrad: 402}
solver: {variant: windwo}
`);
    expect(issueLines(reading).map((line) => line.split(': ').slice(0, 2).join(' '))).toEqual([
      's.yaml:3:30 beam.x_mm',
      's.yaml:3:43 beam.weight',
      's.yaml:7:3 the key "depth_mm" is given twice in the same object; allowed',
      's.yaml:9:18 geometry.regions[0].material',
      's.yaml:10:30 geometry.regions[1].x_mm',
      's.yaml:11:35 geometry.regions[2].x_mm[1]',
      's.yaml:12:45 geometry.regions[3].z_mm',
      's.yaml:13:15 grid.dx_mm',
      's.yaml:13:36 grid.theta_max_mrad',
      's.yaml:14:19 solver.variant',
    ]);
    expect(reading.document).toBeNull();
    expect(reading.problem).toBeNull();
  });

  test('include checks that do not depend on the energy if the energy is invalid', async () => {
    const reading = await readYaml(`kind: transport
version: 1
beam: {energy_MeV: much}
geometry: {width_mm: 40, regions: [{material: lead, x_mm: [-30, 10], z_mm: [10, 2000]}]}
grid: {theta_max_mrad: 402}
`);
    expect(issueLines(reading).map((line) => line.split(': ')[1])).toEqual([
      'beam.energy_MeV',
      'geometry.regions[0].x_mm',
      'grid.theta_max_mrad',
    ]);
    expect(reading.scenario).toBeNull();
    expect(reading.estimate).toBeNull();
    expect(reading.range_mm).toBeNull();
  });
});

test('the estimate never rejects a scenario that the engine would run', async () => {
  // Memory limits from far too small to ample. Whenever the engine finds a variant, the check must accept the scenario.
  const document = { kind: 'transport', version: 1, beam: { energy_MeV: 30 }, grid: { dtheta_mrad: 20 } };
  for (const memoryLimit_bytes of [1e5, 1e6, 1e7, 1e8, 1e9]) {
    const limited = new TransportScenarios(
      await openScenarios({
        assetsFolder,
        rangeTable: addon.rangeTable,
        variants: namedVariants,
        workloads: hostWorkloads,
        extraStraggling: extraStragglingOf(addon),
        offers: variantOptionsOf(addon),
        memoryLimit_bytes,
      }),
    );
    for (const stepping of ['path', 'depth']) {
      const reading = await limited.check({ ...document, solver: { stepping } }, { name: 's', folder: null });
      const ample = await scenarios.check({ ...document, solver: { stepping } }, { name: 's', folder: null });
      const problem = scenarios.resolve(ample);
      const fits = ((): boolean => {
        try {
          addon.createTransport({ ...problem, solver: { ...problem.solver, memory_limit_bytes: memoryLimit_bytes } });
          return true;
        } catch {
          return false;
        }
      })();
      if (fits) expect(issueLines(reading)).toEqual([]);
    }
  }
});
