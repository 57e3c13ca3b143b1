/** Matter in the form: materials of one's own, and a CT. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { layers, nrrdOf } from '../electron/host/io/volumes/phantom.ts';
import { seenWhole } from './looks.ts';
import { useWorkbench } from './workbench-page.ts';

const { home, loaded } = useWorkbench('matter');
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
    await page.getByLabel('Background', { exact: true }).selectOption('teflon');
    await expect.poll(() => page.getByText('is not a chemical formula').count()).toBe(0);
    await expect.poll(() => page.getByLabel('Background', { exact: true }).inputValue()).toBe('teflon');
    await seenWhole(open, 'own-materials');
    await bench.runToEnd();
  }, 180_000);

  it('a CT beside the saved scenario fills the box; its density is a map; a file that is not there is told', async () => {
    const { open, page, bench } = await loaded();
    await bench.drop('chest.json', quick.replace('Plastics', 'Chest'));
    await expect.poll(() => bench.title.textContent()).toContain('Chest');
    const file = page.getByLabel('File or folder of a CT');
    await file.fill('ct/chest.nrrd');
    await expect.poll(() => page.getByText('cannot be found before the scenario is saved').count()).toBeGreaterThan(0);
    await page.keyboard.press('Control+Shift+s');
    await page.getByRole('dialog').getByLabel('File name').fill('chest');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByText('Saved chest.json').count()).toBe(1);
    await expect.poll(() => page.getByText('it cannot be found').count()).toBeGreaterThan(0);
    const folder = path.join(home, 'library', 'ct');
    mkdirSync(folder, { recursive: true });
    const rows = [...Array<number>(20).fill(40), ...Array<number>(12).fill(-750), ...Array<number>(8).fill(700)];
    writeFileSync(path.join(folder, 'chest.nrrd'), nrrdOf(layers([...rows, ...Array<number>(40).fill(40)], 60, 1)));
    await page.getByLabel('Direction').fill('0');
    await expect.poll(() => page.getByText('it cannot be found').count()).toBe(0);
    await bench.runToEnd();
    await seenWhole(open, 'ct');
  }, 180_000);
});
