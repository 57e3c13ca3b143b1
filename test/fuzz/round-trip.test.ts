/**
 * Data that the program writes reads back unchanged: images as counts, tables of runs, sessions and HDF5 arrays.
 * Volumes, lists of reflections, traces, files of tuners and scenarios have such tests next to their readers.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { readCurveCsv } from '../../electron/domain/dose/curve-csv.ts';
import { writeFigure } from '../../electron/host/app/run-files/tasks.ts';
import { parseSession } from '../../electron/host/app/sessions/index.ts';
import { createFile, datasetAt, openFile } from '../../electron/host/io/hdf5/h5.ts';
import { writeDataset } from '../../electron/host/io/hdf5/put.ts';
import { sessionText } from '../../electron/host/model/bench/session-file.ts';
import { imageFile } from '../../electron/host/workloads/diffraction/images/index.ts';
import { readImage } from '../../electron/host/workloads/diffraction/images/read.ts';
import { readDoseFile } from '../../electron/host/workloads/transport/dose-file.ts';
import { exportRun } from '../../electron/host/workloads/transport/readouts.ts';
import type { RunData } from '../../electron/host/workloads/transport/run-data.ts';
import { runScenario, smallScenario } from '../electron/host/small-run.ts';
import { renderDocument } from '../electron/host/workloads/image.ts';
import { smallImage } from '../electron/host/workloads/small-image.ts';
import { scratchFolder } from '../scratch-folder.ts';

const folder = scratchFolder('round-trip');

test('SMV stores the counts of any image to half a count, and its geometry', async () => {
  const run = await renderDocument(smallImage);
  const photons = fc.float({ noNaN: true, noDefaultInfinity: true, min: 0, max: Math.fround(1e30) });
  const image = fc.array(photons, { minLength: run.width * run.height, maxLength: run.width * run.height });
  fc.assert(
    fc.property(image, (values) => {
      const most = values.reduce((a, b) => Math.max(a, b), 0);
      const scale = most > 0 ? 55_000 / most : 1;
      // The scale overflows a double for an image of denormal photon counts.
      fc.pre(Number.isFinite(scale));
      const written = imageFile({ ...run, image: Float32Array.from(values) }, 'a.img');
      const { width, height, counts, header, excluded: left } = readImage(written, 'a.img');
      expect([width, height, header]).toEqual([
        run.width,
        run.height,
        { distance_mm: 100, pixel_mm: 0.1, wavelength_A: 6.2 },
      ]);
      for (const [i, count] of counts.entries()) {
        expect(Math.abs(count - (40 + Math.fround(values[i] ?? 0) * scale))).toBeLessThanOrEqual(0.51);
      }
      expect(left.some((one) => one === 1)).toBe(false);
    }),
    { numRuns: 30 },
  );
});

describe('exported tables of a run', () => {
  let run: RunData;
  beforeAll(async () => {
    run = await runScenario(smallScenario);
  });
  const textOf = async (of: RunData, what: 'dose' | 'depth-dose'): Promise<string> =>
    new TextDecoder().decode((await exportRun(of, what, null as never)).bytes);
  const doses = (of: RunData) =>
    fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: of.dose.length, maxLength: of.dose.length });

  test('store any depth dose with every digit', async () => {
    await fc.assert(
      fc.asyncProperty(doses(run), async (dose) => {
        const text = await textOf({ ...run, dose: Float64Array.from(dose) }, 'depth-dose');
        const rows = text.trim().split('\n').slice(1);
        const reading = readCurveCsv(text, 'asked');
        if (!reading.ok) throw new Error(reading.faults[0]?.message);
        const { depth_mm, dose: read, unit, depthUnit } = reading.curve;
        expect([unit, depthUnit]).toEqual(['MeV/mm', 'mm']);
        expect(rows.map((row) => row.split(',').slice(0, 2).map(Number))).toEqual(
          [...depth_mm].map((depth, i) => [depth, read[i]]),
        );
      }),
      { numRuns: 10 },
    );
  });

  test('store any dose map to the last digit', async () => {
    const file = path.join(folder, 'map.csv');
    await fc.assert(
      fc.asyncProperty(doses(run), async (dose) => {
        writeFileSync(file, await textOf({ ...run, dose: Float64Array.from(dose) }, 'dose'));
        const read = await readDoseFile(file, {}, null);
        if (read.kind !== 'map') throw new Error('no map');
        const { nz, nx } = run.axes;
        expect([read.map.nz, read.map.nx]).toEqual([nz, nx]);
        // The dose is written per area and read per cell: two roundings.
        const off = read.map.dose.findIndex((value, i) => Math.abs(value - (dose[i] ?? 0)) > 1e-15 * value + 1e-300);
        expect(off).toBe(-1);
      }),
      { numRuns: 10 },
    );
  });
});

test('a session is restored with every number', () => {
  const file = path.join(import.meta.dirname, '../../assets/runs/h200-water-70MeV.json');
  const session = parseSession(readFileSync(file, 'utf8'), file);
  const scaled = (value: unknown, factor: number): unknown => {
    if (typeof value === 'number') return Number.isInteger(value) ? value : value * factor;
    if (Array.isArray(value)) return value.map((one) => scaled(one, factor));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, scaled(one, factor)]));
  };
  fc.assert(
    fc.property(fc.double({ min: 0.999, max: 1, noNaN: true }), (factor) => {
      const changed = {
        ...session,
        reports: session.reports.map((one) => ({ ...one, entries: scaled(one.entries, factor) as typeof one.entries })),
      };
      expect(parseSession(sessionText(changed), 'again.json')).toEqual(changed);
    }),
    { numRuns: 5 },
  );
});

describe('HDF5 files', () => {
  const any = fc.double();
  const kinds = [Float64Array, Float32Array, Uint32Array, Uint16Array] as const;

  test('store arrays of any kind and shape, number by number', async () => {
    const arrays = fc
      .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 }), fc.integer({ min: 0, max: 3 }))
      .chain(([rows, columns, kind]) =>
        fc
          .array(any, { minLength: rows * columns, maxLength: rows * columns })
          .map((values) => ({ rows, columns, data: (kinds[kind] ?? Float64Array).from(values) })),
      );
    await fc.assert(
      fc.asyncProperty(arrays, async ({ rows, columns, data }) => {
        const bytes = await createFile((file) =>
          writeDataset(file, 'a', data, [rows, columns], { unit: 'mm', third: 1 / 3 }),
        );
        await openFile(bytes, (file) => {
          const found = datasetAt(file, 'a');
          expect(found?.shape).toEqual([rows, columns]);
          expect(found?.value).toEqual(data);
          expect([found?.attrs['unit']?.value, found?.attrs['third']?.value]).toEqual(['mm', 1 / 3]);
        });
      }),
      { numRuns: 20 },
    );
  });

  test('store the arrays and axes of any figure', async () => {
    const values = fc.array(any, { minLength: 6, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(values, fc.double({ noNaN: true }), async (list, note) => {
        const about = { unit: 'mm', description: 'of a test' };
        const arrays = [
          { ...about, name: 'x', shape: [3], values: Float64Array.of(1, 2, 3), axes: null },
          { ...about, name: 'map', shape: [2, 3], values: Float64Array.from(list), axes: [null, 'x'] },
        ];
        const bytes = await writeFigure({ title: 'T', notes: { note }, arrays } as never);
        await openFile(bytes, (file) => {
          expect(datasetAt(file, 'map')?.value).toEqual(Float64Array.from(list));
          expect(datasetAt(file, 'map')?.shape).toEqual([2, 3]);
          expect(file.attrs['note']?.value).toBe(note);
        });
      }),
      { numRuns: 10 },
    );
  });
});
