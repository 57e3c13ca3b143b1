/** One table of a session: `bench`, `compare`, the HTML report and the page show the same columns, words and cells. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { sweepLines } from '../../../electron/cli/benching.ts';
import { displayWidth } from '../../../electron/cli/table.ts';
import { buildSweepTable } from '../../../electron/domain/sweep-table.ts';
import { reportRows } from '../../../electron/host/app/compare/rows.ts';
import { parseSession } from '../../../electron/host/app/sessions/index.ts';
import type { CompareStore } from '../../../renderer/panels/compare/store.ts';
import { TableView } from '../../../renderer/panels/compare/table-view.tsx';
import { createComparisonStore } from '../../../renderer/state/comparison.ts';
import { WorkbenchContext } from '../../../renderer/workbench/context.ts';
import type { Workbench } from '../../../renderer/workbench/workbench.ts';
import { braggbenchInProcess, environmentWith } from '../cli/command.ts';
import { assetsFolder } from '../host/small-run.ts';

/** Rows with names in the first column: the title row, then one for each variant. */
type Cells = readonly (readonly string[])[];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'braggbench-table-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function printedLines(...words: string[]): Promise<readonly string[]> {
  const ended = await braggbenchInProcess(words, { cwd: folder, environment: environmentWith(folder) });
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  return ended.stdout.split('\n');
}

/** Parses a table with one title line, whose columns are two spaces apart. */
function cellsOf(lines: readonly string[], rows: number): Cells {
  const from = lines.findIndex((line) => /^Variant {2,}Verdict/.test(line));
  return lines.slice(from, from + rows + 1).map((line) => line.trim().split(/ {2,}/));
}

const words = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&amp;', '&')
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .trim();

const cellsIn = (html: string): Cells =>
  [...html.matchAll(/<tr[\s>].*?<\/tr>/gs)].map(([row]) =>
    [...row.matchAll(/<t[hd][\s>].*?<\/t[hd]>/gs)].map(([cell]) =>
      words(cell.replace(/<small[^>]*>.*?<\/small>/gs, '')),
    ),
  );

async function pageOf(file: string): Promise<Cells> {
  const session = parseSession(await readFile(file, 'utf8'), file);
  const { rows, words: terms, groups } = await reportRows(session, session.reports.length - 1);
  const store = createStore(() => ({ hidden: [], sort: null })) as unknown as CompareStore;
  const connection = createStore(() => ({ capabilities: { devices: { cuda: { devices: [] } } } }));
  const workbench = { stores: { comparison: createComparisonStore(), connection }, figures: {} };
  const shown = rows.map((row, i) => {
    const isGroupReference = row.verdict === 'reference';
    const chosen = { key: String(i), workload: row.workload, subject: row.subject, ink: 0, hidden: false };
    return { ...chosen, row, isGroupReference, reference: isGroupReference };
  });
  const view = createElement(TableView, { store, rows: shown, words: terms, groups });
  const html = renderToStaticMarkup(
    createElement(WorkbenchContext.Provider, { value: workbench as unknown as Workbench }, view),
  );
  return cellsIn(html);
}

const sessions = [
  'transport/h200-smatrix-uniform-grid-70MeV.json',
  'h200-uniform-grid-70MeV.json',
  'diffraction/h200-compile-cache-1024.json',
  'micro/latency.json',
  'linear-relu/layer-1024.json',
];

describe.for(sessions)('%s', (name) => {
  const file = path.join(assetsFolder, 'runs', name);

  it('has the same columns, words, order and cells in all four outputs', async () => {
    const page = await pageOf(file);
    const [titles = [], ...rows] = page;
    expect(rows.length).toBeGreaterThan(1);
    expect(titles[1]).toBe('Verdict');
    // On the page, the heading of the first column is the menu of columns instead of `Variant`.
    const expected = [['Variant', ...titles.slice(1)], ...rows];
    expect(cellsOf(await printedLines('bench', '--open', file, '--wide'), rows.length)).toEqual(expected);
    expect(cellsOf(await printedLines('compare', file, '--wide'), rows.length)).toEqual(expected);
    await printedLines('report', file, '-o', 'report.html', '--force');
    const html = await readFile(path.join(folder, 'report.html'), 'utf8');
    expect(cellsIn(html).slice(0, rows.length + 1)).toEqual(expected);
  });

  it('fits into 120 terminal columns, and lists the columns shown only with --wide', async () => {
    const [titles = []] = await pageOf(file);
    for (const line of [await printedLines('bench', '--open', file), await printedLines('compare', file)]) {
      const end = line.findIndex((text) => text.startsWith('More columns with --wide: '));
      const start = line.findIndex((text) => /^Variant {2,}Verdict/.test(text));
      expect(end).toBeGreaterThan(start);
      for (const text of line.slice(start, end)) expect(displayWidth(text), text).toBeLessThanOrEqual(120);
      const left = line
        .slice(end, end + 4)
        .join(' ')
        .replace(/^More columns with --wide: /, '')
        .replace(/\. .*$/, '');
      expect(titles.join(', ').endsWith(left.replace(/\.$/, '')), left).toBe(true);
    }
  });
});

it('shows the main error first, also if some rows have further checks and later rows have not', async () => {
  const file = path.join(assetsFolder, 'runs/linear-relu/layer-1024.json');
  const { reports } = parseSession(await readFile(file, 'utf8'), file);
  const checks = reports.flatMap(({ entries }) =>
    entries.map((entry) => (entry.status === 'measured' ? entry.accuracy.map(({ id }) => id) : [])),
  );
  // Neither the first nor the last variant has a check of the bit mask.
  expect(checks.findIndex((ids) => ids.includes('bits'))).toBeGreaterThan(0);
  expect(checks.findLastIndex((ids) => ids.includes('bits'))).toBeLessThan(checks.length - 1);
  const [titles = []] = await pageOf(file);
  expect(titles.indexOf('Relative error')).toBe(titles.indexOf('Verdict') + 1);
  expect(titles.indexOf('Mask bits')).toBeGreaterThan(titles.indexOf('Mask mismatches'));
});

it('a sweep has the same table cells in the report and on a terminal', async () => {
  const file = path.join(assetsFolder, 'runs/micro/sweep-transpose.json');
  const swept = buildSweepTable(parseSession(await readFile(file, 'utf8'), file));
  if (swept === null) throw new Error('a recorded sweep has no sweep');
  expect(swept.rows.length).toBeGreaterThan(4);
  const lines = sweepLines(parseSession(await readFile(file, 'utf8'), file), (_, text) => text);
  await printedLines('report', file, '--out', 'sweep.html');
  const html = await readFile(path.join(folder, 'sweep.html'), 'utf8');
  const inReport = cellsIn(html).map((cells) => cells.join(' | '));
  for (const cells of [swept.columns, ...swept.rows]) {
    expect(inReport).toContain(cells.join(' | '));
    const filled = cells.filter((cell) => cell !== '');
    expect(lines.filter((line) => line.trim().split(/ {2,}/).join(' | ') === filled.join(' | '))).not.toEqual([]);
  }
  for (const line of [...swept.lines, swept.note]) {
    expect(lines).toContain(line);
    expect(words(html)).toContain(line);
  }
});
