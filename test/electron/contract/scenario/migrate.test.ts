import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ContractWorkload } from '../../../../electron/contract/scenario/index.ts';
import { migrate } from '../../../../electron/contract/scenario/migrate.ts';

/** A kind with a history: version 1 had the energy at the top and in keV, version 2 in MeV. */
const aged: ContractWorkload = {
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

describe('migrate', () => {
  test('runs every step from the version of the document on', () => {
    expect(migrate({ kind: 'aged', version: 1, energy_keV: 70_000, note: 'x' }, aged)).toEqual({
      ok: true,
      from: 1,
      document: { kind: 'aged', version: 3, note: 'x', beam: { energy_MeV: 70 } },
    });
    expect(migrate({ version: 2, energy_MeV: 70 }, aged)).toEqual({
      ok: true,
      from: 2,
      document: { version: 3, beam: { energy_MeV: 70 } },
    });
  });

  test('leaves the newest version and its input alone', () => {
    const document = Object.freeze({ version: 3, beam: Object.freeze({ energy_MeV: 70 }) });
    expect(migrate(document, aged)).toEqual({ ok: true, from: 3, document });
    const old = Object.freeze({ version: 1, energy_keV: 1 });
    migrate(old, aged);
    expect(old).toEqual({ version: 1, energy_keV: 1 });
  });

  test.each([
    [4, '4 is newer than this program, which cannot read it safely: please update Braggbench; allowed: 1 to 3'],
    [0, '0 never existed; allowed: 1 to 3'],
    [1.5, '1.5 is not a version; allowed: 1 to 3'],
    ['2', '"2" is not a version; allowed: 1 to 3'],
  ])('refuses version %j', (version, message) => {
    const result = migrate({ version }, aged);
    expect(result.ok ? [] : result.faults.map((fault) => fault.message)).toEqual([message]);
  });

  test('a step that is missing from the table is a fault of the program', () => {
    expect(() =>
      migrate({ version: 1 }, { ...aged, migrations: { 1: aged.migrations[1] ?? ((d) => ({ ...d })) } }),
    ).toThrow('no migration from version 2 to 3');
  });
});
