import { describe, expect, test } from 'vitest';
import { formatPath, validateScenario } from '../../../../electron/contract/scenario/index.ts';

/** `path: message` of every issue in a document. */
function messages(document: unknown): readonly string[] {
  return validateScenario(document).faults.map(({ path, message }) => `${formatPath(path)}: ${message}`);
}

function transport(parts: object): object {
  return { kind: 'transport', version: 1, beam: { energy_MeV: 70 }, ...parts };
}

const region = { material: 'water', x_mm: [-1, 1], z_mm: [0, 1] };

describe('each kind of fault says what the value is and what is allowed', () => {
  test.each([
    ['too large', { beam: { energy_MeV: 2000 } }, 'beam.energy_MeV: 2000 MeV is too large; allowed: 0.5 to 1000 MeV'],
    ['too small', { grid: { dx_mm: -1 } }, 'grid.dx_mm: -1 mm is too small; allowed: 1e-5 to 100 mm'],
    ['degrees', { beam: { energy_MeV: 70, angle_deg: 90 } }, 'beam.angle_deg: 90° is too large; allowed: -85 to 85°'],
    [
      'NaN',
      { beam: { energy_MeV: Number.NaN } },
      'beam.energy_MeV: NaN is not a finite number; allowed: 0.5 to 1000 MeV',
    ],
    [
      'infinite',
      { solver: { stop_weight: Number.POSITIVE_INFINITY } },
      'solver.stop_weight: Infinity is not a finite number; allowed: 0 to 0.5',
    ],
    ['text for a number', { grid: { dz_mm: '0.2' } }, 'grid.dz_mm: "0.2" is not a number; allowed: 1e-5 to 100 mm'],
    ['number for text', { name: 7 }, 'name: 7 is not text; allowed: text of at most 200 characters'],
    [
      'null for an object',
      { solver: null },
      'solver: null is not an object; allowed: an object with the keys stepping, remap, step_mm, max_steps, stop_weight, precision, variant, threads',
    ],
    [
      'list for an object',
      { output: [] },
      'output: [] is not an object; allowed: an object with the keys keyframes, let, spectra_mm, gray, alpha_beta_Gy, fraction_Gy',
    ],
    ['yes or no', { output: { let: 5 } }, 'output.let: 5 is not a yes or no; allowed: true or false'],
    [
      'fraction',
      { solver: { max_steps: 1.5 } },
      'solver.max_steps: 1.5 is not a whole number; allowed: a whole number, 1 to 1e7',
    ],
    [
      'word',
      { physics: { scattering: 'molière' } },
      'physics.scattering: "molière" is not known; allowed: gottschalk, fermi-rossi, highland or off',
    ],
    [
      'misspelt word',
      { physics: { scattering: 'gotschalk' } },
      'physics.scattering: "gotschalk" is not known (did you mean gottschalk?); allowed: gottschalk, fermi-rossi, highland or off',
    ],
    [
      'number for a word',
      { physics: { nuclear: 1 } },
      'physics.nuclear: 1 is not allowed here; allowed: off, attenuation or icru63',
    ],
    [
      'unknown key',
      { grid: { colour: 1 } },
      'grid.colour: is not a known key; allowed here: dx_mm, dz_mm, dtheta_mrad, theta_max_mrad, energy, cutoff_MeV',
    ],
    [
      'misspelt key',
      { solver: { thread: 1 } },
      'solver.thread: is not a known key (did you mean threads?); allowed here: stepping, remap, step_mm, max_steps, stop_weight, precision, variant, threads',
    ],
    [
      'prototype key',
      { geometry: JSON.parse('{"__proto__": 1}') },
      'geometry.__proto__: is not a known key; allowed here: width_mm, depth_mm, background, regions, materials, ct',
    ],
    [
      'kind of energy grid',
      { grid: { energy: { kind: 'log' } } },
      'grid.energy.kind: "log" is not known; allowed: range or uniform',
    ],
    ['kind left out', { grid: { energy: { step_mm: 1 } } }, 'grid.energy.kind: is missing; needed: range or uniform'],
    [
      'key of the other kind',
      { grid: { energy: { kind: 'range', step_MeV: 1 } } },
      'grid.energy.step_MeV: is not a known key (did you mean step_mm?); allowed here: kind, step_mm',
    ],
    [
      'table name',
      { physics: { stopping_power: 'icru94' } },
      'physics.stopping_power: "icru94" is not known (did you mean icru49?); allowed: icru49, icru90 or { file: … }',
    ],
    [
      'table path out of the folder',
      { physics: { stopping_power: { file: '../x.csv' } } },
      `physics.stopping_power.file: "../x.csv" is not allowed here; allowed: a relative path below the scenario's folder, such as tables/mine.csv`,
    ],
    [
      'table key',
      { physics: { stopping_power: { flie: 'x.csv', file: 'x.csv' } } },
      'physics.stopping_power.flie: is not a known key (did you mean file?); allowed here: file',
    ],
    [
      'interval backwards',
      { geometry: { regions: [{ ...region, x_mm: [3, 1] }] } },
      'geometry.regions[0].x_mm: [3,1] runs backwards; allowed: two numbers [from, to] with from < to',
    ],
    [
      'interval of one',
      { geometry: { regions: [{ ...region, z_mm: [1] }] } },
      'geometry.regions[0].z_mm: [1] has 1 entry; allowed: [from, to], each 0 to 5000 mm',
    ],
    [
      'end of an interval',
      { geometry: { regions: [region, { ...region, z_mm: [-1, 2] }] } },
      'geometry.regions[1].z_mm[0]: -1 mm is too small; allowed: 0 to 5000 mm',
    ],
    [
      'too many regions',
      { geometry: { regions: Array.from({ length: 201 }, () => region) } },
      'geometry.regions: [{"material":"water","x_mm":[-1,1],"z_mm":[0,1]},{"material… has 201 entries; allowed: a list of at most 200 entries',
    ],
    [
      'long text',
      { name: 'x'.repeat(201) },
      `name: "${'x'.repeat(58)}… has 201 characters; allowed: text of at most 200 characters`,
    ],
    [
      'variant',
      { solver: { variant: 'Fused 2' } },
      'solver.variant: "Fused 2" is not allowed here; allowed: lower-case letters, digits and hyphens, such as auto; or the name of a file that ends in .cu, .cpp or .py; constants in [] behind it',
    ],
  ])('%s', (_name, parts, expected) => {
    expect(messages(transport(parts))).toEqual([expected]);
  });
});

describe('what a scenario is at all', () => {
  test.each([
    ['a list', [], ': [] is not a scenario; allowed: an object with kind, version and beam'],
    ['a number', 3, ': 3 is not a scenario; allowed: an object with kind, version and beam'],
    ['nothing', null, ': null is not a scenario; allowed: an object with kind, version and beam'],
    ['no kind', {}, 'kind: is missing; needed: transport, diffraction, linear-relu, user-problem or micro'],
    [
      'another kind',
      { kind: 'transprot' },
      'kind: "transprot" is not known (did you mean transport?); allowed: transport, diffraction, linear-relu, user-problem or micro',
    ],
    [
      'a kind from the prototype',
      { kind: 'constructor' },
      'kind: "constructor" is not known; allowed: transport, diffraction, linear-relu, user-problem or micro',
    ],
    ['no version', { kind: 'transport' }, 'version: is missing; needed: 2'],
    [
      'newer version',
      { kind: 'transport', version: 3 },
      'version: 3 is newer than this program, which cannot read it safely: please update Braggbench; allowed: 1 to 2',
    ],
    ['version 0', { kind: 'transport', version: 0 }, 'version: 0 never existed; allowed: 1 to 2'],
    ['version as text', { kind: 'transport', version: '1' }, 'version: "1" is not a version; allowed: 1 to 2'],
  ])('%s', (_name, document, expected) => {
    expect(messages(document)).toEqual([expected]);
  });

  test('a beam that is missing is asked for with its keys', () => {
    expect(messages({ kind: 'transport', version: 1 })).toEqual([
      'beam: is missing; needed: an object with the keys energy_MeV, range_mm, range_is, spots, energy_sigma_MeV, angle_deg, angle_sigma_mrad, x_mm, x_sigma_mm, x_sigma_is, y_sigma_mm, focus_mm, z_mm, weight',
    ]);
  });
});

test('all faults come at once, one per value', () => {
  const found = messages(
    transport({ beam: { energy_Mev: 70, weight: -1 }, grid: { dx_mm: 'a' }, solver: { threads: 1e99 }, extra: 1 }),
  );
  expect(found.map((message) => message.split(':')[0])).toEqual([
    'beam.weight',
    'beam.energy_Mev',
    'beam.energy_MeV',
    'grid.dx_mm',
    'solver.threads',
    'extra',
  ]);
});

test('what is not at fault stays, for further checks', () => {
  const { filled, leftOut } = validateScenario(
    transport({
      beam: { energy_MeV: -3, x_mm: 4 },
      geometry: { width_mm: 30, regions: [region, { ...region, material: 'gold' }, region] },
    }),
  );
  if (filled?.kind !== 'transport') throw new Error('not a transport scenario');
  expect(filled.beam.x_mm).toBe(4);
  expect(filled.geometry.width_mm).toBe(30);
  expect(filled.geometry.regions).toHaveLength(2);
  expect(leftOut.map(formatPath).sort()).toEqual(['beam.energy_MeV', 'beam.energy_MeV', 'geometry.regions[1]']);
});

test('of twenty thousand faults two hundred are told, at once', () => {
  const keys = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 1]));
  const before = process.threadCpuUsage();
  const { faults, filled, leftOut } = validateScenario(transport(keys));
  const { user, system } = process.threadCpuUsage(before);
  expect(faults).toHaveLength(201);
  expect(faults.at(-1)).toMatchObject({ path: [], message: 'and 19800 more faults' });
  // Every faulty key is left out, whether it is listed or not.
  expect(filled).toMatchObject({ kind: 'transport', beam: { energy_MeV: 70 } });
  expect(leftOut).toHaveLength(20_000);
  // One key after the other took minutes; all of them take a tenth of a second.
  expect((user + system) / 1e6).toBeLessThan(5);
});
