/**
 * Dose files compared with a run's: exports of the program itself, and volumes made from them, are read back unchanged.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gammaOfCurves } from '../../../../../electron/contract/gamma-curve.ts';
import { runPacker } from '../../../../../electron/host/app/run-files/packer.ts';
import { gamma } from '../../../../../electron/host/model/fields/gamma.ts';
import { toPeak } from '../../../../../electron/host/model/fields/volume-dose.ts';
import { lookIntoDose, planeOfDose, readDoseFile } from '../../../../../electron/host/workloads/transport/dose-file.ts';
import { exportRun } from '../../../../../electron/host/workloads/transport/export.ts';
import { gammaMap } from '../../../../../electron/host/workloads/transport/metrics/gamma-dose.ts';
import { depthDoseOf } from '../../../../../electron/host/workloads/transport/metrics/run-metrics.ts';
import { measured, type RunData } from '../../../../../electron/host/workloads/transport/run-data.ts';
import { doseOf } from '../../io/volumes/phantom.ts';
import { runScenario, smallScenario } from '../../small-run.ts';

let folder: string;
let run: RunData;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'braggbench-dose-'));
  run = await runScenario(smallScenario);
});
afterAll(() => rm(folder, { recursive: true }));

const criteria = { dose: 0.001, distance_mm: 0.05 };

async function exported(what: 'dose' | 'depth-dose'): Promise<string> {
  const { name, bytes } = await exportRun(run, what, runPacker);
  const file = path.join(folder, name);
  await writeFile(file, bytes);
  return file;
}

test('a map that was exported is the run', async () => {
  const read = await readDoseFile(await exported('dose'), {}, null);
  if (read.kind !== 'map') throw new Error('no map');
  const result = gamma(gammaMap(run, 'area'), read.map, criteria);
  expect([result.passed, result.worst < 1e-4, result.points > 20]).toEqual([1, true, true]);
});

test('a depth dose that was exported is the run', async () => {
  const read = await readDoseFile(await exported('depth-dose'), {}, null);
  if (read.kind !== 'curve') throw new Error('no curve');
  const { positions, values } = depthDoseOf(measured(run)).curve;
  expect(gammaOfCurves({ positions, values }, read.curve, criteria)).toMatchObject({ passed: 1, worst: 0 });
});

test('a volume in any units, with depth along y and shifted, is summed over its third axis and found', async () => {
  const { nz, nx, dz_mm, dx_mm } = run.axes;
  const layers = 3;
  const data = new Float64Array(nx * nz * layers);
  for (let y = 0; y < layers; y += 1)
    for (let z = 0; z < nz; z += 1)
      for (let x = 0; x < nx; x += 1) data[(y * nz + z) * nx + x] = 0.01 * (y + 1) * (run.dose[z * nx + x] ?? 0);
  const header = [
    'NDims = 3',
    `DimSize = ${nx} ${nz} ${layers}`,
    `ElementSpacing = ${dx_mm} ${dz_mm} 2`,
    `Offset = ${(-(nx - 1) / 2) * dx_mm} ${-100 + dz_mm / 2} 0`,
    'ElementType = MET_DOUBLE',
    'ElementDataFile = LOCAL\n',
  ].join('\n');
  const file = path.join(folder, 'plan.mha');
  await writeFile(file, Buffer.concat([Buffer.from(header), Buffer.from(data.buffer)]));
  const at = async (shift_depth_mm: number): Promise<number> => {
    const read = await readDoseFile(file, { depth: 'y', shift_depth_mm }, null);
    if (read.kind !== 'map') throw new Error('no map');
    return gamma(toPeak(gammaMap(run, 'area')), toPeak(read.map), criteria).worst;
  };
  expect(await at(100)).toBeLessThan(1e-6);
  expect(await at(101)).toBeGreaterThan(1);
  await expect(readDoseFile(file, { depth: 'x' }, null)).rejects.toThrow(/two of its axes: x, y, z/);
});

test.each([
  [
    'a map whose depths are not equal',
    'z_mm,a_at_x_0_mm,a_at_x_1_mm\n0,1,1\n1,1,1\n3,1,1\n',
    /must ascend in equal steps/,
  ],
  ['a map with a hole', 'z_mm,a_at_x_0_mm,a_at_x_1_mm\n0,1,1\n1,1,x\n', /line 3: allowed: 3 finite numbers/],
  ['a map with an empty cell', 'z_mm,a_at_x_0_mm,a_at_x_1_mm\n0,1,1\n1,,1\n', /line 3: allowed: 3 finite numbers/],
  ['a map behind a comment', '# a\nz_mm,a_at_x_0_mm,a_at_x_1_mm\n0,1,1\n1,0x1,1\n', /line 4: allowed: 3 finite/],
  ['a map in cm', 'depth_cm,a_at_x_0_mm,a_at_x_1_mm\n0,1,1\n1,1,1\n', /its columns are depth_cm; allowed: depth_mm/],
  ['a map of two quantities', 'z_mm,a_at_x_0_mm,sigma_at_x_1_mm\n0,1,1\n1,1,1\n', /its columns are a and sigma;/],
  [
    'a curve far below zero',
    `z_mm,dose\n${Array.from({ length: 12 }, (_, i) => `${i},${i === 3 ? -1 : i % 11}`).join('\n')}`,
    /the dose is -1 at 3 mm; allowed: -5 % of its largest/,
  ],
  ['a curve without a unit', 'depth,dose\n0,1\n', /nothing says the unit of depth/],
])('%s is refused with its file', async (name, text, why) => {
  const file = path.join(folder, `${name.replaceAll(' ', '-')}.csv`);
  await writeFile(file, text);
  await expect(readDoseFile(file, {}, null)).rejects.toThrow(why);
});

test('a file that is not there is named', async () => {
  await expect(readDoseFile('nowhere.nrrd', {}, null)).rejects.toMatchObject({ code: 'not-found' });
});

test('a table in UTF-16, as spreadsheets write it, is the table in UTF-8', async () => {
  const cases = path.join(import.meta.dirname, '../../../contract/dose/cases');
  const [wide, plain] = [
    await readDoseFile(path.join(cases, 'c09-utf16.csv'), {}, null),
    await readDoseFile(path.join(cases, 'c13-good.csv'), {}, null),
  ];
  expect(wide).toEqual(plain);
  const file = path.join(folder, 'latin.csv');
  await writeFile(file, Buffer.from('depth_mm,dose\n1,2 \xb5Gy\n', 'latin1'));
  await expect(readDoseFile(file, {}, null)).rejects.toThrow(/latin\.csv: it is not text in UTF-8, nor in UTF-16/);
});

describe('a unit that the file states', () => {
  const nrrd = (unit: string): Uint8Array => {
    const head = `NRRD0004\ntype: double\ndimension: 3\nsizes: 2 2 2\nspacings: 1 1 1\nencoding: raw\nendian: little\nsample units: ${unit}\n\n`;
    return Uint8Array.from(
      Buffer.concat([Buffer.from(head), new Uint8Array(Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8).buffer)]),
    );
  };
  const plane = (unit: string, chosen: 'Gy' | 'MeV/g' | 'Gy/1e9' | null) =>
    planeOfDose({ files: [{ name: 'a.nrrd', bytes: nrrd(unit) }], plane: {}, unit: chosen, protons: 1 });

  test('is the one that may be chosen', async () => {
    await expect(plane('Gy', 'Gy')).resolves.toMatchObject({ nz: 2, nx: 2 });
    await expect(plane('Gy', 'Gy/1e9')).resolves.toMatchObject({ nz: 2, nx: 2 });
    await expect(plane('cGy', null)).resolves.toMatchObject({ nz: 2, nx: 2 });
    for (const unit of ['cGy', 'relative', 'Gy (RBE)']) {
      await expect(plane(unit, 'Gy')).rejects.toThrow(`a.nrrd states its values in ${unit};`);
    }
  });

  test('comes with a map and a curve', async () => {
    const file = path.join(folder, 'unit.nrrd');
    await writeFile(file, nrrd('cGy'));
    expect(await readDoseFile(file, {}, null)).toMatchObject({ kind: 'map', unit: 'cGy' });
    const curve = path.join(folder, 'unit.csv');
    await writeFile(curve, `z_mm,dose_Gy\n${Array.from({ length: 12 }, (_, i) => `${i},${i % 11}`).join('\n')}`);
    expect(await readDoseFile(curve, {}, null)).toMatchObject({ kind: 'curve', unit: 'Gy' });
  });
});

test('a DICOM dose without an ending is one', async () => {
  const phantom = { columns: 2, rows: 2, slices: 2, spacing_mm: [1, 1, 1], origin_mm: [0, 0, 0] } as const;
  const bytes = doseOf({ ...phantom, hu: (i, j, k) => i + 2 * j + 4 * k });
  const file = path.join(folder, 'RD.1.2.3');
  await writeFile(file, bytes);
  expect(await readDoseFile(file, {}, null)).toMatchObject({ kind: 'map', unit: 'Gy' });
  expect(await lookIntoDose({ files: [{ name: 'RD.1.2.3', bytes }] })).toMatchObject({ sizes: [2, 2, 2] });
});
