/** Runs of the largest allowed size, shown in every view. Meanwhile the host's event loop must serve others. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runPacker } from '../../../electron/host/app/run-files/packer.ts';
import type { RunData } from '../../../electron/host/workloads/transport/run-data.ts';
import type { Client } from '../../../renderer/data/client/client.ts';
import { findLongBlocks } from './longest-hold.ts';
import { runScenario, smallScenario } from './small-run.ts';
import { openTestHost, type TestHost } from './test-host.ts';

let test_: TestHost;
let page: Client;
let library: string;
beforeAll(async () => {
  test_ = await openTestHost({ checkResults: false, cacheBound_bytes: 2 ** 32 });
  page = await test_.page();
  library = path.join(test_.folder, 'library');
  mkdirSync(library, { recursive: true });
});
afterAll(() => test_.close());

const inLibrary = (key: string) => ({ kind: 'library', key }) as const;

/** Maximum number of cells of a scenario, with LET, and maximum number of steps in a ledger. */
const [NZ, NX, STEPS] = [2048, 2048, 20_000];

function enlargeRun(run: RunData): RunData {
  const cells = NZ * NX;
  const filled = (length: number, value: (i: number) => number): Float64Array => {
    const array = new Float64Array(length);
    for (let i = 0; i < length; i += 1) array[i] = value(i);
    return array;
  };
  const repeated = (rows: Float64Array): Float64Array => {
    const columns = rows.length / run.steps;
    return filled(
      STEPS * columns,
      (i) => rows[((Math.floor(i / columns) % run.steps) * columns + (i % columns)) | 0] ?? 0,
    );
  };
  const along = (i: number): number =>
    Math.exp(-(((Math.floor(i / NX) - 1500) / 200) ** 2) - (((i % NX) - 1024) / 20) ** 2);
  const dose = filled(cells, (i) => (Math.abs((i % NX) - 1024) < 64 ? along(i) : 0));
  const tracks = run.tracks;
  if (tracks === null) throw new Error('the run has no LET');
  const sums = new Float64Array(3 * cells);
  for (let k = 0; k < 3; k += 1) sums.set(dose, k * cells);
  return {
    ...run,
    steps: STEPS,
    axes: { ...run.axes, nz: NZ, nx: NX, dz_mm: 0.01, dx_mm: 0.01, density_g_cm3: new Float64Array(cells).fill(1) },
    dose,
    crossing: filled(NZ * 6, (i) => (i % 6 === 0 ? 1 - i / (NZ * 6) : 0)),
    ledgerNumber: repeated(run.ledgerNumber),
    ledgerEnergy: repeated(run.ledgerEnergy),
    facesNumber: repeated(run.facesNumber),
    facesEnergy: repeated(run.facesEnergy),
    acrossY: { sigma_y_mm: new Float64Array(NZ).fill(3) },
    tracks: { ...tracks, primary: sums, protons: sums.slice() },
    keyframes: [],
  };
}

const viewport = { horizontal: null, vertical: null, pixels: [400, 400] as [number, number] };
const map = (quantity: 'dose-per-mass' | 'letd' | 'gray') =>
  ({ quantity, horizontal: 'z', vertical: 'x', viewport }) as const;

test('a run of four million cells with LET does not block the event loop', { timeout: 300_000 }, async () => {
  const small = await runScenario({ ...smallScenario, output: { keyframes: 0, let: true } });
  writeFileSync(path.join(library, 'large.h5'), await runPacker.write(enlargeRun(small)));
  const opened: string[] = [];
  const open = async (): Promise<unknown> =>
    opened.push((await page.call('run.open', { source: { kind: 'file', file: inLibrary('large.h5') } })).id);
  await open();
  await open();
  const [run = '', other = ''] = opened;
  const both = {
    subjects: [
      { kind: 'run', run },
      { kind: 'run', run: other },
    ] as { kind: 'run'; run: string }[],
    reference: 0,
  };
  const gamma = { run, reference: other, dose: 0.02, distance_mm: 0.05, local: false, threshold: 0.5 } as const;
  const long = await findLongBlocks([
    ['open', open],
    ['summary', () => page.call('run.summary', { run })],
    ['depth dose and LET', () => page.call('run.depthDose', { run })],
    ['moments', () => page.call('run.moments', { run })],
    ['lateral', () => page.call('run.lateral', { run, depths_mm: [1, 5, 10] })],
    ['ledger', () => page.call('run.ledger', { run, rows: 100_000 })],
    ['map of LET', () => page.call('run.maps', { run, maps: [map('letd')] })],
    ['map of Gy', () => page.call('run.maps', { run, maps: [map('gray'), map('dose-per-mass')] })],
    [
      'difference',
      () =>
        page.call('run.maps', { run, maps: [{ ...map('dose-per-mass'), against: { run: other, keyframe: null } }] }),
    ],
    ['compared rows', () => page.call('compare.rows', both)],
    ['compared curves', () => page.call('compare.curves', both)],
    ['compared maps', () => page.call('compare.maps', { ...both, viewport })],
    ['gamma', () => page.call('dose.gamma', { ...gamma, by: 'mass', viewport })],
    ['theory', () => page.call('dose.fermiEyges', { run })],
    ['moments as CSV', () => page.call('run.export', { run, what: 'ledger' })],
    ['saved', () => page.call('run.save', { run, file: inLibrary('again.h5'), ifExists: 'replace' })],
  ]);
  expect(long).toEqual({});
});

test('a spread-out peak of many layers does not block the event loop', { timeout: 300_000 }, async () => {
  const document = { kind: 'transport', version: 1, name: 'field', beam: { energy_MeV: 100 } };
  const build = (range_mm: number, modulation_mm: number) => () =>
    page.call('beam.sobp', { document, request: { range_mm, modulation_mm } });
  expect(await findLongBlocks([['peak', build(60, 40)]])).toEqual({});
});
