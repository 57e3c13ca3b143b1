/**
 * Constants from recorded sessions that become the defaults of a GPU generation. The shipped tunables, compared with
 * the sources that contain them.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { configuredKernel, spaceOf } from '../../../../../electron/host/app/user-kernels/configured.ts';
import { loadAddon } from '../../../../../electron/host/io/addon/addon.ts';
import { readVariantSources } from '../../../../../electron/host/model/bench/sources.ts';
import {
  readConstants,
  readHopperConstants,
  replaceConstants,
} from '../../../../../electron/host/model/tuning/constants.ts';
import {
  readTunedRecords,
  type TunedRecord,
  type TunedSession,
  tunedValuesFor,
} from '../../../../../electron/host/model/tuning/recorded.ts';
import {
  type Candidate,
  makeCandidates,
  type Strategy,
  searchConfigurations,
} from '../../../../../electron/host/model/tuning/search.ts';
import {
  completeConfiguration,
  listConfigurations,
  readShippedSpaces,
  type ShippedSpace,
  type Space,
} from '../../../../../electron/host/model/tuning/space.ts';
import { allVariants } from '../../../../../electron/host/workloads/index.ts';

describe('tunable constants', () => {
  const text = `#pragma once
inline constexpr int kThreads = 256;  // kThreads = 1 in a comment stays
constexpr std::size_t kDepth = 64, kWide = 512;
BB_TUNABLE(int, kTile, 32);
#define kUnroll 4
constexpr unsigned kPitch = kTile + 4;
int other(int kLike) { return kThreads == 256 ? kLike : 0; }
`;

  test('are found in each of their forms, and changed in place', () => {
    const names = ['kThreads', 'kDepth', 'kWide', 'kTile', 'kUnroll'];
    expect(readConstants(text, names, 'a.hpp')).toEqual({
      kThreads: 256,
      kDepth: 64,
      kWide: 512,
      kTile: 32,
      kUnroll: 4,
    });
    const changed = replaceConstants(text, { kWide: 1024, kTile: 8, kThreads: 64, kUnroll: 1 }, 'a.hpp');
    expect(readConstants(changed, names, 'a.hpp')).toEqual({
      kThreads: 64,
      kDepth: 64,
      kWide: 1024,
      kTile: 8,
      kUnroll: 1,
    });
    expect(changed.split('\n')).toHaveLength(text.split('\n').length);
    expect(changed).toContain('kThreads = 1 in a comment stays');
    expect(changed).toContain('kThreads == 256 ?');
  });

  test('are replaced together with the default if they belong to a GPU generation', () => {
    const two = 'BB_TUNABLE_90(int, kRows, 4, 16);';
    expect(readConstants(two, ['kRows'], 'a.hpp')).toEqual({ kRows: 4 });
    expect(readHopperConstants(`${two}${text}`, ['kRows', 'kTile'], 'a.hpp')).toEqual({ kRows: 16, kTile: 32 });
    expect(replaceConstants(two, { kRows: 8 }, 'a.hpp')).toBe('BB_TUNABLE_90(int, kRows, 8, 8);');
  });

  test.each([
    ['kLike', 'is not a constant whole number'],
    ['kPitch', 'is not a constant whole number'],
    ['kMissing', 'is not a constant whole number'],
  ])('are rejected by name: %s', (name, says) => {
    expect(() => readConstants(text, [name], 'a.hpp')).toThrow(`a.hpp: ${name} ${says}`);
  });

  test('are rejected if they occur twice', () => {
    expect(() => replaceConstants(`${text}\nconstexpr int kTile = 1;`, { kTile: 2 }, 'a.hpp')).toThrow(
      'occurs 2 times',
    );
  });
});

describe('searches of a tuning space', () => {
  /** 16 × 16 × 8 configurations, two of which cannot run. */
  const points = Array.from({ length: 2048 }, (_, i) => ({
    id: String(i),
    variant: 'own',
    configuration: { kA: i % 16, kB: Math.floor(i / 16) % 16, kC: Math.floor(i / 256) },
  }));
  const candidates = makeCandidates(points);

  /** A bowl with ripples, whose minimum is at 11, 5, 3. */
  function timeOf({ at: [a = 0, b = 0, c = 0] }: Candidate): number | null {
    if (a === 0 && b === 0) return null;
    const ripple = ((a * 7 + b * 3 + c * 5) % 4) * 0.8;
    return (
      1 + (a - 11) ** 2 / 20 + (b - 5) ** 2 / 20 + (c - 3) ** 2 / 4 + (a === 11 && b === 5 && c === 3 ? 0 : ripple)
    );
  }

  class LimitReached extends Error {}

  /** Runs a search; returns the ids in the order of measurement, and the lowest time. */
  async function runSearch(strategy: Strategy, seed: number, most: number) {
    const ids: string[] = [];
    let best = Number.POSITIVE_INFINITY;
    const go = searchConfigurations(strategy, candidates, seed, async (one) => {
      if (ids.length >= most) throw new LimitReached();
      ids.push(one.id);
      const time = timeOf(one);
      best = Math.min(best, time ?? best);
      return time;
    });
    await go.catch((error: unknown) => {
      if (!(error instanceof LimitReached)) throw error;
    });
    return { ids, best };
  }

  test.each<Strategy>(['exhaustive', 'random', 'local'])(
    'measure each configuration once, in an order that the seed determines: %s',
    async (strategy) => {
      const all = await runSearch(strategy, 1, 5000);
      expect(new Set(all.ids).size).toBe(2048);
      expect(all.ids).toHaveLength(2048);
      expect(all.best).toBe(1);
      const again = await runSearch(strategy, 1, 200);
      expect(again.ids).toEqual(all.ids.slice(0, 200));
      const other = await runSearch(strategy, 2, 200);
      expect(other.ids.join() === again.ids.join()).toBe(strategy === 'exhaustive');
    },
  );

  test('get nearer to the best, if local, than random searches of the same budget, over 20 seeds', async () => {
    const mean = async (strategy: Strategy): Promise<number> => {
      const all = await Promise.all(Array.from({ length: 20 }, (_, i) => runSearch(strategy, i, 150)));
      return all.reduce((sum, { best }) => sum + best, 0) / all.length;
    };
    expect(await mean('local')).toBeLessThan(await mean('random'));
  });

  test('begin at the given point if local, and list the configurations likely to be measured next', async () => {
    const start = candidates.filter(({ at }) => at.join() === '11,6,3');
    const seen: { id: string; next: readonly string[] }[] = [];
    const go = searchConfigurations(
      'local',
      candidates,
      1,
      async (one, next) => {
        if (seen.length > 30) throw new LimitReached();
        seen.push({ id: one.id, next: next.map(({ id }) => id) });
        return timeOf(one);
      },
      start,
    );
    await expect(go).rejects.toThrow(LimitReached);
    expect(seen[0]?.id).toBe(start[0]?.id);
    // The first announced neighbour must be the next point that is measured. No measured point may be announced.
    expect(seen[0]?.next[0]).toBe(seen[1]?.id);
    expect(seen[0]?.next).toHaveLength(15 + 15 + 7);
    for (const [i, { next }] of seen.entries())
      expect(next.filter((id) => seen.slice(0, i + 1).some((one) => one.id === id))).toEqual([]);
  });
});

describe('recorded tuning results', () => {
  /** Ratios for each value of kA: low, middle, high. */
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

  test('apply the fastest configuration that is faster on both GPUs', () => {
    const one = record('One', [session('window', { 4: fast, 5: faster, 6: faster })]);
    const two = record('Two', [session('window', { 4: fast, 5: fast, 6: slow })]);
    expect(tunedValuesFor([one, two], source, 90)).toEqual({ kA: 5 });
    expect(tunedValuesFor([one, two], { ...source, file: 'b.hpp' }, 90)).toBeNull();
    expect(tunedValuesFor([one, two], source, 80)).toBeNull();
  });

  test('apply with one GPU until a second one contradicts, but not for another generation', () => {
    const one = record('One', [session('window', { 4: fast })]);
    expect(tunedValuesFor([one], source, 90)).toEqual({ kA: 4 });
    expect(tunedValuesFor([one, record('Two', [session('window', { 4: slow })], 80)], source, 90)).toEqual({ kA: 4 });
    expect(tunedValuesFor([one, record('Two', [session('window', { 4: level })])], source, 90)).toBeNull();
  });

  test('change no default for a gain of less than 5 %', () => {
    const little = [0.955, 0.96, 0.965] as const;
    expect(tunedValuesFor([record('One', [session('window', { 4: little })])], source, 90)).toBeNull();
  });

  test('change no constants of a source whose variants were not all tuned', () => {
    const one = record('One', [session('window', { 4: fast })]);
    expect(tunedValuesFor([one], { ...source, variants: ['window', 'depth'] }, 90)).toBeNull();
  });

  test.each<[string, Ratios]>([
    ['slower for another variant of the source', { 4: slow }],
    ['not measured for it', { 5: fast }],
  ])('do not apply if %s', (_, depth) => {
    const cards = ['One', 'Two'].map((name) => record(name, [session('window', { 4: fast }), session('depth', depth)]));
    expect(tunedValuesFor(cards, both, 90)).toBeNull();
  });

  test('apply if one variant is unchanged and the other faster on each GPU', () => {
    const cards = ['One', 'Two'].map((name) =>
      record(name, [session('window', { 4: fast }), session('depth', { 4: level })]),
    );
    expect(tunedValuesFor(cards, both, 90)).toEqual({ kA: 4 });
  });

  test('never apply a wrong configuration', () => {
    const wrong = session('window', { 4: fast });
    const entries = wrong.entries.map((entry) => ({ ...entry, right: false }));
    const cards = ['One', 'Two'].map((name) => record(name, [{ ...wrong, entries }]));
    expect(tunedValuesFor(cards, source, 90)).toBeNull();
  });

  test('are ordered by age, and a damaged record is reported', async () => {
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
});

const root = path.join(import.meta.dirname, '../../../../..');
const spaces: readonly ShippedSpace[] = await readShippedSpaces(path.join(root, 'assets'));
const records = await readTunedRecords(path.join(root, 'assets'));
/** BB_TUNABLE_90 has values from this architecture on. */
const HOPPER = 90;

describe.each(spaces.map((space) => [`${space.bench || space.workload} ${space.variants.join(', ')}`, space] as const))(
  '%s',
  (_, { workload, bench, variants, file, tunables, conditions }) => {
    let text = '';
    beforeAll(async () => {
      text = await readFile(path.join(root, file), 'utf8');
    });

    test('has its constants in the source, with allowed values', () => {
      const usual = readConstants(
        text,
        tunables.map(({ name }) => name),
        file,
      );
      const space = { variant: variants[0] ?? '', file, tunables, conditions, usual };
      expect(completeConfiguration(space, usual)).toEqual(usual);
      const all = listConfigurations(space);
      expect(all.length).toBeGreaterThan(3);
      expect(all).toContainEqual(usual);
    });

    test('uses its recorded values on Hopper where they apply, and otherwise the defaults', () => {
      const names = tunables.map(({ name }) => name);
      const held = tunedValuesFor(records, { file, variants }, HOPPER) ?? readConstants(text, names, file);
      expect(readHopperConstants(text, names, file)).toEqual(held);
    });

    test('has its variants in the named file', async () => {
      for (const id of variants) {
        const variant = allVariants(loadAddon()).find(
          (one) => one.workload === workload && one.bench === bench && one.id === id,
        );
        expect(variant, id).toBeDefined();
        if (variant === undefined) continue;
        const files = await readVariantSources(path.join(root, 'kernels'), variant);
        expect(files.map((one) => one.path)).toContain(file);
      }
    });
  },
);

test('sets the compiler option for fmad and leaves the source unchanged', async () => {
  const parts = {
    bases: allVariants(loadAddon()),
    shipped: spaces,
    folders: { images: '', sources: path.join(root, 'kernels'), cache: '' },
    find: () => null,
  };
  const source = await spaceOf('cuda-gather', { workload: 'transport', bench: '' }, parts);
  if (source === null) throw new Error('cuda-gather has no tunables');
  const of = (configuration: Readonly<Record<string, number>>) =>
    configuredKernel(source, { variant: 'cuda-gather', configuration });
  const [apart, fused, threads] = [of({ fmad: 0 }), of({ fmad: 1 }), of({ fmad: 0, kGatherThreads: 64 })];
  expect([apart, fused, threads].map(({ description }) => description.compile)).toEqual([
    { fmad: false },
    { fmad: true },
    { fmad: false },
  ]);
  expect([apart.id, apart.expandedText, fused.expandedText]).toEqual(['cuda-gather[fmad=0]', source.text, source.text]);
  expect(apart.sha256).not.toBe(fused.sha256);
  expect(readConstants(threads.expandedText, ['kGatherThreads'], source.space.file)).toEqual({ kGatherThreads: 64 });
  expect(() => of({ fmad: 2 })).toThrow('cuda-gather: fmad = 2; allowed: 0, 1');
});

describe('tuning spaces', () => {
  const space: Space = {
    variant: 'own',
    file: 'own.cu',
    tunables: [
      { name: 'kX', values: [16, 32, 64], about: '' },
      { name: 'kY', values: [1, 2, 16, 64], about: '' },
    ],
    conditions: ['kX * kY <= 1024', 'kX % 32 == 0 || kY == 1'],
    usual: { kX: 32, kY: 2 },
  };

  test('list all configurations that the conditions allow, in order', () => {
    expect(listConfigurations(space).map(({ kX, kY }) => [kX, kY])).toEqual([
      [16, 1],
      [32, 1],
      [32, 2],
      [32, 16],
      [64, 1],
      [64, 2],
      [64, 16],
    ]);
  });

  test('keep unnamed constants as in the source, and reject other names with what is allowed', () => {
    expect(completeConfiguration(space, { kX: 64 })).toEqual({ kX: 64, kY: 2 });
    expect(() => completeConfiguration(space, { kX: 48 })).toThrow('own: kX = 48; allowed: 16, 32, 64');
    expect(() => completeConfiguration(space, { kZ: 1 })).toThrow('own has no tunable kZ; allowed: kX, kY');
    expect(() => completeConfiguration(space, { kX: 64, kY: 64 })).toThrow('own: kX * kY <= 1024 does not hold');
  });

  test('evaluate conditions on values without executing code', () => {
    const asks = (condition: string) => () => listConfigurations({ ...space, conditions: [condition] });
    expect(asks('process.exit(1) == 1')).toThrow('own: the condition "process.exit(1) == 1"');
    expect(asks('kQ > 1')).toThrow('kQ is not set for this point');
    expect(asks('kX * kY')).toThrow('is neither true nor false');
  });

  test('are rejected if they are too large to list', () => {
    const values = Array.from({ length: 101 }, (_, i) => i);
    const tunables = ['kA', 'kB', 'kC'].map((name) => ({ name, values, about: '' }));
    expect(() => listConfigurations({ ...space, tunables })).toThrow(
      '1030301 configurations are too many; allowed: 1000000',
    );
  });
});
