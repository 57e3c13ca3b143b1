/** Scenarios saved in runs and sessions are bounded in size, because comparisons traverse them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type ContractWorkload,
  elements,
  formatPath,
  massFractions,
  parseFormula,
  parsePath,
  suggestSimilarWord,
  validateScenario,
  valueAt,
  withValueAt,
} from '../../../../electron/contract/scenario/index.ts';
import { migrate } from '../../../../electron/contract/scenario/migrate.ts';
import { storedDocumentSchema, tooLargeReason } from '../../../../electron/contract/scenario/workload.ts';
import { withoutPaths } from '../../../../electron/domain/values/path.ts';

describe('messages about scenarios', () => {
  /** `path: message` of every issue in a document. */
  function issueMessages(document: unknown): readonly string[] {
    return validateScenario(document).faults.map(({ path, message }) => `${formatPath(path)}: ${message}`);
  }

  function transportDocument(parts: object): object {
    return { kind: 'transport', version: 1, beam: { energy_MeV: 70 }, ...parts };
  }

  const region = { material: 'water', x_mm: [-1, 1], z_mm: [0, 1] };

  describe('every kind of error states the value and what is allowed', () => {
    test.each([
      [
        'too large',
        { beam: { energy_MeV: 2000 } },
        'beam.energy_MeV: 2000 MeV is too large; allowed: 0.5 to 300 MeV; in water with your own table up to 1000 MeV',
      ],
      ['too small', { grid: { dx_mm: -1 } }, 'grid.dx_mm: -1 mm is too small; allowed: 1e-5 to 100 mm'],
      ['degrees', { beam: { energy_MeV: 70, angle_deg: 90 } }, 'beam.angle_deg: 90° is too large; allowed: -85 to 85°'],
      [
        'NaN',
        { beam: { energy_MeV: Number.NaN } },
        'beam.energy_MeV: NaN is not a finite number; allowed: 0.5 to 300 MeV; in water with your own table up to 1000 MeV',
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
      ['true or false', { output: { let: 5 } }, 'output.let: 5 is not true or false; allowed: true or false'],
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
        `physics.stopping_power.file: "../x.csv" is not allowed here; allowed: a relative path inside the scenario's folder, such as tables/mine.csv`,
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
        'solver.variant: "Fused 2" is not allowed here; allowed: lower-case letters, digits and hyphens, such as auto; or a file name that ends in .cu, .cpp or .py; optionally followed by constants in []',
      ],
    ])('%s', (_name, parts, expected) => {
      expect(issueMessages(transportDocument(parts))).toEqual([expected]);
    });
  });

  describe('texts that are not scenarios', () => {
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
        'version: 3 is newer than this program and cannot be read safely: update Braggbench; allowed: 1 to 2',
      ],
      ['version 0', { kind: 'transport', version: 0 }, 'version: 0 never existed; allowed: 1 to 2'],
      ['version as text', { kind: 'transport', version: '1' }, 'version: "1" is not a valid version; allowed: 1 to 2'],
    ])('%s', (_name, document, expected) => {
      expect(issueMessages(document)).toEqual([expected]);
    });

    test('a missing beam is reported with its keys', () => {
      expect(issueMessages({ kind: 'transport', version: 1 })).toEqual([
        'beam: is missing; needed: an object with the keys energy_MeV, range_mm, range_is, spots, energy_sigma_MeV, angle_deg, angle_sigma_mrad, x_mm, x_sigma_mm, x_sigma_is, y_sigma_mm, focus_mm, z_mm, weight',
      ]);
    });
  });

  test('all errors are reported together, one per value', () => {
    const found = issueMessages(
      transportDocument({
        beam: { energy_Mev: 70, weight: -1 },
        grid: { dx_mm: 'a' },
        solver: { threads: 1e99 },
        extra: 1,
      }),
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

  test('valid parts of an invalid scenario remain available for further checks', () => {
    const { filled, leftOut } = validateScenario(
      transportDocument({
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

  test('of twenty thousand errors, two hundred are reported, and quickly', () => {
    const keys = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 1]));
    const before = process.threadCpuUsage();
    const { faults, filled, leftOut } = validateScenario(transportDocument(keys));
    const { user, system } = process.threadCpuUsage(before);
    expect(faults).toHaveLength(201);
    expect(faults.at(-1)).toMatchObject({ path: [], message: 'and 19800 more issues' });
    // Invalid keys are left out, whether or not an issue is listed for them.
    expect(filled).toMatchObject({ kind: 'transport', beam: { energy_MeV: 70 } });
    expect(leftOut).toHaveLength(20_000);
    // The computation needs a tenth of a second of processor time. Removing one key at a time once needed minutes.
    expect((user + system) / 1e6).toBeLessThan(5);
  });
});

describe('saved documents', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

  test('a scenario with ten thousand spots is saved, but one with too many values is not', () => {
    const spot = { energy_MeV: 70, x_mm: 1, y_mm: 1, z_mm: 1, angle_deg: 0, sigma_x_mm: 3, sigma_mrad: 2, weight: 1 };
    expect(
      tooLargeReason({ kind: 'transport', beam: { spots: Array.from({ length: 10_000 }, () => spot) } }),
    ).toBeNull();
    const { error } = storedDocumentSchema.safeParse({ x: Array.from({ length: 100_000 }, () => 1) });
    expect(error?.issues.map(({ message }) => message)).toEqual([
      'contains too many values; allowed: at most 100000 values in 32 levels',
    ]);
  });

  test('a document that is nested too deeply for a frame is not saved', () => {
    expect(tooLargeReason(nested(30))).toBeNull();
    expect(tooLargeReason(nested(33))).toMatch(/^is nested too deeply; allowed: /);
    const deep: unknown = JSON.parse(`${'['.repeat(60_000)}${']'.repeat(60_000)}`);
    expect(tooLargeReason(deep)).toMatch(/^is nested too deeply; allowed: /);
  });
});

describe('formulas and compositions', () => {
  describe('formulas of materials', () => {
    test.each([
      ['H2O', { H: 2, O: 1 }],
      ['C5H8O2', { C: 5, H: 8, O: 2 }],
      ['Ca(OH)2', { Ca: 1, O: 2, H: 2 }],
      ['Ca5(PO4)3(OH)', { Ca: 5, P: 3, O: 13, H: 1 }],
      ['CO0.5', { C: 1, O: 0.5 }],
      ['((CH2)2O)3', { C: 6, H: 12, O: 3 }],
      [' Na Cl ', { Na: 1, Cl: 1 }],
    ])('%s', (formula, atoms) => {
      expect(Object.fromEntries(parseFormula(formula) ?? [])).toEqual(atoms);
    });

    test.each(['', 'h2o', 'Xx', 'H2O)', '(H2O', '2H', 'H22 2', 'H-O', '()', 'H0', 'Jq2'])(
      '%j is not a formula',
      (formula) => {
        const atoms = parseFormula(formula);
        // Blanks are ignored: H22 2 is H222.
        if (formula === 'H22 2') expect(atoms?.get('H')).toBe(222);
        else expect(atoms).toBeNull();
      },
    );

    test('mass fractions of water are computed from its formula', () => {
      const { H, O } = massFractions(parseFormula('H2O') ?? new Map());
      expect(H).toBeCloseTo(0.1119, 4);
      expect((H ?? 0) + (O ?? 0)).toBeCloseTo(1, 12);
    });
  });

  test('the elements and their weights equal those of the solver', () => {
    const source = readFileSync(join(import.meta.dirname, '../../../../kernels/physics/icru63.cpp'), 'utf8');
    const listed = [...source.matchAll(/\{"([A-Z][a-z]?)", (\d+), ([\d.]+)\}/g)].map(([, symbol, z, weight]) => ({
      symbol,
      z: Number(z),
      weight: Number(weight),
    }));
    expect(listed).toHaveLength(92);
    expect(elements.map(({ symbol, z, weight }) => ({ symbol, z, weight }))).toEqual(listed);
  });
});

/**
 * A synthetic scenario kind with older versions: version 1 had the energy in keV at the top level, version 2 in MeV.
 */
const migratingWorkload: ContractWorkload = {
  kind: 'aged',
  title: 'Aged',
  runs: 'results',
  schema: z.unknown(),
  progress: z.unknown(),
  resolved: z.unknown(),
  exports: [],
  runEnding: '',
  version: 3,
  standIns: [],
  fresh: {},
  sweepExample: '',
  migrations: {
    1: ({ energy_keV, ...rest }) => ({ ...rest, energy_MeV: Number(energy_keV) / 1000 }),
    2: ({ energy_MeV, ...rest }) => ({ ...rest, beam: { energy_MeV } }),
  },
};

describe('migration of scenarios', () => {
  test('applies every migration step after the version of the document', () => {
    expect(migrate({ kind: 'aged', version: 1, energy_keV: 70_000, note: 'x' }, migratingWorkload)).toEqual({
      ok: true,
      from: 1,
      document: { kind: 'aged', version: 3, note: 'x', beam: { energy_MeV: 70 } },
    });
    expect(migrate({ version: 2, energy_MeV: 70 }, migratingWorkload)).toEqual({
      ok: true,
      from: 2,
      document: { version: 3, beam: { energy_MeV: 70 } },
    });
  });

  test('leaves a document of the newest version unchanged, and never modifies its input', () => {
    const document = Object.freeze({ version: 3, beam: Object.freeze({ energy_MeV: 70 }) });
    expect(migrate(document, migratingWorkload)).toEqual({ ok: true, from: 3, document });
    const old = Object.freeze({ version: 1, energy_keV: 1 });
    migrate(old, migratingWorkload);
    expect(old).toEqual({ version: 1, energy_keV: 1 });
  });

  test.each([
    [4, '4 is newer than this program and cannot be read safely: update Braggbench; allowed: 1 to 3'],
    [0, '0 never existed; allowed: 1 to 3'],
    [1.5, '1.5 is not a valid version; allowed: 1 to 3'],
    ['2', '"2" is not a valid version; allowed: 1 to 3'],
  ])('rejects version %j', (version, message) => {
    const result = migrate({ version }, migratingWorkload);
    expect(result.ok ? [] : result.faults.map((fault) => fault.message)).toEqual([message]);
  });

  test('treats a missing migration step as a program error', () => {
    expect(() =>
      migrate(
        { version: 1 },
        { ...migratingWorkload, migrations: { 1: migratingWorkload.migrations[1] ?? ((d) => ({ ...d })) } },
      ),
    ).toThrow('the migration from version 2 to 3 is missing');
  });
});

const key = fc.stringMatching(/^[A-Za-z_$][A-Za-z0-9_-]{0,8}$/);
const path = fc
  .tuple(key, fc.array(fc.oneof(key, fc.nat(999)), { maxLength: 5 }))
  .map(([first, rest]) => [first, ...rest]);

describe('paths in documents', () => {
  test('read back as they were written', () => {
    fc.assert(
      fc.property(path, (steps) => {
        expect(parsePath(formatPath(steps))).toEqual(steps);
      }),
    );
  });

  test.each(['', '.', 'a.', '.a', 'a..b', 'a[', 'a[x]', 'a[-1]', '[0]', 'a b', 'a[0]b', 'a[99999999]'])(
    '%j is not a path',
    (text) => {
      expect(parsePath(text)).toBeNull();
    },
  );

  test('a key that is not a plain word is quoted', () => {
    expect(formatPath(['beam', 'my key', 0])).toBe('beam["my key"][0]');
  });

  test('setting a value leaves the rest unchanged', () => {
    const document = { a: { b: [1, { c: 2 }] }, d: 3 };
    expect(withValueAt(document, ['a', 'b', 1, 'c'], 9)).toEqual({ a: { b: [1, { c: 9 }] }, d: 3 });
    expect(withValueAt(document, ['a', 'b', 0], undefined)).toEqual({ a: { b: [{ c: 2 }] }, d: 3 });
    expect(withValueAt(document, ['d'], undefined)).toEqual({ a: { b: [1, { c: 2 }] } });
    expect(withValueAt({}, ['x', 'y'], 1)).toEqual({ x: { y: 1 } });
    expect(document).toEqual({ a: { b: [1, { c: 2 }] }, d: 3 });
    fc.assert(
      fc.property(path, (steps) => {
        expect(valueAt(withValueAt({}, steps, 'here'), steps)).toBe('here');
      }),
    );
  });

  test('setting a value never reaches the prototype', () => {
    expect(valueAt({}, ['constructor'])).toBeUndefined();
    expect(valueAt({}, ['__proto__', 'toString'])).toBeUndefined();
    withValueAt({}, ['__proto__', 'polluted'], true);
    expect(valueAt({}, ['polluted'])).toBeUndefined();
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('suggestions for misspelt words', () => {
  const words = ['dx_mm', 'energy_MeV', 'energy_sigma_MeV', 'weight', 'water', 'lead'];

  test.each([
    ['energy_Mev', 'energy_MeV'],
    ['energy', 'energy_MeV'],
    ['dx', 'dx_mm'],
    ['dz', null],
    ['energySigmaMeV', 'energy_sigma_MeV'],
    ['wieght', 'weight'],
    ['leda', 'lead'],
    ['Water', 'water'],
    ['gold', null],
    ['', null],
    ['x'.repeat(100), null],
  ])('%j gives %j', (word, expected) => {
    expect(suggestSimilarWord(word, words)).toBe(expected);
  });
});

describe('removing several paths', () => {
  test('removes keys and list entries at once, with indices as before the removal', () => {
    const document = { a: [1, { b: 2, c: 3 }, 4], d: { e: 5 }, f: 6 };
    expect(withoutPaths(document, [['a', 0], ['a', 1, 'b'], ['d', 'e'], ['g']])).toEqual({
      a: [{ c: 3 }, 4],
      d: {},
      f: 6,
    });
    expect(
      withoutPaths(document, [
        ['a', 1],
        ['a', 1, 'b'],
        ['a', 2],
      ]),
    ).toEqual({ a: [1], d: { e: 5 }, f: 6 });
    expect(withoutPaths(document, [[]])).toBeUndefined();
    expect(withoutPaths(document, [])).toEqual(document);
  });
});
