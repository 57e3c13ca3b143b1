import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SolvedVolume, VolumeFrame } from '../../../electron/contract/beams/volume.ts';
import type { PlaneUnitName } from '../../../electron/contract/dose/units.ts';
import type { GammaQuantity } from '../../../electron/contract/dose.ts';
import { computeGammaField, gammaIndex } from '../../../electron/host/model/fields/gamma.ts';
import { gammaMap, supportedGammaQuantity } from '../../../electron/host/workloads/transport/readouts.ts';
import type { RunData } from '../../../electron/host/workloads/transport/run-data.ts';
import type { Client } from '../../../renderer/data/client/client.ts';
import { smallScenario } from './small-run.ts';
import { openTestHost, type TestHost } from './test-host.ts';

let host: TestHost;
let page: Client;
beforeAll(async () => {
  host = await openTestHost();
  page = await host.page();
});
afterAll(() => host.close());

async function run(scenario: Record<string, unknown>): Promise<string> {
  const { id } = await page.call('run.start', { scenario, name: '' });
  await host.host.runs.waitForEnd(id);
  return id;
}

const viewport = { horizontal: null, vertical: null, pixels: [1000, 1000] as [number, number] };

describe('the gamma index of two runs', () => {
  it('is zero against the same run, fails against a shifted beam, and passes with a wider criterion', async () => {
    const first = await run({ ...smallScenario });
    const moved = await run({ ...smallScenario, beam: { energy_MeV: 30, x_mm: 0.5 } });
    const against = (reference: string, dose: number, distance_mm: number) =>
      page.call('dose.gamma', { run: first, reference, dose, distance_mm, viewport });
    const same = await against(first, 0.01, 1);
    expect([same.passed, same.worst]).toEqual([1, 0]);
    expect(same.points).toBeGreaterThan(20);
    expect(same.map).toMatchObject({ quantity: 'gamma index', unit: '', min: 0, max: 0 });
    // Points below the dose threshold are left out of gamma and are NaN; they are most of the field.
    expect([...same.map.values].filter((value) => !Number.isNaN(value))).toHaveLength(same.points);
    const tight = await against(moved, 0.01, 0.1);
    expect(tight.passed).toBeLessThan(0.5);
    expect(tight.worst).toBeGreaterThan(1);
    const wide = await against(moved, 0.01, 1);
    expect(wide.passed).toBe(1);
    // The nearest equal dose is half a millimetre away.
    expect(wide.worst).toBeCloseTo(0.5, 6);
    await expect(against(moved, 0.5, 1)).rejects.toMatchObject({ code: 'bad-request' });
  });

  it('uses dose by mass, or energy by area on request or without densities', async () => {
    const bone = { x_mm: [-20, 20], z_mm: [2, 4], material: 'bone-compact-icru' };
    const first = await run({ ...smallScenario, geometry: { regions: [bone] } });
    const ask = { run: first, reference: first, dose: 0.01, distance_mm: 1, viewport };
    expect((await page.call('dose.gamma', ask)).by).toBe('mass');
    expect((await page.call('dose.gamma', { ...ask, by: 'area' })).by).toBe('area');

    // Two cells of 1 g/cm³ and one of 2 g/cm³, with equal dose by mass. The other run has 1.5 % more in the light
    // cells.
    const axes = { nz: 3, nx: 1, dz_mm: 1, dx_mm: 1, density_g_cm3: Float64Array.of(1, 2, 1) };
    const reference = { dose: Float64Array.of(1, 2, 1), axes } as RunData;
    const other = { dose: Float64Array.of(1.015, 2, 1.015), axes } as RunData;
    const passed = (by: GammaQuantity): number =>
      gammaIndex(gammaMap(reference, by), gammaMap(other, by), { dose: 0.01, distance_mm: 0.05 }).passed;
    // 1 % of the largest dose is 0.01 by mass, but 0.02 by area, because dense matter absorbs twice as much.
    expect(passed('mass')).toBeCloseTo(1 / 3, 12);
    expect(passed('area')).toBe(1);
    const old = { ...other, axes: { ...axes, density_g_cm3: null } } as RunData;
    expect(supportedGammaQuantity('mass', [reference, old])).toBe('area');
    expect(supportedGammaQuantity('mass', [reference, other])).toBe('mass');
  });

  it('is the same row by row as in one pass, and stops when it is aborted', async () => {
    const dose = Float64Array.from({ length: 400 }, (_, i) => Math.exp(-(((i % 20) - 10) ** 2) / 20));
    const map = { dose, nz: 20, nx: 20, dz_mm: 0.5, dx_mm: 0.5 };
    const other = { ...map, dose: dose.map((value) => 1.01 * value) };
    const criteria = { dose: 0.01, distance_mm: 1 };
    const { values, ...result } = await computeGammaField(map, other, criteria, new AbortController().signal);
    expect(result).toEqual(gammaIndex(map, other, criteria));
    expect(Math.max(...values.filter((value) => !Number.isNaN(value)))).toBeCloseTo(result.worst, 6);
    const large = { ...map, dose: new Float64Array(400_000).fill(1), nz: 1000, nx: 400 };
    const brighter = { ...large, dose: large.dose.map((value) => 3 * value) };
    const work = computeGammaField(large, brighter, criteria, AbortSignal.timeout(20));
    await expect(work).rejects.toThrow();
  });
});

describe('the gamma index against a dose from another program', () => {
  const named = (name: string, bytes: Uint8Array) => ({ name, bytes });
  const shifts = { shift_depth_mm: 0, shift_across_mm: 0 };

  it("is zero against the run's own dose as MetaImage, NRRD and table, in any unit, and changes with the shifts", async () => {
    const first = await run({ ...smallScenario });
    const ask = (dose: string, parts: object = {}, distance_mm = 0.1) =>
      page.call('dose.gamma', {
        ...{ run: first, reference: { dose, ...shifts, ...parts }, dose: 0.001, distance_mm, viewport },
        by: 'area',
      });
    for (const what of ['dose-mha', 'dose-nrrd', 'dose']) {
      const { name, bytes } = await page.call('run.export', { run: first, what });
      const info = await page.call('dose.import', { files: [named(name, bytes)] });
      expect(info).toMatchObject({ name, sizes: [24, 44], spacing_mm: [0.5, 0.25] });
      expect([info.origin_mm[0], info.origin_mm[1]].map((at) => at?.toFixed(6))).toEqual(['-5.750000', '0.125000']);
      const same = await ask(info.id);
      expect([same.passed, same.worst < 1e-3, same.points > 20], what).toEqual([1, true, true]);
      expect(same.map.horizontal).toMatchObject({ name: 'z', fullFrom: 0, fullTo: 11 });
      expect(same.map.vertical).toMatchObject({ name: 'x', fullFrom: -6, fullTo: 6 });
      // The dose is shifted by two cells; a distance criterion of the same length tolerates the shift.
      const moved = await ask(info.id, { shift_depth_mm: 0.5 });
      expect(moved.passed).toBeLessThan(0.9);
      expect(moved.map.horizontal.fullFrom).toBeCloseTo(0.5, 9);
      expect((await ask(info.id, { shift_depth_mm: 0.5 }, 1)).passed).toBe(1);
      // With the axes exchanged the doses differ.
      expect((await ask(info.id, { depth: 'x', across: 'y' })).passed).toBeLessThan(0.5);
    }
  });

  it('compares absolute doses if the unit is given: planes and volumes, by area and by mass', async () => {
    const protons = 4;
    const first = await run({ ...smallScenario, beam: { ...smallScenario.beam, weight: protons } });
    const text = (content: string): Uint8Array => new TextEncoder().encode(content);
    const { name, bytes } = await page.call('run.export', { run: first, what: 'dose-nrrd' });
    const flat = await page.call('dose.import', { files: [named(name, bytes)] });
    const ask = (dose: string, unit: PlaneUnitName | null, parts: object = {}) =>
      page.call('dose.gamma', {
        ...{ run: first, reference: { dose, ...shifts, unit, ...parts } },
        ...{ dose: 0.001, distance_mm: 0.1, viewport },
      });
    // The file is in MeV/mm²; in water, 1 MeV/mm² is 160.2 nGy mm.
    expect(await ask(flat.id, 'MeV/mm2')).toMatchObject({ by: 'area', passed: 1 });
    expect(await ask(flat.id, null)).toMatchObject({ by: 'mass', passed: 1 });
    expect((await ask(flat.id, 'nGy mm')).passed).toBe(0);
    // Export the dose as a volume of two layers of 2 mm, in Gy per 10⁹ protons.
    const data = await page.call('run.export', { run: first, what: 'dose' });
    const rows = new TextDecoder()
      .decode(data.bytes)
      .split(/\r?\n/)
      .filter((line) => /^[\d.]/.test(line));
    const plane = rows.map((line) => line.split(',').slice(1).map(Number));
    const layer = plane.flatMap((row) => row.map((value) => (value * 160.2176634) / protons / 4));
    const volume = Float64Array.from(plane.flatMap((_, z) => [0, 1].flatMap(() => layer.slice(z * 24, (z + 1) * 24))));
    const header = [
      ...['NDims = 3', 'DimSize = 24 2 44', 'ElementSpacing = 0.5 2 0.25', 'Offset = -5.75 0 0.125'],
      ...['ElementType = MET_DOUBLE', 'ElementDataFile = v.raw', ''],
    ].join('\n');
    const files = [named('v.mhd', text(header)), named('v.raw', new Uint8Array(volume.buffer))];
    const solid = await page.call('dose.import', { files });
    expect(await ask(solid.id, 'Gy/1e9')).toMatchObject({ by: 'mass', passed: 1 });
    // Read as Gy, the same numbers are the dose of a different number of protons, so no point passes.
    expect((await ask(solid.id, 'Gy')).passed).toBe(0);
    await expect(ask(solid.id, 'nGy mm')).rejects.toThrow(
      /v\.mhd has 3 axes, but nGy mm, .* is for 2; allowed: Gy per 10⁹ protons; /,
    );
  });

  it('names a file that is missing, truncated, incomplete, a curve or not a dose', async () => {
    const first = await run({ ...smallScenario });
    const { name, bytes } = await page.call('run.export', { run: first, what: 'dose-nrrd' });
    const take = (...files: { name: string; bytes: Uint8Array }[]) => page.call('dose.import', { files });
    const text = (content: string): Uint8Array => new TextEncoder().encode(content);
    await expect(take(named('plan.pdf', bytes))).rejects.toThrow(
      'plan.pdf: it is not a dose; allowed: .csv, .txt, .mha',
    );
    await expect(take(named(name, bytes.slice(0, -1)))).rejects.toThrow(/dose\.nrrd: .*it is truncated/);
    const curve = named('c.csv', text('depth_mm,dose\n0,1\n1,2\n2,1\n'));
    await expect(take(curve)).rejects.toThrow('c.csv is not a map; allowed: depth, then a column for each x');
    const header = ['NDims = 2', 'DimSize = 2 2', 'ElementType = MET_UCHAR', 'ElementDataFile = d.raw', ''].join('\n');
    await expect(take(named('d.mhd', text(header)))).rejects.toThrow('d.mhd: its data is in d.raw; choose all files');
    const zero = await take(named('d.raw', new Uint8Array(4)), named('d.mhd', text(header)));
    expect(zero.sizes).toEqual([2, 2]);
    const against = (dose: string, plane: object = {}) =>
      page.call('dose.gamma', { run: first, reference: { dose, ...plane }, dose: 0.01, distance_mm: 1, viewport });
    await expect(against(zero.id)).rejects.toThrow('d.mhd: no dose is above zero.');
    await expect(against(zero.id, { depth: 'z' })).rejects.toThrow(
      'depth and lateral position must be two of its axes: x, y',
    );
    for (let i = 0; i < 4; i += 1) await take(named(name, bytes));
    await expect(against(zero.id)).rejects.toThrow('This dose is no longer in memory. Open its file again.');
  });
});

describe('the beam width in Fermi–Eyges theory', () => {
  it('equals the width of the computed fluence for a beam along z', async () => {
    const id = await run({
      ...smallScenario,
      beam: { energy_MeV: 30, x_sigma_mm: 1 },
      grid: { ...smallScenario.grid, dx_mm: 0.1, dtheta_mrad: 5 },
    });
    const { curve, reason } = await page.call('dose.fermiEyges', { run: id });
    const moments = await page.call('run.moments', { run: id });
    expect(reason).toBeNull();
    expect(curve?.positions[0]).toBeCloseTo(0.125, 9);
    // Index of the depth at half of the range of 30 MeV, which is 8.9 mm.
    const at = 18;
    expect(curve?.positions[at]).toBeCloseTo(moments.depth_mm[at] ?? 0, 9);
    expect(Math.abs((curve?.values[at] ?? 0) / (moments.sigma_x_mm[at] ?? 1) - 1)).toBeLessThan(0.01);
    expect((curve?.positions.length ?? 0) * 0.25).toBeGreaterThan(8);
  });

  it('is not available for a tilted beam, and the reason is reported', async () => {
    const id = await run({ ...smallScenario, beam: { energy_MeV: 30, angle_deg: 10 } });
    expect(await page.call('dose.fermiEyges', { run: id })).toEqual({
      curve: null,
      reason: 'Fermi-Eyges: the beam is not along z',
    });
  });
});

describe('the dose in three dimensions', () => {
  /** Two spots on either side of y = 0. */
  const field = {
    kind: 'transport',
    version: 2,
    beam: {
      x_sigma_mm: 3,
      spots: [
        { energy_MeV: 70, x_mm: -5, y_mm: 10, weight: 3 },
        { energy_MeV: 60, x_mm: 5, y_mm: -10, weight: 1 },
      ],
    },
    geometry: { width_mm: 100, depth_mm: 60 },
    grid: { dz_mm: 1 },
    physics: { nuclear: 'off' },
    solver: { stepping: 'depth' },
  };
  const request = { across_mm: 80 };

  /** Opens the stream and waits for its volume. */
  async function solveVolume(scenario: Record<string, unknown> = field) {
    const frames: VolumeFrame[] = [];
    let stream = { close: (): void => undefined };
    const volume = await new Promise<SolvedVolume>((resolve, reject) => {
      stream = page.stream(
        'volume',
        { scenario, request },
        {
          frame: (frame) => {
            frames.push(frame);
            if (frame.state === 'solved') resolve(frame.volume);
          },
          end: (error) => reject(error ?? new Error('the stream ended without a volume')),
        },
      );
    });
    return { volume, frames, close: () => stream.close() };
  }

  it('is retained while its stream is open, and has a slice through any cell', async () => {
    const { volume, frames, close } = await solveVolume();
    expect(frames[0]).toMatchObject({ state: 'solving', planes: 60 });
    const whole = await page.call('beam.volume', { document: field, request });
    expect(volume).toMatchObject({ sizes: [40, 40, 60], most: whole.most, most_at_mm: whole.most_at_mm });
    const [x = 0, y = 0, z = 0] = whole.most_at_mm;
    for (const [across, at_mm, horizontal, vertical] of [
      ['y', y, 'z', 'x'],
      ['x', x, 'z', 'y'],
      ['z', z, 'x', 'y'],
    ] as const) {
      const { map, at_mm: found } = await page.call('volume.slice', { volume: volume.id, across, at_mm, viewport });
      expect(found).toBe(at_mm);
      expect([map.horizontal.name, map.vertical.name]).toEqual([horizontal, vertical]);
      expect([map.unit, map.max]).toEqual(['Gy per 10⁹ protons', whole.most]);
      const slice = whole.slices.find((one) => one.across === across);
      // Slices for files have depth as rows, slices of the page as columns.
      const turned = slice?.rows !== map.vertical.name;
      const [columns, rows] = [map.horizontal.count, map.vertical.count];
      const wanted = Float32Array.from(map.values, (_, i) => {
        const [row, column] = [Math.floor(i / columns), i % columns];
        return slice?.values[turned ? column * rows + row : i] ?? Number.NaN;
      });
      expect(map.values).toEqual(wanted);
    }
    // A position between two cells, and one outside of the cells.
    const at = async (at_mm: number) => page.call('volume.slice', { volume: volume.id, across: 'x', at_mm, viewport });
    expect((await at(-4.2)).at_mm).toBe(-5);
    expect((await at(900)).at_mm).toBe(39);
    for (const ending of ['mha', 'nrrd', 'dcm'] as const) {
      const [file, there] = await Promise.all([
        page.call('volume.file', { volume: volume.id, ending }),
        page.call('beam.volume', { document: field, request: { ...request, file: ending } }),
      ]);
      expect(file.bytes.length).toBe(there.file?.length);
    }
    close();
    await expect(at(0)).rejects.toMatchObject({
      code: 'not-found',
      message: 'This dose is no longer in memory. Compute it again.',
    });
  });

  it('ends its stream with the reason if matter is not layered, or the scenario has errors', async () => {
    const bone = { x_mm: [0, 20], z_mm: [10, 20], material: 'bone-compact-icru' };
    const beside = { ...field, geometry: { ...field.geometry, regions: [bone] } };
    await expect(solveVolume(beside)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('are side by side; allowed: layers across the complete width'),
    });
    await expect(solveVolume({ ...field, geometry: { width_mm: -1 } })).rejects.toMatchObject({ code: 'invalid' });
  });

  it('is cancelled by closing its stream, also while it waits', async () => {
    const spots = Array.from({ length: 200 }, (_, i) => ({ energy_MeV: 60 + i / 20, x_mm: i / 10 }));
    const slow = { ...field, beam: { ...field.beam, spots }, physics: { nuclear: 'icru63' } };
    const begun = Promise.withResolvers<void>();
    const first = page.stream('volume', { scenario: slow, request }, { frame: () => begun.resolve() });
    await begun.promise;
    const states: string[] = [];
    const waits = Promise.withResolvers<void>();
    const second = page.stream(
      'volume',
      { scenario: field, request },
      {
        frame: ({ state }) => {
          states.push(state);
          waits.resolve();
        },
      },
    );
    await waits.promise;
    expect(states).toEqual(['waiting']);
    second.close();
    first.close();
    // The next computation starts when the first has ended, although the first did not finish.
    const { volume, close } = await solveVolume();
    expect(volume.spots).toBe(2);
    close();
  });

  it('is refused if it needs more memory than allowed', async () => {
    const small = await openTestHost({ memoryLimit_bytes: 2 ** 29 });
    try {
      const answer = (await small.page()).call('beam.volume', {
        document: field,
        request: { ...request, cell_mm: 0.1 },
      });
      await expect(answer).rejects.toMatchObject({
        code: 'memory',
        message: expect.stringMatching(/^800 × 800 × 60 cells of 0\.1 mm need \d+ M\w+ of memory; allowed: \d+ M\w+\./),
      });
    } finally {
      await small.close();
    }
  });
});
