/** The library in a real browser: saved, searched, tagged, compared, put into the trash and back. */
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { accessibilityFaults } from './accessible.ts';
import type { OpenPage } from './browser.ts';
import { useWorkbench } from './workbench-page.ts';

const { home, workbench } = useWorkbench('library');
const folder = path.join(home, 'library');

const quick = (name: string, energy_MeV: number): string =>
  JSON.stringify({ kind: 'transport', version: 2, name, beam: { energy_MeV }, solver: { stepping: 'depth' } });

async function saveAs(open: OpenPage, name: string): Promise<void> {
  await open.page.keyboard.press('Control+Shift+s');
  await open.page.getByRole('dialog').getByLabel('File name').fill(name);
  await open.page.keyboard.press('Enter');
  await expect.poll(() => open.page.getByText(`Saved ${name}.json`).count()).toBe(1);
}

const entries = (open: OpenPage): Locator => open.page.locator('.library-entry');
const names = (open: OpenPage) => async () =>
  (await open.page.locator('.library-entry__name').allTextContents()).join(', ');

async function choose(open: OpenPage, entry: string, item: string): Promise<void> {
  await open.page.getByRole('button', { name: `More for ${entry}` }).click();
  await open.page.getByRole('menuitem', { name: item }).click();
}

describe('the library', () => {
  it('keeps what is saved, finds it, tags it, and gives it back from the trash', async () => {
    const { open, page, bench } = await workbench();
    await bench.drop('a.json', quick('Alpha beam', 70));
    await expect.poll(() => bench.title.textContent()).toContain('Alpha beam');
    await saveAs(open, 'alpha');
    await bench.run.click();
    await bench.state('Done').waitFor();
    await bench.menu('File', 'Save run as');
    await page.getByRole('dialog').getByLabel('File name').fill('alpha run');
    await page.keyboard.press('Enter');
    await bench.panel('Library').click();
    // A file that another program put there, and one that nothing can read.
    writeFileSync(path.join(folder, 'beta.json'), quick('Beta beam', 55));
    writeFileSync(path.join(folder, 'broken.h5'), 'not a run');
    await expect.poll(names(open)).toMatch(/^(?=.*Alpha beam.*Alpha beam)(?=.*Beta beam)(?=.*broken\.h5)/);
    await expect
      .poll(() => page.locator('.library-entry__problem').textContent())
      .toMatch(/broken\.h5 cannot be opened as a run: it is not an HDF5 file/);
    await expect
      .poll(() =>
        entries(open)
          .filter({ hasText: /R80\s40\./ })
          .count(),
      )
      .toBe(1);

    await choose(open, 'beta.json', 'Tags and remark');
    const dialog = page.getByRole('dialog', { name: 'Tags and remark of beta.json' });
    await dialog.getByLabel('Tags, with commas').fill('talk, checked');
    await dialog.getByLabel('Remark').fill('For the group meeting');
    expect(await accessibilityFaults(open.page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Keep' }).click();
    await page.getByRole('button', { name: 'talk', exact: true }).click();
    await expect.poll(names(open)).toBe('Beta beam');
    await open.screenshot('library-tagged');
    await page.getByRole('button', { name: /^Show also what is not tagged/ }).click();
    await page.getByRole('searchbox').fill('group 55');
    await expect.poll(names(open)).toBe('Beta beam');
    await page.getByRole('searchbox').fill('');
    await expect.poll(() => entries(open).count()).toBe(4);
    expect(await accessibilityFaults(open.page)).toEqual([]);
    await open.screenshot('library');

    await choose(open, 'beta.json', 'Move to the trash');
    await expect.poll(names(open)).not.toContain('Beta');
    expect(readdirSync(path.join(folder, '.trash'))).toHaveLength(1);
    await page.getByRole('radio', { name: 'Trash' }).check();
    await expect.poll(names(open)).toBe('beta.json');
    await choose(open, 'beta.json', 'Put back');
    await expect.poll(() => entries(open).count()).toBe(0);
    await page.getByRole('radio', { name: 'Yours' }).check();
    await entries(open).filter({ hasText: 'Beta beam' }).locator('.library-entry__main').click();
    await expect.poll(() => bench.title.textContent()).toBe('beta.json');
    expect(open.problems).toEqual([]);
  });

  it('begins a kernel from nothing among the examples, for the processor where there is no GPU, and opens its editor', async () => {
    const { open, page, bench } = await workbench();
    await bench.run.waitFor();
    await bench.panel('Library').click();
    await page.getByRole('radio', { name: 'Examples' }).check();
    const entry = page.getByRole('button', { name: /^Stencil On a CPU or a GPU/ });
    await entry.scrollIntoViewIfNeeded();
    await open.screenshot('examples-own-kernels');
    await entry.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New kernel' });
    expect(await dialog.getByLabel('Begins as').inputValue()).toBe('stencil');
    expect(await dialog.getByLabel('Runs on').inputValue()).toBe('.cpp');
    await dialog.getByRole('button', { name: 'Make it' }).click();
    await expect.poll(() => bench.panel('Kernel editor').getAttribute('aria-selected')).toBe('true');
    await expect.poll(() => page.locator('.cm-content').textContent()).toContain('results[i]');
    await expect.poll(() => bench.title.textContent()).toContain('my-stencil');
    await open.screenshot('examples-own-kernel-opened');
    expect(open.problems).toEqual([]);
  });

  it('tells what differs between the form and a file, with units', async () => {
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
