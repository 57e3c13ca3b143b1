/** Matter in the form: materials of one's own. */
import { describe, expect, it } from 'vitest';
import { seenWhole } from './looks.ts';
import { useWorkbench } from './workbench-page.ts';

const { loaded } = useWorkbench('matter');
const quick = JSON.stringify({
  kind: 'transport',
  version: 1,
  name: 'Plastics',
  beam: { energy_MeV: 60, x_sigma_mm: 2 },
  geometry: { width_mm: 60 },
  grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 20 },
  solver: { stepping: 'depth' },
});

describe('matter in the form', () => {
  it('a material by formula or mass fractions fills the background; what it cannot be is told beside it', async () => {
    const { open, page, bench } = await loaded();
    await bench.drop('plastics.json', quick);
    await expect.poll(() => bench.title.textContent()).toContain('Plastics');
    await page.getByRole('button', { name: 'Add a material of your own' }).click();
    await page.getByLabel('Name of material 1').fill('teflon');
    const made = page.getByLabel('Formula or mass fractions of material 1');
    await made.fill('C2F4x');
    await expect.poll(() => page.getByText('is not a chemical formula').count()).toBeGreaterThan(0);
    await made.fill('C 0.24, F 0.7');
    await expect.poll(() => page.getByText('has mass fractions that sum to 0.94').count()).toBeGreaterThan(0);
    await made.fill('C2F4');
    await page.getByLabel('Density', { exact: true }).fill('2.2');
    await page.getByLabel('Background').selectOption('teflon');
    await expect.poll(() => page.getByText('is not a chemical formula').count()).toBe(0);
    // A third of the range in water, 31 mm.
    await expect.poll(() => page.locator('.scenario-panel').textContent()).toMatch(/1[67]\.\d+ mm/);
    await seenWhole(open, 'own-materials');
    await bench.runToEnd();
  }, 180_000);
});
