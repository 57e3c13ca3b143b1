/**
 * Layouts in a real browser: shortcuts from the first moment, closed panels, and a damaged storage. Also the launch
 * explorer in every appearance, examples of the library, and the command palette in the dark theme.
 */
import type { Locator } from 'playwright-core';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { accessibilityViolations } from './accessible.ts';
import { inEveryAppearance } from './appearance-page.ts';
import type { BenchPage } from './bench-page.ts';
import type { OpenPage } from './browser.ts';
import { paletteStories } from './palette-story.ts';
import { factText, useExplorer, useWorkbench } from './workbench-page.ts';

describe('the launch explorer', () => {
  const openExplorer = useExplorer();

  it('has no errors at any theme and size', async () => {
    const { open } = await openExplorer();
    const { page } = open;
    await page.getByLabel('Kernel', { exact: true }).selectOption('transport/sum_f64');
    await expect.poll(() => factText(open, 'Registers')).toMatch(/120/);
    await page.getByRole('radio', { name: 'Grid-stride' }).check();
    await page.getByRole('slider', { name: 'Iteration of the loop' }).press('ArrowRight');
    await page.getByRole('slider', { name: 'Step of the sum' }).press('ArrowRight');
    await inEveryAppearance(page, async ({ name }) => {
      await page.getByLabel('Kernel', { exact: true }).scrollIntoViewIfNeeded();
      await open.screenshot(`launch-${name}`);
      expect(await accessibilityViolations(page), name).toEqual([]);
      await page.getByTestId('launch-map').scrollIntoViewIfNeeded();
      await open.screenshot(`launch-map-${name}`);
      await page.getByTestId('launch-reduction').scrollIntoViewIfNeeded();
      await open.screenshot(`launch-reduction-${name}`);
      await page.getByTestId('launch-values').scrollIntoViewIfNeeded();
      await open.screenshot(`launch-values-${name}`);
    });
    expect(open.problems).toEqual([]);
  });
});

describe('layouts and panels', () => {
  const { workbench } = useWorkbench('layouts');

  let open: OpenPage;
  let bench: BenchPage;

  const layout = (name: string) => open.page.getByRole('radio', { name, exact: true });

  describe('the layouts', () => {
    beforeEach(async () => {
      ({ open, bench } = await workbench());
    });

    it('react to keys as soon as they are drawn', async () => {
      onTestFinished(() => open.close());
      // Presses a key when the page has just entered the document, before it is painted.
      await open.page.addInitScript(() => {
        const press = { key: '#', code: 'Digit3', altKey: true, shiftKey: true, bubbles: true, cancelable: true };
        new MutationObserver((_, observer) => {
          const app = document.querySelector('.app');
          if (app === null) return;
          observer.disconnect();
          app.dispatchEvent(new KeyboardEvent('keydown', press));
        }).observe(document, { childList: true, subtree: true });
      });
      await open.page.reload();
      await expect.poll(() => layout('Profile').isChecked()).toBe(true);
      expect(open.problems).toEqual([]);
    });

    it('close a panel by its button or by Delete on its tab, and reopen it from the menu', async () => {
      await open.page.getByRole('button', { name: 'Close Dose map' }).click();
      await expect.poll(() => bench.panel('Dose map').count()).toBe(0);
      await bench.panel('Lateral profile').click();
      await open.page.keyboard.press('Delete');
      await expect.poll(() => bench.panel('Lateral profile').count()).toBe(0);
      await expect.poll(() => open.page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('tab');
      await open.page.reload();
      await expect.poll(() => bench.panel('Phase space').count()).toBe(1);
      expect(await bench.panel('Dose map').count()).toBe(0);
      await bench.menu('View', /^Dose map/);
      await expect.poll(() => bench.panel('Dose map').getAttribute('aria-selected')).toBe('true');
      await bench.menu('View', 'Reset Simulate layout');
      await expect.poll(() => bench.panel('Lateral profile').count()).toBe(1);
      expect(open.problems).toEqual([]);
    });

    it('are reset with a note if their stored form is corrupt', async () => {
      await open.page.evaluate(() =>
        localStorage.setItem('braggbench.layout', '{"version":2,"data":{"shown":"paint"}}'),
      );
      await open.page.reload();
      await expect.poll(() => open.page.getByText('The layout settings were reset').count()).toBe(1);
      await expect.poll(() => layout('Simulate').isChecked()).toBe(true);
      expect(open.problems).toEqual([]);
    });
  });
});

describe('the library panel', () => {
  const { workbench } = useWorkbench('library');

  const entries = (open: OpenPage): Locator => open.page.locator('.library-entry');
  const names = (open: OpenPage) => async () =>
    (await open.page.locator('.library-entry__name').allTextContents()).join(', ');

  describe('the library', () => {
    it('lists examples under their questions, and shows search matches from other tabs', async () => {
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
      await inEveryAppearance(page, async ({ name }) => {
        // Each window size has a separate arrangement of panels.
        await bench.panel('Library').click();
        await expect.poll(() => entries(open).count()).toBeGreaterThan(60);
        await open.screenshot(`examples-${name}`);
        expect(await accessibilityViolations(page, '.library-panel'), name).toEqual([]);
      });
      await page.getByRole('radio', { name: 'Trash' }).check();
      await page.getByRole('button', { name: 'Show yours' }).click();
      expect(await page.getByRole('radio', { name: 'Yours' }).isChecked()).toBe(true);
      expect(open.problems).toEqual([]);
    });
  });
});

describe('the command palette, dark', () => paletteStories('dark'));
