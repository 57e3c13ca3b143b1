/** Which constants the recorded sessions make the defaults of a generation. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  heldFor,
  readTunedRecords,
  type TunedRecord,
  type TunedSession,
} from '../../../../../electron/host/model/tuning/recorded.ts';

/** Ratios by the value of kA: low, middle, high. */
type Ratios = Readonly<Record<number, readonly [number, number, number]>>;

const session = (variant: string, ratios: Ratios): TunedSession => ({
  ...{ session: variant, workload: 'transport', bench: '', variant, file: 'a.hpp', scenario: 'beam', measured: 9 },
  usual: { kA: 3 },
  entries: Object.entries(ratios).map(([value, [low, ratio, high]]) => ({
    configuration: { kA: Number(value) },
    ...{ time_s: ratio / 1e3, ratio, interval: { low, high }, right: true },
  })),
});
const record = (name: string, sessions: readonly TunedSession[], architecture = 90): TunedRecord => ({
  ...{ format: 'braggbench-tuned', format_version: 1, created: '2026-01-01T00:00:00Z', commit: null },
  on: { name, uuid: null, driver: null, architecture },
  sessions,
});

const source = { file: 'a.hpp', variants: ['window'] };
const both = { ...source, variants: ['window', 'depth'] };
const fast = [0.88, 0.9, 0.92] as const;
const faster = [0.78, 0.8, 0.82] as const;
const level = [0.99, 1, 1.01] as const;
const slow = [1.05, 1.1, 1.15] as const;

test('what is faster on both cards holds, the fastest of several', () => {
  const one = record('One', [session('window', { 4: fast, 5: faster, 6: faster })]);
  const two = record('Two', [session('window', { 4: fast, 5: fast, 6: slow })]);
  expect(heldFor([one, two], source, 90)).toEqual({ kA: 5 });
  expect(heldFor([one, two], { ...source, file: 'b.hpp' }, 90)).toBeNull();
  expect(heldFor([one, two], source, 80)).toBeNull();
});

test('one card speaks until a second one contradicts; another generation does not', () => {
  const one = record('One', [session('window', { 4: fast })]);
  expect(heldFor([one], source, 90)).toEqual({ kA: 4 });
  expect(heldFor([one, record('Two', [session('window', { 4: slow })], 80)], source, 90)).toEqual({ kA: 4 });
  expect(heldFor([one, record('Two', [session('window', { 4: level })])], source, 90)).toBeNull();
});

test('a gain of less than 5 % changes no default', () => {
  const little = [0.955, 0.96, 0.965] as const;
  expect(heldFor([record('One', [session('window', { 4: little })])], source, 90)).toBeNull();
});

test('a source whose variants were not all tuned keeps its constants', () => {
  const one = record('One', [session('window', { 4: fast })]);
  expect(heldFor([one], { ...source, variants: ['window', 'depth'] }, 90)).toBeNull();
});

test.each<[string, Ratios]>([
  ['slower for another variant of the source', { 4: slow }],
  ['not measured for it', { 5: fast }],
])('%s: it does not hold', (_, depth) => {
  const cards = ['One', 'Two'].map((name) => record(name, [session('window', { 4: fast }), session('depth', depth)]));
  expect(heldFor(cards, both, 90)).toBeNull();
});

test('level for one variant and faster for the other on each card: it holds', () => {
  const cards = ['One', 'Two'].map((name) =>
    record(name, [session('window', { 4: fast }), session('depth', { 4: level })]),
  );
  expect(heldFor(cards, both, 90)).toEqual({ kA: 4 });
});

test('a wrong one never holds', () => {
  const wrong = session('window', { 4: fast });
  const entries = wrong.entries.map((entry) => ({ ...entry, right: false }));
  const cards = ['One', 'Two'].map((name) => record(name, [{ ...wrong, entries }]));
  expect(heldFor(cards, source, 90)).toBeNull();
});

test('records are read by age; a damaged one is told', async () => {
  const assets = await mkdtemp(path.join(tmpdir(), 'braggbench-tuned-'));
  expect(await readTunedRecords(assets)).toEqual([]);
  await mkdir(path.join(assets, 'tuned'));
  const write = (name: string, value: unknown): Promise<void> =>
    writeFile(path.join(assets, 'tuned', name), JSON.stringify(value));
  await write('a.json', { ...record('Late', []), created: '2026-02-01T00:00:00Z' });
  await write('b.json', record('Early', []));
  expect((await readTunedRecords(assets)).map(({ on }) => on.name)).toEqual(['Early', 'Late']);
  await write('c.json', { ...record('Bad', []), sessions: [{}] });
  await expect(readTunedRecords(assets)).rejects.toThrow();
  await rm(assets, { recursive: true });
});
