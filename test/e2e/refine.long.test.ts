/**
 * A crystal fitted to an image, on the page: opened, refined, stopped, compared with the image, and copied into the
 * form.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { accessibilityViolations } from './accessible.ts';
import { inEveryAppearance } from './appearance-page.ts';
import { useWorkbench, type Workbench } from './workbench-page.ts';

const { workbench } = useWorkbench('refine');

const crystal = {
  lattice: { kind: 'cell', a_A: 70, b_A: 80, c_A: 90, alpha_deg: 75, beta_deg: 85, gamma_deg: 95 },
  misset: { x_deg: 17, y_deg: -40, z_deg: 63 },
  cells: { a: 5, b: 5, c: 5 },
  shape: 'round',
};
const start = {
  kind: 'diffraction',
  version: 1,
  name: 'Start',
  beam: { wavelength_A: 1 },
  crystal,
  structure_factors: { default_electrons: 100 },
  detector: { width: 96, height: 96, pixel_mm: 0.5, distance_mm: 100 },
};
const rotatedCrystal = {
  ...start,
  name: 'Turned',
  crystal: {
    ...crystal,
    lattice: { ...crystal.lattice, a_A: 70.06 },
    misset: { ...crystal.misset, y_deg: -40.03 },
  },
};

async function openScenario({ page, bench }: Workbench, scenario: { readonly name: string }): Promise<void> {
  await bench.drop(`${scenario.name}.json`, JSON.stringify(scenario));
  await expect.poll(() => bench.title.textContent()).toContain(scenario.name);
  // Earlier changes in the form are discarded.
  const discard = page.getByRole('dialog').getByRole('button', { name: 'Don’t save' });
  if ((await discard.count()) > 0) await discard.click();
}

/** Each size of window has its own arrangement. */
async function checkAppearance({ open: { screenshot }, page, bench }: Workbench, name: string): Promise<void> {
  await inEveryAppearance(page, async (look) => {
    await bench.panel('Refinement').click();
    await bench.drawn();
    await screenshot(`${name}-${look.name}`);
    expect(await accessibilityViolations(page), look.name).toEqual([]);
  });
}

describe('refining a crystal', () => {
  it('is fitted to an image file by keyboard, shown next to it, and copied into the form', async () => {
    const all = await workbench();
    const { page, bench } = all;
    await bench.run.waitFor();
    await openScenario(all, rotatedCrystal);
    await bench.runToEnd();
    await page.getByRole('button', { name: 'Export the image' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: /^SMV image/ }).click(),
    ]);
    const frame = readFileSync(await download.path());

    await openScenario(all, start);
    await bench.panel('Refinement').click();
    await page.getByText('No image yet').waitFor();
    await checkAppearance(all, 'refine-empty');
    // Unreadable files are reported, and readable ones are offered.
    await page
      .getByTestId('refine-file')
      .setInputFiles({ name: 'frame.png', mimeType: 'image/png', buffer: Buffer.from('none') });
    await page.getByText('frame.png: .png is not a supported image format; allowed: .img').waitFor();

    await page.getByTestId('refine-file').setInputFiles({ name: 'frame.img', mimeType: '', buffer: frame });
    const values = page.getByTestId('refine-values');
    await expect.poll(() => values.textContent()).toMatch(/Misset y °−40\.0000.*Edge a Å70\.0000/s);
    await page.getByRole('img', { name: /^Counts of Image/ }).waitFor();
    await page.getByRole('button', { name: 'Refine', exact: true }).press('Enter');
    await page
      .getByText(/^Converged after \d+ iterations, \S+ s each\. Correlation 0\.\d+ before, (0\.9999\d+|1\.0+) after\./)
      .waitFor();
    await expect.poll(() => values.textContent()).toMatch(/Misset y °−40\.0300\d.*−40\.0000/s);
    expect(await values.locator('tfoot tr').allTextContents()).toEqual([
      expect.stringMatching(/^Residual counts\d/),
      expect.stringMatching(/^Correlation0\.\d{6}/),
      expect.stringMatching(/^Time s\d/),
    ]);
    await page.getByRole('img', { name: /^Residual by iteration/ }).waitFor();
    await page.getByRole('img', { name: /^Difference of Image minus the fit/ }).waitFor();
    await checkAppearance(all, 'refine-found');

    await page.getByRole('button', { name: 'Use this crystal' }).press('Enter');
    await bench.panel('Scenario').click();
    await expect.poll(() => bench.field('Edge a').inputValue()).toMatch(/^70\.0600/);
    await page.getByRole('button', { name: /^Undo/ }).first().click();
    await expect.poll(() => bench.field('Edge a').inputValue()).toBe('70');
    expect(all.open.problems).toEqual([]);
  });

  it('waits in the queue, can be stopped, and can be fitted to a run; dropping an image opens its panel', async () => {
    const all = await workbench({ theme: 'dark' });
    const { page, bench } = all;
    await bench.run.waitFor();
    await openScenario(all, rotatedCrystal);
    await bench.runToEnd();
    // A refinement that needs half a minute on one thread of any machine, so that other requests must wait.
    const detector = { width: 2048, height: 2048, pixel_mm: 0.025, distance_mm: 100, oversample: 8 };
    const solver = { threads: 1, variant: 'diffraction-in-loop' };
    const slow = { ...start, name: 'Slow', detector, solver };
    await openScenario(all, slow);
    await bench.run.click();
    await bench.stop.waitFor();
    await openScenario(all, start);
    await bench.panel('Refinement').click();
    const runs = page.getByLabel('Or use an image computed here');
    await runs.selectOption(await runs.locator('option', { hasText: 'Turned' }).first().getAttribute('value'));
    await page.getByText('96 × 96 pixels').first().waitFor();
    await page.getByRole('radio', { name: 'misset' }).check();
    await expect.poll(() => page.getByTestId('refine-values').locator('tbody tr').count()).toBe(3);
    await page.getByRole('button', { name: 'Refine', exact: true }).click();
    await page.getByText('Waiting for an earlier computation.').waitFor();
    await page.locator('.refine-panel').getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped. The form is unchanged.').waitFor();
    await bench.stop.click();
    await bench.run.waitFor();
    // The device is free again, and can run a fit.
    await page.getByRole('button', { name: 'Refine', exact: true }).click();
    await page.getByText(/^(Converged|Not converged) after \d+ iterations/).waitFor();

    await bench.panel('Image').click();
    await bench.drop('frame.cbf', 'no image', 'application/octet-stream');
    await expect.poll(() => bench.panel('Refinement').getAttribute('aria-selected')).toBe('true');
    await page.getByText(/^frame\.cbf: /).waitFor();
    expect(all.open.problems).toEqual([]);
  });
});
