/** Maps for image viewers: each format reads back to the run's own numbers at their positions. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import dicom from 'dicom-parser';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TransportScenario } from '../../../../../../electron/contract/scenario/index.ts';
import { exportsOf } from '../../../../../../electron/contract/workload.ts';
import { runPacker } from '../../../../../../electron/host/app/run-files/packer.ts';
import { readDicomDose } from '../../../../../../electron/host/io/volumes/dicom.ts';
import type { Volume } from '../../../../../../electron/host/io/volumes/volume.ts';
import { decodeVolumeFile, volumeHeader } from '../../../../../../electron/host/io/volumes/volume-file.ts';
import {
  type ImageExport,
  imageEndings,
  isImageExport,
  mapNames,
  rtDose,
} from '../../../../../../electron/host/workloads/transport/display/map-file.ts';
import { grayField } from '../../../../../../electron/host/workloads/transport/metrics/gray.ts';
import { letMap } from '../../../../../../electron/host/workloads/transport/metrics/quality.ts';
import { exportRun } from '../../../../../../electron/host/workloads/transport/readouts.ts';
import type { RunData } from '../../../../../../electron/host/workloads/transport/run-data.ts';
import { scratchFolder } from '../../../../../scratch-folder.ts';
import { dicomOf, layeredPhantom, nrrdOf } from '../../../io/volumes/phantom.ts';
import { runScenario, tinyScenario } from '../../../small-run.ts';

let run: RunData;
beforeAll(async () => {
  const beam = { energy_MeV: 30, x_sigma_mm: 2, x_mm: 1, weight: 4 };
  run = await runScenario({ ...tinyScenario, beam, output: { keyframes: 0, let: true } });
});

async function writeMap(of: RunData, what: ImageExport): Promise<{ name: string; volume: Volume; header: string }> {
  const { name, bytes } = await exportRun(of, what, runPacker);
  const volume = decodeVolumeFile(name, bytes, volumeHeader(name, bytes) ?? expect.fail('no volume'), []);
  return { name, volume, header: new TextDecoder('latin1').decode(bytes.subarray(0, 600)) };
}

function valuesOf(what: ImageExport): Float64Array {
  const { dose, axes, tracks } = run;
  if (what.startsWith('dose')) return dose.map((energy) => energy / (axes.dx_mm * axes.dz_mm));
  return letMap(tracks ?? expect.fail('no tracks'), 'letd');
}

const grayAt = (of: RunData, y_mm: number): Float64Array => {
  const gray = grayField(of, y_mm);
  return 'values' in gray ? gray.values : expect.fail(gray.reason);
};

test.each([
  ['dose', 'MeV/mm^2'],
  ['letd', 'keV/um'],
] as const)('an exported map reads back bit for bit as %s, with its unit and coordinates', async (quantity, unit) => {
  const { nx, nz, dx_mm, dz_mm } = run.axes;
  for (const ending of imageEndings) {
    const what = `${quantity}-${ending}` as const;
    const { name, volume, header } = await writeMap(run, what);
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

describe('the dose in Gy as a volume', () => {
  test('contains layers at their y, identical in all formats', async () => {
    const { nx, nz, dx_mm, dz_mm } = run.axes;
    const { name, bytes } = await exportRun(run, rtDose, runPacker);
    expect(name).toMatch(/-gray\.dcm$/);
    const { unit, ...dicom } = readDicomDose(name, bytes);
    expect(unit).toBe('Gy');
    const { volume: meta, header } = await writeMap(run, 'gray-mha');
    expect(header).toContain('Gy per 1e9 protons');
    expect((await writeMap(run, 'gray-nrrd')).volume).toEqual(meta);
    const [, , ny = 0] = meta.sizes;
    const [, , dy = 0] = meta.spacing_mm;
    // Half of the beam's 2 mm at the entrance, if cells are wider.
    expect(dy).toBe(Math.min(dx_mm, 1));
    expect(ny % 2).toBe(1);
    expect(meta.sizes).toEqual([nx, nz, ny]);
    expect(meta.spacing_mm).toEqual([dx_mm, dz_mm, dy]);
    expect(meta.origin_mm).toEqual([-(nx * dx_mm) / 2 + dx_mm / 2, dz_mm / 2, (-dy * (ny - 1)) / 2]);
    for (const layer of [0, 1, (ny - 1) / 2, ny - 1]) {
      const y_mm = Math.abs(layer - (ny - 1) / 2) * dy;
      expect(meta.values.subarray(layer * nx * nz, (layer + 1) * nx * nz), `layer ${layer}`).toEqual(grayAt(run, y_mm));
    }
    const most = meta.values.reduce((a, b) => Math.max(a, b), 0);
    expect({ ...dicom, values: null }).toEqual({ ...meta, values: null });
    expect(dicom.values.every((value, i) => Math.abs(value - (meta.values[i] ?? 0)) <= most / 2 ** 32)).toBe(true);
  });

  test('sums over y to the energy of the plane', async () => {
    const { volume } = await writeMap(run, 'gray-nrrd');
    const { nx, nz, dx_mm, dz_mm, density_g_cm3 } = run.axes;
    const [, , dy = 0] = volume.spacing_mm;
    for (const cell of [Math.floor(nx / 2), Math.floor((nz / 4) * nx + nx / 2)]) {
      let sum = 0;
      for (let at = cell; at < volume.values.length; at += nx * nz) sum += (volume.values[at] ?? 0) * dy;
      // 1 Gy is 6.2415e9 MeV/g, or 6.2415e6 MeV in 1 mm³ of 1 g/cm³; the beam has 4 protons.
      const energy = (sum * (density_g_cm3?.[cell] ?? 1) * 6.241509074e6 * dx_mm * dz_mm * 4) / 1e9;
      const wanted = run.dose[cell] ?? 0;
      // Four standard deviations exclude 6e-5 of the energy.
      expect(Math.abs(energy / wanted - 1)).toBeLessThan(2e-4);
    }
  });
});

describe('the exported dose of a run in a CT', () => {
  let ct: RunData;
  let oblique: RunData;
  beforeAll(async () => {
    const folder = scratchFolder('maps-in-ct');
    // A CT of water only, 64 × 64 pixels of 1 mm.
    const water = layeredPhantom(
      Array.from({ length: 64 }, () => 0),
      64,
      1,
    );
    writeFileSync(path.join(folder, 'ct.nrrd'), nrrdOf({ ...water, origin_mm: [-31.5, -31.5, 0] }));
    const of = (angle_deg: number) => ({
      ...tinyScenario,
      beam: { energy_MeV: 30, x_sigma_mm: 2, x_mm: 3 },
      geometry: {
        width_mm: 20,
        depth_mm: 12,
        ct: { file: 'ct.nrrd', angle_deg, isocentre_mm: [5, -3], isocentre_depth_mm: 10 },
      },
    });
    [ct, oblique] = [await runScenario(of(90), 2 ** 31, folder), await runScenario(of(30), 2 ** 31, folder)];
  });

  test('has patient coordinates for a beam from the left: depth is to the right, and x to the back', async () => {
    const { volume } = await writeMap(ct, 'dose-mha');
    const { nx, nz, dx_mm, dz_mm } = ct.axes;
    // Depth d is at 5 + 10 - d to the left, x is at -3 + x to the back; the middle slice of the CT is at z = 0.
    expect(volume.sizes).toEqual([nz, nx, 1]);
    expect(volume.spacing_mm).toEqual([dz_mm, dx_mm, 1]);
    const wanted = [15 - 12 + dz_mm / 2, -13 + dx_mm / 2, 0];
    for (const [i, place] of volume.origin_mm.entries()) expect(place).toBeCloseTo(wanted[i] ?? 0, 9);
    const rows = Array.from({ length: nx }, (_, x) =>
      Array.from({ length: nz }, (__, i) => (ct.dose[(nz - 1 - i) * nx + x] ?? 0) / (dx_mm * dz_mm)),
    );
    expect([...volume.values]).toEqual(rows.flat());
    expect((await writeMap(ct, 'dose-nrrd')).volume.values).toEqual(volume.values);
  });

  test('is written as RT Dose, with y along feet to head', async () => {
    const { name, bytes } = await exportRun(ct, rtDose, runPacker);
    const { nx, nz } = ct.axes;
    const { sizes, origin_mm, values } = readDicomDose(name, bytes);
    const layer = nx * nz;
    expect([sizes[0], sizes[1]]).toEqual([nz, nx]);
    expect(origin_mm[2]).toBeLessThan(-2);
    // The largest dose is on the axis of the beam: x = 3 is 0 to the back, y = 0 is the slice of the CT.
    const peak = values.indexOf(values.reduce((a, b) => Math.max(a, b), 0));
    const [dz = 1, dx = 1, dy = 1] = readDicomDose(name, bytes).spacing_mm;
    const at = [peak % nz, Math.floor((peak % layer) / nz), Math.floor(peak / layer)];
    const place = at.map((index, i) => (origin_mm[i] ?? 0) + index * ([dz, dx, dy][i] ?? 1));
    expect(Math.abs(place[1] ?? 9)).toBeLessThanOrEqual(dx);
    expect(place[2]).toBeCloseTo(0, 9);
    // 30 MeV protons stop at a depth of 8.9 mm in water: 15 - 8.9 to the left.
    expect(Math.abs((place[0] ?? 0) - 6.1)).toBeLessThan(1);
  });

  test('is written as RT Dose of a DICOM CT in its frame of reference, which another CT does not have', async () => {
    const folder = scratchFolder('dose-of-dicom');
    const phantom = layeredPhantom(
      Array.from({ length: 16 }, () => 0),
      16,
      1,
    );
    writeFileSync(path.join(folder, 'ct.dcm'), dicomOf(phantom, 0, { '00200052': ['UI', '1.2.826.0.7'] }));
    const inCt = (frame?: string) => ({
      ...tinyScenario,
      beam: { energy_MeV: 30, x_sigma_mm: 2 },
      geometry: {
        width_mm: 10,
        depth_mm: 12,
        ct: { file: 'ct.dcm', ...(frame === undefined ? {} : { frame_of_reference: frame }) },
      },
    });
    const own = await runScenario(inCt(), 2 ** 31, folder);
    const { bytes } = await exportRun(own, rtDose, runPacker);
    expect(dicom.parseDicom(bytes).string('x00200052')).toBe('1.2.826.0.7');
    await expect(runScenario(inCt('1.2.3'), 2 ** 31, folder)).rejects.toThrow(
      /frame_of_reference.*belongs to another CT/,
    );
  });

  test('is written at any angle, by direction cosines', async () => {
    const { header } = {
      header: new TextDecoder('latin1').decode((await exportRun(oblique, 'dose-mha', runPacker)).bytes),
    };
    const numbers = (name: string): number[] =>
      (new RegExp(`^${name} = (.*)$`, 'm').exec(header)?.[1] ?? '').split(' ').map(Number);
    // x: (cos 30°, sin 30°); depth: (-sin 30°, cos 30°).
    const half = Math.sqrt(3) / 2;
    const directions = [half, 0.5, 0, -0.5, half, 0, 0, 0, 1];
    for (const [i, part] of numbers('TransformMatrix').entries()) expect(part).toBeCloseTo(directions[i] ?? 9, 12);
    const { dx_mm, dz_mm } = oblique.axes;
    const [x, z] = [-10 + dx_mm / 2, dz_mm / 2 - 10];
    const origin = [5 + x * half - z * 0.5, -3 + x * 0.5 + z * half, 0];
    for (const [i, place] of numbers('Offset').entries()) expect(place).toBeCloseTo(origin[i] ?? 9, 9);
  });

  test('states the slice position and isocentre that its file omitted', async () => {
    const { geometry } = ct.completeScenario as unknown as TransportScenario;
    expect(geometry.ct).toMatchObject({ at_mm: 0, isocentre_mm: [5, -3], isocentre_depth_mm: 10 });
  });
});

test('the exported beam lies at the position of the scenario: mean position 1 mm, in the first rows', async () => {
  const { volume } = await writeMap(run, 'dose-nrrd');
  const [nx = 0] = volume.sizes;
  const row = [...volume.values.subarray(0, nx)];
  const mean = row.reduce(
    (sum, value, i) => sum + value * ((volume.origin_mm[0] ?? 0) + i * (volume.spacing_mm[0] ?? 0)),
    0,
  );
  // The box cuts the tail on one side; a wrong origin would be half a cell off.
  expect(Math.abs(mean / row.reduce((a, b) => a + b) - 1)).toBeLessThan(0.1);
});

test('a run without map files gives the reason', async () => {
  const pencil = await runScenario(tinyScenario);
  await expect(exportRun(pencil, 'gray-mha', runPacker)).rejects.toThrow(/no dose in Gy: the beam has no width/);
  await expect(exportRun(pencil, 'letd-nrrd', runPacker)).rejects.toThrow(/has no LET; set output.let/);
});

test('every map is in the export menu, in both formats', () => {
  const listed = exportsOf('transport')
    .map(({ id }) => id)
    .filter(isImageExport);
  const maps = mapNames.flatMap((name) => imageEndings.map((ending) => `${name}-${ending}`));
  expect(listed.filter((id) => id !== rtDose)).toEqual(maps);
  expect(listed).toContain(rtDose);
});
