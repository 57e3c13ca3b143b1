/** Matter in the form: user materials, and a CT. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ellipses, layers, nrrdOf } from '../electron/host/io/volumes/phantom.ts';
import { seenWhole } from './looks.ts';
import { quickBeam } from './quick-beam.ts';
import { useWorkbench } from './workbench-page.ts';

const { home, workbench } = useWorkbench('matter');
const quick = quickBeam('Plastics');

describe('matter in the form', () => {
  it('a material by formula or mass fractions fills the background; what it cannot be is told beside it', async () => {
    const { open, page, bench } = await workbench();
    await bench.drop('plastics.json', quick);
    await expect.poll(() => bench.title.textContent()).toContain('Plastics');
    await page.getByRole('button', { name: 'Add a user material' }).click();
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
    const { open, page, bench } = await workbench();
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

describe('dose over a CT', () => {
  const thorax = JSON.stringify({
    kind: 'transport',
    version: 2,
    name: 'Thorax',
    beam: { energy_MeV: 110, x_sigma_mm: 6 },
    geometry: { width_mm: 160, depth_mm: 200, ct: { file: 'ct/thorax.nrrd', angle_deg: 20, isocentre_mm: [40, -20] } },
    grid: { dx_mm: 2, dz_mm: 1, dtheta_mrad: 20 },
    solver: { stepping: 'depth' },
    output: { keyframes: 16 },
  });

  it('has its picture in the form, lies in grey under the dose with isodose lines, and is read along any line', async () => {
    const { open, page, bench } = await workbench();
    const folder = path.join(home, 'library', 'ct');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'thorax.nrrd'), nrrdOf(ellipses(128)));
    await bench.drop('thorax.json', thorax);
    // The CT's path is relative to the scenario file, which does not exist yet.
    await page.getByRole('button', { name: 'Open and correct' }).click();
    await expect.poll(() => bench.title.textContent()).toContain('Thorax');
    await page.keyboard.press('Control+Shift+s');
    await page.getByRole('dialog').getByLabel('File name').fill('thorax');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByText('Saved thorax.json').count()).toBe(1);
    const ct = page.getByTestId('ct-picture');
    await expect
      .poll(() => ct.getByRole('img').getAttribute('aria-label'))
      .toMatch(/^CT, transverse at −27\.0 mm, of 3/);
    const picture = () => ct.locator('canvas').evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
    const whole = await picture();
    await ct.getByRole('radio', { name: 'soft tissue' }).check();
    await expect.poll(picture).not.toBe(whole);
    await ct.scrollIntoViewIfNeeded();
    await seenWhole(open, 'ct-picture');

    await bench.runToEnd();
    const map = () => bench.map.evaluate((canvas) => (canvas.previousElementSibling as HTMLCanvasElement).toDataURL());
    const display = page.getByRole('button', { name: 'Display of the dose map' });
    await display.click();
    await page.getByLabel('Lines at shares of the largest value').check();
    const greyed = await map();
    const matter = page.getByRole('radiogroup', { name: 'Matter in grey under the dose' });
    await matter.getByRole('radio', { name: 'never' }).check();
    await expect.poll(map).not.toBe(greyed);
    const plain = await map();
    await matter.getByRole('radio', { name: 'with a CT' }).check();
    await expect.poll(map).not.toBe(plain);
    await page
      .getByRole('radiogroup', { name: 'Densities that the greys go over' })
      .getByRole('radio', { name: 'lung' })
      .check();
    await expect.poll(map).not.toBe(greyed);
    await page
      .getByRole('radiogroup', { name: 'Densities that the greys go over' })
      .getByRole('radio', { name: 'all' })
      .check();
    await page.keyboard.press('Escape');
    await bench.map.click({ position: { x: 200, y: 150 } });
    await expect.poll(() => bench.doseReadout.textContent()).toMatch(/in [\d.]+ g\/cm³/);
    await page.getByRole('radio', { name: 'line', exact: true }).check();
    const box = await bench.map.boundingBox();
    if (box === null) throw new Error('the map has no place');
    await page.mouse.move(box.x + 80, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.7, box.y + box.height * 0.45, { steps: 4 });
    await page.mouse.up();
    await page.getByRole('img', { name: /^Dose from z/ }).waitFor();
    await seenWhole(open, 'ct-under-dose');
    expect(open.problems).toEqual([]);
  }, 240_000);
});
