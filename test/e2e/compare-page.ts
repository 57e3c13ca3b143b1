/** Shared start and actions of the tests of Compare, and the study that most tests of studies use. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { tinyScenario } from '../electron/host/small-run.ts';
import type { PageOptions } from './browser.ts';
import { useWorkbench, type Workbench } from './workbench-page.ts';

/** A coarse grid: a run needs hundredths of a second. */
export const smallScenario = JSON.stringify({
  kind: 'transport',
  version: 1,
  name: 'Small beam',
  beam: { energy_MeV: 30 },
  geometry: { width_mm: 12, depth_mm: 11 },
  // Bins given in range would be split into finer ones, but bins uniform in energy are used unchanged.
  grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 80, theta_max_mrad: 400, energy: { kind: 'uniform', step_MeV: 1 } },
  solver: { step_mm: 0.5 },
});

/**
 * The same scenario with rounds of a second, so that it can be stopped between two rounds. It uses one thread, because
 * several would wait for each other on a loaded machine.
 */
export const finerScenario = JSON.stringify({
  ...JSON.parse(smallScenario),
  grid: { dx_mm: 1, dz_mm: 0.25, dtheta_mrad: 40, theta_max_mrad: 400, energy: { kind: 'uniform', step_MeV: 0.35 } },
  solver: { step_mm: 0.25, threads: 1 },
});

const comparePanel = (page: Page): Locator => page.getByRole('group', { name: 'Compare', exact: true });
export const view = (page: Page, name: string): Promise<void> =>
  comparePanel(page)
    .locator('.segmented__option', { hasText: new RegExp(`^${name}$`) })
    .first()
    .click();
export const row = (page: Page, name: string): Locator => page.getByTestId('compare-row').filter({ hasText: name });

/** Ticks every variant of a recorded session. */
export async function tickSession(page: Page, session: string): Promise<void> {
  await view(page, 'Choose');
  // Only variants whose doses can be compared with each other are listed.
  const listed = page.getByRole('group', { name: 'Variants to benchmark' });
  await listed.getByRole('checkbox').first().waitFor();
  expect(await listed.getByText(/^(diffraction|cpu)-/).count()).toBe(0);
  // A session that was recorded twice appears twice under one name.
  const details = page.locator('.compare-session', { hasText: session }).first();
  await details.locator('summary').click();
  await details.getByRole('checkbox', { name: 'all of them' }).setChecked(true);
}

/** Ticks exactly these variants, after the page has suggested some. */
export async function tickOnly(page: Page, wanted: readonly string[]): Promise<void> {
  await view(page, 'Choose');
  const boxes = page.getByRole('group', { name: 'Variants to benchmark' }).locator('.compare-ticks .compare-tick');
  // The suggested selection appears a moment after the scenario.
  await boxes.locator('input:checked').first().waitFor();
  for (const box of await boxes.all()) {
    // The first text node of the box is the variant's id. The title follows without a space.
    const id = await box.locator('span').evaluate(({ firstChild }) => firstChild?.textContent ?? '');
    await box.locator('input').setChecked(wanted.includes(id));
  }
}

/** Appearances of a small window in both themes. */
export const smallAppearances = [
  { name: '900-light', width: 900, height: 700, theme: 'light' },
  { name: '900-dark', width: 900, height: 700, theme: 'dark' },
  { name: '1280-light', width: 1280, height: 800, theme: 'light' },
  { name: '1280-dark', width: 1280, height: 800, theme: 'dark' },
] as const;

/** Opens pages for the tests of Compare. Call this at the top of a test file. */
export function useCompare() {
  const { chrome, home, workbench } = useWorkbench('compare');
  const openCompare = async (options: PageOptions = {}): Promise<Workbench> => {
    const opened = await workbench(options);
    await opened.bench.layout('Alt+Shift+2', 'Compare');
    return opened;
  };
  return {
    chrome,
    home,
    openCompare,
    /** Opens Compare alone, with two variants of a small scenario ticked. */
    openSmall: async (text = smallScenario): Promise<Workbench> => {
      const opened = await openCompare();
      await opened.bench.drop('small.json', text);
      await expect.poll(() => opened.bench.title.textContent()).toContain('Small beam');
      await opened.page.getByRole('button', { name: 'Enlarge Compare' }).click();
      await tickOnly(opened.page, ['gather', 'window']);
      return opened;
    },
  };
}

/** Enlarges the Studies panel to the complete page. */
export async function enlargeStudies({ page, bench }: Pick<Workbench, 'page' | 'bench'>): Promise<void> {
  await bench.layout('Alt+Shift+2', 'Compare');
  await bench.panel('Studies').click();
  await page.getByRole('button', { name: 'Enlarge Studies' }).click();
}

/** Plans a study of nineteen energies in both precisions, solves it, and shows its table. */
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
