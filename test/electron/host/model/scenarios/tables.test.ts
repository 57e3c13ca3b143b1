import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { variantOptionsOf } from '../../../../../electron/host/io/addon/addon.ts';
import { readStoppingCsv } from '../../../../../electron/host/model/scenarios/stopping-table.ts';
import { hostWorkloads } from '../../../../../electron/host/workloads/index.ts';
import { openScenarios, problemOf } from '../../../../../electron/host/workloads/scenarios/scenarios.ts';
import { narrowToTransport } from '../../../../../electron/host/workloads/transport/scenario/problem.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { addon, assetsFolder, issueLines, namedVariants, scenarios } from './open.ts';

function issuesIn(text: string): readonly string[] {
  const read = readStoppingCsv(text, 't');
  return read.ok ? [] : read.faults.map(({ line, message }) => `${line}: ${message}`);
}

const validTable = 'T_MeV,S\n1,260.8\n10,45.67\n100,7.289\n300,3.52\n';

describe('a stopping power table', () => {
  test('is read with comments, blanks, either column name and any line endings', () => {
    const read = readStoppingCsv(
      '# mine\r\n S_MeV_cm2_g , T_MeV \r\n\r\n260.8, 1\r\n45.67,10\r\n7.289,100\r\n3.52,3e2',
      'mine.csv',
    );
    expect(read).toEqual({
      ok: true,
      table: {
        title: 'mine.csv',
        energies_MeV: Float64Array.of(1, 10, 100, 300),
        stopping_MeV_cm2_g: Float64Array.of(260.8, 45.67, 7.289, 3.52),
      },
    });
    expect(issuesIn(validTable)).toEqual([]);
  });

  test.each([
    ['empty', '', ['1: the table is empty; allowed: T_MeV,S and at least 4 rows']],
    ['no header', '1,260.8\n2,3\n3,4\n4,5', ['1: the column "1" is not known; allowed: T_MeV,S']],
    ['misspelt header', 'T_Mev,S\n1,2', ['1: the column "T_Mev" is not known (did you mean T_MeV?); allowed: T_MeV,S']],
    ['header with one column', 'T_MeV\n1', ['1: the first line must name the columns; allowed: T_MeV,S']],
    ['too few rows', 'T_MeV,S\n1,260\n2,158\n3,117', ['1: the table has 3 rows; allowed: 4 to 10000']],
    ['text', validTable.replace('45.67', 'many'), ['3: S: many is not a finite number; allowed: 0.1 to 10000']],
    [
      'decimal commas',
      validTable.replace('45.67', '45,67'),
      ['3: 3 values; allowed: 2, the number of columns in the first line'],
    ],
    ['hexadecimal', validTable.replace('45.67', '0x2d'), ['3: S: 0x2d is not a finite number; allowed: 0.1 to 10000']],
    ['two stopping powers', 'T_MeV,S,S\n1,2,3', ['1: the columns S and S have the same quantity; allowed: T_MeV,S']],
    [
      'two energies',
      'T_MeV,E_MeV,S\n1,2,3',
      ['1: the columns T_MeV and E_MeV have the same quantity; allowed: T_MeV,S'],
    ],
    ['semicolons and decimal commas', 'T_MeV;S\n1;260,8\n10;45,67\n100;7,289\n300;3,52\n', []],
    ['nothing', validTable.replace('45.67', ''), ['3: S: nothing is not a finite number; allowed: 0.1 to 10000']],
    [
      'not finite',
      validTable.replace('45.67', 'Infinity'),
      ['3: S: Infinity is not a finite number; allowed: 0.1 to 10000'],
    ],
    ['negative', validTable.replace('45.67', '-1'), ['3: S: -1 is out of range; allowed: 0.1 to 10000']],
    [
      'energy not ascending',
      validTable.replace('100,', '10,'),
      ['4: T_MeV: 10 is not in ascending order; allowed: more than 10'],
    ],
    [
      'several at once',
      validTable.replace('45.67', 'x').replace('100,', '0,'),
      ['3: S: x is not a finite number; allowed: 0.1 to 10000', '4: T_MeV: 0 is out of range; allowed: 0.001 to 10000'],
    ],
  ])('%s', (_name, text, expected) => {
    expect(issuesIn(text)).toEqual(expected);
  });

  test('names twenty of many errors and counts the rest', () => {
    const found = issuesIn(`T_MeV,S\n${'a,b\n'.repeat(50)}`);
    expect(found).toHaveLength(21);
    expect(found.at(-1)).toBe('12: and 80 more issues');
  });

  test('is read or rejected if it contains arbitrary text', () => {
    const cell = fc.oneof(fc.double().map(String), fc.string({ maxLength: 5 }), fc.constantFrom('T_MeV', 'S', '#', ''));
    const text = fc
      .array(fc.array(cell, { maxLength: 3 }), { maxLength: 10 })
      .map((rows) => rows.map((row) => row.join(',')).join('\n'));
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), (any) => {
        const read = readStoppingCsv(any, 't');
        if (!read.ok) expect(read.faults.length).toBeGreaterThan(0);
      }),
    );
  });
});

describe('a stopping power table of a scenario', () => {
  const folder = scratchFolder('tables');

  beforeAll(async () => {
    await mkdir(join(folder, 'scenarios/tables'), { recursive: true });
    await writeFile(join(folder, 'scenarios/tables/mine.csv'), validTable);
    await writeFile(
      join(folder, 'scenarios/tables/high.csv'),
      validTable.replace('1,260.8', '5,79').replace('300,', '200,'),
    );
    await writeFile(join(folder, 'scenarios/tables/bad.csv'), validTable.replace('45.67', 'x'));
    await writeFile(join(folder, 'secret.csv'), validTable);
    await symlink(join(folder, 'secret.csv'), join(folder, 'scenarios/link.csv'));
  });

  async function readWithTable(file: string, energy_MeV = 70) {
    const path = join(folder, 'scenarios/s.json');
    const document = { kind: 'transport', version: 1, beam: { energy_MeV }, physics: { stopping_power: { file } } };
    await writeFile(path, JSON.stringify(document));
    return scenarios.read(path);
  }

  test('replaces the table of water, with a path relative to the scenario file', async () => {
    const reading = await readWithTable('tables/mine.csv');
    expect(issueLines(reading)).toEqual([]);
    expect(reading.table).toBe('tables/mine.csv');
    const problem = scenarios.resolve(reading);
    expect(problem.materials[0]?.energies_MeV).toEqual(Float64Array.of(1, 10, 100, 300));
    expect(reading.waterRange_mm).toBeGreaterThan(39);
    expect(reading.waterRange_mm).toBeLessThan(43);
  });

  test('is read and checked once per run, and again after a change', async () => {
    const { transport } = hostWorkloads;
    let found = 0;
    const find: typeof transport.scenario.completeAndCheck = (...parts) => {
      found += 1;
      return transport.scenario.completeAndCheck(...parts);
    };
    const counting = await openScenarios({
      assetsFolder,
      rangeTable: addon.rangeTable,
      variants: namedVariants,
      workloads: { ...hostWorkloads, transport: { scenario: { ...transport.scenario, completeAndCheck: find } } },
      extraStraggling: () => Promise.resolve(null),
      offers: variantOptionsOf(addon),
      memoryLimit_bytes: 2 ** 30,
    });
    const place = { name: 's.json', folder: join(folder, 'scenarios') };
    const table = join(place.folder, 'tables/changing.csv');
    await writeFile(table, validTable);
    const physics = { stopping_power: { file: 'tables/changing.csv' } };
    const document = { kind: 'transport', version: 1, beam: { energy_MeV: 70 }, physics };
    const opened = await counting.parse(JSON.stringify(document), place);
    const resolved = await counting.check(document, place);
    const started = await counting.check({ ...document }, place);
    expect(found).toBe(1);
    expect(problemOf(narrowToTransport(started, null))).toEqual(problemOf(narrowToTransport(resolved, null)));
    expect(opened.issues).toEqual([]);
    await writeFile(table, `${validTable}\n`.replace('45.67', 'x'));
    expect((await counting.check(document, place)).issues).toHaveLength(1);
    await counting.check({ ...document, beam: { energy_MeV: 71 } }, place);
    expect(found).toBe(3);
  });

  test('sets its own energy limits', async () => {
    const short = (await readWithTable('tables/high.csv', 210)).issues.map(
      ({ path, message }) => `${path}: ${message}`,
    );
    expect(short).toEqual([
      'grid.cutoff_MeV: 2 MeV is below the stopping power table of water, tables/high.csv; allowed: at least 5 MeV',
      'beam.energy_MeV: 210 MeV is above the stopping power table of water, tables/high.csv; allowed: at most 200 MeV',
    ]);
  });

  test('is named with file and line if it has an error', async () => {
    const reading = await readWithTable('tables/bad.csv');
    expect(issueLines(reading)).toEqual([
      `${join(folder, 'scenarios/tables/bad.csv')}:3: physics.stopping_power.file: S: x is not a finite number; allowed: 0.1 to 10000`,
    ]);
    expect(() => scenarios.resolve(reading)).toThrow('bad.csv:3');
  });

  test.each([
    ['that is not there', 'none.csv', 'cannot be used: there is no such file'],
    ['that is a folder', 'tables', 'cannot be used: is a folder, not a file'],
    ['behind a link out of the folder', 'link.csv', 'is outside the folder of the scenario'],
  ])('%s is rejected', async (_name, file, says) => {
    const { issues } = await readWithTable(file);
    expect(issues.map(({ message }) => message)).toEqual([
      `"${file}" ${says}; allowed: a CSV file with the columns T_MeV,S in the folder of the scenario`,
    ]);
  });

  test.each([
    '../secret.csv',
    '/etc/passwd',
    'tables/../../secret.csv',
    '..',
    'C:\\x.csv',
    'a\\..\\b.csv',
    '\0',
    'file:///etc/passwd',
  ])('is never opened at the path %j', async (file) => {
    const { issues } = await readWithTable(file);
    expect(issues.map(({ message }) => message.split('; ')[1])).toEqual([
      "allowed: a relative path inside the scenario's folder, such as tables/mine.csv",
    ]);
  });
});
