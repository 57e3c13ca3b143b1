/**
 * Files of every kind of the largest allowed size, crafted to be slow. While they are read, the host's event loop must
 * serve others.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { MAX_DOSE_BYTES } from '../../../electron/contract/dose.ts';
import { runPacker } from '../../../electron/host/app/run-files/packer.ts';
import { MAX_SESSION_BYTES } from '../../../electron/host/app/sessions/index.ts';
import { MAX_SCENARIO_BYTES } from '../../../electron/host/io/text/read.ts';
import { runOf } from '../../../electron/host/workloads/run-data.ts';
import type { Client } from '../../../renderer/data/client/client.ts';
import { ellipsePhantom, nrrdOf, thorax, writeSeries } from './io/volumes/phantom.ts';
import { findLongBlocks, longSession, MAX_MS, shortestBlock } from './longest-hold.ts';
import { smallScenario } from './small-run.ts';
import { openTestHost, type TestHost } from './test-host.ts';
import { smallImage } from './workloads/small-image.ts';

let test_: TestHost;
let page: Client;
let library: string;
beforeAll(async () => {
  test_ = await openTestHost({ checkResults: false });
  page = await test_.page();
  library = path.join(test_.folder, 'library');
  mkdirSync(library, { recursive: true });
  // Warms up: the tests below measure files, not code that runs for the first time.
  for (const [name, text] of warmUpFiles) await openScenario(name, text);
});
afterAll(() => test_.close());

const put = (name: string, text: string | Uint8Array): void => writeFileSync(path.join(library, name), text);
const inLibrary = (key: string) => ({ kind: 'library', key }) as const;

/** `head`, then as many of `unit` as fit into a file of `most` bytes, then `tail`. */
function fillFile(head: string, unit: (i: number) => string, tail = '', most = MAX_SCENARIO_BYTES): string {
  const parts = [head];
  let left = most - head.length - tail.length;
  for (let i = 0; ; i += 1) {
    const part = unit(i);
    left -= part.length;
    if (left < 0) return `${parts.join('')}${tail}`;
    parts.push(part);
  }
}

const YAML = 'kind: transport\nversion: 1\n';
const JSON_HEAD = '{"kind":"transport","version":1';

const warmUpFiles: readonly (readonly [string, string])[] = [
  ['warm.yaml', `${YAML}${Array.from({ length: 2000 }, (_, i) => `k${i}: 1\n`).join('')}`],
  ['warm.json', JSON.stringify(smallScenario)],
];

const scenarios: readonly (readonly [string, string, string])[] = [
  ['numbers in a line', 'a.yaml', fillFile(`${YAML}x: [`, () => '1,', ']')],
  ['objects in a line', 'a.yaml', fillFile(`${YAML}x: [`, () => '{a: 1},', ']')],
  ['numbers in lines', 'a.yaml', fillFile(`${YAML}x:\n`, () => ' - 1\n')],
  ['keys', 'a.yaml', fillFile(YAML, (i) => `k${i}: 1\n`)],
  ['comments', 'a.yaml', fillFile(YAML, () => '#\n')],
  ['aliases', 'a.yaml', fillFile(`${YAML}y: &a 1\nx: [`, (i) => `&b${i} *a,`, ']')],
  ['empty lists', 'a.yaml', fillFile(`${YAML}x: [`, () => '[],', ']')],
  ['the same key', 'a.yaml', fillFile(YAML, () => 'k: 1\n')],
  ['documents', 'a.yaml', fillFile(YAML, () => '---\n')],
  ['explicit keys', 'a.yaml', fillFile(`${YAML}x: [`, () => '? ,', ']')],
  ['empty lines', 'a.yaml', fillFile(YAML, () => '\n')],
  ['numbers as JSON', 'a.json', fillFile(`${JSON_HEAD},"x":[`, () => '1,', '1]}')],
  ['keys as JSON', 'a.json', fillFile(JSON_HEAD, (i) => `,"k${i}":1`, '}')],
  ['the same key as JSON', 'a.json', fillFile(JSON_HEAD, () => ',"":1', '}')],
  [
    'spots',
    'a.json',
    fillFile(
      `${JSON_HEAD},"geometry":{"width_mm":40,"depth_mm":60},"beam":{"spots":[`,
      () => '{"energy_MeV":70,"x_mm":1},',
      '{"energy_MeV":70}]}}',
    ),
  ],
  [
    'invalid regions',
    'a.json',
    fillFile(`${JSON_HEAD},"beam":{"energy_MeV":70},"geometry":{"regions":[`, () => '{"material":"wate"},', '{}]}}'),
  ],
];

/** Opens a scenario, lists it, parses it into the form and checks it. */
async function openScenario(name: string, text: string): Promise<void> {
  put(name, text);
  const opened = await page.call('scenario.open', { file: inLibrary(name) });
  await page.call('scenario.parse', { text, name });
  if (opened.draft !== null) await page.call('scenario.resolve', { scenario: opened.draft, file: inLibrary(name) });
  await page.call('scenario.library', {});
}

it.for(scenarios)('a scenario with %s does not block the event loop', async ([, name, text]) => {
  expect(text.length).toBeGreaterThan(MAX_SCENARIO_BYTES - 40);
  expect(await shortestBlock(() => openScenario(name, text))).toBeLessThan(MAX_MS);
});

test('a scenario with too many values is rejected with the reason', async () => {
  const [, name, text] = scenarios[0] ?? ['', '', ''];
  const { draft, issues } = await page.call('scenario.parse', { text, name });
  expect(draft).toBeNull();
  expect(issues.map(({ message }) => message)).toEqual(['contains more than 50000 values, the limit for scenarios']);
});

const companions: readonly (readonly [string, string, string, object])[] = [
  ['spots in empty lines', 'spots.csv', '\n'.repeat(4 * 2 ** 20), { beam: { spots: { file: 'spots.csv' } } }],
  [
    'ten thousand spots',
    'spots.json',
    JSON.stringify(
      Array.from({ length: 10_000 }, (_, i) => ({ energy_MeV: 60 + (i % 10), x_mm: (i % 40) / 10 - 2, weight: 1 + i })),
    ),
    { beam: { spots: { file: 'spots.json' } } },
  ],
  [
    'three hundred spots, each of its own range',
    'spots.csv',
    `range_mm,weight\n${Array.from({ length: 300 }, (_, i) => `${30 + i / 100},1`).join('\n')}`,
    { beam: { spots: { file: 'spots.csv' } } },
  ],
  [
    'spots that are none',
    'spots.json',
    `[${'1,'.repeat(2 * 2 ** 20 - 10)}1]`,
    { beam: { spots: { file: 'spots.json' } } },
  ],
  ['a table of empty lines', 'table.csv', '\n'.repeat(2 ** 20), { physics: { stopping_power: { file: 'table.csv' } } }],
  [
    'a table of ten thousand rows',
    'table.csv',
    `T_MeV,S\n${Array.from({ length: 10_000 }, (_, i) => `${0.01 + i * 0.03},${100 / (1 + i)}`).join('\n')}`,
    { physics: { stopping_power: { file: 'table.csv' } } },
  ],
];

it.for(companions)('a scenario next to %s does not block the event loop', async ([, name, text, parts]) => {
  const scenario = { ...smallScenario, ...parts };
  put('beside.json', JSON.stringify(scenario));
  const hold = await shortestBlock(async () => {
    // The file is rewritten, since an unchanged file is not read again.
    put(name, text);
    await page.call('scenario.resolve', { scenario, file: inLibrary('beside.json') });
  });
  expect(hold).toBeLessThan(MAX_MS);
});

test('a session of the maximum size does not block the event loop', async () => {
  const text = longSession(0.95, 1);
  expect(text.length).toBeGreaterThan(0.9 * MAX_SESSION_BYTES);
  expect(text.length).toBeLessThan(MAX_SESSION_BYTES);
  let n = 0;
  const hold = await shortestBlock(async () => {
    n += 1;
    const name = `large-${n}.session.json`;
    put(name, text);
    const { id } = await page.call('bench.open', { source: { kind: 'file', file: inLibrary(name) } });
    await page.call('bench.session', { bench: id });
    await page.call('library.search', { text: '', kind: null, tag: null, place: 'yours', order: 'newest', limit: 10 });
  });
  expect(hold).toBeLessThan(MAX_MS);
  put('larger.session.json', `${text}${' '.repeat(MAX_SESSION_BYTES)}`);
  await expect(
    page.call('bench.open', { source: { kind: 'file', file: inLibrary('larger.session.json') } }),
  ).rejects.toThrow(/larger\.session\.json is too large to be shown; allowed: 4 MiB/);
});

/** An image file of 134 megabytes of pixels, and the shown part of it. */
async function putImage(name: string): Promise<void> {
  const started = await page.call('run.start', { scenario: smallImage, name: '' });
  await test_.host.runs.waitForEnd(started.id);
  const run = runOf('diffraction', await test_.host.runs.data(started.id));
  const [width, height] = [8192, 4096];
  const image = new Float32Array(width * height);
  for (let i = 0; i < image.length; i += 997) image[i] = i % 1013;
  put(name, await runPacker.write({ ...run, width, height, image }));
}

const view = {
  viewport: { horizontal: null, vertical: null, pixels: [800, 400] as [number, number] },
  statistic: 'mean' as const,
};

test('an image of thirty million pixels is opened, summed, searched, compared and exported without blocking', async () => {
  await putImage('large.h5');
  const opened: string[] = [];
  const file = inLibrary('large.h5');
  const compared = () => ({
    subjects: [opened[0] ?? '', opened[1] ?? opened[0] ?? ''].map((run) => ({ kind: 'run' as const, run })),
    reference: 0,
  });
  const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['open', async () => opened.push((await page.call('run.open', { source: { kind: 'file', file } })).id)],
    [
      'listed',
      () =>
        page.call('library.search', { text: '', kind: null, tag: null, place: 'yours', order: 'newest', limit: 10 }),
    ],
    ['summary', () => page.call('image.summary', { run: opened[0] ?? '' })],
    ['peaks', () => page.call('image.peaks', { run: opened[0] ?? '', count: 100 })],
    ['error', () => page.call('image.error', { run: opened[0] ?? '', reference: opened[0] ?? '' })],
    ['shown', () => page.call('image.view', { run: opened[0] ?? '', view, against: null })],
    ['compared', () => page.call('compare.rows', compared())],
    ['compared maps', () => page.call('compare.maps', { ...compared(), viewport: view.viewport })],
    ['image file', () => page.call('run.export', { run: opened[0] ?? '', what: 'raw' })],
    ['table', () => page.call('run.export', { run: opened[0] ?? '', what: 'peaks' })],
    ['saved', () => page.call('run.save', { run: opened[0] ?? '', file: inLibrary('again.h5'), ifExists: 'replace' })],
  ];
  expect(await findLongBlocks(steps)).toEqual({});
});

test('a trace of three hundred thousand spans does not block the event loop', async () => {
  const events = Array.from(
    { length: 300_000 },
    (_, i) => `{"name":"kernel ${i % 50}","ph":"X","ts":${i * 10},"dur":7,"pid":1,"tid":${i % 8},"args":{"i":${i}}}`,
  );
  put('trace.json', `{"traceEvents":[${events.join(',')}]}`);
  const hold = await shortestBlock(async () => {
    const info = await page.call('timeline.open', { source: { kind: 'file', file: inLibrary('trace.json') } });
    await page.call('timeline.statistics', { trace: info.id, from_ns: 0, to_ns: 1e12, tracks: null, name: null });
    await page.call('timeline.close', { trace: info.id });
  });
  expect(hold).toBeLessThan(MAX_MS);
});

/** CTs in each format, with slices every 3 mm from -30 mm on. */
const cts: readonly (readonly [string, string, (file: string) => void])[] = [
  [
    'a series of ninety slices of 512 × 512',
    'ct-series',
    (folder) => writeSeries(folder, ellipsePhantom(512, thorax, 90)),
  ],
  [
    'a volume whose slices have four million pixels',
    'ct.nrrd',
    (file) => writeFileSync(file, nrrdOf(ellipsePhantom(2048, thorax, 8))),
  ],
];

test.for(cts)('a CT given as %s does not block the event loop', async ([, name, write]) => {
  write(path.join(library, name));
  let at_mm = -33;
  const hold = await shortestBlock(async () => {
    // Request a different slice each time, because the last one is cached.
    at_mm += 3;
    const scenario = {
      ...{ kind: 'transport', version: 2, beam: { energy_MeV: 120, x_sigma_mm: 4 } },
      ...{ grid: { dx_mm: 0.8, dz_mm: 0.8 }, geometry: { ct: { file: name, at_mm } } },
    };
    put('ct.json', JSON.stringify(scenario));
    const { issues } = await page.call('scenario.resolve', { scenario, file: inLibrary('ct.json') });
    expect(issues.filter(({ severity }) => severity === 'error')).toEqual([]);
    const { picture } = await page.call('ct.picture', { scenario, file: inLibrary('ct.json'), pixels: 512 });
    expect(picture?.at_mm).toBe(at_mm);
  });
  expect(hold).toBeLessThan(MAX_MS);
});

test('the largest dose of another program, and its gamma index, do not block the event loop', async () => {
  const scenario = { ...smallScenario };
  const { id } = await page.call('run.start', { scenario, name: '' });
  await test_.host.runs.waitForEnd(id);
  const head = ['NRRD0004', 'type: short', 'dimension: 3', 'sizes: 256 256 250', 'spacings: 1 1 1', 'endian: little'];
  const header = new TextEncoder().encode([...head, 'encoding: raw', '', ''].join('\n'));
  const values = new Int16Array(256 * 256 * 250).fill(1, 0, 64);
  const bytes = new Uint8Array(header.length + values.byteLength);
  bytes.set(header);
  bytes.set(new Uint8Array(values.buffer), header.length);
  expect(bytes.length).toBeGreaterThan(0.9 * MAX_DOSE_BYTES);
  let shift_depth_mm = 0;
  const hold = await shortestBlock(async () => {
    shift_depth_mm += 1;
    const dose = await page.call('dose.import', { files: [{ name: 'plan.nrrd', bytes }] });
    const reference = { dose: dose.id, shift_depth_mm };
    await page.call('dose.gamma', { run: id, reference, dose: 0.01, distance_mm: 1, viewport: view.viewport });
  });
  expect(hold).toBeLessThan(MAX_MS);
});
