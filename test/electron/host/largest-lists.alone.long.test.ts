/** Many files, sessions and sweep values. While they are processed, the host's event loop must serve others. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { labelsFile } from '../../../electron/host/app/library/facts.ts';
import type { Client } from '../../../renderer/data/client/client.ts';
import { findLongBlocks, idleBlock, longestBlock, longSession, MAX_MS, shortestAttempt } from './longest-hold.ts';
import { smallScenario } from './small-run.ts';
import { openTestHost, type TestHost } from './test-host.ts';

let test_: TestHost;
let page: Client;
let library: string;
beforeAll(async () => {
  test_ = await openTestHost({ checkResults: false });
  page = await test_.page();
  library = path.join(test_.folder, 'library');
  mkdirSync(library, { recursive: true });
  // Warms up: the tests below measure many files, not code that runs for the first time.
  await page.call('scenario.resolve', { scenario: smallScenario, file: null });
});
afterAll(() => test_.close());

const put = (name: string, text: string): void => writeFileSync(path.join(library, name), text);
const inLibrary = (key: string) => ({ kind: 'library', key }) as const;

/** Sends the request to hosts with empty caches, since a second read would be cached. */
function firstBlock_ms(ask: (page: Client) => Promise<unknown>): Promise<number> {
  return shortestAttempt(async () => {
    const fresh = await openTestHost({ checkResults: false });
    try {
      const asking = await fresh.page();
      const idle = await idleBlock();
      return (await longestBlock(() => ask(asking))) - idle;
    } finally {
      await fresh.close();
    }
  });
}

const sessionRequests: readonly (readonly [string, (page: Client) => Promise<unknown>])[] = [
  ['list', (asking) => asking.call('bench.list', {})],
  ['comparison with claims', (asking) => asking.call('claims.table', {})],
  ['history', (asking) => asking.call('bench.history', { workload: 'micro' })],
  ['advice on methods', (asking) => asking.call('bench.decisions', { workload: 'micro' })],
  ['list of small workloads', (asking) => asking.call('task.stored', { workload: 'micro' })],
  ['kernels', (asking) => asking.call('launch.kernels', {})],
];

test.each(sessionRequests)('a hundred recorded sessions do not block the event loop: %s', async (_what, ask) => {
  expect(await firstBlock_ms(ask)).toBeLessThan(MAX_MS);
});

test('rows of a session with thousands of rounds do not block the event loop', async () => {
  put('long.session.json', longSession(0.9));
  const source = { kind: 'file', file: inLibrary('long.session.json') } as const;
  const { id, subjects } = await page.call('bench.open', { source });
  const all = subjects.map(({ subject }) => subject);
  expect(all.length).toBe(2);
  const long = await findLongBlocks([
    ['rows', () => page.call('compare.rows', { subjects: all, reference: 0 })],
    ['session', () => page.call('bench.session', { bench: id })],
    ['saved', () => page.call('bench.save', { bench: id, file: inLibrary('b.session.json'), ifExists: 'replace' })],
  ]);
  expect(long).toEqual({});
});

test('a sweep of a hundred values does not block the event loop', async () => {
  const regions = Array.from({ length: 40 }, (_, i) => ({
    material: 'bone-compact-icru',
    x_mm: [-1, 1],
    z_mm: [i / 5, i / 5 + 0.1],
  }));
  const scenario = { ...smallScenario, geometry: { ...smallScenario.geometry, regions } };
  const sweep = { path: 'beam.energy_MeV', values: Array.from({ length: 100 }, (_, i) => 20 + i / 10) };
  const start = async (): Promise<void> => {
    const { id } = await page.call('bench.start', {
      ...{ scenario, file: null, name: '', variants: ['window'], sweep },
    });
    await page.call('bench.cancel', { bench: id });
    await test_.host.benches.waitForEnd(id);
  };
  expect(await findLongBlocks([['start', start]])).toEqual({});
});

const FILES = 500;

test('a library of many files with long remarks does not block the event loop', async () => {
  for (let i = 0; i < FILES; i += 1) {
    put(`s${i}.json`, JSON.stringify({ ...smallScenario, name: `n${i}`, notes: 'word '.repeat(100) }));
  }
  const labels = Object.fromEntries(
    Array.from({ length: 4 * FILES }, (_, i) => [
      `s${i}.json`,
      { tags: ['a', 'b', `t${i % 50}`], remark: 'remark '.repeat(200) },
    ]),
  );
  mkdirSync(path.dirname(labelsFile(library)), { recursive: true });
  const query = { text: '', kind: null, tag: null, place: 'yours', order: 'newest', limit: 1000 } as const;
  let n = 0;
  const long = await findLongBlocks([
    ['found', () => page.call('library.search', query)],
    [
      'found by remarks',
      () => {
        n += 1;
        // Changes the labels each time, because unchanged ones are not read again.
        writeFileSync(
          labelsFile(library),
          JSON.stringify({ version: 1, labels: { ...labels, n: { tags: [`${n}`], remark: '' } } }),
        );
        return page.call('library.search', { ...query, text: 'remark' });
      },
    ],
    ['labelled', () => page.call('library.label', { file: inLibrary('s7.json'), tags: [`${n}`], remark: 'x' })],
    ['listed', () => page.call('scenario.library', {})],
    ['made anew', () => page.call('library.rebuild', {})],
  ]);
  expect(long).toEqual({});
  const { items, total } = await page.call('library.search', { ...query, text: 'remark n4' });
  expect(items.length).toBe(total);
  expect(total).toBeGreaterThan(FILES / 10);
});

test('a draft with the maximum number of values does not block the event loop', async () => {
  const extra = Array.from({ length: 7_000 }, (_, i) => ({ a: i, b: [i, 'x'], c: { d: 1 } }));
  const regions = extra.map((_, i) => ({ z_mm: [i, i + 1], material: 'water', x_mm: [-1, 1] }));
  const drafts = { extra: { ...smallScenario, extra }, regions: { ...smallScenario, geometry: { regions } } };
  // Calls the host directly: a page in this process would need time to serialize its requests.
  for (const scenario of Object.values(drafts)) {
    const file = inLibrary('large.json');
    const long = await findLongBlocks([
      ['text', () => test_.host.call('scenario.text', { scenario })],
      ['saved', () => test_.host.call('scenario.save', { scenario, file, ifExists: 'replace' })],
      [
        'kept',
        () => test_.host.call('recovery.keep', { page: 'p'.repeat(16), title: '', file: null, draft: scenario }),
      ],
      ['resolved', () => test_.host.call('scenario.resolve', { scenario, file: null })],
      ['asked', () => test_.host.call('run.start', { scenario, name: '' }).catch(() => null)],
    ]);
    expect(long).toEqual({});
  }
});
