/** Studies on a page: the one that most of their stories look at. */
import { expect } from 'vitest';
import { tinyScenario } from '../electron/host/small-run.ts';
import type { Workbench } from './workbench-page.ts';

/** The panel of studies, over the whole page. */
export async function enlargeStudies({ page, bench }: Pick<Workbench, 'page' | 'bench'>): Promise<void> {
  await bench.layout('Alt+Shift+2', 'Compare');
  await bench.panel('Studies').click();
  await page.getByRole('button', { name: 'Enlarge Studies' }).click();
}

/** Nineteen energies in both precisions, planned in the panel and solved; their table is shown. */
export async function solveEnergies({ page, bench }: Workbench): Promise<void> {
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
  await expect.poll(() => page.getByTestId('study-state').textContent()).toBe('38 of 38 points solved');
  await expect.poll(() => page.getByTestId('study-rows').getAttribute('aria-rowcount')).toBe('39');
}
