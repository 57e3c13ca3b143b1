/** Studies in a real browser: planned from the form, solved by real processes, sorted, filtered, plotted, opened. */
import { expect, it } from 'vitest';
import { tinyScenario } from '../electron/host/small-run.ts';
import { seenWhole } from './looks.ts';
import { useWorkbench } from './workbench-page.ts';

const { workbench } = useWorkbench('studies');

it('plans a study of the form, solves it, and shows every row of it', async () => {
  const { open, page, bench } = await workbench();
  await bench.layout('Alt+Shift+2', 'Compare');
  await bench.panel('Studies').click();
  await page.getByRole('button', { name: 'Enlarge Studies' }).click();
  // A question that is ready-made; then one of my own.
  await page.getByRole('radio', { name: /Convergence/ }).check();
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await expect
    .poll(() => page.getByTestId('study-plan').textContent())
    .toMatch(/^4 points\. Memory of one: up to .* One after the other at least/);
  await seenWhole(open, 'studies-new');
  await bench.drop('tiny.json', JSON.stringify(tinyScenario));
  await page.getByRole('radio', { name: /One of my own/ }).check();
  await page.getByRole('button', { name: 'Add an axis' }).click();
  await page.getByLabel('What changes', { exact: true }).selectOption('beam.energy_MeV');
  await page.getByLabel('from of beam.energy_MeV').fill('20');
  await page.getByLabel('to of beam.energy_MeV').fill('29');
  await page.getByLabel('count of beam.energy_MeV').fill('19');
  await page.getByRole('button', { name: 'Add an axis' }).click();
  await page.getByLabel('What changes', { exact: true }).last().selectOption('solver.precision');
  await page.getByLabel('Values of solver.precision').fill('fp32, fp64');
  await page.getByRole('button', { name: 'Plan and start…' }).click();
  await expect.poll(() => page.getByTestId('study-plan').textContent()).toContain('38 points.');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await expect
    .poll(() => page.getByTestId('study-state').textContent(), { timeout: 60_000 })
    .toBe('38 of 38 points solved');
  const rows = page.getByTestId('study-rows');
  await expect.poll(() => rows.getAttribute('aria-rowcount')).toBe('39');
  // Sorted by range, downwards: the largest energy stands first.
  await rows.getByRole('button', { name: /^r80_mm/ }).click();
  await rows.getByRole('button', { name: /^r80_mm/ }).click();
  await expect.poll(() => rows.locator('tbody tr').first().textContent()).toContain('29');
  await page.getByLabel('Filter').fill('beam.energy_MeV > 28 && precision == "fp64"');
  await expect.poll(() => page.getByTestId('study-matching').textContent()).toBe('2 of 38 rows');
  await page.getByLabel('Filter').fill('no_such > 1');
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('no_such is not set');
  await page.getByLabel('Filter').fill('');
  await expect.poll(() => page.getByTestId('study-matching').textContent()).toBe('38 of 38 rows');
  await seenWhole(open, 'studies-table');
  await page.getByRole('radio', { name: 'Plot' }).check();
  await expect
    .poll(() => page.getByRole('img', { name: 'r80_mm over beam.energy_MeV' }).locator('svg').count())
    .toBeGreaterThan(0);
  await seenWhole(open, 'studies-plot');
  // The scenario of a point.
  await page.getByRole('radio', { name: 'Table' }).check();
  await rows.locator('tbody').getByRole('button').first().click();
  await expect.poll(() => bench.panel('Scenario').getAttribute('aria-selected')).toBe('true');
  await open.close();
});
