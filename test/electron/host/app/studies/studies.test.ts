/** Studies as a page asks for them, solved by real processes. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { StudyEntry } from '../../../../../electron/contract/study/calls.ts';
import { idAt } from '../../../../../electron/contract/study/point-ids.ts';
import { plainLook } from '../../../../../electron/contract/study/views.ts';
import { hostOfFile } from '../../host-of-file.ts';
import { tinyScenario } from '../../small-run.ts';

const { test_, page } = await hostOfFile();

const study = (name: string, energies: readonly number[], rest: object = {}) => ({
  document: {
    kind: 'study',
    version: 1,
    name,
    base: [{ scenario: { ...tinyScenario } }],
    axes: [
      { kind: 'list', path: 'beam.energy_MeV', values: energies },
      { kind: 'list', path: 'solver.precision', values: ['fp32', 'fp64'] },
    ],
    measures: ['readouts', 'times'],
    ...rest,
  },
});

async function entryOf(id: string): Promise<StudyEntry> {
  const { studies } = await page.call('study.list', {});
  const found = studies.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no study ${id}`);
  return found;
}

async function ended(id: string): Promise<StudyEntry> {
  const until = Date.now() + 110_000;
  for (;;) {
    const entry = await entryOf(id);
    if (entry.state !== 'running' && entry.state !== 'stopping') return entry;
    if (Date.now() > until) throw new Error(`${id} did not end: ${JSON.stringify(entry)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const rowsOf = (id: string, look: object = {}) =>
  page.call('study.rows', { study: id, filter: '', sort: null, from: 0, count: 500, ...look });

const R80 = 'measure r80_mm';
const ENERGY = 'axis beam.energy_MeV';

test('a study of variants says which is the fastest; a scenario is offered what claims and tunables it has', async () => {
  const scenario = { kind: 'micro', version: 1, problem: { kind: 'gemm', m: 64, n: 64, k: 64 } };
  const { tunable, claims } = await page.call('study.offers', { document: scenario });
  expect(tunable).toContain('cpu-blocks');
  expect(Array.isArray(claims)).toBe(true);
  const { study: id } = await page.call('study.start', {
    document: {
      ...{ kind: 'study', version: 1, name: 'variants', base: [{ scenario: { ...tinyScenario } }], timing: 'alone' },
      ...{ repeats: 5, axes: [{ kind: 'list', path: 'solver.variant', values: ['window', 'gather'] }] },
    },
  });
  expect(await ended(id)).toMatchObject({ state: 'whole', done: 2, failed: 0 });
  const { lines } = await page.call('study.advice', { study: id, error_mm: 0.1 });
  expect(lines[0]?.text).toMatch(/^Fastest right variant on .*: (window|gather|undecided)\.$/);
  expect(lines[0]?.evidence.join()).toMatch(/readouts of the variants differ by at most/);
});

describe('a study of two axes', () => {
  let id = '';
  beforeAll(async () => {
    const plan = await page.call('study.plan', study('ranges', [20, 25, 30]));
    expect(plan).toMatchObject({ points: 6, combinations: 6, looked: 6, refused: [] });
    expect(plan.state_bytes).toBeGreaterThan(1000);
    ({ study: id } = await page.call('study.start', study('ranges', [20, 25, 30])));
    expect(await ended(id)).toMatchObject({ id: 'ranges', state: 'whole', points: 6, done: 6, failed: 0, error: null });
  });

  test('its rows: in the order of the plan, of a column, filtered, in parts', async () => {
    const all = await rowsOf(id);
    expect([all.all, all.matching, all.rows.length]).toEqual([6, 6, 6]);
    const at = (key: string): number => all.columns.findIndex((column) => column.key === key);
    expect(all.columns[at(ENERGY)]).toMatchObject({ unit: 'MeV', numeric: true, equal: false });
    expect(all.columns[at('point workload')]).toMatchObject({ equal: true, numeric: false });
    expect(all.rows.map((row) => row[at(ENERGY)])).toEqual([20, 20, 25, 25, 30, 30]);
    const ranges = all.rows.map((row) => Number(row[at(R80)]));
    expect(ranges[4]).toBeGreaterThan((ranges[0] ?? 0) * 1.8);
    const falling = await rowsOf(id, { sort: { key: R80, descending: true }, from: 1, count: 2 });
    expect(falling.rows.map((row) => row[at(R80)])).toEqual(ranges.toSorted((a, b) => b - a).slice(1, 3));
    const some = await rowsOf(id, { filter: 'beam.energy_MeV > 20 && precision == "fp64" && r80_mm < 8' });
    expect(some.rows.map((row) => [row[at(ENERGY)], row[at('axis solver.precision')]])).toEqual([[25, 'fp64']]);
    expect([some.matching, some.all]).toEqual([1, 6]);
  });

  test('in groups, with what was kept of a point, and views that stay with it', async () => {
    const groups = await rowsOf(id, { groups: ['axis solver.precision'] });
    expect(groups.rows.map((row) => row.slice(0, 2))).toEqual([
      ['fp32', 3],
      ['fp64', 3],
    ]);
    const { rows, columns } = await rowsOf(id);
    const point = String(rows[0]?.[columns.findIndex(({ key }) => key === 'point point')]);
    const { settings, result } = await page.call('study.result', { study: id, point });
    expect(settings).toBe('beam.energy_MeV = 20, solver.precision = "fp32"');
    expect(result).toMatchObject({ id: point, status: 'done' });
    await expect(page.call('study.result', { study: id, point: '0'.repeat(16) })).rejects.toThrow('has no point');
    const views = [{ name: 'mine', look: { ...plainLook, groups: ['axis solver.precision'] } }];
    await page.call('study.keepViews', { study: id, views });
    expect(await page.call('study.views', { study: id })).toEqual({ views });
    // One variant is no choice.
    expect(await page.call('study.advice', { study: id, error_mm: 0.1 })).toEqual({ lines: [] });
  });

  test('whole columns, numbers and texts', async () => {
    const { points, columns } = await page.call('study.values', {
      ...{ study: id, filter: 'beam.energy_MeV == 30', keys: [R80, 'axis solver.precision'] },
    });
    expect(points).toHaveLength(4);
    expect(columns[0]?.numbers).toHaveLength(2);
    expect(columns[1]?.texts).toEqual({ different: ['fp32', 'fp64'], of: Uint32Array.of(0, 1) });
    const none = await page.call('study.values', { study: id, filter: 'beam.energy_MeV == 31', keys: [R80] });
    expect(none).toMatchObject({ points: new Uint32Array(), columns: [{ numbers: new Float64Array() }] });
  });

  test('points that the page has are not told again; those of other rows are', async () => {
    const ask = (filter: string, known: string | null) =>
      page.call('study.values', { study: id, filter, keys: [R80], known });
    const all = await ask('', null);
    expect(all.points).toHaveLength(12);
    expect(await ask('', all.rows)).toEqual({ ...all, points: null });
    const some = await ask('beam.energy_MeV == 30', all.rows);
    expect(some.points).toHaveLength(4);
    expect(some.rows).not.toBe(all.rows);
  });

  test('what is no condition, no column or no study', async () => {
    await expect(rowsOf(id, { filter: 'beam.energy >' })).rejects.toMatchObject({ code: 'invalid' });
    await expect(rowsOf(id, { filter: 'r99_mm > 3' })).rejects.toThrow(/r99_mm is not set/);
    await expect(rowsOf(id, { sort: { key: 'measure r99_mm', descending: false } })).rejects.toMatchObject({
      code: 'not-found',
    });
    await expect(rowsOf('elsewhere')).rejects.toMatchObject({ code: 'not-found' });
    await expect(rowsOf('../ranges')).rejects.toMatchObject({ code: 'bad-request' });
  });

  test('a point opens as the scenario that was solved', async () => {
    const { points } = await page.call('study.values', { study: id, filter: 'beam.energy_MeV == 25', keys: [R80] });
    const { scenario, name } = await page.call('study.point', {
      study: id,
      point: idAt(points ?? new Uint32Array(), 1) ?? '',
    });
    expect(scenario).toMatchObject({ kind: 'transport', beam: { energy_MeV: 25 }, solver: { precision: 'fp64' } });
    expect(name).toContain('beam.energy_MeV = 25');
    await expect(page.call('study.point', { study: id, point: '0123456789abcdef' })).rejects.toThrow(/has no point/);
  });

  test.each(['csv', 'parquet', 'h5', 'json'] as const)('its table as %s', async (format) => {
    const { name, bytes } = await page.call('study.export', { study: id, format });
    expect(name).toBe(`ranges.${format}`);
    const starts = { csv: 'point,', parquet: 'PAR1', h5: '\x89HDF', json: '{"columns"' } as const;
    expect(Buffer.from(bytes).toString('latin1').startsWith(starts[format])).toBe(true);
  });

  test('the same one again solves nothing; another of its name gets a folder of its own', async () => {
    expect(await page.call('study.start', study('ranges', [20, 25, 30]))).toEqual({ study: 'ranges' });
    expect(await ended('ranges')).toMatchObject({ done: 6 });
    const { study: other } = await page.call('study.start', study('ranges', [21]));
    expect(other).toBe('ranges 2');
    expect(await ended(other)).toMatchObject({ state: 'whole', points: 2, done: 2 });
  });
});

test('stops before its end, keeps what is there, and goes on', async () => {
  const energies = Array.from({ length: 400 }, (_, i) => 20 + i / 40);
  const { study: id } = await page.call('study.start', study('long', energies));
  await expect.poll(async () => (await entryOf(id)).done).toBeGreaterThan(2);
  await expect(page.call('study.resume', { study: id, retry: false })).rejects.toMatchObject({ code: 'exists' });
  await page.call('study.stop', { study: id });
  const stopped = await ended(id);
  expect(stopped.state).toBe('open');
  expect(stopped.done).toBeLessThan(800);
  await page.call('study.resume', { study: id, retry: false });
  await expect.poll(async () => (await entryOf(id)).done).toBeGreaterThan(stopped.done);
  await page.call('study.stop', { study: id });
  await ended(id);
});

test('what a study takes here, by some of its points; a newer question ends the one before', async () => {
  const asked = study('forecast', [20, 25, 30], { repeats: 2 });
  const [first, second] = await Promise.all([page.call('study.forecast', asked), page.call('study.forecast', asked)]);
  expect(first.forecast).toBeNull();
  expect(second.forecast).toMatchObject({ isLeast: false, gpus: 0 });
  expect(second.forecast?.expected_s).toBeGreaterThan(0);
  expect(second.forecast?.probed).toBeGreaterThanOrEqual(2);
  const { state_bytes } = await page.call('study.plan', asked);
  const { at_once = 0, memory_bytes } = second.forecast ?? {};
  expect(memory_bytes).toBe(at_once * (state_bytes ?? 0));
  // Nothing of it is left, and a search or a study that cannot be run has none.
  expect((await page.call('run.list', {})).runs).toEqual([]);
  expect((await page.call('study.forecast', study('hopeless', [9000]))).forecast).toBeNull();
});

test('faults of a study, and points that cannot be run', async () => {
  const wrong = study('wrong', [20], { conditions: ['beam.energy_MeV >'] });
  await expect(page.call('study.start', wrong)).rejects.toMatchObject({ code: 'invalid' });
  const plan = await page.call('study.plan', study('beyond', [20, 9000]));
  expect(plan.refused[0]?.settings).toContain('beam.energy_MeV = 9000');
  expect(plan.refused[0]?.message).toMatch(/energy/);
  await expect(page.call('study.start', study('hopeless', [9000]))).rejects.toThrow(/None of the points/);
});

test('a folder that holds no study is not listed', async () => {
  const folder = path.join(test_.folder, 'library', 'studies', 'foreign.study');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'plan.json'), '{"format":"other"}');
  const { studies } = await page.call('study.list', {});
  expect(studies.map(({ id }) => id)).not.toContain('foreign');
});

test('rows that were read are not read again, however many ask at once', async () => {
  const { study: id } = await page.call('study.start', study('kept', [20, 22]));
  await ended(id);
  expect((await rowsOf(id)).rows).toHaveLength(4);
  // Files that a second thread would read.
  const results = path.join(test_.folder, 'library', 'studies', `${id}.study`, 'results');
  const files = readdirSync(results, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
  for (const file of files) writeFileSync(path.join(results, file), 'damaged');
  const asked = await Promise.all([rowsOf(id), rowsOf(id, { sort: { key: R80, descending: true } }), rowsOf(id)]);
  expect(asked.map(({ rows, columns }) => [rows.length, columns.some(({ key }) => key === R80)])).toEqual(
    asked.map(() => [4, true]),
  );
});
