/** A crystal fitted to an image over a page's connection: progress, errors, and the final state. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BraggError } from '../../../../../electron/contract/errors.ts';
import type { MeasuredImage, RefineFrame } from '../../../../../electron/contract/scenario/diffraction/refining.ts';
import type { Client } from '../../../../../renderer/data/client/client.ts';
import { eventually, openTestHost, type TestHost } from '../../test-host.ts';
import { triclinic } from '../../workloads/diffraction/refine/triclinic.ts';

const rotatedCrystal = {
  ...triclinic,
  crystal: { ...triclinic.crystal, misset: { x_deg: 17.04, y_deg: -40.03, z_deg: 62.97 } },
};
const view = { viewport: { horizontal: null, vertical: null, pixels: [64, 48] as [number, number] } };

let host: TestHost;
let page: Client;
beforeAll(async () => {
  host = await openTestHost();
  page = await host.page();
});
afterAll(() => host.close());

/** A request for a fit, as the page sends it. */
function fitCrystal(scenario: object, image: string, fit: readonly ('misset' | 'cell')[] = ['misset']) {
  const frames: RefineFrame[] = [];
  let end: BraggError | null | undefined;
  const requested = { image, scenario: { ...scenario }, file: null, fit: [...fit] };
  const handle = page.stream('refining', requested, {
    frame: (frame) => void frames.push(frame),
    end: (error) => (end = error),
  });
  return { frames, end: () => end, close: () => handle.close(), over: () => eventually(() => end !== undefined) };
}

async function computeImage(scenario: object): Promise<string> {
  const { id } = await page.call('run.start', { scenario: { ...scenario }, file: null, name: 'turned' });
  await new Promise<void>((resolve) => {
    page.stream('run.progress', { run: id }, { frame: () => undefined, end: () => resolve() });
  });
  return id;
}

const rawImage = (values: Float32Array, size: [number, number] = [64, 48]) =>
  page.call('refining.take', {
    source: { kind: 'file', name: 'frame.bin', bytes: new Uint8Array(values.buffer), linked: [], size },
  });

describe('crystal refinement', () => {
  let image: MeasuredImage;
  beforeAll(async () => {
    image = await page.call('refining.take', { source: { kind: 'run', run: await computeImage(rotatedCrystal) } });
  });

  test('fits iteration by iteration, reports the time of each, and begins with the initial values', async () => {
    expect(image).toMatchObject({ name: 'Triclinic', width: 64, height: 48, left_out: 0 });
    const fit = fitCrystal(triclinic, image.id);
    await fit.over();
    expect(fit.end()).toBeNull();
    const [begun, ...told] = fit.frames;
    expect(begun).toMatchObject({ state: 'begun', warnings: [] });
    const iterations = told.flatMap((frame) => (frame.state === 'iteration' ? [frame] : []));
    expect(iterations[0]).toMatchObject({ iteration: 1, taken: true, values: [17, -40, 63] });
    expect(iterations.every(({ seconds }) => seconds > 0)).toBe(true);
    expect(iterations.at(-1)?.rms).toBeLessThan((iterations[0]?.rms ?? 0) / 100);
    const refined = told.at(-1);
    if (refined?.state !== 'refined') throw new Error('it did not finish');
    expect(refined.converged).toBe(true);
    expect(refined.iterations).toBe(iterations.length);
    for (const [k, wanted] of Object.values(rotatedCrystal.crystal.misset).entries()) {
      expect(refined.unknowns[k]?.value).toBeCloseTo(wanted, 3);
    }
  });

  test('leaves almost no residual, and does not modify the image', async () => {
    const fit = fitCrystal(triclinic, image.id);
    await fit.over();
    const { map } = await page.call('refining.view', { image: image.id, show: 'measured', view });
    const { map: less } = await page.call('refining.view', { image: image.id, show: 'difference', view });
    expect(map).toMatchObject({ unit: 'counts', quantity: 'counts' });
    expect(Math.max(less.max, -less.min)).toBeLessThan(1e-3 * map.max);
  });

  test('reports headerMismatches with the header, and parameters that cannot be fitted', async () => {
    const far = fitCrystal({ ...triclinic, detector: { ...triclinic.detector, width: 32 } }, image.id);
    await far.over();
    expect(far.end()?.message).toContain('the image has 64 × 48 pixels, but the detector of the scenario has 32 × 48');
    const beam = fitCrystal({ kind: 'transport', version: 2, name: 'Beam', beam: { energy_MeV: 70 } }, image.id);
    await beam.over();
    expect(beam.end()?.message).toContain('this scenario is of another kind');
    const own = fitCrystal({ ...triclinic, solver: { variant: 'my.cpp' } }, image.id);
    await own.over();
    expect(own.end()?.code).toMatch(/^(invalid|unsupported)$/);
    const gone = fitCrystal(triclinic, 'none');
    await gone.over();
    expect(gone.end()?.message).toBe('This image is no longer in memory. Open its file again.');
    const { map } = await page.call('refining.view', { image: image.id, show: 'measured', view });
    expect(map.max).toBeGreaterThan(0);
  });

  test('waits in the queue, stops when it is closed, and releases its device', async () => {
    // This image needs seconds on one thread of any machine.
    const detector = { ...triclinic.detector, width: 1024, height: 1024, oversample: 16 };
    const slow = { ...triclinic, detector, solver: { threads: 1, variant: 'diffraction-in-loop' } };
    const before = await page.call('run.start', { scenario: { ...slow }, file: null, name: 'slow' });
    const fit = fitCrystal(triclinic, image.id);
    await eventually(() => fit.frames.length > 0);
    expect(fit.frames[0]).toEqual({ state: 'waiting' });
    fit.close();
    await page.call('run.cancel', { run: before.id });
    await computeImage(triclinic);
    expect(fit.frames).toHaveLength(1);
  });
});

describe('an image for refinement', () => {
  test('has the stated size if it consists of raw numbers, and excludes masked pixels', async () => {
    const values = new Float32Array(64 * 48).fill(3);
    values.fill(-1, 0, 64);
    values[200] = Number.NaN;
    expect(await rawImage(values)).toMatchObject({
      name: 'frame.bin',
      width: 64,
      height: 48,
      left_out: 65,
      header: {},
    });
    await expect(rawImage(values, [64, 47])).rejects.toThrow('frame.bin: 64 × 47 numbers of 32 bits need');
    await expect(
      page.call('refining.take', {
        source: { kind: 'file', name: 'frame.png', bytes: new Uint8Array(4), linked: [], size: [1, 1] },
      }),
    ).rejects.toThrow('frame.png: .png is not a supported image format; allowed: .img');
  });

  test('has no difference without a fit, and the oldest image is dropped', async () => {
    const values = Float32Array.from({ length: 64 * 48 }, (_, i) => i);
    const [first, second] = [await rawImage(values), await rawImage(values)];
    await expect(page.call('refining.view', { image: second.id, show: 'difference', view })).rejects.toThrow(
      'Nothing has been fitted to this image yet.',
    );
    await rawImage(values);
    await expect(page.call('refining.view', { image: first.id, show: 'measured', view })).rejects.toThrow(
      'no longer in memory',
    );
  });
});
