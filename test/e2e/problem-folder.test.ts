/**
 * A problem folder in the window: its form, the question whether to trust it, its benchmark, ladder, timeline, kernels
 * and a study.
 */
import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { cacheWithUserKernels, scratchFolder } from '../scratch-folder.ts';
import { type Appearance, appearances, checkVisibility } from './appearance-page.ts';
import { row, tickOnly, view } from './compare-page.ts';
import { code, compileTimeout, expectNotice, useWorkbench } from './workbench-page.ts';

const folder = path.join(scratchFolder('problem-folder'), 'softmax-rows');
cpSync(path.resolve(import.meta.dirname, '../../assets/problems/softmax-rows'), folder, { recursive: true });
const { workbench } = useWorkbench('problem-page', ['--scenario', path.join(folder, 'problem.json')], (home) => ({
  BRAGGBENCH_CACHE: cacheWithUserKernels(home),
}));

const candidates = ['three-passes.cpp', 'online.cpp', 'numpy.py', 'overflow.cpp'];
/** Candidates that need no Python. Other tests cover the start of Python and the reference in Python. */
const measuredCandidates = ['three-passes.cpp', 'online.cpp', 'overflow.cpp'];
const bothThemes: readonly [Appearance, ...Appearance[]] = [appearances[0], ...appearances.slice(1, 2)];

const entry = (page: Page, group: string, name: string) =>
  page.getByRole('group', { name: group, exact: true }).getByRole('button', { name: new RegExp(`^${name}\\b`) });

it('a problem folder shows and edits axes, arrays and candidates, and measures the trusted candidates', {
  tags: 'slow',
  timeout: 600_000,
}, async () => {
  const { open, page, bench } = await workbench();
  await expect.poll(() => bench.title.textContent()).toContain('softmax-rows');

  // A collapsed entry shows its summary.
  await expect.poll(() => entry(page, 'Arrays', 'x').textContent()).toBe('xinput · fp32 · [rows, columns]');
  await expect.poll(() => entry(page, 'Candidates', 'numpy').textContent()).toContain('NumPy');
  await entry(page, 'Axes', 'columns').click();
  await expect.poll(() => bench.field('Sizes to try').inputValue()).toBe('1, 33, 1000');
  await expect.poll(() => bench.field('Constraints').inputValue()).toBe('rows * columns <= 268435456');
  await bench.waitUntilRunnable();
  await checkVisibility(open, 'problem-form', bothThemes);

  // A size that violates a constraint is reported at its field, and a new axis without values at that axis.
  await bench.field('rows').fill('1000000');
  await page.getByText('does not hold at rows = 1000000').waitFor();
  await bench.field('rows').fill('16');
  await bench.field('columns').fill('100');
  await bench.field('Sizes to try').fill('1, 7, 100');
  await bench.field('Constraints').fill('rows * columns <= 268435456\ncolumns < 2000');
  await bench.waitUntilRunnable();
  await page.getByRole('button', { name: 'Add axis' }).click();
  await page.getByText('needs attention').waitFor();
  await page.keyboard.press('Control+z');
  await entry(page, 'Arrays', 'y').click();
  await expect.poll(() => bench.field('Relative').inputValue()).toBe('0.00001');
  await page.keyboard.press('Control+s');
  await expect
    .poll(() => JSON.parse(readFileSync(path.join(folder, 'problem.json'), 'utf8')))
    .toMatchObject({
      problem: { rows: 16, columns: 100 },
      axes: [{ name: 'rows' }, { name: 'columns', try: [1, 7, 100] }],
      constraints: ['rows * columns <= 268435456', 'columns < 2000'],
      arrays: [{ shape: ['rows', 'columns'] }, { tolerance: { relative: 1e-5, absolute: 1e-12 } }],
    });
  // One question for the complete folder; nothing runs without an answer.
  await bench.layout('Alt+Shift+2', 'Compare');
  await page.getByRole('button', { name: 'Enlarge Compare' }).click();
  await tickOnly(page, measuredCandidates);
  await page.getByLabel('Rounds').selectOption('7');
  await page.getByRole('button', { name: 'Benchmark', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Do you trust the problem softmax-rows?' });
  await dialog.waitFor();
  const requested = await dialog.textContent();
  for (const name of ['reference.py', ...candidates]) expect(requested).toContain(name);
  expect(requested?.match(/SHA-256 [0-9a-f]{16}…/g)).toHaveLength(4);
  await checkVisibility(open, 'problem-trust', bothThemes);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Benchmark', exact: true }).click();
  await dialog.getByRole('button', { name: 'I trust them', exact: true }).click();

  // The page shows an infinite error as text.
  await row(page, 'overflow.cpp').waitFor(compileTimeout);
  await expect.poll(() => row(page, 'overflow.cpp').textContent()).toContain('wrong');
  for (const name of measuredCandidates.slice(0, 2)) {
    await row(page, name).waitFor();
    expect(await row(page, name).textContent()).not.toContain('wrong');
  }
  await checkVisibility(open, 'problem-compare', bothThemes);
  await view(page, 'Source');
  await expect.poll(() => page.getByTestId('compare-source').textContent()).toContain('std::exp(');
  // The report is like that of any session, and names the wrong candidate.
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Report', exact: true }).first().click();
  await page.getByRole('menuitem', { name: /^Report as HTML/ }).click();
  const report = path.join(folder, 'report.html');
  await (await download).saveAs(report);
  const told = readFileSync(report, 'utf8');
  expect(told).toMatch(/<h1[^>]*>Comparison, softmax-rows/);
  for (const name of measuredCandidates) expect(told).toContain(name);
  expect(told).toContain('wrong');
  await page.getByRole('button', { name: 'Show all panels' }).click();
  // The session's ladder leaves the wrong candidate out.
  await expect.poll(() => page.getByRole('note').textContent()).toContain('overflow.cpp (wrong)');
  await checkVisibility(open, 'problem-ladder', bothThemes);

  // The folder's candidates are edited and compiled like any kernel.
  await bench.panel('Kernel editor').click();
  await page.getByLabel('Workload', { exact: true }).selectOption('user-problem/softmax-rows');
  await page.getByLabel('Variant', { exact: true }).selectOption('three-passes.cpp');
  await expect.poll(() => code(page).textContent()).toContain('void run(');
  await code(page).focus();
  await page.keyboard.press('Control+b');
  await expect.poll(() => expectNotice(page).textContent(), compileTimeout).toMatch(/^Compiled in /);
  await open.screenshot('problem-kernel');

  // Plans a study over one axis of the problem.
  await bench.panel('Studies').click();
  await page.getByRole('button', { name: 'Enlarge Studies' }).click();
  await page.getByRole('radio', { name: /One of my own/ }).check();
  await page.getByRole('button', { name: 'Add an axis' }).click();
  await page.getByLabel('What changes', { exact: true }).selectOption('problem.columns');
  await page.getByLabel('from of problem.columns').fill('50');
  await page.getByLabel('to of problem.columns').fill('100');
  await page.getByLabel('count of problem.columns').fill('2');
  await page.getByRole('button', { name: 'Plan and start…' }).click();
  await expect.poll(() => page.getByTestId('study-plan').textContent()).toContain('2 points.');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  // Each point is a separate session, and the first suffices to test the page.
  await expect
    .poll(() => page.getByTestId('study-state').textContent(), compileTimeout)
    .toMatch(/^[12] of 2 points solved$/);
  await checkVisibility(open, 'problem-study', bothThemes);
  expect(open.problems).toEqual([]);
  await open.close();
});
