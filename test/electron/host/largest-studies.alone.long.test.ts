/**
 * A study of a hundred thousand rows: every view has all of them. Meanwhile the host's event loop must serve others.
 */
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { idAt } from '../../../electron/contract/study/result.ts';
import type { Client } from '../../../renderer/data/client/client.ts';
import { heatCells } from '../../../renderer/panels/studies/heat-map.ts';
import { parallelPlotOf } from '../../../renderer/panels/studies/parallel.ts';
import { resultsChart } from '../../../renderer/panels/studies/results-chart.ts';
import { mergeColumns, NO_VALUES } from '../../../renderer/panels/studies/use-rows.ts';
import { WIDE_VARIANTS, writeWideStudy } from '../../wide-study.ts';
import { MAX_MS, shortestBlock } from './longest-hold.ts';
import { smallScenario } from './small-run.ts';
import { openTestHost, type TestHost } from './test-host.ts';

const ROWS = 100_000;
const study = 'wide';
const look = { study, filter: '', sort: null, groups: [], from: 0, count: 400 };
const keys = ['axis problem.n', 'measure time_s', 'axis solver.variant', 'measure r80_mm'];

let test_: TestHost;
let page: Client;
beforeAll(async () => {
  test_ = await openTestHost({ checkResults: false });
  page = await test_.page();
  await writeWideStudy(path.join(test_.folder, 'library', 'studies', `${study}.study`), ROWS);
  await page.call('scenario.resolve', { scenario: smallScenario, file: null });
}, 600_000);
afterAll(() => test_.close());

const requestedViews: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['listed', () => page.call('study.list', {})],
  ['first rows', () => page.call('study.rows', look)],
  [
    'sorted, last rows',
    () => page.call('study.rows', { ...look, sort: { key: keys[1] ?? '', descending: true }, from: ROWS - 400 }),
  ],
  ['filtered', () => page.call('study.rows', { ...look, filter: 'problem.n > 1000 && solver.variant == "tiled"' })],
  ['grouped', () => page.call('study.rows', { ...look, groups: [keys[2] ?? ''] })],
  ['columns for plots', () => page.call('study.values', { study, filter: '', keys })],
  ['advice', () => page.call('study.advice', { study, error_mm: 0.1 })],
  ['exported', () => page.call('study.export', { study, format: 'csv' })],
];

test.each(requestedViews)(
  'a hundred thousand rows, %s, do not block other requests',
  { timeout: 600_000 },
  async (_what, ask) => {
    await ask(); // read once: the measured requests are cached
    expect(await shortestBlock(ask)).toBeLessThan(MAX_MS);
  },
);

test('every view returns all of a hundred thousand rows', { timeout: 600_000 }, async () => {
  const all = await page.call('study.rows', look);
  expect([all.all, all.matching, all.rows.length]).toEqual([ROWS, ROWS, 400]);
  const tiled = await page.call('study.rows', { ...look, filter: 'problem.n > 1000 && solver.variant == "tiled"' });
  expect(tiled.matching).toBe(ROWS / WIDE_VARIANTS.length - 1001);
  const groups = await page.call('study.rows', { ...look, groups: ['axis solver.variant'] });
  expect([groups.shown, groups.matching]).toEqual([WIDE_VARIANTS.length, ROWS]);
  const { points, columns } = mergeColumns(
    NO_VALUES,
    await page.call('study.values', { study, filter: '', keys }),
    keys,
  );
  expect(new Set(Array.from({ length: ROWS }, (_, i) => idAt(points, i))).size).toBe(ROWS);
  const info = (key: string) => ({ key, name: key, unit: '', of: 'axis' as const, equal: false, numeric: true });
  const numbers = (i: number) => ({ info: info(keys[i] ?? ''), numbers: columns[i]?.numbers ?? new Float64Array() });
  const words = { info: { ...info('v'), numeric: false }, texts: columns[2]?.texts ?? [] };
  const chart = resultsChart({
    ...{ x: numbers(0), y: numbers(1), ends: null, logX: false, logY: true, look: 'points' },
    groups: { title: 'variant', of: words.texts },
  });
  expect(chart.panes[0]?.series.reduce((sum, { x }) => sum + x.length, 0)).toBe(ROWS);
  const pareto = resultsChart({
    ...{ x: numbers(3), y: numbers(1), ends: null, groups: null, logX: false, logY: false },
    look: 'pareto',
  });
  expect(pareto.panes[0]?.series.length).toBeGreaterThan(0);
  const cells = heatCells(words, numbers(0), numbers(1));
  expect(cells.counts.flat().reduce((sum, count) => sum + count)).toBe(ROWS);
  expect(parallelPlotOf([words, numbers(0), numbers(1)], new Set(['measure time_s'])).rows).toHaveLength(ROWS);
  const { lines } = await page.call('study.advice', { study, error_mm: 0.1 });
  expect(lines[0]?.text).toContain('Fastest correct variant');
});
