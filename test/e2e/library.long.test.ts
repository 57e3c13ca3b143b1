/** Examples of the library in a real browser. */
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { accessibilityFaults } from './accessible.ts';
import type { OpenPage } from './browser.ts';
import { inEveryLook } from './looks.ts';
import { useWorkbench } from './workbench-page.ts';

const { workbench } = useWorkbench('library');

const entries = (open: OpenPage): Locator => open.page.locator('.library-entry');
const names = (open: OpenPage) => async () =>
  (await open.page.locator('.library-entry__name').allTextContents()).join(', ');

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
});
