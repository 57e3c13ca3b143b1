/** Examples and comparisons of the library in a real browser. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { accessibilityFaults } from './accessible.ts';
import type { OpenPage } from './browser.ts';
import { inEveryLook } from './looks.ts';
import { useWorkbench } from './workbench-page.ts';

const { home, workbench } = useWorkbench('library');
const folder = path.join(home, 'library');

const quick = (name: string, energy_MeV: number): string =>
  JSON.stringify({ kind: 'transport', version: 2, name, beam: { energy_MeV }, solver: { stepping: 'depth' } });

const entries = (open: OpenPage): Locator => open.page.locator('.library-entry');
const names = (open: OpenPage) => async () =>
  (await open.page.locator('.library-entry__name').allTextContents()).join(', ');

async function choose(open: OpenPage, entry: string, item: string): Promise<void> {
  await open.page.getByRole('button', { name: `More for ${entry}` }).click();
  await open.page.getByRole('menuitem', { name: item }).click();
}

describe('the library', () => {
  it('lists examples under their questions, and says where else a search finds something', async () => {
    const { open, page, bench } = await workbench();
    await bench.panel('Library').click();
    await page.getByRole('searchbox').fill('bone');
    await page.getByRole('button', { name: '2 in Examples' }).click();
    await expect.poll(names(open)).toBe('Bone slab, 150 MeV, Bone edge, 150 MeV');
    expect(await page.getByRole('heading', { name: 'Where does a beam stop?' }).count()).toBe(1);
    await page.getByRole('searchbox').fill('no such words');
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await expect.poll(() => entries(open).count()).toBeGreaterThan(60);
    await expect.poll(() => page.getByRole('heading', { level: 2 }).allTextContents()).toContain('Proton beams');
    await inEveryLook(page, async ({ name }) => {
      // Each size of window has its own arrangement.
      await bench.panel('Library').click();
      await expect.poll(() => entries(open).count()).toBeGreaterThan(60);
      await open.screenshot(`examples-${name}`);
      expect(await accessibilityFaults(page, '.library-panel'), name).toEqual([]);
    });
    await page.getByRole('radio', { name: 'Trash' }).check();
    await page.getByRole('button', { name: 'Show yours' }).click();
    expect(await page.getByRole('radio', { name: 'Yours' }).isChecked()).toBe(true);
    expect(open.problems).toEqual([]);
  });

  it('tells what differs between the form and a file, with units', async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'gamma.json'), quick('Gamma beam', 60));
    const { open, page, bench } = await workbench({ theme: 'dark' });
    await bench.panel('Library').click();
    await entries(open).filter({ hasText: 'Gamma beam' }).locator('.library-entry__main').click();
    await expect.poll(() => bench.title.textContent()).toBe('gamma.json');
    await bench.panel('Scenario').click();
    await bench.field('Energy').fill('61');
    await bench.field('Beam width').fill('2');
    await bench.menu('File', 'Compare with the saved file');
    const dialog = page.getByRole('dialog', { name: 'Differences' });
    await expect.poll(() => dialog.getByRole('status').textContent()).toBe('2 fields differ.');
    await expect
      .poll(() => dialog.locator('tbody tr').allTextContents())
      .toEqual(['Energybeam.energy_MeV60 MeV61 MeV', 'Beam widthbeam.x_sigma_mmdefault (0 mm)2 mm']);
    expect(await accessibilityFaults(open.page)).toEqual([]);
    await open.screenshot('differences');
    await page.keyboard.press('Escape');

    await bench.panel('Library').click();
    await choose(open, 'alpha run.h5', 'Compare with the form');
    await expect.poll(() => dialog.locator('tbody tr').first().textContent()).toContain('Alpha beamGamma beam');
    expect(open.problems).toEqual([]);
  });
});
