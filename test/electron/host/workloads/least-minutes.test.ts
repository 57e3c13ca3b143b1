/** Scenarios of every kind that would exceed the time limit are rejected before any part of them is built. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { fastestRates, throwIfTooLong } from '../../../../electron/host/workloads/benchable.ts';
import { hostWorkloads } from '../../../../electron/host/workloads/index.ts';
import type { Client } from '../../../../renderer/data/client/client.ts';
import { smallScenario } from '../small-run.ts';
import { openTestHost, type TestHost } from '../test-host.ts';
import { smallImage } from './small-image.ts';

let host: TestHost;
let page: Client;
beforeAll(async () => {
  host = await openTestHost({ checkResults: false });
  page = await host.page();
});
afterAll(() => host.close());
afterEach(() => vi.unstubAllEnvs());

const layer = {
  kind: 'linear-relu',
  version: 1,
  name: 'layer',
  problem: { batch: 256, inputs: 256, outputs: 256 },
};
const scenarios: readonly (readonly [string, Record<string, unknown>])[] = [
  ['transport', smallScenario],
  ['diffraction', smallImage],
  ['linear-relu', layer],
];

test.for(scenarios)('a run of %s beyond the time limit is rejected', async ([, scenario]) => {
  const before = await page.call('scenario.resolve', { scenario, file: null });
  expect(before.issues.filter(({ severity }) => severity === 'error')).toEqual([]);
  vi.stubEnv('BRAGGBENCH_MOST_MINUTES', '1e-12');
  const { issues, resolved } = await page.call('scenario.resolve', { scenario, file: null });
  expect(resolved).toBeNull();
  expect(issues.filter(({ severity }) => severity === 'error')).toMatchObject([
    { path: 'solver.variant', message: expect.stringMatching(/takes at least .* minutes .*BRAGGBENCH_MOST_MINUTES/) },
  ]);
  await expect(page.call('run.start', { scenario, name: '' })).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringContaining('BRAGGBENCH_MOST_MINUTES'),
  });
  expect((await page.call('run.list', {})).runs).toEqual([]);
});

/** Shortest possible time of one run in minutes, on the threads of its scenario. */
async function leastMinutes(scenario: Record<string, unknown>): Promise<number> {
  const reading = await host.host.scenarios.check(scenario, { name: 'scenario', folder: null });
  if (reading.kind === null) throw new Error('no scenario');
  return ((await hostWorkloads[reading.kind].needs(host.host.addon, reading)).least_s ?? 0) / 60;
}

const onCpu: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ['transport', { ...smallScenario, solver: { variant: 'fused', threads: 1 } }, 'fused'],
  ['diffraction', { ...smallImage, solver: { variant: 'diffraction-fp64', threads: 1 } }, 'diffraction-fp64'],
];

test.for(onCpu)(
  'a benchmark of %s beyond the time limit is rejected, even if each run is allowed',
  async ([, scenario, variant]) => {
    // The limit allows one run, but not a first run and a round.
    vi.stubEnv('BRAGGBENCH_MOST_MINUTES', String(1.5 * (await leastMinutes(scenario))));
    expect((await page.call('scenario.resolve', { scenario, file: null })).resolved).not.toBeNull();
    const requested = { scenario, file: null, name: '', variants: [variant], modes: [], sweep: null };
    await expect(page.call('bench.start', requested)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/^the benchmark takes at least .* minutes \(1 in total .*BRAGGBENCH_MOST_MINUTES/),
    });
    expect((await page.call('bench.list', {})).benches.filter(({ recorded }) => !recorded)).toEqual([]);
  },
);

test('a variant that follows the beam needs less time than its full box, and its minimum is below its measured time', async () => {
  const on = async (variant: string, depth_mm: number) => {
    const geometry = { ...smallScenario.geometry, depth_mm };
    const scenario = { ...smallScenario, geometry, solver: { ...smallScenario.solver, variant, threads: 1 } };
    const reading = await host.host.scenarios.check(scenario, { name: 'scenario', folder: null });
    if (reading.kind === null) throw new Error('no scenario');
    const { least_s, expected } = await hostWorkloads[reading.kind].needs(host.host.addon, reading);
    return { least_s: least_s ?? 0, expected_s: expected?.seconds ?? 0 };
  };
  for (const variant of ['moments', 'depth', 'window']) {
    const [near, far] = [await on(variant, 11), await on(variant, 1100)];
    expect(near.least_s).toBeGreaterThan(0);
    // No cells beyond the end of the beam are visited, so that a longer box does not change the shortest time.
    expect(far.least_s).toBeCloseTo(near.least_s, 9);
    expect(far.least_s).toBeLessThan(far.expected_s);
  }
  // A variant that visits every cell also visits the cells beyond the beam.
  expect((await on('fused', 1100)).least_s).toBeGreaterThan(50 * (await on('fused', 11)).least_s);
});

test('a variant that follows the beam is limited by the cells that it visits, whatever lies behind the beam', async () => {
  const geometry = { ...smallScenario.geometry, depth_mm: 1100 };
  const scenario = { ...smallScenario, geometry, solver: { ...smallScenario.solver, variant: 'window', threads: 1 } };
  const least = await leastMinutes(scenario);
  const resolved = async () => (await page.call('scenario.resolve', { scenario, file: null })).resolved;
  vi.stubEnv('BRAGGBENCH_MOST_MINUTES', String(1.5 * least));
  expect(await resolved()).not.toBeNull();
  vi.stubEnv('BRAGGBENCH_MOST_MINUTES', String(0.5 * least));
  expect(await resolved()).toBeNull();
  const asked = { scenario, file: null, name: '', variants: ['window'], modes: [], sweep: null };
  // This limit allows one run, but not a benchmark, which needs a first run and a round.
  vi.stubEnv('BRAGGBENCH_MOST_MINUTES', String(1.5 * least));
  await expect(page.call('bench.start', asked)).rejects.toThrow('the benchmark takes at least');
  vi.stubEnv('BRAGGBENCH_MOST_MINUTES', String(2.5 * least));
  const { id } = await page.call('bench.start', asked);
  await page.call('bench.cancel', { bench: id });
});

test('a small workload needs at least the duration of its samples, and a large one the time of its operations', async () => {
  const on = (batch: number) => ({
    ...layer,
    problem: { batch, inputs: 4096, outputs: 4096 },
    solver: { variant: 'cpu-blocked', threads: 1 },
  });
  const [small, large] = [60 * (await leastMinutes(on(1))), 60 * (await leastMinutes(on(4096)))];
  expect(small).toBeGreaterThan(0.1);
  expect(small).toBeLessThan(5);
  // A single repetition needs a third of a second on one thread at peak rate.
  expect(large).toBeGreaterThan(5 * ((2 * 4096 ** 3) / fastestRates.flops.thread));
});

test('a sweep of forty values is rejected, even if each value is allowed', async () => {
  const [, scenario, variant] = onCpu[0] ?? ['', {}, ''];
  vi.stubEnv('BRAGGBENCH_MOST_MINUTES', String(9 * (await leastMinutes(scenario))));
  const sweep = { path: 'output.keyframes', values: Array.from({ length: 40 }, (_, i) => i) };
  await expect(
    page.call('bench.start', { scenario, file: null, name: '', variants: [variant], modes: [], sweep }),
  ).rejects.toThrow(/^the benchmark takes at least .* \(40 in total/);
});

test('a batch of beams that together exceed the limit is rejected', async () => {
  const scenario = { ...smallScenario, solver: { threads: 1, variant: 'window' } };
  const read = () => host.host.scenarios.check(scenario, { name: 'beam', folder: null });
  const beams = Array.from({ length: 40 }, (_, i) => ({ name: `beam ${i}`, read }));
  vi.stubEnv('BRAGGBENCH_MOST_MINUTES', String(9 * (await leastMinutes(scenario))));
  const ended: number[] = [];
  const request = { beams, signal: new AbortController().signal, onEnded: (index: number) => ended.push(index) };
  await expect(host.host.batches.solve({ ...request, lanes: 4 })).rejects.toThrow(
    /^the batch takes at least .* minutes \(40 in total .*BRAGGBENCH_MOST_MINUTES/,
  );
  expect(ended).toEqual([]);
  // Two beams in one lane stay below the limit, which is the time of nine beams.
  await host.host.batches.solve({ ...request, beams: beams.slice(0, 2), lanes: 1 });
  expect(ended).toEqual([0, 1]);
});

describe('the minimum time', () => {
  const work = { variant: 'v', of: 'steps', rate: fastestRates.cellSteps, threads: 2 };

  test('assumes the fastest machine, and permits a day', () => {
    const day = 24 * 60 * 60 * 2 * fastestRates.cellSteps.thread;
    expect(() => throwIfTooLong({ ...work, amount: day }, {})).not.toThrow();
    expect(() => throwIfTooLong({ ...work, amount: 1.1 * day }, {})).toThrow(
      'solver.variant = v: takes at least 1600 minutes (9.5e+14 steps on 2 threads at full speed); allowed: 1440, or the limit set in BRAGGBENCH_MOST_MINUTES',
    );
    expect(() => throwIfTooLong({ ...work, amount: 1.1 * day, threads: null }, {})).not.toThrow();
    expect(() => throwIfTooLong({ ...work, amount: 1.1 * day }, { BRAGGBENCH_MOST_MINUTES: '2000' })).not.toThrow();
  });

  test('is years for a thousand sub-pixels in each direction and ten thousand orientations', async () => {
    const scenario = {
      ...smallImage,
      beam: {
        ...smallImage.beam,
        divergence_h_mrad: 1,
        divergence_h_steps: 1000,
        divergence_v_mrad: 1,
        divergence_v_steps: 100,
      },
      detector: { width: 32_768, height: 64, oversample: 1000 },
    };
    const { issues } = await page.call('scenario.resolve', { scenario, file: null });
    expect(issues.map(({ message }) => message).join()).toMatch(
      /takes at least .*e\+\d+ minutes|takes at least \d{5,} minutes/,
    );
  });
});

test('includes the operators of many angles and materials in addition to the state', async () => {
  const regions = Array.from({ length: 200 }, (_, i) => ({
    material: 'bone-compact-icru',
    density_scale: 1 + i / 200,
    x_mm: [-19 + i * 0.09, 1 + i * 0.0517],
    z_mm: [i * 0.1, i * 0.1 + 10.0133],
  }));
  const scenario = {
    kind: 'transport',
    version: 1,
    name: 'patchwork',
    beam: { energy_MeV: 70 },
    geometry: { width_mm: 40, depth_mm: 40, regions },
    grid: { dtheta_mrad: 1, dx_mm: 2 },
    solver: { stepping: 'depth' },
  };
  const { issues } = await page.call('scenario.resolve', { scenario, file: null });
  expect(issues.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([
    expect.stringMatching(
      /^401 angles × 181 materials, .* energies have operators of at least .* GiB; allowed: 2\.00 GiB$/,
    ),
  ]);
});
