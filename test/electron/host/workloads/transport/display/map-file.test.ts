/** Maps for viewers: what is written reads back to the run's own numbers at their places, in either format. */
import { beforeAll, expect, test } from 'vitest';
import { exportsOf } from '../../../../../../electron/contract/exports.ts';
import { runPacker } from '../../../../../../electron/host/app/run-files/packer.ts';
import { readDicomDose } from '../../../../../../electron/host/io/volumes/dicom.ts';
import type { Volume } from '../../../../../../electron/host/io/volumes/volume.ts';
import { volumeHeader, volumeIn } from '../../../../../../electron/host/io/volumes/volume-file.ts';
import {
  type ImageExport,
  imageEndings,
  isImageExport,
  mapNames,
  rtDose,
} from '../../../../../../electron/host/workloads/transport/display/map-file.ts';
import { exportRun } from '../../../../../../electron/host/workloads/transport/export.ts';
import { grayField } from '../../../../../../electron/host/workloads/transport/metrics/gray.ts';
import { letMap } from '../../../../../../electron/host/workloads/transport/metrics/quality.ts';
import type { RunData } from '../../../../../../electron/host/workloads/transport/run-data.ts';
import { runScenario, tinyScenario } from '../../../small-run.ts';

let run: RunData;
beforeAll(async () => {
  const beam = { energy_MeV: 30, x_sigma_mm: 2, x_mm: 1, weight: 4 };
  run = await runScenario({ ...tinyScenario, beam, output: { keyframes: 0, let: true } });
});

async function written(of: RunData, what: ImageExport): Promise<{ name: string; volume: Volume; header: string }> {
  const { name, bytes } = await exportRun(of, what, runPacker);
  const volume = volumeIn(name, bytes, volumeHeader(name, bytes) ?? expect.fail('no volume'), []);
  return { name, volume, header: new TextDecoder('latin1').decode(bytes.subarray(0, 600)) };
}

function valuesOf(what: ImageExport): Float64Array {
  const { dose, axes, tracks } = run;
  if (what.startsWith('dose')) return dose.map((energy) => energy / (axes.dx_mm * axes.dz_mm));
  if (what.startsWith('letd')) return letMap(tracks ?? expect.fail('no tracks'), 'letd');
  const gray = grayField(run, 0);
  return 'values' in gray ? gray.values : expect.fail(gray.reason);
}

test.each([
  ['dose', 'MeV/mm^2'],
  ['gray', 'Gy per 1e9 protons'],
  ['letd', 'keV/um'],
] as const)('%s reads back bit by bit, with its unit and places', async (quantity, unit) => {
  const { nx, nz, dx_mm, dz_mm } = run.axes;
  for (const ending of imageEndings) {
    const what = `${quantity}-${ending}` as const;
    const { name, volume, header } = await written(run, what);
    expect(name).toMatch(new RegExp(`-${quantity}\\.${ending}$`));
    expect(header).toContain(unit);
    expect(volume).toEqual({
      sizes: [nx, nz],
      spacing_mm: [dx_mm, dz_mm],
      origin_mm: [-(nx * dx_mm) / 2 + dx_mm / 2, dz_mm / 2],
      values: valuesOf(what),
    });
    expect(volume.values.some((value) => value > 0)).toBe(true);
  }
});

test('RT Dose has the dose in Gy to 32 bits, at the places of the map', async () => {
  const { name, bytes } = await exportRun(run, rtDose, runPacker);
  expect(name).toMatch(/-gray\.dcm$/);
  const { values, unit, ...grid } = readDicomDose(name, bytes);
  const { nx, nz, dx_mm, dz_mm } = run.axes;
  expect([unit, grid]).toEqual([
    'Gy',
    {
      sizes: [nx, nz, 1],
      // A single frame has no spacing to its neighbour.
      spacing_mm: [dx_mm, dz_mm, 1],
      origin_mm: [-(nx * dx_mm) / 2 + dx_mm / 2, dz_mm / 2, 0],
    },
  ]);
  const wanted = valuesOf('gray-mha');
  const most = wanted.reduce((a, b) => Math.max(a, b), 0);
  expect(values.every((value, i) => Math.abs(value - (wanted[i] ?? 0)) <= most / 2 ** 32)).toBe(true);
});

test('the beam lies where the scenario has it: mean place 1 mm, in the first rows', async () => {
  const { volume } = await written(run, 'dose-nrrd');
  const [nx = 0] = volume.sizes;
  const row = [...volume.values.subarray(0, nx)];
  const mean = row.reduce(
    (sum, value, i) => sum + value * ((volume.origin_mm[0] ?? 0) + i * (volume.spacing_mm[0] ?? 0)),
    0,
  );
  // The box cuts the tail on one side; a wrong origin would be half a cell off.
  expect(Math.abs(mean / row.reduce((a, b) => a + b) - 1)).toBeLessThan(0.1);
});

test('a run without them says why', async () => {
  const pencil = await runScenario(tinyScenario);
  await expect(exportRun(pencil, 'gray-mha', runPacker)).rejects.toThrow(
    /no dose in Gy: a beam without width has none/,
  );
  await expect(exportRun(pencil, 'letd-nrrd', runPacker)).rejects.toThrow(/did not score LET; output.let/);
});

test('every map in both formats stands in the menu of exports', () => {
  const listed = exportsOf('transport')
    .map(({ id }) => id)
    .filter(isImageExport);
  const maps = mapNames.flatMap((name) => imageEndings.map((ending) => `${name}-${ending}`));
  expect(listed.filter((id) => id !== rtDose)).toEqual(maps);
  expect(listed).toContain(rtDose);
});
