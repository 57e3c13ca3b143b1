/** Scenarios with the largest requests that a file can make. Meanwhile the host's event loop must serve others. */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import type { MapRequest } from '../../../electron/contract/run.ts';
import type { WhatIfFrame } from '../../../electron/contract/scenario/transport/what-if.ts';
import type { Client } from '../../../renderer/data/client/client.ts';
import { findLongBlocks, longestBlock, MAX_MS, shortestBlock } from './longest-hold.ts';
import { smallScenario } from './small-run.ts';
import { openTestHost, type TestHost } from './test-host.ts';
import { smallImage } from './workloads/small-image.ts';

let test_: TestHost;
let page: Client;
let coldLive_ms = 0;
beforeAll(async () => {
  test_ = await openTestHost({ checkResults: false });
  page = await test_.page();
  coldLive_ms = await longestBlock(async () => {
    const live = openLive(page, 'hostile-setups-cold');
    await live.ask({ ...smallScenario, geometry: patchwork });
    live.close();
  });
  // Warms up: the tests below measure scenarios, not code that runs for the first time.
  for (const scenario of [
    smallScenario,
    smallImage,
    taskDocument('linear-relu', { batch: 16, inputs: 16, outputs: 16 }),
  ]) {
    await startAndCancel(scenario);
  }
});
afterAll(() => test_.close());

/** A Live session whose requests wait for their answers. */
function openLive(page: Client, session: string): { ask(scenario: object): Promise<void>; close(): void } {
  let [sequence, answered] = [0, 0];
  const take = (frame: WhatIfFrame): void => {
    if (frame.state !== 'waiting') answered = frame.sequence;
  };
  const stream = page.stream('whatIf', { session }, { frame: take });
  return {
    /** Sends a request and waits for its answer. If the answer is slow, the next request cancels it. */
    async ask(scenario) {
      sequence += 1;
      const requested = { session, sequence, scenario: { ...scenario }, name: '', full: false, maps: [doseMap] };
      await page.call('whatIf.ask', requested);
      const until_ms = performance.now() + MAX_TO_ANSWER_MS;
      while (answered < sequence && performance.now() < until_ms) await new Promise((done) => setTimeout(done, 20));
    },
    close: () => stream.close(),
  };
}

function taskDocument(kind: string, problem: object): object {
  return { kind, version: 1, name: kind, problem };
}

const image = (
  parts: { readonly beam?: object; readonly crystal?: object; readonly detector?: object },
  rest = {},
) => ({
  ...smallImage,
  ...rest,
  beam: { ...parts.beam },
  crystal: { ...smallImage.crystal, ...parts.crystal },
  detector: { ...smallImage.detector, ...parts.detector },
});

/** Depth stepping with large range bins. */
const depth = (geometry: object, grid: object): object => ({
  kind: 'transport',
  version: 1,
  name: 'depth',
  beam: { energy_MeV: 70 },
  geometry,
  grid: { energy: { kind: 'range', step_mm: 0.5 }, ...grid },
  solver: { stepping: 'depth', max_steps: 20_000 },
});
const tiltedBeam = { energy_MeV: 70, angle_deg: 20 };
const patchwork = {
  width_mm: 40,
  depth_mm: 40,
  regions: Array.from({ length: 200 }, (_, i) => ({
    material: 'bone-compact-icru',
    density_scale: 1 + i / 200,
    x_mm: [-19 + i * 0.09, 1 + i * 0.0517],
    z_mm: [i * 0.1, i * 0.1 + 10.0133],
  })),
};

const spread = { divergence_h_mrad: 1, divergence_v_mrad: 1, dispersion_percent: 1 };

const hostile: readonly (readonly [string, object])[] = [
  [
    'a thousand directions each way',
    image({ beam: { ...spread, divergence_h_steps: 1000, divergence_v_steps: 60, dispersion_steps: 1000 } }),
  ],
  ['the most directions', image({ beam: { ...spread, divergence_h_steps: 1000, divergence_v_steps: 100 } })],
  ['too many orientations', image({ crystal: { mosaic_domains: 10_000 } }, { rotation: { steps: 100_000 } })],
  ['the most orientations', image({ crystal: { mosaic_domains: 10_000 } }, { rotation: { steps: 10 } })],
  ['the largest detector', image({ detector: { width: 32_768, height: 32_768 } })],
  ['sub-pixels without end', image({ detector: { width: 32_768, height: 2, oversample: 1000 } })],
  ['layers as large as they may be', taskDocument('linear-relu', { batch: 65_536, inputs: 65_536, outputs: 65_536 })],
  ['a bandwidth of more than there is', taskDocument('micro', { kind: 'bandwidth', n: 2_000_000_000 })],
  ['an image of 676 megabytes', image({ detector: { width: 13_000, height: 13_000 } })],
  ['thousands of steps from plane to plane', depth({ depth_mm: 300, width_mm: 40 }, { dz_mm: 0.04, dx_mm: 4 })],
  [
    'pictures as large as they may be',
    depth({ depth_mm: 40.96, width_mm: 40 }, { dz_mm: 0.02, dx_mm: 0.025, dtheta_mrad: 200 }),
  ],
  ['pictures larger than that', depth({ depth_mm: 40.96, width_mm: 40.96 }, { dz_mm: 0.02, dx_mm: 0.02 })],
  ['a hundred thousand steps', { ...smallScenario, solver: { step_mm: 0.0001, max_steps: 1_000_000 } }],
  ['two hundred media with borders through cells', { ...smallScenario, geometry: patchwork }],
  ['the same from plane to plane, to many angles', { ...depth(patchwork, { dtheta_mrad: 5 }), beam: tiltedBeam }],
  ['a fine grid', { ...smallScenario, grid: { dx_mm: 0.01, dz_mm: 0.01, dtheta_mrad: 0.1, theta_max_mrad: 1000 } }],
];

/** Resolves and starts a scenario, and cancels the run after a while. */
async function startAndCancel(given: object): Promise<void> {
  const scenario: Record<string, unknown> = { ...given };
  await page.call('scenario.resolve', { scenario, file: null }).catch(() => null);
  const run = await page.call('run.start', { scenario, name: '' }).catch(() => null);
  if (run === null) return;
  await new Promise((resolve) => setTimeout(resolve, 200));
  await page.call('run.cancel', { run: run.id }).catch(() => null);
  const asked_ms = performance.now();
  await test_.host.runs.waitForEnd(run.id);
  // Cancelling is also fast while the tables are built, which may need minutes.
  expect(performance.now() - asked_ms).toBeLessThan(MAX_TO_CANCEL_MS);
}

/** Limit in ms for a busy machine, on which allocating 676 megabytes takes a while. */
const MAX_TO_CANCEL_MS = 60_000;

it.for(hostile)('a hostile set-up does not block the event loop: %s', { timeout: 400_000 }, async ([, scenario]) => {
  expect(await shortestBlock(() => startAndCancel(scenario))).toBeLessThan(MAX_MS);
});

const MAX_TO_ANSWER_MS = 10_000;
const doseMap: MapRequest = {
  ...({ quantity: 'dose', horizontal: 'z', vertical: 'x' } as const),
  viewport: { horizontal: null, vertical: null, pixels: [512, 512] },
};

const transport = hostile.filter(([, scenario]) => 'kind' in scenario && scenario.kind === 'transport');

test('Live does not block the event loop with any of the hostile set-ups', { timeout: 300_000 }, async () => {
  const live = openLive(page, 'hostile-setups-live');
  await live.ask(smallScenario);
  expect(transport.length).toBeGreaterThanOrEqual(6);
  const held = await findLongBlocks(transport.map(([name, scenario]) => [name, () => live.ask(scenario)] as const));
  live.close();
  expect(held).toEqual({});
});

test('texts and lists of the maximum size, and larger ones', { timeout: 120_000 }, async () => {
  const folder = path.join(test_.folder, 'library');
  mkdirSync(folder, { recursive: true });
  const rows = 1_200_000;
  const list = path.join(folder, 'list.hkl');
  const row = (i: number): string => `${(i % 200) - 100} ${((i / 200) % 200) | 0} ${(i / 40_000) | 0} 7`;
  writeFileSync(list, Array.from({ length: rows }, (_, i) => row(i)).join('\n'));
  const listed = { ...smallImage, structure_factors: { file: 'list.hkl' } };
  const file = { kind: 'library', key: 'listed.json' } as const;
  writeFileSync(path.join(folder, file.key), JSON.stringify(listed));
  const { resolved } = await page.call('scenario.resolve', { scenario: listed, file });
  expect(resolved).toMatchObject({ reflections: rows });
  let seconds = 1e9;
  const hold = await shortestBlock(() => {
    seconds += 1;
    // Sets the modification time so that the list appears changed: a cached list is not read again.
    utimesSync(list, seconds, seconds);
    return page.call('scenario.resolve', { scenario: listed, file });
  });
  expect(hold).toBeLessThan(MAX_MS);
  const long = `kind: transport\nextra:\n${'  - {a: 1}\n'.repeat(200_000)}`;
  const { issues } = await page.call('scenario.parse', { text: long, name: 'long.yaml' });
  expect(issues).toMatchObject([{ message: 'is larger than 256 KiB, the limit for scenarios' }]);
});

test('the first Live question with two hundred media, before any code is warm', () => {
  expect(coldLive_ms).toBeGreaterThan(0);
  expect(coldLive_ms).toBeLessThan(MAX_MS);
});

test('the theory curve of a beam through two hundred media', { timeout: 60_000 }, async () => {
  const scenario = { ...smallScenario, beam: { energy_MeV: 30, x_sigma_mm: 2 }, geometry: patchwork };
  const { id: run } = await page.call('run.start', { scenario, name: '' });
  await test_.host.runs.waitForEnd(run);
  const asked = async (): Promise<void> => {
    const { curve } = await page.call('dose.fermiEyges', { run });
    expect(curve?.values.length).toBeGreaterThan(10);
  };
  expect(await shortestBlock(asked)).toBeLessThan(MAX_MS);
});
